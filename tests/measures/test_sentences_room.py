"""Sentences with numbers are made of claims, in one room: nothing else of a page composes any."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import anova_report
from anova_report.measures import wording

PACKAGE = Path(anova_report.__file__).parent
ROOM = PACKAGE / "measures" / "sentences"
PLACES = ("measures", "compare", "figures", "explorer")  # where what a page says comes from
PLACES += ("report/audit", "report/comparison", "report/page")
WRITES = {name for name, item in vars(wording).items() if callable(item) and item.__module__ == wording.__name__}
MOST_WORDS = 4  # beside numbers in a cell, a tip or a label: "noise floor 0.031, structural share 3.4%"
# Sentences about something else than what was found.
EXEMPT = {
    "measures/scale.py": "remarks on predictions that a caller passed",
    "measures/status.py": "reasons of limits",
    "compare/methods/additive.py": "how the explanation of another library was read",
    "report/audit/audit.py": "what is wrong with a file",
    "report/audit/verdict.py": "the table of limits",
}


def modules() -> Iterator[Path]:
    for place in PLACES:
        yield from (path for path in sorted((PACKAGE / place).rglob("*.py")) if ROOM not in path.parents)


def composed(source: str) -> list[str]:
    """List the sentences that a module composes of words and numbers."""
    tree, found = ast.parse(source), []
    raised = {id(node) for error in ast.walk(tree) if isinstance(error, ast.Raise) for node in ast.walk(error)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) and id(node) not in raised:  # errors are about what a caller passed
            text = " ".join(part.value for part in node.values if isinstance(part, ast.Constant))
            written = [part for part in node.values if isinstance(part, ast.FormattedValue) and writes(part)]
            if written and len(re.findall(r"[A-Za-z]{2,}", text)) > MOST_WORDS:
                found.append(f"line {node.lineno}: {text}")
    return found


def writes(part: ast.FormattedValue) -> bool:
    """Tell whether a part of a string writes a number."""
    call = part.value
    return part.format_spec is not None or (
        isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in WRITES
    )


@pytest.mark.parametrize("path", list(modules()), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_sentence_with_a_number_is_composed_outside_of_the_room(path):
    if str(path.relative_to(PACKAGE)) not in EXEMPT:
        assert composed(path.read_text(encoding="utf-8")) == []


def test_what_is_exempt_is_there_and_composes_something():
    for name in EXEMPT:
        assert composed((PACKAGE / name).read_text(encoding="utf-8")), name


def test_a_sentence_is_found_however_it_writes_its_number():
    written = 'words = f"The share of {name} is {percent(share)} of all."'
    formatted = 'words = f"There are {count:,} rows of another kind here."'
    label = 'words = f"95% interval {percent(low)} to {percent(high)}"'
    assert [len(composed(source)) for source in (written, formatted, label)] == [1, 1, 0]
