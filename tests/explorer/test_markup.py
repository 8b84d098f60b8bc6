"""What may stand in a still picture, and what may not."""

import re

import pytest

from anova_report.errors import InputError
from anova_report.explorer.bridge import BokehView
from anova_report.explorer.fragments import checked
from anova_report.figures.live import build
from anova_report.figures.svg import draw
from tests.explorer.hosted_widget import Points, FakeComm
from tests.figures.samples import SAMPLES

ATTACKS = {
    "script": "<script>window.pwned = 1</script>",
    "script in a drawing": "<svg><script>window.pwned = 1</script></svg>",
    "script of another namespace": '<x:script xmlns:x="http://www.w3.org/1999/xhtml">window.pwned = 1</x:script>',
    "handler": '<p onclick="window.pwned = 1">x</p>',
    "handler in capitals": '<svg ONLOAD="window.pwned = 1"></svg>',
    "picture that fails": '<img src="x" onerror="window.pwned = 1" />',
    "link": '<svg><a href="javascript:window.pwned = 1"><text>x</text></a></svg>',
    "old link": '<svg><use xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="https://example.org/x#y"/></svg>',
    "picture from elsewhere": '<svg><image href="https://example.org/x.png" /></svg>',
    "drawing as a picture": '<svg><image href="data:image/svg+xml;base64,AAAA" /></svg>',
    "fill from elsewhere": '<svg><rect fill="url(https://example.org/x)" /></svg>',
    "style from elsewhere": '<p style="background: URL( https://example.org/x )">x</p>',
    "style in disguise": r'<p style="background: u\72l(https://example.org/x)">x</p>',
    "style host": "<style>@import 'https://example.org/x'</style>",
    "frame": '<iframe srcdoc="x"></iframe>',
    "foreign object": "<svg><foreignObject><p>x</p></foreignObject></svg>",
    "animation": '<svg><set attributeName="href" to="x"/></svg>',
    "form": '<form action="https://example.org"></form>',
    "comment": "<!-- --!><img src=x onerror='window.pwned = 1'> -->",
    "section of text": "<p><![CDATA[<img src=x onerror='window.pwned = 1'>]]></p>",
    "instruction": "<?xml-stylesheet href='https://example.org/x'?>",
    "entities": '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><p>&b;</p>',
    "end of the frame around": "</div><p>x</p><div>",
    "open element": "<p>x",
    "bare ampersand": "<p>a & b</p>",
}


@pytest.mark.parametrize("html", ATTACKS.values(), ids=ATTACKS)
def test_what_could_act_or_fetch_is_refused(html: str):
    with pytest.raises(InputError, match=r"A still picture holds .*figures\.svg\.draw"):
        checked(html)


def test_the_message_names_what_is_wrong():
    with pytest.raises(InputError, match=re.escape("'onload=go()', '<script>'")):
        checked('<svg onload="go()"></svg><script>go()</script>')


@pytest.mark.parametrize("kind", SAMPLES)
def test_every_picture_we_draw_passes_whatever_its_names_are(kind: str):
    for figure in (SAMPLES[kind].rich, SAMPLES[kind].edge):
        assert checked(draw(figure)) == draw(figure)


@pytest.mark.parametrize(
    "html",
    [
        "",
        "just words",
        "<h2>Verdict</h2><p>pass: <strong>97%</strong> of 1 &lt; 2</p>",
        "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>",
        r'<p title="C:\data, url(x)">words may name anything</p>',
        '<svg><pattern id="p"></pattern><rect fill="url(#p)" style="opacity: 0.5" /></svg>',
    ],
)
def test_words_tables_and_drawings_pass_unchanged(html: str):
    assert checked(html) == html


def test_the_still_picture_must_not_act():
    plot = build(SAMPLES["curve"].rich)
    with pytest.raises(InputError, match="<script>"):
        BokehView(plot, fallback=ATTACKS["script"])


def test_a_still_picture_that_a_page_sends_is_not_taken_over(points: Points, comm: FakeComm):
    before = points.view.fallback
    state = {"method": "update", "state": {"fallback": ATTACKS["script"], "hidden": []}, "buffer_paths": []}
    comm.handler({"content": {"data": state}, "buffers": []})
    assert points.view.fallback == before == draw(SAMPLES["curve"].rich)
