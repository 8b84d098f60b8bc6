"""Whether held-out rows are as new as other rows will be (AR013)."""

from anova_report.core.fit.partition import HeldTogether, Partition
from anova_report.core.result.decomposition import Decomposition
from anova_report.measures import status
from anova_report.measures.claims import Claim
from anova_report.measures.sentences.held_out_rows import held_out_words
from anova_report.measures.sentences.names import Names
from anova_report.measures.status import Finding

CODE, TITLE = "AR013", "Independent held-out rows"
NAME_GROUPS = "Say which rows belong together (groups=, --group), or hold out blocks of time (time=, --time)."


def independent_rows(dec: Decomposition, output: int) -> Finding:
    """Report held-out rows that resemble rows of the fit more than new rows would."""
    found, n_rows, names = dec.partition, dec.in_sample.n_rows, Names(dec.feature_titles)
    if dec.held_out is None or found is None:
        known = "The estimator holds out no rows" if dec.held_out is None else "How rows were held out is not known"
        sentence = f"{known}, so their independence cannot be judged."
        return Finding(CODE, TITLE, "not applicable", None, None, sentence)
    alike = max(found.clumped or 0.0, found.n_apart / n_rows)
    stated = [_held_out_claim(found, n_rows), *_alike_claims(found, n_rows)]
    judged, limit = status.DEPENDENT_ROWS.judge(alike), status.DEPENDENT_ROWS
    if judged != "pass":
        advice = "Choose groups that keep similar rows together, or drop copies."
        if found.unit in ("row", "equal rows"):
            advice = NAME_GROUPS
        bound, sentence = limit.fail if judged == "fail" else limit.warn, held_out_words(stated, names)
        return Finding(CODE, TITLE, judged, alike, bound, sentence, advice, tuple(stated))
    recur = found.recurring
    if recur is not None:
        sets = {"n_sets": float(recur.n_sets), "n_each": float(round(n_rows / recur.n_sets))}
        stated.append(Claim("rows that share values", sets | _r2(recur, output), features=recur.features))
        drop = _drop(recur, output)
        if drop > status.HELD_TOGETHER.warn:
            sentence = f"{held_out_words(stated, names)} These may be groups, such as the visits of patients."
            advice = "If rows with equal values belong together, name their groups (groups=, --group)."
            return Finding(CODE, TITLE, "warn", drop, status.HELD_TOGETHER.warn, sentence, advice, tuple(stated))
    if (found.serial or 0.0) > status.SERIAL_ROWS.warn:
        return _in_order(found, stated, names, output)
    return Finding(CODE, TITLE, "pass", alike, limit.warn, held_out_words(stated, names), claims=tuple(stated))


def _drop(found: HeldTogether, output: int) -> float:
    """How much R² is lower where sets of rows are held out together."""
    return found.together[output] - found.one_by_one[output]


def _r2(found: HeldTogether, output: int) -> dict[str, float]:
    """R² of both ways of holding rows out."""
    return {"together": 1 - found.together[output], "one_by_one": 1 - found.one_by_one[output]}


def _in_order(found: Partition, stated: list[Claim], names: Names, output: int) -> Finding:
    """Report rows that follow each other: where the function is known between blocks of them, that does no harm."""
    limit, harmless = status.SERIAL_ROWS.warn, False
    stated.append(Claim("neighbours that resemble each other", {"correlation": found.serial or 0.0}))
    if found.blocks is not None:
        stated.append(Claim("blocks of rows", _r2(found.blocks, output)))
        harmless = _drop(found.blocks, output) <= status.HELD_TOGETHER.warn
    sentence, claims = held_out_words(stated, names), tuple(stated)
    if harmless:
        return Finding(CODE, TITLE, "pass", found.serial, limit, sentence, claims=claims)
    sentence += " Held-out rows then lie between rows of the fit, and the fidelity may be overstated."
    advice = (
        "If rows are in order of time, hold out blocks of time (time=, --time); if it is another order, say which "
        "rows belong together (groups=, --group)."
    )
    return Finding(CODE, TITLE, "warn", found.serial, limit, sentence, advice, claims)


def _alike_claims(found: Partition, n_rows: int) -> list[Claim]:
    near_duplicates, apart = found.clumped or 0.0, found.n_apart / n_rows
    if near_duplicates > max(apart, status.DEPENDENT_ROWS.warn):
        return [Claim("near-duplicates", {"share": near_duplicates})]
    if apart > status.DEPENDENT_ROWS.warn:
        return [Claim("equal inputs apart", {"share": apart})]
    return [] if found.clumped is None else [Claim("no near-duplicates")]


def _held_out_claim(found: Partition, n_rows: int) -> Claim:
    units = {"n_units": float(found.n_units)}
    match found.unit:
        case "equal rows":
            copies = {"n_copies": float(found.n_copies), "n_rows": float(n_rows)}
            return Claim("copies held out together", copies | units)
        case "group":
            return Claim("groups held out", units)
        case "time block":
            return Claim("blocks of time held out", units)
        case _:
            return Claim("rows held out one by one")
