import csv
import io

import numpy as np
import pandas as pd
import pytest
from anova_report.figures.columns import histogram_figure

from anova_report.explorer.downloads import columns, csv_document
from anova_report.measures.local import explanation
from anova_report.measures.variance import variance_shares
from tests.explorer import examples
from tests.explorer.examples import HOSTILE
from tests.figures.samples import SAMPLES


@pytest.mark.parametrize("kind", sorted(SAMPLES))
@pytest.mark.parametrize("which", ["rich", "edge"])
def test_columns_of_every_kind_have_equal_lengths(kind, which):
    found = columns(getattr(SAMPLES[kind], which))
    assert found
    assert len({len(column) for column in found.values()}) == 1


@pytest.fixture(scope="module")
def views():
    return examples.known().views(term=("a", "c"))


def test_shares_are_those_of_the_measure(views):
    frame = pd.DataFrame(columns(views.overview()["shares"])).set_index("term")
    for share in variance_shares(examples.known().dec).terms:
        assert frame.loc[share.label, "total"] == pytest.approx(share.total, abs=1e-4)
        assert frame.loc[share.label, "structural"] == pytest.approx(share.structural, abs=1e-4)


def test_a_curve_has_its_values_and_its_band(views):
    frame = pd.DataFrame(columns(views.term()["main 1"]))
    assert list(frame.columns) == ["a", "effect", "lower", "upper"]
    np.testing.assert_allclose(frame["effect"], 2 * frame["a"], atol=0.2)
    assert (frame["lower"] <= frame["upper"]).all()


def test_a_surface_is_long_and_holds_the_middles_of_its_cells(views):
    frame = pd.DataFrame(columns(views.term()["surface"]))
    np.testing.assert_allclose(frame["effect"], 4 * frame["a"] * frame["c"], atol=0.5)
    assert len(frame) == frame["a"].nunique() * frame["c"].nunique()
    assert frame["thin"].dtype == bool


def test_slices_name_their_line(views):
    frame = pd.DataFrame(columns(views.term()["slices"]))
    assert frame["line"].nunique() == 4
    assert list(frame.columns) == ["line", "a", "effect"]


def test_levels_are_named():
    frame = pd.DataFrame(columns(examples.mixed().views(term=HOSTILE).term()["effect"]))
    assert set(frame[HOSTILE]) == {"red", "<b>blue</b>", "green"}
    assert frame["share of rows"].sum() == pytest.approx(1.0, abs=1e-3)


def test_steps_add_up_to_the_answer(views):
    frame = pd.DataFrame(columns(views.row()["waterfall"]))
    *parts, answer = frame["contribution"]
    assert sum(parts) == pytest.approx(answer)
    found = explanation(examples.known().dec, examples.known().X.iloc[[3]])
    assert set(frame["term"]) == {"mean", "gap", "answer", *(item.label for item in found.contributions if item.value)}


def test_points_and_cells_have_rows_of_their_own(views):
    scatter, matrix = (views.trust()[name] for name in ("scatter", "matrix"))
    assert columns(scatter)["row"] == list(scatter.data.rows)
    assert columns(matrix)["cosine"] == [cell.value for cell in matrix.data.cells]
    regions = views.trust()["regions"]
    assert len(columns(regions)["gap"]) == sum(map(len, regions.data.gap))


def test_rarer_kinds_give_what_their_table_says():
    found = histogram_figure(examples.known().state().rows, "a")
    assert columns(found)["rows"] == [cells[1] for cells in found.table.rows]


def test_csv_keeps_names_that_hold_commas_and_quotes():
    written = csv_document({HOSTILE: [1.5, "a, b"], "n": [1, 2]})
    assert list(csv.reader(io.StringIO(written))) == [[HOSTILE, "n"], ["1.5", "1"], ["a, b", "2"]]
