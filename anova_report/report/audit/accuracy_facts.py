"""How close predictions come to the truth, on a page: metrics, what simpler functions keep, calibration, lift."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from anova_report.errors import InputError
from anova_report.figures.figure import Figure, Table
from anova_report.figures.gains import gains_figure
from anova_report.figures.observed import along_figure, calibration_figure
from anova_report.figures.rows import Rows
from anova_report.measures.accuracy import Accuracy, measured, scores_of
from anova_report.measures.claims import Claim, Claims
from anova_report.measures.judged_claims import function_claims, judged_claim, score_claims
from anova_report.measures.kept_aside import KeptAside
from anova_report.measures.protected import require_enough
from anova_report.measures.sentences.accuracy import (
    accuracy_line,
    functions_words,
    judged_words,
    metric_text,
)
from anova_report.measures.truths import Truth, truths
from anova_report.measures.variance import feature_totals
from anova_report.measures.wording import percent
from anova_report.report.audit.judged import AccuracyFacts
from anova_report.report.audit.sentences import UNKNOWN

MOST_ALONG = 6  # features along which truth and predictions are drawn
ALL = "all classes"
LINEAR_ASIDE = (
    "The linear model, of the same inputs, was fitted to the observed target of training rows, as the model was. Main "
    "effects and interactions are those of the explanation, of which nothing was fitted to it."
)
LINEAR_CROSSED = (
    "The linear model, of the same inputs, was fitted to the observed target of other rows than it predicts (five "
    "folds); a model that was trained on these rows has an advantage over it. Main effects and interactions are those "
    "of the explanation, of which nothing was fitted to it."
)


@dataclass(frozen=True, eq=False)
class Judged:
    """What predictions are held against.

    Parameters
    ----------
    truths : tuple of Truth
        One for each output, or one of all classes; none where no target was given.
    measured : tuple of Accuracy
        Of each of these.
    """

    aside: KeptAside
    truths: tuple[Truth, ...]
    measured: tuple[Accuracy, ...]

    @classmethod
    def of(cls, rows: Rows, aside: KeptAside, seed: int = 0) -> Self:
        """Match targets with outputs, and measure."""
        if rows.predictions is None:
            raise InputError("Predictions are held against the truth, and there are none. Pass predictions=.")
        if aside.n_rows != len(rows):
            raise InputError(
                f"The columns beside X have {aside.n_rows:,} rows, and X has {len(rows):,}. Pass the same."
            )
        found = truths(rows.dec, require_enough(aside), rows.predictions)
        return cls(aside, found, tuple(measured(rows.dec, truth, rows.values, seed) for truth in found))

    def truth(self, output: int) -> Truth | None:
        """Return the truth of one output: of a class, that against all others."""
        if not self.truths:
            return None
        first = self.truths[0]
        return first.of_class(output) if first.task == "classes" else self.truths[output]


def accuracy_facts(rows: Rows, judged: Judged, output: int, keep: Callable[[Figure], str]) -> AccuracyFacts | None:
    """Hold the predictions of one output against the truth; None where none was given."""
    truth = judged.truth(output)
    if truth is None:
        return None
    whole = judged.measured[0 if len(judged.measured) == 1 else output]
    together = (
        score_claims(whole.scores, output, ALL) if truth is not judged.truths[0] and whole.task == "classes" else ()
    )
    scores = (*together, *score_claims(whole.scores if not together else scores_of(truth), output))
    functions, gains = function_claims(whole, output), gains_figure(rows, truth, output)
    claims = (judged_claim(truth), *scores, *functions)
    return AccuracyFacts(
        words=judged_words(claims[0]),
        line=accuracy_line(claims),
        scores=_scores(scores, list(whole.n_rows)),
        functions=_functions(functions),
        functions_words=functions_words(functions),
        linear_words=LINEAR_CROSSED if truth.aside.held_out is None else LINEAR_ASIDE,
        calibration=keep(calibration_figure(rows, truth, output)),
        along=_along(rows, truth, output, keep),
        gains="" if gains is None else keep(gains),
        claims=claims,
    )


def _along(rows: Rows, truth: Truth, output: int, keep: Callable[[Figure], str]) -> tuple[tuple[str, str], ...]:
    """Draw truth and predictions along the main features of which some cell has rows enough."""
    drawn = ((rows.dec.feature_titles[at], along_figure(rows, truth, at, output)) for at in _main(rows, output))
    return tuple((title, keep(figure)) for title, figure in drawn if figure.table.rows)


def _main(rows: Rows, output: int) -> list[int]:
    """List the features with the largest structural shares, the largest first."""
    totals = feature_totals(rows.dec, output).features
    order = np.argsort([-total.structural for total in totals], kind="stable")
    names = [totals[at].feature for at in order[:MOST_ALONG]]
    return [rows.dec.feature_index(name) for name in names]


def _scores(claims: Claims, sides: Sequence[str]) -> Table:
    """List metrics, one line each, the rows of each side beside each other."""
    lines: dict[tuple[str, str], dict[str, tuple[str, str]]] = {}
    for claim in claims:
        metric, side, of = claim.places
        lines.setdefault((metric, of), {})[side] = (metric_text(metric, claim["value"]), _between(claim, metric))
    head = ("Metric", *(cell for side in sides for cell in (f"On {side}", "95% interval")))
    return Table(
        head,
        tuple(
            (f"{metric}, {of}" if of else metric, *(cell for side in sides for cell in known.get(side, (UNKNOWN,) * 2)))
            for (metric, of), known in lines.items()
        ),
    )


def _functions(claims: Claims) -> Table:
    """List what the model and simpler functions reach, metric by metric."""
    lines = []
    for claim in claims:
        name, metric = claim.places
        apart, kept = ("", UNKNOWN), claim.numbers.get("kept")
        if claim["difference"] or claim["low"] != claim["high"]:
            apart = (_signed(metric, claim["difference"]), _between(claim, metric))
        value = metric_text(metric, claim["value"])
        lines.append((name, metric, value, *apart, UNKNOWN if kept is None else percent(kept)))
    head = ("Function", "Metric", "Value", "Minus the model's", "95% interval of the difference", "Keeps")
    return Table(head, tuple(lines))


def _signed(metric: str, value: float) -> str:
    written = metric_text(metric, value)
    return f"+{written}" if value > 0 and written[0].isdigit() else written


def _between(claim: Claim, metric: str) -> str:
    if "low" not in claim.numbers:
        return UNKNOWN
    return f"{metric_text(metric, claim['low'])} to {metric_text(metric, claim['high'])}"
