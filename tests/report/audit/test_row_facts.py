"""What the page says about features, predictions and single rows."""

from dataclasses import replace

import numpy as np
import pytest

from anova_report.core.input.features import UNSEEN, Feature
from anova_report.errors import InputError
from anova_report.figures.rows import Rows
from anova_report.measures.claims import Claim
from anova_report.measures.local import Contribution, RowExplanation
from anova_report.measures.sentences.names import Names
from anova_report.measures.sentences.rows import case_words, feature_words, predictions_words, row_title
from anova_report.report.audit.row_facts import ChosenRow, case, chosen_rows, feature_claim, predictions_claim
from tests.report.fits import mixed

TITLES = ["Typical case", "Highest explained value", "Lowest explained value", "Largest residual"]
COLORS = Feature("color", "nominal", ("blue", "red", "white"))


def feature_summary(feature: Feature, column: np.ndarray) -> str:
    return feature_words(feature_claim(feature, 0, column), Names((feature.title,)))


def test_dates_read_as_dates():
    days = np.array(["2020-01-01", "2020-06-30", "2021-12-31"], dtype="datetime64[s]").astype(float)
    summary = feature_summary(Feature("sold", "datetime"), days)
    assert summary == "2020-01-01 to 2021-12-31, median 2020-06-30"


def test_levels_are_counted_and_the_most_frequent_is_named():
    assert feature_summary(COLORS, np.array([2.0, 2.0, 0.0, np.nan])) == "2 levels, most often white (66.7%)"
    assert feature_summary(COLORS, np.array([1.0])) == "1 level, most often red (100%)"


def test_levels_that_the_fit_has_not_seen_are_no_levels():
    assert feature_summary(COLORS, np.array([UNSEEN, 0.0])) == "1 level, most often blue (50.0%)"
    assert feature_summary(COLORS, np.array([UNSEEN])) == "only levels that the fit has not seen"


@pytest.mark.parametrize("kind", ["numeric", "boolean", "nominal", "datetime"])
def test_a_column_without_a_value_is_always_missing(kind):
    assert feature_summary(Feature("a", kind, ("x",)), np.full(3, np.nan)) == "always missing"


def test_predictions_are_summed_up_by_quantiles_mean_and_spread():
    predictions = np.array([[0.0], [1.0], [2.0], [3.0], [14.0]])
    summary = predictions_words(predictions_claim(mixed().dec, predictions, 0), Names.of(mixed().dec))
    assert "from 0 to 14; half of them lie between 1 and 3, around a median of 2" in summary
    assert "mean is 4, their standard deviation 5.1" in summary


@pytest.fixture(scope="module")
def rows() -> Rows:
    return Rows.of(mixed().dec, mixed().X, mixed().predictions)


def explained(*contributions: tuple[str, float], prediction: float | None = None) -> RowExplanation:
    """Make an explanation with mean 10 by hand."""
    items = tuple(Contribution((at,), label, value) for at, (label, value) in enumerate(contributions))
    total = 10.0 + sum(value for _, value in contributions)
    return RowExplanation(10.0, items, total, prediction, None if prediction is None else prediction - total, ())


def words_of(found: RowExplanation) -> str:
    return case_words(found.claims(), Names(("a", "b", "c", "d")))


def test_by_default_the_typical_the_extreme_and_the_one_with_the_largest_residual_are_chosen(rows):
    chosen = chosen_rows(rows, mixed().X, 0, None)
    assert [row_title(item.why) for item in chosen] == TITLES
    explanations = mixed().dec.predict(mixed().X)
    assert chosen[1].row == int(explanations.argmax())
    assert chosen[2].row == int(explanations.argmin())
    residuals = np.abs(mixed().predictions - explanations)
    residuals[[item.row for item in chosen[:3]]] = 0
    assert chosen[3].row == int(residuals.argmax())


def test_wanted_rows_are_taken_in_the_order_given_and_by_their_names(rows):
    names = [f"client {number}" for number in range(len(rows))]
    chosen = chosen_rows(replace(rows, names=names), mixed().X, 0, [7, 3])
    assert [(item.row, item.name, row_title(item.why)) for item in chosen] == [
        (7, "client 7", "Chosen case"),
        (3, "client 3", "Chosen case"),
    ]


def test_where_the_highest_row_has_the_largest_residual_too_the_next_is_called_the_second(rows):
    predictions = rows.predictions.copy()
    explanations = mixed().dec.predict(mixed().X)
    highest = int(explanations.argmax())
    predictions[highest, 0] += 2 * np.abs(predictions[:, 0] - explanations).max()
    chosen = chosen_rows(replace(rows, predictions=predictions), mixed().X, 0, None)
    assert [row_title(item.why) for item in chosen] == [*TITLES[:3], "Second largest residual"]
    residuals = np.abs(predictions[:, 0] - explanations)
    assert chosen[3].row == int(np.argsort(-residuals, kind="stable")[1])


def test_a_row_that_does_not_exist_is_refused(rows):
    with pytest.raises(InputError, match="no row 99999"):
        chosen_rows(rows, mixed().X, 0, [99999])


def test_a_case_adds_up_and_its_figures_are_kept(rows):
    kept: list[str] = []
    found = case(
        rows,
        ChosenRow(5, "row 5", Claim("chosen case", rows=(5,))),
        0,
        lambda figure: (kept.append(figure.key), figure.key)[1],
    )
    assert found.prediction == pytest.approx(mixed().predictions[5])
    assert found.explained == pytest.approx(float(mixed().dec.predict(mixed().X[5:6])[0]))
    assert found.prediction == pytest.approx(found.explained + found.remainder)
    assert {found.force, found.waterfall, found.network} == set(kept)
    assert [name for name, _ in found.values] == list(mixed().X.columns)
    assert dict(found.values)["region"] == mixed().X["region"][5]


def test_words_name_what_raises_and_what_lowers_the_prediction():
    words = words_of(explained(("a", 3.0), ("b", -2.0), ("c", 1.0), ("d", 0.9), prediction=13.5))
    assert words == (
        "The prediction is 13.5, above the mean of 10. Above all, a (+3) and c (+1) raise it; b (−2) lowers it. "
        "The terms add up to 12.9, which leaves a residual of +0.6."
    )


def test_a_row_that_nothing_moves_is_said_to_lie_at_the_mean():
    assert words_of(explained(("a", 0.0), prediction=10.0)) == (
        "The prediction is 10, equal to the mean of 10. No term changes it. "
        "The terms add up to 10, which is the prediction."
    )


def test_words_warn_of_a_row_that_goes_beyond_what_the_fit_has_seen():
    found = explained(("a", 3.0), prediction=13.0)
    beyond = replace(found, unseen_terms=((0,), (1, 2), (1, 3)))
    warning = " The fit has not seen this value of a, this combination of b and c and 1 more"
    assert words_of(beyond) == f"{words_of(found)}{warning}: what is said about this row is extrapolated."
