"""Whether the explanation follows the predictions: on other rows, off the data, and how many rows that rests on."""

from collections.abc import Sequence

from anova_report.core.fit.jackknife_groups import REPLICATES
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.terms import label
from anova_report.measures import status
from anova_report.measures.fidelity import Fidelity
from anova_report.measures.intervals import LEVEL, quantile
from anova_report.measures.status import Finding, decide, skip
from anova_report.measures.wording import counted, enumeration, percent, portions, score

MOST_CULPRITS, LEAST_OF_LARGEST = 3, 0.2  # features along which a model changes: at most, and relative to the first


def unexplained(dec: Decomposition, found: Fidelity) -> Finding:
    """Judge what is left unexplained on other rows."""
    if not found.estimable:
        return _not_estimable(found)
    where = "rows that no step of the fit has seen" if found.held_out is not None else "the rows of the fit"
    sentence = (
        f"On {where} the explanation reaches R² = {score(found.best)}: {portions(found.best)[1]} of the variance of "
        "the predictions is left unexplained."
    )
    return decide("AR002", "Fidelity", status.UNEXPLAINED, found.unexplained, sentence, _more_fidelity(dec))


def _more_fidelity(dec: Decomposition) -> str:
    """Advise what can raise fidelity: another order only where there is an interaction of that order to be found."""
    reading = "Read shares and curves as a description of a part of the model only."
    if dec.beyond:
        (term, share), order = dec.beyond[0], len(dec.beyond[0][0])
        named = label(term, dec.feature_names)
        return f"Allow max_order={order}: {named} alone may explain {percent(share)} of the variance. {reading}"
    return (
        "No interaction of a higher order stands out, so a higher max_order is unlikely to help. Pass more rows, or "
        f"check whether the predictions depend on something that is not among the inputs. {reading}"
    )


def _not_estimable(found: Fidelity) -> Finding:
    """Say that fidelity is not estimable; what was measured counts only where it fails."""
    what = f"about {counted(round(found.deciding_rows or 0), 'row', 'rows')}"
    if not found.few_decide:
        what = "rows beyond all those of the fit"
    sentence = (
        "How much of the variance of the predictions the explanation reproduces on other rows cannot be determined "
        f"from these rows, because it depends on {what}."
    )
    judged = status.worst(["warn", status.UNEXPLAINED.judge(found.unexplained)])
    advice = "See “Influential rows”; until that is resolved, read the explanation as one of the remaining rows."
    return Finding("AR002", "Fidelity", judged, None, None, sentence, advice)


def few_rows_decide(found: Fidelity, names: Sequence[object] | None) -> Finding:
    """Say whether the fidelity depends on few rows, and name them."""
    title = "Influential rows"
    if found.deciding_rows is None:
        return skip("AR012", title, "How many held-out rows the fidelity depends on is not known.")
    deciding = counted(round(found.deciding_rows), "row", "rows")
    sentence = f"The fidelity depends on about {deciding} of {found.n_held_out:,} that were held out"
    if not found.estimable:
        hardest = [position for position, _ in found.hardest]
        named = [f"row {at:,}" if names is None else str(names[at]) for at in hardest]
        carried = percent(sum(share for _, share in found.hardest))
        counting = " (rows are counted from 0)" if names is None else ""
        sentence += f": {enumeration(named)} account for {carried} of the sum of squared residuals{counting}"
    sentence += "."
    advice = (
        "Look at the rows that the fidelity depends on. If they are errors, fit without them; if the predictions span "
        "several orders of magnitude, explain their logarithm."
    )
    if not found.estimable and not found.few_decide:
        rows, most = found.n_rows / (found.kurtosis or 1.0), status.LONG_TAILS.warn
        sentence = (
            f"About {round(rows):,} of {found.n_rows:,} rows carry the variance of the predictions: their tails are so "
            "long that other tables will hold rows beyond all of these, where curves are extrapolated. "
            "The fidelity depends on such rows."
        )
        return Finding("AR012", title, "warn", 1 / rows, most / found.n_rows, sentence, advice)
    if found.estimable and found.few_decide:
        sentence += " Even if they were replaced by others, little would be left unexplained."
        return Finding("AR012", title, "pass", 1 / found.deciding_rows, status.FEW_DECIDE.warn, sentence)
    return decide("AR012", title, status.FEW_DECIDE, 1 / found.deciding_rows, sentence, advice)


def optimism(found: Fidelity) -> Finding:
    """Compare R² on the rows of the fit with that on other rows."""
    if found.held_out is None:
        return skip("AR003", "Overfitting", "The estimator holds out no rows, so overfitting cannot be measured.")
    drop = found.in_sample - found.held_out
    sentence = f"R² is {score(found.in_sample)} on the rows of the fit and {score(found.held_out)} on held-out rows."
    error = quantile(LEVEL, REPLICATES) * (found.shortfall_error or 0.0)
    if found.estimable and -drop - error > status.UNDELIVERED.warn:
        sentence += (
            " A fit agrees with its own rows at least as well as with others, so the fit shown here is worse than the "
            "fits that were judged on held-out rows."
        )
        advice = f"Rely on R² = {score(found.in_sample)} at most; pass more rows, or try another random_state."
        return Finding("AR003", "Overfitting", "warn", drop, -status.UNDELIVERED.warn, sentence, advice)
    return decide("AR003", "Overfitting", status.OPTIMISM, drop, sentence, "Pass more rows, or lower max_order.")


def as_on_the_data(dec: Decomposition) -> Finding:
    """Compare fits with and without recombined rows on rows of the data: what both describe should be one function."""
    code, title = "AR016", "Behaviour off the data"
    found = None if dec.asking is None else dec.asking.off_data
    if found is None:
        why = "The model was not asked at recombined rows"
        if dec.asking is not None and dec.asking.n_asked:
            why = (
                "The predictions were reproduced exactly, cell by cell, and not compared with those at recombined rows"
            )
        return skip(code, title, f"{why}, so that its behaviour off the data is not known.")
    outputs = " (all outputs together)" if len(dec.output_names) > 1 else ""
    alone, asked = (percent(max(error, 0.0)) for error in (found.rows_only, found.asked))
    sentence = (
        f"With the same columns, fits to rows of the data alone leave {alone} of the variance of held-out rows "
        f"unexplained{outputs}; fits to these and recombined rows leave {asked}."
    )
    value = max(found.asked - status.WORSE * max(found.rows_only, 0.0), 0.0)
    if status.OFF_DATA.judge(value) == "pass":
        return decide(code, title, status.OFF_DATA, value, f"{sentence} Both describe the same function.", "")
    sentence += f" So the model behaves differently off the data than on them, most of all along {_culprits(dec)}."
    advice = (
        "Ask why: a model that was made to mislead explainers does this, and so does an interaction of more features "
        "than max_order allows. To explain the model on rows of the data only, pass ask=0 (--ask 0)."
    )
    return decide(code, title, status.OFF_DATA, value, sentence, advice)


def _culprits(dec: Decomposition) -> str:
    """Name the features along which fits with and without recombined rows differ most."""
    by_feature = () if dec.asking is None or dec.asking.off_data is None else dec.asking.off_data.by_feature
    ranked = sorted(enumerate(by_feature), key=lambda item: -item[1])[:MOST_CULPRITS]
    return enumeration([dec.feature_names[at] for at, size in ranked if size >= LEAST_OF_LARGEST * ranked[0][1]])
