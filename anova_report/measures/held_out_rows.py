"""Whether held-out rows are as new as other rows will be (AR013)."""

from anova_report.core.fit.partition import HeldTogether, Partition
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.terms import label
from anova_report.measures import status
from anova_report.measures.status import Finding
from anova_report.measures.wording import counted, enumeration, percent, score

CODE, TITLE = "AR013", "Independent held-out rows"
MOST_NAMED = 4  # features whose values recur: others are counted

NAME_GROUPS = "Say which rows belong together (groups=, --group), or hold out blocks of time (time=, --time)."


def independent_rows(dec: Decomposition, output: int) -> Finding:
    """Report held-out rows that resemble rows of the fit more than new rows would."""
    found = dec.partition
    if dec.held_out is None or found is None:
        known = "The estimator holds out no rows" if dec.held_out is None else "How rows were held out is not known"
        sentence = f"{known}, so their independence cannot be judged."
        return Finding(CODE, TITLE, "not applicable", None, None, sentence)
    alike = max(found.clumped or 0.0, found.n_apart / dec.in_sample.n_rows)
    held_out = _held_out_words(found, dec.in_sample.n_rows) + _alike_words(found, dec.in_sample.n_rows)
    judged, limit = status.DEPENDENT_ROWS.judge(alike), status.DEPENDENT_ROWS
    if judged != "pass":
        advice = "Choose groups that keep similar rows together, or drop copies."
        if found.unit in ("row", "equal rows"):
            advice = NAME_GROUPS
        return Finding(CODE, TITLE, judged, alike, limit.fail if judged == "fail" else limit.warn, held_out, advice)
    recur = found.recurring
    if recur is not None:
        drop, words = _drop(recur, output), _recurring_words(dec, recur, output)
        if drop > status.HELD_TOGETHER.warn:
            sentence = f"{held_out} {words} Are these groups, such as the visits of patients?"
            advice = "If rows with equal values belong together, name their groups (groups=, --group)."
            return Finding(CODE, TITLE, "warn", drop, status.HELD_TOGETHER.warn, sentence, advice)
        held_out += f" {words}"
    if (found.serial or 0.0) > status.SERIAL_ROWS.warn:
        return _in_order(found, held_out, output)
    return Finding(CODE, TITLE, "pass", alike, limit.warn, held_out)


def _drop(found: HeldTogether, output: int) -> float:
    """How much R² is lower where sets of rows are held out together."""
    return found.together[output] - found.one_by_one[output]


def _r2_words(found: HeldTogether, output: int) -> str:
    """Compare R² of both ways of holding rows out."""
    # Below zero, a fit is worse than the mean: by how much nobody reads.
    known = (1 - left[output] for left in (found.together, found.one_by_one))
    together, one_by_one = ("below 0" if r2 < 0 else score(r2) for r2 in known)
    return f"R² is {together} if these are held out as wholes, and {one_by_one} if their rows are held out one by one."


def _recurring_words(dec: Decomposition, found: HeldTogether, output: int) -> str:
    names = enumeration([label((index,), dec.feature_names) for index in found.features], MOST_NAMED)
    what = ("combinations of values", "value") if len(found.features) > 1 else ("values", "value")
    each = round(dec.in_sample.n_rows / found.n_sets)
    return (
        f"The rows share {found.n_sets:,} {what[0]} of {names}, {counted(each, 'row', 'rows')} each on average: "
        f"{_r2_words(found, output)}"
    )


def _in_order(found: Partition, held_out: str, output: int) -> Finding:
    """Report rows that follow each other: where the function is known between blocks of them, that does no harm."""
    sentence = (
        f"{held_out} Neighbouring rows of the table resemble each other, as rows in order of time do: half of the "
        f"features correlate by {score(found.serial or 0.0)} or more with themselves one row later."
    )
    limit = status.SERIAL_ROWS.warn
    if found.blocks is not None:
        sentence += f" Of blocks of consecutive rows, {_r2_words(found.blocks, output)}"
        if _drop(found.blocks, output) <= status.HELD_TOGETHER.warn:
            return Finding(CODE, TITLE, "pass", found.serial, limit, sentence)
    sentence += " Held-out rows then lie between rows of the fit, and the fidelity may be overstated."
    advice = (
        "If rows are in order of time, hold out blocks of time (time=, --time); if it is another order, say which "
        "rows belong together (groups=, --group)."
    )
    return Finding(CODE, TITLE, "warn", found.serial, limit, sentence, advice)


def _alike_words(found: Partition, n_rows: int) -> str:
    near_duplicates, apart = found.clumped or 0.0, found.n_apart / n_rows
    if near_duplicates > max(apart, status.DEPENDENT_ROWS.warn):
        return (
            f" But {percent(near_duplicates)} of the rows have near-duplicates among rows that were not held out with "
            "them. Held-out rows then resemble rows of the fit more than new rows would, and the fidelity may be "
            "overstated."
        )
    if apart > status.DEPENDENT_ROWS.warn:
        return f" But {percent(apart)} of the rows have the same inputs as a row that was not held out with them."
    return "" if found.clumped is None else " There is no sign of further near-duplicates."


def _held_out_words(found: Partition, n_rows: int) -> str:
    match found.unit:
        case "equal rows":
            return (
                f"{found.n_copies:,} of the {n_rows:,} rows repeat the inputs of another. Equal rows are held out "
                f"together, which leaves {found.n_units:,} independent ones."
            )
        case "group":
            return f"Whole groups are held out, {found.n_units:,} in all."
        case "time block":
            return f"Whole blocks of time are held out, {found.n_units:,} in all."
        case _:
            return "Rows are held out one by one."
