"""The words that readers meet, in templates, sentences, messages and help: those of the field."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import anova_report
from anova_report.report.page import assets

PACKAGE = Path(anova_report.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
TEMPLATES = sorted(assets.folder("templates").rglob("*.html"))
# What the glossary has other words for: estimable, not tested, concurvity, residual, distribution.
AVOIDED = re.compile(
    r"\b(?:told|untellable|imitat\w*|gaps? in|law of the inputs|(?:can|cannot|could|does|do) (?:not )?tell|tells?)\b",
    re.IGNORECASE,
)
MOST_WORDS = 2  # of a name
ADVICE = "measures"  # a room in which nothing is said about arguments of the fit
COUNTED = re.compile(
    r"^ (?:of |different |background |further )*(?:rows?|row\(s\)|values?|value\(s\)|terms|predictions)\b"
)
TAGS = re.compile(r"\{[{%#].*?[}%#]\}|<[^>]*>", re.DOTALL)


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Give the sentences of a module: strings of three words or more that are no docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    held = [node.body[0] for node in ast.walk(tree) if isinstance(node, documented) and node.body]
    skipped = {id(first.value) for first in held if isinstance(first, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            found = re.findall(r"[A-Za-z]{2,}", node.value)
            yield from [(node.lineno, node.value)] * (len(found) > MOST_WORDS)


def test_messages_use_the_words_of_the_field():
    found = [f"{path}:{line}: {text}" for path in MODULES for line, text in texts(path) if AVOIDED.search(text)]
    assert found == []


def test_templates_use_the_words_of_the_field():
    for path in TEMPLATES:
        assert AVOIDED.findall(TAGS.sub(" ", path.read_text(encoding="utf-8"))) == [], path


def test_no_finding_advises_an_argument_of_the_fit():
    found = [text for path in (PACKAGE / ADVICE).rglob("*.py") for _, text in texts(path) if "max_order" in text]
    assert found == []


def test_counts_have_separators():
    """A number before "rows" says how it is written; `counted` has done so before."""
    found = []
    for path in MODULES:
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        pairs = (pair for node in nodes if isinstance(node, ast.JoinedStr) for pair in pairwise(node.values))
        for value, after in pairs:
            bare = isinstance(value, ast.FormattedValue) and value.format_spec is None and value.conversion == -1
            if bare and isinstance(after, ast.Constant) and COUNTED.match(after.value) and is_count(value.value):
                found.append(f"{path}:{value.value.lineno}: {ast.unparse(value.value)}")
    assert found == []


def is_count(value: ast.expr) -> bool:
    """Tell whether an expression is a number: a length, a size, a difference, or what is named n_… ."""
    written = ast.unparse(value)
    if isinstance(value, ast.Call):
        return written.startswith(("len(", "round(", "int(")) or written.endswith(".sum()")
    return isinstance(value, ast.BinOp) or bool(re.search(r"\bn_\w+$|\.size$|\.shape\[\d\]$", written))
