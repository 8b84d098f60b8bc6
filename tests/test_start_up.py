"""What a user waits for: importing the package, and asking for help, need nothing but the standard library."""

import ast
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from sklearn.base import clone

import anova_report

VIEWS = {"anywidget", "bokeh", "ipywidgets", "IPython", "jinja2", "matplotlib", "nbconvert", "papermill", "yaml"}
COMMAND = "import anova_report.cli as cli\ntry: cli.main([{}])\nexcept SystemExit: pass\n"
SHOW = "import sys; print(*sorted(set(sys.modules) - before), file=sys.stderr)"


def imported_by(code: str) -> set[str]:
    """Run code in a new interpreter, and list the modules that it imported."""
    script = f"import sys; before = set(sys.modules)\n{code}\n{SHOW}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)  # noqa: S603 our own code
    return set(done.stderr.splitlines()[-1].split())  # what the code itself says comes before


def own(modules: set[str]) -> set[str]:
    return {name for name in modules if name.partition(".")[0] == "anova_report"}


@pytest.mark.parametrize(
    ("code", "most"),
    [
        ("import anova_report", 8),
        (COMMAND.format("'--version'"), 20),
        (COMMAND.format("'--help'"), 20),
        (COMMAND.format("'audit', '--help'"), 20),
        (COMMAND.format("'audit', '--no-such-option'"), 20),
    ],
)
def test_nothing_but_the_standard_library_and_few_modules_of_its_own_are_imported(code, most):
    modules = imported_by(code)
    assert {name.partition(".")[0] for name in modules} <= {"anova_report", *sys.stdlib_module_names}
    assert 1 <= len(own(modules)) <= most


def test_importing_the_estimator_imports_no_view_library_and_little_of_its_own():
    modules = imported_by("from anova_report import FunctionalANOVA")
    assert "anova_report.core.estimator" in modules
    assert not VIEWS & {name.partition(".")[0] for name in modules}
    assert len(own(modules)) <= 90  # of about two hundred


def test_every_public_name_is_listed_and_comes_from_where_type_checkers_find_it():
    tree = ast.parse(Path(anova_report.__file__).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    shown = {alias.name: node.module for node in block.body for alias in node.names}
    assert shown == {name: f"anova_report.{module}" for name, module in anova_report.MODULES.items()}
    assert set(anova_report.__all__) == {*shown, "__version__"}
    assert set(anova_report.__all__) <= set(dir(anova_report))
    for name, module in shown.items():
        assert getattr(anova_report, name) is getattr(sys.modules[module], name)


def test_rooms_that_users_name_come_with_the_package():
    code = "import anova_report as a; a.errors.InputError, a.measures.fidelity, a.report.build_audit"
    assert "anova_report.measures.fidelity" in imported_by(code)


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'anova_report' has no attribute 'explian'"):
        anova_report.explian  # noqa: B018 asking is what raises


def test_an_estimator_is_cloned_and_can_be_unpickled_where_nothing_was_imported():
    estimator = clone(anova_report.FunctionalANOVA(max_order=3))
    code = f"import pickle; assert pickle.loads({pickle.dumps(estimator)!r}).max_order == 3"
    assert "anova_report.core.estimator" in imported_by(code)


def test_a_decomposition_shows_itself_where_only_its_own_module_was_imported():
    code = """
import numpy as np
from anova_report.core.estimator import FunctionalANOVA
X = np.random.default_rng(0).normal(size=(100, 2))
print(FunctionalANOVA(progress=False).fit(X, X[:, 0]).decomposition_)
"""
    assert "anova_report.measures.overview" in imported_by(code)
