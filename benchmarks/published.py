"""The XGBoost rows of the paper's tables: its estimator with its settings, next to its figures.

Run with `python -m benchmarks.published [dataset …]`.
"""

import argparse
import time

from anova_report import FunctionalANOVA, measures
from benchmarks.datasets import load
from benchmarks.models import train_xgboost
from benchmarks.paper import TABLES, Row

PAPER: dict[str, Row] = {name: rows["xgb"] for name, rows in TABLES.items()}


def reproduce(name: str) -> str:
    """Fit the paper's row of one dataset and write the results next to those of the paper."""
    loaded, row = load(name), PAPER[name]
    answers = train_xgboost(loaded).answers
    fanova = FunctionalANOVA.published(row.K, row.d, row.d_density, row.density_clip)
    start = time.perf_counter()
    fanova.fit(loaded.numbers, answers)
    seconds = time.perf_counter() - start
    dec = fanova.decomposition_
    r2, max_corr = measures.fidelity(dec).in_sample, measures.orthogonality(dec).max_corr
    return (
        f"{name:<20} R² {r2:.3f} ({row.r2:.2f})  MaxCorr {max_corr:.1e} ({row.max_corr:.1e})  "
        f"{seconds:6.2f} s ({row.seconds:.2f} s)  {len(fanova.selected_[0]):4d} of {fanova.n_columns_} columns"
    )


def main() -> None:
    """Reproduce the rows named on the command line, all by default."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", nargs="*", choices=[*PAPER, []], default=[], help="all by default")
    names = parser.parse_args().dataset or list(PAPER)
    print("In-sample, XGBoost models; in brackets what the paper says.")
    for name in names:
        print(reproduce(name), flush=True)


if __name__ == "__main__":
    main()
