"""From a table to columns, strengths and networks."""

from __future__ import annotations

import json
import os
from typing import Any, Literal, overload

from clausality import _arguments
from clausality import _clausality as core
from clausality._documents import Comparison, Evaluation, Inspection
from clausality._engines import engine as _engine
from clausality._files import write_whole
from clausality._filled import cells_of_table
from clausality._frames import of_records
from clausality._levels import keeping_levels
from clausality._network import Network, structure_of
from clausality._progress import Progress
from clausality._run import STRENGTHS, DynamicRun, Run, run_of_table, strength_rows
from clausality._settings import ARCS, MACHINES, PRIOR, READING, TARGET, TIME, chosen, everywhere_json, takes_settings, to_json
from clausality._tables import table as _table
from clausality._time import in_order
from clausality._warnings import warn


@overload
def learn(table: Any, *, time: str, **how: Any) -> DynamicRun: ...


@overload
def learn(table: Any, *, time: Literal[False], **how: Any) -> Run: ...


@overload
def learn(
    table: Any,
    *,
    name: str | None = None,
    top: int | None = None,
    config: Any = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: bool | None = None,
    run: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    engine: str | None = None,
    client: Any = None,
    **settings: Any,
) -> Run: ...


@takes_settings()
def learn(
    table: Any,
    *,
    name: str | None = None,
    top: int | None = None,
    config: Any = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: bool | None = None,
    run: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    engine: str | None = None,
    client: Any = None,
    **settings: Any,
) -> Run:
    """Learns a Bayesian network from a table.

    :param table: a pandas, polars or pyarrow frame, anything with ``__arrow_c_stream__``, a NumPy array, a dict of columns, a path (a file, a
        folder, a pattern), a list of paths, or a frame of Dask.
    :param name: what the table is called in results and messages; a path is its own name.
    :param top: how many features of a node the run lists (10).
    :param config: settings from a TOML file or a dict; keyword arguments come first.
    :param threads: threads to work with; never changes a result.
    :param memory_limit: refuse work that needs more bytes than this, such as ``"4G"``.
    :param progress: whether to show a bar; by default where somebody would see it.
    :param run: write everything into this folder, as ``clausality learn --run`` does. What is finished is kept beside it meanwhile: after an
        interruption the same call goes on where it stopped, to the same bytes.
    :param fresh: start anew in that folder, whatever was finished before.
    :param engine: who trains machines and learns again for ``bootstrap``: ``"threads"`` of this process, or ``"joblib"`` with the backend of
        ``joblib.parallel_config`` (processes, Spark), ``"dask"`` with a cluster of Dask, or ``"ray"``. It never changes a result.
        Workers of Dask also code and count the files of a table with more rows than ``rows_held``.
    :param client: a ``distributed.Client`` whose cluster is the engine; with ``engine="dask"`` alone the one that is there.
    :param settings: the options of ``clausality learn`` under their names: ``target``, ``parameters``, ``unobserved``, ``require``,
        ``forbid``, ``tiers``, ``max_parents``, ``bootstrap``, ``bins``, ``type``, ``levels``, ``missing``, ``seed`` and so on. With ``time``, the column
        that puts the rows in order, a network over time comes back (:class:`DynamicRun`): ``entity``, ``lags``, ``step``, ``holes``, ``static``, ``instant``. A
        pandas MultiIndex of entities and dates is taken as it is, unless ``target`` or ``row_weights`` are given; ``time=False`` leaves any index out.

    >>> import clausality as cl
    >>> rows = cl.load("asia").sample(1000, seed=1)
    >>> run = cl.learn(rows, parameters=["smoke"], forbid=[("xray", "dysp")], seed=1)
    >>> run.network.nodes[:3]
    ['asia', 'tub', 'smoke']
    """
    table, settings, advised = in_order(table, settings, config)
    given = _table(table, name)
    how = chosen("learn", keeping_levels(table, settings, config), config, threads, memory_limit, top)
    if fresh and run is None:
        raise core.InputError("fresh starts a run folder anew: name it with run")
    run = None if run is None else _arguments.path("run", run)
    with advised, Progress(progress) as tell:
        found = core.learn(given.source, given.name, how.settings, how.everywhere, how.top, tell, run, fresh, _engine(engine, client))
        learned = run_of_table(found, given.kind, table)
    warn(_given_away(learned.twins))
    return learned


def _given_away(twins: list[dict[str, Any]]) -> list[str]:
    """What is said of columns that tell what is to be inferred: a function may be what one wants to learn; a copy, or a column that is filled for
    one answer only, hardly ever is."""
    return [_gives_away(twin) for twin in twins if twin["answer"] and twin["relation"] in ("copy", "near-copy", "presence")]


