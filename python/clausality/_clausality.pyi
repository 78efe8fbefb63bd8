# Written by scripts/stubs from the compiled core: change that, not this.

"""
The module `clausality._clausality`.
"""

import builtins
from _typeshed import SupportsGetItem
from os import PathLike
from typing import Any, SupportsFloat, SupportsIndex, final
from typing_extensions import CapsuleType

@final
class Columns:
    """
    Columns of one length.
    """
    def __arrow_c_stream__(self, /, requested_schema: Any | None = None) -> CapsuleType:
        """
        The columns as a stream of Arrow's C interface.
        """
    def __len__(self, /) -> int: ...
    def column(self, /, place: SupportsIndex) -> tuple[Any, ...]:
        """
        A column in the form in which pieces of tables come in; of labels also whether they stand in an order.
        """
    def names(self, /) -> list[str]:
        """
        The names of the columns.
        """
    @staticmethod
    def of(names: SupportsGetItem[int, str], rows: SupportsIndex, columns: list[Any]) -> Columns:
        """
        Columns of Python's, in the form in which pieces of tables come in.
        """
    @staticmethod
    def restored(names: SupportsGetItem[int, str], rows: SupportsIndex, columns: list[Any]) -> Columns:
        """
        Columns as [`Columns::column`] gave them: what was pickled.
        """

@final
class DynamicNetwork:
    """
    A network over time.
    """
    def __eq__(self, other: object, /) -> bool: ...
    def around(self, /, steps: SupportsIndex, everywhere: str) -> Network:
        """
        The steps around now, as far as so many ahead, as an ordinary network: `Rain@-1`, `Rain@0`, `Rain@1`.
        """
    def bytes(self, /, path: str | PathLike[str], format_name: str | None = None) -> builtins.bytes:
        """
        The bytes of a file, its format by its ending or by its name.
        """
    def coding_json(self, /) -> str | None:
        """
        How the columns of a table become the states, as JSON text; nothing if the network does not keep it.
        """
    def forecast(self, /, table: Any, name: str, horizon: SupportsIndex, targets: SupportsGetItem[int, str] | None, samples: tuple[SupportsIndex, SupportsIndex] | None, order: str, reading: str, everywhere: str, tell: Any | None) -> tuple[Columns, bool, list[str]]:
        """
        What comes after the last row of every series: the columns of the file of `clausality forecast`, whether its times are what clocks on the
        wall show (else they are instants), and what deserves to be said of the rows.
        """
    @staticmethod
    def from_json(bytes: builtins.bytes, source: str) -> DynamicNetwork:
        """
        The network of a `network.json`.
        """
    def insight(self, /, question: str, asks: str, everywhere: str, rows: tuple[Any, str] | None = None, entity: str | None = None, reading: str = "{}") -> tuple[str, list[str]]:
        """
        The same with what helps to decide: what to ask next, why, and so on.
        """
    def json(self, /) -> builtins.bytes:
        """
        `network.json`.
        """
    def query(self, /, question: str, everywhere: str, rows: tuple[Any, str] | None = None, entity: str | None = None, reading: str = "{}") -> tuple[str, list[str]]:
        """
        The answer to a question about steps around now, as the JSON document of `clausality query`, and what deserves to be said of it. With rows (a
        table and its name) now is the last row of a series, that of the `entity` if there are several.
        """
    def sample(self, /, steps: SupportsIndex, series: SupportsIndex, seed: SupportsIndex) -> Columns:
        """
        Series drawn from the network, below each other; the first two columns number the series (from 1) and their steps (from 0).
        """
    def schema_json(self, /) -> str:
        """
        Name, how far it looks back, statics and processes with states, and the arcs into now, as JSON text.
        """
    def svg(self, /) -> str:
        """
        A picture: a whole SVG file.
        """
    def unroll(self, /, steps: SupportsIndex, everywhere: str) -> Network:
        """
        The first steps as an ordinary network.
        """

