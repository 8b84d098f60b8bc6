"""A model in a process of its own: it predicts as it would here, and may die without taking anybody along."""

import contextlib
import os
import pickle
import re
import time
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from anova_report.cli import main
from anova_report.core.input.model_forms import about
from anova_report.errors import InputError, ModelError
from anova_report.io import files
from anova_report.report.sources.child import ChildModel

RNG = np.random.default_rng(0)
ROWS = pd.DataFrame(RNG.normal(size=(300, 2)), columns=["a", "b"])
MODULE = """
import os, sys, time
import numpy as np

def mean(rows):
    print("said aloud")
    return np.asarray(rows).mean(axis=1)

def leaves(rows):
    sys.exit(0)

def vanishes(rows):
    os._exit(0)

def crashes(rows):
    os.kill(os.getpid(), 11)

def sleeps(rows):
    time.sleep(60)

def fails(rows):
    raise ZeroDivisionError("by zero")

def hoards(rows):
    return [bytearray(2**40)]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    (tmp_path / "some_models.py").write_text(MODULE)
    ROWS.to_csv(tmp_path / "rows.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_model_predicts_as_it_would_here_and_tells_what_it_is(folder):
    model = LogisticRegression().fit(ROWS.to_numpy(), ROWS["a"] > 0)
    joblib.dump(model, folder / "model.joblib")
    with pytest.raises(InputError, match="--allow-pickle"):
        ChildModel("model.joblib")
    found = ChildModel("model.joblib", allow_pickle=True)
    assert (found.name, found.takes_arrays, found.n_features_in_) == (about(model), True, 2)
    assert found.classes_.tolist() == [False, True]
    np.testing.assert_array_equal(found.predict_proba(ROWS.to_numpy()), model.predict_proba(ROWS.to_numpy()))
    assert not hasattr(found, "feature_names_in_")
    found.close()


@pytest.mark.usefixtures("folder")
def test_what_a_model_prints_is_no_prediction():
    found = ChildModel("some_models:mean")
    assert found.name == "The Python function mean"
    np.testing.assert_allclose(found.predict(ROWS), ROWS.mean(axis=1))
    np.testing.assert_allclose(found.predict(ROWS), ROWS.mean(axis=1))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("leaves", "SystemExit: 0"),
        ("vanishes", r"ended by itself \(exit code 0\)"),
        ("crashes", r"died \(SIGSEGV\)"),
        ("fails", "ZeroDivisionError: by zero"),
        ("hoards", "MemoryError"),
    ],
)
def test_no_model_passes_a_gate_by_ending_its_process(folder, capsys, name, words):
    command = ["audit", "rows.csv", "--model", f"some_models:{name}", "--fail-on", "fail", "--quiet"]
    assert main(command) == 3
    said = capsys.readouterr().err
    assert re.search(words, said), said
    assert not (folder / "audit.html").exists()


@pytest.mark.usefixtures("folder")
def test_a_model_that_takes_too_long_is_stopped():
    found = ChildModel("some_models:sleeps")
    found._seconds = 0.5  # loading took as long as it took
    started = time.monotonic()
    with pytest.raises(ModelError, match=r"did not reply within 0\.5 seconds"):
        found.predict(ROWS)
    assert time.monotonic() - started < 10


def test_what_lies_in_the_working_folder_stands_in_for_no_library(folder):
    for name in ("pickle", "numpy", "sklearn", "pandas"):
        (folder / f"{name}.py").write_text("open('imported', 'w').close()")
    found = ChildModel("some_models:mean")
    np.testing.assert_allclose(found.predict(ROWS), ROWS.mean(axis=1))
    assert not (folder / "imported").exists()


def test_a_damaged_model_file_is_a_sentence(folder, capsys):
    lightgbm = pytest.importorskip("lightgbm")
    booster = lightgbm.train({"verbose": -1}, lightgbm.Dataset(ROWS.to_numpy(), ROWS["a"]), num_boost_round=3)
    booster.save_model(folder / "model.txt")
    text = (folder / "model.txt").read_text()
    for damage in (text.replace("num_leaves=", "num_leaves=9"), text.replace("left_child=", "left_child=9999 ")):
        (folder / "damaged.txt").write_text(damage)
        assert main(["audit", "rows.csv", "--model", "damaged.txt", "--quiet"]) in (2, 3)
        assert capsys.readouterr().err.count("\n") >= 1
    assert not (folder / "audit.html").exists()


def test_a_pickle_runs_nothing_here_even_with_consent(folder):
    class Sly:
        def __reduce__(self):
            return os.getpid, ()

    (folder / "sly.pkl").write_bytes(pickle.dumps(Sly()))
    with pytest.raises(InputError, match="of type int, which cannot be asked"):
        ChildModel("sly.pkl", allow_pickle=True)


ENDLESS = """
import os, subprocess, sys, time

