"""What a validator must know about an explanation: coded, with a limit and its reason, and what to do."""

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from anova_report.core.fit.jackknife_groups import REPLICATES
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.explanation import Explanation
from anova_report.core.result.outside import named
from anova_report.core.result.terms import label
from anova_report.measures import status
from anova_report.measures.column_roles import Unread, not_inputs, unread_cells
from anova_report.measures.fidelity import Fidelity, fidelity
from anova_report.measures.held_out_rows import independent_rows
from anova_report.measures.identifiability import identifiability
from anova_report.measures.intervals import LEVEL, quantile
from anova_report.measures.joint import (
    Correlated,
    Inseparable,
    JointEffect,
    correlated,
    inseparable,
    separated_by_model,
    share_words,
)
from anova_report.measures.orthogonality import Orthogonality, orthogonality
from anova_report.measures.status import Finding, Findings, Limit, Status
from anova_report.measures.support import Support, support
from anova_report.measures.variance import TermShare, VarianceShares, prediction_variance, variance_shares
from anova_report.measures.wording import cosine, counted, enumeration, number, percent, points, portions, score

MOST_CULPRITS, LEAST_OF_LARGEST = 3, 0.2  # features along which a model changes: at most, and relative to the first


def findings(
    dec: Decomposition,
    X: Any = None,
    output: str | int | None = None,
    *,
    row_names: Sequence[object] | None = None,
    unread: Sequence[Unread] = (),
) -> Findings:
    """Check an explanation against stated limits.

    Parameters
    ----------
    dec : Decomposition
    X : table of shape (n_rows, n_features), optional
        Rows whose support and columns are checked, by default those of an explanation; without rows these findings are
        not applicable.
    output : str or int, optional
        Which output, where there are several.
    row_names : sequence, optional
        What each row of X is called; by default a row is its position.
    unread : sequence of Unread
        Cells that did not reach the fit, beside the columns that the fit itself left out.

    Examples
    --------
    >>> import numpy as np
    >>> from anova_report import FunctionalANOVA
    >>> X = np.random.default_rng(0).normal(size=(4000, 2))
    >>> found = findings(FunctionalANOVA(random_state=0).fit(X, X[:, 0] + X[:, 1] ** 2).decomposition_, X)
    >>> found.verdict, found["AR002"].status
    ('pass', 'pass')
    """
    index = dec.output_index(output)
    if X is None and isinstance(dec, Explanation):
        X = dec.X
    spread = prediction_variance(dec, dec.in_sample, index) ** 0.5
    if not spread:
        constant = f"The model predicts {number(float(dec.expansion.mean[index]))} whatever its inputs."
        advice = "Check that the right output was chosen and that the inputs reach the model."
        return Findings((Finding("AR001", "Predictions vary", "fail", 0.0, 0.0, constant, advice),))
    supported = None if X is None else support(dec, X)
    varies = f"The predictions have a standard deviation of {number(spread)}."
    explained, angles, shares = fidelity(dec, index), orthogonality(dec, index), variance_shares(dec, index)
    groups = None if dec.dependence is None else inseparable(dec, index)
    return Findings(
        (
            Finding("AR001", "Predictions vary", "pass", spread, 0.0, varies),
            _unexplained(dec, explained),
            _optimism(explained),
            _orthogonal(angles),
            _leakage(angles),
            _certain_shares(shares, groups or ()),
            _enough_rows(dec),
            _cancelling(shares, correlated(dec, index)),
            _supported(supported, row_names),
            _supported_together(supported),
            identifiability(dec, groups, separated_by_model(dec, index)),
            _few_rows_decide(explained, row_names),
            independent_rows(dec, index),
            not_inputs(dec, None if X is None else dec.encode(X), index),
            unread_cells(dec, unread),
            _as_on_the_data(dec),
        )
    )


def _decide(code: str, title: str, limit: Limit, value: float, sentence: str, advice: str) -> Finding:
    judged = limit.judge(value)
    bound = limit.fail if judged == "fail" else limit.warn
    return Finding(code, title, judged, value, bound, sentence, "" if judged == "pass" else advice)


def _skip(code: str, title: str, sentence: str) -> Finding:
    return Finding(code, title, "not applicable", None, None, sentence)


def _unexplained(dec: Decomposition, found: Fidelity) -> Finding:
    if not found.estimable:
        return _not_estimable(found)
    where = "rows that no step of the fit has seen" if found.held_out is not None else "the rows of the fit"
    sentence = (
        f"On {where} the explanation reaches R² = {score(found.best)}: {portions(found.best)[1]} of the variance of "
        "the predictions is left unexplained."
    )
    return _decide("AR002", "Fidelity", status.UNEXPLAINED, found.unexplained, sentence, _more_fidelity(dec))


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


def _few_rows_decide(found: Fidelity, names: Sequence[object] | None) -> Finding:
    title = "Influential rows"
    if found.deciding_rows is None:
        return _skip("AR012", title, "How many held-out rows the fidelity depends on is not known.")
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
    return _decide("AR012", title, status.FEW_DECIDE, 1 / found.deciding_rows, sentence, advice)