@final
class Explorer:
    """
    A network that a page asks.
    """
    def answer(self, /, method: str, path: str, kind: str, body: str) -> tuple[int, str]:
        """
        The answer to a request of the page: its status and its text.
        """
    @staticmethod
    def module() -> str:
        """
        The page: one ES module.
        """
    @staticmethod
    def of(network: Network, run: Run | None, argument: str, rows: tuple[Any, str] | None, everywhere: str, over_time: bool = False) -> tuple[Explorer, list[str]]:
        """
        `argument` is how the page names the network in questions to copy. With a run there are rules and strengths, with rows (a table and its
        name) evidence to pick from. The nodes may be steps of a network over time. Also what deserves to be said of the rows.
        """
    def report(self, /, node: str, weights: SupportsGetItem[int, tuple[str, SupportsFloat | SupportsIndex]]) -> list[tuple[str, float]]:
        """
        A report about a node: the number of each of its states, in their order.
        """
    def states(self, /, given: SupportsGetItem[int, tuple[str, str]]) -> list[tuple[str, str]]:
        """
        The states that nodes are in by these states or values: `51` is read as the table's ages were.
        """

@final
class Network:
    """
    A network.
    """
    def __eq__(self, other: object, /) -> bool: ...
    def ancestors(self, /, node: str) -> list[str]:
        """
        The names of the nodes from which arrows lead to one, in the network's order.
        """
    def bytes(self, /, path: str | PathLike[str], format_name: str | None = None) -> builtins.bytes:
        """
        The bytes of a file, its format by its ending or by its name.
        """
    def coding_json(self, /) -> str | None:
        """
        How the columns of a table become the states, as JSON text; nothing if the network does not keep it.
        """
    def cpt(self, /, node: str) -> list[list[float]]:
        """
        The probability table of a node: a row for each configuration of its parents, the last parent varying fastest.
        """
    def descendants(self, /, node: str) -> list[str]:
        """
        The names of the nodes to which arrows lead from one.
        """
    @staticmethod
    def from_json(bytes: builtins.bytes, source: str) -> Network:
        """
        The network of a `network.json`.
        """
    def independent(self, /, nodes: SupportsGetItem[int, str], others: SupportsGetItem[int, str], given: SupportsGetItem[int, str]) -> bool:
        """
        Whether the graph says that some nodes are independent of others, given still others.
        """
    def insight(self, /, question: str, asks: str, everywhere: str) -> tuple[str, list[str]]:
        """
        The same with what helps to decide: what to ask next, why, and so on.
        """
    def json(self, /) -> builtins.bytes:
        """
        `network.json`.
        """
    def markov_blanket(self, /, node: str) -> list[str]:
        """
        The names of the parents, the children and the children's other parents of a node.
        """
    def predicted(self, /) -> list[str]:
        """
        The columns that machines were trained to predict.
        """
    def query(self, /, question: str, everywhere: str) -> tuple[str, list[str]]:
        """
        The answer to a question, as the JSON document of `clausality query`, and what deserves to be said of it.
        """
    @staticmethod
    def read(argument: str | PathLike[str], everywhere: str, format_name: str | None = None) -> Network:
        """
        Reads a network from wherever the argument says: a file, a run folder, `@asia`.
        """
    def sample(self, /, rows: SupportsIndex, seed: SupportsIndex) -> Columns:
        """
        Rows drawn from the network.
        """
    def schema_json(self, /) -> str:
        """
        Name, nodes with states and parents, as JSON text.
        """
    def svg(self, /) -> str:
        """
        A picture: a whole SVG file.
        """
    def topological_order(self, /) -> list[str]:
        """
        The names of all nodes, parents before their children.
        """

@final
class Part:
    """
    The rows of some files of a table, from the one at `first` to the one before `last`, coded by a recipe onto a disk: in `folder`, or among the
    system's temporary files.
    """
    def __new__(cls, /, recipe: str, first: SupportsIndex, last: SupportsIndex, folder: str | PathLike[str] | None = None) -> Part: ...
    def answer(self, /, question: str) -> str:
        """
        What its rows say to a question, on one thread.
        """

