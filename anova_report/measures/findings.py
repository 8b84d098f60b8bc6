"""What a validator must know about an explanation: coded, with a limit and its reason, and what to do."""

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.result.decomposition import Decomposition
from anova_report.core.result.explanation import Explanation
from anova_report.core.result.outside import named
from anova_report.measures import status
from anova_report.measures.claims import Claim, Claims
from anova_report.measures.column_roles import Unread, not_inputs, unread_cells
from anova_report.measures.expectation_checks import check_expectations
from anova_report.measures.fidelity import fidelity
from anova_report.measures.fidelity_checks import as_on_the_data, few_rows_decide, optimism, unexplained
from anova_report.measures.held_out_rows import independent_rows
from anova_report.measures.identifiability import identifiability
from anova_report.measures.joint import correlated, inseparable, separated_by_model
from anova_report.measures.log_scale import better_as_logarithms
from anova_report.measures.orthogonality import orthogonality
from anova_report.measures.orthogonality_checks import leakage, orthogonal
from anova_report.measures.policy import Policy
from anova_report.measures.sentences.names import Names
from anova_report.measures.sentences.trust import (
    deviation_words,
    enough_rows_words,
    outside_words,
    unseen_combinations_words,
)
from anova_report.measures.share_checks import certain_shares, moving_together
from anova_report.measures.status import Finding, Findings, decide, skip
from anova_report.measures.support import Support, support
from anova_report.measures.variance import prediction_variance, variance_shares
from anova_report.measures.wording import number


def findings(
    dec: Decomposition,
    X: Any = None,
    output: str | int | None = None,
    *,
    predictions: Any = None,
    row_names: Sequence[object] | None = None,
    unread: Sequence[Unread] = (),
    policy: Policy | None = None,
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
    predictions : array-like of shape (n_rows,) or (n_rows, n_outputs), optional
        For the rows of X, by default those of an explanation: expectations look for interactions in what is left over.
    row_names : sequence, optional
        What each row of X is called; by default a row is its position.
    unread : sequence of Unread
        Cells that did not reach the fit, beside the columns that the fit itself left out.
    policy : Policy, optional
        Expectations, limits and waivers; by default there are no expectations and waivers, and limits are the usual
        ones.

    Examples
    --------
    >>> import numpy as np
    >>> from anova_report import FunctionalANOVA
    >>> X = np.random.default_rng(0).normal(size=(4000, 2))
    >>> found = findings(FunctionalANOVA(random_state=0).fit(X, X[:, 0] + X[:, 1] ** 2).decomposition_, X)
    >>> found.verdict, found["AR002"].status
    ('pass', 'pass')
    """
    index, policy = dec.output_index(output), policy or Policy()
    if X is None and isinstance(dec, Explanation):
        X, predictions = dec.X, dec.predictions if predictions is None else predictions
    values, column = None if X is None else dec.encode(X), None
    if values is not None and predictions is not None:
        column = np.asarray(predictions, dtype=float).reshape(len(values), -1)[:, index]
    with status.limits_set(policy.limits):
        found = _checked(dec, X, index, row_names, unread, column)
    if policy.expectations and found[0].status != "fail":
        found += check_expectations(dec, values, column, policy.expectations, index, Names.of(dec, index, row_names))
    return Findings(tuple(_of_output(item, index) for item in policy.applied(found)))


def _checked(
    dec: Decomposition,
    X: Any,
    index: int,
    row_names: Sequence[object] | None,
    unread: Sequence[Unread],
    predictions: Floats | None,
) -> tuple[Finding, ...]:
    """Check how predictions are explained."""
    spread = prediction_variance(dec, dec.in_sample, index) ** 0.5
    names = Names.of(dec, index, row_names)
    if not spread:
        constant = Claim("constant predictions", {"value": float(dec.expansion.mean[index])}, output=index)
        advice = "Check that the right output was chosen and that the inputs reach the model."
        sentence = deviation_words(constant, names)
        return (Finding("AR001", "Predictions vary", "fail", 0.0, 0.0, sentence, advice, (constant,)),)
    supported = None if X is None else support(dec, X)
    varies = Claim("deviation of predictions", {"deviation": spread})
    explained, angles, shares = fidelity(dec, index), orthogonality(dec, index), variance_shares(dec, index)
    groups = None if dec.dependence is None else inseparable(dec, index)
    return (
        Finding("AR001", "Predictions vary", "pass", spread, 0.0, deviation_words(varies, names), claims=(varies,)),
        unexplained(dec, explained, names, lambda: better_as_logarithms(dec, X, predictions, index)),
        optimism(explained),
        orthogonal(angles, names),
        leakage(angles, names, held_out=dec.held_out is not None),
        certain_shares(dec, index, shares, groups or ()),
        _enough_rows(dec),
        moving_together(dec, shares, correlated(dec, index)),
        _supported(dec, supported, names),
        _supported_together(supported, names),
        identifiability(dec, groups, separated_by_model(dec, index)),
        few_rows_decide(explained, row_names),
        independent_rows(dec, index),
        not_inputs(dec, None if X is None else dec.encode(X), index),
        unread_cells(dec, unread),
        as_on_the_data(dec),
    )


def _of_output(finding: Finding, output: int) -> Finding:
    """Say of which output the claims of a finding are; a limit that is never passed is none."""
    limit = None if finding.limit == inf else finding.limit
    return replace(finding, limit=limit, claims=tuple(replace(claim, output=output) for claim in finding.claims))


def _enough_rows(dec: Decomposition) -> Finding:
    n_features, effective = len(dec.features), dec.in_sample.effective_rows
    weighted = dec.partition is not None and dec.partition.total_weight is not None
    numbers = {"n_rows": float(dec.in_sample.n_rows), "n_features": float(n_features)}
    if dec.in_sample.n_effective is not None:
        numbers["n_effective"] = dec.in_sample.n_effective
    stated = (Claim("rows and features", numbers, over="rows of the fit", places=("weights",) if weighted else ()),)
    sentence, advice = enough_rows_words(stated), "Pass more rows, or fewer features."
    return decide("AR007", "Enough rows", status.FEW_ROWS, n_features / effective, sentence, advice, stated)


def weights_claims(dec: Decomposition) -> Claims:
    """State what the rows of a fit weigh; nothing where they were not weighted."""
    found = dec.partition
    if found is None or found.total_weight is None or found.n_effective is None:
        return ()
    numbers = {"total": found.total_weight, "n_effective": found.n_effective}
    return (Claim("weights", numbers, over="rows of the fit", places=(number(found.total_weight),)),)


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
    title = names.features[dec.feature_index(most.feature)]
    advice = f"Do not rely on effects outside the values of {title} in the fit; fit on rows like these."
    sentence = outside_words(stated, names)
    return decide("AR009", "Extrapolation", status.OUTSIDE, share, sentence, advice, tuple(stated))


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
