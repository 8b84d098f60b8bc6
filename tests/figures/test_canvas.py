import pytest

from anova_report.figures.figure import Figure, Table
from anova_report.figures.kinds import Axis, Histogram
from anova_report.figures.style import LIGHT
from anova_report.figures.svg.canvas import Canvas, coordinate
from anova_report.figures.svg.scales import Frame
from tests.figures.samples import HOSTILE, LONG
from tests.figures.svg.reading import parts, tags


def canvas(key="key", title="Title", alt="Seen.") -> Canvas:
    data = Histogram(Axis("x", 0.0, 1.0), (0.0, 1.0), (3,))
    return Canvas.of(Figure(key, title, alt, data, Table((), ())), 100, 50)


def test_a_picture_says_its_size_its_role_and_its_words():
    root = canvas().element
    assert (root.get("width"), root.get("height"), root.get("viewBox")) == ("100", "50", "0 0 100 50")
    assert root.get("role") == "img"
    title, desc = root[0], root[1]
    assert (title.tag, title.text, desc.tag, desc.text) == ("title", "Title", "desc", "Seen.")
    assert root.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"


@pytest.mark.parametrize("key", ["o0-main-3", 'a"b', "a b", "<x>", "ä", ""])
def test_ids_begin_with_the_key_and_hold_no_character_that_needs_care(key):
    title = canvas(key).element[0].get("id")
    assert title is not None
    assert title.endswith("-svg-title")
    assert all(letter.isascii() and (letter.isalnum() or letter == "-") for letter in title)


def test_hostile_words_are_escaped():
    drawn = canvas(title=HOSTILE, alt=HOSTILE)
    drawn.text(0, 0, HOSTILE, fill=HOSTILE)
    written = drawn.written()
    assert "<script" not in written
    assert "<img" not in written
    assert "&lt;script&gt;" in written


def test_colours_are_named_once_and_fall_back_to_light():
    element = canvas().rect(0, 0, 1, 1, fill="accent", stroke="none")
    assert element.get("fill") == f"var(--accent, {LIGHT['accent']})"
    assert element.get("stroke") == "none"


def test_attributes_are_hyphenated_and_left_out_where_there_is_no_value():
    element = canvas().line(0, 1.26, 2.04, 3, "mark", stroke_width=1.25, stroke_dasharray=None, stroke_opacity=0.5)
    assert element.attrib == {
        "class": "mark",
        "x1": "0",
        "y1": "1.3",
        "x2": "2",
        "y2": "3",
        "stroke-width": "1.25",
        "stroke-opacity": "0.5",
    }


def test_a_rectangle_never_has_a_negative_size():
    element = canvas().rect(5, 5, -3, -1)
    assert (element.get("width"), element.get("height")) == ("0", "0")


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (-0.04, "0"), (12.0, "12"), (12.04, "12"), (99.96, "100"), (-3.25, "-3.2")]
)
def test_coordinates_have_one_decimal_and_no_needless_zero(value, text):
    assert coordinate(value) == text


def test_words_that_are_cut_stay_whole_in_a_title():
    element = canvas().text(0, 0, LONG, room=80)
    assert element.text is not None
    assert element.text.endswith("…")
    assert [child.text for child in element] == [LONG.strip()]


def test_words_that_fit_need_no_title():
    element = canvas().text(0, 0, "age", room=80)
    assert (element.text, len(element)) == ("age", 0)


def test_room_is_measured_in_the_font_of_the_group():
    whole = "exactly as wide as that"
    small = canvas().notes().text(0, 0, whole, room=142).text
    large = canvas().text(0, 0, whole, room=142).text
    assert small is not None
    assert large is not None
    assert len(small) > len(large)


def test_notes_are_small_and_muted_alone_and_in_groups():
    alone, group = canvas().note(0, 0, "few rows"), canvas().notes().element
    for element in (alone, group):
        assert element.get("font-size") == "11"
        assert "--muted" in (element.get("fill") or "")


def test_a_halo_is_painted_behind_the_words():
    group = canvas().group("words", halo=True).element
    assert group.get("paint-order") == "stroke"
    assert "--surface" in (group.get("stroke") or "")


def test_references_point_to_what_is_defined():
    drawn = canvas("k")
    assert drawn.clip(Frame(1, 2, 11, 22)) == "url(#k-svg-clip)"
    assert drawn.hatch("muted") == "url(#k-svg-hatch)"
    ids = {element.get("id") for element in drawn.element.iter()}
    assert {"k-svg-clip", "k-svg-hatch"} <= ids
    window = next(iter(drawn.element.iter("clipPath")))[0]
    assert [window.get(name) for name in ("x", "y", "width", "height")] == ["1", "2", "10", "20"]


def test_markers_stand_at_every_vertex():
    drawn = canvas("k")
    drawn.markers("M1 1l2 2", 2, "accent", 0.5)
    (path,) = parts(drawn.element, "points")
    assert {path.get(f"marker-{where}") for where in ("start", "mid", "end")} == {"url(#k-svg-dot)"}


def test_an_image_is_stretched_without_smoothing():
    element = canvas().image("data:,", Frame(0, 0, 10, 20), display="none")
    assert element.get("preserveAspectRatio") == "none"
    assert element.get("style") == "image-rendering: pixelated"
    assert element.get("display") == "none"


def test_whiskers_are_drawn_only_where_there_are_any():
    drawn = canvas()
    drawn.whiskers("")
    assert not parts(drawn.element, "whiskers")
    drawn.whiskers("M0 0l1 0")
    assert len(parts(drawn.element, "whiskers")) == 1
    assert not tags(drawn.element, "whiskers")
