"""Networks for other libraries, and back. A network goes through its document: names, states, parents and rows of probabilities."""

from __future__ import annotations

from typing import Any, Iterable

from clausality._clausality import InputError


def _document(name: str, nodes: Iterable[tuple[str, list[str], list[str], list[list[float]]]]) -> dict[str, Any]:
    made = [
        {"name": node, "states": states, "parents": parents, "rows": rows} for node, states, parents, rows in nodes
    ]
    return {"name": name or "network", "nodes": made}


def _nodes(network: Any) -> Iterable[dict[str, Any]]:
    return network.document["nodes"]


def to_networkx(network: Any) -> Any:
    import networkx

    graph = networkx.DiGraph(name=network.name)
    for node in _nodes(network):
        graph.add_node(node["name"], states=node["states"], parents=node["parents"], cpt=node["rows"], **_more(node))
    graph.add_edges_from(network.arcs)
    return graph


def _more(node: dict[str, Any]) -> dict[str, Any]:
    """What only some nodes say."""
    return {key: node[key] for key in ("scale", "missing_state") if key in node}


def graph(given: Any) -> tuple[list[str], list[tuple[str, str]]] | None:
    """The nodes and arcs of a graph or model of another library; nothing if it is none."""
    if hasattr(given, "variable") and hasattr(given, "arcs") and hasattr(given, "nodes"):  # pyAgrum: nodes are numbers, variables have names
        names = {node: given.variable(node).name() for node in sorted(given.nodes())}
        return list(names.values()), sorted((names[parent], names[child]) for parent, child in given.arcs())
    if hasattr(given, "vs") and hasattr(given, "get_edgelist"):  # igraph
        _refuse_undirected(given)
        names = given.vs["name"] if "name" in given.vs.attributes() else range(given.vcount())
        return [str(name) for name in names], [(str(names[parent]), str(names[child])) for parent, child in given.get_edgelist()]
    if hasattr(given, "nodes") and hasattr(given, "edges"):  # a graph of networkx, a model of pgmpy
        _refuse_undirected(given)
        nodes = given.nodes() if callable(given.nodes) else given.nodes
        edges = given.edges() if callable(given.edges) else given.edges
        return [str(node) for node in nodes], [(str(parent), str(child)) for parent, child in edges]
    return None


def _refuse_undirected(graph: Any) -> None:
    if hasattr(graph, "is_directed") and not graph.is_directed():
        raise InputError("the edges of this graph have no direction, those of a network do: say which end is the parent, as a DiGraph or a list of arcs")


def _agree(name: Any, edges: Iterable[Any], parents: list[Any]) -> None:
    """The rows of a probability table belong to the listed parents: arcs that were changed alone would be lost."""
    ends, listed = sorted(map(str, edges)), sorted(map(str, parents))
    if ends != listed:
        raise InputError(
            f"node '{name}': its edges come from {ends}, but its 'parents' are {listed}: change 'parents' and 'cpt' with the edges, "
            "or give the graph new probabilities with fit(graph, table)"
        )


def from_networkx(graph: Any) -> dict[str, Any]:
    nodes = []
    _refuse_undirected(graph)
    for name, about in graph.nodes(data=True):
        _needs(name, about)
        _agree(name, graph.predecessors(name), about["parents"])
        nodes.append({"name": str(name), "states": about["states"], "parents": about["parents"], "rows": about["cpt"], **_more(about)})
    return {"name": graph.name or "network", "nodes": nodes}


def _needs(name: Any, about: Any) -> None:
    if not all(key in about for key in ("states", "parents", "cpt")):
        raise InputError(f"node '{name}' has no states, parents and cpt: give the graph its probabilities with fit(graph, table)")


def to_igraph(network: Any) -> Any:
    import igraph

    graph = igraph.Graph(directed=True)
    graph["name"] = network.name
    for node in _nodes(network):
        graph.add_vertex(node["name"], states=node["states"], parents=node["parents"], cpt=node["rows"], about=_more(node))
    graph.add_edges(network.arcs)
    return graph


def from_igraph(graph: Any) -> dict[str, Any]:
    nodes = []
    for vertex in graph.vs:
        about = vertex.attributes()
        _needs(about.get("name", vertex.index), about)
        _agree(about["name"], [graph.vs[k]["name"] for k in graph.predecessors(vertex.index)], about["parents"])
        more = about.get("about") or {}
        nodes.append({"name": about["name"], "states": about["states"], "parents": about["parents"], "rows": about["cpt"], **more})
    name = graph["name"] if "name" in graph.attributes() else "network"
    return {"name": name, "nodes": nodes}


def to_pgmpy(network: Any) -> Any:
    from pgmpy.factors.discrete import TabularCPD

    try:
        from pgmpy.models import DiscreteBayesianNetwork
    except ImportError:  # before 1.0
        from pgmpy.models import BayesianNetwork as DiscreteBayesianNetwork

    model = DiscreteBayesianNetwork(network.arcs)
    model.add_nodes_from(network.nodes)
    for node in _nodes(network):
        name, parents = node["name"], node["parents"]
        names = {each: network.states(each) for each in [name, *parents]}
        model.add_cpds(
            TabularCPD(
                name,
                len(node["states"]),
                [list(column) for column in zip(*node["rows"])],
                evidence=parents or None,
                evidence_card=[len(names[parent]) for parent in parents] or None,
                state_names=names,
            )
        )
    model.name = network.name
    return model


def from_pgmpy(model: Any) -> dict[str, Any]:
    nodes = []
    for name in model.nodes():
        cpd = model.get_cpds(name)
        if cpd is None:
            raise InputError(f"node '{name}' has no CPD: give the model its probabilities, or take fit(model, table)")
        parents = list(cpd.variables[1:])
        rows = cpd.get_values().T.tolist()
        nodes.append((str(name), [str(state) for state in cpd.state_names[name]], [str(p) for p in parents], rows))
    return _document(getattr(model, "name", None) or "network", nodes)


def _pyagrum() -> Any:
    try:
        import pyagrum
    except ImportError:  # before 2.0
        import pyAgrum as pyagrum
    return pyagrum


def to_pyagrum(network: Any) -> Any:
    gum = _pyagrum()
    model = gum.BayesNet(network.name)
    for node in network.nodes:
        model.add(gum.LabelizedVariable(node, node, network.states(node)))
    for parent, child in network.arcs:
        model.addArc(parent, child)
    for node in _nodes(network):
        cpt, parents = model.cpt(node["name"]), node["parents"]
        sizes = [len(network.states(parent)) for parent in parents]
        for number, row in enumerate(node["rows"]):
            places = {}
            for parent, size in zip(reversed(parents), reversed(sizes)):
                number, places[parent] = divmod(number, size)
            cpt[places] = row
    return model


def from_pyagrum(model: Any) -> dict[str, Any]:
    from itertools import product

    nodes = []
    for place in sorted(model.nodes()):
        variable = model.variable(place)
        name, states = variable.name(), list(variable.labels())
        parents = [model.variable(parent).name() for parent in sorted(model.parents(place))]
        cpt = model.cpt(place)
        sizes = [range(model.variable(parent).domainSize()) for parent in parents]
        rows = [[float(p) for p in cpt[dict(zip(parents, places))]] for places in product(*sizes)] if parents else [cpt.tolist()]
        nodes.append((name, states, parents, rows))
    return _document(model.propertyWithDefault("name", "network"), nodes)
