"""Each finding, option and key is documented, once; each public name is on the page of the API; links lead to files."""

import inspect
import re
import sys
from collections import Counter
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

import anova_report
from anova_report import FunctionalANOVA, compare, errors, explorer, measures, report
from anova_report.measures import status
from anova_report.report.audit.verdict import LIMITS
from anova_report.report.jobs.options import Job
from tests.docs.reading import ROOT, SITE

sys.path.insert(0, str(SITE))
import reference  # beside the pages that it fills

sys.path.remove(str(SITE))

SOURCES = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "anova_report").rglob("README.md")),
    *sorted(SITE.glob("*.md")),
    *sorted(SITE.glob("*/*.md")),
]
PACKAGE = Path(anova_report.__file__).parent
HEADINGS = ["Purpose", "Mechanism", "Signs of risk", "Strengths", "Limits", "Measured error rates"]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def filled(name: str) -> str:
    return reference.fill((SITE / f"{name}.md").read_text(encoding="utf-8"))


def codes_in_the_code() -> set[str]:
    """Find the codes of findings in the package; those of expectations have one page."""
    found = {code for path in PACKAGE.rglob("*.py") for code in re.findall(r"\bAR\d{3}\b", path.read_text("utf-8"))}
    return {status.EXPECTATIONS[0] if status.is_expected(code) else code for code in found}


def test_every_finding_has_a_page_with_the_same_headings_and_its_limits():
    pages = {path.stem: reference.fill(path.read_text(encoding="utf-8")) for path in SITE.glob("findings/AR*.md")}
    assert set(pages) == codes_in_the_code()
    for code, page in pages.items():
        assert page.startswith(f"({code})=\n# {code} "), code
        parts = re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", page, flags=re.MULTILINE | re.DOTALL)
        assert [title for title, _ in parts] == HEADINGS, code
        assert all(text.strip() for _, text in parts), code
        assert reference.holds_facts(f"findings/{code}")
    for code in LIMITS:
        assert reference.limits(code) in pages[code]


def test_findings_are_listed_with_their_titles_where_a_reader_looks_for_them():
    X = np.random.default_rng(0).normal(size=(300, 2))
    dec = FunctionalANOVA(max_order=1, progress=False).fit(X, X[:, 0]).decomposition_
    page = (SITE / "read_an_audit.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| \[(AR\d+) (.*)\]\(findings/\1\.md\) \| \w", page, flags=re.MULTILINE)
    found = [(item.code, item.title) for item in measures.findings(dec, X)]
    assert listed[: len(found)] == found
    assert {code for code, _ in listed} == codes_in_the_code()
    for code, title in listed:
        assert f"# {code} {title}\n" in (SITE / "findings" / f"{code}.md").read_text(encoding="utf-8")


def test_every_command_and_option_is_documented_once():
    page = filled("command_line")
    parts = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", page, flags=re.MULTILINE | re.DOTALL))
    for command, parser in reference.commands().items():
        lines = parts[command].splitlines() + parts["All commands"].splitlines()
        documented = Counter(
            cell
            for line in lines
            if line.startswith("| ")
            for cell in re.findall(r"`([^`]+)`", line.partition(" | ")[0])
        )
        flags = Counter(word.split()[0] for word in documented.elements() if word.startswith("-"))
        wanted = [flag for action in parser._actions for flag in action.option_strings]
        assert flags == Counter(wanted), command
        positional = [action.metavar for action in parser._actions if not action.option_strings]
        assert [word for word in documented if not word.startswith("-")] == positional
    assert set(parts) == {"All commands", *reference.commands()}


def test_every_key_of_a_configuration_is_documented_once():
    keys = re.findall(r"^\| .*? \| `(\w+)`: ", filled("command_line"), flags=re.MULTILINE)
    assert sorted(keys) == sorted(item.name for item in fields(Job))


@pytest.mark.parametrize("room", [anova_report, measures, compare, report, explorer, errors], ids=lambda m: m.__name__)
def test_every_public_name_is_on_the_page_of_the_api(room):
    page = (SITE / "api.md").read_text(encoding="utf-8")
    names = getattr(room, "__all__", None) or [name for name in vars(room) if name.endswith("Error")]
    public = [name for name in names if inspect.isroutine(getattr(room, name)) or inspect.isclass(getattr(room, name))]
    listed = re.findall(r"^   (\w+)$", page, flags=re.MULTILINE)
    assert [name for name in public if name not in listed] == []


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
def test_links_between_sources_lead_to_files(source):
    for link in LINK.findall(source.read_text(encoding="utf-8")):
        target = link.partition("#")[0]
        if not target or "://" in target:
            continue
        place = (source.parent / target).resolve()
        made = SITE / "examples" / f"{place.name}.py"  # pages that scripts of the gallery become
        assert place.exists() or (place.parent.name == "gallery" and made.is_file()), link


def test_pictures_are_small():
    assert all(path.stat().st_size <= 150_000 for path in Path(SITE / "pictures").glob("*.png"))