def _optimism(found: Fidelity) -> Finding:
    if found.held_out is None:
        return _skip("AR003", "Overfitting", "The estimator holds out no rows, so overfitting cannot be measured.")
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
    return _decide("AR003", "Overfitting", status.OPTIMISM, drop, sentence, "Pass more rows, or lower max_order.")


def _orthogonal(measured: Orthogonality) -> Finding:
    found = measured.worst
    if found is None:
        nothing = "No interaction has a structural share of 1% or more, so there is nothing to check."
        return _skip("AR004", "Overlap of terms", nothing)
    value, floor = found.judged
    beyond = abs(value) if found.beyond_noise > 0 else 0.0
    sentence = (
        f"The largest overlap of an interaction with a part of it is {cosine(abs(value))} (absolute cosine of "
        f"{found.label}); by chance alone it stays below {cosine(floor)} in 95% of samples."
    )
    advice = (
        f"Read {found.label.partition(' | ')[0]} together with its main effects: a part of one may be contained in the "
        "other."
    )
    return _decide("AR004", "Overlap of terms", status.COSINE, beyond, sentence, advice)


def _leakage(measured: Orthogonality) -> Finding:
    found = measured.leakiest
    if found is None:
        return _skip(
            "AR005",
            "Leakage",
            "No interaction has a structural or total share of 1% or more, so there is nothing to check.",
        )
    chance = (
        ""
        if found.leakage_floor is None
        else f"; without leakage, 95% of samples of this size stay below {percent(found.leakage_floor)}"
    )
    sentence = (
        f"The most that one part explains of the variance of an interaction is {percent(found.leakage or 0.0)} "
        f"({found.label}){chance}."
    )
    advice = f"Pass more rows, or read {found.label.partition(' | ')[0]} together with its main effects."
    return _decide("AR005", "Leakage", status.LEAKAGE, found.leakage_beyond_chance, sentence, advice)


def _certain_shares(shares: VarianceShares, groups: tuple[Inseparable, ...]) -> Finding:
    # More rows do not cure concurvity, which is a finding of its own: there the joint share counts.
    grouped = {index for group in groups for index in group.features}
    alone = [share for share in shares.terms if grouped.isdisjoint(share.term)]
    judged: list[TermShare | JointEffect] = [*alone, *(group.joint for group in groups)]
    bounds = [(share.label, share.total_interval) for share in judged]
    widths = [((known.high - known.low) / 2, label) for label, known in bounds if known is not None]
    if not widths:
        return _skip("AR006", "Precision of shares", "The estimator does not estimate uncertainty.")
    width, label = max(widths, key=itemgetter(0))
    sentence = f"The least precise share, that of {label}, is known to {points(width)} (95% interval)."
    advice = "Pass more rows before ranking shares of similar size."
    return _decide("AR006", "Precision of shares", status.ROUGH_SHARES, width, sentence, advice)


def _enough_rows(dec: Decomposition) -> Finding:
    n_features, effective = len(dec.features), dec.in_sample.effective_rows
    sentence, advice = f"{dec.in_sample.n_rows:,} rows for {n_features} features.", "Pass more rows, or fewer features."
    if dec.in_sample.n_effective is not None:
        weighted = dec.partition is not None and dec.partition.total_weight is not None
        why = "Because of their weights" if weighted else "Because some are copies"
        sentence += f" {why}, they are worth {counted(round(effective), 'row', 'rows')} of equal weight."
    return _decide("AR007", "Enough rows", status.FEW_ROWS, n_features / effective, sentence, advice)


def weight_words(dec: Decomposition) -> str:
    """Say that the rows of a fit were weighted, and what that means; empty where they were not."""
    found = dec.partition
    if found is None or found.total_weight is None or found.n_effective is None:
        return ""
    return (
        f"Rows are weighted, with a total weight of {number(found.total_weight)}: effects, shares, fidelity and "
        "intervals count each row by its weight, and are as certain as from "
        f"{counted(round(found.n_effective), 'row', 'rows')} of equal weight. Histograms, medians and counts of rows "
        "take every row once."
    )


def _cancelling(shares: VarianceShares, pairs: tuple[Correlated, ...]) -> Finding:
    """Report effects that cancel or overlap: it may be so in the model, so that it never fails."""
    limit, title = status.CANCELLATION.warn, "Cancelling effects"
    together = sum(share.structural for share in shares.terms)
    sentence = f"The structural shares of all terms add up to {percent(together)}"
    if not pairs:
        judged: Status = "warn" if together > limit else "pass"
        return Finding("AR008", title, judged, together, limit, f"{sentence}, and no two large terms move together.")
    first, second = pairs[0].terms
    own = {part.term: f"{part.label} (structural share {percent(part.structural)})" for part in pairs[0].joint.parts}
    how = "against each other" if pairs[0].correlation < 0 else "together"
    more = f", and so do {counted(len(pairs) - 1, 'other pair', 'other pairs')}" if len(pairs) > 1 else ""
    sentence += (
        f". {own[first]} and {own[second]} move {how} (correlation {cosine(pairs[0].correlation)}){more}; "
        f"together, {pairs[0].joint.label} carry {share_words(pairs[0].joint)} of the variance."
    )
    advice = (
        f"Read the joint effect of {pairs[0].joint.label} rather than each curve by itself: one cancels, or repeats, "
        "what the other shows."
    )
    return Finding("AR008", title, "warn", together, limit, sentence, advice)


