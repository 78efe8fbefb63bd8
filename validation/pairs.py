#!/usr/bin/env python3
"""How many pairs of columns of a small table depend on each other: a permutation test of mutual information for every pair.

    python3 validation/pairs.py supply_chain_data.csv SKU

Numbers are cut into four bins of equal width, as in the paper; the columns named after the file are left out. Prints how many pairs
have p < .05 and how many chance gives. Standard library only; about a minute for 23 columns.
"""
import csv
import itertools
import math
import random
import sys


def coded(cells):
    try:
        numbers = [float(c) for c in cells]
    except ValueError:
        names = sorted(set(cells))
        return [names.index(c) for c in cells], len(names)
    distinct = sorted(set(numbers))
    if len(distinct) <= 4:
        return [distinct.index(x) for x in numbers], len(distinct)
    low, high = distinct[0], distinct[-1]
    return [min(3, int(4 * (x - low) / (high - low))) for x in numbers], 4


def dependence(a, b, width):
    """Sum of n ln n over the joint counts: mutual information up to what no permutation changes."""
    counts = {}
    for x, y in zip(a, b):
        counts[x * width + y] = counts.get(x * width + y, 0) + 1
    return sum(n * math.log(n) for n in counts.values())


def main():
    path, *ignored = sys.argv[1:]
    with open(path, newline="") as file:
        header, *rows = csv.reader(file)
    columns = {h: coded([r[i] for r in rows]) for i, h in enumerate(header) if h not in ignored}
    random.seed(1)
    permutations, small = 1000, []
    pairs = list(itertools.combinations(columns, 2))
    for p, q in pairs:
        (a, _), (b, width) = columns[p], columns[q]
        observed, shuffled, beaten = dependence(a, b, width), b[:], 0
        for _ in range(permutations):
            random.shuffle(shuffled)
            beaten += dependence(a, shuffled, width) >= observed - 1e-9
        value = (beaten + 1) / (permutations + 1)
        if value < 0.05:
            small.append((value, p, q))
    print(f"{len(small)} of {len(pairs)} pairs with p < .05; chance gives {0.05 * len(pairs):.1f}")
    for value, p, q in sorted(small):
        print(f"  {value:.3f}  {p}, {q}")
    print(f"smallest p that would survive Bonferroni: {0.05 / len(pairs):.5f}")


main()
