"""How far the searches stay below the best graph there is: an exact solver on small networks.

The cluster-cut model (Jaakkola, Sontag, Globerson & Meila 2010; Cussens 2011): a variable x(v, P) in {0, 1} for every node v and every parent
set P that can be in a best graph,

    max  sum of s(v, P) x(v, P)
    one parent set a node:              sum over P of x(v, P) = 1
    for every set C of nodes, no cycle: sum over v in C, P without C, of x(v, P) >= 1

with the last kind added where a solution breaks it. Solved by HiGHS: as a linear program while cuts are found for its solution, then in
whole numbers, again and again until the graph has no cycle. What is printed is then proven best among graphs of at most four
parents a node.

    validation/exact.sh          (builds, runs, keeps the result)
    python validation/exact.py --program target/release/examples/local_scores [--networks asia,child] [--seeds 3]
"""

import argparse
import itertools
import json
import subprocess
import time

import highspy
import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--program", required=True)
parser.add_argument("--networks", default="asia,child,insurance,alarm")
parser.add_argument("--rows", type=int, default=5000)
parser.add_argument("--seeds", type=int, default=3)
parser.add_argument("--seconds", type=float, default=600, help="the most for one network and objective")
asked = parser.parse_args()


class Model:
    def __init__(self, families):
        self.nodes = len(families)
        self.sets = [(v, frozenset(parents), score) for v, listed in enumerate(families) for score, parents in listed]
        self.lp = highspy.Highs()
        self.lp.setOptionValue("output_flag", False)
        self.lp.setOptionValue("mip_rel_gap", 0.0)
        self.lp.setOptionValue("mip_abs_gap", 1e-6)
        for _, _, score in self.sets:
            self.lp.addVar(0.0, 1.0)
        for at, (_, _, score) in enumerate(self.sets):
            self.lp.changeColCost(at, -score)
        for v in range(self.nodes):
            own = [at for at, (node, _, _) in enumerate(self.sets) if node == v]
            self.lp.addRow(1.0, 1.0, len(own), np.array(own, dtype=np.int32), np.ones(len(own)))
        self.cuts = set()

    def cut(self, cluster):
        cluster = frozenset(cluster)
        if cluster in self.cuts:
            return False
        self.cuts.add(cluster)
        inside = [at for at, (v, parents, _) in enumerate(self.sets) if v in cluster and not parents & cluster]
        self.lp.addRow(1.0, highspy.kHighsInf, len(inside), np.array(inside, dtype=np.int32), np.ones(len(inside)))
        return True

    def solve(self, whole):
        kind = highspy.HighsVarType.kInteger if whole else highspy.HighsVarType.kContinuous
        for at in range(len(self.sets)):
            self.lp.changeColIntegrality(at, kind)
        self.lp.run()
        assert self.lp.getModelStatus() == highspy.HighsModelStatus.kOptimal, self.lp.getModelStatus()
        values = np.array(self.lp.getSolution().col_value)
        return values, -self.lp.getInfo().objective_function_value

    def violated(self, values):
        """Clusters that a solution breaks: grown from every node, taking in what lowers the left side most."""
        live = [(v, parents, values[at]) for at, (v, parents, _) in enumerate(self.sets) if values[at] > 1e-9]
        left = lambda cluster: sum(x for v, parents, x in live if v in cluster and not parents & cluster)
        found = set()
        for start in range(self.nodes):
            cluster = {start}
            while len(cluster) < self.nodes:
                near = set().union(*(parents for v, parents, _ in live if v in cluster)) | {
                    v for v, parents, _ in live if parents & cluster
                }
                choices = [(left(cluster | {v}), v) for v in sorted(near - cluster)]
                if not choices:
                    break
                value, v = min(choices)
                cluster.add(v)
                if value < 1 - 1e-6:
                    found.add(frozenset(cluster))
                    break
                if len(cluster) > 8:
                    break
        return found

    def cycles(self, values):
        """The strongly connected parts of a graph in whole numbers, and the shortest cycle through each of their nodes."""
        parents = {v: p for at, (v, p, _) in enumerate(self.sets) if values[at] > 0.5}
        found = set()
        for start in parents:
            trail, edge = {start: None}, [start]
            while edge:
                nxt = []
                for v in edge:
                    for p in parents[v]:
                        if p == start:
                            loop, at = {v}, v
                            while trail[at] is not None:
                                at = trail[at]
                                loop.add(at)
                            found.add(frozenset(loop))
                            nxt = []
                            break
                        if p not in trail:
                            trail[p] = v
                            nxt.append(p)
                    else:
                        continue
                    break
                edge = nxt
        return found

    def best(self, seconds):
        begun = time.monotonic()
        for pair in itertools.combinations(range(self.nodes), 2):
            self.cut(pair)
        while True:
            values, bound = self.solve(whole=False)
            if not any([self.cut(cluster) for cluster in self.violated(values)]):
                break
            if time.monotonic() - begun > seconds:
                return None, bound
        while True:
            values, bound = self.solve(whole=True)
            if not any([self.cut(cluster) for cluster in self.cycles(values)]):
                return bound, bound
            if time.monotonic() - begun > seconds:
                return None, bound


print("| network | rows | seed | objective | parent sets | the truth less the best | ours less the best | solver, s |")
print("|---|---|---|---|---|---|---|---|")
for network in asked.networks.split(","):
    for seed in range(1, asked.seeds + 1):
        told = json.loads(subprocess.run([asked.program, network, str(asked.rows), str(seed)], check=True, capture_output=True).stdout)
        for name, objective in told["objectives"].items():
            begun = time.monotonic()
            model = Model(objective["families"])
            best, bound = model.best(asked.seconds)
            gap = lambda score: f"{score - bound:+.2f}" + ("" if best is not None else " (against a bound)")
            print(
                f"| {network} | {asked.rows} | {seed} | {name} | {len(model.sets)} | {gap(objective['truth'])} | {gap(objective['found'])} "
                f"| {time.monotonic() - begun:.1f} |",
                flush=True,
            )
