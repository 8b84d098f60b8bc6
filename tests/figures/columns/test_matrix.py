"""The orthogonality matrix against the measure and the limits of the findings."""

import numpy as np
import pytest

from anova_report import Decomposition, FunctionalANOVA, measures
from anova_report.figures.columns import matrix_figure
from anova_report.figures.columns.matrix import _status
from anova_report.measures.findings import COSINE
from anova_report.measures.orthogonality import MAX_CORR_SHARE, NOISE_QUANTILE, NOISE_SIGMAS, Cosine
from tests.ground_truth import FGM


def cosine(value: float, floor: float, share: float = 0.5) -> Cosine:
    return Cosine((0, 1), (0,), "a × b | a", share, 0.0, 0.01, value, floor, None)


def test_a_cell_off_the_diagonal_is_the_pair_with_the_main_effect_of_its_row(known):
    data = matrix_figure(known.dec).data
    measured = {(item.term, item.part): item for item in measures.orthogonality(known.dec).cosines}
    names = {name: index for index, name in enumerate(known.dec.feature_names)}
    off_diagonal = [cell for cell in data.cells if cell.row != cell.column]
    assert len(off_diagonal) == 2
    for cell in off_diagonal:
        row, column = (names[data.features[at]] for at in (cell.row, cell.column))
        item = measured[tuple(sorted((row, column))), (row,)]
        assert cell.value == pytest.approx(item.held_out, abs=1e-6)
        assert cell.floor == pytest.approx(item.held_out_floor, abs=1e-6)
        assert cell.share == pytest.approx(item.share, abs=1e-6)
        assert cell.label == item.label


def test_the_diagonal_is_the_main_effect_with_the_mean(known):
    data = matrix_figure(known.dec).data
    measured = {item.term: item for item in measures.orthogonality(known.dec).cosines if not item.part}
    diagonal = [cell for cell in data.cells if cell.row == cell.column]
    assert len(diagonal) == 3
    for cell in diagonal:
        term = (known.dec.feature_names.index(data.features[cell.row]),)
        assert cell.value == pytest.approx(measured[term].held_out, abs=1e-6)


def test_without_held_out_rows_the_rows_of_the_fit_are_judged(published):
    figure = matrix_figure(published.dec)
    measured = {item.label: item for item in measures.orthogonality(published.dec).cosines}
    for cell in figure.data.cells:
        assert cell.value == pytest.approx(measured[cell.label].cosine, abs=1e-6)
        assert cell.floor == pytest.approx(measured[cell.label].noise_floor, abs=1e-6)
    assert "on the rows of the fit" in figure.alt


def test_a_cosine_within_chance_is_fine():
    assert _status(cosine(0.01, 0.01)) == "fine"
    assert _status(cosine(-0.01, 0.01)) == "fine"


def test_a_cosine_above_chance_but_within_the_limit_is_slight():
    assert _status(cosine(COSINE.warn, 0.01)) == "slight"


def test_a_cosine_beyond_the_limit_counts_only_where_chance_cannot_give_it():
    floor = 0.1
    certain = NOISE_SIGMAS / NOISE_QUANTILE * floor
    assert _status(cosine(certain * 0.99, floor)) == "slight"
    assert _status(cosine(certain * 1.01, floor)) == "beyond"
    assert _status(cosine(-certain * 1.01, floor)) == "beyond"


def test_terms_too_small_to_count_are_small_whatever_their_cosine():
    assert _status(cosine(0.9, 0.01, share=MAX_CORR_SHARE * 0.99)) == "small"
    assert _status(cosine(0.9, 0.01, share=MAX_CORR_SHARE)) == "beyond"


def test_the_status_agrees_with_the_finding(known):
    finding = measures.findings(known.dec)["AR004"]
    beyond = [
        cell for cell in matrix_figure(known.dec).data.cells if cell.status == "beyond" and cell.row != cell.column
    ]
    assert bool(beyond) == (finding.status in ("warn", "fail"))


@pytest.fixture(scope="module")
def leaky() -> Decomposition:
    """The published estimator with too coarse a density: pairs keep parts of main effects."""
    rng = np.random.default_rng(0)
    first = rng.normal(size=800)
    X = np.column_stack([first, 0.8 * first + 0.6 * rng.normal(size=800)])
    return FunctionalANOVA.published(K=2, d=3, d_density=0).fit(X, X[:, 0] * X[:, 1] + X[:, 0] ** 3).decomposition_


def test_a_leaky_pair_is_beyond_the_limit(leaky):
    figure = matrix_figure(leaky)
    beyond = [cell for cell in figure.data.cells if cell.status == "beyond"]
    assert beyond
    assert measures.findings(leaky)["AR004"].status == "fail"
    worst = max(beyond, key=lambda cell: abs(cell.value))
    assert worst.label in figure.alt
    assert figure.table.rows[0][-1] == "beyond the limit"


def test_colours_end_at_the_limit_of_failure(known):
    assert matrix_figure(known.dec).data.limit == COSINE.fail


def test_main_effects_only_have_a_diagonal_only(wide):
    data = matrix_figure(wide.dec).data
    assert len(data.features) == 16
    assert {(cell.row, cell.column) for cell in data.cells} == {(at, at) for at in range(16)}


def test_terms_of_three_features_are_left_out(triple):
    data = matrix_figure(triple.dec).data
    assert len(data.cells) == 3 + 2 * 3
    assert all(cell.label.count("×") <= 1 for cell in data.cells)


def test_of_many_features_those_with_pairs_are_drawn(triple):
    """The largest features may have no pair in common; two of three are drawn, with their pair."""
    data = matrix_figure(triple.dec, top=2).data
    assert len(data.features) == 2
    assert sum(cell.row != cell.column for cell in data.cells) == 2


def test_a_constant_model_has_only_terms_too_small_to_count(constant):
    figure = matrix_figure(constant.dec)
    assert {cell.status for cell in figure.data.cells} == {"small"}
    assert figure.alt.startswith("Of 2 cosines on held-out rows, none belongs to a term with 1.0%")


def test_the_table_puts_terms_that_count_first(known):
    table = matrix_figure(known.dec).table
    statuses = [line[-1] for line in table.rows]
    small = "of a term too small to count"
    assert statuses == sorted(statuses, key=lambda status: status == small)


def test_orthogonal_components_lie_within_the_limit():
    X = FGM.draw(4000, np.random.default_rng(0))
    dec = FunctionalANOVA(random_state=0, progress=False).fit(X, FGM.answers(X)).decomposition_
    assert not [cell for cell in matrix_figure(dec).data.cells if cell.status == "beyond"]
