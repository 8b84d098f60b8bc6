"""KernelSHAP: Shapley values of any model, from its answers alone (package shap)."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from anova_report.compare.libraries import library, quiet
from anova_report.compare.methods import Found
from anova_report.compare.request import Request
from anova_report.core.arrays import Floats


def kernelshap(request: Request, *, background: int = 100, coalitions: int = 1024) -> Found:
    """Explain rows by KernelSHAP; a feature that is left out takes values of background rows.

    The model is asked about `coalitions` × `background` mixed rows for every row that is explained.

    Parameters
    ----------
    request : Request
    background : int
        Rows that values are taken from.
    coalitions : int
        Sets of features that are tried; all of them where there are no more.
    """
    shap = library("shap", "KernelSHAP")
    drawn = request.background(background)

    def answers(codes: Any) -> Floats:
        return request.asked(np.asarray(codes).astype(np.intp))

    # shap is shown the numbers of the distinct values, and mixes these; the model sees the values themselves.
    codes = request.cells.codes.astype(np.float64)
    found = []
    with _seeded(request.seed), quiet():
        explainer = shap.KernelExplainer(answers, codes[drawn])
        for row in request.bar(request.rows, len(request.rows), "KernelSHAP"):
            # Choosing ten features for every row, as shap would, leaves out what is small but real.
            values = explainer.shap_values(codes[row : row + 1], nsamples=coalitions, l1_reg=False, silent=True)
            found.append(np.asarray(values, dtype=np.float64).reshape(1, -1))
    return Found(np.concatenate(found), f"Against {len(drawn)} background rows.")


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Seed numpy's global generator, which shap draws from, and put it back."""
    before = np.random.get_state()  # noqa: NPY002 shap knows no other generator
    np.random.seed(seed)  # noqa: NPY002 the same
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002 the same
