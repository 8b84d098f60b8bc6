"""The package stands alone: it imports what it declares, optional libraries in one place, and never the benchmarks."""

import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

from anova_report.core.libraries import EXTRAS

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LIBRARIES = ROOT / "anova_report" / "core" / "libraries.py"
RUNTIME = {"ipykernel"}  # needed by the notebooks' kernels, imported by nobody here


def package_names(requirements: list[str]) -> set[str]:
    found = (re.match(r"[\w.-]+", requirement) for requirement in requirements)
    return {re.sub(r"[-_.]+", "-", match.group().lower()) for match in found if match}


def imports_of(source: str) -> Iterator[str]:
    """Names of modules that a text imports, by statement or by a literal given to `import_module`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "import_module":
            yield from (each.value for each in node.args if isinstance(each, ast.Constant))


def sources() -> dict[Path, str]:
    """Every module, and the code of every notebook that a wheel carries."""
    modules = {path: path.read_text(encoding="utf-8") for path in (ROOT / "anova_report").rglob("*.py")}
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        modules[path] = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    return modules


def top_levels(source: str) -> set[str]:
    return {name.partition(".")[0] for name in imports_of(source)} - set(sys.stdlib_module_names) - {"anova_report"}


def test_every_library_that_is_imported_is_declared_and_the_other_way_round():
    imported = set().union(*map(top_levels, sources().values()))
    assert "benchmarks" not in imported
    distributions = packages_distributions()
    brought = package_names([name for module in imported for name in distributions[module]])
    assert brought == package_names(PROJECT["dependencies"]) - RUNTIME


def test_optional_libraries_are_imported_in_one_place_and_each_extra_brings_them():
    for path, source in sources().items():
        if path != LIBRARIES:
            assert not top_levels(source) & set(EXTRAS), path
    distributions = packages_distributions()
    for module, extra in EXTRAS.items():
        offered = package_names(PROJECT["optional-dependencies"][extra])
        assert package_names(distributions.get(module, [module])) & offered, module
