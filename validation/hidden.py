"""Hidden causes as a mark: are marks right where a root is left out, and is it silent where nothing is? validation/hidden.sh.

For every network and seed a sample of --rows rows. `whole`: a network is learned from it and tested on the same rows; every mark is a false one. `less a root`: for each root with
two children or more its column is left out, the rest is learned and tested. A mark is right if its two nodes are children of that root and have no arc in the true network;
`with an arc` counts marks between two of its children that have one (a hidden cause is there too, beside the arc; they count as wrong). `pairs` are those that could
be marked rightly, whether any test can tell them or not.
"""

import argparse
import csv
import json
import math
import subprocess
import tempfile
from itertools import combinations
from pathlib import Path


def run(program: str, *arguments: str) -> str:
    return subprocess.run([program, *arguments, "--quiet"], check=True, capture_output=True, text=True).stdout


def interval(hits: int, of: int, z: float = 1.96) -> str:
    """Wilson's interval of a share, 95 of 100."""
    if of == 0:
        return "no marks"
    p, n = hits / of, of
    middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return " to ".join(f"{(middle + sign * half) / (1 + z * z / n):.2f}" for sign in (-1, 1))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("networks", nargs="+", help="@NAME or files")
    parser.add_argument("--rows", default="5000")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first", type=int, default=1, help="the first of the seeds, for samples that no bound was chosen on")
    parser.add_argument("--roots", type=int, help="of more roots so many, evenly spread by name")
    parser.add_argument("--raw", help="a file for every case and every mark, one JSON document a line")
    asked = parser.parse_args()
    raw = open(asked.raw, "w") if asked.raw else None
    print("| network | nodes | marks on the whole | of pairs | roots left out | pairs | marks | right | with an arc |\n|---|---|---|---|---|---|---|---|---|")
    sums = [0] * 7
    with tempfile.TemporaryDirectory() as folder:
        whole, less, arcs, learned = (str(Path(folder, name)) for name in ("whole.csv", "less.csv", "arcs.csv", "learned.json"))

        def marks(table: str, **about: object) -> list[dict]:
            run(asked.program, "learn", table, "-o", learned)
            found = json.loads(run(asked.program, "test", learned, table, "--json"))["hidden"]
            # Also where nothing was marked: a study that was stopped can still be counted.
            print(json.dumps(about | {"marks": len(found), "right": sum(map(right, found))}), file=raw, flush=True) if raw else None
            for mark in found:
                print(json.dumps(about | {"right": right(mark)} | mark), file=raw, flush=True) if raw else None
            return found

        for network in asked.networks:
            name = network.lstrip("@").split("/")[-1].split(".")[0]
            run(asked.program, "convert", network, "-o", arcs)
            true = {(line["parent"], line["child"]) for line in csv.DictReader(Path(arcs).open())}
            children: dict[str, set[str]] = {}
            for parent, child in true:
                children.setdefault(parent, set()).add(child)
            roots = sorted(root for root in children if len(children[root]) > 1 and not any(child == root for _, child in true))
            if asked.roots and len(roots) > asked.roots:
                roots = [roots[k * len(roots) // asked.roots] for k in range(asked.roots)]
            silent, tried, pairs, marked, hits, beside = 0, 0, 0, 0, 0, 0
            for seed in range(asked.first, asked.first + asked.seeds):
                run(asked.program, "sample", network, "-n", asked.rows, "--seed", str(300 + seed), "-o", whole)
                with open(whole) as file:
                    header, *rows = list(csv.reader(file))
                right = lambda mark: False  # noqa: E731
                silent += len(marks(whole, network=name, seed=seed, root=None))
                tried += len(header) * (len(header) - 1) // 2
                for root in roots:
                    place = header.index(root)
                    with open(less, "w", newline="") as file:
                        csv.writer(file).writerows(row[:place] + row[place + 1 :] for row in [header, *rows])
                    joined = {frozenset(arc) for arc in true}
                    of_root = {frozenset(pair) for pair in combinations(children[root], 2)}
                    right = lambda mark: frozenset(mark["between"]) in of_root - joined  # noqa: E731, B023
                    found = marks(less, network=name, seed=seed, root=root)
                    pairs += len(of_root - joined)
                    marked += len(found)
                    hits += sum(map(right, found))
                    beside += sum(frozenset(mark["between"]) in of_root & joined for mark in found)
            line = [silent, tried, len(roots) * asked.seeds, pairs, marked, hits, beside]
            sums = [a + b for a, b in zip(sums, line)]
            print(f"| {name} | {len(header)} | " + " | ".join(map(str, line)) + " |", flush=True)
    print("| together | | " + " | ".join(map(str, sums)) + " |")
    silent, tried, _, _, marked, hits, _ = sums
    print(f"\nPrecision {hits / max(marked, 1):.2f} ({hits} of {marked}, {interval(hits, marked)}); on whole networks {100 * silent / max(tried, 1):.2f} marks in 100 pairs.")


if __name__ == "__main__":
    main()
