"""Labels and units are what readers see; columns stay known by their names."""

import numpy as np
import pytest

from anova_report import Decomposition, FunctionalANOVA, measures
from anova_report.core.input.feature_groups import read_groups
from anova_report.core.input.features import Feature
from anova_report.errors import InputError, InputTypeError
from anova_report.figures.effects import main_effect
from anova_report.figures.rows import Rows

LABELS, UNITS = {"a": "Median income"}, {"a": "10 000 $", "b": "years"}


@pytest.fixture(scope="module")
def table():
    pd = pytest.importorskip("pandas")
    return pd.DataFrame(np.random.default_rng(0).uniform(size=(400, 3)), columns=["a", "b", "c"])


@pytest.fixture(scope="module")
def plain(table):
    predictions = table.a * table.b + table.c
    return FunctionalANOVA(random_state=0, progress=False).fit(table, predictions).decomposition_


@pytest.fixture(scope="module")
def labelled(plain):
    return plain.labelled(LABELS, UNITS, prediction_name="house value", prediction_unit="100 000 $")


def test_readers_see_labels_and_columns_keep_their_names(plain, labelled, table):
    assert labelled.feature_names == plain.feature_names
    assert labelled.label(("a", "b")) == "Median income × b"
    assert measures.variance_shares(labelled).terms[0].label == "Median income"
    assert measures.feature_totals(labelled).frame()["feature"] == ["a", "b", "c"]
    np.testing.assert_array_equal(labelled.component("a", table), plain.component("a", table))


def test_a_figure_names_labels_units_and_the_prediction(labelled, table):
    figure = main_effect(Rows(labelled, labelled.encode(table)), "a")
    assert figure.title == "Main effect of Median income"
    assert figure.data.x.label == "Median income (10 000 $)"
    assert figure.data.y.label == "effect on the house value (100 000 $)"
    assert "× 100 000 $ at" in figure.alt


def test_labels_are_saved_and_older_files_have_none(plain, labelled, tmp_path):
    labelled.save(tmp_path / "dec.json")
    loaded = Decomposition.load(tmp_path / "dec.json")
    assert (loaded.features, loaded.prediction_name) == (labelled.features, "house value")
    plain.save(tmp_path / "old.json")
    text = (tmp_path / "old.json").read_text()
    for added in (', "label": "", "unit": ""', ', "prediction_name": ""', ', "prediction_unit": ""'):
        assert added in text
        text = text.replace(added, "")
    (tmp_path / "old.json").write_text(text)
    assert Decomposition.load(tmp_path / "old.json").features == plain.features


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ({"a": "Age", "b": "Age"}, "Columns 'a', 'b' would all be shown as 'Age'"),
        ({"a": "b"}, "Columns 'a', 'b' would all be shown as 'b'"),
        ({"aa": "Age"}, "labels names the column 'aa', which the table does not have. Did you mean 'a'"),
        ({"a": "Age", "b": "Age\u202e"}, "Columns 'a', 'b' would all be shown as 'Age'"),
        ({"a": "Ag\u200be", "b": "Age"}, "Columns 'a', 'b' would all be shown as 'Age'"),
        ({"a": "\u200b\u202e"}, "labels must hold texts; for column 'a' it holds"),
        ({"a": " "}, "labels must hold texts; for column 'a' it holds ' '"),
    ],
)
def test_what_cannot_be_told_apart_or_is_not_there_is_refused(plain, labels, said):
    with pytest.raises(InputError, match=said.replace("(", r"\(")):
        plain.labelled(labels)


def test_labels_are_a_mapping(plain):
    with pytest.raises(InputTypeError, match="must give a text for each column"):
        plain.labelled(["Age"])


def test_two_columns_may_change_names(plain):
    changed = plain.labelled({"a": "b", "b": "a"})
    assert changed.feature_titles == ("b", "a", "c")
    assert changed.resolve("a") == (0,)


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ({"\u200b": ["a", "b"]}, "A group of features has a name"),
        ({"c\u200b": ["a", "b"]}, "has the name of a feature"),
        ({"place": ["a", "b"], "place\u202e": ["c", "d"]}, "would be shown alike"),
    ],
)
def test_groups_that_cannot_be_told_apart_are_refused(groups, said):
    features = [Feature(name, "numeric") for name in "abcd"]
    with pytest.raises(InputError, match=said):
        read_groups(groups, features)
