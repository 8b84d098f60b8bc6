"""One call from a model and a table to the page."""

import inspect
import os
from pathlib import Path
from typing import Any

from anova_report.core.result.explanation import explain
from anova_report.io import files
from anova_report.report.audit.audit import Audit
from anova_report.report.audit.build_audit import build_audit
from anova_report.report.page.render import write_report

PAGE_OPTIONS = [
    name for name, option in inspect.signature(build_audit).parameters.items() if option.kind is option.KEYWORD_ONLY
]
BOTH = ("random_state", "progress")


def audit(model: Any, X: Any, path: str | os.PathLike[str] = "audit.html", **options: Any) -> Audit:
    """Ask a model about every row of a table, decompose its predictions, and write the page.

    Parameters
    ----------
    model : callable or object with predict, predict_proba or decision_function
    X : table of shape (n_rows, n_features)
    path : path
        Of the page; it is replaced as a whole, when all of it is there.
    **options
        Of `explain` (scale, output, ask, max_order, groups, …) and of `report.build_audit` (title, rows, notes, …).

    Returns
    -------
    Audit
        What the page shows, as plain data; `save` keeps it as JSON.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> X = np.random.default_rng(0).uniform(size=(500, 2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = audit(lambda rows: 2 * rows[:, 0] + rows[:, 1], X, f"{folder}/audit.html", max_order=1)
    >>> made.verdict, made.subject.model
    ('pass', 'A Python function')
    """
    files.check_place(Path(path))  # before time has been spent
    of_page = {name: value for name, value in options.items() if name in PAGE_OPTIONS}
    dec = explain(model, X, **{name: value for name, value in options.items() if name in BOTH or name not in of_page})
    page = build_audit(dec, **of_page)
    write_report(page, path)
    return page
