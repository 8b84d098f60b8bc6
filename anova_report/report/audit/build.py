"""From a decomposition and its rows to an audit; the model is not asked."""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from anova_report.compare.attribution import Attribution
from anova_report.core.decomposition import Decomposition
from anova_report.errors import InputError
from anova_report.figures.columns import Rows, histogram_figure
from anova_report.measures.findings import findings
from anova_report.report.audit.audit import Audit, FeatureFacts, Run, Subject
from anova_report.report.audit.cases import chosen_rows
from anova_report.report.audit.facts import feature_summary
from anova_report.report.audit.gallery import Gallery
from anova_report.report.audit.others import Beside
from anova_report.report.audit.outputs import count_figures, output_audit
from anova_report.report.audit.provenance import provenance
from anova_report.report.audit.verdict import limits_table
from anova_report.report.audit.words import scale_words

MODEL = "A black box of which only the answers are known"


def build_audit(  # noqa: PLR0913 every option of the command line has a word of its own
    dec: Decomposition,
    X: Any,
    answers: Any = None,
    *,
    others: Sequence[Attribution] = (),
    title: str | None = None,
    model: str = MODEL,
    rows: Sequence[int] | None = None,
    row_names: Sequence[object] | None = None,
    notes: Sequence[str] = (),
    command: str = "",
    created: str | None = None,
    seconds: Sequence[tuple[str, float]] = (),
    random_state: int = 0,
    top_mains: int = 12,
    top_pairs: int = 12,
    progress: bool = True,
) -> Audit:
    """Collect facts, findings and figures about a decomposition; without answers, what needs them is left out.

    Parameters
    ----------
    dec : Decomposition
    X : table of shape (n_rows, n_features)
        Rows to show and to explain, those of the fit as a rule.
    answers : array-like of shape (n_rows,) or (n_rows, n_outputs), optional
        What the black box said, on the scale that was decomposed.
    others : sequence of Attribution
        Other explanations of rows of X, from `compare.attribute`, to be laid over main effects.
    title : str, optional
    model : str
        What answered, in words.
    rows : sequence of int, optional
        Positions of rows to explain one by one; by default the typical, the extreme and the worst explained.
    row_names : sequence, optional
        What each row is called.
    notes : sequence of str
        Sentences on what was left out or sampled.
    command : str
        What makes this audit again.
    created : str, optional
        When it was made; by default now.
    seconds : sequence of (str, float)
        How long stages before this one took.
    random_state : int
        Decides which rows are drawn where not all can be.
    top_mains, top_pairs : int
        How many main effects and pairs are drawn; the rest is listed.
    progress : bool
        Show a bar once drawing has taken two seconds.

    Examples
    --------
    >>> from anova_report import FunctionalANOVA
    >>> X = np.random.default_rng(0).normal(size=(800, 2))
    >>> answers = X[:, 0] + X[:, 0] * X[:, 1]
    >>> dec = FunctionalANOVA(random_state=0).fit(X, answers).decomposition_
    >>> audit = build_audit(dec, X, answers, title="A product", rows=[0])
    >>> audit.verdict, audit.outputs[0].pairs[0].label
    ('pass', 'x0 × x1')
    """
    started = time.perf_counter()
    shown = Rows.of(dec, X, answers, seed=random_state)
    _check_names(row_names, len(shown))
    outputs = range(len(dec.output_names))
    chosen = [chosen_rows(shown, X, output, rows, row_names) for output in outputs]
    total = len(dec.features) + count_figures(dec, (top_mains, top_pairs), sum(map(len, chosen)))
    beside = Beside(X, tuple(others)) if others else None
    with Gallery(total, progress) as gallery:
        features = tuple(_feature(shown, index, gallery) for index in range(len(dec.features)))
        audited = tuple(
            output_audit(
                shown, output, findings(dec, X, output), chosen[output], gallery, (top_mains, top_pairs), beside
            )
            for output in outputs
        )
    return Audit(
        title=f"Audit: {model}" if title is None else title,
        subject=Subject(model, scale_words(dec.scale), len(shown), tuple(notes)),
        features=features,
        outputs=audited,
        provenance=provenance(dec, shown.values, shown.answers, command=command, random_state=random_state),
        run=Run(created or _now(), (*seconds, ("Audit and figures", time.perf_counter() - started))),
        figures=gallery.figures,
        plots=gallery.plots,
        limits=limits_table(),
    )


def _check_names(names: Sequence[object] | None, n_rows: int) -> None:
    if names is not None and len(names) != n_rows:
        raise InputError(f"There are {len(names)} names for {n_rows} rows. Pass one name per row, or none.")


def _feature(rows: Rows, index: int, gallery: Gallery) -> FeatureFacts:
    feature, column = rows.dec.features[index], rows.values[:, index]
    return FeatureFacts(
        name=feature.name,
        kind=feature.kind,
        summary=feature_summary(feature, column),
        missing=float(np.isnan(column).mean()),
        figure=gallery.hang(histogram_figure(rows, index), live=False),
    )


def _now() -> str:
    return f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
