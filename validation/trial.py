"""A network on trial: are p-values uniform where it is true, and is a removed arc found? validation/trial.sh.

For every network: samples of --rows rows for each seed. `uniform`: the p-values of all implied independences of the true network, their largest distance from
uniform (Kolmogorov-Smirnov), the share below 0.05, and how many were called violated. `found`: each arc in turn is left out, the rest is fitted to the rows and tested;
found is an arc whose pair is among the violated; named first, one whose pair is the worst of all. The graph without the arc is a DOT file: a list of arcs would lose
a node with its last arc, and nothing could be said of it.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path


def run(program: str, *arguments: str) -> str:
    return subprocess.run([program, *arguments, "--quiet"], check=True, capture_output=True, text=True).stdout


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--networks", default="asia,child,insurance,alarm")
    parser.add_argument("--rows", default="5000")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=1, help="the first of the seeds")
    parser.add_argument("--removed", default="alarm")
    parser.add_argument("--every", type=int, default=1, help="of the arcs, only every N-th")
    asked = parser.parse_args()
    print("| network | tests | distance from uniform | below 0.05 | violated |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        rows, arcs, less = (str(Path(folder, name)) for name in ("rows.csv", "arcs.dot", "less.json"))
        for network in filter(None, asked.networks.split(",")):
            p, violated = [], 0
            for seed in range(asked.first, asked.first + asked.seeds):
                run(asked.program, "sample", f"@{network}", "-n", asked.rows, "--seed", str(100 + seed), "-o", rows)
                found = json.loads(run(asked.program, "test", f"@{network}", rows, "--json"))
                p += [pair["p"] for pair in found["independences"]]
                violated += found["violated"]
            p.sort()
            distance = max(max(abs(x - k / len(p)), abs((k + 1) / len(p) - x)) for k, x in enumerate(p))
            below = sum(x < 0.05 for x in p) / len(p)
            print(f"| {network} | {len(p)} | {distance:.3f} | {below:.3f} | {violated} |", flush=True)
        print("\n| network | arcs | found | named first | missed |\n|---|---|---|---|---|")
        for network in asked.removed.split(","):
            run(asked.program, "convert", f"@{network}", "-o", arcs)
            drawn = Path(arcs).read_text().splitlines()
            lines = [line for line in drawn if " -> " in line]
            named = lambda line: [name.strip().strip('"') for name in line.strip().rstrip(";").split(" -> ")]  # noqa: E731
            seen, first, missed = 0, 0, []
            for seed in range(asked.first, asked.first + asked.seeds):
                run(asked.program, "sample", f"@{network}", "-n", asked.rows, "--seed", str(200 + seed), "-o", rows)
                for line in lines[:: asked.every]:
                    pair = set(named(line))
                    Path(arcs).write_text("\n".join(other for other in drawn if other != line) + "\n")
                    run(asked.program, "fit", arcs, rows, "-o", less)
                    found = json.loads(run(asked.program, "test", less, rows, "--json"))["independences"]
                    guilty = [{entry["parent"], entry["child"]} for entry in found if entry["violated"]]
                    seen += pair in guilty
                    first += guilty[:1] == [pair]
                    if pair not in guilty:
                        missed.append(">".join(named(line)))
            total = asked.seeds * len(lines[:: asked.every])
            print(f"| {network} | {total} | {seen} ({100 * seen / total:.0f} %) | {first} | {', '.join(missed)} |", flush=True)


if __name__ == "__main__":
    main()
