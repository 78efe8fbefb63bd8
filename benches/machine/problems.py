"""The problems of the machine benchmark, made from the embedded networks.

    problems.py --networks crates/clausality/networks --out target/machine-bench/problems [--only DrivQuality,wide]

Every problem becomes NAME.npz (x_train, y_train, x_test, y_test) for Python and NAME.bin for the Rust example: little-endian
u32 training rows, test rows, bits, classes; then row-major bits (one byte each) and u32 labels of the training rows,
then of the test rows. The same rows go to every implementation; negations are each one's own business.

The rows are forward samples: a network's nodes are drawn in the order of repeated sweeps over its probability blocks, a
node as soon as its parents are drawn, n uniform numbers at a time. Everything follows from the seed.
"""
import argparse
import gzip
import re
from pathlib import Path

import numpy as np

ROWS = 5000
SEED = 1
TRAINING_SHARE = 0.8
# name -> (network, target); None: the 8x8 digits of scikit-learn
SOURCES = {
    "DrivQuality": ("insurance", "DrivQuality"),
    "Accident": ("insurance", "Accident"),
    "wide": ("diabetes", "bg_12"),
    "digits": None,
}


class Bif:
    """States of every variable in the order of the file, and parents and probabilities in the order of their blocks."""

    PUNCTUATION = set("{}()[],;|")

    def __init__(self, text):
        self.tokens = iter(re.findall(r"[{}()\[\],;|]|[^\s{}()\[\],;|]+", text))
        self.states = {}
        self.families = {}
        for word in self.tokens:
            if word == "variable":
                self._variable()
            elif word == "probability":
                self._probability()
            else:  # network NAME { properties }
                self._until("{")
                self._until("}")

    def _until(self, end):
        """The words up to a token, without punctuation."""
        words = []
        for token in self.tokens:
            if token == end:
                return words
            if token not in self.PUNCTUATION:
                words.append(token)
        raise ValueError(f"the file ends before '{end}'")

    def _variable(self):
        name = self._until("{")[0]
        self._until("{")  # type discrete [ n ]
        self.states[name] = self._until("}")
        self._until("}")

    def _probability(self):
        self._until("(")
        child, *parents = self._until(")")
        self._until("{")
        shape = [len(self.states[v]) for v in (*parents, child)]
        table = np.zeros(shape)
        for token in self.tokens:
            if token == "}":
                break
            if token == "(":
                values = self._until(")")
                cell = tuple(self.states[p].index(value) for p, value in zip(parents, values))
            else:  # "table"
                cell = ()
            table[cell] = [float(word) for word in self._until(";")]
        self.families[child] = (parents, table.reshape(-1, shape[-1]))

    def sweep_order(self):
        """Nodes with their parents first."""
        waiting, order = list(self.families), []
        while waiting:
            before = len(order)
            for node in waiting:
                if all(parent in order for parent in self.families[node][0]):
                    order.append(node)
            if len(order) == before:
                raise ValueError("the network has a cycle")
            waiting = [node for node in waiting if node not in order]
        return order

    def sample(self, rows, seed):
        """A column of state numbers for every variable."""
        generator = np.random.default_rng(seed)
        columns = {}
        for node in self.sweep_order():
            parents, table = self.families[node]
            cumulative = (table / table.sum(axis=1, keepdims=True)).cumsum(axis=1)
            cumulative[:, -1] = 1.0
            draws = generator.random(rows)
            if parents:
                sizes = [len(self.states[p]) for p in parents]
                which = np.ravel_multi_index([columns[p] for p in parents], sizes)
            else:
                which = np.zeros(rows, dtype=np.int64)
            columns[node] = np.count_nonzero(draws[:, None] > cumulative[which], axis=1)
        return columns


def from_network(path, target):
    """One bit for every state of every variable but the target; the target's states that occur are the classes."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        bif = Bif(file.read())
    columns = bif.sample(ROWS, SEED)
    predictors = [v for v in bif.states if v != target]
    bits = [columns[v][:, None] == np.arange(len(bif.states[v])) for v in predictors]
    _, labels = np.unique(columns[target], return_inverse=True)
    return np.hstack(bits), labels


def from_digits():
    """Twelve thermometer bits a pixel: brightness of at least 1, 2, ... 12."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    bits = digits.data[:, :, None] >= np.arange(1, 13)
    return bits.reshape(len(bits), -1), digits.target


def write(stem, bits, labels):
    shuffled = np.random.default_rng(SEED + 1000).permutation(len(labels))
    train, test = np.split(shuffled, [int(len(labels) * TRAINING_SHARE)])
    bits, labels = bits.astype(np.uint8), labels.astype("<u4")
    classes = int(labels.max()) + 1
    np.savez_compressed(f"{stem}.npz", x_train=bits[train], y_train=labels[train], x_test=bits[test], y_test=labels[test])
    with open(f"{stem}.bin", "wb") as file:
        file.write(np.array([len(train), len(test), bits.shape[1], classes], dtype="<u4").tobytes())
        for part in (train, test):
            file.write(bits[part].tobytes() + labels[part].tobytes())
    print(f"{stem.name}: {len(train)} + {len(test)} rows, {bits.shape[1]} bits, {classes} classes")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", default=",".join(SOURCES))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name in arguments.only.split(","):
        source = SOURCES[name]
        bits, labels = from_digits() if source is None else from_network(arguments.networks / f"{source[0]}.bif.gz", source[1])
        write(arguments.out / name, bits, labels)


if __name__ == "__main__":
    main()
