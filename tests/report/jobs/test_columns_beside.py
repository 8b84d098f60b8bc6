"""The truth, a split and protected columns, as `audit` and a job take them: read, held aside, judged, or refused."""

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as sk
from sklearn.linear_model import LinearRegression, LogisticRegression, PoissonRegressor

from anova_report import audit
from anova_report.cli import main
from anova_report.errors import InputError
from anova_report.report import Audit
from anova_report.report.page.render import render

N = 600
STILL = {"progress": False, "ask": 0, "max_order": 1, "top_mains": 1}


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    sex = rng.choice(["f", "m"], N)
    rows = pd.DataFrame({"income": rng.normal(size=N) + (sex == "m"), "age": rng.normal(size=N)})
    truth = 2 * rows["income"] + rows["age"] + rng.normal(size=N)
    return rows.assign(sex=sex, y=truth, part=np.where(np.arange(N) % 3 == 0, "test", "train"), w=rng.integers(0, 3, N))


@pytest.fixture(scope="module")
def model(table):
    known = table[table["part"] == "train"]
    return LinearRegression().fit(known[["income", "age"]], known["y"])


def scores(page: Audit, output: int = 0) -> dict[tuple[str, str, str], float]:
    return {
        tuple(claim.places): claim["value"] for claim in page.outputs[output].accuracy.claims if claim.kind == "score"
    }


def test_columns_of_a_table_are_judged_and_no_inputs(table, model, tmp_path):
    X = table[["income", "age", "sex", "y", "part"]]
    page = audit(model, X, tmp_path / "a.html", target="y", split="part", protected=["sex", "age"], **STILL)
    (output,), test = page.outputs, table[table["part"] == "test"]
    assert [feature.name for feature in page.features] == ["income", "age"]
    predicted = model.predict(test[["income", "age"]])
    found = scores(page)
    assert found["R²", "held-out rows", ""] == pytest.approx(sk.r2_score(test["y"], predicted), abs=1e-12)
    assert found["MAE", "held-out rows", ""] == pytest.approx(sk.mean_absolute_error(test["y"], predicted), abs=1e-12)
    assert ("RMSE", "training rows", "") in found
    assert output.accuracy.line == f"R² {found['R²', 'held-out rows', '']:.3f} on 200 held-out rows"
    sex, age = output.protected
    assert (sex.title, len(sex.ledgers), len(sex.means.rows)) == ("sex", 1, 2)
    assert "sex is no input of the explanation" in sex.words
    assert "age is an input, and the explanation has terms with it." in age.words
    (whole,) = (claim for claim in sex.ledgers[0].claims if claim.kind == "association")
    f = model.predict(table[["income", "age"]])
    m = (table["sex"] == "m").to_numpy()
    assert whole["value"] == pytest.approx(f[m].mean() - f[~m].mean(), abs=1e-9)
    parts = [claim["value"] for claim in sex.ledgers[0].claims if claim.kind.endswith(("a term", "the residual"))]
    assert sum(parts) == pytest.approx(whole["value"], abs=1e-9)
    again = Audit.load(page.save(tmp_path / "a.json"))
    assert again == page
    text = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert render(again) == text
    assert all(f'id="{anchor}"' in text for anchor in ("accuracy", "protected"))
    assert "fair" not in text.lower()


def test_values_are_judged_as_columns_are_for_rows_that_count_in_a_cohort(table, model):
    X, y = table[["income", "age"]], table["y"].rename("sales")
    weights, cohort = table["w"].to_numpy(), "income > 0"
    page = audit(
        model,
        X,
        target=y,
        protected={"sex": table["sex"]},
        sample_weight=weights,
        where=cohort,
        labels={"sales": "Sales", "sex": "Sex", "age": "Age"},
        **STILL,
    )
    rows = (weights > 0) & (X["income"] > 0).to_numpy()
    expected = sk.r2_score(y[rows], model.predict(X[rows]), sample_weight=weights[rows])
    assert scores(page)["R²", "all rows", ""] == pytest.approx(expected, abs=1e-12)
    (output,) = page.outputs
    assert output.protected[0].title == "Sex"
    assert output.accuracy.words.startswith(
        f"The predictions are held against Sales, on all {rows.sum():,} rows. The rows on which"
    )
    assert "split" in output.accuracy.words


def test_counts_over_an_exposure_are_judged_as_rates(table):
    rng = np.random.default_rng(1)
    X, years = table[["income", "age"]], rng.uniform(0.5, 2, N)
    counts = rng.poisson(years * np.exp(0.3 * X["income"]))
    rates = PoissonRegressor(alpha=0).fit(X, counts / years, sample_weight=years)
    page = audit(rates, X, target=counts, exposure=years, **STILL)
    expected = sk.mean_poisson_deviance(counts / years, rates.predict(X), sample_weight=years)
    assert scores(page)["Mean Poisson deviance", "all rows", ""] == pytest.approx(expected, rel=1e-12)
    drawn = page.figures[page.outputs[0].accuracy.gains]
    order, rate = np.argsort(-rates.predict(X)), counts / years
    first = np.cumsum(years[order]) <= 0.3 * years.sum()
    assert drawn.data.held[4] == pytest.approx((years * rate)[order][first].sum() / counts.sum(), abs=0.01)
    assert "largest predictions hold" in drawn.alt


