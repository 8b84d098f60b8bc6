"""AR016: a model that behaves otherwise off the data than on them is distinguished from one that does not."""

from dataclasses import replace

import numpy as np
import pytest

from anova_report import Decomposition, FunctionalANOVA, explain, measures
from anova_report.core.fit.asking import Asking
from anova_report.core.fit.fits import OffData
from anova_report.measures.status import OFF_DATA, WORSE, Finding
from tests.ground_truth import decomposition_of, signs

FIRST, SECOND, _ = signs(50)


def rows(n_rows: int = 600) -> np.ndarray:
    """Draw rows whose third feature is the sum of the others, up to a little."""
    X = np.random.default_rng(0).normal(size=(n_rows, 4))
    X[:, 2] = X[:, 0] + X[:, 1] + 0.1 * X[:, 2]
    return X


def honest(X: np.ndarray) -> np.ndarray:
    return 2 * X[:, 0] + np.abs(X[:, 1])


def fooling(X: np.ndarray) -> np.ndarray:
    """Pretend to read the last feature only where the third is not the sum."""
    return np.where(np.abs(X[:, 2] - X[:, 0] - X[:, 1]) > 0.5, 2 * X[:, 3], honest(X))


def compared(rows_only: float, asked: float, by_feature: tuple[float, ...] = (0.1, 0.0)) -> Decomposition:
    off_data = OffData(rows_only, asked, by_feature)
    return replace(decomposition_of({(0,): FIRST, (1,): SECOND}), asking=Asking(2000, off_data=off_data))


def found_in(dec: Decomposition) -> Finding:
    return measures.findings(dec)["AR016"]


def test_a_model_that_fools_explainers_is_found_with_what_it_changes_along():
    finding = found_in(explain(fooling, rows(), ask=2000, progress=False))
    assert finding.status in ("warn", "fail")
    assert "differently off the data, most of all along x0" in finding.sentence
    assert "ask=0" in finding.advice


def test_an_honest_model_passes_though_its_inputs_go_together():
    finding = found_in(explain(honest, rows(), ask=2000, progress=False))
    assert (finding.status, finding.advice) == ("pass", "")
    assert "Both describe the same function" in finding.sentence


def test_where_nobody_asked_the_finding_does_not_apply():
    X = rows(300)
    for dec in (
        explain(honest, X, ask=0, progress=False),
        FunctionalANOVA(max_order=1, progress=False).fit(X, honest(X)).decomposition_,
    ):
        finding = found_in(dec)
        assert (finding.status, finding.value) == ("not applicable", None)
        assert "was not asked at recombined rows" in finding.sentence


def test_predictions_of_few_values_are_solved_and_not_compared():
    X = np.random.default_rng(0).integers(2, size=(400, 2)).astype(float)
    dec = explain(lambda own: own[:, 0] + own[:, 0] * own[:, 1], X, ask=500, progress=False)
    assert dec.path == "exact cells"
    finding = found_in(dec)
    assert finding.status == "not applicable"
    assert "reproduced exactly" in finding.sentence


@pytest.mark.parametrize("rows_only", [0.0, 0.1])
def test_the_status_turns_where_recombined_rows_add_more_than_the_limits(rows_only):
    for beyond, status in ((0.999, "pass"), (1.001, "warn")):
        finding = found_in(compared(rows_only, WORSE * rows_only + beyond * OFF_DATA.warn))
        assert (finding.status, finding.limit) == (status, OFF_DATA.warn)
        assert finding.value == pytest.approx(beyond * OFF_DATA.warn)
    assert found_in(compared(rows_only, WORSE * rows_only + 1.001 * OFF_DATA.fail)).status == "fail"


def test_errors_that_rounding_makes_negative_are_none():
    finding = found_in(compared(-1e-8, -1e-8))
    assert (finding.status, finding.value) == ("pass", 0.0)


def test_only_features_that_differ_by_much_are_named():
    assert "along x1." in found_in(compared(0.0, 0.1, (0.001, 0.4))).sentence
    assert "along x1 and x0." in found_in(compared(0.0, 0.1, (0.3, 0.4))).sentence