@final
class Run:
    """
    A run: `run.json`, `clauses.json`, the network, and the consensus network if there is one.
    """
    def __eq__(self, other: object, /) -> bool: ...
    def arcs_json(self, /) -> str:
        """
        The arcs with all that `edges.csv` says of them, as JSON text.
        """
    def clauses_json(self, /) -> str:
        """
        `clauses.json` as text.
        """
    def consensus(self, /) -> Network | None:
        """
        The consensus network, if the learning was repeated.
        """
    def explain_arc(self, /, arc: str) -> str:
        """
        Why an arc is there or not, as JSON text; the arc is written `P>C`.
        """
    def explain_node(self, /, node: str) -> str:
        """
        Why a node is predicted, as JSON text.
        """
    def files(self, /) -> list[tuple[str, bytes]]:
        """
        The files of its folder: names and bytes.
        """
    @staticmethod
    def from_documents(run: str, clauses: str, network: Network | DynamicNetwork, consensus: Network | None = None) -> Run:
        """
        A run of its documents: `run.json`, `clauses.json`, `network.json` and `consensus.json` if there is one.
        """
    def network(self, /) -> Network | DynamicNetwork:
        """
        The network.
        """
    @staticmethod
    def read(folder: str | PathLike[str], everywhere: str) -> Run:
        """
        Reads a run folder.
        """
    def report(self, /, truth: Any | None = None) -> str:
        """
        The page about it, beside a true network or graph if one is given.
        """
    def run_json(self, /) -> str:
        """
        `run.json` as text.
        """
    def svg(self, /) -> str:
        """
        A picture with what was learned: a whole SVG file.
        """

def check(structure: Any, format_name: str | None = None) -> str:
    """
    What a network or graph is, as the JSON document of `clausality check`.
    """

def code(table: Any, name: str, coding: str, everywhere: str) -> tuple[Columns, str]:
    """
    Rows of a table under a coding that [`crate::learning::inspect`] or a network gave, with how many cells of each column it does not know.
    """

def code_rows(network: Network, table: Any, name: str, reading: str, everywhere: str) -> tuple[Columns, list[str]]:
    """
    The rows of a table under the states of the network, and what deserves attention. Nodes without a column are gaps.
    """

def compare(truth: Any, learned: Any) -> str:
    """
    How near a graph is to the true one, as the JSON document of `clausality compare`.
    """

def configured(path: str | PathLike[str], settings: str) -> tuple[str, int | None, Any | None, int | None]:
    """
    The settings of a configuration file with these over them, as JSON text; threads, the memory limit and the features to list, if it says
    anything of those.
    """

def converted(structure: Any, path: str | PathLike[str], from_name: str | None = None, format_name: str | None = None) -> builtins.bytes:
    """
    The bytes of a file for a network or graph, in the format of its ending or in the one that is named.
    """

def evaluate(table: Any, name: str, settings: str, everywhere: str, tell: Any | None) -> str:
    """
    How well columns can be predicted, as the JSON document of `clausality evaluate`.
    """

def fit(structure: Any, table: Any, name: str, settings: str, everywhere: str) -> tuple[Network, str, list[str]]:
    """
    The probabilities of a structure from a table: the network, the document of `clausality fit`, what deserves attention.
    """

def impute(network: Network, table: Any, name: str, filling: str, as_text: bool, reading: str, everywhere: str) -> tuple[str, bytes | None, list[tuple[str, list[int], list[list[str | None]]]], list[str]]:
    """
    Fills the gaps of a table: the document of `clausality impute`, the text of the filled table if that is asked for, else what goes
    into which gap; and what deserves attention.
    """

def inspect(table: Any, name: str, settings: str, everywhere: str) -> tuple[str, Columns, str]:
    """
    What each column is, as the JSON document of `clausality inspect`; the coded table, and how it was coded (as JSON text).
    """

def learn(table: Any, name: str, settings: str, everywhere: str, top: SupportsIndex, tell: Any | None, run: str | PathLike[str] | None = None, fresh: bool = False, engine: Any | None = None) -> Run:
    """
    A network from a table, and everything behind it. `top` is how many features of a node the run lists; `run` the folder that it is
    written to, in which an interrupted call goes on unless it is to start `fresh`; `engine` has tasks and repetitions made elsewhere, and
    all rows of a table counted that has more than are held.
    """

