"""What every setting means, in a line: the words of ``clausality learn --help``, which a test holds these against."""

from __future__ import annotations

#: Settings by keyword, in the order of the command line.
LINES = {
    # How cells become states
    "type": "Say what a column is: categorical, numeric, ordered, date (date:year,hour for some of its parts, date:dmy for 31/12/2019), ignore, or keep (no id)",
    "levels": "List a column's levels from low to high, the rest follow",
    "bins": "States of a numeric column with more distinct values than this, or of one column [default: 4]",
    "cuts": "Cut a column at these numbers; a state begins at each",
    "discretize": "Cut numbers into bins of equal counts, of equal width, or for what depends on them [default: quantile] [possible values: quantile, width, mdl]",
    "missing": "What gaps mean, everywhere or in a column: unknown (pairs, em), a state of their own, or a row to drop [default: em]",
    "na": 'Cells that mean "no value", beside empty ones; in one column, beside those too [default: NA, N/A, NaN, null, ? and their like]',
    "max_categories": 'States that a categorical column keeps; the rarest share "other" [default: 20, up to 64 with rows enough]',
    "rows_held": "Rows held in memory at most: of a longer table in files an even part proposes, and all rows are counted from disk [default: 1000000]",
    "row_weights": "A column whose numbers say how much each row counts (survey weights); it becomes no variable",
    "separator": "What stands between cells [default: detected among , ; tab |]",
    # What is known of arcs
    "parameter": "Columns that nothing points into",
    "unobserved": "Labels, that is columns to be inferred from the others, marked as such in every result; the paper's assembly gives them their parents last, other assemblers treat them like any column",
    "require": "Arcs that must be there",
    "forbid": "Arcs that must not be there",
    "tiers": "Lists of names, from early to late, or a file with a line for each: no arc runs from a later into an earlier one, columns in no tier are free",
    "max_parents": "The most parents that a node may have",
    # Arcs
    "assembler": "What turns strengths into arcs [default: the profile's own] [possible values: paper, hybrid, hc, tabu, chow-liu, pc, mmhc]",
    "score": "What the searches maximise and every network is reported by; the last search of hybrid, and with it what its arcs gain, is in fnml whatever is said here [default: bdeu] [possible values: bdeu, bic, aic, qnml, fnml]",
    "ess": "Equivalent sample size of the bdeu score [default: 1, 2 or 4, whichever suits the table]",
    "features": "Features that a node may list as its parents, in the paper's assembly [default: 2]",
    "competing": "Which of two opposite arcs stays in the paper's assembly: the stronger, or that of the parent which is stronger in total [default: pairwise] [possible values: pairwise, total]",
    "cycles": "How the paper's assembly removes cycles: strong arcs first, or Algorithm 3 to the letter [default: greedy] [possible values: greedy, dfs]",
    "alpha": "The level of the tests of pc and mmhc [default: 0.05]",
    "restrict": "Let hc, tabu, pc and mmhc look only at pairs that the machines list",
    "weights": "What the tree of chow-liu is heaviest by [default: strengths] [possible values: strengths, information]",
    "bootstrap": "Learn again from rows drawn anew, so many times: how sure every arc is, and a consensus network [default: 0]",
    "consensus": "The share of these repetitions from which on two nodes are joined in the consensus [default: 0.5]",
    # Probabilities
    "prior": "What is believed before the rows are counted: what fewer parents say, down to the node's own frequencies (backoff), the same weight for every cell, nothing (mle), or an imagined uniform sample spread over the cells [default: backoff] [possible values: backoff, laplace, mle, bdeu]",
    "prior_weight": "Weight of fewer parents under backoff, in rows [default: what predicts the rows best, by node]; of every cell under laplace, of each table under bdeu [default: 1]",
    # Machines
    "profile": "hybrid: small machines and context gain; paper: the paper's algorithms as written [default: hybrid] [possible values: hybrid, paper]",
    "ensemble": "Which machines vote [default: single; paper5 in the paper profile] [possible values: single, paper5, supply, random]",
    "models": "Which machines of the ensemble: I, II, III, IV, V [default: all]",
    "clauses": "Clauses of every machine",
    "threshold": "Votes at which a class stops learning (T)",
    "specificity": "How seldom a literal is forgotten (s)",
    "literal_budget": "The longest clause that still learns",
    "type_iii": "Type III feedback: prune literals that tell nothing beside others of their clause; the larger D, the fewer [D: 200]",
    "rounds": "Fresh machines per column and model, at most: by context gain two are enough where both name the same two strongest columns",
    "epochs": "Passes over the rows of a round",
    "samples": "Rows that a round trains on at most",
    "strength": "What makes a feature strong: context gain, or equation (1) of the paper as votes or as a sum [possible values: gain, votes, sum]",
    "null": "Subtract what the same fits find for a permuted target; doubles the time",
    "null_rounds": "Rounds of the permuted target [default: as many as of the true one]",
    "shadows": "Permuted copies added as features, as a share of the features",
    "rivals": "Stronger features that a feature's context gain must survive [default: 3]",
    "balance": "How many rows of each class a round trains on [default: balanced] [possible values: balanced, under, none]",
    "encoding": "Literals by the scale of a column, or the paper's thermometer for all [default: scale] [possible values: scale, paper]",
    "literal_limit": "Above so many literals a machine sees only part of the columns [default: 500]",
    # Predicting
    "target": "Columns to predict: their neighbourhoods are judged by that, and machines learn to predict them",
    "folds": "Cross-validate the prediction in so many parts [default: 10 in evaluate, else not at all]",
    "repeats": "Deal the rows into parts so often [default: 1]",
    # Time
    "time": "A column of dates, times or whole numbers that puts the rows in order: what is learned is a network over time",
    "entity": "A column that says which series a row belongs to; without time, whose it is: rows of one stay together in folds",
    "lags": "How many steps back a column may look, or the most that are tried on the last fifth of time [default: auto:3]",
    "step": "What lies between two rows: 15min, 1h, 1d, 1w, 1mo, 1q, 1y, a number, or rows for whatever comes next [default: auto]",
    "holes": "What a missing step means: no window over it, a state of its own, or the last values for N steps [default: break]",
    "static": "Columns with one value for a whole series, or none [default: auto, those that never change within an entity]",
    "instant": "Whether columns of the same step may depend on each other [default: yes]",
    # All of it
    "seed": "Seed of all random choices: the same seed gives the same networks, to the last bit [default: 1]",
}

