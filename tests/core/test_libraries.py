"""Optional libraries: a missing one is named with its cure, a talkative one is kept quiet."""

import importlib
import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pytest

from anova_report.compare import attribute
from anova_report.core.libraries import EXTRAS, library, quiet
from anova_report.errors import InputError
from tests.compare.conftest import line_and_product

ROWS = np.random.default_rng(0).normal(size=(20, 3))


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every optional library be missing, whether or not it was imported before."""
    real = importlib.import_module

    def refuse(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {name!r}")
        return real(name, *rest)

    monkeypatch.setattr(importlib, "import_module", refuse)


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize(
    ("method", "sentence"),
    [
        ("treeshap", "TreeSHAP needs the package shap: pip install 'anova_report[shap]'."),
        ("treeshap-interventional", "TreeSHAP needs the package shap: pip install 'anova_report[shap]'."),
        ("kernelshap", "KernelSHAP needs the package shap: pip install 'anova_report[shap]'."),
        ("deepshap", "DeepSHAP needs the package torch: pip install 'anova_report[torch]'."),
        ("treehfd", "TreeHFD needs the package treehfd: pip install 'anova_report[treehfd]'."),
        ("ebm", "EBM needs the package interpret: pip install 'anova_report[ebm]'."),
    ],
)
def test_a_missing_library_gives_the_sentence_that_cures_it(method: str, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        attribute(method, line_and_product, ROWS)
    assert str(caught.value) == sentence


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize("method", ["pdp", "ale"])
def test_methods_of_our_own_need_no_library(method: str) -> None:
    assert attribute(method, line_and_product, ROWS).contributions.shape == (20, 3)


def test_importing_the_room_imports_no_optional_library() -> None:
    optional = sorted({*EXTRAS} - {"pyarrow"})  # scikit-learn imports pandas, and pandas imports pyarrow
    code = f"import sys, anova_report.compare;print([name for name in {optional!r} if name in sys.modules])"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 our own words
    assert done.stdout.strip() == "[]"


def test_an_error_inside_an_installed_library_is_not_taken_for_a_missing_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> Any:
        raise AttributeError(f"{name} is broken")

    monkeypatch.setattr(importlib, "import_module", broken)
    with pytest.raises(AttributeError, match="shap is broken"):
        library("shap", "TreeSHAP")


def test_what_libraries_say_about_their_future_stays_with_them_and_the_rest_passes() -> None:
    with quiet():
        warnings.warn("will change", FutureWarning, stacklevel=1)
        warnings.warn("will go", DeprecationWarning, stacklevel=1)
        with pytest.raises(UserWarning, match="look here"):
            warnings.warn("look here", UserWarning, stacklevel=1)


def test_filters_are_put_back() -> None:
    before = list(warnings.filters)
    with quiet():
        pass
    assert list(warnings.filters) == before
