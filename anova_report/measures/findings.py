"""What a validator must know about an explanation: coded, with a limit and its reason, and what to do."""

from operator import itemgetter
from typing import Any

from anova_report.core.decomposition import Decomposition
from anova_report.core.fit.partition import Partition
from anova_report.core.fit.replicates import REPLICATES
from anova_report.core.terms import label
from anova_report.measures import status
from anova_report.measures.fidelity import Fidelity, fidelity
from anova_report.measures.intervals import LEVEL, quantile
from anova_report.measures.joint import Correlated, Inseparable, JointEffect, correlated, inseparable, share_words
from anova_report.measures.orthogonality import Orthogonality, orthogonality
from anova_report.measures.status import Finding, Findings, Limit, Status
from anova_report.measures.support import Support, support
from anova_report.measures.variance import TermShare, VarianceShares, prediction_variance, variance_shares
from anova_report.measures.wording import cosine, counted, number, percent, score

MOST_GROUPS = 3  # of features that a sentence names


def findings(dec: Decomposition, X: Any = None, output: str | int | None = None) -> Findings:
    """Check an explanation against stated limits.

    Parameters
    ----------
    dec : Decomposition
    X : table of shape (n_rows, n_features), optional
        Rows whose support is checked; without them that finding is not applicable.
    output : str or int, optional
        Which output, where there are several.

    Examples
    --------
    >>> import numpy as np
    >>> from anova_report import FunctionalANOVA
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> found = findings(FunctionalANOVA(random_state=0).fit(X, X[:, 0] + X[:, 1] ** 2).decomposition_, X)
    >>> found.verdict, found["AR002"].status
    ('pass', 'pass')
    """
    index = dec.output_index(output)
    spread = prediction_variance(dec, dec.in_sample, index) ** 0.5
    if not spread:
        constant = f"The model predicts {float(dec.expansion.mean[index]):g} whatever its inputs."
        advice = "Check that the right output was asked for and that the inputs reach the model."
        return Findings((Finding("AR001", "Predictions vary", "fail", 0.0, 0.0, constant, advice),))
    supported = None if X is None else support(dec, X)
    varies = f"The predictions have a standard deviation of {spread:.3g}."
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
            _supported(supported),
            _supported_together(supported),
            _separate(groups),
            _few_rows_decide(explained),
            _independent_rows(dec),
        )
    )


def _decide(code: str, title: str, limit: Limit, value: float, sentence: str, advice: str) -> Finding:
    judged = limit.judge(value)
    bound = limit.fail if judged == "fail" else limit.warn
    return Finding(code, title, judged, value, bound, sentence, "" if judged == "pass" else advice)


def _skip(code: str, title: str, sentence: str) -> Finding:
    return Finding(code, title, "not applicable", None, None, sentence)


def _unexplained(dec: Decomposition, found: Fidelity) -> Finding:
    if not found.told:
        return _untold(found)
    where = "rows that no step of the fit has seen" if found.held_out is not None else "the rows of the fit"
    sentence = (
        f"On {where} the explanation reaches R² = {score(found.best)}: {percent(found.unexplained)} of the "
        "predictions' variance is left unexplained."
    )
    return _decide("AR002", "Fidelity", status.UNEXPLAINED, found.unexplained, sentence, _more_fidelity(dec))


def _more_fidelity(dec: Decomposition) -> str:
    """Advise what can raise fidelity: another order only where there is an interaction of that order to be found."""
    reading = "Read shares and curves as a part of the model only."
    if dec.beyond:
        (term, share), order = dec.beyond[0], len(dec.beyond[0][0])
        named = label(term, dec.feature_names)
        return f"Allow max_order={order}: {named} alone promises to explain {percent(share)} of the variance. {reading}"
    return (
        "No interaction of a higher order stands out, so a higher max_order will not help. Pass more rows, or check "
        f"whether the predictions depend on something that is not among the inputs. {reading}"
    )


