"""What a check can find: its status, one order of severity, the limits with their reasons, and the findings themselves.

Apart from the checks because pages and saved audits, which know no numbers, need the same words.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from math import inf
from typing import Literal, TypeAlias

from anova_report.core.result.display import Overview, Shown
from anova_report.errors import UnknownFindingError, listing

Status: TypeAlias = Literal["pass", "warn", "fail", "not applicable"]

SEVERITY: dict[Status, int] = {"not applicable": 0, "pass": 1, "warn": 2, "fail": 3}
# How pages and mails say the status of a check, and that of the whole explanation.
OUTCOMES: dict[Status, str] = {
    "pass": "Passed",
    "warn": "Caution",
    "fail": "Failed",
    "not applicable": "Not applicable",
}
VERDICTS: dict[Status, str] = {
    "pass": "Can be relied on",
    "warn": "Use with care",
    "fail": "Do not rely on it",
    "not applicable": "Not applicable",
}


def worst(statuses: Iterable[Status]) -> Status:
    """Return the most severe status; "not applicable" if there is none.

    Examples
    --------
    >>> worst(["pass", "warn", "not applicable"])
    'warn'
    """
    return max(statuses, key=SEVERITY.__getitem__, default="not applicable")


@dataclass(frozen=True)
class Limit:
    """The values beyond which a measure calls for caution and fails."""

    # warn, fail: values beyond these give the status of that name
    warn: float
    fail: float
    reason: str  # why these values

    def judge(self, value: float) -> Status:
        """Give the status of a value of which less is better."""
        if value > self.fail:
            return "fail"
        return "warn" if value > self.warn else "pass"


UNEXPLAINED = Limit(
    0.10, 0.30, "Up to a tenth is rarely of consequence; where a third is missing, an important driver may be unseen."
)
OPTIMISM = Limit(
    0.05,
    0.15,
    "R² on the rows of the fit may exceed R² on other rows by a few hundredths; more means noise was fitted.",
)
COSINE = Limit(0.05, 0.20, "Terms with a cosine of 0.05 have 0.25% of their variance in common; with 0.2 it is 4%.")
LEAKAGE = Limit(
    0.02, 0.10, "Up to a fiftieth of an interaction may be a main effect in disguise; a tenth would mislead."
)
ROUGH_SHARES = Limit(
    0.05, 0.15, "Half the width of the widest interval of a share: beyond these values ranks may change."
)
FEW_ROWS = Limit(1 / 50, 1 / 10, "Features per row: with fewer than fifty rows for each feature, effects are coarse.")
OUTSIDE = Limit(
    0.01, 0.05, "Share of rows outside the values of the fit, where effects are continued without rows to support them."
)
DEPENDENT_ROWS = Limit(
    0.10,
    0.50,
    "Share of rows whose near-duplicates the fit may have seen, so that they do not count as new rows. In "
    "tables without clusters it is close to zero.",
)
SERIAL_ROWS = Limit(
    0.8,
    inf,
    "Median correlation of a feature with itself one row later: beyond it rows follow each other in time, and held-out "
    "rows lie between rows of the fit. Time may not matter, so this never fails.",
)
HELD_TOGETHER = Limit(
    0.10,
    inf,
    "R² with rows held out one by one, minus R² with whole sets of them held out: as much as may be unexplained. Fresh "
    "rows may come from the same sets, so this never fails.",
)
FEW_DECIDE = Limit(
    1 / 40,
    0.8,
    "Where fewer than forty rows decide, R² on other rows often lay outside its interval; below 1.25 one row decides.",
)
LONG_TAILS = Limit(
    25,
    inf,
    "Kurtosis of the predictions, 3 for a normal law, 9 for an exponential one: beyond it R² on other rows was that of "
    "rows beyond all of the fit. They may agree, so this never fails.",
)
UNDELIVERED = Limit(
    0.002,
    0.15,
    "R² held out minus R² in sample, beyond its error: a fit agrees best with its own rows, so another fit was judged.",
)
CANCELLATION = Limit(
    1.5,
    inf,
    "Sum of the structural shares: at 150% or more, effects cancel each other. This may be a property of the model, "
    "which the explanation then shows correctly, so it never fails.",
)
UNSEEN_TOGETHER = Limit(
    0.01,
    0.10,
    "Share of rows, beyond chance, that combine values as no row of the fit does: what is said about them is "
    "extrapolated, although each value by itself is known.",
)

NOT_INPUTS = Limit(
    0.0,
    inf,
    "Columns that number the rows, or go with the predictions as the truth would. They may be inputs, so this never "
    "fails.",
)
UNREAD = Limit(
    0.01,
    inf,
    "Largest share of the cells of one column that were left out, or taken for missing though they say something. The "
    "model may not need them, so this never fails.",
)
WORSE = 1.25  # times the error without recombined rows: of honest models it was 1.02 at most (`make ask`)
OFF_DATA = Limit(
    0.005,
    0.20,
    f"Unexplained share of held-out rows with recombined rows, beyond {WORSE} times that without. These lower it as a "
    "rule; with this limit, 18 of 20 models that were made to fool explainers were found, and no honest one.",
)


def worse_when_asked(rows_only: float, asked: float) -> float:
    """Give what recombined rows add to the unexplained share, beyond what honest models show."""
    return max(asked - WORSE * max(rows_only, 0.0), 0.0)


CONCURVITY = Limit(
    0.70,
    0.95,
    "Share of a main effect that functions of other features explain: beyond the first limit an uncertain curve, "
    "beyond the second any curve, is partly a choice of the fit.",
)
EXACT = 0.9999  # where others explain more of a main effect, data cannot tell it from them at all
VAGUE_CURVE = 0.25  # standard error relative to the curve's own size: a quarter changes its shape
INSEPARABLE = Limit(
    0.01,
    math.inf,
    "Effects that cannot be separated are read as one joint effect, which is known; so this never fails.",
)


@dataclass(frozen=True)
class Finding:
    """One thing that was checked.

    Parameters
    ----------
    code : str
        Stable: AR001 … .
    title : str
    status : {"pass", "warn", "fail", "not applicable"}
    value : float or None
    limit : float or None
        The limit that decided the status, or the next one.
    sentence : str
        What was found.
    advice : str
        What to do about it; empty for a pass.
    """

    code: str
    title: str
    status: Status
    value: float | None
    limit: float | None
    sentence: str
    advice: str = ""


@dataclass(frozen=True, repr=False)
class Findings(Shown):
    """All findings about a decomposition."""

    items: tuple[Finding, ...]

    @property
    def verdict(self) -> Status:
        """The worst status among them."""
        return worst(item.status for item in self.items)

    def overview(self) -> Overview:
        """Choose what is shown: the verdict, and the checks that were not passed."""
        passed = [item for item in self.items if item.status == "pass"]
        open_points = [item for item in self.items if item.status in ("warn", "fail")]
        rows = tuple((f"{item.code} {item.title}", item.status) for item in open_points)
        return Overview(
            f"{VERDICTS[self.verdict]}: {len(passed)} of {len(self.items)} checks passed", (), ("check", "status"), rows
        )

    def frame(self) -> dict[str, list[object]]:
        """Columns for `pandas.DataFrame` or `polars.DataFrame`."""
        return {field.name: [getattr(item, field.name) for item in self.items] for field in fields(Finding)}

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.items)

    def __getitem__(self, code: str) -> Finding:
        found = {item.code: item for item in self.items}
        if code not in found:
            raise UnknownFindingError(f"There is no finding {code!r}. There are: {listing(list(found), limit=20)}.")
        return found[code]
