"""What a validator must know about an explanation: coded, with a limit and its reason, and what to do."""

from collections.abc import Sequence
from typing import Any

from anova_report.core.fit.partition import Partition
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.explanation import Explanation
from anova_report.core.result.outside import named
from anova_report.measures import status
from anova_report.measures.column_roles import Unread, not_inputs, unread_cells
from anova_report.measures.fidelity import fidelity
from anova_report.measures.fidelity_checks import as_on_the_data, few_rows_decide, optimism, unexplained
from anova_report.measures.joint import Inseparable, correlated, inseparable, share_words
from anova_report.measures.orthogonality import orthogonality
from anova_report.measures.orthogonality_checks import leakage, orthogonal
from anova_report.measures.share_checks import certain_shares, moving_together
from anova_report.measures.status import Finding, Findings, decide, skip, untested
from anova_report.measures.support import Support, support
from anova_report.measures.variance import prediction_variance, variance_shares
from anova_report.measures.wording import counted, enumeration, number, percent, score

MOST_GROUPS = 3  # of features that a sentence names


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
            unexplained(dec, explained),
            optimism(explained),
            orthogonal(angles),
            leakage(angles, held_out=dec.held_out is not None),
            certain_shares(dec, index, shares, groups or ()),
            _enough_rows(dec),
            moving_together(shares, correlated(dec, index)),
            _supported(supported, row_names),
            _supported_together(supported),
            _separate(groups),
            few_rows_decide(explained, row_names),
            _independent_rows(dec),
            not_inputs(dec, None if X is None else dec.encode(X), index),
            unread_cells(dec, unread),
            as_on_the_data(dec),
        )
    )


def _enough_rows(dec: Decomposition) -> Finding:
    n_features, effective = len(dec.features), dec.in_sample.effective_rows
    sentence, advice = f"{dec.in_sample.n_rows:,} rows for {n_features} features.", "Pass more rows, or fewer features."
    if dec.in_sample.n_effective is not None:
        weighted = dec.partition is not None and dec.partition.total_weight is not None
        why = "Because of their weights" if weighted else "Because some are copies"
        sentence += f" {why}, they are worth {counted(round(effective), 'row', 'rows')} of equal weight."
    return decide("AR007", "Enough rows", status.FEW_ROWS, n_features / effective, sentence, advice)


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


def _supported(found: Support | None, names: Sequence[object] | None) -> Finding:
    if found is None:
        return skip("AR009", "Extrapolation", "No rows were given that could be checked.")
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
    return decide("AR009", "Extrapolation", status.OUTSIDE, share, sentence, advice)


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


def _independent_rows(dec: Decomposition) -> Finding:
    code, title, found = "AR013", "Independent held-out rows", dec.partition
    if dec.held_out is None or found is None:
        known = "The estimator holds out no rows" if dec.held_out is None else "How rows were held out is not known"
        return skip(code, title, f"{known}, so their independence cannot be judged.")
    near_duplicates, apart = found.clumped or 0.0, found.n_apart / dec.in_sample.n_rows
    held_out = _held_out_words(found, dec.in_sample.n_rows)
    if near_duplicates > max(apart, status.DEPENDENT_ROWS.warn):
        held_out += (
            f" But {percent(near_duplicates)} of the rows have near-duplicates among rows that were not held out with "
            "them. Held-out rows then resemble rows of the fit more than new rows would, and the fidelity may be "
            "overstated."
        )
    elif apart > status.DEPENDENT_ROWS.warn:
        held_out += f" But {percent(apart)} of the rows have the same inputs as a row that was not held out with them."
    elif found.clumped is not None:
        held_out += " There is no sign of further near-duplicates."
    if (found.serial or 0.0) > status.SERIAL_ROWS.warn and max(near_duplicates, apart) <= status.DEPENDENT_ROWS.warn:
        held_out += (
            " But neighbouring rows of the table resemble each other, as rows in order of time do: half of the "
            f"features correlate by {score(found.serial or 0.0)} or more with themselves one row later. Held-out rows "
            "then lie between rows of the fit, and the fidelity may be overstated."
        )
        advice = (
            "If rows are in order of time, hold out blocks of time (time=, --time); if it is another order, say which "
            "rows belong together (groups=, --group)."
        )
        return Finding(code, title, "warn", found.serial, status.SERIAL_ROWS.warn, held_out, advice)
    advice = (
        "Say which rows belong together (groups=, --group), or hold out blocks of time (time=, --time)."
        if found.unit in ("row", "equal rows")
        else "Choose groups that keep similar rows together, or drop copies."
    )
    return decide(code, title, status.DEPENDENT_ROWS, max(near_duplicates, apart), held_out, advice)


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
        return skip("AR010", "Unseen combinations", f"{why} whose combinations of values could be checked.")
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
    return decide("AR010", "Unseen combinations", status.UNSEEN_TOGETHER, joint.beyond_chance, sentence, advice)


def _separate(groups: tuple[Inseparable, ...] | None) -> Finding:
    code, title = "AR011", "Identifiability"
    if groups is None:
        return untested(
            code, title, "The estimator does not measure how far functions of other features explain an effect."
        )
    if not groups:
        sentence = "The data can tell the main effects with shares of 1% or more apart from those of other features."
        return Finding(code, title, "pass", 0.0, status.INSEPARABLE.warn, sentence)
    share = sum(abs(group.joint.total) for group in groups)
    sentence = " ".join(map(_group_words, groups[:MOST_GROUPS]))
    if len(groups) > MOST_GROUPS:
        sentence += f" The same holds for {counted(len(groups) - MOST_GROUPS, 'further group', 'further groups')}."
    advice = (
        "Where features cannot be distinguished, do not read their separate curves and shares; read their joint "
        "effect, which is well determined. Or leave out redundant features, or combine them into one, and fit again."
    )
    return Finding(code, title, "warn", share, status.INSEPARABLE.warn, sentence, advice)


def _group_words(group: Inseparable) -> str:
    most = max(group.concurvity)
    extent = "all" if most > status.EXACT else f"up to {percent(most)}"
    apart = "the data cannot tell them apart" if group.is_open else "only a few rows tell them apart"
    return (
        f"Among {group.joint.label}, functions of the others explain {extent} of the effect of one (concurvity), so "
        f"{apart}; together they carry {share_words(group.joint)} of the variance."
    )
