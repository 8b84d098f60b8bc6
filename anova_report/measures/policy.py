"""What an audit is judged by: expectations, limits that are set, a tier, waivers and the day of their judgment."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from math import inf
from typing import Any, Literal, Self, TypeAlias

from anova_report.errors import InputError, listing
from anova_report.measures import status
from anova_report.measures.claims import Claim
from anova_report.measures.expectations import Expectation, read_expectations
from anova_report.measures.sentences.waivers import waivers_words
from anova_report.measures.status import FIRST_EXPECTATION, Finding, Limit, Waiver, is_expected

Tier: TypeAlias = Literal["high", "medium", "low"]

WAIVERS = "AR201"
ROWS = "AR012"  # the only finding whose limit is a least number: of rows
USUAL = {made.code: made for made in vars(status).values() if isinstance(made, Limit) and made.code}
# Where a model matters much, less may be missing and more rows must speak; where it matters little, coarse shares will
# do. What makes components unique (AR004, AR005) or their features distinguishable does not depend on that.
TIERS: dict[Tier, dict[str, tuple[float, float]]] = {
    "high": {
        "AR002": (0.05, 0.15),
        "AR003": (0.03, 0.10),
        "AR006": (0.33, 0.67),
        "AR007": (1 / 100, 1 / 20),
        "AR009": (0.005, 0.02),
        "AR010": (0.005, 0.05),
        "AR012": (1 / 100, inf),
        "AR013": (0.05, 0.25),
    },
    "medium": {},
    "low": {
        "AR002": (0.20, 0.50),
        "AR003": (0.10, 0.25),
        "AR006": (1.0, inf),
        "AR007": (1 / 25, 1 / 5),
        "AR009": (0.05, 0.20),
        "AR010": (0.05, 0.25),
        "AR013": (0.20, inf),
    },
}
KEYS, WAIVER_KEYS = ("warn", "fail", "why"), ("code", "who", "why", "until")


@dataclass(frozen=True)
class Policy:
    """What an audit is judged by.

    Parameters
    ----------
    expectations : tuple of Expectation
    limits : dict of str to Limit
        Those that differ from the usual ones, by code.
    waivers : tuple of Waiver
    as_of : str
        The day on which waivers must not have expired.
    tier : {"high", "medium", "low"}

    Examples
    --------
    >>> made = Policy.read(tier="high", limits={"AR002": {"warn": "2%", "why": "Prices are quoted from it."}})
    >>> made.limits["AR002"].warn, made.limits["AR002"].fail, made.limits["AR003"].warn
    (0.02, 0.15, 0.03)
    """

    expectations: tuple[Expectation, ...] = ()
    limits: Mapping[str, Limit] = field(default_factory=dict)
    waivers: tuple[Waiver, ...] = ()
    as_of: str = ""
    tier: Tier = "medium"

    @classmethod
    def read(
        cls,
        *,
        expectations: Iterable[str] = (),
        tier: str | None = None,
        limits: Mapping[str, Any] | None = None,
        waivers: Sequence[Mapping[str, Any]] | None = None,
        as_of: str | date | None = None,
    ) -> Self:
        """Check what a user has written.

        Parameters
        ----------
        expectations : sequence of str
            "income: increasing".
        tier : {"high", "medium", "low"}, optional
        limits : mapping, optional
            {"AR002": {"warn": 0.05, "fail": 0.2, "why": "Prices are quoted from it."}}; either number may be left out,
            and shares may be written "5%".
        waivers : sequence of mapping, optional
            [{"code": "AR008", "who": …, "why": …, "until": "2027-06-30"}].
        as_of : str or date, optional
            Today by default.

        Raises
        ------
        InputError
            That says which word cannot be read.
        """
        chosen = tier or "medium"
        if chosen not in TIERS:
            raise InputError(f"tier must be one of {listing(list(TIERS))}; got {tier!r}.")
        found = {
            code: replace(USUAL[code], usual_warn=warn, usual_fail=fail, usual_reason=_of_tier(chosen, USUAL[code]))
            for code, (warn, fail) in TIERS[chosen].items()
        }
        if limits is not None and not isinstance(limits, Mapping):
            raise InputError(f"limits are a mapping of codes to limits; got {limits!r:.80}.")
        for code, given in (limits or {}).items():
            found[code] = _read_limit(code, given, found)
        if waivers is not None and (isinstance(waivers, str | Mapping) or not isinstance(waivers, Iterable)):
            raise InputError(f"waivers are a list, each with {listing(WAIVER_KEYS)}; got {waivers!r:.80}.")
        made = tuple(_read_waiver(given) for given in waivers or ())
        day = date.today() if as_of is None else _read_day(as_of, "as_of")
        return cls(read_expectations(expectations or ()), found, made, day.isoformat(), chosen)

    @property
    def words(self) -> dict[str, Any]:
        """What `read` makes it of."""
        own = Policy.read(tier=self.tier, as_of=self.as_of or None).limits
        return {
            "expectations": [one.text for one in self.expectations],
            "tier": self.tier,
            "limits": {
                code: {"warn": _written(code, limit.usual_warn), "fail": _written(code, limit.usual_fail)}
                | {"why": limit.usual_reason}
                for code, limit in self.limits.items()
                if limit != own.get(code)
            },
            "waivers": [{name: getattr(one, name) for name in WAIVER_KEYS} for one in self.waivers],
            "as_of": self.as_of or None,
        }

    def applied(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """Mark what is waived, and report on the waivers themselves."""
        if not self.waivers:
            return tuple(findings)
        valid = {one.code: one for one in self.waivers if one.until >= self.as_of}
        found = []
        for item in findings:
            waiver = next((valid[name] for name in self._names(item) if name in valid), None)
            counts = status.SEVERITY[item.status] >= status.SEVERITY["not tested"]
            found.append(replace(item, waiver=waiver) if waiver and counts else item)
        return (*found, self._report(found))

    def _names(self, item: Finding) -> tuple[str, ...]:
        """List by what a finding may be called in a waiver: its code, its title, an expectation as it was written."""
        written = (self.expectations[int(item.code[2:]) - FIRST_EXPECTATION].text,) if is_expected(item.code) else ()
        return (item.code, item.title, *written)

    def _report(self, findings: Sequence[Finding]) -> Finding:
        """Say which waivers apply, which have expired, and which are of nothing that was found."""
        by_code = {name: item for item in findings for name in self._names(item)}
        stated, amiss = [], 0
        waived = [item for item in findings if item.waiver is not None]
        codes = tuple(item.code for item in waived)
        stated.append(Claim("waivers that apply", {"count": float(len(waived))}, places=(self.as_of, *codes)))
        for one in self.waivers:
            if one.code not in by_code:
                stated.append(Claim("waiver of nothing", places=(one.code, one.who)))
                amiss += 1
            elif one.until < self.as_of:
                stated.append(Claim("waiver that expired", places=(one.code, one.who, one.until)))
                amiss += 1
            elif by_code[one.code].waiver is None:
                stated.append(Claim("waiver without need", places=(one.code, one.who)))
        advice = "Renew or remove waivers that have expired, and correct the codes of those that name nothing."
        judged: status.Status = "warn" if amiss else "pass"
        sentence = waivers_words(stated)
        return Finding(WAIVERS, "Waivers", judged, float(amiss), 0.0, sentence, advice if amiss else "", tuple(stated))


def _of_tier(tier: str, usual: Limit) -> str:
    return f"Set by the tier “{tier}”. {usual.usual_reason}"


def _read_limit(code: object, given: object, found: Mapping[str, Limit]) -> Limit:
    """Read the limits of one finding, and why."""
    if not isinstance(code, str) or code not in USUAL:
        near = difflib.get_close_matches(str(code), USUAL, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"There are {listing(sorted(USUAL), limit=len(USUAL))}."
        raise InputError(f"No finding with the code {code!r} has limits that can be set. {hint}")
    example = f"{{{code}: {{warn: 0.1, fail: 0.3, why: …}}}}"
    if not isinstance(given, Mapping) or not set(given) <= set(KEYS):
        raise InputError(
            f"The limits of {code} are a mapping with {listing(KEYS)}; got {given!r:.80}. Write {example}."
        )
    why = given.get("why")
    if not isinstance(why, str) or not why.strip():
        raise InputError(f"The limits of {code} need a reason, which is printed beside them. Write {example}.")
    if not {"warn", "fail"} & set(given):
        raise InputError(f"The limits of {code} set nothing. Name warn, fail or both: {example}.")
    usual = found.get(code, USUAL[code])
    warn, fail = (
        _read_bound(code, given[name]) if name in given else bound
        for name, bound in (("warn", usual.usual_warn), ("fail", usual.usual_fail))
    )
    if fail < warn:
        wrong = "fewer" if code == ROWS else "less"
        raise InputError(f"The limits of {code} fail before they call for caution: fail is {wrong} than warn allows.")
    return replace(usual, usual_warn=warn, usual_fail=fail, usual_reason=" ".join(why.split()))


def _read_bound(code: str, given: object) -> float:
    """Read a number, a share in percent, or "never"; of rows the least number is a limit."""
    if given is None or given == "never":
        return inf
    text = str(given)
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < inf or (code == ROWS and value < 1):
        raise InputError(f"A limit of {code} must be a number of at least 0, or 'never'; got {given!r}.")
    return 1 / value if code == ROWS else value


def _written(code: str, value: float) -> float | str:
    """Write a limit as `read` takes it."""
    return "never" if value == inf else 1 / value if code == ROWS else value


def _read_waiver(given: object) -> Waiver:
    """Read a waiver: all of it must be there, and its end must be a day."""
    if not isinstance(given, Mapping) or set(given) != set(WAIVER_KEYS):
        held = listing(list(map(str, given))) if isinstance(given, Mapping) else f"{given!r:.80}"
        raise InputError(
            f"A waiver has {listing(WAIVER_KEYS)}; got {held or 'nothing'}. Write {{code: AR008, who: …, why: …, "
            "until: 2027-06-30}."
        )
    for name in WAIVER_KEYS[:-1]:
        if not isinstance(given[name], str) or not given[name].strip():
            raise InputError(f"{name} of a waiver must be text; got {given[name]!r}.")
    code, who, why = (" ".join(given[name].split()) for name in WAIVER_KEYS[:-1])
    if code == WAIVERS:
        raise InputError(f"{WAIVERS} reports on the waivers themselves, so it cannot be waived. Correct the waivers.")
    return Waiver(code, who, why, _read_day(given["until"], f"until of the waiver of {code}").isoformat())


def _read_day(given: object, name: str) -> date:
    try:
        if isinstance(given, date):  # also a moment, and what pandas takes for one that is missing
            return date(given.year, given.month, given.day)
        return date.fromisoformat(given)  # type: ignore[arg-type]  # what is no text is refused
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a day such as 2026-11-19; got {given!r}.") from None