def learn_sample(network: str, rows: SupportsIndex, settings: str, everywhere: str, top: SupportsIndex, tell: Any | None) -> Run:
    """
    A sample of an embedded network learned back, the truth beside it: what `clausality demo` does with one profile.
    """

def look(recipe: str, first: SupportsIndex, last: SupportsIndex) -> builtins.bytes:
    """
    What a first look at some files of a table shows, from the one at `first` to the one before `last`, on one thread.
    """

def marks() -> list[str]:
    """
    What stands for a missing value where nothing else is said, beside an empty cell.
    """

def networks() -> str:
    """
    The embedded networks, as the JSON document of `clausality networks`.
    """

def pieces(parcel: builtins.bytes | bytearray, names: SupportsGetItem[int, str]) -> list[str]:
    """
    Pieces of work that somebody else sent, in the order of their names, on one thread: whoever sends them has others for the other cores.
    """

def predict(network: Network, table: Any, name: str, targets: SupportsGetItem[int, str], by: str | None, reading: str, everywhere: str) -> tuple[list[tuple[str, list[str], bytes, bytes]], list[str]]:
    """
    Predicts nodes for every row, and what deserves attention.
    """

def read_network(argument: str | PathLike[str], everywhere: str, format_name: str | None = None) -> Network | DynamicNetwork:
    """
    Reads a network of either kind from wherever the argument says: a file, a run folder, `@asia`.
    """

def score(network: Network, table: Any, name: str, top: SupportsIndex, ess: SupportsFloat | SupportsIndex, reading: str, everywhere: str) -> tuple[str, Columns, list[str]]:
    """
    How well it fits rows: the document of `clausality score`, the surprise of every row (counted from 0), and what deserves attention.
    """

def setting_names() -> list[str]:
    """
    The names of all settings, in alphabetical order, as the command line writes them.
    """

def strengths(table: Any, name: str, settings: str, everywhere: str, tell: Any | None, engine: Any | None = None) -> str:
    """
    The strengths of all columns, as the JSON document of `clausality strengths`.
    """

def test(network: Network, table: Any, name: str, against: tuple[Any, str] | None, seed: SupportsIndex, reading: str, everywhere: str) -> tuple[str, list[str]]:
    """
    The independences that it implies, held against rows: the document of `clausality test`, and what deserves attention.
    """

def together(answers: SupportsGetItem[int, str]) -> str:
    """
    What parts say that follow each other, in one.
    """

def validate(params: str, everywhere: str, tell: Any | None) -> str:
    """
    The paper's validation, as the JSON document of `clausality validate`.
    """

def version() -> str:
    """
    The version of the software.
    """

class Cancelled(KeyboardInterrupt):
    """
    Work that was called off.
    """
    hint: str | None
    place: tuple[str, int | None, int | None] | None
    file: str | None
    line: int | None
    column: int | None

class InputError(ValueError):
    """
    A table, a setting or a question that cannot be used as it is.
    """
    hint: str | None
    place: tuple[str, int | None, int | None] | None
    file: str | None
    line: int | None
    column: int | None

class LimitError(MemoryError):
    """
    Work that a limit on memory or size refused.
    """
    hint: str | None
    place: tuple[str, int | None, int | None] | None
    file: str | None
    line: int | None
    column: int | None

__all__ = [
    "Cancelled",
    "Columns",
    "DynamicNetwork",
    "Explorer",
    "InputError",
    "LimitError",
    "Network",
    "Part",
    "Run",
    "check",
    "code",
    "code_rows",
    "compare",
    "configured",
    "converted",
    "evaluate",
    "fit",
    "impute",
    "inspect",
    "learn",
    "learn_sample",
    "look",
    "marks",
    "networks",
    "pieces",
    "predict",
    "read_network",
    "score",
    "setting_names",
    "strengths",
    "test",
    "together",
    "validate",
    "version",
]
