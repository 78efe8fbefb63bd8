"""Networks made up for studies, as BIF text: children that are exclusive ors, and sparse networks of any size.

    xor       every child the noisy exclusive or of two earlier nodes, of three in a quarter of the cases; roots have P(1) between .47 and .53
    parity    every child the noisy parity of three earlier nodes; roots have P(1) between .4 and .6
    skewed    as `xor`, but roots have P(1) between .2 and .8
    sparse-N  N nodes of two to four states with up to three parents among the forty nodes before, tables drawn at random
    faint-N   as `sparse-N`, but tables are near even: parents hardly matter

A third of the nodes of the first three are roots; a child says the opposite with a probability between .05 and .15. Nodes are numbered in
a random order. With balanced roots no two nodes would have anything to do with each other, and which node of an exclusive or is
the child could not be told from data.
"""

import itertools
import random

# How far the roots are from balanced.
SKEW = {"xor": 0.03, "parity": 0.1, "skewed": 0.3}
# How even the tables of random networks are.
EVENNESS = {"sparse": 0.5, "faint": 6}


def bif(name, seed):
    """The text of a network."""
    draw = random.Random(f"{name} {seed}")
    kind, _, count = name.partition("-")
    nodes = sparse(int(count), EVENNESS[kind], draw) if count else odd(30, kind, draw)
    lines = [f"network {name.replace('-', '_')} {{\n}}"]
    states = {node: states for node, states, _, _ in nodes}
    for node, count, _, _ in nodes:
        labels = ", ".join(f"s{i}" for i in range(count))
        lines.append(f"variable {node} {{\n  type discrete [ {count} ] {{ {labels} }};\n}}")
    for node, _, parents, row in nodes:
        given = f" | {', '.join(parents)}" if parents else ""
        lines.append(f"probability ( {node}{given} ) {{")
        for configuration in itertools.product(*(range(states[p]) for p in parents)):
            start = f"({', '.join(f's{i}' for i in configuration)})" if parents else "table"
            lines.append(f"  {start} {', '.join(map(repr, row(configuration)))};")
        lines.append("}")
    return "\n".join(lines) + "\n"


def odd(count, kind, draw):
    names = [f"X{i:02}" for i in range(count)]
    draw.shuffle(names)
    nodes = []
    for place, name in enumerate(names):
        if place < count // 3:
            one = 0.5 + draw.uniform(-1, 1) * SKEW[kind]
            nodes.append((name, 2, [], lambda _, one=one: [1 - one, one]))
            continue
        parents = draw.sample(names[:place], 3 if kind == "parity" or draw.random() < 0.25 else 2)
        wrong = draw.uniform(0.05, 0.15)
        nodes.append((name, 2, parents, lambda c, wrong=wrong: [wrong, 1 - wrong] if sum(c) % 2 else [1 - wrong, wrong]))
    return nodes


def sparse(count, evenness, draw):
    nodes = []
    for place in range(count):
        near = [name for name, *_ in nodes[-40:]]
        parents = draw.sample(near, min(len(near), draw.choice([0, 1, 1, 2, 2, 3])))
        states = draw.choice([2, 2, 3, 4])
        rows = {}

        def row(configuration, states=states, rows=rows):
            if configuration not in rows:
                weights = [draw.gammavariate(evenness, 1) + 0.01 for _ in range(states)]
                rows[configuration] = [w / sum(weights) for w in weights]
            return rows[configuration]

        nodes.append((f"V{place:04}", states, parents, row))
    return nodes
