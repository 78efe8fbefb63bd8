"""Expected values of actions and the value of perfect information, beside pyAgrum's influence diagrams: validation/decisions.sh.

Each case is a network, an action node that becomes a decision, a target with a utility, and a node that could be known before. pyAgrum solves the same
influence diagram (ShaferShenoyLIMIDInference) without and with an arc from that node to the decision; the arcs into the decision are cut, as `do` cuts them.
To do nothing is no option of an influence diagram's decision node, so our file names every state of the node as an action, and the figures of these are compared.
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pyagrum as gum

PROGRAM = sys.argv[1]
CASES = [
    ("asia", "smoke", "dysp", ["asia", "tub"]),
    ("cancer", "Smoker", "Dyspnoea", ["Pollution"]),
    ("earthquake", "Burglary", "JohnCalls", ["Earthquake"]),
    ("survey", "R", "T", ["A", "S", "E"]),
    ("sachs", "PKA", "Akt", ["PKC", "Plcg"]),
    ("child", "Disease", "XrayReport", ["BirthAsphyxia"]),
    ("insurance", "DrivingSkill", "Accident", ["Age", "Mileage"]),
    ("alarm", "INTUBATION", "CATECHOL", ["KINKEDTUBE", "HYPOVOLEMIA"]),
]


def ours(network: str, document: dict) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "utility.json")
        file.write_text(json.dumps(document))
        command = [PROGRAM, "query", f"@{network}", "--utility", str(file), "--json", "--quiet"]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["decision"]


def diagram(bn: gum.BayesNet, action: str, target: str, values: dict, costs: dict, seen: str | None) -> gum.InfluenceDiagram:
    found = gum.InfluenceDiagram()
    for node in bn.names():
        variable = bn.variableFromName(node)
        found.addDecisionNode(variable) if node == action else found.addChanceNode(variable)
    found.addUtilityNode(gum.LabelizedVariable("of the target", "", 1))
    found.addUtilityNode(gum.LabelizedVariable("of the cost", "", 1))
    for tail, head in bn.arcs():
        if bn.variable(head).name() != action:
            found.addArc(bn.variable(tail).name(), bn.variable(head).name())
    found.addArc(target, "of the target")
    found.addArc(action, "of the cost")
    if seen is not None:
        found.addArc(seen, action)
    for node in bn.names():
        if node != action:
            table, own = found.cpt(node), bn.cpt(node)
            point = gum.Instantiation(table)
            while not point.end():
                table[point] = own[gum.Instantiation(point)]
                point.inc()
    for utility, node, numbers in (("of the target", target, values), ("of the cost", action, costs)):
        for state, value in numbers.items():
            found.utility(utility)[{node: state}] = value
    return found


def meu(problem: gum.InfluenceDiagram, evidence: dict) -> float:
    engine = gum.ShaferShenoyLIMIDInference(problem)
    engine.setEvidence(evidence)
    engine.makeInference()
    return engine.MEU()["mean"]


def main() -> None:
    lots = random.Random(21)
    worst = 0.0
    print("| network | action | target | actions | largest difference | value of information | difference |\n|---|---|---|---|---|---|---|")
    for network, action, target, known in CASES:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "net.bif")
            subprocess.run([PROGRAM, "convert", f"@{network}", "-o", str(file), "--quiet"], check=True)
            bn = gum.loadBN(str(file))
        states = {node: bn.variableFromName(node).labels() for node in (action, target)}
        values = {state: lots.uniform(-100, 100) for state in states[target]}
        costs = {state: lots.uniform(0, 10) for state in states[action]}
        document = {
            "utility": [{"when": {target: state}, "value": value} for state, value in values.items()],
            "action": [{"do": {action: state}, "cost": cost} for state, cost in costs.items()],
        }
        found = ours(network, document)
        minus = {state: -cost for state, cost in costs.items()}
        alone = diagram(bn, action, target, values, minus, None)
        named = {next(iter(entry["do"].values())): entry["expected"] for entry in found["actions"] if entry["do"]}
        difference = max(abs(named[state] - meu(alone, {action: state})) for state in states[action])
        # An influence diagram's decision has no way to do nothing: it is made hopeless.
        hopeless = ours(network, dict(document, action=[{"do": {}, "cost": 1e6}, *document["action"]]))
        information = {entry["node"]: entry["value"] for entry in hopeless["information"]}
        best = meu(alone, {})
        for node in known:
            peer = meu(diagram(bn, action, target, values, minus, node), {}) - best
            mine = information.get(node)
            gap = abs(mine - peer) if mine is not None else float("nan")
            worst = max(worst, difference, gap if gap == gap else 0.0)
            print(f"| {network} | {action} | {target} | {len(named)} | {difference:.1e} | {node}: {peer:.6f} | {gap:.1e} |")
    print(f"\nLargest difference: {worst:.1e}")
    sys.exit(worst > 1e-6)


if __name__ == "__main__":
    main()
