"""From a case of the corpus to its page: the model is explained, and the audit is written and read as a file."""

import json
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from anova_report import Decomposition, explain
from anova_report.errors import ExtrapolationWarning
from anova_report.report import Audit, build_audit
from benchmarks.facts.corpus import Case
from benchmarks.facts.page import Page


def make(case: Case) -> Page:
    """Explain the model of a case and write its audit."""
    pair = case.pair()
    dec = explain(pair.model, pair.X, ask=pair.ask, max_order=2, progress=False, **case.settings)
    return page_of(case.name, dec, pair.X, dec.predictions)


def page_of(name: str, dec: Decomposition, X: Any, predictions: Any) -> Page:
    """Write the audit of a decomposition and its rows, and read it as anybody may who has only the file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExtrapolationWarning)
        audit = build_audit(dec, X, predictions, progress=False)
        given = np.asarray(predictions, dtype=float).reshape(len(X), -1)
        return Page(name, written(audit), X, given, dec)


def written(audit: Audit) -> dict[str, Any]:
    """Return what the file of an audit holds."""
    with tempfile.TemporaryDirectory() as folder:
        path = audit.save(Path(folder) / "audit.json")
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
