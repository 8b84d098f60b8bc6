import re
from itertools import combinations, pairwise

import pytest

from anova_report.figures import style
from anova_report.figures.style import DARK, LIGHT, SWITCH, color_at, palette, rgb

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
SCALES = pytest.mark.parametrize(
    ("light", "dark", "sign"),
    [
        (style.DIVERGING_LIGHT, style.DIVERGING_DARK, 1),
        (style.DIVERGING_LIGHT, style.DIVERGING_DARK, -1),
        (style.SEQUENTIAL_LIGHT, style.SEQUENTIAL_DARK, 1),
    ],
    ids=["positive", "negative", "sequential"],
)
# Everything that words are written in, wherever they stand on the surface or on what is faintly shaded.
INKS = ("fg", "muted", *style.OVERLAYS, *style.SLICES, "pass", "warn", "fail", "untested")
READABLE = 4.5  # contrast that WCAG 2 asks of text at level AA
VISIBLE = 3.0  # and of marks


def linear(color: str) -> list[float]:
    """Undo the gamma of sRGB, as WCAG 2 defines it."""
    parts = [part / 255 for part in rgb(color)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def luminance(color: str) -> float:
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear(color), strict=True))


def contrast(first: str, second: str) -> float:
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def as_deuteranope(color: str) -> tuple[float, ...]:
    """What remains of a color without the middle cones: the matrix of Machado, Oliveira and Fernandes (2009)."""
    matrix = ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881))
    seen = [max(0.0, sum(m * c for m, c in zip(row, linear(color), strict=True))) for row in matrix]
    return tuple(min(1.0, part) ** (1 / 2.2) for part in seen)


def difference(first: str, second: str) -> float:
    pairs = zip(as_deuteranope(first), as_deuteranope(second), strict=True)
    return sum((a - b) ** 2 for a, b in pairs) ** 0.5


def test_the_formula_of_contrast_gives_the_published_extremes():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@THEMES
@pytest.mark.parametrize("ink", INKS)
def test_words_can_be_read_on_the_surface(theme, ink):
    assert contrast(theme[ink], theme["surface"]) >= READABLE


@THEMES
@pytest.mark.parametrize("ink", ["fg", "muted"])
def test_words_can_be_read_where_few_rows_are_shaded(theme, ink):
    assert contrast(theme[ink], theme["shade"]) >= READABLE


@THEMES
def test_numbers_can_be_read_on_neutral_cells(theme):
    assert contrast(theme["fg"], theme["grid"]) >= READABLE


@THEMES
@pytest.mark.parametrize("mark", ["accent", "positive", "negative", "structural", "unexplained"])
def test_marks_stand_out_from_the_surface(theme, mark):
    assert contrast(theme[mark], theme["surface"]) >= (VISIBLE if mark != "unexplained" else 2.5)


@THEMES
def test_the_grid_stays_behind_the_data(theme):
    assert contrast(theme["grid"], theme["surface"]) < 1.6
    assert contrast(theme["axis"], theme["surface"]) > contrast(theme["grid"], theme["surface"])


@THEMES
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("positive", "negative"),
        ("structural", "correlative"),
        ("structural", "unexplained"),
        ("rest", "unexplained"),
        *combinations(("accent", "fg", *style.OVERLAYS), 2),
        *pairwise(style.SLICES),
    ],
)
def test_colors_that_meet_differ_for_a_deuteranope(theme, first, second):
    assert difference(theme[first], theme[second]) > 0.12


@SCALES
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_numbers_can_be_read_on_every_color_of_a_scale(light, dark, sign, mode):
    theme, stops = (LIGHT, light) if mode == "light" else (DARK, dark)
    for step in range(101):
        ink = theme["on-strong"] if step / 100 > SWITCH else theme["on-pale"]
        assert contrast(color_at(stops, sign * step / 100), ink) >= READABLE, step


@SCALES
def test_scales_grow_darker_in_light_and_lighter_in_dark(light, dark, sign):
    steps = [sign * step / 20 for step in range(21)]
    ink = [luminance(color_at(light, step)) for step in steps]
    glow = [luminance(color_at(dark, step)) for step in steps]
    assert all(after < before for before, after in pairwise(ink))
    assert all(after > before for before, after in pairwise(glow))


