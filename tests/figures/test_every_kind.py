"""Whatever a figure holds, both interpreters draw its scene: safe, self-contained, as large as it says."""

import json
import math
import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

import bokeh.models
import pytest
from bokeh.models import CategoricalColorMapper, HoverTool

from anova_report.figures.figure import Figure
from anova_report.figures.kinds import KINDS
from anova_report.figures.layout import legend_height
from anova_report.figures.live import PlotWriter, bokehjs, build, update
from anova_report.figures.live.embedding import SUPPLIED, written
from anova_report.figures.scene import Legend, Mark
from anova_report.figures.style import LIGHT
from anova_report.figures.svg import draw
from tests.figures.reading import SPACE, parse
from tests.figures.samples import EMOJI, HOSTILE, LONG, RIGHT_TO_LEFT, SAMPLES, figure, rich_curve, rich_surface, steps

NAMES = {
    "hostile": HOSTILE,
    "attribute": '"><img src=x onerror="alert(1)">',
    "entities": "&amp;&lt;]]><!-- -->&#0;",
    "long": LONG[:200],
    "right to left": RIGHT_TO_LEFT,
    "emoji": EMOJI,
    "control": "a\x00b\x07\x1b[31m\ud800\ufffe\u202e",
    "empty": "",
    "lines": "one\ntwo\r\n\tthree",
}
# What has a meaning or a length of its own, as positions have.
FIXED = {"Curve.gaps", "Overlay.gaps", "Contrast.beyond", "Contrast.missing", "Surface.marked", "Cell.status"}
NUMBER = re.compile(r"nan|inf", re.IGNORECASE)


def changed(value: Any, change: Callable[[Any], Any]) -> Any:
    """Apply a change to every leaf and every tuple of some data."""
    if is_dataclass(value):
        return replace(
            value,
            **{
                field.name: changed(getattr(value, field.name), change)
                for field in fields(value)
                if f"{type(value).__name__}.{field.name}" not in FIXED
                and not isinstance(getattr(value, field.name), int)
            },
        )
    if isinstance(value, tuple):
        return change(tuple(changed(item, change) for item in value))
    return change(value)


def with_names(name: str) -> Callable[[Any], Any]:
    return lambda value: name if isinstance(value, str) else value


def with_floats(make: Callable[[float], float]) -> Callable[[Any], Any]:
    return lambda value: make(value) if type(value) is float else value


CHANGES: dict[str, Callable[[Any], Any]] = {
    **{f"{kind} names": with_names(name) for kind, name in NAMES.items()},
    "nothing": lambda value: () if isinstance(value, tuple) else value,
    "one of each": lambda value: value[:1] if isinstance(value, tuple) else value,
    "all zero": with_floats(lambda _: 0.0),
    "all equal": with_floats(lambda _: 3.0),
    "tiny": with_floats(lambda value: value * 1e-12),
    "huge": with_floats(lambda value: value * 1e9),
    "beyond sense": with_floats(lambda value: math.copysign(1e300, value)),
    "all negative": with_floats(lambda value: -abs(value)),
    "counts of nothing": lambda value: 0 if type(value) is int else value,
}

BOTH = [pytest.param(kind, place, id=f"{kind}-{place}") for kind in KINDS for place in ("rich", "edge")]
both = pytest.mark.parametrize(("kind", "place"), BOTH)


def sample(kind: str, place: str = "rich") -> Figure:
    found: Figure = getattr(SAMPLES[kind], place)
    return found


def changed_figure(kind: str, change: str) -> Figure:
    rich = sample(kind)
    return replace(rich, data=changed(rich.data, CHANGES[change]))


def svg(figure: Figure) -> str:
    return draw(figure.scene, key=f"{figure.key}-svg", title=figure.title, alt=figure.alt)


def check_svg(figure: Figure) -> str:
    """Draw a figure and check what holds for every static picture."""
    text = svg(figure)
    root = parse(text)
    wide, high = (f"{side:g}" for side in figure.scene.size)
    assert root.tag == SPACE + "svg"
    assert (root.get("width"), root.get("height"), root.get("viewBox")) == (wide, high, f"0 0 {wide} {high}")
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    assert all((name or "").startswith(f"{figure.key}-svg-") for name in ids)
    for element in root.iter():
        assert element.tag.removeprefix(SPACE) in ALLOWED
        for attribute, value in element.attrib.items():
            check_attribute(attribute, value, ids)
    return text


