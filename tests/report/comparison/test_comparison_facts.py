"""What the page of a comparison carries for machines: verdict and numbers, as on the page, and no more."""

from dataclasses import replace
from email.message import EmailMessage

import pytest

from anova_report.report.comparison.comparison import (
    ComparisonPage,
    comparison_facts,
    render_comparison,
    write_comparison,
)
from anova_report.report.mail.message import compose
from anova_report.report.page.page_facts import read_facts
from tests.report.two_fits import hostile, planted_pair


@pytest.fixture(scope="module")
def comparison() -> ComparisonPage:
    return planted_pair().page()


def outputs_that(comparison: ComparisonPage, *changed: bool | None) -> ComparisonPage:
    """Give a comparison one output for each state, told apart by their words."""
    [output] = comparison.outputs
    made = (replace(output, name=str(state), changed=state, words=f"words of {state}") for state in changed)
    return replace(comparison, outputs=tuple(made))


def test_the_facts_are_those_the_page_shows(comparison):
    found = read_facts(render_comparison(comparison))
    assert found == comparison_facts(comparison)
    [output], [shown] = found.outputs, comparison.outputs
    assert (found.title, found.verdict_words) == (comparison.title, shown.words)
    assert [(item.label, item.value, item.words) for item in output.headlines] == [
        (item.label, item.value, item.words) for item in shown.headlines
    ]
    assert comparison.names[0] in found.subject
    assert comparison.names[1] in found.subject


@pytest.mark.parametrize(
    ("changed", "verdict", "decisive"),
    [
        ((False, True), "warn", "True"),
        ((None, True), "warn", "True"),
        ((False, None), "not applicable", "None"),
        ((False, False), "pass", "False"),
    ],
)
def test_the_worst_output_decides(comparison, changed, verdict, decisive):
    found = comparison_facts(outputs_that(comparison, *changed))
    assert (found.verdict, found.verdict_words) == (verdict, f"words of {decisive}")
    assert [output.name for output in found.outputs] == [str(state) for state in changed]


def test_a_page_can_be_mailed(comparison, tmp_path):
    page = write_comparison(comparison, tmp_path / "diff.html")
    message = compose(page, to=["ada@example.org"], sender="audits@example.org")
    assert isinstance(message, EmailMessage)
    assert message["Subject"] == f"[warn] {comparison.title}"
    body = message.get_body(("plain",)).get_content()
    assert comparison.outputs[0].words in body.replace("\n", " ")
    assert "Fidelity" in message.get_body(("html",)).get_content()
    [attached] = message.iter_attachments()
    assert attached.get_filename() == "diff.html"


def test_names_cannot_leave_the_element():
    comparison = hostile().page(names=("</script><script>alert(1)</script>", "b"), title="</script>")
    page = render_comparison(comparison)
    assert page.count("<script") == 4  # the facts, BokehJS, the plots, and the loader
    assert read_facts(page).title == "</script>"
