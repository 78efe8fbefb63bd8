"""Structures of other libraries: taken by their names, or refused where they say two things."""

from __future__ import annotations

import igraph
import networkx as nx
import pytest

import clausality as cl

WET = {"rain": ["yes", "no"] * 60, "wet": ["yes", "no"] * 60}


def test_pyagrum_by_names(asia):
    gum = pytest.importorskip("pyagrum")
    assert cl.compare(asia, asia.to_pyagrum()).shd == 0
    assert cl.fit(gum.fastBN("rain->wet"), WET).arcs == [("rain", "wet")]


def test_igraph(asia):
    assert cl.compare(asia, asia.to_igraph()).shd == 0
    with pytest.raises(cl.InputError, match="have no direction"):
        cl.fit(igraph.Graph([(0, 1)]), WET)


def test_undirected_graphs_are_refused():
    with pytest.raises(cl.InputError, match="have no direction"):
        cl.fit(nx.Graph([("rain", "wet")]), WET)
    with pytest.raises(cl.InputError, match="have no direction"):
        cl.Network.from_networkx(nx.Graph([("rain", "wet")]))


def test_edges_and_parents_that_disagree(asia):
    graph = asia.to_networkx()
    graph.remove_edge("smoke", "lung")
    with pytest.raises(cl.InputError, match=r"node 'lung': its edges come from \[\], but its 'parents' are \['smoke'\]"):
        cl.Network.from_networkx(graph)
    with pytest.raises(cl.InputError, match="its edges come from"):
        cl.Network.from_networkx(nx.relabel_nodes(asia.to_networkx(), {"smoke": "smoker"}))
    graph = asia.to_igraph()
    graph.delete_edges([(asia.nodes.index("smoke"), asia.nodes.index("lung"))])
    with pytest.raises(cl.InputError, match="node 'lung': its edges come from"):
        cl.Network.from_igraph(graph)


def test_pgmpy_without_probabilities():
    models = pytest.importorskip("pgmpy.models")
    with pytest.raises(cl.InputError, match="node 'rain' has no CPD"):
        cl.Network.from_pgmpy(models.DiscreteBayesianNetwork([("rain", "wet")]))


@pytest.mark.parametrize("wrong", [3, None, {"a": "b"}, [("a", "b", "c")], ["a"], [3]])
def test_what_is_no_structure(asia, wrong):
    with pytest.raises(cl.InputError, match="the structure is .*, but expected a network, a path, a graph"):
        cl.compare(asia, wrong)


@pytest.mark.parametrize("arrow", [">", "->", " -> ", "→"])
def test_arcs_as_texts(arrow):
    assert cl.fit([f"rain{arrow}wet"], WET).arcs == [("rain", "wet")]
