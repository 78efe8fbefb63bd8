"""Tables of a benchmark run from its records; also on its own: summary.py machine-DATE-COMMIT.jsonl"""
import json
import math
import statistics
import sys

GREEN, TMU, OURS = "green-uniform", "tmu", "clausality-"
NAMES = {TMU: "tmu", GREEN: "green, uniform", OURS + "portable": "ours, portable", OURS + "avx2": "ours, AVX2", OURS + "avx512": "ours, AVX-512"}


class Records:
    def __init__(self, records):
        self.environment = next(r for r in records if r["kind"] == "environment")
        self.end = next((r for r in records if r["kind"] == "end"), {})
        self.runs = [r for r in records if r["kind"] in ("speed", "study")]

    def select(self, kind, problem=None, impl=None):
        return [
            r
            for r in self.runs
            if r["kind"] == kind and problem in (None, r["problem"]) and (impl is None or r["impl"].startswith(impl))
        ]

    def problems(self, kind):
        return list(dict.fromkeys(r["problem"] for r in self.select(kind)))

    def implementations(self, kind):
        found = {r["impl"] for r in self.select(kind)}
        return [impl for impl in NAMES if impl in found]

    def rate(self, problem, impl, key):
        """The best of the runs; for the mean over epochs, the mean of the runs too."""
        rates = [r[key] for r in self.select("speed", problem, impl)]
        if not rates:
            return None
        return max(rates) if key == "best_rate" else statistics.harmonic_mean(rates)

    def ratio(self, problem, impl, base, key="best_rate"):
        ours, theirs = self.rate(problem, impl, key), self.rate(problem, base, key)
        return ours / theirs if ours and theirs else None


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def thousands(rate):
    if rate is None:
        return "–"
    for limit, divisor, unit in [(1e6, 1e6, " M"), (1e4, 1e3, " k")]:
        if rate >= limit:
            return f"{rate / divisor:.{2 if divisor == 1e6 else 1}f}{unit}"
    return f"{rate:.0f}"


def times(ratio):
    if ratio is None:
        return "–"
    return f"{ratio:.0f}×" if ratio >= 100 else f"{ratio:.1f}×"


def mean_and_deviation(values):
    return statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else math.nan


def difference(a, b):
    """mean(a) − mean(b) and its standard error, the seeds being independent."""
    (mean_a, sd_a), (mean_b, sd_b) = mean_and_deviation(a), mean_and_deviation(b)
    return mean_a - mean_b, math.sqrt(sd_a**2 / len(a) + sd_b**2 / len(b))


def heading(records):
    e = records.environment
    quick = "**A quick look, not for the record.**\n\n" if e["quick"] else ""
    if not records.end:
        quick += "**The run was interrupted: what is missing at its end was not measured.**\n\n"
    load = f"load before {e['load_before'][0]:.2f}"
    if "load_after" in records.end:
        load += f", after {records.end['load_after'][0]:.2f}"
    speed = records.select("speed")
    if speed:
        share = sum(r["total_cpu_s"] for r in speed) / sum(r["total_wall_s"] for r in speed)
        load += f"; the timed epochs had {share:.0%} of their core"
    packages = [p for p in e["packages"] if p.lower().startswith(("tmu=", "green", "numpy="))]
    return (
        f"# Machine benchmark, {e['date']}, commit {e['commit']}\n\n{quick}"
        f"- {e['cpu']}, {e['cores']} cores, all on core {e['core']}; kernel {e['kernel']}; {load}\n"
        f"- {' '.join(e['vector_flags'])}\n"
        f"- {e['rustc']}, RUSTFLAGS '{e['rustflags']}'; Python {e['python']}, {', '.join(packages)}\n"
    )


def speed_tables(records):
    implementations = records.implementations("speed")
    problems = records.problems("speed")
    ours = [impl for impl in implementations if impl.startswith(OURS)]
    runs = max(r["round"] for r in records.select("speed"))
    rates = [[p] + [thousands(records.rate(p, i, "best_rate")) for i in implementations] for p in problems]
    text = (
        "\n## Training, samples per CPU second\n\n"
        f"The fastest epoch after the first of {most_epochs(records)}, best of {runs} run{'s' if runs > 1 else ''}{exceptions(records)}.\n\n"
        + table(["problem"] + [NAMES[i] for i in implementations], rates)
    )
    for base in (GREEN, TMU):
        rows = [
            [p] + [f"{times(records.ratio(p, i, base))} ({times(records.ratio(p, i, base, 'mean_rate'))})" for i in ours]
            for p in problems
        ]
        text += f"\n\nTimes {NAMES[base]}; in brackets the same by the mean over all epochs and runs.\n\n"
        text += table(["problem"] + [NAMES[i] for i in ours], rows)
    rows = []
    for p in problems:
        row = [p]
        for i in implementations:
            found = records.select("speed", p, i)
            row.append(f"{found[0]['acc_mean5']:.3f} / {found[0]['lits_mean5']:.2f}" if found else "–")
        rows.append(row)
    text += "\n\nAccuracy / mean clause length of these runs (one seed, mean of the last 5 epochs).\n\n"
    text += table(["problem"] + [NAMES[i] for i in implementations], rows) + "\n"
    return text + f"\nOur paths give the same result: {'yes' if paths_agree(records) else '**no**'}.\n"


def most_epochs(records):
    return max(r["epochs"] for r in records.select("speed"))


def exceptions(records):
    """Names what ran shorter than the rest."""
    shorter = {(r["impl"], r["problem"], r["epochs"]) for r in records.select("speed") if r["epochs"] < most_epochs(records)}
    return "".join(f"; {NAMES[impl]} on {problem}: one run of {epochs} epochs" for impl, problem, epochs in sorted(shorter))


