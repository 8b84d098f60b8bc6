"""Tables and summaries in plain text."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anova_report.core import files
from anova_report.core.documents import plain
from anova_report.measures.wording import percent
from anova_report.report.audit.audit import Audit
from anova_report.report.page.page_facts import OutputFacts, page_facts


def summary(audit: Audit) -> str:
    """Write the verdict, the numbers that decide it, the largest shares, and what did not pass."""
    outputs = page_facts(audit).outputs
    return "\n\n".join([f"Verdict: {audit.verdict}", *(_output(output, len(outputs) > 1) for output in outputs)])


def _output(output: OutputFacts, named: bool) -> str:
    blocks = [f"{output.name} ({output.verdict}): {output.verdict_words}" if named else output.verdict_words]
    if output.headlines:
        deciding = [(item.label, item.value, item.status) for item in output.headlines]
        blocks.append(text_table(("Deciding number", "value", "status"), deciding))
    if output.shares:
        shares = [(share.label, percent(share.value)) for share in output.shares]
        blocks.append(text_table(("Share of the answers' variance", "total"), shares))
    open_points = [item for item in output.findings if item.status in ("warn", "fail")]
    blocks += [f"{item.code} {item.status}: {item.sentence} {item.advice}".rstrip() for item in open_points]
    return "\n\n".join(blocks)


def as_json(document: Any, page: Path, verdict: str, *words: str) -> str:
    """Write the verdict on a document and its outputs, a field of both, as JSON, with other fields of each output."""
    names = ("name", verdict, *words)
    outputs = [{name: plain(getattr(output, name)) for name in names} for output in document.outputs]
    found = {"title": document.title, verdict: getattr(document, verdict), "page": str(page), "outputs": outputs}
    return json.dumps(found, ensure_ascii=False, indent=2)


def written(path: Path) -> str:
    """Say where a file is and how large."""
    return f"{path} ({files.size_in_words(path.stat().st_size)})"


def text_table(headers: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Set a table in plain text, the first column to the left, the others to the right.

    Examples
    --------
    >>> print(text_table(("term", "share"), [("age", "12.3%"), ("sex × age", "4.0%")]))
    term       share
    ─────────  ─────
    age        12.3%
    sex × age   4.0%
    """
    widths = [max(len(cell) for cell in column) for column in zip(headers, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        first, *others = zip(cells, widths, strict=True)
        return "  ".join([first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]).rstrip()

    return "\n".join([line(headers), "  ".join("─" * width for width in widths), *map(line, rows)])
