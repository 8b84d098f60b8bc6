"""What only a checkout has: found there, and missed in a sentence elsewhere."""

import sys

import pytest

from anova_report.errors import InputError
from anova_report.report.notebooks import checkout
from anova_report.report.notebooks.checkout import benchmark


def test_in_a_checkout_the_benchmarks_are_found():
    assert benchmark("paper").TABLES["diabetes"]


def test_elsewhere_a_sentence_says_where_they_are(monkeypatch):
    monkeypatch.setattr(checkout, "PACKAGE", "no_such_benchmarks")
    with pytest.raises(InputError, match=r"no no_such_benchmarks\.experiments here.*run this in a checkout"):
        benchmark("experiments")


def test_another_package_of_that_name_is_not_mistaken_for_ours(tmp_path, monkeypatch):
    (tmp_path / "somebodys_benchmarks").mkdir()
    (tmp_path / "somebodys_benchmarks" / "__init__.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(checkout, "PACKAGE", "somebodys_benchmarks")
    with pytest.raises(InputError, match=r"There is no somebodys_benchmarks\.experiments here"):
        benchmark("experiments")


def test_a_library_that_a_benchmark_needs_is_not_blamed_on_the_checkout(tmp_path, monkeypatch):
    (tmp_path / "needy_benchmarks.py").write_text("import no_such_library_at_all", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(checkout, "PACKAGE", "needy_benchmarks")
    with pytest.raises(ModuleNotFoundError, match="no_such_library_at_all"):
        benchmark("experiments")
    assert "needy_benchmarks" not in sys.modules
