"""The paper's tables as data: complete, and fit to be handed to its estimator."""

import pytest

from anova_report import FunctionalANOVA
from benchmarks.datasets import DATASETS
from benchmarks.paper import SHAPES, TABLES, TITLES

ROWS = [(dataset, model) for dataset, rows in TABLES.items() for model in rows]


def test_every_dataset_has_three_models_and_three_of_them_a_nam():
    assert set(TABLES) == set(DATASETS) == set(SHAPES) == set(TITLES)
    for rows in TABLES.values():
        assert [model for model in rows if model != "nam"] == ["xgb", "mlp", "ebm"]
    assert {dataset for dataset, model in ROWS if model == "nam"} == {
        "california_housing",
        "electrical_grid",
        "diabetes",
    }
    assert len(ROWS) == 21


@pytest.mark.parametrize(("dataset", "model"), ROWS)
def test_a_row_holds_what_its_estimator_is_told_and_what_can_come_of_it(dataset, model):
    row = TABLES[dataset][model]
    assert FunctionalANOVA.published(**row.settings).get_params() == row.settings | {
        "scaling": "tanh",
        "standardise": False,
    }
    assert 0.85 <= row.r2 <= 1  # no explanation in the paper is worse
    assert 0 <= row.max_corr < 0.1
    assert row.max_corr == 0 or row.K == 2  # main effects alone have no subterms
    assert row.seconds > 0
