"""Expected values of actions and the value of perfect information, beside pyAgrum's influence diagrams: validation/decisions.sh.

Each case is a network, an action node that becomes a decision, a target with a utility, and a node that could be known before. pyAgrum solves the same
influence diagram (ShaferShenoyLIMIDInference) without and with an arc from that node to the decision; the arcs into the decision are cut, as `do` cuts them.
To do nothing is no option of an influence diagram's decision node, so our file names every state of the node as an action, and the figures of these are compared.
"""

import itertools
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


def of(values: dict, costs: dict, action: str, target: str) -> dict:
    return {
        "utility": [{"when": {target: state}, "value": value} for state, value in values.items()],
        "action": [{"do": {action: state}, "cost": cost} for state, cost in costs.items()],
    }


def ours(network: str, document: dict) -> dict:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "utility.json")
        file.write_text(json.dumps(document))
        command = [PROGRAM, "query", f"@{network}", "--utility", str(file), "--json", "--quiet"]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["decision"]


def diagram(nodes: dict, action: str, target: str, values: dict, costs: dict, seen: str | None) -> gum.InfluenceDiagram:
    found = gum.InfluenceDiagram()
    for name, node in nodes.items():
        variable = gum.LabelizedVariable(name, "", node["states"])
        found.addDecisionNode(variable) if name == action else found.addChanceNode(variable)
    found.addUtilityNode(gum.LabelizedVariable("of the target", "", 1))
    found.addUtilityNode(gum.LabelizedVariable("of the cost", "", 1))
    for name, node in nodes.items():
        for parent in node["parents"] if name != action else ():
            found.addArc(parent, name)
    found.addArc(target, "of the target")
    found.addArc(action, "of the cost")
    if seen is not None:
        found.addArc(seen, action)
    for name, node in nodes.items():
        if name != action:
            states = [nodes[parent]["states"] for parent in node["parents"]]
            for configuration, row in zip(itertools.product(*states), node["rows"]):
                found.cpt(name)[dict(zip(node["parents"], configuration))] = [p / sum(row) for p in row]
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
            file = Path(folder, "net.json")
            subprocess.run([PROGRAM, "convert", f"@{network}", "-o", str(file), "--quiet"], check=True)
            nodes = {node["name"]: node for node in json.loads(file.read_text())["nodes"]}
        states = {node: nodes[node]["states"] for node in (action, target)}
        values = {state: lots.uniform(-100, 100) for state in states[target]}
        costs = {state: 0.0 for state in states[action]}
        # Costs that make all actions about equal: then it matters what is known before.
        free = ours(network, of(values, costs, action, target))
        worth = {next(iter(entry["do"].values())): entry["expected"] for entry in free["actions"] if entry["do"]}
        costs = {state: worth[state] - min(worth.values()) + lots.uniform(0, 0.1) for state in states[action]}
        document = of(values, costs, action, target)
        found = ours(network, document)
        minus = {state: -cost for state, cost in costs.items()}
        alone = diagram(nodes, action, target, values, minus, None)
        named = {next(iter(entry["do"].values())): entry["expected"] for entry in found["actions"] if entry["do"]}
        difference = max(abs(named[state] - meu(alone, {action: state})) for state in states[action])
        # An influence diagram's decision has no way to do nothing: it is made hopeless.
        hopeless = ours(network, dict(document, action=[{"do": {}, "cost": 1e6}, *document["action"]]))
        information = {entry["node"]: entry["value"] for entry in hopeless["information"]}
        best = meu(alone, {})
        for node in known:
            peer = meu(diagram(nodes, action, target, values, minus, node), {}) - best
            mine = information.get(node)
            gap = abs(mine - peer) if mine is not None else float("nan")
            worst = max(worst, difference, gap if gap == gap else 0.0)
            print(f"| {network} | {action} | {target} | {len(named)} | {difference:.1e} | {node}: {peer:.6f} | {gap:.1e} |")
    print(f"\nLargest difference: {worst:.1e}")
    sys.exit(worst > 1e-6)


if __name__ == "__main__":
    main()
