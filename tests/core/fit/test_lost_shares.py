"""Bands know what purification left where it was, because noise hid that it belongs to a main effect."""

import numpy as np
import pandas as pd

from anova_report import FunctionalANOVA, measures
from benchmarks.real_inputs import decomposed


def coverage(seed: int) -> list[float]:
    """Share of rows inside the bands of the mains and the pair of two counts; truth by indicators over all rows."""
    rng = np.random.default_rng(seed)
    first = rng.poisson(np.exp(rng.normal(1, 0.8, 20_000))).clip(0, 40)
    second = rng.binomial(first + 1, 0.4) + rng.poisson(1.0, 20_000)
    table = pd.DataFrame({"a": first.astype(float), "b": second.astype(float)})
    product = np.sqrt(first) * (second > 2)
    truth = decomposed(table, {(0,): np.zeros(20_000), (1,): np.zeros(20_000), (0, 1): product})
    chosen = rng.permutation(20_000)[:1500]
    dec = FunctionalANOVA(random_state=0, progress=False).fit(table.iloc[chosen], product[chosen]).decomposition_
    found = []
    for term, values in truth.items():
        band = measures.bands(dec, term, table.iloc[chosen])
        found.append(float(((band.lower <= values[chosen]) & (values[chosen] <= band.upper)).mean()))
    return found


def test_bands_of_dependent_counts_hold_the_components_of_the_whole_table():
    found = np.array([coverage(seed) for seed in range(11, 19)])
    assert found.mean() >= 0.92
