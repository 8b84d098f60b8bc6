import numpy as np
import pytest

from benchmarks import analytical
from benchmarks.analytical import NAMES, OURS, error_table, figures, run, smallest, train, truth, verdict, write_page
from tests.ground_truth import FGM


@pytest.fixture(scope="module")
def outcome():
    return run(FGM.answers, FGM.draw(2000, np.random.default_rng(0)), ["pdp", "ale"])


def test_errors_are_distances_from_the_truth(outcome):
    wanted = outcome.dec.component((0,), outcome.X) - truth(outcome.X, 0)
    wanted -= wanted.mean()
    assert outcome.errors[OURS][0] == pytest.approx(np.sqrt(np.mean(wanted**2)))
    assert list(outcome.errors) == [OURS, "Partial dependence", "Accumulated local effects"]


def test_who_is_closest_is_said_feature_by_feature(outcome):
    for index, name in enumerate(smallest(outcome)):
        assert outcome.errors[name][index] == min(errors[index] for errors in outcome.errors.values())
    best = dict(zip(NAMES, smallest(outcome), strict=True))
    assert verdict(outcome) == f"The smallest errors: {', '.join(f'{name} {who}' for name, who in best.items())}."


def test_on_a_trained_model_our_error_is_the_smallest_for_every_feature():
    pytest.importorskip("xgboost")
    pytest.importorskip("shap")
    X = FGM.draw(5000, np.random.default_rng(0))
    found = run(train(X), X, ["treeshap", "pdp", "ale"])
    assert smallest(found) == (OURS, OURS, OURS)
    assert verdict(found) == "Our error is the smallest for every feature."


def test_the_third_feature_has_no_main_effect(outcome):
    assert not truth(outcome.X, 2).any()
    assert error_table(outcome).rows[0][-1] == "0"


def test_every_figure_has_the_truth_and_every_method(outcome):
    for index, figure in enumerate(figures(outcome)):
        assert [line.name for line in figure.data.overlays] == [
            "Truth",
            "Partial dependence",
            "Accumulated local effects",
        ]
        at = np.zeros((len(figure.data.at), 3))
        at[:, index] = figure.data.at
        assert figure.data.overlays[0].value == pytest.approx(truth(at, index))


def test_the_page_is_one_file_without_scripts(outcome, tmp_path):
    text = write_page(outcome, outcome, tmp_path / "page.html").read_text()
    assert text.count("<svg") == 3
    assert "<script" not in text
    assert analytical.verdict(outcome) in text
