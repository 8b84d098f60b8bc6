"""Whether the explanation follows the predictions: on other rows, off the data, and how many rows that rests on."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from anova_report.core.fit.jackknife_groups import REPLICATES
from anova_report.core.result.decomposition import Decomposition
from anova_report.measures import status
from anova_report.measures.claims import Claim, Claims, Over
from anova_report.measures.fidelity import Fidelity
from anova_report.measures.intervals import LEVEL, quantile
from anova_report.measures.sentences import fidelity as words
from anova_report.measures.sentences.names import Names
from anova_report.measures.status import Finding, decide, skip, untested, worst

LEAST_OF_LARGEST = 0.2  # of the change along the first feature: what changes less is not named


def agreement_claims(found: Fidelity) -> Claims:
    """State R², and where a few rows decide it, on how many it rests and what it may be on other rows."""
    over: Over = "rows of the fit" if found.held_out is None else "held-out rows"
    stated = [Claim("R²", {"r2": found.best}, over=over)]
    if not found.estimable:
        stated.append(found.resting_claim)
    bounds = found.held_out_interval
    if bounds is not None:
        stated.append(Claim("R² on other rows", {"low": bounds.low, "high": bounds.high}, over="held-out rows"))
    return tuple(stated)


def unexplained(dec: Decomposition, found: Fidelity, names: Names, of_logarithms: Callable[[], Claims]) -> Finding:
    """Judge what is left unexplained on other rows; a figure that a few rows decide calls for caution.

    Where too much is, `of_logarithms` says whether the logarithm of the predictions would be explained better.
    """
    beyond = tuple(
        Claim("interaction that is left out", {"share": share, "order": float(len(term))}, (term,))
        for term, share in dec.beyond[:1]
    )
    stated = agreement_claims(found)
    asked = dec.asking is not None and dec.asking.n_asked > 0
    sentence, advice = words.fidelity_words(stated, names), words.more_fidelity_words(beyond, names, asked=asked)
    decided = decide("AR002", "Fidelity", status.UNEXPLAINED, found.unexplained, sentence, advice, (*stated, *beyond))
    if not found.estimable:
        advice = (
            "Look at these rows first (AR012). Until then, read the explanation as a description of the remaining rows."
        )
        decided = replace(decided, status=worst(["warn", decided.status]), advice=advice)
    proposed = () if decided.status == "pass" else of_logarithms()
    advice = " ".join([*map(words.logarithm_words, proposed), decided.advice])
    return replace(decided, advice=advice, claims=(*decided.claims, *proposed))


def few_rows_decide(found: Fidelity, names: Sequence[object] | None) -> Finding:
    """Say on how many rows R² rests, and name the first of them where these are few."""
    code, title, limit = "AR012", "Influential rows", 1 / found.rows_needed
    if found.deciding_rows is None:
        return untested(code, title, "The number of held-out rows on which the fidelity depends is not known.")
    value, stated = 1 / found.deciding_rows, [agreement_claims(found)[0], found.resting_claim]
    if found.few_decide:
        stated.append(Claim("rows that R² should rest on", {"n_rows": float(round(found.rows_needed))}))
    if not found.estimable:
        carried = {"share": sum(share for _, share in found.hardest)}
        hardest = tuple(position for position, _ in found.hardest)
        stated.append(Claim("rows with the largest residuals", carried, rows=hardest, over="held-out rows"))
    if found.long_tails and found.kurtosis is not None:
        stated.append(Claim("long tails", {"kurtosis": found.kurtosis}, over="rows of the fit"))
    sentence, claims = words.influential_words(stated, Names((), rows=names)), tuple(stated)
    if found.estimable or not found.few_decide:
        return Finding(code, title, "pass", value, limit, sentence, claims=claims)
    advice = (
        "Look at the rows listed under “Rows that R² rests on” (measures.influential_rows). If they are errors, fit "
        "without them; if the predictions span several orders of magnitude, explain their logarithm."
    )
    return Finding(code, title, "warn", value, limit, sentence, advice, claims)


def optimism(found: Fidelity) -> Finding:
    """Compare R² on the rows of the fit with that on other rows."""
    code, title = "AR003", "Overfitting"
    if found.held_out is None:
        return untested(code, title, "The estimator holds out no rows, so overfitting cannot be measured.")
    drop = found.in_sample - found.held_out
    inside = Claim("R²", {"r2": found.in_sample}, over="rows of the fit")
    stated = (inside, *(claim for claim in agreement_claims(found) if claim.kind != "R² on other rows"))
    error = quantile(LEVEL, REPLICATES) * (found.shortfall_error or 0.0)
    if found.estimable and -drop - error > status.UNDELIVERED.warn:
        stated = (*stated, Claim("worse fit", {"drop": drop}))
        sentence, advice = words.overfitting_words(stated), words.worse_fit_words(stated)
        return Finding(code, title, "warn", drop, -status.UNDELIVERED.warn, sentence, advice, stated)
    advice = "Pass more rows, or explain the model without its highest order of interactions."
    return decide(code, title, status.OPTIMISM, drop, words.overfitting_words(stated), advice, stated)


def as_on_the_data(dec: Decomposition) -> Finding:
    """Compare fits with and without recombined rows on rows of the data: what both describe should be one function."""
    code, title = "AR016", "Behavior off the data"
    found = None if dec.asking is None else dec.asking.off_data
    if found is None:
        why = "The model was not asked at recombined rows"
        if dec.asking is not None and dec.asking.n_asked:
            why = (
                "The predictions were reproduced exactly, cell by cell, and not compared with those at recombined rows"
            )
        return skip(code, title, f"{why}, so the behavior of the model off the data is not known.")
    value = max(found.asked - status.WORSE * max(found.rows_only, 0.0), 0.0)
    differs = status.OFF_DATA.judge(value) != "pass"
    numbers = {"rows_only": found.rows_only, "asked": found.asked, "n_outputs": float(len(dec.output_names))}
    stated = Claim(
        "fits with and without recombined rows",
        numbers,
        features=_culprits(dec) if differs else (),
        over="held-out rows",
    )
    sentence = words.off_data_words([stated], Names(dec.feature_titles))
    advice = (
        "Find out why. A model that was made to mislead explainers does this; so does an interaction of more features "
        "than the explanation includes. To explain the model on rows of the data only, pass ask=0 (--ask 0)."
    )
    return decide(code, title, status.OFF_DATA, value, sentence, advice, (stated,))


def _culprits(dec: Decomposition) -> tuple[int, ...]:
    """Find the features along which fits with and without recombined rows differ most."""
    by_feature = () if dec.asking is None or dec.asking.off_data is None else dec.asking.off_data.by_feature
    ranked = sorted(enumerate(by_feature), key=lambda item: -item[1])
    return tuple(at for at, size in ranked if size >= LEAST_OF_LARGEST * ranked[0][1])
