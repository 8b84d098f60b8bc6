import re

import pytest

from anova_report.figures.kinds import Axis
from anova_report.figures.live.words import TIP_LENGTH, brief, lines, placeholder, places, plain, tip, value_text
from tests.figures.samples import DAY, HOSTILE, LONG, NEW_YEAR, TEX

# What BokehJS looks for in labels, written down from its documentation: $$…$$, \[…\] and \(…\).
FORMULAS = re.compile(r"\$\$[^$]*\$\$|\\\[.*?\\\]|\\\(.*?\\\)")


@pytest.mark.parametrize("words", ["$$x$$", r"\(x\)", r"\[x\]", TEX, "$$$$", "$$$", r"\\(x\\)", "a $$ b"])
def test_nothing_that_bokeh_would_set_as_a_formula_is_left(words):
    assert not FORMULAS.search(plain(words))


@pytest.mark.parametrize("words", ["$$x$$", TEX, "price in $", r"a\b", "50% (of all)", HOSTILE])
def test_plain_words_read_as_they_were_written(words):
    assert plain(words).replace("\u200b", "") == words


def test_words_without_formulas_are_left_alone():
    assert plain("income in $ (thousands) [net]") == "income in $ (thousands) [net]"


def test_a_long_name_is_cut_for_hover_text():
    assert len(brief(LONG)) <= TIP_LENGTH
    assert brief(LONG).endswith("…")
    assert brief("age") == "age"


def test_a_name_cannot_add_lines_to_hover_text():
    assert brief("one\ntwo") == "one two"


def test_empty_parts_of_hover_text_leave_no_line():
    assert lines("effect +1", "", "2% of rows") == "effect +1\n2% of rows"


def test_a_position_between_levels_is_that_of_the_nearest():
    axis = Axis("weather", -0.5, 2.5, levels=("clear", "mist", "rain"))
    assert [value_text(axis, at) for at in (-3.0, 0.4, 1.2, 9.0)] == ["clear", "clear", "mist", "rain"]


def test_dates_over_days_have_no_time_of_day_and_dates_within_one_have():
    assert value_text(Axis("t", NEW_YEAR, NEW_YEAR + 30 * DAY, time=True), NEW_YEAR) == "2024-01-01"
    assert value_text(Axis("t", NEW_YEAR, NEW_YEAR + 60, time=True), NEW_YEAR + 61) == "2024-01-01 00:01:01"


def test_a_number_that_is_no_date_is_written_as_a_number():
    assert value_text(Axis("t", 0.0, 1e30, time=True), 1e30) == "1e30"


@pytest.mark.parametrize(
    ("low", "high", "value", "text"),
    [
        (30.0, 31.0, 30.1234, "30.123"),
        (0.0, 1e-4, 1.25e-5, "0.0000125"),
        (0.0, 1e6, 123456.0, "123,456"),
        (-1.0, 1.0, -0.5, "−0.500"),
        (0.0, 1e-9, 5e-10, "5e−10"),
        (0.0, 1e15, 5e14, "5e14"),
    ],
)
def test_numbers_have_the_digits_that_tell_them_from_their_neighbours(low, high, value, text):
    assert value_text(Axis("x", low, high), value) == text


@pytest.mark.parametrize("span", [1e-6, 0.3, 1.0, 25.0, 1e5])
def test_two_values_a_five_hundredth_of_the_axis_apart_read_differently(span):
    axis = Axis("x", 0.0, span)
    assert value_text(axis, span / 2) != value_text(axis, span / 2 + span / 500)


def test_an_axis_without_length_still_has_digits():
    assert places(0.0) == 3


@pytest.mark.parametrize(
    ("axis", "sign", "words", "reader"),
    [
        (Axis("x", 0.0, 10.0), False, "@x{0,0.00}", {}),
        (Axis("x", 0.0, 10.0), True, "@x{+0,0.00}", {}),
        (Axis("x", 0.0, 1e5), False, "@x{0,0}", {}),
        (Axis("x", 0.0, 1e-9), False, "@x{%.3e}", {"@x": "printf"}),
        (Axis("x", 0.0, 1e-9), True, "@x{%+.3e}", {"@x": "printf"}),
        (Axis("x", 0.0, 90 * DAY, time=True), False, "@x{%F}", {"@x": "datetime"}),
        (Axis("x", 0.0, 60.0, time=True), False, "@x{%F %T}", {"@x": "datetime"}),
    ],
)
def test_bokeh_is_told_how_to_write_a_number(axis, sign, words, reader):
    assert placeholder("@x", axis, sign=sign) == (words, reader)


def test_a_label_of_a_tip_is_short_and_readers_are_put_together():
    found = tip((LONG, "@x{%F}", {"@x": "datetime"}), ("effect", "@y{%.3e}", {"@y": "printf"}))
    assert len(found.rows[0][0]) <= TIP_LENGTH
    assert found.rows[1] == ("effect", "@y{%.3e}")
    assert found.formatters == {"@x": "datetime", "@y": "printf"}
