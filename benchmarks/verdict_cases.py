"""The cases of the benchmark of verdicts: how each sample is made, and what it deserves by how it is made."""

from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.signal import lfilter
from scipy.special import expit

from anova_report import Decomposition, explain
from benchmarks import datasets
from benchmarks import verdict_laws as of
from benchmarks.judge import Floats, Term
from benchmarks.simulators import BY_NAME as SIMULATORS
from benchmarks.verdict_laws import Function, Law, Rng
from benchmarks.verdict_real import REAL_CASES
from benchmarks.verdict_truth import BY_TRUTH, FAIL, NEVER_FAIL, NEVER_PASS, WARN, Case, Component, Draw, Make
from tests.ground_truth import FGM, ishigami

FRESH = 20_000
MANY_FRESH = 200_000  # for heavy tails, where a few rows decide R² even here


def plain(law: Law, function: Function, noise: float = 0.0, *, tails: float = np.inf, n_fresh: int = FRESH) -> Make:
    """Draw rows and predictions; the noise has a t distribution with so many degrees of freedom."""

    def make(rng: Rng, n_rows: int) -> Draw:
        drawn = []
        for count in (n_rows, n_fresh):
            X = law(rng, count)
            drawn += [X, function(X) + noise * _noise(rng, count, tails)]
        return Draw(*drawn)

    return make


def _noise(rng: Rng, count: int, tails: float) -> Floats:
    return rng.normal(size=count) if np.isinf(tails) else rng.standard_t(tails, size=count)


def known(law: Law, components: Mapping[Term, Component], noise: float = 0.0) -> Make:
    """Draw rows and predictions whose components are known."""

    def add_up(X: Any) -> Floats:
        return np.sum([component(X) for component in components.values()], axis=0)

    def make(rng: Rng, n_rows: int) -> Draw:
        return plain(law, add_up, noise)(rng, n_rows).but(components=components)

    return make


