"""DeepSHAP of torch modules: exact where it must be, adding up everywhere, and without a trace on the module."""

from typing import Any

import numpy as np
import pytest

from anova_report import explain
from anova_report.compare import agreement, attribute
from anova_report.core.input.model_forms import askable
from anova_report.core.libraries import library
from anova_report.errors import InputError, InputTypeError
from tests.compare.conftest import Case
from tests.compare.peers import needs

pytestmark = needs("torch", "shap")


@pytest.fixture(scope="module")
def X() -> Any:
    return np.random.default_rng(0).normal(size=(300, 3))


@pytest.fixture(scope="module")
def network() -> Any:
    torch = library("torch", "The test")

    generator = torch.Generator().manual_seed(0)
    module = torch.nn.Sequential(torch.nn.Linear(3, 12), torch.nn.ReLU(), torch.nn.Dropout(0.5), torch.nn.Linear(12, 1))
    with torch.no_grad():
        for weights in module.parameters():
            weights.copy_(torch.randn(weights.shape, generator=generator))
    return module


def test_a_linear_module_has_its_exact_shapley_values(X: Any) -> None:
    torch = library("torch", "The test")

    module = torch.nn.Linear(3, 1)
    found = attribute("deepshap", module, X, max_rows=30)
    slopes = module.weight.detach().numpy()[0].astype(float)
    rows = X[found.rows]
    np.testing.assert_allclose(found.contributions, slopes * (rows - rows.mean(axis=0)), atol=1e-5)


def test_contributions_add_up_to_the_predictions(network: Any, X: Any) -> None:
    found = attribute("deepshap", network, X, max_rows=20, background=30)
    predictions = np.ravel(askable(network)(X[found.rows]))
    np.testing.assert_allclose(found.contributions.sum(axis=1), predictions - predictions.mean(), atol=1e-4)
    assert "Against 30 background rows." in found.note


def test_with_independent_inputs_they_are_close_to_our_shapley_values(network: Any, X: Any) -> None:
    dec = explain(askable(network), X, random_state=0, progress=False)
    held = agreement(dec, X, attribute("deepshap", network, X, like=dec, max_rows=60))
    assert all(item.correlation > 0.9 for item in held.features if item.share > 0.05)


def test_the_module_is_left_as_it_was(network: Any, X: Any) -> None:
    network.train()
    weights = [parameter.detach().clone() for parameter in network.parameters()]
    attribute("deepshap", network, X, max_rows=5)
    assert network.training
    assert all(bool((old == new).all()) for old, new in zip(weights, network.parameters(), strict=True))
    assert not any(module._forward_hooks or module._backward_hooks for module in network.modules())


def test_other_models_are_refused_with_a_way_out(X: Any, mixed: Case) -> None:
    with pytest.raises(InputTypeError, match=r"DeepSHAP looks into torch modules.*function.*kernelshap"):
        attribute("deepshap", lambda rows: rows[:, 0], X)
    with pytest.raises(InputTypeError, match="looks into torch modules"):
        attribute("deepshap", mixed.model, mixed.X)


def test_a_wrapper_that_changes_the_predictions_is_noticed(network: Any, X: Any) -> None:
    class Doubled:
        module_ = network

        def predict(self, rows: Any) -> Any:
            return 2 * np.ravel(askable(network)(rows))

    with pytest.raises(InputError, match="DeepSHAP explains what is inside the model"):
        attribute("deepshap", Doubled(), X, max_rows=10)


def test_a_rectified_feature_is_measured_against_the_background_that_was_drawn(X: Any) -> None:
    torch = library("torch", "The test")

    class FirstRectified(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.rectifier = torch.nn.ReLU()

        def forward(self, rows: Any) -> Any:
            return self.rectifier(rows[:, :1]) + rows[:, 1:2]

    found = attribute("deepshap", FirstRectified(), X, max_rows=12, background=8)
    again = attribute("deepshap", FirstRectified(), X, max_rows=12, background=8)
    rows = X[found.rows]
    expected = np.column_stack([np.maximum(rows[:, 0], 0), rows[:, 1], np.zeros(12)])
    np.testing.assert_allclose(found.contributions, expected - expected.mean(axis=0), atol=1e-5)
    np.testing.assert_array_equal(found.contributions, again.contributions)
