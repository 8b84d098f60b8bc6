"""The XGBoost rows of the paper's tables: its estimator with its settings, next to its figures.

Run with `python -m benchmarks.published [dataset …]`. Every row is fitted twice: with the 500 steps after which
scikit-learn ends the path, as the paper's figures suggest, and with as many as it takes until BIC has risen again.
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from anova_report import Decomposition, FunctionalANOVA, measures
from anova_report.core.fit.moments import DEGREE, LeakageSums
from anova_report.core.result.terms import CARRIES, Term
from anova_report.measures.orthogonality import Orthogonality
from anova_report.measures.wording import cosine, percent
from benchmarks.datasets import load
from benchmarks.judge import Floats
from benchmarks.models import train_xgboost
from benchmarks.paper import STEPS, TABLES, Row

PAPER: dict[str, Row] = {name: rows["xgb"] for name, rows in TABLES.items()}
FEW_VALUES = 50
ZERO = 1e-9  # what rounding leaves of a cosine


@dataclass(frozen=True)
class Leak:
    """An interaction ν_S that functions of a part of its features explain, on the rows of the fit.

    Parameters
    ----------
    term, part : Term
        S and T ⊊ S.
    share, part_share : float
        Var(ν_S) / Var(ν), and that of ν_T.
    leakage : float
        Share of Var(ν_S) that functions of X_T explain beyond chance.
    cosine : float
        What MaxCorr looks at.
    of_means : float or None
        Share of Var(ν_S) that its means at the values of X_T explain, where T is one feature with few values.
    """

    term: Term
    part: Term
    share: float
    part_share: float
    leakage: float
    cosine: float
    of_means: float | None

    def words(self, dec: Decomposition) -> str:
        """Say what leaks, and whether MaxCorr sees it."""
        pair, part = dec.label(self.term), dec.label(self.part)
        means = "" if self.of_means is None else f", its means at the values of {part} {percent(self.of_means)}"
        seen = f"Its cosine with the main effect of {part} is {cosine(self.cosine)}"
        if self.part_share == 0:
            seen += ", because that has no column: MaxCorr cannot see a missing main effect, leakage can"
        return (
            f"Leakage: {pair} is {percent(self.share)} of the variance, and functions of {part} alone explain "
            f"{percent(self.leakage)} of it{means}. {seen}."
        )


def reproduce(name: str) -> Iterator[str]:
    """Fit the paper's row of one dataset, and write the results next to those of the paper, line by line."""
    loaded, row = load(name), PAPER[name]
    predictions = train_xgboost(loaded).predictions
    yield from _fit(f"{name:<20}", row, loaded.numbers, predictions, STEPS)
    yield from _fit("  while BIC falls   ", row, loaded.numbers, predictions, None)


def _fit(title: str, row: Row, X: pd.DataFrame, predictions: Floats, max_steps: int | None) -> Iterator[str]:
    fanova = FunctionalANOVA.published(**row.settings | {"max_steps": max_steps})
    start = time.perf_counter()
    fanova.fit(X, predictions)
    seconds = time.perf_counter() - start
    dec = fanova.decomposition_
    r2, found = measures.fidelity(dec).in_sample, measures.orthogonality(dec)
    yield (
        f"{title} R² {r2:.3f} ({row.r2:.2f})  MaxCorr {found.max_corr:.2e} ({row.max_corr:.1e})  "
        f"{seconds:6.2f} s ({row.seconds:.2f} s)  {len(fanova.selected_[0]):4d} of {fanova.n_columns_} columns"
    )
    if max_steps is None:
        return
    if found.max_corr > ZERO:
        yield f"    {decider(found)}"
    leak = largest_leak(dec, X, predictions)
    if leak is not None:
        yield f"    {leak.words(dec)}"


def decider(found: Orthogonality) -> str:
    """Say which pair decides MaxCorr, and what is left without it."""
    first = next(pair for pair in found.ranked() if pair.counts)
    others = [abs(pair.cosine) for pair in found.cosines if pair.counts and pair.term != first.term]
    left = max(others, default=0.0)
    return f"MaxCorr is that of {first.label}, {100 * first.share:.2f}% of the variance; without it {left:.2e}."


def largest_leak(dec: Decomposition, X: pd.DataFrame, predictions: Floats) -> Leak | None:
    """Find the interaction of which subterms explain most, as a share of the variance; None if none leaks."""
    values, spread = dec.encode(X), predictions.std()
    families = dec.expansion.reference.families(values)
    components = dec.components(X) / spread
    sums = LeakageSums(dec.terms, len(values), n_outputs=1)
    functions = [families(feature)[:, 1 : DEGREE + 1].T for feature in range(values.shape[1])]
    sums.add(sums.products(functions, components.T[None]))
    evidence = sums.evidence()
    leakages, floors = evidence.shares()[:, 0], evidence.floors(len(values))[:, 0]
    shares = dict(zip(dec.terms, components.var(axis=0).tolist(), strict=True))
    leaks = [
        (shares[term] * leakage, leakage, term, part)
        for leakage, floor, (term, part) in zip(leakages.tolist(), floors.tolist(), sums.relations, strict=True)
        if leakage > floor and shares[term] >= CARRIES
    ]
    if not leaks:
        return None
    _, leakage, term, part = max(leaks)
    cosines = {(pair.term, pair.part): pair.cosine for pair in measures.orthogonality(dec).cosines}
    of_means = explained_by_means(values[:, part[0]], components[:, dec.terms.index(term)]) if len(part) == 1 else None
    return Leak(term, part, shares[term], shares[part], leakage, cosines[term, part], of_means)


def explained_by_means(values: Floats, component: Floats) -> float | None:
    """Give the share of a component's variance that its means at the values of a feature explain.

    None where the feature has so many values that means would explain anything.

    Examples
    --------
    >>> explained_by_means(np.array([1.0, 1.0, 2.0, 2.0]), np.array([0.0, 2.0, 4.0, 6.0]))
    0.8
    """
    levels, at = np.unique(values, return_inverse=True)
    if len(levels) > FEW_VALUES:
        return None
    means = np.bincount(at, component) / np.bincount(at)
    return float(means[at].var() / component.var())


def main() -> None:
    """Reproduce the rows named on the command line, all by default."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", nargs="*", choices=[*PAPER, []], default=[], help="all by default")
    names = parser.parse_args().dataset or list(PAPER)
    print(f"In-sample, XGBoost models, columns as they are, {STEPS} steps; in brackets what the paper says.")
    for name in names:
        for line in reproduce(name):
            print(line, flush=True)


if __name__ == "__main__":
    main()
