"""What a check can find: its status, one order of severity, the limits with their reasons, and the findings themselves.

Apart from the checks because pages and saved audits, which know no numbers, need the same words.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from math import inf
from typing import Literal, TypeAlias

from anova_report.core.result.display import Overview, Shown
from anova_report.errors import UnknownFindingError, listing
from anova_report.measures.claims import Claim, Claims
from anova_report.measures.sentences import sections

# "not applicable" says that there is nothing to check, "not tested" that these rows, or this estimator, cannot tell.
Status: TypeAlias = Literal["pass", "warn", "fail", "not applicable", "not tested"]

SEVERITY: dict[Status, int] = {"not applicable": 0, "pass": 1, "not tested": 2, "warn": 3, "fail": 4}
# Fidelity, orthogonality, by either of its checks, and identifiability: what must be tested before a verdict is a pass.
NEEDED = (("AR002",), ("AR004", "AR005"), ("AR011",))
EXPECTATIONS = ("AR101", "AR199")  # codes of what a model is expected to do
FIRST_EXPECTATION = 101  # the number of the first
# Kinds of claims on how many checks there are of a status, and of those that are waived.
COUNTED: dict[Status, str] = {
    "pass": "checks passed",
    "fail": "checks failed",
    "warn": "checks that call for caution",
    "not tested": "checks not tested",
}
WAIVED = "checks waived"
# How pages and mails say the status of a check, and that of the whole explanation.
OUTCOMES: dict[Status, str] = {
    "pass": "Passed",
    "warn": "Caution",
    "fail": "Failed",
    "not applicable": "Not applicable",
    "not tested": "Not tested",
}
VERDICTS: dict[Status, str] = {
    "pass": "Can be relied on",
    "warn": "Use with care",
    "fail": "Do not rely on it",
    "not applicable": "Not applicable",
    "not tested": "Not tested",
}


def worst(statuses: Iterable[Status]) -> Status:
    """Return the most severe status; "not applicable" if there is none.

    Examples
    --------
    >>> worst(["pass", "warn", "not tested"])
    'warn'
    """
    return max(statuses, key=SEVERITY.__getitem__, default="not applicable")


@dataclass(frozen=True)
class Limit:
    """The values beyond which a measure calls for caution and fails.

    Parameters
    ----------
    usual_warn, usual_fail : float
        Values beyond these give the status of that name, unless others are set for an audit.
    usual_reason : str
        Why these values.
    code : str
        Of the finding whose limit it is, where users may set another.
    """

    usual_warn: float
    usual_fail: float
    usual_reason: str
    code: str = ""

    @property
    def warn(self) -> float:
        """The value beyond which caution is called for."""
        return _SET.get().get(self.code, self).usual_warn

    @property
    def fail(self) -> float:
        """The value beyond which the check fails."""
        return _SET.get().get(self.code, self).usual_fail

    @property
    def reason(self) -> str:
        """Why these values."""
        return _SET.get().get(self.code, self).usual_reason

    def judge(self, value: float) -> Status:
        """Give the status of a value of which less is better."""
        if value > self.fail:
            return "fail"
        return "warn" if value > self.warn else "pass"


# Limits that are set for one audit, by the codes of their findings: every use of a limit within `limits_set` sees them.
_SET: ContextVar[Mapping[str, Limit]] = ContextVar("limits that are set", default={})  # noqa: B039 never changed


@contextmanager
def limits_set(limits: Mapping[str, Limit]) -> Iterator[None]:
    """Judge by other limits than the usual ones.

    Examples
    --------
    >>> with limits_set({"AR002": Limit(0.01, 0.02, "A pricing model.", "AR002")}):
    ...     UNEXPLAINED.judge(0.015), UNEXPLAINED.reason
    ('warn', 'A pricing model.')
    >>> UNEXPLAINED.judge(0.015)
    'pass'
    """
    token = _SET.set(limits)
    try:
        yield
    finally:
        _SET.reset(token)


UNEXPLAINED = Limit(
    0.10,
    0.30,
    "Up to a tenth is rarely of consequence; where a third is missing, an important driver may be unseen.",
    code="AR002",
)
OPTIMISM = Limit(
    0.05,
    0.15,
    "R² on the rows of the fit may exceed R² on other rows by a few hundredths; more means noise was fitted.",
    code="AR003",
)
COSINE = Limit(
    0.05, 0.20, "Terms with a cosine of 0.05 have 0.25% of their variance in common; with 0.2 it is 4%.", code="AR004"
)
LEAKAGE = Limit(
    0.02,
    0.10,
    "Up to a fiftieth of an interaction may be a main effect in disguise; a tenth would mislead.",
    code="AR005",
)
CERTAIN = 1.96 / 3  # of a floor, which is three standard deviations: half the width of a 95% interval
UNDECIDED = "That is more than the limit at which this check fails, so these rows do not decide it."
MATTERS = 0.05  # of a smaller interaction chance may hide what it likes, as long as larger ones are separate
SMALL_SHARE = 0.10  # shares below are held against it: a point more or less of a small one matters to nobody
ROUGH_SHARES = Limit(
    0.5,
    1.0,
    "Half the width of an interval as a part of its share. Up to a half, no sign can change, nor the rank of two "
    "shares of which one is three times the other; beyond the whole, the sign may. A share below "
    f"{SMALL_SHARE:.0%} is held against {SMALL_SHARE:.0%}; between both limits one passes where neither its sign "
    "nor its rank may change.",
    code="AR006",
)
FEW_ROWS = Limit(
    1 / 50, 1 / 10, "Features per row: with fewer than fifty rows for each feature, effects are coarse.", code="AR007"
)
OUTSIDE = Limit(
    0.01,
    0.05,
    "Share of rows outside the values of the fit, where effects are continued without rows to support them.",
    code="AR009",
)
DEPENDENT_ROWS = Limit(
    0.10,
    0.50,
    "Share of rows whose near-duplicates the fit may have seen, so that they do not count as new rows. In "
    "tables without clusters it is close to zero.",
    code="AR013",
)
SERIAL_ROWS = Limit(
    0.8,
    inf,
    "Median correlation of a feature with itself one row later: beyond it rows follow each other in time, and held-out "
    "rows lie between rows of the fit. Time may not matter, so this never fails.",
)
LONG_TAILS = 25  # kurtosis of the predictions, 3 for a normal law, 9 for an exponential one: beyond it, R² on other
# rows was found to be that of rows beyond all of the fit
HELD_TOGETHER = Limit(
    0.10,
    inf,
    "R² with rows held out one by one, minus R² with whole sets of them held out: as much as may be unexplained. Fresh "
    "rows may come from the same sets, so this never fails.",
)
FEW_DECIDE = Limit(
    1 / 40,
    inf,
    "With fewer than forty deciding rows, R² on other rows often lay outside its interval. Under long tails, other "
    f"tables will hold rows beyond all of these, so that one row in {LONG_TAILS} is asked for. Few rows may be right, "
    "so this never fails.",
    code="AR012",
)
UNDELIVERED = Limit(
    0.002,
    0.15,
    "R² held out minus R² in sample, beyond its error: a fit agrees best with its own rows, so another fit was judged.",
)
CANCELLATION = 1.5  # sum of the structural shares, beyond which effects take a third of it from each other
ALIKE = Limit(
    0.7,
    inf,
    "Effects that correlate so strongly, in either direction, have half of their variance in common. Weaker ones count "
    f"where they cancel so much of each other that structural shares add up to more than {CANCELLATION:.0%}. This may "
    "be a property of the model, which the explanation then shows correctly, so it never fails.",
    code="AR008",
)
UNSEEN_TOGETHER = Limit(
    0.01,
    0.10,
    "Share of rows, beyond chance, that combine values as no row of the fit does: what is said about them is "
    "extrapolated, although each value by itself is known.",
    code="AR010",
)

NOT_INPUTS = Limit(
    0.0,
    inf,
    "Columns that number the rows, or relate to the predictions as a target would. They may be inputs, so this never "
    "fails.",
    code="AR014",
)
UNREAD = Limit(
    0.01,
    inf,
    "Largest share of the cells of one column that were left out, or taken for missing though they say something. The "
    "model may not need them, so this never fails.",
    code="AR015",
)
WORSE = 1.25  # times the error without recombined rows: of honest models it was 1.02 at most (`make ask`)
OFF_DATA = Limit(
    0.005,
    0.20,
    f"Unexplained share of held-out rows with recombined rows, beyond {WORSE} times that without. These lower it as a "
    "rule; with this limit, 18 of 20 models that were made to fool explainers were found, and no honest one.",
    code="AR016",
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
    code="AR011",
)


@dataclass(frozen=True)
class Waiver:
    """Somebody accepts a finding, for a while.

    Parameters
    ----------
    code : str
        Of the finding, or the expectation in its own words.
    who, why : str
    until : str
        The last day, as 2027-06-30.
    """

    code: str
    who: str
    why: str
    until: str


@dataclass(frozen=True)
class Finding:
    """One thing that was checked.

    Parameters
    ----------
    code : str
        Stable: AR001 … .
    title : str
    status : {"pass", "warn", "fail", "not applicable", "not tested"}
    value : float or None
    limit : float or None
        The limit that decided the status, or the next one.
    sentence : str
        What was found.
    advice : str
        What to do about it; empty for a pass.
    claims : tuple of Claim
        What sentence and advice are made of; documents of earlier versions hold none.
    waiver : Waiver or None
        Who accepts it, and until when: it then does not decide the verdict.
    """

    code: str
    title: str
    status: Status
    value: float | None
    limit: float | None
    sentence: str
    advice: str = ""
    claims: Claims = ()
    waiver: Waiver | None = None


def decide(
    code: str, title: str, limit: Limit, value: float, sentence: str, advice: str, claims: Claims = ()
) -> Finding:
    """Judge a value by a limit; a pass needs no advice."""
    judged = limit.judge(value)
    bound = limit.fail if judged == "fail" else limit.warn
    return Finding(code, title, judged, value, bound, sentence, "" if judged == "pass" else advice, claims)


def skip(code: str, title: str, sentence: str) -> Finding:
    """Say why a check does not apply."""
    return Finding(code, title, "not applicable", None, None, sentence)


def untested(code: str, title: str, sentence: str) -> Finding:
    """Say why a check cannot be made, though there is something to check."""
    return Finding(code, title, "not tested", None, None, sentence)


def judge_beyond_chance(limit: Limit, measured: tuple[float, float]) -> Status:
    """Judge the lower end of the 95% interval of a value, given the floor that chance has, if the value is above it."""
    value, floor = measured
    return limit.judge(value - CERTAIN * floor) if value > floor else "pass"


def decide_beyond_chance(
    code: str, title: str, limit: Limit, measured: tuple[float, float], sentence: str, advice: str, claims: Claims = ()
) -> Finding:
    """Judge a value of which chance alone gives as much as its floor: a limit below the floor cannot be applied.

    A value that is little above its floor is there, and may be small: its 95% bound must be beyond a limit.

    Examples
    --------
    >>> limit = Limit(0.05, 0.2, "")
    >>> tried = (0.5, 0.1), (0.34, 0.33), (0.07, 0.06), (0.07, 0.1), (0.5, 0.7)
    >>> [decide_beyond_chance("", "", limit, each, "", "").status for each in tried]
    ['fail', 'warn', 'pass', 'pass', 'not tested']
    """
    value, floor = measured
    if value > floor:
        judged = judge_beyond_chance(limit, measured)
        bound = max((limit.fail if judged == "fail" else limit.warn) + CERTAIN * floor, floor)
        return Finding(code, title, judged, value, bound, sentence, "" if judged == "pass" else advice, claims)
    if floor > limit.fail:
        return Finding(code, title, "not tested", value, limit.fail, f"{sentence} {UNDECIDED}", advice, claims)
    return Finding(code, title, "pass", value, max(limit.warn, floor), sentence, claims=claims)


def verdict_of(items: Iterable[Finding]) -> Status:
    """Judge an explanation: the worst status of its checks, and caution where a check that is needed was not tested.

    What is waived does not count.

    Examples
    --------
    >>> passed = [Finding(code, "", "pass", None, None, ".") for code in ("AR002", "AR004")]
    >>> verdict_of([*passed, untested("AR005", "", ".")]), verdict_of([*passed, untested("AR011", "", ".")])
    ('pass', 'warn')
    """
    checks = [item for item in items if item.waiver is None]
    missing: list[Status] = ["warn"] if _missing(checks) else []
    return worst([*(item.status for item in checks if item.status != "not tested"), *missing])


def is_expected(code: str) -> bool:
    """Tell whether a finding says what a model does of what is expected of it, rather than how it is explained."""
    return EXPECTATIONS[0] <= code <= EXPECTATIONS[1]


def _missing(items: Sequence[Finding]) -> list[Finding]:
    """List the checks that a pass needs and none of which could be tested; expectations are all needed."""
    groups = [[item for item in items if item.code in codes and item.status != "not applicable"] for codes in NEEDED]
    groups += [[item] for item in items if is_expected(item.code)]
    return [item for group in groups if all(each.status == "not tested" for each in group) for item in group]


def sign_of(items: Iterable[Finding]) -> str:
    """Say the verdict in words: on the explanation, unless all that fails is what the model was expected to do.

    Examples
    --------
    >>> sign_of([Finding("AR002", "Fidelity", "pass", None, None, "."), Finding("AR101", "", "fail", None, None, ".")])
    'Expectation violated'
    """
    found = [item for item in items if item.waiver is None]
    violated = [item for item in found if is_expected(item.code) and item.status == "fail"]
    if violated and verdict_of(item for item in found if not is_expected(item.code)) != "fail":
        return "Expectations violated" if len(violated) > 1 else "Expectation violated"
    return VERDICTS[verdict_of(found)]


def pressing(items: Sequence[Finding]) -> tuple[Finding, ...]:
    """List what calls for action, the worst first; also what is needed for a pass and could not be tested."""
    open_items = [item for item in items if item.waiver is None]
    urgent = [item for item in open_items if SEVERITY[item.status] >= SEVERITY["warn"]]
    return (*sorted(urgent, key=lambda item: -SEVERITY[item.status]), *_missing(open_items))


def counted_claims(items: Iterable[Finding]) -> Claims:
    """State how many of the checks that apply have which status, and how many are waived, where there are any."""
    applied = [item for item in items if item.status != "not applicable"]
    decides = [item for item in applied if not item.waiver]
    kinds = {kind: [item for item in decides if item.status == status] for status, kind in COUNTED.items()}
    kinds[WAIVED], total = [item for item in applied if item.waiver], float(len(applied))
    return tuple(
        Claim(kind, {"count": float(len(own)), "applied": total}, places=tuple(map(_inside, own)))
        for kind, own in kinds.items()
        if own or kind == COUNTED["pass"]
    )


def _inside(item: Finding) -> str:
    """Write the title of a check within a sentence; an expectation begins with the name of a feature."""
    return item.title if is_expected(item.code) else item.title.lower()


def passed_claims(items: Iterable[Finding]) -> Claims:
    """State how many of the checks that apply passed, and how many could not be tested, or are waived."""
    wanted = (COUNTED["pass"], COUNTED["not tested"], WAIVED)
    return tuple(claim for claim in counted_claims(items) if claim.kind in wanted)


def passed_words(items: Iterable[Finding]) -> str:
    """Say how many of the checks that apply passed, and how many could not be tested.

    Examples
    --------
    >>> passed_words(Finding("", "", status, None, None, "") for status in ("pass", "warn", "not tested"))
    '1 of 3 checks passed, 1 could not be tested'
    """
    return sections.passed_words(passed_claims(items))


@dataclass(frozen=True, repr=False)
class Findings(Shown):
    """All findings about a decomposition."""

    items: tuple[Finding, ...]

    @property
    def verdict(self) -> Status:
        """What they say together: see `verdict_of`."""
        return verdict_of(self.items)

    def overview(self) -> Overview:
        """Choose what is shown: the verdict, and the checks that were not passed."""
        rows = tuple((f"{item.code} {item.title}", item.status) for item in pressing(self.items))
        return Overview(f"{sign_of(self.items)}: {passed_words(self.items)}", (), ("check", "status"), rows)

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
