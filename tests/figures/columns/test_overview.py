"""Histograms: every row is counted once, and what is not drawn is said."""

import re

import numpy as np
import pytest

from anova_report.core.input.features import Feature
from anova_report.figures.columns import Rows, answers_histogram, histogram_figure
from anova_report.figures.columns.axes import MISSING
from anova_report.figures.columns.overview import BEYOND, BINS, _histogram
from tests.figures.columns.conftest import COLOURS


def counted(figure) -> int:
    return sum(int(line[1].replace(",", "")) for line in figure.table.rows)


@pytest.mark.parametrize("index", range(6))
def test_the_table_counts_every_row_once(mixed, index):
    assert counted(histogram_figure(mixed.rows, index)) == len(mixed.X)


def test_counts_are_those_between_the_edges(mixed):
    data = histogram_figure(mixed.rows, "income").data
    assert len(data.edges) == len(data.count) + 1 == BINS + 1
    income = mixed.X["income"].dropna()
    expected = np.histogram(income, data.edges)[0]
    assert np.abs(np.array(data.count) - expected).sum() <= 2  # edges are rounded
    assert data.x.high < income.max()


def test_what_lies_beyond_or_is_missing_is_said(mixed):
    figure = histogram_figure(mixed.rows, "income")
    names = [line[0] for line in figure.table.rows]
    assert names[-2:] == [BEYOND, MISSING]
    assert re.search(r"beyond what is drawn: \d\.\d%; missing: (9|10|11)\.\d%\.$", figure.alt)


def test_the_alternative_text_gives_quartiles(known):
    alt = histogram_figure(known.rows, "a").alt
    found = re.match(r"Half of 4,000 rows have a between −(\S+) and (\S+), the median is (\S+)\.$", alt)
    low, high, median = (float(text.replace("−", "-")) for text in found.groups())
    assert (low, high, median) == pytest.approx((0.5, 0.5, 0.0), abs=0.05)


def test_levels_are_counted_most_frequent_first(mixed):
    data = histogram_figure(mixed.rows, "colour").data
    assert data.edges == ()
    named = [at for at, level in enumerate(data.x.levels) if level in COLOURS]
    counts = [data.count[at] for at in named]
    assert counts == sorted(counts, reverse=True)
    expected = mixed.X["colour"].value_counts()
    assert counts == [expected[data.x.levels[at]] for at in named]


def test_rare_levels_are_taken_together_and_missing_ones_are_not(mixed):
    data = histogram_figure(mixed.rows, "colour").data
    assert data.x.levels[-1] == "(7 others)"
    assert data.x.levels[-2] == MISSING
    assert len(data.x.levels) == 21
    assert sum(data.count) == len(mixed.X)


def test_ordered_levels_keep_their_order(mixed):
    assert histogram_figure(mixed.rows, "size").data.x.levels == ("s", "m", "l")


def test_dates_have_a_time_axis_and_dates_in_words(mixed):
    figure = histogram_figure(mixed.rows, "sold")
    assert figure.data.x.time
    assert figure.table.rows[0][0].startswith("2020-01-01 to 2020-01-3")


def test_answers_have_a_histogram_of_their_own(mixed):
    figure = answers_histogram(mixed.rows, 0)
    assert figure.key == "o0-answers"
    assert figure.data.x.label == "answer of answer 0"
    assert counted(figure) == len(mixed.X)


def test_answers_that_take_few_values_are_counted_one_by_one(known):
    rows = Rows.of(known.dec, known.X, (known.X["a"] > 0).astype(float))
    data = answers_histogram(rows).data
    assert data.x.levels == ("0", "1")
    assert data.count == ((known.X["a"] <= 0).sum(), (known.X["a"] > 0).sum())


def test_a_constant_answer_is_one_bar(constant):
    figure = answers_histogram(constant.rows)
    assert figure.data.x.levels == ("3.5",)
    assert figure.data.count == (500,)


def test_a_feature_is_found_by_name_or_position(known):
    assert histogram_figure(known.rows, "b") == histogram_figure(known.rows, 1)
    assert histogram_figure(known.rows, "b").key == "feature-1"


def test_every_row_of_a_light_tailed_feature_is_drawn():
    column = np.random.default_rng(0).uniform(0, 1e-5, size=5000)
    figure = _histogram("k", "t", Feature("x", "numeric"), column)
    assert sum(figure.data.count) == 5000
