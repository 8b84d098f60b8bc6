"""Regions: the gap is found where it was put."""

import numpy as np
import pytest

from anova_report import measures
from anova_report.figures.columns import Rows, regions_figure
from anova_report.figures.columns.axes import MISSING
from anova_report.measures.findings import UNEXPLAINED


@pytest.fixture(scope="module")
def spoilt(known) -> Rows:
    """Answers that are 5 off wherever b is above 0.7, and right elsewhere."""
    return Rows.of(known.dec, known.X, known.dec.predict(known.X) + 5 * (known.X["b"] > 0.7))


def test_the_gap_is_largest_where_it_was_put(spoilt):
    figure = regions_figure(spoilt)
    at = figure.data.features.index("b")
    gap = np.array(figure.data.gap[at])
    assert gap[-1] == gap.max()
    assert gap[:8].max() == pytest.approx(0, abs=1e-6)
    assert gap[-1] == pytest.approx(5 / spoilt.answers.std(), rel=1e-3)
    assert f"where b is {figure.data.bins[at][-1]}" in figure.alt


def test_gaps_are_root_mean_squares_over_the_standard_deviation(known):
    noisy = known.answers + np.random.default_rng(0).normal(size=len(known.answers))
    rows = Rows.of(known.dec, known.X, noisy)
    data = regions_figure(rows).data
    gap = (noisy - known.dec.predict(known.X))[rows.sample]
    for gaps, count in zip(data.gap, data.count, strict=True):
        overall = np.sqrt(np.average(np.square(gaps), weights=count))
        assert overall == pytest.approx(np.sqrt((gap**2).mean()) / noisy.std(), rel=1e-3)


def test_numbers_have_ten_regions_with_about_as_many_rows(known):
    data = regions_figure(known.rows).data
    assert data.features[0] == "a"
    for bins, count in zip(data.bins, data.count, strict=True):
        assert len(bins) == len(count) == 10
        assert sum(count) == len(known.rows.sample)
        assert max(count) - min(count) <= 5


def test_levels_and_missing_values_are_regions_of_their_own(mixed):
    data = regions_figure(mixed.rows, 0).data
    bins = dict(zip(data.features, data.bins, strict=True))
    assert bins["size"] == ("s", "m", "l")
    assert bins["income"][-1] == MISSING
    assert all(len(names) <= 10 for names in bins.values())
    assert len(bins["colour"]) == 10
    counts = dict(zip(data.features, data.count, strict=True))
    expected = mixed.X["income"].iloc[mixed.rows.sample].isna().sum()
    assert counts["income"][-1] == expected


def test_only_the_features_that_move_the_answers_most_are_shown(wide):
    data = regions_figure(wide.rows).data
    assert len(data.features) == 8
    ranked = measures.feature_totals(wide.dec).ranked()
    assert data.features == tuple(total.feature for total in ranked[:8])


def test_colours_end_where_the_finding_fails_unless_the_gap_is_larger(known, spoilt):
    assert regions_figure(known.rows).data.limit == pytest.approx(UNEXPLAINED.fail**0.5, abs=1e-3)
    assert regions_figure(spoilt).data.limit == pytest.approx(5 / spoilt.answers.std(), rel=1e-3)


def test_a_constant_model_has_no_gap(constant):
    data = regions_figure(constant.rows).data
    assert {gap for gaps in data.gap for gap in gaps} == {0.0}
    assert data.limit > 0


def test_the_table_lists_every_region(mixed):
    figure = regions_figure(mixed.rows, 0)
    assert len(figure.table.rows) == sum(map(len, figure.data.bins))
    assert {line[0] for line in figure.table.rows} == set(figure.data.features)


def test_a_feature_of_which_nearly_all_rows_are_equal_has_few_regions(published):
    table = published.X.copy()
    table[: len(table) * 19 // 20, 0] = 0.5
    data = regions_figure(Rows.of(published.dec, table, published.answers)).data
    bins = data.bins[data.features.index("x0")]
    assert 1 <= len(bins) <= 3
    assert sum(data.count[data.features.index("x0")]) == len(table)