def paths_agree(records):
    results = {}
    for r in records.select("speed", impl=OURS):
        key = (r["problem"], r["epochs"], r["seed"])
        results.setdefault(key, set()).add((r["acc_last"], r["acc_mean5"], tuple(r["lits"]), r["lits_mean5"]))
    return all(len(found) == 1 for found in results.values())


def study_values(records, problem, impl, key):
    return [r[key] for r in records.select("study", problem, impl)]


def accuracy_rows(records):
    for p in records.problems("study"):
        yield p, {i: [100 * a for a in study_values(records, p, i, "acc_mean5")] for i in (OURS, GREEN, TMU)}


def length_rows(records):
    for p in records.problems("study"):
        yield p, {i: study_values(records, p, i, "lits_mean5") for i in (OURS, TMU, GREEN)}


def relative_length(ours, theirs):
    """How much longer ours are, in per cent, with the standard error of the ratio."""
    (mean_a, sd_a), (mean_b, sd_b) = mean_and_deviation(ours), mean_and_deviation(theirs)
    ratio = mean_a / mean_b
    error = ratio * math.hypot(sd_a / mean_a / math.sqrt(len(ours)), sd_b / mean_b / math.sqrt(len(theirs)))
    return 100 * (ratio - 1), 100 * error


def study_tables(records):
    def cell(values, digits):
        mean, deviation = mean_and_deviation(values) if values else (math.nan, math.nan)
        return f"{mean:.{digits}f} ± {deviation:.{digits}f}" if values else "–"

    accuracy, lengths = [], []
    for p, values in accuracy_rows(records):
        delta, error = difference(values[OURS], values[GREEN])
        ours, theirs = (statistics.median(study_values(records, p, i, "best_rate")) for i in (OURS, GREEN))
        cells = [cell(values[i], 2) for i in (OURS, GREEN, TMU)]
        accuracy.append([p, *cells, f"{delta:+.2f} ± {error:.2f}", times(ours / theirs)])
    for p, values in length_rows(records):
        cells = [cell(values[i], 3) for i in (OURS, TMU, GREEN)]
        against = "{:+.1f} ± {:.1f} %".format(*relative_length(values[OURS], values[TMU])) if values[TMU] else "–"
        lengths.append([p, *cells, against])

    def count(impl):
        found = sorted({len(study_values(records, p, impl, "seed")) for p in records.problems("study")})
        return str(found[0]) if len(found) == 1 else f"{found[0]} to {found[-1]}"

    return (
        f"\n## Accuracy and clause length over seeds\n\n{count(OURS)} seeds of ours, {count(GREEN)} of green, {count(TMU)} of tmu; "
        "a run's figure is the mean of its last 5 epochs. Mean ± standard deviation; the difference ± its standard error.\n\n"
        + table(["accuracy, %", "ours", "green, uniform", "tmu", "ours − green, points", "speed, × green (median seed)"], accuracy)
        + "\n\n"
        + table(["literals per clause", "ours", "tmu", "green, uniform", "ours against tmu"], lengths)
        + "\n"
    )


def requirements(records):
    """(requirement, measured, verdict) of all that was run; the worst problem decides."""

    def fast(groups, impl, base, least):
        found = {p: records.ratio(p, impl, base) for p in records.problems("speed") if p.split()[0] in groups}
        found = {p: ratio for p, ratio in found.items() if ratio is not None}
        if not found:
            return None
        worst = min(found, key=found.get)
        return f"{times(found[worst])} ({worst})", found[worst] >= least

    def close(rows, measure, most):
        found = {p: measure(values) for p, values in rows if p.split()[0] in ("A", "B")}
        if not found:
            return None
        worst = max(found, key=lambda p: abs(found[p][0]))
        delta, error = found[worst]
        doubt = "; too close to tell" if abs(abs(delta) - most) < 2 * error else ""
        return f"{delta:+.2f} ± {error:.2f} ({worst}{doubt})", abs(delta) <= most

    enough = [(p, v) for p, v in accuracy_rows(records) if len(v[OURS]) >= 20 and len(v[GREEN]) >= 20]
    with_tmu = [(p, v) for p, v in length_rows(records) if len(v[TMU]) >= 5]
    best, avx2 = OURS + "avx512", OURS + "avx2"
    checks = [
        ("A and B: at least 10× green", fast(("A", "B"), best, GREEN, 10)),
        ("wide: at least 7× green", fast(("wide",), best, GREEN, 7)),
        ("A and B: at least 200× tmu", fast(("A", "B"), best, TMU, 200)),
        ("AVX-512 off: at least 6× green on A, B and wide", fast(("A", "B", "wide"), avx2, GREEN, 6)),
        ("A and B: accuracy within 0.3 points of green, 20 seeds or more", close(enough, lambda v: difference(v[OURS], v[GREEN]), 0.3)),
        ("A and B: mean clause length within 5 % of tmu's", close(with_tmu, lambda v: relative_length(v[OURS], v[TMU]), 5)),
    ]
    return [(name, *(result or ("not measured", None))) for name, result in checks]


def write(records):
    """The summary as Markdown, and whether no requirement was missed."""
    records = Records(records)
    text = heading(records)
    verdicts = {True: "met", False: "**missed**", None: "–"}
    found = requirements(records)
    text += "\n## Requirements\n\n"
    text += table(["requirement", "measured, worst problem", ""], [[n, m, verdicts[met]] for n, m, met in found]) + "\n"
    if records.select("speed"):
        text += speed_tables(records)
    if records.select("study"):
        text += study_tables(records)
    return text, all(met is not False for _, _, met in found)


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        print(write([json.loads(line) for line in file])[0])