def _untold(found: Fidelity) -> Finding:
    """Say that fidelity cannot be told; what was measured counts only where it fails."""
    decide = f"about {counted(round(found.deciding_rows or 0), 'row decides', 'rows decide')} it"
    if not found.few_decide:
        decide = "rows beyond all those of the fit decide it"
    sentence = (
        "How much of the predictions' variance the explanation reproduces on other rows cannot be told: " + decide + "."
    )
    judged = status.worst(["warn", status.UNEXPLAINED.judge(found.unexplained)])
    advice = "See “few rows decide”, and read the explanation as one of the other rows."
    return Finding("AR002", "Fidelity", judged, None, None, sentence, advice)


def _few_rows_decide(found: Fidelity) -> Finding:
    title = "Few rows decide"
    if found.deciding_rows is None:
        return _skip("AR012", title, "How many held-out rows decide the fidelity is not known.")
    decide = f"About {counted(round(found.deciding_rows), 'row decides', 'rows decide')} the fidelity"
    carried = sum(share for _, share in found.hardest)
    named = ", ".join(f"{position:,}" for position, _ in found.hardest)
    sentence = (
        f"{decide}, of {found.n_held_out:,} that were held out."
        if found.told
        else f"{decide}, of {found.n_held_out:,} that were held out: the rows at positions {named} (the first is 0) "
        f"carry {percent(carried)} of the squared gap."
    )
    advice = (
        "Look at these rows. If they are errors, fit without them; if predictions span orders of magnitude, explain "
        "their logarithm."
    )
    if not found.told and not found.few_decide:
        rows, most = found.n_rows / (found.kurtosis or 1.0), status.LONG_TAILS.warn
        sentence = (
            f"About {round(rows):,} of {found.n_rows:,} rows carry the variance of the predictions: their tails are so "
            "long that other tables will hold rows beyond all of these, where curves go on as straight lines. Such "
            "rows decide the fidelity."
        )
        return Finding("AR012", title, "warn", 1 / rows, most / found.n_rows, sentence, advice)
    if found.told and found.few_decide:
        sentence += " Whatever their luck, little is left unexplained."
        return Finding("AR012", title, "pass", 1 / found.deciding_rows, status.FEW_DECIDE.warn, sentence)
    return _decide("AR012", title, status.FEW_DECIDE, 1 / found.deciding_rows, sentence, advice)


def _optimism(found: Fidelity) -> Finding:
    if found.held_out is None:
        return _skip("AR003", "Honest fit", "The estimator holds out no rows, so its optimism cannot be measured.")
    gap = found.in_sample - found.held_out
    sentence = f"R² is {score(found.in_sample)} on the rows of the fit and {score(found.held_out)} on held-out rows."
    error = quantile(LEVEL, REPLICATES) * (found.shortfall_error or 0.0)
    if found.told and -gap - error > status.UNDELIVERED.warn:
        sentence += (
            " A fit agrees with its own rows at least as well as with others, so the fit that is delivered is not the "
            "one that was judged."
        )
        advice = f"Rely on R² = {score(found.in_sample)} at most; pass more rows, or try another random_state."
        return Finding("AR003", "Honest fit", "warn", gap, -status.UNDELIVERED.warn, sentence, advice)
    return _decide("AR003", "Honest fit", status.OPTIMISM, gap, sentence, "Pass more rows, or lower max_order.")


def _orthogonal(measured: Orthogonality) -> Finding:
    found = measured.worst
    if found is None:
        return _skip(
            "AR004", "Orthogonality", "No interaction carries 1% of the variance, so there is nothing to check."
        )
    value, floor = found.judged
    beyond = abs(value) if found.beyond_noise > 0 else 0.0
    sentence = (
        f"The largest cosine between an interaction and a subterm is {cosine(value)} ({found.label}); chance alone "
        f"gives up to {cosine(floor)} in 95% of samples."
    )
    advice = "Read this interaction together with its main effects: part of one may sit in the other."
    return _decide("AR004", "Orthogonality", status.COSINE, beyond, sentence, advice)


