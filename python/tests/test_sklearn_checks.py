"""scikit-learn's own checks of estimators."""

from __future__ import annotations

from sklearn.utils.estimator_checks import parametrize_with_checks

import clausality as cl

WEIGHTS = (
    "weights say how much a row counts, as survey weights do, not how often it was seen: the arcs are learned from as many rows as the weights "
    "are worth, (Σw)²/Σw², since repeating rows would make the data look like more than they are"
)


def expected(estimator) -> dict[str, str]:
    """The checks that cannot pass, and why."""
    weighs = isinstance(estimator, cl.BayesianNetworkClassifier)
    return {"check_sample_weight_equivalence_on_dense_data": WEIGHTS} if weighs else {}


@parametrize_with_checks(
    [cl.BayesianNetwork(), cl.BayesianNetworkClassifier(), cl.Discretizer(), cl.Imputer()],
    expected_failed_checks=expected,
    xfail_strict=True,
)
def test_checks(estimator, check):
    check(estimator)