def _gives_away(twin: dict[str, Any]) -> str:
    """That a column tells what is to be inferred, which nobody could know in time.

    >>> _gives_away({"name": "Complain", "of": ["Exited"], "relation": "near-copy", "agree": 9986, "rows": 10000, "leave_out": "Complain"})
    "'Complain' gives 'Exited' away (9,986 of 10,000 rows agree): leave it out? type={'Complain': 'ignore'}"
    """
    if twin.get("filled"):
        most, least = ({**state, "share": state["filled"] / max(1, state["rows"])} for state in twin["filled"])
        how = f"it has a value in {most['share']:.0%} of the rows where that is {most['state']}, in {least['share']:.0%} where it is {least['state']}"
    else:
        judged = "rows that have both" if twin.get("among") else "rows"
        how = f"{twin['agree']:,} of {twin['rows']:,} {judged} agree"
    of = ", ".join(f"'{name}'" for name in twin["of"])
    return f"'{twin['name']}' gives {of} away ({how}): leave it out? type={{'{twin['leave_out']}': 'ignore'}}"


@takes_settings(*ARCS, *TARGET, *PRIOR)
def strengths(
    table: Any,
    *,
    name: str | None = None,
    config: Any = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: bool | None = None,
    engine: str | None = None,
    client: Any = None,
    **settings: Any,
) -> Any:
    """How much each column says about each other: a frame with a row for every pair, as in ``strengths.csv``.

    Arguments as for :func:`learn`.

    >>> import clausality as cl
    >>> found = cl.strengths(cl.load("asia").sample(1000, seed=1))
    >>> found.columns[:5]
    ['target', 'feature', 'rank', 'strength', 'share']
    """
    table, settings, advised = in_order(table, settings, config)
    given = _table(table, name)
    how = chosen("strengths", keeping_levels(table, settings, config), config, threads, memory_limit)
    with advised, Progress(progress) as tell:
        found = json.loads(core.strengths(given.source, given.name, how.settings, how.everywhere, tell, _engine(engine, client)))
    return of_records(strength_rows(found["targets"]), STRENGTHS, given.kind)


@takes_settings(*MACHINES, *ARCS, *TARGET, *PRIOR)
def inspect(
    table: Any,
    *,
    name: str | None = None,
    config: Any = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    **settings: Any,
) -> Inspection:
    """What each column of a table is, what would become of it, and what its gaps say.

    Arguments as for :func:`learn`.

    >>> import clausality as cl
    >>> about = cl.inspect({"age": [20 + 7 * i % 60 for i in range(180)], "smoker": ["yes", "no", "no"] * 60})
    >>> about.columns["kind"]
    ['numeric', 'categorical']
    >>> about.coded["age"][2:4]
    ['<= 35', '36 to 50']
    """
    table, settings, advised = in_order(table, settings, config)
    given = _table(table, name)
    how = chosen("inspect", keeping_levels(table, settings, config), config, threads, memory_limit)
    with advised:
        found, coded, coding = core.inspect(given.source, given.name, how.settings, how.everywhere)
    return Inspection(json.loads(found), coded, coding, given.kind)


@takes_settings(*(keyword for keyword in TIME if keyword != "entity"))
def evaluate(
    table: Any,
    target: str | list[str],
    *,
    name: str | None = None,
    config: Any = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: bool | None = None,
    **settings: Any,
) -> Evaluation:
    """How well columns can be predicted: by the network, by the machines, by both; by cross-validation of everything that is learned.

    Arguments as for :func:`learn`; ``folds`` (10) and ``repeats`` (1) say how. Where people or things have several rows each, ``entity`` names the column
    that says whose they are: rows of one stay in one fold.

    >>> import clausality as cl
    >>> found = cl.evaluate(cl.load("asia").sample(500, seed=1), "bronc", folds=3)
    >>> found.winner in ("network", "machines", "both")
    True
    """
    given = _table(table, name)
    how = chosen("evaluate", {"target": target, **keeping_levels(table, settings, config)}, config, threads, memory_limit)
    with Progress(progress) as tell:
        found = json.loads(core.evaluate(given.source, given.name, how.settings, how.everywhere, tell))
    warn(_given_away(found.get("twins", [])))
    return Evaluation(found, given.kind)


