"""Whether the explanation follows the predictions: on other rows, off the data, and how many rows that rests on."""

from collections.abc import Sequence
from dataclasses import replace

from anova_report.core.fit.jackknife_groups import REPLICATES
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.terms import label
from anova_report.measures import status
from anova_report.measures.fidelity import Fidelity
from anova_report.measures.intervals import LEVEL, quantile
from anova_report.measures.status import Finding, decide, skip, untested, worst
from anova_report.measures.wording import counted, enumeration, percent, portions, score

MOST_CULPRITS, LEAST_OF_LARGEST = 3, 0.2  # features along which a model changes: at most, and relative to the first


def unexplained(dec: Decomposition, found: Fidelity) -> Finding:
    """Judge what is left unexplained on other rows; a figure that a few rows decide calls for caution."""
    code, title = "AR002", "Fidelity"
    where = "rows that no step of the fit has seen" if found.held_out is not None else "the rows of the fit"
    sentence = (
        f"On {where} the explanation reaches R² = {score(found.best)}: {portions(found.best)[1]} of the variance of "
        "the predictions is left unexplained."
    )
    decided = decide(code, title, status.UNEXPLAINED, found.unexplained, sentence, _more_fidelity(dec))
    if found.estimable:
        return decided
    sentence += f" This rests on about {found.rests_on}{_elsewhere(found)}."
    advice = "Look at these rows first (AR012); until then, read the explanation as one of the remaining rows."
    return replace(decided, status=worst(["warn", decided.status]), sentence=sentence, advice=advice)


def _elsewhere(found: Fidelity) -> str:
    """Say what R² may be on other rows."""
    bounds = found.held_out_interval
    if bounds is None:
        return "; other rows may give another figure"
    low = "below 0" if bounds.low < 0 else score(bounds.low)
    return f"; on other rows R² may lie anywhere from {low} to {score(bounds.high)}"


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


def few_rows_decide(found: Fidelity, names: Sequence[object] | None) -> Finding:
    """Say on how many rows R² rests, and name the first of them where these are few."""
    code, title, limit = "AR012", "Influential rows", 1 / found.rows_needed
    if found.deciding_rows is None:
        return untested(code, title, "How many held-out rows the fidelity depends on is not known.")
    value, held_out = 1 / found.deciding_rows, counted(found.n_held_out, "held-out row", "held-out rows")
    sentence = f"R² = {score(found.best)} rests on about {round(found.deciding_rows):,} of {held_out}"
    if not found.few_decide:
        return Finding(code, title, "pass", value, limit, f"{sentence}.")
    sentence += f"; fewer than {round(found.rows_needed):,} call for caution."
    if found.estimable:
        sentence += " But even if other rows came in their place, little would be left unexplained."
        return Finding(code, title, "pass", value, limit, sentence)
    called = [row_name(position, names) for position, _ in found.hardest]
    carried = percent(sum(share for _, share in found.hardest))
    first = f"The first, {enumeration(called)}, account" if len(called) > 1 else f"The first, {called[0]}, accounts"
    sentence += f" {first} for {carried} of the sum of squared residuals."
    if found.long_tails:
        sentence += (
            " The tails of the predictions are so long that other tables will hold rows beyond all of these, where "
            "curves are extrapolated."
        )
    advice = (
        "Look at the rows listed under “Rows that R² rests on” (measures.influential_rows). If they are errors, fit "
        "without them; if the predictions span several orders of magnitude, explain their logarithm."
    )
    return Finding(code, title, "warn", value, limit, sentence, advice)


def row_name(position: int, names: Sequence[object] | None) -> str:
    """Call a row by its name, or by its position, counted from 0, where it has none."""
    return f"row {position:,}" if names is None or position >= len(names) else str(names[position])


def optimism(found: Fidelity) -> Finding:
    """Compare R² on the rows of the fit with that on other rows."""
    if found.held_out is None:
        return untested("AR003", "Overfitting", "The estimator holds out no rows, so overfitting cannot be measured.")
    drop = found.in_sample - found.held_out
    sentence = f"R² is {score(found.in_sample)} on the rows of the fit and {score(found.held_out)} on held-out rows."
    if not found.estimable:
        sentence += f" The latter rests on about {found.rests_on}."
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
