"""Predictions for the rows of a table, in the kind that the table came in."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from clausality._documents import Document
from clausality._frames import Frame
from clausality._tables import Table


class Prediction(Document):
    """The predictions of a node for the rows of a table.

    >>> import clausality as cl
    >>> asia = cl.load("asia")
    >>> found = asia.prediction(asia.sample(2), "lung")
    >>> found.labels, found.states, found.by
    (['no', 'no'], ['yes', 'no'], 'network')
    >>> found
    Prediction of 'lung' by network for 2 rows, accuracy 1.0000
    """

    def __init__(self, found: tuple, given: Table):
        document, states, codes, chances = found
        document = json.loads(document)
        document.pop("file", None)
        super().__init__(document)
        #: The states that are predicted, in the order of the probabilities.
        self.states: list[str] = states
        self._codes, self._chances = codes, chances
        self._given = replace(given, source=None)  # the table itself is not needed any more

    @property
    def labels(self) -> Any:
        """The most probable state of every row; none for a row that the network says cannot be.

        >>> import clausality as cl
        >>> cancer = cl.load("cancer")
        >>> cancer.prediction(cancer.sample(2, seed=1), "Smoker").labels
        ['False', 'False']
        """
        kind, index, name = self._given.kind, self._given.index, self.document["target"]
        if kind == "pandas":
            import numpy
            import pandas

            codes = numpy.frombuffer(self._codes, "u1").astype("i2")
            codes[codes == 255] = -1
            return pandas.Series(pandas.Categorical.from_codes(codes, self.states), index=index, name=name)
        if kind == "numpy":
            import numpy

            return numpy.array([*self.states, *[None] * (256 - len(self.states))], object)[numpy.frombuffer(self._codes, "u1")]
        labels = [*self.states, *[None] * (256 - len(self.states))]
        listed = [labels[code] for code in self._codes]
        if kind == "polars":
            import polars

            return polars.Series(name, listed, dtype=polars.Enum(self.states))
        if kind == "pyarrow":
            import pyarrow

            return pyarrow.array(listed).dictionary_encode()
        return listed

    @property
    def probabilities(self) -> Any:
        """The probability of every state in every row: a frame with a column for each, of NumPy an array.

        >>> import clausality as cl
        >>> cancer = cl.load("cancer")
        >>> cancer.prediction(cancer.sample(2, seed=1), "Smoker").probabilities.columns
        ['True', 'False']
        """
        kind, width = self._given.kind, len(self.states)
        if kind in ("pandas", "numpy"):
            import numpy

            chances = numpy.frombuffer(self._chances, "f8").reshape(-1, width)
            if kind == "numpy":
                return chances
            import pandas

            return pandas.DataFrame(chances, columns=self.states, index=self._given.index)
        flat = memoryview(self._chances).cast("d")
        columns = {state: flat[k::width] for k, state in enumerate(self.states)}
        if kind == "polars":
            import polars

            return polars.DataFrame({state: polars.Series(column.tolist()) for state, column in columns.items()})
        if kind == "pyarrow":
            import pyarrow

            return pyarrow.table({state: pyarrow.array(column.tolist()) for state, column in columns.items()})
        return Frame({state: column.tolist() for state, column in columns.items()})

    def __repr__(self) -> str:
        by = f" by {self.document['by']}"
        said = self.document.get("evaluation")
        good = f", accuracy {said['accuracy']:.4f}" if said else ""
        return f"Prediction of '{self.document['target']}'{by} for {self.document['rows']:,} rows{good}"