@takes_settings(*MACHINES, *ARCS, *TARGET, *TIME)
def fit(
    structure: Any,
    table: Any,
    *,
    name: str | None = None,
    config: Any = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    **settings: Any,
) -> Network:
    """The probabilities of a structure that you have, from a table.

    :param structure: a :class:`Network` (its states are kept), a path (a network, ``.dot``, or ``.csv`` with parent and child), a list of
        arcs, or a networkx graph (then the table is cut into states like any other).
    :param table: a frame, or a path: a file, a folder, a pattern, a list of files. Of files rows are counted as they are read, however many there are.
    :param settings: the options of ``clausality fit``: how the table is read, ``prior`` and ``prior_weight``.

    >>> import clausality as cl
    >>> rows = {"rain": ["yes", "no", "no", "no"] * 50, "wet": ["yes", "no", "no", "yes"] * 50}
    >>> cl.fit([("rain", "wet")], rows).query("wet", given={"rain": "yes"}).most_likely
    'yes'
    """
    given = _table(table, name)
    how = chosen("fit", keeping_levels(table, settings, config), config, threads, memory_limit)
    network, document, warnings = core.fit(
        structure_of(structure), given.source, given.name, how.settings, how.everywhere
    )
    warn(warnings)
    cells = cells_of_table(table, network, json.loads(network.schema_json())["nodes"])
    fitted = Network(network, given.kind, cells=cells)
    fitted.fitted = json.loads(document)
    return fitted


def compare(truth: Any, learned: Any) -> Comparison:
    """How near a learned network is to the true one: kernels, precision and recall, SHD, SID.

    Both are networks, runs, paths, lists of arcs or networkx graphs.

    >>> import clausality as cl
    >>> asia = cl.load("asia")
    >>> cl.compare(asia, asia).shd
    0
    """
    return Comparison(json.loads(core.compare(structure_of(truth), structure_of(learned))))


def check(model: Any, *, format: str | None = None) -> dict[str, Any]:
    """Reads and validates a network or graph, and says what it is.

    >>> import clausality as cl
    >>> cl.check("@asia")["parameters"]
    18
    """
    return json.loads(core.check(structure_of(model), format))


def convert(model: Any, *outputs: str | os.PathLike[str], format: str | None = None, source_format: str | None = None) -> None:
    """Writes a network or graph in other formats, by the endings of the files.

    :param format: write in this format, whatever the endings.
    :param source_format: read a file in this format, whatever its ending.

    >>> import clausality as cl, tempfile, os
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cl.convert("@asia", os.path.join(folder, "asia.net"))
    ...     cl.read(os.path.join(folder, "asia.net")).nodes == cl.load("asia").nodes
    True
    """
    structure = structure_of(model)
    made = [(path, core.converted(structure, _arguments.path("outputs", path), source_format, format)) for path in outputs]
    for path, content in made:
        write_whole(path, content)


@takes_settings(*READING, *TARGET, *PRIOR, *TIME)
def demo(
    network: str = "insurance",
    *,
    rows: int = 5000,
    top: int | None = None,
    config: Any = None,
    threads: int | None = None,
    memory_limit: int | str | None = None,
    progress: bool | None = None,
    **settings: Any,
) -> Run:
    """Samples an embedded network and learns it back, the truth beside it: ``run.truth`` says how near it comes.

    >>> import clausality as cl
    >>> cl.demo("asia", rows=1000).truth["skeleton"]["recall"] > 0.5
    True
    """
    network, rows = _arguments.text("network", network), _arguments.whole("rows", rows)
    if not 20 <= rows <= 100_000_000:
        raise core.InputError(f"rows is {rows}; it must be between 20 and 100000000")
    how = chosen("demo", settings, config, threads, memory_limit, top)
    with Progress(progress) as tell:
        return Run(core.learn_sample(network, rows, how.settings, how.everywhere, how.top, tell))


def validate(
    *,
    networks: list[str] | None = None,
    models: list[str] | None = None,
    repeats: int | None = None,
    rows: int | None = None,
    rounds: int | None = None,
    null_rounds: int | None = None,
    epochs: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    progress: bool | None = None,
) -> dict[str, Any]:
    """Repeats the paper's validation: known networks sampled and learned back, the published figures beside. It takes minutes.

    >>> import clausality as cl
    >>> found = cl.validate(networks=["asia"], models=["I"], repeats=1, rows=200, rounds=1, epochs=1)
    >>> sorted(found)
    ['networks', 'params', 'top_features', 'version']
    """
    given = dict(
        networks=networks and [name.removeprefix("@") for name in _arguments.names("networks", networks)],
        models=models and _arguments.names("models", models),
    )
    numbers = dict(repeats=repeats, rows=rows, rounds=rounds, epochs=epochs, seed=seed, null_rounds=null_rounds)
    params = {name: value for name, value in given.items() if value is not None}
    for name, value in numbers.items():
        if value is not None:
            params[name.replace("_", "-")] = _arguments.whole(name, value)
    with Progress(progress) as tell:
        return json.loads(core.validate(to_json(params), everywhere_json(threads, None), tell))
