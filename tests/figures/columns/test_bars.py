"""Bars of levels: right effects, right order, honest about what is rare, missing or left out."""

from dataclasses import replace

import numpy as np
import pytest

from anova_report.figures.columns import Rows, main_effect
from anova_report.figures.columns.axes import MISSING, NOT_SEEN
from anova_report.figures.kinds import Levels
from tests.figures.columns.conftest import COLOURS, Case


def bars(case: Case, name: str, output: int = 0, row: int | None = None) -> Levels:
    data = main_effect(case.rows, name, output, row=row).data
    assert isinstance(data, Levels)
    return data


def test_a_bar_is_the_component_of_its_level(mixed):
    data = bars(mixed, "colour")
    for level, value in zip(data.x.levels, data.value, strict=True):
        chosen = mixed.X["colour"].isna() if level == MISSING else mixed.X["colour"] == level
        component = mixed.dec.component("colour", mixed.X[chosen].head(1))[0, 0]
        assert value == pytest.approx(component, abs=1e-4), level


def test_shares_are_shares_of_all_rows(mixed):
    data = bars(mixed, "size")
    expected = mixed.X["size"].value_counts(normalize=True)
    assert data.share == pytest.approx([expected[level] for level in data.x.levels], abs=1e-4)
    assert sum(data.share) == pytest.approx(1.0, abs=1e-3)


def test_nominal_levels_come_by_effect_with_the_missing_one_last(mixed):
    data = bars(mixed, "colour")
    assert data.x.levels[-1] == MISSING
    assert list(data.value[:-1]) == sorted(data.value[:-1], reverse=True)
    assert data.x.levels[0] == COLOURS[3]


def test_ordered_levels_numbers_and_truth_values_keep_their_order(mixed):
    assert bars(mixed, "size").x.levels == ("s", "m", "l")
    assert bars(mixed, "rooms").x.levels == tuple(str(year) for year in range(2010, 2016))
    assert bars(mixed, "member").x.levels == ("False", "True")


def test_known_steps_between_levels_are_found(mixed):
    assert np.diff(bars(mixed, "size").value) == pytest.approx([1.0, 1.0], abs=0.2)
    assert np.diff(bars(mixed, "rooms", 1).value) == pytest.approx(np.ones(5), abs=0.1)


def test_at_most_twenty_levels_and_a_missing_one_are_drawn_and_the_others_counted(mixed):
    data = bars(mixed, "colour")
    assert len(data.x.levels) == 21
    assert data.left_out == mixed.X["colour"].nunique() - 20
    rarest = mixed.X["colour"].value_counts().index[-2:]
    assert not set(rarest) & set(data.x.levels)
    assert f"{data.left_out} rarer levels not drawn" in main_effect(mixed.rows, "colour").alt


def test_the_axis_runs_half_a_step_beyond_the_levels(mixed):
    data = bars(mixed, "size")
    assert (data.x.low, data.x.high) == (-0.5, 2.5)


def test_the_band_lies_around_the_bars(mixed):
    data = bars(mixed, "size")
    assert (np.array(data.lower) < data.value).all()
    assert (np.array(data.upper) > data.value).all()


def test_the_marked_level_is_that_of_the_row(mixed):
    data = bars(mixed, "size", row=11)
    assert data.x.levels[data.marked] == mixed.X["size"].iloc[11]
    assert bars(mixed, "size").marked is None


def test_a_row_of_a_level_that_is_not_drawn_is_not_marked(mixed):
    drawn = bars(mixed, "colour").x.levels
    hidden = mixed.X["colour"].notna() & ~mixed.X["colour"].isin(drawn)
    assert bars(mixed, "colour", row=int(np.argmax(hidden))).marked is None


def test_pooled_levels_are_flagged_and_named_so_in_the_table(mixed):
    few = mixed.X[mixed.X["colour"].isin([*COLOURS[:3], *COLOURS[24:]])]
    figure = main_effect(Rows.of(mixed.dec, few), "colour")
    rare = {level for level, pooled in zip(figure.data.x.levels, figure.data.pooled, strict=True) if pooled}
    index = mixed.dec.feature_names.index("colour")
    assert rare == {COLOURS[code] for code in mixed.dec.expansion.reference.marginals[index].pooled}
    assert {line[0] for line in figure.table.rows if "(pooled)" in line[0]} == {f"{level} (pooled)" for level in rare}


def test_unseen_levels_are_a_bar_of_their_own(mixed):
    new = mixed.X.head(50).assign(colour=["octarine"] * 20 + [COLOURS[0]] * 30)
    figure = main_effect(Rows.of(mixed.dec, new), "colour")
    position = figure.data.x.levels.index(NOT_SEEN)
    assert figure.data.share[position] == pytest.approx(0.4)
    assert figure.data.value[position] == pytest.approx(mixed.dec.component("colour", new.head(1))[0, 0], abs=1e-4)


def test_the_table_holds_every_bar(mixed):
    table = main_effect(mixed.rows, "size").table
    assert table.head == ("size", "share of rows", "effect", "95% from", "95% to")
    assert [line[0] for line in table.rows] == ["s", "m", "l"]


def test_the_alternative_text_names_the_highest_and_the_lowest(mixed):
    alt = main_effect(mixed.rows, "size").alt
    assert alt.startswith("The effect of size is highest for l (+")
    assert " and lowest for s (−" in alt


def test_the_order_of_rows_does_not_matter(mixed):
    shuffled = Rows.of(mixed.dec, mixed.X.sample(frac=1, random_state=0))
    assert main_effect(shuffled, "colour") == main_effect(mixed.rows, "colour")


def test_renaming_levels_renames_the_bars_and_changes_nothing_else(mixed):
    colour = mixed.dec.features[1]
    paint = replace(colour, levels=tuple(level.replace("colour", "paint") for level in colour.levels))
    dec = replace(mixed.dec, features=(mixed.dec.features[0], paint, *mixed.dec.features[2:]))
    renamed = mixed.X.assign(colour=mixed.X["colour"].str.replace("colour", "paint"))
    before, after = bars(mixed, "colour"), main_effect(Rows.of(dec, renamed), "colour").data
    assert after.x.levels == tuple(level.replace("colour", "paint") for level in before.x.levels)
    assert replace(after, x=before.x) == before


def test_few_values_of_a_constant_model_have_no_effect(constant):
    few = np.repeat([[0.0, 1.0], [1.0, 0.0]], 20, axis=0)
    figure = main_effect(Rows.of(constant.dec, few), 0)
    assert isinstance(figure.data, Levels)
    assert set(figure.data.value) == {0.0}
    assert "is 0 for all 2 levels drawn" in figure.alt