def asks(rows):
    return input("your name? ")

def reads(rows):
    return sys.stdin.read()

def leaves_a_child(rows):
    if os.fork() == 0:
        time.sleep(100)
    os._exit(0)

def leaves_a_session(rows):
    subprocess.Popen(["sleep", "100"], start_new_session=True)
    os._exit(0)

def forks_and_waits(rows):
    subprocess.Popen(["sleep", "100"])
    open("grandchild", "w").write(str(subprocess.Popen(["sleep", "101"]).pid))
    return rows["a"] + rows["b"]
"""


@pytest.fixture
def endless(folder) -> Path:
    (folder / "endless.py").write_text(ENDLESS)
    return folder


@pytest.mark.usefixtures("endless")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("asks", "EOFError"),
        ("reads", "which are not real numbers"),
        ("leaves_a_child", r"ended by itself \(exit code 0\)"),
        ("leaves_a_session", r"ended by itself \(exit code 0\)"),
    ],
)
def test_no_model_keeps_a_command_waiting(name, words, capsys):
    started = time.monotonic()
    assert main(["audit", "rows.csv", "--model", f"endless:{name}", "--fail-on", "fail", "--quiet"]) == 3
    assert re.search(words, capsys.readouterr().err)
    assert time.monotonic() - started < 60  # of the hundred that its child would take


@pytest.mark.skipif(os.name != "posix", reason="processes have groups on POSIX systems")
def test_what_a_model_started_ends_with_it(endless):
    found = ChildModel("endless:forks_and_waits")
    found.predict(ROWS)
    grandchild = int((endless / "grandchild").read_text())
    assert files.is_alive(grandchild)
    found.close()
    deadline = time.monotonic() + 10
    while _runs(grandchild) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(grandchild)


def _runs(process: int) -> bool:
    """Whether a process does more than wait for its parent to hear of its end."""
    with contextlib.suppress(FileNotFoundError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.mark.usefixtures("folder")
def test_how_long_a_model_may_take_is_an_option(capsys):
    command = ["audit", "rows.csv", "--model", "some_models:sleeps", "--model-timeout", "10", "--quiet"]
    assert main(command) == 3
    assert "The model did not reply within 10 seconds, and was stopped." in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_what_a_model_says_reaches_the_terminal_as_text(tmp_path, capsys):
    said = r'print("\x1b[31mred\n::add-mask::x\r##[error]y", flush=True); import os; os.write(2, b"\x9b2J last words")'
    (tmp_path / "loud.py").write_text(f"def mean(rows):\n    {said}\n    return rows['a']\n")
    found = ChildModel("loud:mean")
    found.predict(ROWS)
    found.close()
    heard = capsys.readouterr().err
    assert "red" in heard
    assert "last words" in heard
    assert not re.search("[\x1b\x9b]|^::|##", heard, re.MULTILINE)


def test_a_model_that_is_sent_elsewhere_is_loaded_there_and_is_the_same_one(folder):
    model = LogisticRegression().fit(ROWS.to_numpy(), ROWS["a"] > 0)
    joblib.dump(model, folder / "model.joblib")
    first = ChildModel("model.joblib", allow_pickle=True)
    second = pickle.loads(pickle.dumps(first))  # noqa: S301 our own bytes
    np.testing.assert_array_equal(second.predict_proba(ROWS.to_numpy()), first.predict_proba(ROWS.to_numpy()))
    third = pickle.loads(pickle.dumps(first))  # noqa: S301 likewise
    joblib.dump(LogisticRegression().fit(ROWS.to_numpy(), ROWS["b"] > 0), folder / "model.joblib")
    with pytest.raises(InputError, match="has changed since the run began"):
        third.predict_proba(ROWS.to_numpy())


@pytest.mark.parametrize(
    ("code", "words"),
    [("import sys; sys.exit(0)", "SystemExit: 0"), ("import os; os._exit(0)", "ended by itself"), ("0 / 0", "by zero")],
)
def test_a_module_that_fails_while_it_is_imported_is_named(folder, capsys, code, words):
    (folder / "failing.py").write_text(code)
    assert main(["audit", "rows.csv", "--model", "failing:f", "--fail-on", "fail", "--quiet"]) == 3
    said = capsys.readouterr().err
    assert words in said
    assert "unexpectedly" not in said