#: Said otherwise than on the command line, where lists and files are written in other ways.
OWN = ("levels", "parameter", "unobserved", "require", "forbid", "tiers")

#: How a value is written where that is not plain.
SUCH_AS = {
    "type": '{"age": "ordered", "zip": "ignore"}',
    "levels": '{"size": ["small", "large"]}',
    "bins": '6 or {"age": 6}',
    "cuts": '{"age": [18, 65]}',
    "missing": '"pairs" or {"income": "state"}',
    "na": '["-", "none"] or {"income": ["-1"]}',
    "parameter": '["age", "sex"]',
    "require": '[("smoke", "lung")]',
    "forbid": '[("xray", "dysp")]',
    "tiers": '[["age", "sex"], ["income"]]',
    "models": '["I", "III"]',
    "target": '"churn" or ["churn", "income"]',
    "lags": '3 or "auto:5"',
    "holes": '"carry:3"',
    "static": '["country"]',
}


def listed(keywords: list[str]) -> str:
    """A line for each of some settings.

    >>> listed(["alpha"])
    '- ``alpha``: The level of the tests of pc and mmhc [default: 0.05]'
    """
    written = {"parameter": "parameters"}

    def line(keyword: str) -> str:
        such_as = f". Such as ``{SUCH_AS[keyword]}``" if keyword in SUCH_AS else ""
        return f"- ``{written.get(keyword, keyword)}``: {LINES[keyword]}{such_as}"

    return "\n".join(map(line, keywords))
