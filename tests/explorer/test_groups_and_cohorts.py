"""Groups of features, folded one-hot columns and cohorts in the explorer."""

import numpy as np
import pandas as pd
import pytest

from anova_report import explain
from anova_report.errors import InputError
from anova_report.explorer import Explorer
from anova_report.measures import Policy

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
    words = f"{len(chosen)} of 800 rows where age > 60"
    explorer.state.row = 5  # what is said of a choice does not replace it
    still = explorer._repr_mimebundle_()
    assert words.replace(">", "&gt;") in explorer._badge.value
    assert words.replace(">", "&gt;") in still["text/html"]
    assert words in still["text/plain"]
    with pytest.raises(InputError, match="Did you mean 'age'"):
        Explorer(dec, where="agee > 60")
    explorer.close()


def test_a_group_is_called_one_in_the_still_twin(dec):
    explorer = Explorer(dec)
    explorer.state.group = "location"
    assert "<h3>Group: location</h3>" in explorer._repr_mimebundle_()["text/html"]
    explorer.close()


def test_a_report_is_judged_by_the_policy_of_the_explorer(dec, tmp_path):
    policy = Policy.read(
        expectations=["age: increasing", "lat: no effect"],
        tier="high",
        limits={
            "AR002": {"warn": "40%", "fail": "never", "why": "A sketch."},
            "AR012": {"warn": 70, "why": "Few rows."},
        },
        waivers=[{"code": "lat: no effect", "who": "A. Author", "why": "Known.", "until": "2099-01-01"}],
        as_of="2026-11-19",
    )
    assert Policy.read(**policy.words) == policy
    explorer = Explorer(dec, policy=policy)
    page = explorer.write_report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert [item.status for item in explorer.views.findings if item.code >= "AR101"][:2] == ["pass", "fail"]
    assert "Waived by A. Author until 2099-01-01: Known." in page
    assert "A sketch." in page
    explorer.close()