def copied(make: Make, times: int = 5, jitter: float = 0.0) -> Make:
    """Repeat every row of the fit, exactly or nearly."""

    def make_copies(rng: Rng, n_rows: int) -> Draw:
        draw = make(rng, n_rows // times)
        X = np.repeat(draw.X, times, axis=0)
        return draw.but(X=X + jitter * rng.normal(size=X.shape), predictions=np.repeat(draw.predictions, times))

    return make_copies


def clusters(rng: Rng, n_rows: int, given: bool = False) -> Draw:
    """Draw groups of sixty neighbours that share a prediction, which has nothing to do with where they are."""

    def draw(count: int) -> tuple[Floats, Floats, Floats]:
        group = np.arange(count) // 60
        centres, predictions = rng.normal(size=(group[-1] + 1, 3)), rng.normal(size=group[-1] + 1)
        return centres[group] + 0.01 * rng.normal(size=(count, 3)), predictions[group], group

    X, predictions, group = draw(n_rows)
    return Draw(X, predictions, *draw(FRESH)[:2], fit={"groups": group} if given else {})


def visits(rng: Rng, n_rows: int, n_patients: int = 50, named: bool = False, given: bool = False) -> Draw:
    """Draw visits of patients, who have two features of their own and an effect that has nothing to do with these."""

    def draw(count: int) -> tuple[pd.DataFrame, Floats, Floats]:
        patient = np.arange(count) * n_patients // n_rows
        own, effect = rng.normal(size=(patient[-1] + 1, 2)), rng.normal(size=patient[-1] + 1)
        visit = rng.normal(size=(count, 2))
        second = np.char.add("ward ", (own[:, 1] > 0).astype(int).astype(str)) if named else own[:, 1]
        table = {"x0": own[patient, 0], "x1": second[patient], "x2": visit[:, 0], "x3": visit[:, 1]}
        return pd.DataFrame(table), effect[patient] + visit[:, 0] / 2, patient

    X, predictions, patient = draw(n_rows)
    return Draw(X, predictions, *draw(FRESH)[:2], fit={"groups": patient} if given else {})


def drifting(rng: Rng, n_rows: int, given: bool = False) -> Draw:
    """Let inputs and predictions drift slowly in time and independently, so that neighbours in time are alike."""

    def drift(count: int) -> Floats:
        return np.asarray(lfilter([0.1], [1, -0.995], rng.normal(size=(count, 7)), axis=0))

    table, fresh = drift(n_rows), drift(FRESH)
    time = {"time": np.arange(n_rows)} if given else {}
    return Draw(table[:, :6], table[:, 6], fresh[:, :6], fresh[:, 6], fit=time)


def used_on(law: Law, function: Function, other: Law) -> Make:
    """Fit on rows of one law, and use the explanation on rows of another."""

    def make(rng: Rng, n_rows: int) -> Draw:
        draw, fresh = plain(law, function)(rng, n_rows), other(rng, FRESH)
        return draw.but(fresh=fresh, fresh_predictions=function(fresh), judged=fresh[:5000])

    return make


def beyond(share: float) -> Make:
    """Use an explanation on rows of which a share lies far outside those of the fit."""

    def make(rng: Rng, n_rows: int) -> Draw:
        draw, judged = plain(of.uniform(4), of.waves)(rng, n_rows), rng.random((5000, 4))
        judged[: int(share * len(judged)), 0] += 2.0
        return draw.but(judged=judged)

    return make


def spiky(rng: Rng, n_rows: int) -> Draw:
    """Draw a plane with rare spikes until a row shows one: where none does, no sample can tell, and a pass is right."""
    make = plain(of.uniform(3), of.spikes, n_fresh=MANY_FRESH)
    draw = make(rng, n_rows)
    return draw if of.is_spike(draw.X).any() else spiky(rng, n_rows)


def two_outputs(rng: Rng, n_rows: int) -> Draw:
    """Draw a table with two outputs: a smooth function, and noise."""
    draw = plain(of.uniform(4), of.waves)(rng, n_rows)
    noises = rng.normal(size=n_rows), rng.normal(size=FRESH)
    predictions, fresh = (
        np.column_stack(pair) for pair in zip((draw.predictions, draw.fresh_predictions), noises, strict=True)
    )
    return draw.but(predictions=predictions, fresh_predictions=fresh)


def boosted(rng: Rng, n_rows: int) -> Draw:
    """Train boosted trees on other rows, and ask them."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    X = rng.random((2000, 8))
    trees = HistGradientBoostingRegressor(max_iter=40, random_state=0).fit(X, of.friedman(X) + rng.normal(size=2000))
    return plain(of.uniform(8), trees.predict)(rng, n_rows)


@cache
def _linear_model() -> tuple[Floats, Floats]:
    """Rows of Superconductivity, each feature less its mean, and the slopes of a linear model of its target."""
    loaded = datasets.load("superconductivity")
    X = loaded.X.to_numpy(float)
    X -= X.mean(axis=0)
    return X, np.linalg.lstsq(X, loaded.y.to_numpy(float), rcond=None)[0]


def superconductivity(rng: Rng, n_rows: int) -> Draw:
    """Ask a linear model of Superconductivity about rows of that table, 81 features of which many are alike."""
    table, slopes = _linear_model()
    order = rng.permutation(len(table))
    X, fresh = table[order[:n_rows]], table[order[n_rows:]]
    return Draw(X, X @ slopes, fresh, fresh @ slopes, components=of.lines(*slopes))


class LogOdds:
    """A classifier whose log-odds are known."""

    classes_ = np.array([0, 1])

    def predict_proba(self, X: Floats) -> Floats:
        """Probabilities of both classes."""
        positive = expit(of.waves(X))
        return np.column_stack([1 - positive, positive])


def explain_classifier(draw: Draw, max_order: int, random_state: int) -> Decomposition:
    """Explain a classifier by asking it."""
    return explain(LogOdds(), draw.X, max_order=max_order, random_state=random_state, progress=False)


def shown_as(scale: Function) -> Make:
    """Hand the audit predictions on some scale, where log-odds were decomposed."""

    def make(rng: Rng, n_rows: int) -> Draw:
        draw = plain(of.uniform(4), of.waves)(rng, n_rows)
        return draw.but(shown=scale(draw.predictions))

    return make


fgm: Law = lambda rng, n_rows: FGM.draw(n_rows, rng)  # noqa: E731 a law by another name
pi_cube = of.uniform(3, -np.pi, np.pi)
signs = of.uniform(3, -1, 1)
chain = of.chain(14, 0.5)
same_sign, opposite_sign = of.quadrants(1), of.quadrants(-1)
near = of.derived(lambda X, noise: X[:, 0] + 0.01 * noise)
parabola = of.derived(lambda X, noise: X[:, 0] ** 2 - 1 + 0.02 * noise)
strongly = of.derived(lambda X, noise: 0.95 * X[:, 0] + np.sqrt(1 - 0.95**2) * noise)
friedman_noise = plain(of.uniform(10), of.friedman, 1.0)

CASES = (
    # Independent and simple: nothing to object to.
    Case("seed of the table", 6000, plain(of.by_column, of.waves), same_seed=True),
    Case("Ishigami", 2000, plain(pi_cube, ishigami)),
    Case("Ishigami, many rows", 20_000, plain(pi_cube, ishigami)),
    Case("Sobol g", 5000, plain(of.uniform(4), of.sobol_g)),
    Case("Friedman", 600, plain(of.uniform(5), of.friedman)),
    Case("Friedman, noise, 1,000 rows", 1000, plain(of.uniform(5), of.friedman, 1.0)),
    Case("Friedman, noise, 3,900 rows", 3900, friedman_noise),
    Case("Friedman, noise, 12,000 rows", 12_000, friedman_noise),
    Case("Friedman, noise, 200 rows", 200, friedman_noise, NEVER_FAIL),
    Case("one strong feature, 200 rows", 200, plain(signs, lambda X: np.sin(2 * X[:, 0]) + 0.1 * X[:, 1])),
    Case("additive, 400 rows", 400, known(signs, of.curves(signs, 3))),
    Case("30 features do nothing", 5000, plain(of.normal(32), lambda X: X[:, 0] + np.sin(X[:, 1]) + X[:, 0] * X[:, 1])),
    Case("table of 3 × 4 × 5", 1000, plain(of.digits(3, 4, 5), of.by_digits)),
    Case("six yes or no", 1000, plain(of.digits(*[2] * 6), of.by_digits)),
    Case("table of 2 × 2 × 3, 300 rows", 300, plain(of.digits(2, 2, 3), of.by_digits, 0.1)),
    Case("30 names", 5000, plain(of.names, of.of_names)),
    Case("mixed, with missing values", 4000, plain(of.mixed, of.of_mixed)),
    Case("steps", 5000, plain(of.uniform(4), of.steps)),
    Case("boosted trees", 5000, boosted),
    Case("smooth network, 12 features", 6000, plain(of.normal(12), of.network)),
    Case("fast wave", 5000, plain(of.uniform(2), lambda X: np.sin(25 * X[:, 0]) + X[:, 1])),
    Case("triple, order 3", 6000, plain(signs, of.full_triple), max_order=3),
    *(
        Case(f"{name}, 500 rows", 500, plain(SIMULATORS[name].draw, SIMULATORS[name].function))
        for name in ("flood", "wing weight")
    ),
    Case("two outputs, the smooth one", 4000, two_outputs),
    Case("two outputs, noise", 4000, two_outputs, FAIL, ("AR002",), output=1),
    Case("tiny beside its mean", 4000, plain(of.uniform(4), lambda X: 1e6 + 1e-3 * of.waves(X))),
    Case("log-odds of a classifier", 4000, plain(of.uniform(4), of.waves), decompose=explain_classifier),
    # Dependent, components known on paper.
    Case("FGM", 10_000, known(fgm, FGM.components)),
    Case("dependent table", 4000, known(of.table_law, of.on_a_table())),
    Case("14 dependent features", 8000, known(chain, of.curves(chain, 14))),
    Case("five clouds", 6000, known(of.clouds, of.curves(of.clouds, 4))),
    Case("product, r = 0", 500, known(signs, of.plain_product())),
    Case("product of normals, 500 rows", 500, known(of.normal(2), of.product(0.0))),
    Case("product, r = .3", 5000, known(of.normal(2, 0.3), of.product(0.3))),
    Case("product, r = .6", 3900, known(of.normal(2, 0.6), of.product(0.6))),
    Case("product, r = .9", 3900, known(of.normal(2, 0.9), of.product(0.9)), WARN, ("AR005", "AR008", "AR011")),
    Case("difference, r = .9", 3900, known(of.normal(2, 0.9), of.difference(0.9))),
    Case("dependent lines", 5000, known(of.chain(4, 0.6), of.lines(2, -1, 1, 0.5)), NEVER_FAIL),
    Case("two lines, r = .9", 5000, known(of.normal(2, 0.9), of.lines(1, 1)), WARN, ("AR008", "AR011")),
    Case("two lines that cancel", 6000, known(strongly, of.lines(3, 1, -3)), WARN, ("AR008",)),
    # Inputs that cannot be told apart.
    Case("exact copy of a feature", 5000, known(of.derived(lambda X, _: X[:, 0]), of.lines(2, 1, 1)), WARN, ("AR011",)),
    Case("near copy of a feature", 5000, known(near, of.lines(2, 1, 1)), WARN, ("AR011",)),
    Case(
        "sum of the others",
        5000,
        known(of.derived(lambda X, _: X[:, :-1].sum(axis=1), 4), of.lines(1, 1, 1, 1)),
        WARN,
        ("AR011",),
    ),
    Case("function of another", 5000, known(parabola, of.lines(1, 1, 1)), WARN, ("AR011",)),
    Case("linear model of Superconductivity", 5000, superconductivity, WARN, ("AR011",), needs="superconductivity"),
    Case("product of two others, which is read", 2000, plain(of.with_product, of.of_costs), WARN, ("AR011",)),
    Case("product of two others, not read", 2000, plain(of.with_product, of.of_debts), WARN, ("AR011",)),
    Case("product of two others, 500 rows", 500, plain(of.with_product, of.of_debts), WARN, ("AR011",)),
    Case("code of a number", 2000, plain(of.with_code(16), of.of_codes), WARN, ("AR011",)),
    Case("code of a number, 500 rows", 500, plain(of.with_code(16), of.of_codes), WARN, ("AR011",)),
    Case("name of a number", 2000, plain(of.with_code(16, named=True), of.of_codes), WARN, ("AR011",)),
    Case("name of a number, 10,000 rows", 10_000, plain(of.with_code(16, named=True), of.of_codes), WARN, ("AR011",)),
    # Held-out rows that are not new.
    Case("visits of 50 patients", 2000, visits, NEVER_PASS, ("AR011", "AR013")),
    Case("visits of 200 patients", 2000, partial(visits, n_patients=200), NEVER_PASS, ("AR011", "AR013")),
    Case("visits, 500 rows", 500, partial(visits, n_patients=30), NEVER_PASS, ("AR011", "AR013")),
    Case("visits of patients in wards", 2000, partial(visits, named=True), NEVER_PASS, ("AR013",)),
    Case("visits, given as groups", 2000, partial(visits, given=True), FAIL, ("AR002",), needs="groups"),
    Case("exact function in order of time", 3000, plain(of.in_time, of.waves)),
    Case("copies of noise", 5000, copied(plain(of.normal(6), of.nothing, 1.0)), NEVER_PASS, ("AR002", "AR013")),
    Case("copies of a smooth table", 5000, copied(known(signs, of.curves(signs, 3))), NEVER_FAIL),
    Case(
        "near copies of noise",
        5000,
        copied(plain(of.normal(6), of.nothing, 1.0), jitter=1e-4),
        NEVER_PASS,
        ("AR002", "AR013"),
    ),
    Case("clusters", 4800, clusters, NEVER_PASS, ("AR002", "AR013")),
    Case("clusters, given as groups", 4800, partial(clusters, given=True), FAIL, ("AR002",), needs="groups"),
    Case("slow drift", 3000, drifting, NEVER_PASS, ("AR002", "AR013")),
    Case("slow drift, time given", 3000, partial(drifting, given=True), FAIL, ("AR002",), needs="time"),
    # Too little is explained.
    Case("noise", 1000, plain(signs, of.nothing, 1.0), FAIL, ("AR002",)),
    Case("noise, many rows", 20_000, plain(of.normal(8), of.nothing, 1.0), FAIL, ("AR002",)),
    Case("half noise", 4000, plain(of.uniform(4), of.waves, 1.0), FAIL, ("AR002",)),
    Case("a fifth noise", 5000, plain(of.uniform(4), of.waves, 0.45), WARN, ("AR002",)),
    Case("main effects of Ishigami", 5000, plain(pi_cube, ishigami), WARN, ("AR002",), max_order=1),
    Case("main effects of a product", 2000, plain(signs, lambda X: X[:, 0] * X[:, 1]), FAIL, ("AR002",), max_order=1),
    Case("triple, order 2", 4000, plain(signs, of.triple(7.0)), FAIL, ("AR002",)),
    Case("weak triple, order 2", 5000, plain(signs, of.triple(2.2)), WARN, ("AR002",)),
    # Used elsewhere than on rows like those of the fit.
    Case("same joint law", 5000, used_on(same_sign, of.turned, same_sign)),
    Case("other joint law", 5000, used_on(same_sign, of.turned, opposite_sign), NEVER_PASS, ("AR010",)),
    Case("part of the joint law", 5000, used_on(of.uniform(4, -1, 1), of.waves, same_sign)),
    Case("3% of the rows beyond", 5000, beyond(0.03), WARN, ("AR009",)),
    Case("half of the rows beyond", 5000, beyond(0.5), FAIL, ("AR009",)),
    Case("log-odds shown as log-odds", 3000, shown_as(np.asarray), decompose=explain_classifier),
    Case("log-odds shown as probabilities", 3000, shown_as(expit), FAIL, ("refused",), decompose=explain_classifier),
    # A few rows decide: a pass needs a figure that is true.
    Case(
        "t with 2.5 degrees",
        5000,
        plain(of.heavy_t, lambda X: X[:, 0] + X[:, 1] * X[:, 2] / 2, n_fresh=MANY_FRESH),
        BY_TRUTH,
        ("AR002", "AR012"),
    ),
    Case(
        "lognormal",
        5000,
        plain(of.heavy_lognormal, lambda X: X[:, 0] + np.sqrt(X[:, 1] * X[:, 2]), n_fresh=MANY_FRESH),
        BY_TRUTH,
        ("AR002", "AR012"),
    ),
    Case(
        "noise with heavy tails",
        5000,
        plain(of.uniform(5), of.friedman, 0.5, tails=2.5, n_fresh=MANY_FRESH),
        BY_TRUTH,
        ("AR002", "AR012"),
    ),
    Case("rare spikes", 3000, spiky, BY_TRUTH, ("AR002", "AR012")),
    *REAL_CASES,
)
BY_NAME = {case.name: case for case in CASES}

# Where the interval of R² is held against R² on fresh rows.
COVERAGE = (
    "Friedman, noise, 1,000 rows",
    "Friedman, noise, 3,900 rows",
    "Friedman, noise, 12,000 rows",
    "a fifth noise",
    "half noise",
    "smooth network, 12 features",
    "boosted trees",
    "t with 2.5 degrees",
    "lognormal",
    "noise with heavy tails",
)

# Where features that cannot be told apart must be named, or bands must be as wide as that.
ALIKE = (
    "exact copy of a feature",
    "near copy of a feature",
    "sum of the others",
    "function of another",
    "linear model of Superconductivity",
)
