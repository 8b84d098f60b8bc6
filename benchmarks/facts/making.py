"""From a case of the corpus to its page: the model is explained, and the audit is written and read as a file."""

import json
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from anova_report import Decomposition, explain
from anova_report.errors import ExtrapolationWarning
from anova_report.io.documents import plain
from anova_report.measures.kept_aside import KeptAside
from anova_report.report import Audit, build_audit
from anova_report.report.page.page_one import page_one, page_sections
from benchmarks.facts.corpus import Case
from benchmarks.facts.page import Page


def make(case: Case) -> Page:
    """Explain the model of a case and write its audit."""
    pair = case.pair()
    dec = explain(pair.model, pair.X, ask=pair.ask, max_order=2, progress=False, **case.settings)
    held = {"truth": pair.truth if case.truth else None, "split": pair.split, "protected": dict(pair.protected)}
    if not case.truth:
        page = page_of(case.name, dec, dec.X, dec.predictions, **case.judged_by)
        exposure = case.settings.get("exposure")
        return page if exposure is None else replace(page, weights=pair.X[exposure].to_numpy(float))
    aside = KeptAside.read(
        len(pair.X), targets={case.target: pair.truth}, split=pair.split, protected=held["protected"]
    )
    return replace(page_of(case.name, dec, dec.X, dec.predictions, aside=aside, **case.judged_by), **held)


def page_of(name: str, dec: Decomposition, X: Any, predictions: Any, **judged_by: Any) -> Page:
    """Write the audit of a decomposition and its rows, and read it as anybody may who has only the file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExtrapolationWarning)
        audit = build_audit(dec, X, predictions, progress=False, **judged_by)
        given = np.asarray(predictions, dtype=float).reshape(len(X), -1)
        return Page(name, written(audit), X, given, dec)


def written(audit: Audit) -> dict[str, Any]:
    """Return what the file of an audit holds, and the lines to which a page folds its sections."""
    with tempfile.TemporaryDirectory() as folder:
        path = audit.save(Path(folder) / "audit.json")
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        read = Audit.load(path)
    lines = [*page_sections(read).values()]
    lines += [line for output in read.outputs for line in page_one(read, output).sections.values()]
    return found | {"lines of sections": plain(tuple(lines))}
