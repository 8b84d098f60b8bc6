"""`audit` in Python: every option by its name, and what was probably meant where there is none."""

import inspect

import numpy as np
import pandas as pd
import pytest

from anova_report import FunctionalANOVA, audit, explain
from anova_report.errors import InputError, InputTypeError, RunError
from anova_report.report import build_audit
from anova_report.report.page.paper import NAMED_BY

X = pd.DataFrame(np.random.default_rng(0).uniform(size=(400, 2)), columns=["age", "income"])
QUICK = {"max_order": 1, "ask": 0, "progress": False}


def model(rows: pd.DataFrame) -> pd.Series:
    assert list(rows.columns) == ["age", "income"]
    return 2 * rows["age"] + rows["income"]


def options(function):
    return {name: found.default for name, found in inspect.signature(function).parameters.items()}


def test_every_option_of_explain_of_the_fit_and_of_the_page_is_in_the_signature_with_its_default():
    own = options(audit)
    made_elsewhere = {"dec", "X", "predictions", "model", "unread", "seconds", "settings", "estimator"}
    made_elsewhere |= {"model_versions", "whole", "aside"}
    for function in (explain, FunctionalANOVA, build_audit):
        for name, default in options(function).items():
            if name not in made_elsewhere:
                assert own[name] == default, name
    described = inspect.getdoc(audit).partition("Returns")[0]
    assert all(name in described for name in own)


def test_an_option_that_does_not_exist_is_refused_with_the_one_that_was_meant(tmp_path):
    with pytest.raises(InputTypeError, match=r"audit has no option 'titel'\. Did you mean 'title'\?"):
        audit(model, X, tmp_path / "a.html", titel="x")
    with pytest.raises(TypeError, match="There are 'model', 'X', 'path', 'target'"):
        audit(model, X, zzz=1)
    assert list(tmp_path.iterdir()) == []


def test_a_path_writes_the_page_and_none_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = audit(model, X, title="Two lines", **QUICK)
    assert (made.title, list(tmp_path.iterdir())) == ("Two lines", [])
    audit(model, X, "page.html", **QUICK)
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_the_target_reaches_neither_the_model_nor_the_decomposition():
    made = audit(model, X.assign(paid=model(X)), target="paid", **QUICK)
    assert [feature.name for feature in made.features] == ["age", "income"]
    with pytest.raises(InputError, match=r"no column 'agee'\. Did you mean 'age'\?"):
        audit(model, X, target="agee")
    with pytest.raises(InputError, match="It has no names"):
        audit(model, X.to_numpy(), target="age")


def test_a_pdf_replaces_neither_the_page_nor_the_model_nor_what_others_wrote(tmp_path):
    asked = []

    def noted(rows: pd.DataFrame) -> pd.Series:
        asked.append(len(rows))
        return model(rows)

    (tmp_path / "theirs.pdf").write_bytes(b"%PDF-1.4 of somebody else")
    (tmp_path / "model.json").write_text("{}")
    page, theirs, kept = (tmp_path / name for name in ("a.html", "theirs.pdf", "model.json"))
    for options in ({"path": page, "pdf": page}, {"path": page, "pdf": theirs}, {"path": kept, "model_file": kept}):
        with pytest.raises(InputError, match=r"named for two things|did not write it"):
            audit(noted, X, **options, **QUICK)
    assert (asked, sorted(path.name for path in tmp_path.iterdir())) == ([], ["model.json", "theirs.pdf"])


def test_where_no_pdf_can_be_printed_no_page_is_written(tmp_path, monkeypatch):
    monkeypatch.setenv(NAMED_BY, "false")
    with pytest.raises(RunError, match="did not print the page: it said nothing"):
        audit(model, X, tmp_path / "a.html", pdf=tmp_path / "a.pdf", **QUICK)
    assert list(tmp_path.iterdir()) == []
