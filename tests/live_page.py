"""A page with figures that can be turned live, as small as it can be: the loader's contract written down."""

import base64
import json
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from typing import Any

from anova_report.figures.figure import Figure
from anova_report.figures.live import PlotWriter, bokehjs
from anova_report.figures.style import css_variables
from anova_report.report.page.assets import packed, script, source_hash
from anova_report.report.page.render import draw, policy

LOADER = script("loader.js")
STYLE = """
body { background: var(--surface); color: var(--fg); font: 12px sans-serif; width: 800px }
figure.plot { position: relative; margin: 0 0 20px }
figure.plot.live .static { display: none }
@media print { figure.plot.live .static { display: block } .bk-host { display: none } }
"""
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>figures</title><style>{style}</style></head>
<body><button id="theme" type="button" hidden>dark</button>
{figures}
<script type="text/plain" id="bokehjs">{bokehjs}</script>
<script type="text/plain" id="plots">{plots}</script>
<script>{loader}</script></body></html>
"""
FIGURE = """<figure class="plot" id="{key}" tabindex="0"><figcaption>{title}</figcaption><div class="static">{svg}</div>
<button class="live" type="button" hidden>explore</button></figure>"""


def unpacked(letters: str) -> bytes:
    """Return the compressed bytes that an inert block of a page holds."""
    return base64.b85decode(letters.translate(str.maketrans(",./", "<>&")))


@cache
def plot_json(figure: Figure) -> Any:
    """Write the live form of one figure."""
    return PlotWriter().write(figure.scene, figure.title)


def page_of(figures: Sequence[Figure], *, plots: Mapping[str, Any] | None = None, code: str | None = None) -> str:
    """Write a page; other plots than those of the figures, or another script than BokehJS, can be put in."""
    items = {figure.key: plot_json(figure) for figure in figures} if plots is None else plots
    drawn = [FIGURE.format(key=figure.key, title=escape(figure.title), svg=draw(figure)) for figure in figures]
    return PAGE.format(
        policy=policy([source_hash(LOADER), source_hash(bokehjs())]),
        style=css_variables() + STYLE,
        figures="\n".join(drawn),
        bokehjs=packed(bokehjs() if code is None else code),
        plots=packed(json.dumps(items)),
        loader=LOADER,
    )
