from dataclasses import replace

import pytest

from anova_report.errors import StorageError
from anova_report.io.documents import plain
from anova_report.report.page.page_facts import SHARES_KEPT, page_facts, read_facts
from anova_report.report.page.render import environment
from tests.report.samples import hostile_audit, sample_audit

PAGE = """<!doctype html><title>x</title><p id="facts">no</p><script id="facts">alert(1)</script>
<script type="application/json" id="other">{"title": 1}</script>
<script type="application/json" id="facts">FACTS</script><script type="text/plain">{"title": 2}</script>"""


def page_with(facts: object) -> str:
    """Write a page as the template does: JSON through `tojson`, which escapes what could end the element."""
    written = environment().from_string("{{ facts|tojson }}").render(facts=facts)
    assert "</" not in written
    return PAGE.replace("FACTS", written)


def test_facts_are_chosen_from_the_audit():
    audit = sample_audit(("low", "high"))
    facts = page_facts(audit)
    assert facts.verdict == "fail"
    assert facts.verdict_words == audit.outputs[0].verdict_words
    assert facts.subject == "GradientBoostingRegressor, 20,640 rows, 1 feature"
    assert [output.name for output in facts.outputs] == ["low", "high"]
    assert facts.outputs[0].headlines[0].value == "0.881"
    assert [item.code for item in facts.outputs[0].findings] == ["AR001", "AR002", "AR004", "AR005", "AR009"]


def test_a_line_below_the_title_does_not_repeat_it():
    audit = replace(sample_audit(), title="Audit: GradientBoostingRegressor")
    assert page_facts(audit).subject == "20,640 rows, 1 feature"


def test_the_largest_shares_come_with_what_is_unexplained():
    audit = sample_audit()
    drawn = audit.figures[audit.outputs[0].shares].data
    shares = page_facts(audit).outputs[0].shares
    assert [share.label for share in shares[:-1]] == list(drawn.labels[:SHARES_KEPT])
    assert [share.value for share in shares[:-1]] == list(drawn.total[:SHARES_KEPT])
    assert [share.structural for share in shares[:-1]] == list(drawn.structural[:SHARES_KEPT])
    assert (shares[-1].explained, shares[-1].value, shares[-1].structural) == (False, drawn.unexplained, None)


@pytest.mark.parametrize("audit", [sample_audit(), hostile_audit()], ids=["plain", "hostile"])
def test_facts_come_back_from_a_page_as_they_were(audit):
    assert read_facts(page_with(plain(page_facts(audit)))) == page_facts(audit)


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("<!doctype html><title>Something else</title>", "carries no facts"),
        ("", "carries no facts"),
        (PAGE.replace("FACTS", "[1, 2]"), "The facts of the page are damaged"),
        (PAGE.replace("FACTS", '{"title": "a"'), "carries no facts"),
        (PAGE.replace("FACTS", '{"title": 3}'), "PageFacts.title is 3, which is not str"),
        (PAGE.replace("FACTS", '{"title": "a"}'), "PageFacts is not complete"),
    ],
)
def test_a_page_without_facts_is_refused(page, words):
    with pytest.raises(StorageError, match=words):
        read_facts(page)
