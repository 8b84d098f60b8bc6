"""Groups of features, folded one-hot columns and cohorts in the explorer."""

import numpy as np
import pandas as pd
import pytest

from anova_report import explain
from anova_report.errors import InputError
from anova_report.explorer import Explorer

LEVELS = ["north", "south", "west"]


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    numbers = {"age": rng.uniform(20, 80, 800).round(), "lat": rng.normal(size=800), "long": rng.normal(size=800)}
    return pd.get_dummies(pd.DataFrame({**numbers, "region": rng.choice(LEVELS, 800)}))


def model(rows: pd.DataFrame) -> np.ndarray:
    assert (rows[[f"region_{level}" for level in LEVELS]].sum(axis=1) == 1).all()
    return (rows["age"] / 20 * rows["region_north"] + rows["lat"] * rows["long"] + np.sin(rows["lat"])).to_numpy(float)


@pytest.fixture(scope="module")
def dec(table):
    return explain(model, table, feature_groups={"location": ["lat", "long"]}, progress=False)


@pytest.mark.parametrize("backend", ["bokeh", "svg"])
def test_a_group_is_shown_instead_of_a_term_until_another_term_is_chosen(dec, backend):
    explorer = Explorer(dec, backend=backend)
    assert list(explorer.views.overview()) == ["shares", "groups", "network", "swarm"]
    explorer.controls.group.value = "location"
    assert explorer.tabs.present == "term"
    assert list(explorer.figures) == ["surface", "within"]
    assert "location" in explorer.tabs.words["term"].value
    assert explorer.controls.joint.layout.display == "none"
    explorer.state.term = "age"
    assert explorer.state.group is None
    assert explorer.controls.group.value != "location"
    with pytest.raises(InputError, match="no group of features 'place'"):
        explorer.state.group = "place"
    explorer.close()


def test_a_click_on_a_group_among_the_shares_opens_it(dec):
    explorer = Explorer(dec)
    figure = explorer.views.overview()["groups"]
    row = figure.data.labels.index("location")
    explorer.clicked(figure, 0.01, row)
    assert (explorer.state.group, explorer.tabs.present) == ("location", "term")
    explorer.close()


def test_a_level_that_is_edited_sets_the_columns_that_the_model_gets(dec, table):
    explorer = Explorer(dec)
    explorer.state.row = int(np.flatnonzero(table["region_south"])[0])
    explorer.state.edit("region", "north")
    row = table.iloc[[explorer.state.row]].assign(region_north=True, region_south=False)
    assert explorer.views.case.reply.prediction == pytest.approx(model(row)[0])
    assert explorer.views.case.found.explained == pytest.approx(float(dec.predict(row)[0]))
    explorer.close()


def test_a_cohort_is_explained_under_its_own_law_without_asking_again(dec, table):
    explorer = Explorer(dec, where="age > 60")
    chosen = table[table["age"] > 60]
    expected = explain(model, table, where="age > 60", progress=False)
    assert len(explorer.views.rows) == len(chosen) == expected.population.n_rows
    assert explorer.views.rows.dec.mean == pytest.approx(expected.mean, abs=1e-3)
    assert f"{len(chosen)} of 800 rows where age &gt; 60" in explorer._notice.value
    with pytest.raises(InputError, match="Did you mean 'age'"):
        Explorer(dec, where="agee > 60")
    explorer.close()
