"""What a new user stumbled over."""

import numpy
import pandas
import polars
import pytest

import clausality as cl


@pytest.fixture(scope="module")
def people():
    draw = numpy.random.default_rng(5)
    rows = 800
    sick = draw.random(rows) < 0.4
    return pandas.DataFrame(
        {
            "sick": sick,
            "visits": numpy.where(draw.random(rows) < 0.8, sick, 1 - sick) + draw.integers(0, 2, rows),
            "size": pandas.Categorical.from_codes(numpy.where(sick, 2, draw.integers(0, 3, rows)), ["small", "middle", "large"], ordered=True),
            "age": numpy.where(sick, 60, 40) + draw.normal(0, 10, rows),
        }
    )


@pytest.fixture(scope="module")
def learned(people):
    return cl.learn(people, seed=1).network


def test_predictions_are_of_the_type_of_their_column(people, learned):
    sick = learned.predict(people, "sick")
    assert sick.dtype == bool and 0.6 < (sick == people.sick).mean() < 1
    visits = learned.predict(people, "visits")
    assert visits.dtype == people.visits.dtype and 0.3 < (visits == people.visits).mean() < 1
    size = learned.predict(people, "size")
    assert size.dtype == people["size"].dtype and size.max() == "large"
    assert learned.predict(people, "age").dtype == "category", "ranges stay as they are"
    assert learned.predict(polars.from_pandas(people), "sick").dtype == polars.Boolean


def test_a_row_is_evidence_and_what_it_lacks_is_unknown(people, learned):
    row = people.drop(columns="sick").iloc[0].copy()
    row["age"] = numpy.nan
    known = learned.query("sick", given=row)
    assert known.posterior == learned.query("sick", given={"visits": int(row["visits"]), "size": row["size"]}).posterior
    assert "given visits in" not in repr(known) and "age" not in repr(known)
    row["name"] = "Ann"
    assert learned.query("sick", given=row).posterior == known.posterior, "what is no node says nothing"


def test_what_was_asked_is_shown(learned):
    assert "size in [small | large]" in repr(learned.query("sick", given={"size": ["small", "large"]}))
    assert "(small: 0.2" in repr(learned.query("sick", given={"size": {"small": 0.2, "*": 1.0}}))


def test_a_score_without_a_complete_row_has_a_repr(people, learned):
    with pytest.warns(cl.DataWarning):
        found = learned.score(people.head(5).assign(age=numpy.nan))
    assert repr(found).startswith("Score(log_likelihood=")


def test_a_target_without_a_name_is_called_y(people):
    model = cl.BayesianNetworkClassifier().fit(polars.from_pandas(people[["visits", "age"]]), polars.Series(people.sick.to_numpy()))
    assert model.target_ == "y" and model.score(people[["visits", "age"]], people.sick) > 0.6


def test_a_column_that_gives_the_answer_away_is_warned_of(people):
    cured = numpy.where(people.sick, numpy.where(people.index % 3 == 0, "late", "soon"), None)
    with pytest.warns(cl.DataWarning, match="'cured' gives 'sick' away .it has a value in 100% of the rows where that is True, in 0%"):
        cl.learn(people.assign(cured=cured), target="sick", rounds=1, seed=1)
