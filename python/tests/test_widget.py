"""The explorer in a notebook, without a browser: messages, traits, and what is said where it cannot be had."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import clausality as cl

pytest.importorskip("anywidget")


class Page:
    """Stands where the page would: sends requests to a widget and keeps what comes back."""

    def __init__(self, explorer):
        self.explorer = explorer
        self.heard = []
        explorer.send = lambda content, buffers=None: self.heard.append(content)

    def ask(self, method, path, type=None, body=None):
        own = f"view-{len(self.heard)}"
        self.explorer._handle_custom_msg({"id": own, "method": method, "path": path, "type": type, "body": body}, [])
        answer = self.heard[-1]
        assert answer["id"] == own
        return answer["status"], json.loads(answer["text"])


@pytest.fixture(scope="module")
def asia():
    return cl.load("asia")


def test_what_the_page_asks_is_answered(asia):
    page = Page(cl.Explorer(asia))
    status, network = page.ask("GET", "/api/network")
    assert status == 200
    assert [node["name"] for node in network["nodes"]] == asia.nodes
    assert network["model"] == "network"
    question = json.dumps({"evidence": {"smoke": "yes"}, "do": {}})
    status, answer = page.ask("POST", "/api/posteriors", "application/json", question)
    lung = asia.nodes.index("lung")
    expected = asia.query("lung", given={"smoke": "yes"}).probabilities
    assert status == 200
    assert dict(zip(asia.states("lung"), answer["posteriors"][lung])) == expected


def test_refusals_carry_their_reason(asia):
    page = Page(cl.Explorer(asia))
    impossible = json.dumps({"evidence": {"either": "no", "lung": "yes"}})
    status, why = page.ask("POST", "/api/posteriors", "application/json", impossible)
    assert status == 422
    assert "cannot happen" in why["error"]
    assert page.ask("GET", "/etc/passwd")[0] == 404
    assert page.ask("GET", "/api/rows/1")[0] == 404
    # What is no request has no answer, and does no harm.
    for strange in [None, 3, "x", {}, {"method": "GET"}]:
        page.explorer._handle_custom_msg(strange, [])
    assert len(page.heard) == 3
    page.explorer._handle_custom_msg({"id": 7, "path": ["/"]}, [])
    assert (page.heard[-1]["id"], page.heard[-1]["status"]) == (7, 400)


def test_rows_to_pick_from(asia):
    rows = asia.sample(20, seed=3)
    page = Page(cl.Explorer(asia, rows))
    assert page.ask("GET", "/api/network")[1]["rows"] == {"name": "table", "count": 20}
    status, row = page.ask("GET", "/api/rows/7")
    assert status == 200
    states = [asia.states(node)[code] for node, code in zip(asia.nodes, row["states"])]
    assert states == [rows[node][6] for node in asia.nodes]


def test_a_run_has_rules(asia):
    run = cl.learn(asia.sample(500, seed=1), seed=1, rounds=1)
    page = Page(cl.Explorer(run))
    network = page.ask("GET", "/api/network")[1]
    assert (network["rules"], network["model"]) == (True, "run.network")
    either = [node["name"] for node in network["nodes"]].index("either")
    assert page.ask("GET", f"/api/node/{either}")[1]["explanation"]["rules"]


def test_traits_are_states_by_name(asia):
    explorer = cl.Explorer(asia, evidence={"smoke": "yes"}, do={"bronc": "no"}, selected="lung", height=420)
    assert (explorer.evidence, explorer.do) == ({"smoke": "yes"}, {"bronc": "no"})
    assert (explorer.selected, explorer.height) == ("lung", 420)
    seen = []
    explorer.observe(seen.append, "evidence")
    explorer.set_state({"evidence": {"xray": "yes"}, "do": {}})  # as the page does
    assert [change["new"] for change in seen] == [{"xray": "yes"}]
    explorer.do = {"xray": "no", "tub": "no"}  # what is said last holds
    assert explorer.evidence == {}
    explorer.evidence = {"xray": "yes"}
    assert explorer.do == {"tub": "no"}
    with pytest.raises(cl.InputError, match="lnug.*lung"):
        explorer.selected = "lnug"
    with pytest.raises(cl.InputError, match="perhaps"):
        explorer.evidence = {"smoke": "perhaps"}
    with pytest.raises(cl.InputError, match="smoek"):
        explorer.do = {"smoek": "yes"}
    assert (explorer.evidence, explorer.selected) == ({"xray": "yes"}, "lung")
    with pytest.raises(cl.InputError, match="'smoke' is in evidence and in do"):
        cl.Explorer(asia, evidence={"smoke": "yes"}, do={"smoke": "yes"})
    with pytest.raises(cl.InputError, match="a run or a network, and no dict"):
        cl.Explorer({})


def test_several_states_and_reports_are_evidence_that_a_query_takes():
    child = cl.load("child")
    first, second, third = child.states("LungParench")[:3]
    explorer = cl.Explorer(child, evidence={"LungParench": {third, first}, "BirthAsphyxia": ["yes"]})
    assert explorer.evidence == {"LungParench": [first, third], "BirthAsphyxia": "yes"}  # in the network's order
    report = {first: 1, second: 0.5, third: 0}
    explorer.set_state({"evidence": {"LungParench": report}})  # as the page does
    assert explorer.evidence == {"LungParench": report}
    by_keyword = child.query("Disease", likely={"LungParench": report}).probabilities
    assert child.query("Disease", given=explorer.evidence).probabilities == by_keyword
    explorer.evidence = {"LungParench": {second: 1, "*": 0.25}}
    assert explorer.evidence == {"LungParench": {first: 0.25, second: 1, third: 0.25}}
    explorer.evidence = {"LungParench": [second, first]}
    page = Page(explorer)
    body = json.dumps({"evidence": explorer.evidence})
    disease = page.ask("POST", "/api/posteriors", "application/json", body)[1]["posteriors"][child.nodes.index("Disease")]
    assert disease == list(child.query("Disease", given=explorer.evidence).probabilities.values())
    for wrong, why in [([], "names no state"), ([first, "x"], "x"), ({first: 1}, "no number"), ({"*": -1}, "no likelihood"), ({"*": "much"}, "a number")]:
        with pytest.raises(cl.InputError, match=why):
            explorer.evidence = {"LungParench": wrong}
    with pytest.raises(cl.InputError):
        explorer.do = {"LungParench": [first, second]}  # nobody can set several states
    assert explorer.evidence == {"LungParench": [first, second]}


def test_values_are_read_as_the_tables_were():
    ages = {"age": [20, 30, 40, 50, 60, 70] * 40, "old": ["no", "no", "no", "yes", "yes", "yes"] * 40}
    network = cl.learn(ages, bins=2, rounds=1, seed=1).network
    explorer = cl.Explorer(network, evidence={"age": 61})
    assert explorer.evidence["age"] in network.states("age")
    by_state = network.query("old", given=explorer.evidence).probabilities
    assert network.query("old", given={"age": 61}).probabilities == by_state


def test_one_module_for_every_notebook():
    module = cl.Explorer._esm
    assert "export default { render };" in module
    assert "\nimport " not in module


def test_pictures_stand_in_where_widgets_cannot(asia):
    data, _ = cl.Explorer(asia)._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    assert data["image/svg+xml"].startswith("<svg")
    assert data["text/plain"] == f"Explorer of {asia!r}"


def told(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout


def test_without_anywidget_it_says_what_to_install():
    program = (
        "import sys; sys.modules['anywidget'] = None\n"
        "import clausality as cl; cl.load('asia')\n"
        "try: cl.Explorer\n"
        "except ImportError as error: print(error)\n"
    )
    assert "pip install 'clausality[widget]'" in told(program)


def test_importing_the_package_imports_no_widget():
    program = "import clausality, sys; print('anywidget' in sys.modules, 'clausality._widget' in sys.modules)"
    assert told(program).split() == ["False", "False"]
