"""Comparisons read as their sides do: effects as factors, the mean as a base rate, labels for names of columns."""

import numpy as np
import pandas as pd
import pytest

from anova_report import explain
from anova_report.report import build_comparison
from anova_report.report.comparison.comparison import render_comparison

LABELS = {"DrivAge": "Age of <i>driver</i>", "region": "Region"}


@pytest.fixture(scope="module")
def page():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"DrivAge": rng.uniform(20, 70, 1500).round(), "region": rng.choice(["north", "south"], 1500)})

    def model(slope):
        return lambda rows: 0.1 * np.exp(slope * (rows.DrivAge - 20) + 0.3 * (rows.region == "north"))

    said = {
        "labels": LABELS,
        "units": {"DrivAge": "years"},
        "prediction_name": "frequency",
        "prediction_unit": "a year",
    }
    first, second = (explain(model(slope), X, scale="log", progress=False, **said) for slope in (0.02, 0.04))
    return build_comparison(first, second, names=("old", "new"))


def test_effects_are_compared_as_factors(page):
    (output,) = page.outputs
    effects = {row[0]: row for row in output.effects.rows}
    assert effects["Age of <i>driver</i>"][4].startswith("× 1.3")
    tiles = {item.label: item for item in output.headlines}
    assert " a year → 0." in tiles["Base rate"].value
    assert tiles["Base rate"].words.startswith("Geometric mean of the predictions")
    assert "Ratio: × 1.6" in tiles["Base rate"].words
    assert "The base rate rises from 0." in output.words
    assert {row[0]: row[1] for row in output.fidelity.rows}["Base rate"].endswith(" a year")


def test_labels_stand_for_names(page):
    (output,) = page.outputs
    assert output.different == ("DrivAge",)  # for machines
    assert "Age of <i>driver</i> (a factor of 1.3" in output.words
    assert output.mains[0].label == "Age of <i>driver</i>"
    texts = [text for figure in page.figures.values() for text in (figure.title, figure.alt, str(figure.table.rows))]
    assert not [text for text in texts if "DrivAge" in text]
    shown = render_comparison(page)
    assert "Age of &lt;i&gt;driver&lt;/i&gt;" in shown
    assert "<i>driver" not in shown