ALLOWED = {
    *("svg", "title", "desc", "g", "clipPath", "pattern", "marker"),
    *("line", "rect", "circle", "path", "text", "image"),
}


def check_attribute(attribute: str, value: str, ids: list[str | None]) -> None:
    assert not attribute.startswith("on")
    if attribute in ("class", "id", "aria-labelledby", "font-family", "style"):
        return
    if attribute == "href":
        assert re.fullmatch(r"data:image/png;base64,[A-Za-z0-9+/=]+", value)
        return
    for reference in re.findall(r"url\((.*?)\)", value):
        assert reference.startswith("#")
        assert reference[1:] in ids
    plain = re.sub(r"url\(.*?\)|var\(.*?\)", "", value)
    assert not NUMBER.search(plain.replace("inline", "")), (attribute, value)
    assert "://" not in plain
    assert attribute != "d" or value.startswith("M") or not value


PLOTS: dict[str, Any] = {}  # building a plot takes longer than showing another figure on it


def check_live(figure: Figure) -> Any:
    """Draw a figure live, on the plot of the one before it where that fits, and check what holds for every plot."""
    plot = PLOTS.get(figure.kind)
    if plot is None or not update(plot, figure.scene, figure.title):
        plot = PLOTS[figure.kind] = build(figure.scene, figure.title)
    assert (plot.width, plot.height) == tuple(map(round, figure.scene.size))
    for tool in plot.select({"type": HoverTool}):
        for _, words in tool.tooltips:
            # BokehJS reads templates as HTML; labels beside them, and values put into them, it shows as text.
            assert not any(mark in words for mark in ("script", "img", "safe"))
            named = set(re.findall(r"@([a-z_]+)", words))
            assert all(named <= set(renderer.data_source.data) for renderer in tool.renderers)
    for renderer in plot.renderers:
        for value in renderer.glyph.properties_with_values().values():
            mapper = getattr(value, "transform", None)
            if isinstance(mapper, CategoricalColorMapper):
                assert set(renderer.data_source.data[value.field]) <= set(mapper.factors)
        assert len({len(column) for column in renderer.data_source.data.values()}) <= 1
    around = [*plot.below, *plot.above]
    shown = [
        getattr(part, name, None) or ""
        for part in around
        for name in ("axis_label", "text")
        if name in part.properties()
    ]
    assert not any(mark in words for words in shown for mark in ("$$", "\\(", "\\["))
    return plot


@both
def test_every_kind_is_drawn_both_ways(kind, place):
    check_svg(sample(kind, place))
    check_live(sample(kind, place))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("change", CHANGES)
def test_every_kind_survives(kind, change):
    check_svg(changed_figure(kind, change))
    check_live(changed_figure(kind, change))


@pytest.mark.parametrize("kind", KINDS)
def test_all_figures_of_a_kind_have_one_form_so_that_a_live_plot_is_never_built_again(kind):
    changes = ("all zero", "tiny", "hostile names", "counts of nothing")
    forms = {figure.scene.form for figure in (sample(kind), sample(kind, "edge"))}
    forms |= {changed_figure(kind, change).scene.form for change in changes}
    assert len(forms) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_names_of_primitives_are_unique_and_their_columns_belong_together(kind):
    marks = [item for item in sample(kind).scene.items if isinstance(item, Mark)]
    assert len({item.name for item in marks}) == len(marks)
    for item in marks:
        n_items = len(getattr(item, item.COORDINATES[0])) if item.COORDINATES else 0
        assert item.tips is None or len(item.tips) == n_items
        assert len(item.keys) in (0, n_items)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["hostile", "attribute", "entities"])
def test_no_name_becomes_markup(kind, name):
    text = check_svg(replace(changed_figure(kind, f"{name} names"), title=NAMES[name], alt=NAMES[name]))
    assert not any(tag in text for tag in ("<script", "<img", "<!--", "]]>"))
    title, desc = list(parse(text))[:2]
    assert title.text == desc.text == NAMES[name]


@pytest.mark.parametrize("kind", KINDS)
def test_equal_figures_give_equal_bytes_of_a_small_picture_in_named_colors(kind):
    text = svg(sample(kind))
    assert text == svg(replace(sample(kind)))
    assert len(text.encode()) < 9_216
    for element in parse(text).iter():
        assert float(element.get("font-size") or 99) >= 11
        for attribute in ("fill", "stroke"):
            value = element.get(attribute) or "none"
            if value != "none" and not value.startswith("url("):
                found = re.fullmatch(r"var\(--([a-z0-9-]+), (#[0-9a-f]{6})\)", value)
                assert found is not None
                assert LIGHT[found[1]] == found[2]


