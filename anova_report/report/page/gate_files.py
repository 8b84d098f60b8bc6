"""What a pipeline reads of an audit: its checks as JUnit XML, and a summary in Markdown."""

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from anova_report.io import sinks
from anova_report.measures.status import OUTCOMES, Finding, pressing
from anova_report.measures.wording import percent
from anova_report.report.audit.audit import Audit, OutputAudit
from anova_report.report.page.page_facts import OutputFacts, page_facts

MARK = "<!-- Made by anova_report -->\n"  # by which a file is known again
CREATED = re.compile(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC")


def junit(audit: Audit, fail_on: str | None = None) -> str:
    """Write every check as a test case: a test suite for each output.

    Parameters
    ----------
    audit : Audit
    fail_on : {"warn", "fail"}, optional
        From which status on a check is a failure, as for the exit code; by default those that fail. What could not be
        tested is one too where "warn" fails and a pass needs it.
    """
    whole = Element("testsuites", name=sinks.clean(audit.title))
    for output in audit.outputs:
        _add_suite(whole, audit, output, fail_on)
    for name in ("tests", "failures", "skipped"):
        whole.set(name, str(sum(int(suite.get(name, "0")) for suite in whole)))
    indent(whole)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{MARK}{tostring(whole, encoding="unicode")}\n'


def _add_suite(whole: Element, audit: Audit, output: OutputAudit, fail_on: str | None) -> None:
    whose = sinks.clean(f"{audit.title}: {output.name}")
    suite = SubElement(whole, "testsuite", name=whose, errors="0")
    if created := CREATED.fullmatch(audit.run.created):
        suite.set("timestamp", f"{created[1]}T{created[2]}:00")
    properties = SubElement(suite, "properties")
    for name, value in [("verdict", output.sign), *((item.label, item.value) for item in output.headlines)]:
        SubElement(properties, "property", name=sinks.clean(name), value=sinks.clean(value))
    urgent = pressing(output.findings)
    failing = [item for item in urgent if fail_on == "warn" or item.status == "fail"]
    for item in output.findings:
        case = SubElement(suite, "testcase", classname=whose, name=sinks.clean(f"{item.code} {item.title}"))
        words = sinks.clean(f"{item.sentence} {item.advice}")
        if item in failing:
            SubElement(case, "failure", type=item.status, message=sinks.clean(item.sentence)).text = words
        elif item.waiver is not None or item.status in ("not tested", "not applicable"):
            why = "waived" if item.waiver is not None else OUTCOMES[item.status]
            SubElement(case, "skipped", message=sinks.clean(f"{why}: {item.sentence}"))
        elif item in urgent:
            SubElement(case, "system-out").text = f"{OUTCOMES[item.status]}: {words}"
    suite.set("tests", str(len(output.findings)))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))


def summary(audit: Audit) -> str:
    """Write the verdict, the numbers that decide it, the largest shares and what did not pass, as Markdown."""
    facts = page_facts(audit)
    said = [f"# {_md(facts.title)}", _md(facts.subject), f"**{_md(audit.sign)}**"]
    said += [f"- {_md(note)}" for note in audit.subject.notes]
    for output, own in zip(facts.outputs, audit.outputs, strict=True):
        if len(facts.outputs) > 1:
            said.append(f"## {_md(output.name)}: {_md(output.verdict_sign)}")
        said += _output(output, own)
    return MARK + "\n\n".join(said) + "\n"


def _output(output: OutputFacts, own: OutputAudit) -> list[str]:
    said = [_md(output.verdict_words)]
    if output.headlines:
        deciding = [(item.label, item.value, OUTCOMES[item.status]) for item in output.headlines]
        said.append(_table(("Deciding number", "value", "status"), deciding))
    if output.shares:
        shares = [
            (share.label, "" if share.structural is None else percent(share.structural), percent(share.value))
            for share in output.shares
        ]
        said.append(_table(("Share of the variance", "structural", "total"), shares))
    found = [_line(item, OUTCOMES[item.status]) for item in pressing(output.findings)]
    found += [_line(item, "waived") for item in own.waived]
    return [*said, *(["\n".join(found)] if found else [])]


def _line(item: Finding, outcome: str) -> str:
    return f"- **{_md(item.code)} {_md(item.title)}**, {outcome}: {_md(item.sentence)} {_md(item.advice)}".rstrip()


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---", *["---:"] * (len(head) - 1)), *(tuple(map(_md, row)) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


_md = sinks.markdown
