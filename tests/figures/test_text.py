import unicodedata
from xml.etree.ElementTree import Element, tostring

import pytest

from anova_report.figures.text import ELLIPSIS, clean, shorten, width
from tests.figures.reading import parse
from tests.figures.samples import EMOJI, HOSTILE, LONG, RIGHT_TO_LEFT

NAMES = ("", "age", "median income", HOSTILE, LONG, RIGHT_TO_LEFT, EMOJI, "東京都の人口", "e\u0301" * 50, "👩‍👩‍👧" * 20)


@pytest.mark.parametrize("code", [*range(0x20), 0x7F, 0x85, 0xD800, 0xDFFF, 0xFFFE, 0xFFFF])
def test_no_character_can_make_the_xml_unreadable(code):
    element = Element("text")
    element.text = clean(f"a{chr(code)}b")
    assert parse(tostring(element, encoding="unicode")).text == element.text
    assert element.text[0] + element.text[-1] == "ab"


def test_what_xml_forbids_is_replaced_and_not_dropped():
    assert clean("a\x00b") == "a\ufffdb"


def test_lines_and_tabs_become_spaces():
    assert clean("  one\n two\tthree\r\n") == "one two three"


@pytest.mark.parametrize("mark", "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
def test_a_name_cannot_turn_the_direction_of_its_neighbors(mark):
    assert clean(f"age{mark}gpj.exe") == "agegpj.exe"


@pytest.mark.parametrize("name", ["age", "İstanbul", RIGHT_TO_LEFT, EMOJI, "<b>&amp;"])
def test_ordinary_names_stay_as_they_are(name):
    assert clean(name) == name


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("room", [0, 5, 20, 60, 150])
def test_shortened_names_fit(name, room):
    found = shorten(name, room, 12)
    assert width(found, 12) <= max(room, width(ELLIPSIS, 12))


@pytest.mark.parametrize("name", NAMES)
def test_names_that_fit_are_not_touched(name):
    assert shorten(name, width(name, 12), 12) == name


def test_a_shortened_name_begins_like_the_whole_and_ends_in_an_ellipsis():
    found = shorten(LONG, 100, 12)
    assert found.endswith(ELLIPSIS)
    assert LONG.startswith(found[:-1])
    assert len(found) > 8


def test_no_joined_character_is_torn_apart():
    for room in range(15, 120):
        kept = shorten("👩‍👩‍👧" * 6, room, 12)[:-1]
        assert kept == "👩‍👩‍👧" * 6 or len(kept) % 5 == 0
        accents = shorten("e\u0301" * 30, room, 12)[:-1]
        assert not accents or unicodedata.combining(accents[-1])


def test_nothing_dangles_before_the_ellipsis():
    assert shorten("Latitude × Longitude", 77, 12) == "Latitude…"


def test_width_grows_with_size_and_length():
    assert width("abc", 24) == pytest.approx(2 * width("abc", 12))
    assert width("abcabc", 12) == pytest.approx(2 * width("abc", 12))
    assert width("", 12) == 0


def test_wide_letters_take_more_room_than_narrow_ones():
    assert width("mm", 12) > width("nn", 12) > width("ii", 12)
    assert width("東", 12) > width("a", 12)
    assert width("e\u0301", 12) == width("e", 12)


@pytest.mark.parametrize(
    ("words", "ems"),
    # Advance widths of DejaVu Sans, among the widest fonts a browser may choose.
    [("hello world", 5.4), ("1,000,000", 5.09), ("MedInc", 3.9), ("−0.25", 3.06), ("42.1%", 3.18)],
)
def test_the_estimate_is_close_to_a_wide_font_and_never_far_too_small(words, ems):
    assert 0.93 < width(words, 1) / ems < 1.3
