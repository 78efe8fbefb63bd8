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
        _fill(model.cpt(node["name"]), node["parents"], [len(network.states(parent)) for parent in node["parents"]], node["rows"])
    return model


def _fill(cpt: Any, parents: list[str], sizes: list[int], rows: list[list[float]]) -> None:
    """A table of pyAgrum: a row for each configuration of the parents, the last varying fastest."""
    for number, row in enumerate(rows):
        places = {}
        for parent, size in zip(reversed(parents), reversed(sizes)):
            number, places[parent] = divmod(number, size)
        cpt[places] = row


def to_ktbn(network: Any) -> Any:
    """The slices before the last are the start, the last is the transition."""
    gum = _pyagrum()
    try:
        from pyagrum.ktbn import KTBN
    except ImportError:
        raise ImportError("pyAgrum has networks over time from 3.3 on: pip install -U pyagrum, or take network.unroll(STEPS).to_pyagrum()") from None
    document, last = network.document, network.lags
    model = KTBN(last + 1)
    for name in network.statics:
        model.addAtemporal(gum.LabelizedVariable(name, name, network.states(name)))
    for name in network.nodes:
        model.addTemporal(gum.LabelizedVariable(name, name, network.states(name)))

    def called(name: str, now: int) -> str:
        """``Rain[1]``, as pyAgrum names the slices; what has no slice keeps its name."""
        if name in network.statics:
            return name
        process, _, step = (name, "", "0") if name in network.nodes else name.rpartition("@")
        return f"{process}[{now + int(step)}]"

    slices = [(0, node) for node in document["start"]] + [(last, node) for node in document["transition"]]
    for now, node in slices:
        for parent in node.get("parents", []):
            model.addArc(called(parent, now), called(node["name"], now))
    for now, node in slices:
        parents = node.get("parents", [])
        sizes = [len(network.states(parent)) for parent in parents]
        _fill(model.cpt(called(node["name"], now)), [called(parent, now) for parent in parents], sizes, node["rows"])
    return model


def to_tigramite(network: Any) -> dict[str, Any]:
    """A graph as tigramite has it: ``graph[i, j, lag]`` is the mark between i, so many steps ago, and j."""
    import numpy

    names = network.nodes
    graph = numpy.full((len(names), len(names), network.lags + 1), "", dtype="<U3")
    for parent, child in network.arcs:
        name, _, step = (parent, "", "0") if parent in names else parent.rpartition("@")
        if name not in names:
            continue  # a static
        graph[names.index(name), names.index(child), -int(step)] = "-->"
        if step == "0":
            graph[names.index(child), names.index(name), 0] = "<--"
    return {"graph": graph, "val_matrix": None, "var_names": names}


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