def _leakage(measured: Orthogonality) -> Finding:
    found = measured.leakiest
    if found is None:
        return _skip("AR005", "Leakage", "No interaction carries 1% of the variance on held-out rows.")
    chance = (
        ""
        if found.leakage_floor is None
        else f"; where nothing leaks, 95% of samples of this size stay below {percent(found.leakage_floor)}"
    )
    sentence = (
        f"The most that a subterm explains of an interaction's variance is {percent(found.leakage or 0.0)} "
        f"({found.label}){chance}."
    )
    advice = "Pass more rows, or read the pair with its main effects."
    return _decide("AR005", "Leakage", status.LEAKAGE, found.leakage_beyond_chance, sentence, advice)


def _certain_shares(shares: VarianceShares, groups: tuple[Inseparable, ...]) -> Finding:
    # More rows do not help where features imitate each other, which is a finding of its own: their joint share counts.
    grouped = {index for group in groups for index in group.features}
    alone = [share for share in shares.terms if grouped.isdisjoint(share.term)]
    judged: list[TermShare | JointEffect] = [*alone, *(group.joint for group in groups)]
    bounds = [(share.label, share.total_interval) for share in judged]
    widths = [((known.high - known.low) / 2, label) for label, known in bounds if known is not None]
    if not widths:
        return _skip("AR006", "Certain shares", "The estimator keeps no track of uncertainty.")
    width, label = max(widths, key=itemgetter(0))
    sentence = f"The least certain share, that of {label}, is known to ± {percent(width)}."
    advice = "Pass more rows before shares of similar size are ranked."
    return _decide("AR006", "Certain shares", status.ROUGH_SHARES, width, sentence, advice)


def _enough_rows(dec: Decomposition) -> Finding:
    n_features, effective = len(dec.features), dec.in_sample.effective_rows
    sentence, advice = f"{dec.in_sample.n_rows:,} rows for {n_features} features.", "Pass more rows or fewer features."
    if dec.in_sample.n_effective is not None:
        weighted = dec.partition is not None and dec.partition.total_weight is not None
        why = "By their weights they" if weighted else "Copies among them make that they"
        sentence += f" {why} tell as much as {counted(round(effective), 'row', 'rows')} of equal weight."
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
    limit, title = status.CANCELLATION.warn, "Effects that cancel or overlap"
    together = sum(share.structural for share in shares.terms)
    sentence = f"Taken alone, the terms add up to {percent(together)} of the variance"
    if not pairs:
        judged: Status = "warn" if together > limit else "pass"
        return Finding("AR008", title, judged, together, limit, f"{sentence}, and no two of note move as one.")
    first, second = pairs[0].terms
    own = {part.term: f"{part.label} ({percent(part.structural)})" for part in pairs[0].joint.parts}
    how = "against each other" if pairs[0].correlation < 0 else "together"
    more = f", and so do {counted(len(pairs) - 1, 'other pair', 'other pairs')}" if len(pairs) > 1 else ""
    sentence += (
        f". {own[first]} and {own[second]} move {how} (correlation {cosine(pairs[0].correlation)}){more}; "
        f"{pairs[0].joint.label} together carry {share_words(pairs[0].joint)}."
    )
    advice = (
        f"Read the joint effect of {pairs[0].joint.label}, not each curve alone: one takes back, or repeats, what the "
        "other shows."
    )
    return Finding("AR008", title, "warn", together, limit, sentence, advice)


def _supported(found: Support | None) -> Finding:
    if found is None:
        return _skip("AR009", "Support", "No rows were given whose support could be checked.")
    most = max(found.features, key=lambda feature: feature.outside)
    share = most.outside / found.n_rows
    sentence = (
        f"{percent(share)} of the rows lie outside what the fit has seen of {most.feature}, more than of any other "
        "feature."
        if most.outside
        else "All rows lie within what the fit has seen of every feature."
    )
    advice = "Do not rely on effects there; fit on rows like these."
    return _decide("AR009", "Support", status.OUTSIDE, share, sentence, advice)


