"""Findings: each code on a case made to trip it, on one made not to, and on both sides of its limits."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from anova_report import Decomposition, FunctionalANOVA, explain, measures
from anova_report.core.fit.partition import Partition
from anova_report.measures.status import (
    CERTAIN,
    COSINE,
    DEPENDENT_ROWS,
    FEW_DECIDE,
    FEW_ROWS,
    INSEPARABLE,
    LEAKAGE,
    MATTERS,
    OFF_DATA,
    OPTIMISM,
    OUTSIDE,
    ROUGH_SHARES,
    UNEXPLAINED,
    UNREAD,
    UNSEEN_TOGETHER,
    Finding,
    Findings,
    Limit,
    pressing,
)
from tests.ground_truth import decomposition_of, signs, traced

CODES = [f"AR{number:03d}" for number in range(1, 17)]


def rows(n_rows: int = 4000, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.normal(size=(n_rows, 3)), columns=["a", "b", "c"])


def fit(X: pd.DataFrame, predictions: np.ndarray, max_order: int = 2) -> Decomposition:
    return FunctionalANOVA(max_order, random_state=0).fit(X, predictions).decomposition_


@pytest.fixture(scope="module")
def good() -> measures.Findings:
    X = rows()
    return measures.findings(fit(X, np.asarray(X["a"] + X["b"] * X["c"])), X)


def test_codes_are_stable_and_in_order(good):
    assert [item.code for item in good.items] == CODES


def test_findings_are_had_one_by_one_and_by_code(good):
    assert [good[found.code] for found in good] == list(good.items)
    with pytest.raises(KeyError, match="There is no finding 'AR099'"):
        good["AR099"]


def test_a_faithful_explanation_of_a_plain_model_passes(good):
    assert good.verdict == "pass"
    assert all(item.advice == "" for item in good.items)
    assert good["AR002"].value < 0.02
    assert good["AR004"].status == "pass"


def test_a_constant_model_is_one_failing_finding():
    X = rows(500)
    found = measures.findings(explain(lambda table: np.full(len(table), 3.5), X), X)
    assert [item.code for item in found.items] == ["AR001"]
    assert found.verdict == "fail"
    assert "3.5 whatever its inputs" in found["AR001"].sentence


def test_what_an_estimator_without_held_out_rows_does_not_measure_is_not_tested():
    X = rows(400)
    found = measures.findings(FunctionalANOVA.published(K=1, d=3).fit(X, X["a"]).decomposition_)
    for code in ("AR003", "AR006", "AR011", "AR012"):
        assert (found[code].status, found[code].value) == ("not tested", None), code
    # An additive explanation has no interaction to check; without rows there is nothing to look at.
    for code in ("AR004", "AR005", "AR009", "AR013"):
        assert (found[code].status, found[code].value) == ("not applicable", None), code
    assert found.verdict == "warn"


def test_leakage_of_an_interaction_is_not_tested_without_held_out_rows():
    assert measures.findings(decomposition_of(MAINS_AND_PAIR))["AR005"].status == "not tested"


FIRST, SECOND, PRODUCT = signs(5000)
MAINS_AND_PAIR = {(0,): FIRST, (1,): SECOND, (0, 1): PRODUCT}


def left_open(value: float) -> Decomposition:
    """Leave a share of the variance open on held-out rows, and nothing on the rows of the fit."""
    mains = {(0,): FIRST}
    return decomposition_of(mains, held_out=(mains, np.sqrt(value / (1 - value)) * SECOND))


def tilted(value: float) -> dict[tuple[int, ...], np.ndarray]:
    """Give the pair a cosine with the first main effect."""
    return MAINS_AND_PAIR | {(0, 1): value * FIRST + np.sqrt(1 - value**2) * PRODUCT}


def not_orthogonal(value: float) -> Decomposition:
    return decomposition_of(MAINS_AND_PAIR, held_out=(tilted(-value), 0.0))


def leaking(value: float) -> Decomposition:
    leakages = {((0, 1), (0,)): value / 3, ((0, 1), (1,)): value}
    return decomposition_of(MAINS_AND_PAIR, held_out=(MAINS_AND_PAIR, 0.0), leakages=leakages)


def uncertain(value: float) -> Decomposition:
    # Each share is a third.
    errors = np.array([0.2, 1.0, 0.5]) * value / 3 / student.ppf(0.975, 63)
    return decomposition_of(MAINS_AND_PAIR, uncertainty=traced(*errors))


def dependent(value: float) -> Decomposition:
    """Let a share of the rows have near-duplicates."""
    return replace(left_open(0.01), partition=Partition("row", len(FIRST), clumped=value))


def apart(value: float) -> Decomposition:
    """Let a share of the rows have copies in other groups."""
    n_rows = len(FIRST)
    return replace(left_open(0.01), partition=Partition("group", 50, n_rows // 2, round(value * n_rows), 0.01))


AT_ITS_LIMITS: dict[str, tuple[Limit, Callable[[float], Decomposition]]] = {
    "AR002": (UNEXPLAINED, left_open),
    "AR003": (OPTIMISM, left_open),
    "AR004": (COSINE, not_orthogonal),
    "AR005": (LEAKAGE, leaking),
    "AR006": (ROUGH_SHARES, uncertain),
    "AR013": (DEPENDENT_ROWS, dependent),
}


@pytest.mark.parametrize("code", AT_ITS_LIMITS)
def test_the_status_turns_at_the_limits_and_says_which_one_it_was(code):
    limit, make = AT_ITS_LIMITS[code]
    steps = [(limit.warn / 2, "pass"), (0.999 * limit.warn, "pass"), (1.001 * limit.warn, "warn")]
    steps += [(0.999 * limit.fail, "warn"), (1.001 * limit.fail, "fail")]
    for at, status in steps:
        # Of a cosine chance gives something in any sample, for which the limit makes room.
        room = make(at) if code == "AR004" else None
        value = at if room is None else at + CERTAIN * measures.orthogonality(room).worst.overlap[1]
        finding = measures.findings(make(value))[code]
        assert finding.value == pytest.approx(value, rel=1e-6)
        assert finding.status == status
        assert finding.limit == pytest.approx((limit.fail if status == "fail" else limit.warn) + value - at)
        assert (finding.advice == "") is (status == "pass")


@pytest.mark.parametrize(("value", "status"), [(0.201, "warn"), (0.3, "fail")])
def test_an_overlap_fails_where_its_interval_is_beyond_the_limit(value, status):
    overlap, floor = measures.orthogonality(not_orthogonal(value)).worst.overlap
    assert (overlap - 1.96 / 3 * floor > COSINE.fail) is (status == "fail")
    assert measures.findings(not_orthogonal(value))["AR004"].status == status


@pytest.mark.parametrize(
    ("size", "half_width", "status"),
    [(0.5, 0.6, "pass"), (0.5, 1.2, "fail"), (0.9, 0.6, "warn"), (0.02, 5.0, "pass")],
)
def test_precision_warns_where_a_rank_or_a_sign_of_what_carries_something_may_change(size, half_width, status):
    # Half of the interval of the pair, as a part of its share; those of both main effects are narrow.
    error = half_width * max(size**2 / (2 + size**2), 0.1) / student.ppf(0.975, 63)
    dec = decomposition_of(MAINS_AND_PAIR | {(0, 1): size * PRODUCT}, uncertainty=traced(0.001, 0.001, error))
    found = measures.findings(dec)["AR006"]
    assert found.status == status
    assert found.value == pytest.approx(half_width if size > 0.1 else 0.004, rel=0.1)


@pytest.mark.parametrize(("n_features", "status"), [(1, "pass"), (2, "pass"), (3, "warn"), (10, "warn"), (11, "fail")])
def test_of_a_hundred_rows_two_features_are_fine_and_eleven_are_too_many(n_features, status):
    first, *_ = signs(25)
    finding = measures.findings(decomposition_of({(n_features - 1,): first}))["AR007"]
    assert (finding.status, finding.value) == (status, n_features / 100)


@pytest.fixture(scope="module")
def seen() -> tuple[pd.DataFrame, Decomposition]:
    X = rows()
    return X, fit(X, np.asarray(X["a"]), max_order=1)


@pytest.mark.parametrize(("n_outside", "status"), [(0, "pass"), (1, "pass"), (2, "warn"), (5, "warn"), (6, "fail")])
def test_of_a_hundred_rows_one_may_lie_outside_and_six_are_too_many(seen, n_outside, status):
    X, dec = seen
    few = X.head(100).assign(c=np.r_[np.full(n_outside, 99.0), X["c"].iloc[n_outside:100]])
    finding = measures.findings(dec, few)["AR009"]
    assert (finding.status, finding.value) == (status, n_outside / 100)
    assert ("outside the values of c" in finding.sentence) is (n_outside > 0)


@pytest.mark.parametrize(
    "limit",
    [
        UNEXPLAINED,
        OPTIMISM,
        COSINE,
        LEAKAGE,
        ROUGH_SHARES,
        FEW_ROWS,
        OUTSIDE,
        UNSEEN_TOGETHER,
        INSEPARABLE,
        FEW_DECIDE,
        DEPENDENT_ROWS,
        UNREAD,
        OFF_DATA,
    ],
    ids=[code for code in CODES[1:] if code not in ("AR008", "AR014")],
)
def test_every_limit_warns_before_it_fails_and_gives_a_reason(limit):
    assert 0 < limit.warn < limit.fail
    assert limit.fail <= 1 or limit.fail == np.inf
    assert limit.reason.endswith(".")


@pytest.mark.parametrize(
    ("n_repeats", "cosine", "status", "limit"),
    [
        (4, 0.5, "not tested", 0.2),  # chance can give 0.75: these rows could hide any overlap
        (4, 0.8, "fail", 0.75),
        (100, 0.14, "pass", 0.15),
        (100, 0.16, "warn", 0.15),
        # A cosine that is surely there, and may be smaller than the limit of .05.
        (1000, 0.06, "pass", 0.05 + 0.0474 * 1.96 / 3),
        (1000, 0.09, "warn", 0.05 + 0.0474 * 1.96 / 3),
    ],
)
def test_a_cosine_that_chance_could_give_is_not_held_against_the_explanation(n_repeats, cosine, status, limit):
    # The sample cosine of ±1 has standard deviation 1/√n: three of them are 0.75 with 16 rows, 0.15 with 400.
    first, second, product = signs(n_repeats)
    pair = cosine * first + np.sqrt(1 - cosine**2) * product
    finding = measures.findings(decomposition_of({(0,): first, (1,): second, (0, 1): pair}))["AR004"]
    assert (finding.status, finding.value) == (status, pytest.approx(cosine))
    assert finding.limit == pytest.approx(limit, rel=1e-3)
    assert f"is {cosine:.3f} (absolute cosine of x0 × x1 | x0)" in finding.sentence
    assert ("these rows do not decide it" in finding.sentence) is (status == "not tested")


def test_what_chance_hides_of_a_small_interaction_does_not_keep_larger_ones_from_being_tested():
    first, second, product = signs(200)
    # Two rows carry some percent of the variance, each way, so that the cosine is 0, and any other could be chance.
    alike, against = (0.15 * np.sqrt(len(first)) * np.r_[1.0, sign, np.zeros(len(first) - 2)] for sign in (1, -1))
    values = {(0,): first, (1,): second, (2,): alike, (0, 1): product, (1, 2): against}
    measured = measures.orthogonality(decomposition_of(values))
    hidden = next(pair for pair in measured.cosines if pair.term == (1, 2) and pair.part == (2,))
    assert hidden.overlap[1] == 1.0 > COSINE.fail  # no cosine is larger
    assert hidden.share < MATTERS < next(pair for pair in measured.cosines if pair.term == (0, 1)).share
    assert measured.worst != hidden
    assert measures.findings(decomposition_of(values))["AR004"].status == "pass"


def with_floor(dec: Decomposition, floor: float) -> Decomposition:
    floors = np.full_like(dec.held_out.leakages, floor)
    return replace(dec, held_out=replace(dec.held_out, leakage_floors=floors))


def test_what_chance_hides_of_a_small_interaction_alone_does_not_apply():
    small = MAINS_AND_PAIR | {(0, 1): 0.15 * PRODUCT}
    dec = decomposition_of(small, held_out=(small, 0.0), leakages={((0, 1), (0,)): 0.3})
    finding = measures.findings(with_floor(dec, 1.0))["AR005"]
    assert (finding.status, finding.value) == ("not applicable", None)
    assert "explain 30.0% of the variance of the interaction x0 × x1; chance alone gives up to 100%" in finding.sentence
    assert "too small for that to matter" in finding.sentence


def test_leakage_below_a_floor_that_hides_a_failure_is_not_tested():
    finding = measures.findings(with_floor(leaking(0.687), 1.0))["AR005"]
    assert (finding.status, finding.value) == ("not tested", pytest.approx(0.687))
    assert "chance alone gives up to 100%" in finding.sentence


@pytest.mark.parametrize(
    ("untold", "verdict"),
    [
        (("AR005",), "pass"),
        (("AR004",), "pass"),
        (("AR004", "AR005"), "warn"),
        (("AR002",), "warn"),
        (("AR011",), "warn"),
        (("AR003", "AR006", "AR012"), "pass"),
    ],
)
def test_a_pass_needs_fidelity_orthogonality_and_identifiability_tested(good, untold, verdict):
    items = tuple(replace(item, status="not tested") if item.code in untold else item for item in good.items)
    found = Findings(items)
    assert found.verdict == verdict
    assert [item.code for item in pressing(items)] == (list(untold) if verdict == "warn" else [])
    assert f"{len(untold)} could not be tested" in found.overview().title


def test_held_out_cosines_decide_where_there_are_any():
    on_the_fit_only = decomposition_of(tilted(0.4), held_out=(MAINS_AND_PAIR, 0.0))
    assert measures.findings(on_the_fit_only)["AR004"].status == "pass"
    assert measures.findings(decomposition_of(tilted(0.4)))["AR004"].status == "fail"


@pytest.mark.parametrize("code", ["AR004", "AR005"])
def test_interactions_of_no_weight_are_not_checked(code):
    light = MAINS_AND_PAIR | {(0, 1): 0.05 * tilted(0.3)[0, 1]}
    dec = decomposition_of(light, held_out=(light, 0.0), leakages={((0, 1), (0,)): 0.8})
    assert measures.findings(dec)[code].status == "not applicable"


def test_effects_that_cancel_warn_with_their_features_and_their_joint_share():
    # Var = 4.5² + 4² − 2 · 0.95 · 4.5 · 4 + 1 = 3.05: alone 664% and 525%, together 67%, and never a failure.
    against = -4 * (0.95 * FIRST + np.sqrt(1 - 0.95**2) * SECOND)
    dec = decomposition_of({(0,): 4.5 * FIRST, (1,): against, (2,): PRODUCT}, uncertainty=traced(0.01, 0.02, 0.03))
    finding = measures.findings(dec)["AR008"]
    assert finding.status == "warn"
    assert (finding.title, finding.value) == ("Effects that move together", pytest.approx(0.95))
    for words in (
        "x0 (structural share 663.9%)",
        "x1 (structural share 524.6%)",
        "move against each other (correlation −0.950)",
        "carry 67.2%",
    ):
        assert words in finding.sentence
    # The contributions of replicates are added before they are squared: 0.01 + 0.02.
    reach = student.ppf(0.975, 63) * 0.03
    assert f"{100 * (2.05 / 3.05 - reach):.1f}% to {100 * (2.05 / 3.05 + reach):.1f}%" in finding.sentence
    assert "joint effect of x0 and x1" in finding.advice


def test_a_pair_counts_for_the_joint_share_of_its_features():
    against = -2 * (0.9 * FIRST + np.sqrt(1 - 0.9**2) * SECOND)
    dec = decomposition_of({(0,): 2 * FIRST, (1,): against, (2,): 0.0 * FIRST, (0, 1): PRODUCT})
    assert "carry 100" in measures.findings(dec)["AR008"].sentence


@pytest.mark.parametrize(
    ("correlation", "size", "status"),
    [
        (0.75, 1.0, "warn"),
        (0.65, 1.0, "pass"),
        (-0.75, 1.0, "warn"),
        (-0.3, 1.0, "pass"),
        (0.75, 0.25, "pass"),  # 4% of the variance
    ],
)
def test_effects_that_overlap_mislead_from_a_correlation_of_seven_tenths_on(correlation, size, status):
    along = size * (correlation * FIRST + np.sqrt(1 - correlation**2) * SECOND)
    finding = measures.findings(decomposition_of({(0,): FIRST, (1,): along}))["AR008"]
    assert finding.status == status
    assert (finding.advice == "") is (status == "pass")


def short_of_judged(in_sample: float, held_out: float, errors: tuple[float, float]) -> Finding:
    """AR003 of a decomposition with given R²; the errors are of the two figures, which share replicates."""
    open_inside, open_outside = (np.sqrt((1 - r) / r) for r in (in_sample, held_out))
    signs_of_replicates = np.tile([1.0, -1.0], 32)[:, None] * np.sqrt(63) / 64
    moved = replace(traced(0.0), in_sample=errors[0] * signs_of_replicates, held_out=errors[1] * signs_of_replicates)
    mains = {(0,): FIRST}
    dec = decomposition_of(mains, open_inside * SECOND, held_out=(mains, open_outside * SECOND), uncertainty=moved)
    return measures.findings(dec)["AR003"]


@pytest.mark.parametrize(
    ("held_out", "errors", "status"),
    [
        (0.956, (0.001, 0.001), "warn"),  # the errors are those of the same rows, so the difference has none
        (0.9275, (0.001, 0.001), "pass"),  # too little to matter
        (0.956, (0.001, -0.02), "pass"),  # within its error
    ],
)
def test_a_fit_that_is_worse_on_its_own_rows_is_not_the_one_that_was_judged(held_out, errors, status):
    finding = short_of_judged(0.926, held_out, errors)
    assert (finding.status, finding.value) == (status, pytest.approx(0.926 - held_out))
    assert ("worse than the fits that were judged" in finding.sentence) is (status == "warn")


@pytest.fixture(scope="module")
def with_wild_rows() -> tuple[pd.DataFrame, np.ndarray, Decomposition]:
    X = rows(600, seed=4)
    predictions = np.array(X["a"] + X["b"] + 0.1 * X["c"])
    predictions[[7, 311]] += [60.0, -80.0]
    return X, predictions, fit(X, predictions, max_order=1)


def test_where_two_rows_decide_they_are_named_beside_the_figure_that_rests_on_them(with_wild_rows):
    dec = with_wild_rows[2]
    found, fidelity = measures.findings(dec), measures.fidelity(dec)
    assert found["AR012"].status == "warn"
    assert "row 311, row 7" in found["AR012"].sentence
    names = [f"client {at}" for at in range(600)]
    assert "client 311, client 7" in measures.findings(dec, row_names=names)["AR012"].sentence
    assert found["AR002"].status in ("warn", "fail")
    assert found["AR002"].value == fidelity.unexplained
    # One count, wherever it is printed.
    count = f"{round(fidelity.deciding_rows)} of 600 held-out rows"
    assert all(count in found[code].sentence for code in ("AR002", "AR003", "AR012"))


def test_influential_rows_are_those_without_which_fidelity_changes_most(with_wild_rows):
    X, predictions, dec = with_wild_rows
    found = measures.influential_rows(dec)
    assert [row.position for row in found.rows[:2]] == [311, 7]
    # The very definition, on the residuals of the fit on all rows, which is close to those judged held out.
    residuals, heights = (predictions - dec.predict(X)) ** 2, (predictions - predictions.mean()) ** 2
    kept = np.arange(600) != 311
    without = 1 - residuals[kept].sum() / heights[kept].sum()
    assert found.rows[0].r_squared_without == pytest.approx(without, abs=0.05)
    assert found.rows[0].prediction_share == pytest.approx(heights[311] / heights.sum(), rel=1e-3)
    assert found.frame()["position"][:2] == [311, 7]
    assert measures.influential_rows(FunctionalANOVA.published(K=1, d=3).fit(X, X["a"]).decomposition_).rows == ()


def test_without_the_named_rows_fidelity_is_estimable(with_wild_rows):
    X, predictions, dec = with_wild_rows
    wild = [position for position, share in measures.fidelity(dec).hardest if share > 0.1]
    kept = np.setdiff1d(np.arange(len(X)), wild)
    found = measures.findings(fit(X.iloc[kept].reset_index(drop=True), predictions[kept], max_order=1))
    assert (found["AR002"].status, found["AR012"].status) == ("pass", "pass")


@pytest.mark.parametrize(
    ("floor", "status", "limit"),
    [
        (0.04, "warn", 0.02 + 0.04 * 1.96 / 3),
        (0.048, "pass", 0.02 + 0.048 * 1.96 / 3),
        (0.06, "pass", 0.06),
        (0.01, "warn", 0.02 + 0.01 * 1.96 / 3),
    ],
)
def test_leakage_that_chance_could_give_is_not_held_against_the_explanation(floor, status, limit):
    finding = measures.findings(with_floor(leaking(0.05), floor))["AR005"]
    assert (finding.status, finding.value, finding.limit) == (status, 0.05, pytest.approx(limit))
    assert "functions of x1 explain 5.0% of the variance of the interaction x0 × x1" in finding.sentence
    assert f"chance alone gives up to {100 * floor:.1f}%" in finding.sentence


def test_a_light_interaction_that_moves_with_a_main_effect_is_asked_whether_it_leaks():
    # Var = 0.0064 of 1.17, but Cov with the rest 0.08: a main effect in disguise.
    disguised = MAINS_AND_PAIR | {(1,): 0.0 * SECOND, (0, 1): 0.08 * FIRST}
    dec = decomposition_of(disguised, held_out=(disguised, 0.0), leakages={((0, 1), (0,)): 0.5})
    assert measures.findings(dec)["AR004"].status == "not applicable"
    assert measures.findings(dec)["AR005"].status == "fail"


@pytest.mark.parametrize(
    ("statuses", "verdict"),
    [
        (("not applicable",), "not applicable"),
        (("not applicable", "pass"), "pass"),
        (("warn", "pass", "not applicable"), "warn"),
        (("pass", "fail", "warn"), "fail"),
    ],
)
def test_the_verdict_is_the_worst_of_all_whatever_their_order(statuses, verdict):
    for order in (statuses, statuses[::-1]):
        items = tuple(Finding("AR000", "", status, None, None, ".") for status in order)
        assert Findings(items).verdict == verdict


def test_a_code_that_was_not_checked_is_named_with_those_that_were():
    X = np.random.default_rng(0).normal(size=(300, 2))
    found = measures.findings(FunctionalANOVA(max_order=1, random_state=0).fit(X, X[:, 0]).decomposition_)
    with pytest.raises(KeyError, match=r"AR999.*'AR001'"):
        found["AR999"]


@pytest.mark.parametrize(
    ("partition", "words"),
    [
        (Partition("row", 20_000, clumped=0.0), "one by one. There is no sign"),
        (Partition("row", 20_000), "Rows are held out one by one."),
        (Partition("equal rows", 4000, 16_000, clumped=0.01), "16,000 of the 20,000 rows repeat the inputs of another"),
        (Partition("group", 80, clumped=0.0), "Whole groups are held out, 80 in all"),
        (Partition("time block", 20), "Whole blocks of time are held out, 20 in all"),
    ],
)
def test_what_was_held_out_together_is_said(partition, words):
    finding = measures.findings(replace(left_open(0.01), partition=partition))["AR013"]
    assert finding.status == "pass"
    assert words in finding.sentence


def test_copies_in_other_groups_are_reported_with_a_cure_for_groups():
    finding = measures.findings(apart(0.6))["AR013"]
    assert (finding.status, finding.value) == ("fail", pytest.approx(0.6))
    assert "60.0% of the rows have the same inputs as a row that was not held out with them" in finding.sentence
    assert "Choose groups" in finding.advice
    assert "groups=, --group" in measures.findings(dependent(0.6))["AR013"].advice


def test_copies_and_weights_leave_fewer_rows_than_there_are():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 2))
    copied = FunctionalANOVA(max_order=1, random_state=0).fit(np.repeat(X, 4, axis=0), np.repeat(X[:, 0], 4))
    found = measures.findings(copied.decomposition_)["AR007"]
    assert found.sentence.startswith("1,200 rows for 2 features. Because some are copies,")
    assert found.sentence.endswith("they count as 300 rows of equal weight.")
    assert found.value == pytest.approx(2 / 300)
