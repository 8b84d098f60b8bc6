import base64
import csv
import io
from dataclasses import replace
from xml.etree.ElementTree import fromstring

import numpy as np
import pandas as pd
import pytest

from anova_report.explorer.downloads import EDGE, columns, csv_document, file_links, of_output, svg_document
from anova_report.explorer.fragments import checked
from anova_report.figures.spread import histogram_figure
from anova_report.measures.local import explanation
from anova_report.measures.variance import variance_shares
from anova_report.report import build_audit
from tests.explorer import examples
from tests.explorer.examples import HOSTILE
from tests.figures.samples import SAMPLES

SPACE = "{http://www.w3.org/2000/svg}"


def frame(figure):
    return pd.DataFrame(columns(figure))


def inside(link):
    head, _, content = link.address.partition(";base64,")
    return head, base64.b64decode(content).decode("utf-8")


@pytest.fixture(scope="module")
def views():
    return examples.known().views(term=("a", "c"), colour_by="b")


@pytest.fixture(scope="module")
def mixed():
    return examples.mixed().views(term=(0, 3), colour_by=HOSTILE)


@pytest.mark.parametrize("kind", sorted(SAMPLES))
@pytest.mark.parametrize("which", ["rich", "edge"])
def test_columns_of_every_kind_have_equal_lengths(kind, which):
    found = columns(getattr(SAMPLES[kind], which))
    assert found
    assert len({len(column) for column in found.values()}) == 1


def test_shares_are_those_of_the_measure_and_name_their_terms_by_indices():
    views = examples.named().views()
    found = frame(views.overview()["shares"]).set_index("indices")
    assert (found.loc[[(2,)], "term"] == found.loc[[(0, 1)], "term"].to_numpy()).all()  # "a × b" is a feature, too
    for share in variance_shares(examples.named().dec).terms:
        if share.term in found.index:
            assert found.loc[[share.term], "total"].item() == pytest.approx(share.total, abs=1e-4)
            assert found.loc[[share.term], "structural"].item() == pytest.approx(share.structural, abs=1e-4)


@pytest.mark.parametrize(("feature", "slope"), [("effect", 4.0), ("lower", 5.0), ("a × b", 3.0)])
def test_no_column_of_our_own_replaces_that_of_a_feature(feature, slope):
    figure = examples.named().views(term=feature).term()["effect"]
    found = columns(figure)
    at, effect, lower, upper = found.values()
    assert next(iter(found)) == feature
    assert len(at) > 60
    assert set(at) <= set(figure.data.at)
    np.testing.assert_allclose(effect, slope * np.array(at), atol=0.5)
    assert np.all(np.array(lower) <= np.array(upper))
    ours = [name.removesuffix(" (2)") for name in list(found)[1:]]
    assert ours == ["effect", "lower", "upper"]
    assert [name for name in found if name.endswith(" (2)")] == [f"{name} (2)" for name in ours if name == feature]
    assert next(csv.reader(io.StringIO(csv_document(found)))) == list(found)


def test_features_of_a_pair_keep_their_names():
    figures = examples.named().views(term=("effect", "lower")).term()
    assert list(columns(figures["surface"])) == ["effect", "lower", "effect (2)", "thin"]
    assert list(columns(figures["slices"])) == ["line", "effect", "effect (2)"]
    surface = frame(figures["surface"])
    drawn = surface[~surface["thin"]]
    np.testing.assert_allclose(drawn["effect (2)"], drawn.eval("5 * effect * lower"), atol=0.8)


def test_curves_and_surfaces_hold_the_component(views):
    curve, surface = frame(views.term()["main 1"]), frame(views.term()["surface"])
    np.testing.assert_allclose(curve["effect"], 2 * curve["a"], atol=0.2)
    drawn = surface[~surface["thin"]]
    np.testing.assert_allclose(drawn["effect"], 4 * drawn["a"] * drawn["c"], atol=0.5)
    assert surface.loc[surface["thin"], "effect"].isna().all()  # where too few rows lie, nothing is known
    assert len(surface) == surface["a"].nunique() * surface["c"].nunique()
    assert surface["thin"].dtype == bool


