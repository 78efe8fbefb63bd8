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
| a network from a file, a run folder, or an embedded one | :func:`read`, :func:`load` |
| how near two networks are | :func:`compare` |

Tables are pandas, polars or pyarrow frames, anything with ``__arrow_c_stream__``, NumPy arrays, dicts of columns, and paths. Frames
come out in the kind that went in. Keyword arguments have the names of the command line's options.
"""

from clausality._clausality import Cancelled, InputError, LimitError, version as _version
from clausality._documents import Comparison, Evaluation, Inspection, Score
from clausality._frames import Frame
from clausality._learning import check, compare, convert, demo, evaluate, fit, inspect, learn, strengths, validate
from clausality._network import Network, load, networks
from clausality._questions import Answer, Answers, Explanation
from clausality._rows import Prediction
from clausality._run import Explained, Run, read
from clausality._warnings import DataWarning

__version__ = _version()

__all__ = [
    "Answer",
    "Answers",
    "Cancelled",
    "Comparison",
    "DataWarning",
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
