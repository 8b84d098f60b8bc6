"""The results of the race: one line each, and the marks they have to reach."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    """The figures of one contestant on one dataset; None where there is no such figure.

    Parameters
    ----------
    dataset, contestant : str
    reason : str or None
        Why there are no figures.
    seconds : float or None
        Of the fit.
    r2 : float or None
        On the untouched rows.
    self_reported : float or None
        What the fit itself reports as held out.
    max_corr, max_corr_sd : float or None
        Largest cosine on the untouched rows, and its noise.
    max_corr_of : str
        Between which term and which part of it.
    n_above, n_cosines : int or None
        How many cosines are above the noise, of how many; None without components.
    peak_mb, above_bare_mb : float or None
        Peak of the process, and how much that is above a process that only holds the data.
    note : str
    """

    dataset: str
    contestant: str
    reason: str | None = None
    seconds: float | None = None
    r2: float | None = None
    self_reported: float | None = None
    max_corr: float | None = None
    max_corr_sd: float | None = None
    max_corr_of: str = ""
    n_above: int | None = None
    n_cosines: int | None = None
    peak_mb: float | None = None
    above_bare_mb: float | None = None
    note: str = ""


def line(result: Result, ours: Result | None) -> str:
    """Write a result in one line, with the ratio of its seconds to ours."""
    start = f"  {result.contestant:<10}"
    if result.reason is not None:
        return f"{start} {result.reason}"
    cells = [_fidelity(result), _orthogonality(result), _seconds(result, ours), _memory(result), result.note]
    return f"{start} " + "  ".join(cell for cell in cells if cell)


def _fidelity(result: Result) -> str:
    if result.r2 is None:
        return "R² none   "
    own = "" if result.self_reported is None else f" (itself {result.self_reported:.4f})"
    return f"R² {result.r2:7.4g}{own}" if result.r2 < 0 else f"R² {result.r2:7.4f}{own}"


def _orthogonality(result: Result) -> str:
    if result.max_corr is None:
        return "MaxCorr none" if result.n_cosines is None else "MaxCorr none (no pair of 1%)"
    above = f"{result.n_above} of {result.n_cosines} above the noise"
    return f"MaxCorr {result.max_corr:.3f} (sd {result.max_corr_sd:.3f}, {result.max_corr_of}), {above}"


def _seconds(result: Result, ours: Result | None) -> str:
    ratio = _ratio(result, ours)
    return f"{result.seconds:8.2f} s" + ("" if ratio is None else f" ({ratio:.3g}× ours)")


def _memory(result: Result) -> str:
    if result.peak_mb is None:
        return ""
    above = "" if result.above_bare_mb is None else f"+{result.above_bare_mb:.0f} MB, "
    return f"{above}peak {result.peak_mb:.0f} MB"


def _ratio(one: Result | None, other: Result | None) -> float | None:
    if one is None or other is None or one.seconds is None or not other.seconds:
        return None
    return one.seconds / other.seconds


@dataclass(frozen=True)
class Mark:
    """A figure that our default has to reach on a dataset; `sign` is ">=" or "<="."""

    dataset: str
    figure: str
    sign: str
    limit: float


@dataclass(frozen=True)
class Verdict:
    """Whether a mark is reached; None where its figure was not measured."""

    mark: Mark
    value: float | None

    @property
    def reached(self) -> bool | None:
        """Whether the value is on the right side of the limit."""
        if self.value is None:
            return None
        return self.value >= self.mark.limit if self.mark.sign == ">=" else self.value <= self.mark.limit


Board = dict[str, Result]  # the results of one dataset by contestant


def _own_gap(board: Board) -> float | None:
    ours = board["ours"]
    return None if ours.r2 is None or ours.self_reported is None else abs(ours.r2 - ours.self_reported)


def _peak_gb(board: Board) -> float | None:
    return None if board["ours"].peak_mb is None else board["ours"].peak_mb / 1024


def _cosine(board: Board) -> float | None:
    """Largest cosine over what is allowed: a twentieth, or three times its noise."""
    ours = board["ours"]
    if ours.max_corr is None:
        return None if ours.n_cosines is None else 0.0
    return ours.max_corr / max(0.05, 3 * (ours.max_corr_sd or 0.0))


FIGURES: dict[str, Callable[[Board], float | None]] = {
    "held-out R²": lambda board: board["ours"].r2,
    "cosine / max(.05, 3 sd)": _cosine,
    "seconds, published / ours": lambda board: _ratio(board.get("published"), board["ours"]),
    "seconds, ours / Gram": lambda board: _ratio(board["ours"], board.get("gram")),
    "seconds, EBM / ours": lambda board: _ratio(board.get("ebm"), board["ours"]),
    "seconds, ours / published": lambda board: _ratio(board["ours"], board.get("published")),
    "peak GB of the process": _peak_gb,
    "|own held-out R² − R²|": _own_gap,
}
LEAST_R2 = {
    "california_housing": 0.943,
    "bike_sharing": 0.955,
    "electrical_grid": 0.892,
    "diabetes": 0.80,
    "census_income": 0.983,
    "superconductivity": 0.953,
}
MARKS = (
    *(Mark(name, "held-out R²", ">=", least) for name, least in LEAST_R2.items()),
    *(Mark(name, "cosine / max(.05, 3 sd)", "<=", 1.0) for name in LEAST_R2),
    *(Mark(name, "|own held-out R² − R²|", "<=", 0.04 if name == "diabetes" else 0.01) for name in LEAST_R2),
    Mark("california_housing", "seconds, published / ours", ">=", 20),
    Mark("california_housing", "seconds, ours / Gram", "<=", 5),
    Mark("california_housing", "seconds, EBM / ours", ">=", 60),
    Mark("bike_sharing", "seconds, published / ours", ">=", 10),
    Mark("bike_sharing", "seconds, ours / Gram", "<=", 3),
    Mark("bike_sharing", "seconds, EBM / ours", ">=", 80),
    Mark("electrical_grid", "seconds, published / ours", ">=", 3),
    Mark("electrical_grid", "seconds, ours / Gram", "<=", 8),
    Mark("census_income", "seconds, ours / published", "<=", 5),
    Mark("superconductivity", "seconds, ours / published", "<=", 2),
    Mark("superconductivity", "peak GB of the process", "<=", 2),
)


def verdicts(results: Sequence[Result]) -> list[Verdict]:
    """Compare the results with the marks of the datasets on which our default ran."""
    boards: dict[str, Board] = {}
    for result in results:
        boards.setdefault(result.dataset, {})[result.contestant] = result
    ran = [mark for mark in MARKS if "ours" in boards.get(mark.dataset, {})]
    return [Verdict(mark, FIGURES[mark.figure](boards[mark.dataset])) for mark in ran]


def marks_table(results: Sequence[Result]) -> list[str]:
    """Write the marks of the race as lines of a table."""
    return verdict_lines(verdicts(results))


def verdict_lines(found: Sequence[Verdict], width: int = 19) -> list[str]:
    """Write marks, what was measured, and whether they are reached, as lines of a table."""
    words = {True: "yes", False: "no", None: "not measured"}
    rows = [
        f"  {verdict.mark.dataset:<{width}} {verdict.mark.figure:<26} {verdict.mark.sign} {verdict.mark.limit:<6g} "
        f"{'' if verdict.value is None else f'{verdict.value:.4g}':>8}  {words[verdict.reached]}"
        for verdict in found
    ]
    return ["Marks", *rows]
