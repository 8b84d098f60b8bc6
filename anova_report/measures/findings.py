"""What a validator must know about an explanation: coded, with a limit and its reason, and what to do."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from anova_report.core.fit.partition import Partition
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.explanation import Explanation
from anova_report.core.result.outside import named
from anova_report.measures import status
from anova_report.measures.claims import Claim
from anova_report.measures.column_roles import Unread, not_inputs, unread_cells
from anova_report.measures.fidelity import fidelity
from anova_report.measures.fidelity_checks import as_on_the_data, few_rows_decide, optimism, unexplained
from anova_report.measures.joint import Inseparable, correlated, inseparable, share_words
from anova_report.measures.orthogonality import orthogonality
from anova_report.measures.orthogonality_checks import leakage, orthogonal
from anova_report.measures.sentences.names import Names
from anova_report.measures.sentences.trust import (
    deviation_words,
    enough_rows_words,
    outside_words,
    unseen_combinations_words,
)
from anova_report.measures.share_checks import certain_shares, moving_together
from anova_report.measures.status import Finding, Findings, decide, skip, untested
from anova_report.measures.support import Support, support
from anova_report.measures.variance import prediction_variance, variance_shares
from anova_report.measures.wording import counted, number, percent, score

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
        constant = Claim("constant predictions", {"value": float(dec.expansion.mean[index])}, output=index)
        advice = "Check that the right output was chosen and that the inputs reach the model."
        sentence = deviation_words(constant)
        return Findings((Finding("AR001", "Predictions vary", "fail", 0.0, 0.0, sentence, advice, (constant,)),))
    supported = None if X is None else support(dec, X)
    varies, names = Claim("deviation of predictions", {"deviation": spread}), Names(dec.feature_names, rows=row_names)
    explained, angles, shares = fidelity(dec, index), orthogonality(dec, index), variance_shares(dec, index)
    groups = None if dec.dependence is None else inseparable(dec, index)
    checked = (
        Finding("AR001", "Predictions vary", "pass", spread, 0.0, deviation_words(varies), claims=(varies,)),
        unexplained(dec, explained),
        optimism(explained),
        orthogonal(angles, names),
        leakage(angles, names, held_out=dec.held_out is not None),
        certain_shares(dec, index, shares, groups or ()),
        _enough_rows(dec),
        moving_together(dec, shares, correlated(dec, index)),
        _supported(dec, supported, names),
        _supported_together(supported, names),
        _separate(groups),
        few_rows_decide(explained, row_names),
        _independent_rows(dec),
        not_inputs(dec, None if X is None else dec.encode(X), index),
        unread_cells(dec, unread),
        as_on_the_data(dec),
    )
    return Findings(tuple(_of_output(item, index) for item in checked))


def _of_output(finding: Finding, output: int) -> Finding:
    """Say of which output the claims of a finding are."""
    return replace(finding, claims=tuple(replace(claim, output=output) for claim in finding.claims))


def _enough_rows(dec: Decomposition) -> Finding:
    n_features, effective = len(dec.features), dec.in_sample.effective_rows
    weighted = dec.partition is not None and dec.partition.total_weight is not None
    numbers = {"n_rows": float(dec.in_sample.n_rows), "n_features": float(n_features)}
    if dec.in_sample.n_effective is not None:
        numbers["n_effective"] = dec.in_sample.n_effective
    stated = (Claim("rows and features", numbers, over="rows of the fit", places=("weights",) if weighted else ()),)
    sentence, advice = enough_rows_words(stated), "Pass more rows, or fewer features."
    return decide("AR007", "Enough rows", status.FEW_ROWS, n_features / effective, sentence, advice, stated)


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


def _supported(dec: Decomposition, found: Support | None, names: Names) -> Finding:
    if found is None:
        return skip("AR009", "Extrapolation", "No rows were given that could be checked.")
    most = max(found.features, key=lambda feature: feature.outside)
    share, beyond, n_rows = most.outside / found.n_rows, found.beyond, float(found.n_rows)
    numbers = {"n_outside": float(most.outside), "n_rows": n_rows}
    stated = [Claim("rows outside", numbers, features=(dec.feature_index(most.feature),))]
    if beyond.rows:
        counts = {"n_beyond": float(beyond.rows), "n_rows": n_rows}
        stated.append(Claim("rows beyond the fit", counts, rows=beyond.first, places=(named(beyond.words),)))
    advice = f"Do not rely on effects outside the values of {most.feature} in the fit; fit on rows like these."
    sentence = outside_words(stated, names)
    return decide("AR009", "Extrapolation", status.OUTSIDE, share, sentence, advice, tuple(stated))


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


def _supported_together(found: Support | None, names: Names) -> Finding:
    code, title = "AR010", "Unseen combinations"
    if found is None or found.joint is None:
        why = "No rows were given" if found is None else "The fit keeps no account of the rows"
        return skip(code, title, f"{why} whose combinations of values could be checked.")
    joint = found.joint
    most = joint.pairs[0].term if joint.pairs else ()
    stated = Claim("unseen combinations", {"share": joint.share, "chance": joint.chance}, features=most)
    advice = (
        "Do not rely on what is said about rows with unseen combinations; fit on rows that combine values in this way."
    )
    sentence = unseen_combinations_words(stated, names)
    return decide(code, title, status.UNSEEN_TOGETHER, joint.beyond_chance, sentence, advice, (stated,))


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
