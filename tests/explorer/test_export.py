import base64
from xml.etree.ElementTree import fromstring

import pandas as pd
import pytest

from anova_report.explorer.downloads import EDGE, file_links, of_output, svg_document
from anova_report.explorer.fragments import checked
from anova_report.figures.style import size
from anova_report.report import build_audit
from anova_report.report.page.render import render
from tests.explorer import examples
from tests.explorer.examples import HOSTILE

SPACE = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def views():
    return examples.mixed().views(term=(0, 3), colour_by=HOSTILE)


def inside(link):
    head, _, content = link.address.partition(";base64,")
    return head, base64.b64decode(content).decode("utf-8")


def test_one_file_holds_all_pictures_below_each_other(views):
    figures = views.term()
    root = fromstring(svg_document(figures))  # noqa: S314 drawn above
    pictures = root.findall(f"{SPACE}svg")
    assert [picture.find(f"{SPACE}title").text for picture in pictures] == [figure.title for figure in figures.values()]
    tops = [int(picture.get("y")) for picture in pictures]
    bottoms = [int(picture.get("y")) + int(picture.get("height")) for picture in pictures]
    assert all(bottom < top for bottom, top in zip(bottoms, tops[1:], strict=False))
    assert int(root.get("height")) >= bottoms[-1]
    assert int(root.get("width")) == max(size(figure.data)[0] for figure in figures.values()) + 2 * EDGE


def test_a_file_is_well_formed_escaped_and_fetches_nothing(views):
    for tab in ("overview", "term", "row", "trust"):
        written = svg_document(views.of(tab), views.groups())
        assert checked(written) == written
        assert "<script" not in written
    assert f"Main effect of {HOSTILE}" in [
        text.text
        for text in fromstring(  # noqa: S314 drawn by ourselves
            svg_document(examples.mixed().views(term=HOSTILE).term())
        ).findall(f"{SPACE}text")
    ]


def test_colours_of_points_come_along(views):
    coloured = svg_document(views.trust(), views.groups())
    assert 'class="group-0"' in coloured
    assert 'class="group-0"' not in svg_document(views.trust())


def test_links_hold_the_pictures_and_a_table_for_each(views):
    figures = views.row()
    whole, *tables = file_links("row", figures)
    head, content = inside(whole)
    assert (whole.file, head) == ("row.svg", "data:image/svg+xml;charset=utf-8")
    assert content == svg_document(figures)
    assert [link.file for link in tables] == ["force.csv", "waterfall.csv", "local.csv"]
    head, content = inside(tables[1])
    assert head == "data:text/csv;charset=utf-8"
    assert content.startswith("term,values,contribution\nmean,")


def test_tables_can_be_read_back(views, tmp_path):
    link = next(link for link in file_links("term", views.term()) if link.file == "surface.csv")
    (tmp_path / link.file).write_text(inside(link)[1], encoding="utf-8")
    frame = pd.read_csv(tmp_path / link.file)
    assert list(frame.columns) == ["income", "member", "effect", "thin"]
    assert frame["effect"].dtype == float


def test_without_pictures_there_are_no_links():
    assert file_links("trust", {}) == []


def test_an_audit_can_be_kept_to_one_output():
    example = examples.mixed()
    audit = build_audit(example.dec, example.X, example.answers, rows=[3], top_mains=1, top_pairs=1, progress=False)
    kept = of_output(audit, 1)
    assert [output.name for output in kept.outputs] == ["<i>second</i>"]
    assert not [key for key in {**kept.figures, **kept.plots} if key.startswith("o0-")]
    assert {key for key in audit.figures if key.startswith("o1-")} <= set(kept.figures)
    assert "&lt;i&gt;second&lt;/i&gt;" in render(kept)
