"""Against components known on paper: how often 95% bands contain the truth, and errors of both methods.

Run with `python -m benchmarks.bands [--samples 50] [--only coverage | errors]`.
"""

import argparse
from collections.abc import Iterator

import numpy as np

from anova_report import Decomposition, FunctionalANOVA, measures
from benchmarks.judge import Floats, Term
from tests.ground_truth import FGM, GAUSSIAN, KnownCase, relative_error

N_ROWS = 10_000
NOMINAL = 0.95
MAINS: tuple[Term, ...] = ((0,), (1,))
Draw = tuple[int, Floats, Floats]


def samples(case: KnownCase, n_samples: int, n_rows: int = N_ROWS) -> Iterator[Draw]:
    """Draw samples to fit, each with its seed and as many fresh rows to look at."""
    for seed in range(n_samples):
        rng = np.random.default_rng(seed)
        yield seed, case.draw(n_rows, rng), case.draw(n_rows, rng)


def fit_ours(X: Floats, answers: Floats, seed: int) -> Decomposition:
    """Fit our default."""
    return FunctionalANOVA(max_order=2, random_state=seed).fit(X, answers).decomposition_


def fit_published(X: Floats, answers: Floats) -> Decomposition:
    """Fit the published method with the paper's settings for its two analytical cases."""
    estimator = FunctionalANOVA.published(K=2, d=10, d_density=10, density_clip=0.01, scaling=None)
    return estimator.fit(X, answers).decomposition_


def share_inside(case: KnownCase, dec: Decomposition, term: Term, X: Floats) -> float:
    """Share of rows whose true component lies inside the band; rows come from the law, so it is weighted by density."""
    band = measures.bands(dec, term, X)
    truth = case.components[term](X)
    return float(np.mean((band.lower <= truth) & (truth <= band.upper)))


def component_errors(case: KnownCase, dec: Decomposition, X: Floats) -> list[float]:
    """Relative L2 error of each known component; one that the fit left out counts as zero, so its error is 1."""
    return [
        relative_error(dec.component(term, X) if term in dec.terms else np.zeros(len(X)), truth(X))
        for term, truth in case.components.items()
    ]


def coverage(n_samples: int, n_rows: int) -> None:
    """Print how often the bands of the main effects hold the truth, sample by sample and on average."""
    print(f"FGM, n = {n_rows}: share of fresh rows inside the bands, nominal {NOMINAL:.0%}", flush=True)
    shares: list[list[float]] = []
    for seed, X, fresh in samples(FGM, n_samples, n_rows):
        dec = fit_ours(X, FGM.answers(X), seed)
        shares.append([share_inside(FGM, dec, term, fresh) for term in MAINS])
        print(f"  sample {seed:3d}  ν_1 {shares[-1][0]:.3f}  ν_2 {shares[-1][1]:.3f}", flush=True)
    mean, spread = np.mean(shares, axis=0), np.std(shares, axis=0)
    print(f"  mean        ν_1 {mean[0]:.3f} (sd {spread[0]:.3f})  ν_2 {mean[1]:.3f} (sd {spread[1]:.3f})", flush=True)


def errors(case: KnownCase, n_samples: int, n_rows: int) -> None:
    """Print relative L2 errors of our default and of the published method on the same samples."""
    print(f"{case.name}, n = {n_rows}: relative L2 errors of ν_1 / ν_2 / ν_12 on fresh rows", flush=True)
    ours: list[list[float]] = []
    published: list[list[float]] = []
    for seed, X, fresh in samples(case, n_samples, n_rows):
        answers = case.answers(X)
        ours.append(component_errors(case, fit_ours(X, answers, seed), fresh))
        published.append(component_errors(case, fit_published(X, answers), fresh))
        print(f"  sample {seed:3d}  ours {_slashes(ours[-1])}  published {_slashes(published[-1])}", flush=True)
    print(f"  mean        ours {_slashes(np.mean(ours, axis=0))}  published {_slashes(np.mean(published, axis=0))}")


def _slashes(values: list[float] | Floats) -> str:
    return " / ".join(f"{value:.3f}" for value in values)


def main(arguments: list[str] | None = None) -> None:
    """Measure coverage and errors."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bands", description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=50)
    parser.add_argument("--only", choices=["coverage", "errors"], help="both by default")
    parser.add_argument("--rows", type=int, default=N_ROWS, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.only != "errors":
        coverage(options.samples, options.rows)
    if options.only != "coverage":
        for case in (FGM, GAUSSIAN):
            errors(case, options.samples, options.rows)


if __name__ == "__main__":
    main()