def _supported(found: Support | None, names: Sequence[object] | None) -> Finding:
    if found is None:
        return _skip("AR009", "Extrapolation", "No rows were given that could be checked.")
    most = max(found.features, key=lambda feature: feature.outside)
    share = most.outside / found.n_rows
    sentence = (
        f"{percent(share)} of the rows lie outside the values of {most.feature} in the fit, more than for any other "
        "feature."
        if most.outside
        else "All rows lie within the values that the fit has seen of each feature."
    )
    sentence += _beyond_words(found, names)
    advice = f"Do not rely on effects outside the values of {most.feature} in the fit; fit on rows like these."
    return _decide("AR009", "Extrapolation", status.OUTSIDE, share, sentence, advice)


def _beyond_words(found: Support, names: Sequence[object] | None) -> str:
    """Count the rows that are extrapolated in any feature, say in which, and name the first."""
    beyond = found.beyond
    if not beyond.rows:
        return ""
    called = [f"row {at:,}" if names is None else str(names[at]) for at in beyond.first]
    more = [f"{beyond.rows - len(called):,} more"] if beyond.rows > len(called) else []
    counting = " (rows are counted from 0)" if names is None else ""
    rows = counted(found.n_rows, "row", "rows")
    return (
        f" Beyond what the fit has seen, where effects are extrapolated, {'lies' if beyond.rows == 1 else 'lie'} "
        f"{beyond.rows:,} of {rows}: {named(beyond.words)}. These are {enumeration([*called, *more])}{counting}."
    )


def _supported_together(found: Support | None) -> Finding:
    if found is None or found.joint is None:
        why = "No rows were given" if found is None else "The fit keeps no account of the rows"
        return _skip("AR010", "Unseen combinations", f"{why} whose combinations of values could be checked.")
    joint = found.joint
    sentence = (
        f"{percent(joint.share)} of the rows combine values as no row of the fit does, most often those of "
        f"{joint.pairs[0].label}; among new rows like those of the fit it would be about {percent(joint.chance)}."
        if joint.pairs
        else "All rows combine values of two features as rows of the fit do."
    )
    advice = (
        "Do not rely on what is said about rows with unseen combinations; fit on rows that combine values in this way."
    )
    return _decide("AR010", "Unseen combinations", status.UNSEEN_TOGETHER, joint.beyond_chance, sentence, advice)


def _as_on_the_data(dec: Decomposition) -> Finding:
    """Compare fits with and without recombined rows on rows of the data: what both describe should be one function."""
    code, title = "AR016", "Behaviour off the data"
    found = None if dec.asking is None else dec.asking.off_data
    if found is None:
        why = "The model was not asked at recombined rows"
        if dec.asking is not None and dec.asking.n_asked:
            why = (
                "The predictions were reproduced exactly, cell by cell, and not compared with those at recombined rows"
            )
        return _skip(code, title, f"{why}, so that its behaviour off the data is not known.")
    outputs = " (all outputs together)" if len(dec.output_names) > 1 else ""
    alone, asked = (percent(max(error, 0.0)) for error in (found.rows_only, found.asked))
    sentence = (
        f"With the same columns, fits to rows of the data alone leave {alone} of the variance of held-out rows "
        f"unexplained{outputs}; fits to these and recombined rows leave {asked}."
    )
    value = status.worse_when_asked(found.rows_only, found.asked)
    if status.OFF_DATA.judge(value) == "pass":
        return _decide(code, title, status.OFF_DATA, value, f"{sentence} Both describe the same function.", "")
    sentence += f" So the model behaves differently off the data than on them, most of all along {_culprits(dec)}."
    advice = (
        "Ask why: a model that was made to mislead explainers does this, and so does an interaction of more features "
        "than max_order allows. To explain the model on rows of the data only, pass ask=0 (--ask 0)."
    )
    return _decide(code, title, status.OFF_DATA, value, sentence, advice)


def _culprits(dec: Decomposition) -> str:
    """Name the features along which fits with and without recombined rows differ most."""
    by_feature = () if dec.asking is None or dec.asking.off_data is None else dec.asking.off_data.by_feature
    ranked = sorted(enumerate(by_feature), key=lambda item: -item[1])[:MOST_CULPRITS]
    return enumeration([dec.feature_names[at] for at, size in ranked if size >= LEAST_OF_LARGEST * ranked[0][1]])