def test_of_several_classes_each_is_judged_and_all_together(table):
    rng = np.random.default_rng(2)
    X = table[["income", "age"]]
    classes = np.array(["a", "b", "c"])[(X["income"] + rng.normal(size=N) > 0).astype(int) + (X["age"] > 1)]
    model = LogisticRegression().fit(X, classes)
    page = audit(model, X, target=classes, **STILL)
    shares = model.predict_proba(X)
    for output, name in enumerate("abc"):
        found = scores(page, output)
        assert found["Log-loss", "all rows", "all classes"] == pytest.approx(sk.log_loss(classes, shares), rel=1e-9)
        assert found["AUC", "all rows", ""] == pytest.approx(
            sk.roc_auc_score(classes == name, shares[:, output]), rel=1e-9
        )
    assert "In " in page.figures[page.outputs[1].accuracy.calibration].alt


def test_several_outputs_have_a_target_each(table):
    X, both = table[["income", "age"]], table[["y", "income"]].to_numpy()
    model = LinearRegression().fit(X, both)
    page = audit(model, X, target=both, **STILL)
    assert [scores(page, at)["R²", "all rows", ""] for at in (0, 1)] == [
        pytest.approx(sk.r2_score(both[:, at], model.predict(X)[:, at]), abs=1e-9) for at in (0, 1)
    ]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"target": "z"}, "target names a column of X, and there is no column 'z'"),
        ({"target": ["y", "incme"]}, "no column 'incme'. Did you mean 'income'"),
        ({"target": [1.0, 2.0]}, "target holds 2 values for 600 rows"),
        ({"split": "part"}, "no target is given"),
        ({"target": "y", "split": "sex"}, "split holds 'f'"),
        ({"protected": ["sx"]}, "protected names a column of X, and there is no column 'sx'. Did you mean 'sex'?"),
        ({"protected": {"sex": np.ones(N)}}, "protected brings a column 'sex', and X has one of that name"),
        ({"protected": {"id": [f"c{row}" for row in range(N)]}}, "'id' has too few rows of any value"),
        ({"protected": {"one": np.ones(N)}}, "'one' is the same in all 600 rows"),
        (
            {"target": np.where(np.arange(N) % 2, "yes", "no"), "split": "part"},
            "holds text, but the model predicts numbers",
        ),
    ],
)
def test_what_cannot_be_judged_is_refused_and_nothing_is_written(table, tmp_path, given, said):
    with pytest.raises(InputError, match=said.replace("(", r"\(")):
        audit(
            unasked if "protected" in given else lambda rows: rows["age"],
            table.drop(columns="w"),
            tmp_path / "a.html",
            **given,
            **STILL,
        )
    assert not list(tmp_path.iterdir())


def unasked(_rows):
    raise AssertionError("the model is not asked where columns are refused")


@pytest.fixture
def place(table, model, tmp_path, monkeypatch):
    table.drop(columns="w").assign(p=model.predict(table[["income", "age"]])).to_csv(tmp_path / "d.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


WORDS = ["d.csv", "--prediction", "p", "--max-order", "1", "--top-mains", "1", "--quiet"]


def test_a_command_and_a_file_judge_alike(place):
    judged = ["--target", "y", "--split", "part", "--protected", "sex", "age", "--exclude", "sex"]
    assert main(["audit", *WORDS, *judged, "--save", "a.json"]) == 0
    (output,) = Audit.load(place / "a.json").outputs
    assert output.accuracy.line.endswith("on 200 held-out rows")
    assert [column.title for column in output.protected] == ["sex", "age"]
    keys = "data: d.csv\nprediction: p\ntarget: y\nsplit: part\nprotected: [sex, age]\nexclude: sex\nmax-order: 1\n"
    (place / "a.yaml").write_text(keys + "top-mains: 1\nsave: b.json\nout: b.html\n", encoding="utf-8")
    assert main(["audit", "--config", "a.yaml", "--quiet"]) == 0
    again = Audit.load(place / "b.json").outputs[0]
    assert (again.accuracy, again.protected) == (output.accuracy, output.protected)
    command = Audit.load(place / "b.json").provenance.command
    assert "--split part" in command
    assert "--protected sex age" in command


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--target", "z"], "There is no column 'z'"),
        (["--split", "part"], "no target is given"),
        (["--target", "y", "--split", "sex"], "split holds 'f'"),
        (
            ["--protected", "sx"],
            "There is no column 'sx'; the columns are 'income', 'age', 'sex', 'y', 'part', 'p'. Did you mean 'sex'?",
        ),
        (["--target", "y", "part"], "There are 2 targets, 'y', 'part', for 1 output(s)"),
    ],
)
def test_what_a_command_cannot_judge_is_one_sentence_and_writes_nothing(place, capsys, words, said):
    before = sorted(place.iterdir())
    assert main(["audit", *WORDS, *words]) == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert (len(printed.err.splitlines()), printed.out, sorted(place.iterdir())) == (1, "", before)


def test_a_folder_is_not_judged(place):
    (place / "rows").mkdir()
    pd.read_csv("d.csv").to_parquet(place / "rows" / "one.parquet")
    words = ["rows", *WORDS[1:], "--save", "a.json"]
    assert main(["audit", *words, "--target", "y", "--exclude", "sex", "part"]) == 0
    assert any(
        "Accuracy is measured on tables in memory" in note for note in Audit.load(place / "a.json").subject.notes
    )
    assert main(["audit", *words, "--protected", "sex"]) == 2
