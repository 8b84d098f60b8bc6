"""Whatever a figure holds, its picture is well-formed, self-contained, as large as promised, always the same."""

import math
import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest

from anova_report.errors import InputTypeError
from anova_report.figures.figure import KINDS, Figure
from anova_report.figures.kinds import Axis
from anova_report.figures.style import LIGHT, size
from anova_report.figures.svg import draw
from tests.figures.samples import EMOJI, HOSTILE, LONG, RIGHT_TO_LEFT, SAMPLES
from tests.figures.svg.reading import SPACE, parse

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
FIXED = {"supported", "marked", "status", "time", "first", "second", "row", "column"}  # what has a meaning of its own
NUMBER = re.compile(r"nan|inf", re.IGNORECASE)


def changed(value: Any, change: Callable[[Any], Any]) -> Any:
    """Apply a change to every leaf and every tuple of some data."""
    if is_dataclass(value):
        return replace(
            value,
            **{
                field.name: changed(getattr(value, field.name), change)
                for field in fields(value)
                if field.name not in FIXED
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


def changed_figure(kind: str, change: str) -> Figure:
    rich = SAMPLES[kind].rich
    return replace(rich, data=changed(rich.data, CHANGES[change]))


def check(figure: Figure) -> str:
    """Draw a figure and check what holds for every picture."""
    written = draw(figure)
    root = parse(written)
    wide, high = size(figure.data)
    assert root.tag == SPACE + "svg"
    assert (root.get("width"), root.get("height"), root.get("viewBox")) == (str(wide), str(high), f"0 0 {wide} {high}")
    assert root.get("role") == "img"
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    assert all((name or "").startswith(f"{figure.key}-svg-") for name in ids)
    for element in root.iter():
        assert element.tag.removeprefix(SPACE) in ALLOWED
        for attribute, value in element.attrib.items():
            check_attribute(attribute, value, ids)
    return written


ALLOWED = {
    "svg",
    "title",
    "desc",
    "g",
    "line",
    "rect",
    "circle",
    "path",
    "text",
    "image",
    "clipPath",
    "pattern",
    "marker",
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
    if attribute == "d":
        assert value.startswith("M") or not value


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("which", ["rich", "edge"])
def test_every_kind_is_drawn(kind, which):
    check(getattr(SAMPLES[kind], which))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("change", CHANGES)
def test_every_kind_survives(kind, change):
    check(changed_figure(kind, change))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["hostile", "attribute", "entities"])
def test_no_name_becomes_markup(kind, name):
    figure = changed_figure(kind, f"{name} names")
    figure = replace(figure, title=NAMES[name], alt=NAMES[name])
    written = check(figure)
    assert not any(tag in written for tag in ("<script", "<img", "<!--", "]]>"))
    title, desc = list(parse(written))[:2]
    assert title.text == desc.text == NAMES[name]


@pytest.mark.parametrize("kind", KINDS)
def test_equal_figures_give_equal_bytes(kind):
    assert draw(SAMPLES[kind].rich) == draw(SAMPLES[kind].rich)


@pytest.mark.parametrize("kind", KINDS)
def test_title_and_description_are_those_of_the_figure(kind):
    figure = replace(SAMPLES[kind].rich, title="What moves < prices & why", alt="It rises from 1 to 2.")
    title, desc = list(parse(draw(figure)))[:2]
    assert (title.tag, title.text) == (SPACE + "title", figure.title)
    assert (desc.tag, desc.text) == (SPACE + "desc", figure.alt)


@pytest.mark.parametrize("kind", KINDS)
def test_pictures_are_small(kind):
    assert len(draw(SAMPLES[kind].rich).encode()) < 8_192


@pytest.mark.parametrize("kind", KINDS)
def test_colours_come_by_name_with_their_light_value(kind):
    for element in parse(draw(SAMPLES[kind].rich)).iter():
        for attribute in ("fill", "stroke"):
            value = element.get(attribute)
            if value is None or value == "none" or value.startswith("url("):
                continue
            found = re.fullmatch(r"var\(--([a-z0-9-]+), (#[0-9a-f]{6})\)", value)
            assert found is not None
            assert LIGHT[found[1]] == found[2]


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_written_smaller_than_small(kind):
    for element in parse(draw(SAMPLES[kind].rich)).iter():
        assert float(element.get("font-size") or 99) >= 11


@pytest.mark.parametrize("kind", KINDS)
def test_two_pictures_on_one_page_share_no_id(kind):
    first, second = (draw(replace(SAMPLES[kind].rich, key=key)) for key in ("one", "two"))
    ids = [set(re.findall(r' id="([^"]+)"', written)) for written in (first, second)]
    assert not ids[0] & ids[1]


def test_a_small_and_a_large_histogram_share_no_id():
    figure = SAMPLES["histogram"].rich
    ids = [set(re.findall(r' id="([^"]+)"', draw(figure, small=small))) for small in (False, True)]
    assert not ids[0] & ids[1]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "histogram"])
def test_only_a_histogram_can_be_small(kind):
    with pytest.raises(InputTypeError, match=f"Only a histogram can be drawn small, not a {kind}"):
        draw(SAMPLES[kind].rich, small=True)


@pytest.mark.parametrize("change", CHANGES)
def test_a_small_histogram_survives(change):
    parse(draw(changed_figure("histogram", change), small=True))


def test_twenty_levels_of_200_characters_are_drawn():
    data = SAMPLES["levels"].rich.data
    names = tuple(f"{k} {LONG}"[:200] for k in range(20))
    twenty = replace(
        data,
        x=Axis("levels", -0.5, 19.5, levels=names),
        value=tuple(0.05 * k for k in range(20)),
        share=(0.05,) * 20,
        lower=(),
        upper=(),
        pooled=(False,) * 20,
        overlays=(),
    )
    written = check(replace(SAMPLES["levels"].rich, data=twenty))
    assert written.count("<title>") == 20
