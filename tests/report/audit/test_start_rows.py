"""Rows to start from: what the panel answers for a row as it is written is what the page says of that row."""

from functools import cache

import numpy as np
import pandas as pd

from anova_report import Explanation, explain
from anova_report.report import Audit, build_audit

ATOM = 5.0013724  # a value of many rows, at which the model jumps


@cache
def jumping() -> tuple[Explanation, Audit]:
    rng = np.random.default_rng(0)
    x = np.where(rng.uniform(size=900) < 0.3, ATOM, rng.uniform(0, 10, 900))
    X = pd.DataFrame({"x": x, "z": rng.integers(0, 5, 900).astype(float)})
    dec = explain(lambda rows: rows["x"] + 3.0 * (rows["x"] == ATOM) + rows["z"], X, ask=0, progress=False)
    return dec, build_audit(dec, rows=[int(np.flatnonzero(x == ATOM)[0]), int(np.flatnonzero(x != ATOM)[0])])


def answers(dec: Explanation, audit: Audit) -> np.ndarray:
    """Explain the rows to start from, but the last, which is that of medians."""
    assert audit.what_if is not None
    return dec.expansion.predict(np.array([start.values for start in audit.what_if.starts[:-1]], dtype=float))[:, 0]


def test_a_row_to_start_from_is_explained_as_the_page_explains_it():
    dec, audit = jumping()
    wanted = [case.explained for case in audit.outputs[0].cases]
    np.testing.assert_allclose(answers(dec, audit), wanted, atol=1e-3)


def test_it_has_no_more_digits_than_that_takes():
    dec, audit = jumping()
    at_atom, beside = (start.values[0] for start in audit.what_if.starts[:2])
    assert at_atom != round(at_atom, 3)
    assert beside == round(beside, 3) != dec.X["x"].iloc[1]
