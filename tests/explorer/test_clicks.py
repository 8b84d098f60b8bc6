import pytest
from anova_report.figures.columns import (
    Rows,
    force,
    local_network,
    main_effect,
    matrix_figure,
    network_figure,
    scatter_figure,
    shares_figure,
    waterfall,
)

from anova_report.explorer.pointing import row_at, term_at
from tests.explorer import examples


@pytest.fixture(scope="module")
def rows() -> Rows:
    return examples.known().state().rows


def test_a_share_bar_leads_to_its_term(rows):
    figure = shares_figure(rows.dec)
    for position, term in enumerate(figure.data.terms):
        assert term_at(rows.dec, figure, 0.1, position + 0.4) == term
        assert term_at(rows.dec, figure, 0.9, position - 0.4) == term


def test_what_is_unexplained_and_what_lies_beyond_leads_nowhere(rows):
    figure = shares_figure(rows.dec)
    for y in (-1.0, len(figure.data.terms), 99.0):
        assert term_at(rows.dec, figure, 0.1, y) is None


def test_a_circle_of_a_network_leads_to_its_main_effect(rows):
    figure = network_figure(rows.dec)
    for node in figure.data.nodes:
        assert term_at(rows.dec, figure, node.x + 0.05, node.y) == rows.dec.resolve(node.label)


@pytest.mark.parametrize("draw", [lambda rows: network_figure(rows.dec), lambda rows: local_network(rows, 3)])
def test_a_line_of_a_network_leads_to_its_pair(rows, draw):
    figure = draw(rows)
    assert figure.data.edges
    for edge in figure.data.edges:
        first, second = figure.data.nodes[edge.first], figure.data.nodes[edge.second]
        x, y = (0.6 * first.x + 0.4 * second.x, 0.6 * first.y + 0.4 * second.y)
        assert term_at(rows.dec, figure, x, y) == rows.dec.resolve((first.label, second.label))


def test_the_free_space_of_a_network_leads_nowhere(rows):
    assert term_at(rows.dec, network_figure(rows.dec), 5.0, 5.0) is None


def test_beyond_the_end_of_a_line_there_is_no_pair(rows):
    figure = network_figure(rows.dec)
    edge = figure.data.edges[0]
    first, second = figure.data.nodes[edge.first], figure.data.nodes[edge.second]
    beyond = (second.x + 0.5 * (second.x - first.x), second.y + 0.5 * (second.y - first.y))
    assert term_at(rows.dec, figure, *beyond) is None


def test_a_cell_of_the_matrix_leads_to_its_term(rows):
    figure = matrix_figure(rows.dec)
    assert figure.data.cells
    for cell in figure.data.cells:
        expected = rows.dec.resolve(tuple({figure.data.features[cell.row], figure.data.features[cell.column]}))
        assert term_at(rows.dec, figure, cell.column + 0.3, cell.row - 0.3) == expected


def test_a_cell_without_a_pair_leads_nowhere(rows):
    figure = matrix_figure(rows.dec)
    pairs = {frozenset((cell.row, cell.column)) for cell in figure.data.cells}
    empty = [(i, j) for i in range(3) for j in range(3) if frozenset((i, j)) not in pairs]
    for row, column in empty:
        assert term_at(rows.dec, figure, column, row) is None
    assert term_at(rows.dec, figure, 3.0, 0.0) is None


def test_a_step_of_a_waterfall_leads_to_its_term(rows):
    figure = waterfall(rows, 3)
    for position, step in enumerate(figure.data.steps, 1):
        assert rows.dec.label(term_at(rows.dec, figure, 0.0, float(position))) == step.label
    assert term_at(rows.dec, figure, 0.0, 0.0) is None
    assert term_at(rows.dec, figure, 0.0, len(figure.data.steps) + 1.0) is None


def test_small_steps_taken_together_lead_nowhere(rows):
    figure = waterfall(rows, 3, top=2)
    assert figure.data.steps[-1].label.endswith("further terms")
    assert term_at(rows.dec, figure, 0.0, 2.0) is None


def test_other_pictures_lead_nowhere(rows):
    for figure in (force(rows, 3), main_effect(rows, (0,)), scatter_figure(rows)):
        assert term_at(rows.dec, figure, 0.0, 1.0) is None


def test_a_point_leads_to_its_row(rows):
    data = scatter_figure(rows).data
    for position in (0, 100, 700):
        found = row_at(scatter_figure(rows), data.at[position], data.value[position])
        spot = data.rows.index(found)
        assert data.at[spot] == pytest.approx(data.at[position], abs=1e-3)
        assert data.value[spot] == pytest.approx(data.value[position], abs=1e-3)


def test_only_points_near_by_are_hit(rows):
    figure = scatter_figure(rows)
    assert row_at(figure, figure.data.x.low, figure.data.y.high) is None
    assert row_at(shares_figure(rows.dec), 0.0, 0.0) is None
