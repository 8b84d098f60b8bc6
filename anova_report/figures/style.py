"""Colors and fonts of every figure, static and live, and of the page around them; nowhere else are there any.

Blue and orange tell signs apart and luminance tells sizes apart, so nothing is lost to color-blind readers or in gray
print. A color is asked for by name and written as a CSS variable with its light value behind it: a picture looks right
in a page, light or dark, in print, and alone in a file.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from types import MappingProxyType
from typing import Any, TypeAlias

Theme: TypeAlias = Mapping[str, str]
Stops: TypeAlias = tuple[tuple[float, str], ...]

FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'
TEXT = 12  # labels, in pixels
SMALL = 11  # ticks, notes and legends; nothing is smaller
NOTE: Mapping[str, Any] = MappingProxyType({"size": SMALL, "color": "muted"})  # the looks of a note in a scene

LIGHT: Theme = MappingProxyType(
    {
        "surface": "#ffffff",  # behind figures
        "shade": "#f1f3f6",  # where few rows lie
        "fg": "#1b2128",
        "muted": "#5b6672",
        "grid": "#e5e8ec",
        "axis": "#98a2ad",
        "accent": "#1f5fa8",  # our own curve
        "band": "#d4e2f2",
        "density": "#ccd3db",  # how rows are spread
        "positive": "#d4731c",
        "negative": "#3d78b6",
        "structural": "#3d78b6",
        "correlative": "#e0a030",
        "rest": "#b9c1ca",
        "unexplained": "#8d97a3",
        "overlay-1": "#b85c00",
        "overlay-2": "#0b7a75",
        "overlay-3": "#8f2d56",
        "overlay-4": "#6b4a2b",
        "slice-1": "#16305f",
        "slice-2": "#2b6cb5",
        "slice-3": "#0e7d84",
        "slice-4": "#8a6a00",
        "slice-5": "#7c2a06",
        "pass": "#0b6e8a",
        "warn": "#8a5a00",
        "fail": "#b3261e",
        "untested": "#6a4a9c",  # of a check that could not be made: neither good nor bad
        "on-pale": "#000000",  # numbers on the pale and on the strong half of a color scale
        "on-strong": "#ffffff",
    }
)
DARK: Theme = MappingProxyType(
    {
        "surface": "#14181e",
        "shade": "#1d232b",
        "fg": "#e7eaee",
        "muted": "#a0abb7",
        "grid": "#2a313a",
        "axis": "#66717d",
        "accent": "#74b2fb",
        "band": "#21405f",
        "density": "#3d4753",
        "positive": "#eb9a4a",
        "negative": "#62a3e6",
        "structural": "#5b9bdc",
        "correlative": "#e3b04f",
        "rest": "#55606c",
        "unexplained": "#7f8a96",
        "overlay-1": "#f2a457",
        "overlay-2": "#52c7bd",
        "overlay-3": "#d65db1",
        "overlay-4": "#ab9079",
        "slice-1": "#c0b8ff",
        "slice-2": "#62a8f0",
        "slice-3": "#43c0c0",
        "slice-4": "#d9bd55",
        "slice-5": "#f26f55",
        "pass": "#58bcd8",
        "warn": "#e3b04f",
        "fail": "#ff8f80",
        "untested": "#bda5ee",
        "on-pale": "#ffffff",
        "on-strong": "#000000",
    }
)
FIRST, SECOND = "accent", "overlay-1"  # two decompositions side by side
OVERLAYS = ("overlay-1", "overlay-2", "overlay-3", "overlay-4")
SLICES = ("slice-1", "slice-2", "slice-3", "slice-4", "slice-5")  # in order, low to high

# Pictures that hold pixels are drawn for both themes; these two variables, used as `display`, choose one.
LIGHT_ONLY, DARK_ONLY = "light-only", "dark-only"

# Up to here a scale is pale (dark where the page is dark) and beyond it strong. Both themes have the same color there,
# as far from black as from white, so that numbers can be read on every color.
SWITCH = 0.7
DIVERGING_LIGHT: Stops = (
    (-1.0, "#133f74"),
    (-SWITCH, "#3d78b6"),
    (-0.45, "#86b3de"),
    (-0.2, "#cbdff1"),
    (0.0, "#f5f5f3"),
    (0.2, "#fadfbf"),
    (0.45, "#eda350"),
    (SWITCH, "#b75d00"),
    (1.0, "#763600"),
)
DIVERGING_DARK: Stops = (
    (-1.0, "#b4d8fb"),
    (-SWITCH, "#3d78b6"),
    (-0.35, "#27486b"),
    (0.0, "#252a31"),
    (0.35, "#623c14"),
    (SWITCH, "#b75d00"),
    (1.0, "#ffcf94"),
)
SEQUENTIAL_LIGHT: Stops = ((0.0, "#f4f3f7"), (0.25, "#d9cfe8"), (SWITCH, "#8764b5"), (1.0, "#43236f"))
SEQUENTIAL_DARK: Stops = ((0.0, "#25262e"), (0.35, "#46365f"), (SWITCH, "#8764b5"), (1.0, "#dcc8f8"))


def paint(name: str) -> str:
    """Write a color as a CSS variable with its light value as fallback.

    Examples
    --------
    >>> paint("accent")
    'var(--accent, #1f5fa8)'
    """
    return f"var(--{name}, {LIGHT[name]})"


def css_variables() -> str:
    """Write the variables of all colors for a style sheet: light, dark on screens that ask for it, light in print.

    A page may choose by itself with `data-theme="light"` or `"dark"` on its root.
    """
    light = _declarations(LIGHT, shown=LIGHT_ONLY, hidden=DARK_ONLY)
    dark = _declarations(DARK, shown=DARK_ONLY, hidden=LIGHT_ONLY)
    return (
        f":root {{ {light} }}\n"
        f'@media screen and (prefers-color-scheme: dark) {{ :root:not([data-theme="light"]) {{ {dark} }} }}\n'
        f'@media screen {{ :root[data-theme="dark"] {{ {dark} }} }}\n'
    )


def declarations(theme: Theme) -> str:
    """Write the variables of one theme, without a selector."""
    return _declarations(theme, *((DARK_ONLY, LIGHT_ONLY) if theme is DARK else (LIGHT_ONLY, DARK_ONLY)))


@cache
def palette(stops: Stops, n_colors: int = 256) -> tuple[str, ...]:
    """Return colors at equal steps along a scale, low to high, as bokeh and PNG palettes want them.

    Examples
    --------
    >>> palette(((0.0, "#000000"), (1.0, "#ffffff")), 3)
    ('#000000', '#808080', '#ffffff')
    """
    low, high = stops[0][0], stops[-1][0]
    steps = max(n_colors - 1, 1)
    return tuple(color_at(stops, low + (high - low) * step / steps) for step in range(n_colors))


def color_at(stops: Stops, position: float) -> str:
    """Return the color at a position of a scale; beyond its ends, that of the end."""
    position = min(max(position, stops[0][0]), stops[-1][0])
    for (low, first), (high, last) in pairwise(stops):
        if position <= high:
            return _mix(first, last, (position - low) / (high - low))
    return stops[-1][1]


def rgb(color: str) -> tuple[int, int, int]:
    """Read "#rrggbb" as three numbers from 0 to 255."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def spread(names: Sequence[str], n_lines: int) -> tuple[str, ...]:
    """Choose colors for lines that have an order: as far apart as there are, and again from the start after that.

    Examples
    --------
    >>> spread(SLICES, 3)
    ('slice-1', 'slice-3', 'slice-5')
    """
    if n_lines > len(names):
        return tuple(names[line % len(names)] for line in range(n_lines))
    return tuple(names[line * (len(names) - 1) // max(n_lines - 1, 1)] for line in range(n_lines))


def ink(value: float, limit: float) -> str:
    """Return the color of a number that is written on the color of a value.

    Examples
    --------
    >>> ink(0.9, 1.0), ink(-0.2, 1.0)
    ('on-strong', 'on-pale')
    """
    return "on-strong" if limit > 0 and abs(value) / limit > SWITCH else "on-pale"


def _mix(first: str, last: str, share: float) -> str:
    mixed = (round(a + (b - a) * share) for a, b in zip(rgb(first), rgb(last), strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _declarations(theme: Theme, shown: str, hidden: str) -> str:
    colors = "; ".join(f"--{name}: {value}" for name, value in theme.items())
    return f"{colors}; --{shown}: inline; --{hidden}: none;"
