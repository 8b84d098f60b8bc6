import numpy as np
import pandas as pd
import pytest
import yaml
from sklearn.datasets import load_diabetes

from anova_report import cli
from anova_report.cli import demo_model
from anova_report.cli.demo_model import NAMES, PREDICTION, SEX, in_between, make_demo
from anova_report.report.audit.audit import Audit
from tests.cli.quick import drawn

__all__ = ["drawn"]


@pytest.fixture(scope="module")
def demo() -> tuple[pd.DataFrame, tuple[str, ...]]:
    return make_demo(n_rows=300)


@pytest.fixture(scope="module")
def patients() -> pd.DataFrame:
    X = load_diabetes(as_frame=True, scaled=False)["data"]
    return X.rename(columns=NAMES).assign(sex=np.where(X["sex"] == 1, "A", "B"))


@pytest.fixture
def quick(demo, monkeypatch) -> None:
    monkeypatch.setattr(demo_model, "make_demo", lambda: demo)


@pytest.mark.usefixtures("quick")
def test_the_demo_writes_table_configuration_audit_and_page_and_says_where(drawn, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["demo"]) == 0
    folder = tmp_path / "demo_audit"
    assert sorted(path.name for path in folder.iterdir()) == ["audit.html", "audit.json", "audit.yaml", "patients.csv"]
    printed = capsys.readouterr().out
    assert "Verdict: Use with care (warn)" in printed
    assert "Written: demo_audit/audit.html (" in printed
    assert "anova-report audit --config demo_audit/audit.yaml" in printed
    assert drawn[0]["command"] == "anova-report demo -o demo_audit"
    assert Audit.load(folder / "audit.json").title == drawn[0]["title"]


@pytest.mark.usefixtures("quick")
def test_the_configuration_makes_the_same_audit_again(drawn, demo, tmp_path, capsys):
    assert cli.main(["demo", "-o", str(tmp_path / "a" / "b"), "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    config = tmp_path / "a" / "b" / "audit.yaml"
    assert yaml.safe_load(config.read_text())["data"] == "patients.csv"
    assert cli.main(["audit", "--config", str(config), "--quiet"]) == 0
    first, second = drawn
    assert first["notes"] == second["notes"] == demo[1]
    assert first["title"] == second["title"]
    np.testing.assert_array_equal(first["predictions"], second["predictions"])
    np.testing.assert_array_equal(first["dec"].predict(first["X"]), second["dec"].predict(second["X"]))


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path, capsys):
    (tmp_path / "taken").write_text("")
    assert cli.main(["demo", "-o", str(tmp_path / "taken")]) == 2
    assert "taken is a file. Name a folder" in capsys.readouterr().err


def test_every_row_lies_between_two_patients_of_its_sex(patients):
    made = in_between(patients, 200, np.random.default_rng(1))
    numbers = patients.drop(columns=SEX)
    scale = numbers.std().to_numpy()
    for _, row in made.iterrows():
        same = (patients[SEX] == row[SEX]).to_numpy()
        known = numbers[same].to_numpy() / scale
        point = row.drop(SEX).to_numpy(dtype=float) / scale
        # On the segment between a and b the distances to both ends add up to its length.
        to_point = np.linalg.norm(known - point, axis=1)
        lengths = np.linalg.norm(known[:, None, :] - known[None, :, :], axis=2)
        detour = to_point[:, None] + to_point[None, :] - lengths
        assert detour.min() < 0.01


def test_the_demo_is_the_same_every_time_and_says_what_it_is(demo):
    pd.testing.assert_frame_equal(make_demo(n_rows=300)[0], demo[0])
    assert list(demo[0].columns) == ["age", SEX, *NAMES.values(), PREDICTION]
    words = " ".join(demo[1])
    assert "442 patients of scikit-learn's diabetes data" in words
    assert "made for this demo" in words
    assert "cross-validation" in words
