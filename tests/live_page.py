"""A page with figures that can be turned live, as small as it can be: the loader's contract written down."""

import base64
import gzip
import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from anova_report.figures.figure import Figure
from anova_report.figures.live import bokehjs, plot_json
from anova_report.figures.style import css_variables
from anova_report.figures.svg import draw

LOADER = (Path(__file__).parent.parent / "templates" / "scripts" / "loader.js").read_text(encoding="utf-8")
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


@cache
def packed(text: str) -> str:
    """Compress text as pages hold it."""
    return base64.b64encode(gzip.compress(text.encode("utf-8"), mtime=0)).decode("ascii")


def fingerprint(script: str) -> str:
    """Return what a policy knows a script by."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii") + "'"


def page_of(figures: Sequence[Figure], *, plots: Mapping[str, Any] | None = None, script: str | None = None) -> str:
    """Write a page; other plots than those of the figures, or another script than BokehJS, can be put in."""
    code = bokehjs() if script is None else script
    items = {figure.key: plot_json(figure) for figure in figures} if plots is None else plots
    policy = (
        f"default-src 'none'; script-src {fingerprint(LOADER)} {fingerprint(bokehjs())}; "
        "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    )
    drawn = [FIGURE.format(key=figure.key, title=escape(figure.title), svg=draw(figure)) for figure in figures]
    return PAGE.format(
        policy=policy,
        style=css_variables() + STYLE,
        figures="\n".join(drawn),
        bokehjs=packed(code),
        plots=packed(json.dumps(items)),
        loader=LOADER,
    )
