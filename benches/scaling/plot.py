"""A picture of power laws: panels side by side, both axes logarithmic, as SVG."""

import math

WIDTH, HEIGHT, LEFT, TOP, GAP = 360, 280, 64, 28, 72
COLOURS = ["#0072B2", "#56B4E9", "#D55E00"]
STYLE = """
  svg { background: #fff } text { font: 12px system-ui, sans-serif; fill: #222 } .grid { stroke: #ddd } .axis { stroke: #888; fill: none }
  @media (prefers-color-scheme: dark) { svg { background: #16191d } text { fill: #ddd } .grid { stroke: #333 } .axis { stroke: #777 } }
"""


def decades(values):
    return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))


def label(power):
    return f"{10**power:,}" if 0 <= power < 4 else f"10{str(power).translate(str.maketrans('-0123456789', '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def panel(title, lines, unit, left):
    xs, ys = zip(*(point for points in lines.values() for point in points))
    (x0, x1), (y0, y1) = decades(xs), decades(ys)
    at_x = lambda x: left + (math.log10(x) - x0) / (x1 - x0) * WIDTH
    at_y = lambda y: TOP + HEIGHT - (math.log10(y) - y0) / (y1 - y0) * HEIGHT
    out = []
    for power in range(x0, x1 + 1):
        x = at_x(10.0**power)
        out.append(f'<path class="grid" d="M{x:.1f} {TOP}v{HEIGHT}"/><text x="{x:.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{label(power)}</text>')
    for power in range(y0, y1 + 1):
        y = at_y(10.0**power)
        out.append(f'<path class="grid" d="M{left} {y:.1f}h{WIDTH}"/><text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{label(power)}</text>')
    out.append(f'<rect class="axis" x="{left}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}"/>')
    out.append(f'<text x="{left + WIDTH / 2}" y="{TOP + HEIGHT + 40}" text-anchor="middle">{title}</text>')
    out.append(f'<text x="{left}" y="{TOP - 10}">{unit}</text>')
    for place, ((name, points), colour) in enumerate(zip(lines.items(), COLOURS)):
        path = " ".join(f"{at_x(x):.1f},{at_y(y):.1f}" for x, y in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{at_x(x):.1f}" cy="{at_y(y):.1f}" r="3.5" fill="{colour}"/>' for x, y in points]
        y = TOP + 18 + 18 * place
        out.append(f'<path d="M{left + 12} {y - 4}h18" stroke="{colour}" stroke-width="3"/><text x="{left + 36}" y="{y}">{name}</text>')
    return "\n".join(out)


def log_log(panels, unit):
    """`panels`: a title and the lines by name, each."""
    width = LEFT + len(panels) * (WIDTH + GAP)
    height = TOP + HEIGHT + 56
    drawn = "\n".join(panel(title, lines, unit, LEFT + i * (WIDTH + GAP)) for i, (title, lines) in enumerate(panels))
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"><style>{STYLE}</style>\n{drawn}\n</svg>\n'