def _independent_rows(dec: Decomposition) -> Finding:
    code, title, found = "AR013", "Independent held-out rows", dec.partition
    if dec.held_out is None or found is None:
        known = "The estimator holds out no rows" if dec.held_out is None else "How rows were held out is not known"
        return _skip(code, title, f"{known}, so their independence cannot be judged.")
    clumped, apart = found.clumped or 0.0, found.n_apart / dec.in_sample.n_rows
    held_out = _held_out_words(found, dec.in_sample.n_rows)
    if clumped > max(apart, status.DEPENDENT_ROWS.warn):
        held_out += (
            f" But {percent(clumped)} of the rows lie in tight clumps, much nearer to some other rows than to the next "
            "ones. Held-out rows then resemble rows of the fit more than new rows would, and fidelity may be too good."
        )
    elif apart > status.DEPENDENT_ROWS.warn:
        held_out += f" But {percent(apart)} of the rows have the same inputs as a row that was not held out with them."
    elif found.clumped is not None:
        held_out += " There is no sign of further near-copies or clusters."
    if (found.serial or 0.0) > status.SERIAL_ROWS.warn and max(clumped, apart) <= status.DEPENDENT_ROWS.warn:
        held_out += (
            " But neighbouring rows of the table resemble each other, as rows in order of time do: half of the "
            f"features correlate by {score(found.serial or 0.0)} or more with themselves one row later. Held-out rows "
            "then lie between rows of the fit, and fidelity may be too good."
        )
        advice = (
            "If rows are in order of time, hold out blocks of time (time=, --time); if it is another order, say which "
            "rows belong together (groups=, --group)."
        )
        return Finding(code, title, "warn", found.serial, status.SERIAL_ROWS.warn, held_out, advice)
    advice = (
        "Say which rows belong together (groups=, --group), or hold out blocks of time (time=, --time)."
        if found.unit in ("row", "equal rows")
        else "Choose groups that keep rows which resemble each other together, or drop copies."
    )
    return _decide(code, title, status.DEPENDENT_ROWS, max(clumped, apart), held_out, advice)


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


def _supported_together(found: Support | None) -> Finding:
    if found is None or found.joint is None:
        why = "No rows were given" if found is None else "The fit keeps no account of the rows"
        return _skip("AR010", "Joint support", f"{why} whose combinations of values could be checked.")
    joint = found.joint
    sentence = (
        f"{percent(joint.share)} of the rows combine values as no row of the fit does, most often those of "
        f"{joint.pairs[0].label}; among fresh rows of the fit's own table it would be about {percent(joint.chance)}."
        if joint.pairs
        else "All rows combine values of two features as rows of the fit do."
    )
    advice = "Do not rely on effects of these rows; fit on rows that combine values like these."
    return _decide("AR010", "Joint support", status.UNSEEN_TOGETHER, joint.beyond_chance, sentence, advice)


def _separate(groups: tuple[Inseparable, ...] | None) -> Finding:
    code, title = "AR011", "Separate effects"
    if groups is None:
        return _skip(code, title, "The estimator does not look for features that imitate each other.")
    if not groups:
        sentence = "No main effect of 1% or more can be imitated so far that data could not tell whose it is."
        return Finding(code, title, "pass", 0.0, status.INSEPARABLE.warn, sentence)
    share = sum(abs(group.joint.total) for group in groups)
    sentence = " ".join(map(_group_words, groups[:MOST_GROUPS]))
    if len(groups) > MOST_GROUPS:
        sentence += f" So can those of {counted(len(groups) - MOST_GROUPS, 'further group', 'further groups')}."
    advice = (
        "Do not read their separate curves and shares: read the joint effect, which does not depend on who has which "
        "part; or leave out those that others stand for, or make one feature of them, and fit again."
    )
    return Finding(code, title, "warn", share, status.INSEPARABLE.warn, sentence, advice)


def _group_words(group: Inseparable) -> str:
    most = max(group.imitated)
    extent = "wholly" if most > status.EXACT else f"up to {percent(most)}"
    whose = "data cannot tell whose is whose" if group.is_open else "few rows tell whose is whose"
    return (
        f"The effects of {group.joint.label} can imitate each other ({extent}), so {whose}; together they carry "
        f"{share_words(group.joint)} of the variance."
    )
