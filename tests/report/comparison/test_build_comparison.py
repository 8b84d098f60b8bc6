from dataclasses import replace

import numpy as np
import pytest

from anova_report.errors import InputError
from anova_report.figures.contrasts import Contrast, LevelContrast
from anova_report.report.comparison.build_comparison import build_comparison
from anova_report.report.comparison.comparison import comparison_facts, render_comparison
from tests.report.fits import classes, mixed, published
from tests.report.two_fits import CREATED, KINK, decomposed, planted_change, planted_pair


@pytest.fixture(scope="module")
def changed():
    return planted_change().page()


@pytest.fixture(scope="module")
def paired():
    return planted_pair().page()


def test_identical_decompositions_do_not_differ_beyond_the_bands():
    dec, X = mixed().dec, mixed().X
    page = build_comparison(dec, dec, X, created=CREATED)
    [output] = page.outputs
    assert not page.changed
    assert output.changed is False
    assert output.different == output.moved == output.pairs == ()
    assert output.words.startswith("The function is the same: on the same 1,200 rows")
    contrasts = [figure.data for figure in page.figures.values() if isinstance(figure.data, Contrast | LevelContrast)]
    assert contrasts
    assert all(data.first.value == data.second.value for data in contrasts)
    assert not any(any(data.beyond) for data in contrasts)


def test_a_planted_change_is_found_at_its_feature_and_comes_first(changed):
    [output] = changed.outputs
    assert output.different[0] == "age"
    assert output.mains[0].label == "age"
    assert output.mains[0].differs
    assert "owner" not in output.different
    assert output.words.startswith(
        "The function changed: on inputs that both know, the predictions of after and before are "
    )
    assert "age (" in output.words


def test_a_planted_change_is_marked_where_it_was_planted(changed):
    data = changed.figures[changed.outputs[0].mains[0].figure].data
    assert isinstance(data, Contrast)
    assert data.beyond
    rows = planted_change().X["age"].dropna().to_numpy()
    marked = np.any([(rows >= low) & (rows <= high) for low, high in data.beyond], axis=0)
    # Effects are centered: far above the kink and far below it the curves differ, where they cross they do not.
    assert marked[rows > KINK + 10].mean() > 0.9
    assert data.beyond[-1][1] >= KINK + 15


def test_the_curves_of_the_page_are_the_components_with_mean_zero(changed):
    """Component minus its mean over the rows, worked out from the decomposition itself."""
    two, data = planted_change(), changed.figures[changed.outputs[0].mains[0].figure].data
    rows = two.X.iloc[[0] * len(data.at)].assign(age=np.array(data.at))
    for trace, dec in ((data.first, two.before), (data.second, two.after)):
        wanted = dec.component("age", rows) - dec.component("age", two.X).mean()
        assert np.allclose(trace.value, wanted, atol=2e-3 * np.ptp(wanted) + 1e-4)


def test_a_planted_pair_has_three_surfaces_in_the_same_colors(paired):
    [output] = paired.outputs
    assert output.pairs[0].label == "income × age"
    first, second, difference = (
        paired.figures[key].data for key in (output.pairs[0].first, output.pairs[0].second, output.pairs[0].difference)
    )
    assert first.limit == second.limit == difference.limit
    assert (first.x, first.y) == (second.x, second.y) == (difference.x, difference.y)
    assert np.allclose(np.array(second.value) - np.array(first.value), difference.value, atol=1e-3 * first.limit)


def test_the_difference_below_the_curves_is_the_second_minus_the_first_with_the_band_that_judges_it(changed):
    data = changed.figures[changed.outputs[0].mains[0].figure].data
    difference = np.array(data.second.value) - np.array(data.first.value)
    assert np.allclose(data.difference.value, difference, atol=2e-3 * np.ptp(difference))
    zero_is_out = (np.array(data.difference.lower) > 0) | (np.array(data.difference.upper) < 0)
    inside = [any(low < at < high for low, high in data.beyond) for at in data.at]
    # Bands are measured at rows and interpolated, so the two may part at the ends of ranges, and nowhere else.
    assert np.mean(zero_is_out == np.array(inside)) > 0.9
    drawn = [not any(low <= at <= high for low, high in data.gaps) for at in data.at]
    assert data.gap.low <= min(np.array(data.difference.value)[drawn])
    assert data.gap.high >= max(np.array(data.difference.value)[drawn])
    assert data.gap.label == "after minus before"


def test_without_rows_points_are_made_up_and_the_page_says_so():
    two = planted_change()
    page = build_comparison(two.before, two.after, created=CREATED)
    assert page.outputs[0].different[0] == "age"
    assert any("correlations of their ranks" in note for note in page.notes)


def test_rows_of_a_sorted_table_read_as_inputs_that_moved_under_the_same_function():
    rng = np.random.default_rng(7)
    X = rng.normal(size=(9000, 2))
    X = X[np.argsort(X[:, 0])]
    predictions = X[:, 0] + X[:, 1] + X[:, 0] * X[:, 1]
    whole, part = (decomposed(X[:n], predictions[:n]) for n in (9000, 4500))
    page = build_comparison(whole, part, X, names=("all", "part"), created=CREATED)
    [output] = page.outputs
    assert output.changed is page.changed is False
    assert output.words.startswith(
        "The function is the same: on inputs that both know, the predictions of part and all are less than 0.1%"
    )
    assert "The inputs moved: x0 (50.0% of the rows)" in output.words
    assert output.inputs_moved == ("x0",)
    assert "x1" in output.different  # its component is another where x0 is low
    facts = comparison_facts(page)
    assert (facts.verdict, facts.verdict_words) == ("pass", output.words)
    assert "Same function, inputs moved" in render_comparison(page)


def test_every_output_that_both_have_is_compared():
    dec, X = classes().dec, classes().X
    page = build_comparison(dec, dec, X, created=CREATED)
    assert [output.name for output in page.outputs] == ["low", "high"]
    assert len({output.anchor for output in page.outputs}) == 2
    one = build_comparison(dec, dec, X, output="high", created=CREATED)
    assert [output.name for output in one.outputs] == ["high"]


def test_without_track_of_uncertainty_nothing_is_called_different():
    dec, X = replace(published().dec, fingerprint=None), published().X  # nor of the rows
    page = build_comparison(dec, dec, X, created=CREATED)
    assert page.outputs[0].changed is None
    assert page.outputs[0].mains
    assert page.outputs[0].agreeing == ()
    assert not page.changed
    assert "cannot be determined" in page.outputs[0].words
    assert "Not known" in render_comparison(page)


@pytest.mark.parametrize("names", [("A", "A"), ("", "B"), ("A", "  ")])
def test_two_different_names_are_needed(names):
    dec = mixed().dec
    with pytest.raises(InputError, match="Two different names"):
        build_comparison(dec, dec, mixed().X, names=names)


def test_outputs_without_a_common_name_must_be_chosen():
    dec = classes().dec
    other = replace(dec, output_names=("left", "right"))
    with pytest.raises(InputError, match="no output in common"):
        build_comparison(dec, other, classes().X)
    page = build_comparison(dec, other, classes().X, output=("low", "left"), created=CREATED)
    assert page.outputs[0].name == "low / left"


def test_only_so_many_main_effects_are_drawn_and_the_rest_is_counted():
    page = planted_pair().page(top_mains=1, top_pairs=0)
    [output] = page.outputs
    assert len(output.mains) == len(output.agreeing) == 1
    assert output.pairs == ()
    assert output.more == len(output.different) - 1 > 0
    assert f"{output.more} further effect" in render_comparison(page)