@pytest.mark.parametrize("kind", KINDS)
def test_two_pictures_on_one_page_share_no_id(kind):
    first, second = (svg(replace(sample(kind), key=key)) for key in ("one", "two"))
    ids = [set(re.findall(r' id="([^"]+)"', text)) for text in (first, second)]
    assert not ids[0] & ids[1]


def parts(value):
    yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from parts(item)


def plot_json(figure: Figure) -> Any:
    return written(build(figure.scene, figure.title))


@cache
def item_of(kind: str, place: str):
    return plot_json(sample(kind, place))


def text_of(item) -> str:
    return json.dumps(item, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


@both
def test_a_plot_is_json_that_needs_no_code_and_is_the_same_every_time(kind, place):
    item = item_of(kind, place)
    assert json.loads(text_of(item)) == item == plot_json(sample(kind, place))
    assert not any(isinstance(part, float) and part.is_integer() for part in parts(item))
    models = [part for part in parts(item["doc"]) if isinstance(part, dict) and part.get("type") == "object"]
    # A page's policy forbids code that is made from text, so such a model would not work.
    assert not any("Custom" in model["name"] for model in models)
    assert [model["id"] for model in models] == [f"p{number}" for number in range(len(models))]
    references = {part["id"] for part in parts(item) if isinstance(part, dict) and set(part) == {"id"}}
    assert references <= {model["id"] for model in models}


def test_what_bokehjs_makes_itself_is_left_out():
    item = text_of(item_of("curve", "rich"))
    for attributes in SUPPLIED.values():
        assert not any(f'"{attribute}":' in item for attribute in attributes)


def test_live_plots_are_small():
    at = steps(0.5, 15.0, 105)
    value = tuple(0.123456789 * x for x in at)
    curve = replace(rich_curve(), at=at, value=value, lower=value, upper=value, overlays=(), missing=None, marked=None)
    surface = rich_surface(36)
    noise = tuple(
        tuple(value + 1e-3 * ((7 * i + j) % 13) for i, value in enumerate(row)) for j, row in enumerate(surface.value)
    )
    for data, kilobytes in ((curve, 30), (replace(surface, value=noise), 30)):
        assert len(text_of(plot_json(figure("figure", "A title", data))).encode()) <= kilobytes * 1024


def test_bokehjs_is_the_core_alone():
    code = bokehjs()
    assert len(code) < 1_400_000
    assert "</script" not in code.lower()
    assert bokehjs() is code


def default(model: str, attribute: str):
    """A default of BokehJS as it would be written."""
    value = getattr(getattr(bokeh.models, model)(), attribute)
    return {"type": "map"} if value == {} else value


def assert_same_plot(found, expected):
    """Compare two plots as JSON; the one found may say aloud what is the default."""
    if isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same_plot(one, other)
    elif isinstance(expected, dict) and expected.get("type") == "object" and "attributes" in expected:
        assert found["name"] == expected["name"]
        for attribute, value in found["attributes"].items():
            if attribute in expected["attributes"]:
                assert_same_plot(value, expected["attributes"][attribute])
            else:
                assert value == default(expected["name"], attribute)
        assert found["attributes"].keys() >= expected["attributes"].keys()
    elif isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for name in expected:
            assert_same_plot(found[name], expected[name])
    else:
        assert found == expected


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_written_after_others_of_its_kind_is_the_same_plot_as_alone(kind):
    writer = PlotWriter()
    for place in ("rich", "edge", "rich"):
        shown = sample(kind, place)
        assert_same_plot(writer.write(shown.scene, shown.title), plot_json(shown))


@pytest.mark.parametrize("kind", SAMPLES)
@pytest.mark.parametrize("form", ["rich", "edge"])
def test_no_legend_lies_over_what_is_drawn(kind, form):
    scene = getattr(SAMPLES[kind], form).data.scene()
    for legend in (item for item in scene.items if isinstance(item, Legend) and item.entries):
        bottom = legend.top + legend_height(legend.entries, legend.room)
        for panel in scene.panels:
            apart = bottom <= panel.frame.top or legend.top >= panel.frame.bottom
            assert apart or legend.left >= panel.frame.right, (kind, legend)
        assert bottom <= scene.size[1]
