"""Bayesian networks you can read, question and trust, learned from tables with Tsetlin machines.

A table in, a network out, and questions by name:

>>> import clausality as cl
>>> asia = cl.load("asia")
>>> run = cl.learn(asia.sample(2000), seed=1)
>>> run.network.query("lung", given={"smoke": "yes"}).most_likely
'no'

| you want | ask |
|---|---|
| to see what became of the columns | :func:`inspect` |
| strengths alone | :func:`strengths` |
| a network from a table | :func:`learn` |
| the probabilities of a structure you have | :func:`fit` |
| how well a column can be predicted | :func:`evaluate` |
| posteriors, interventions, predictions, samples, gaps filled | :class:`Network` |
| series: learned with lags, asked about steps, forecast | :func:`learn` with ``time=``, :class:`DynamicRun`, :class:`DynamicNetwork` |
| a network from a file, a run folder, or an embedded one | :func:`read`, :func:`load` |
| how near two networks are | :func:`compare` |
| to click on a network in a notebook | :class:`Explorer` |
| scikit-learn's estimators | :class:`BayesianNetwork`, :class:`BayesianNetworkClassifier`, :class:`Discretizer`, :class:`Imputer` |

Tables are pandas, polars or pyarrow frames, anything with ``__arrow_c_stream__``, NumPy arrays, dicts of columns, and paths. Frames
come out in the kind that went in. Keyword arguments have the names of the command line's options.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from clausality._clausality import Cancelled, InputError, LimitError, version as _version
from clausality._documents import Comparison, Evaluation, Inspection, Score
from clausality._dynamic import DynamicNetwork
from clausality._frames import Frame
from clausality._learning import check, compare, convert, demo, evaluate, fit, inspect, learn, strengths, validate
from clausality._network import Network, load, networks
from clausality._questions import Answer, Answers, Decision, Explanation, Tested, Why
from clausality._rows import Prediction
from clausality._run import DynamicRun, Explained, Run, read
from clausality._warnings import DataWarning

if _TYPE_CHECKING:
    from clausality._estimators import BayesianNetwork as BayesianNetwork
    from clausality._estimators import BayesianNetworkClassifier as BayesianNetworkClassifier
    from clausality._transformers import Discretizer as Discretizer
    from clausality._transformers import Imputer as Imputer
    from clausality._widget import Explorer as Explorer

__version__ = _version()

#: What needs scikit-learn or anywidget, and where it lives: imported when it is first asked for, as everything else needs neither.
_ON_DEMAND = {
    "BayesianNetwork": "_estimators",
    "BayesianNetworkClassifier": "_estimators",
    "Discretizer": "_transformers",
    "Explorer": "_widget",
    "Imputer": "_transformers",
}


def __getattr__(name: str) -> object:
    if name not in _ON_DEMAND:
        raise AttributeError(f"module 'clausality' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(f"clausality.{_ON_DEMAND[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_ON_DEMAND})


__all__ = [
    "Answer",
    "Answers",
    "Cancelled",
    "Comparison",
    "DataWarning",
    "Decision",
    "DynamicNetwork",
    "DynamicRun",
    "Evaluation",
    "Explained",
    "Explanation",
    "Frame",
    "InputError",
    "Inspection",
    "LimitError",
    "Network",
    "Prediction",
    "Run",
    "Score",
    "Tested",
    "Why",
    "check",
    "compare",
    "convert",
    "demo",
    "evaluate",
    "fit",
    "inspect",
    "learn",
    "load",
    "networks",
    "read",
    "strengths",
    "validate",
]
