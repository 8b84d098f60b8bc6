"""Explanations of rows in shap and shapiq: the same values, and their plots draw them."""

import numpy as np
import pandas as pd
import pytest

from anova_report import FunctionalANOVA
from anova_report.errors import InputError

RNG = np.random.default_rng(0)
SHAPIQ = "the extra shapiq is not installed"


@pytest.fixture(scope="module")
def explained():
    X = pd.DataFrame({"a": RNG.normal(size=400), "b": RNG.normal(size=400), "c": RNG.choice(["x", "y"], 400)})
    y = np.asarray(X["a"] * X["b"] + (X["c"] == "x") * X["a"] + X["b"])
    return FunctionalANOVA(random_state=0, progress=False).fit(X, y).decomposition_, X


@pytest.fixture
def pyplot():
    matplotlib = pytest.importorskip("matplotlib", reason="plots of these libraries want matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt  # noqa: PLC0415 after the choice of what draws

    yield plt
    plt.close("all")


@pytest.mark.filterwarnings("ignore")  # what libraries say of their own plots
def test_shap_draws_our_shapley_values(explained, pyplot):
    shap = pytest.importorskip("shap", reason="the extra shap is not installed")
    dec, X = explained
    found = dec.to_shap(X[:40])
    assert isinstance(found, shap.Explanation)
    assert np.array_equal(found.values, dec.shapley(X[:40]))
    assert np.abs(found.values.sum(axis=1) + found.base_values - dec.predict(X[:40])).max() < 1e-9
    assert found.feature_names == ["a", "b", "c"]
    assert found.data[:, 2].tolist() == X["c"][:40].tolist()
    shap.plots.waterfall(found[0], show=False)
    assert any("c" in label.get_text() for label in pyplot.gca().get_yticklabels())
    pyplot.figure()
    shap.plots.bar(found, show=False)
    assert pyplot.gca().patches


def test_shap_takes_several_outputs():
    pytest.importorskip("shap", reason="the extra shap is not installed")
    X = RNG.normal(size=(300, 2))
    dec = FunctionalANOVA(max_order=1, random_state=0, progress=False).fit(X, X).decomposition_
    found = dec.to_shap(X[:5])
    assert found.values.shape == (5, 2, 2)
    assert np.abs(found.values.sum(axis=1) + found.base_values - dec.predict(X[:5])).max() < 1e-9
    assert list(found[..., 1].values.shape) == [5, 2]


@pytest.mark.filterwarnings("ignore")  # what libraries say of their own plots
def test_shapiq_keeps_interactions_and_draws_them(explained, pyplot):
    shapiq = pytest.importorskip("shapiq", reason=SHAPIQ)
    dec, X = explained
    found = dec.to_shapiq(X[:1])
    assert isinstance(found, shapiq.InteractionValues)
    for term, value in zip(dec.terms, dec.components(X[:1])[0], strict=True):
        assert found[term] == pytest.approx(value, abs=1e-12)
    assert found.values.sum() == pytest.approx(dec.predict(X[:1])[0], abs=1e-9)
    assert found.baseline_value == pytest.approx(dec.mean)
    for draw in (found.plot_network, found.plot_waterfall, found.plot_force):
        draw(show=False)
    assert pyplot.get_fignums()


def test_shapiq_explains_one_row_of_one_output(explained):
    pytest.importorskip("shapiq", reason=SHAPIQ)
    dec, X = explained
    with pytest.raises(InputError, match="One row is explained at a time; got 2"):
        dec.to_shapiq(X[:2])
    numbers = RNG.normal(size=(300, 2))
    two = FunctionalANOVA(max_order=1, random_state=0, progress=False).fit(numbers, numbers).decomposition_
    with pytest.raises(InputError, match="Choose one of the outputs"):
        two.to_shapiq(numbers[:1])
    name = two.output_names[1]
    assert two.to_shapiq(numbers[:1], name).values.sum() == pytest.approx(two.predict(numbers[:1])[0, 1], abs=1e-9)