def test_slices_and_levels_are_named(views):
    found = frame(views.term()["slices"])
    assert list(found.columns) == ["line", "a", "effect"]
    assert found["line"].nunique() == 4
    assert found["line"].str.startswith("c = ").all()
    found = frame(examples.mixed().views(term=HOSTILE).term()["effect"])
    assert set(found[HOSTILE]) == {"red", "<b>blue</b>", "green"}
    assert found["share of rows"].sum() == pytest.approx(1.0, abs=1e-3)


def test_steps_add_up_to_the_prediction_and_know_their_terms():
    example = examples.named()
    found = frame(example.views().row()["waterfall"])
    *parts, prediction = found["contribution"]
    assert sum(parts) == pytest.approx(prediction)
    values = {item.term: item.value for item in explanation(example.dec, example.X.iloc[[3]]).contributions}
    for term, value in zip(found["indices"], found["contribution"], strict=True):
        if term:
            assert value == pytest.approx(values[term], abs=1e-3)
    assert (found.loc[found["indices"] == (), "term"]).tolist()[0] == "mean"
    assert (found["term"] == "mean").sum() == 2  # the mean itself, and the feature of this name


def test_points_and_cells_have_rows_of_their_own(views):
    scatter, matrix, regions = (views.trust()[name] for name in ("scatter", "matrix", "regions"))
    found = columns(scatter)
    assert found["row"] == list(scatter.data.rows)
    assert set(found["b"]) == set(scatter.data.group_names)
    assert columns(matrix)["cosine"] == [cell.value for cell in matrix.data.cells]
    assert len(columns(regions)["residual"]) == sum(map(len, regions.data.gap))


def test_rarer_kinds_have_the_columns_of_their_table():
    found = histogram_figure(examples.known().state().rows, "a")
    assert columns(found)["rows"] == [cells[1] for cells in found.table.rows]


def test_csv_keeps_names_that_hold_commas_and_quotes():
    written = csv_document({HOSTILE: [1.5, "a, b"], "n": [1, 2]})
    assert list(csv.reader(io.StringIO(written))) == [[HOSTILE, "n"], ["1.5", "1"], ["a, b", "2"]]


def test_one_file_holds_all_pictures_below_each_other(mixed):
    figures = mixed.term()
    root = fromstring(svg_document(figures))  # noqa: S314 drawn above
    pictures = root.findall(f"{SPACE}svg")
    assert [picture.find(f"{SPACE}title").text for picture in pictures] == [figure.title for figure in figures.values()]
    tops = [int(picture.get("y")) for picture in pictures]
    bottoms = [int(picture.get("y")) + float(picture.get("height")) for picture in pictures]
    assert all(bottom < top for bottom, top in zip(bottoms, tops[1:], strict=False))
    assert int(root.get("height")) >= bottoms[-1]
    assert int(root.get("width")) == max(figure.scene.size[0] for figure in figures.values()) + 2 * EDGE


def test_a_file_is_well_formed_escaped_and_fetches_nothing(mixed):
    for tab in ("overview", "term", "row", "trust"):
        written = svg_document(mixed.of(tab))
        assert checked(written) == written
        assert "<script" not in written
    assert "&lt;script&gt;" in svg_document(mixed.trust())


def test_links_hold_the_pictures_and_a_table_for_each(mixed):
    figures = mixed.row()
    [whole], tables = file_links("row", figures, "svg"), file_links("row", figures, "csv")
    assert file_links("row", figures, "png") == [replace(whole, file="row.png", words="All pictures here (PNG)")]
    head, content = inside(whole)
    assert (whole.file, head) == ("row.svg", "data:image/svg+xml;charset=utf-8")
    assert content == svg_document(figures)
    assert [link.file for link in tables] == ["force.csv", "waterfall.csv", "local.csv"]
    head, content = inside(tables[1])
    assert head == "data:text/csv;charset=utf-8"
    assert pd.read_csv(io.StringIO(content))["contribution"].dtype == float
    assert file_links("trust", {}, "csv") == []


def test_an_audit_can_be_kept_to_one_output():
    example = examples.mixed()
    audit = build_audit(example.dec, example.X, example.predictions, rows=[3], top_mains=1, top_pairs=1, progress=False)
    kept = of_output(audit, 1)
    assert [output.name for output in kept.outputs] == ["<i>second</i>"]
    assert not [key for key in kept.figures if key.startswith("o0-")]
    assert {key for key in audit.figures if key.startswith("o1-")} <= set(kept.figures)
