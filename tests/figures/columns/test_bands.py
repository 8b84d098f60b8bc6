"""Effects with their bands, as figures and tables hold them."""

import numpy as np

from anova_report.figures.columns.bands import bounds, effect_axis, effect_columns, effect_head
from anova_report.figures.columns.rows import Effect

VALUE = np.array([-1.0, 0.5, 1.0])


def test_bounds_are_as_fine_as_the_effect_and_empty_where_unknown():
    lower, upper = bounds(Effect(VALUE, VALUE - 1 / 3, VALUE + 1 / 3))
    assert lower == (-1.3333, 0.1667, 0.6667)
    assert upper == (-0.6667, 0.8333, 1.3333)
    assert bounds(Effect(VALUE, None, None)) == ((), ())


def test_bounds_of_no_effect_are_kept():
    nothing = np.zeros(2)
    assert bounds(Effect(nothing, nothing - 0.001, nothing + 0.001)) == ((-0.001, -0.001), (0.001, 0.001))


def test_the_axis_holds_the_band(known):
    axis = effect_axis(known.dec, Effect(VALUE, VALUE - 0.5, VALUE + 0.5), 0)
    assert axis.low < -1.5
    assert axis.high > 1.5
    assert axis.label == "effect on the answer"


def test_a_band_that_runs_wild_does_not_squash_the_effect(known):
    wild = effect_axis(known.dec, Effect(VALUE, VALUE - 1e6, VALUE + 1e6), 0)
    assert wild.low < VALUE.min()
    assert wild.high > VALUE.max()
    assert wild.high - wild.low < 4 * np.ptp(VALUE)


def test_the_band_of_no_effect_is_shown_whole(known):
    nothing = np.zeros(2)
    axis = effect_axis(known.dec, Effect(nothing, nothing - 7, nothing + 7), 0)
    assert axis.low < -7
    assert axis.high > 7


def test_tables_have_bounds_only_where_they_are_known():
    with_band, without = Effect(VALUE, VALUE - 1, VALUE + 1), Effect(VALUE, None, None)
    assert len(effect_head(with_band)) == len(effect_columns(with_band)) == 3
    assert len(effect_head(without)) == len(effect_columns(without)) == 1
    assert effect_columns(with_band)[1] == ["−2", "−0.5", "0"]
