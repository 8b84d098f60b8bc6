from xml.etree.ElementTree import fromstring

import pytest
from anova_report.figures.columns import Rows, main_effect, scatter_figure

from anova_report.explorer import stills
from anova_report.explorer.fragments import checked
from anova_report.explorer.pointing import grouped
from anova_report.figures import svg
from anova_report.figures.style import paint
from tests.explorer import examples
from tests.explorer.examples import HOSTILE

SPACE = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def rows() -> Rows:
    return examples.mixed().state().rows


def coloured(rows, feature):
    figure = scatter_figure(rows, 0, row=4)
    groups = grouped(rows, feature, figure.data.rows)
    return groups, stills.draw(figure, groups)


def test_without_groups_a_picture_is_that_of_the_figure(rows):
    figure = scatter_figure(rows, 0)
    assert stills.draw(figure) == svg.draw(figure)


def test_only_points_are_coloured(rows):
    groups, _ = coloured(rows, "size")
    figure = main_effect(rows, (0,))
    assert stills.draw(figure, groups) == svg.draw(figure)


def test_every_group_is_drawn_in_its_colour(rows):
    groups, drawn = coloured(rows, "size")
    root = fromstring(drawn)  # noqa: S314 drawn above
    for position, colour in enumerate(groups.colours):
        [layer] = [element for element in root.iter() if element.get("class") == f"group-{position}"]
        assert layer.find(f".//{SPACE}circle").get("fill") == paint(colour)
    assert len({element.get("id") for element in root.iter(f"{SPACE}marker")}) == len(groups.names) + 1


def test_the_marked_row_stays_on_top(rows):
    _, drawn = coloured(rows, "size")
    root = fromstring(drawn)  # noqa: S314 drawn above
    classes = [element.get("class") for element in root]
    assert max(at for at, name in enumerate(classes) if name == "marked") > classes.index("group-2")


def test_a_legend_names_groups_and_feature_escaped(rows):
    groups, drawn = coloured(rows, HOSTILE)
    words = [element.text for element in fromstring(drawn).iter(f"{SPACE}text")]  # noqa: S314 drawn above
    assert set(groups.names) <= set(words)
    assert any(text.startswith("colours: <script>") for text in words)
    assert "<script" not in drawn
    assert checked(drawn) == drawn