def test_nothing_is_almost_the_color_of_the_surface():
    assert contrast(color_at(style.DIVERGING_LIGHT, 0), LIGHT["surface"]) < 1.15
    assert contrast(color_at(style.DIVERGING_DARK, 0), DARK["surface"]) < 1.3


def test_a_diverging_scale_is_blue_below_and_orange_above():
    for stops in (style.DIVERGING_LIGHT, style.DIVERGING_DARK):
        red, _, blue = rgb(color_at(stops, -0.6))
        assert blue > red
        red, _, blue = rgb(color_at(stops, 0.6))
        assert red > blue


def test_both_sides_of_a_diverging_scale_weigh_about_the_same():
    for stops in (style.DIVERGING_LIGHT, style.DIVERGING_DARK):
        for size in (0.3, SWITCH, 1.0):
            below, above = (luminance(color_at(stops, sign * size)) + 0.05 for sign in (-1, 1))
            assert 0.75 < below / above < 1.35


def test_a_palette_has_as_many_colors_as_asked_from_end_to_end():
    found = palette(style.DIVERGING_LIGHT)
    assert len(found) == 256
    assert (found[0], found[-1]) == (style.DIVERGING_LIGHT[0][1], style.DIVERGING_LIGHT[-1][1])
    assert all(re.fullmatch("#[0-9a-f]{6}", color) for color in found)
    assert palette(style.DIVERGING_LIGHT, 65)[32] == style.DIVERGING_LIGHT[4][1]


def test_a_palette_of_one_color_is_its_low_end():
    assert palette(style.SEQUENTIAL_LIGHT, 1) == (style.SEQUENTIAL_LIGHT[0][1],)


def test_positions_beyond_a_scale_have_the_color_of_its_end():
    assert color_at(style.SEQUENTIAL_LIGHT, 7.0) == style.SEQUENTIAL_LIGHT[-1][1]
    assert color_at(style.SEQUENTIAL_LIGHT, -7.0) == style.SEQUENTIAL_LIGHT[0][1]


def test_both_themes_name_the_same_colors():
    assert LIGHT.keys() == DARK.keys()
    assert all(re.fullmatch("#[0-9a-f]{6}", color) for theme in (LIGHT, DARK) for color in theme.values())


def test_themes_cannot_be_changed():
    with pytest.raises(TypeError):
        LIGHT["fg"] = "#000000"


def test_a_color_is_written_with_its_light_value_behind_it():
    assert style.paint("fg") == f"var(--fg, {LIGHT['fg']})"
    with pytest.raises(KeyError):
        style.paint("chartreuse")


def test_the_style_sheet_is_light_unless_a_screen_asks_for_dark():
    light, system, chosen = style.css_variables().strip().split("\n")
    assert light.startswith(":root {")
    assert f"--fg: {LIGHT['fg']};" in light
    assert "--light-only: inline; --dark-only: none;" in light
    for line in (system, chosen):
        assert line.startswith("@media screen")  # so that print stays light
        assert f"--fg: {DARK['fg']};" in line
        assert "--dark-only: inline; --light-only: none;" in line
    assert "prefers-color-scheme: dark" in system
    assert '[data-theme="dark"]' in chosen


def test_the_style_sheet_has_balanced_braces_and_every_color():
    sheet = style.css_variables()
    assert sheet.count("{") == sheet.count("}")
    for name in LIGHT:
        assert sheet.count(f"--{name}: ") == 3


def test_declarations_stand_without_a_selector():
    assert style.declarations(DARK) in style.css_variables()
    assert style.declarations(LIGHT) in style.css_variables()
    assert "{" not in style.declarations(DARK)


@pytest.mark.parametrize("n_lines", range(1, 6))
def test_few_lines_get_different_colors_from_both_ends(n_lines):
    found = style.spread(style.SLICES, n_lines)
    assert len(set(found)) == n_lines
    assert found[0] == style.SLICES[0]
    assert n_lines == 1 or found[-1] == style.SLICES[-1]


def test_more_lines_than_colors_begin_again():
    assert style.spread(style.SLICES, 7)[5:] == style.SLICES[:2]
    assert style.spread(style.SLICES, 0) == ()
