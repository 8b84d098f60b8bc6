"""The wheel a person installs: complete, typed, and usable outside the checkout."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest
import yaml

import anova_report

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    _run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)], cwd=ROOT)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("sdist")
    _run([sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder)], cwd=ROOT)
    return next(folder.glob("*.tar.gz"))


def _run(command: list[str], cwd: Path, **variables: str) -> str:
    environment = {**os.environ, **variables}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)  # noqa: S603 our own commands
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_carries_types_templates_and_notebooks(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert "anova_report/py.typed" in names
    assert any(name.startswith("anova_report/_templates/") for name in names)
    assert any(name.startswith("anova_report/_notebooks/") for name in names)
    assert not any(name.startswith(("tests/", "benchmarks/")) for name in names)
    assert {Path(name).stem for name in names if name.endswith(".ipynb")} == {"audit", "explore"}
    assert not any("reproduce" in name or "analytical" in name for name in names)


def test_the_wheel_says_what_it_is(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    about = message_from_bytes(zipfile.ZipFile(wheel).read(next(name for name in names if name.endswith("/METADATA"))))
    assert about["Version"] == anova_report.__version__
    assert about["Author"] == "The anova_report developers"
    assert about.get_all("Project-URL")
    assert {"Programming Language :: Python :: 3.11", "Typing :: Typed"} <= set(about.get_all("Classifier"))
    [points] = [name for name in names if name.endswith("/entry_points.txt")]
    assert "[mlflow.model_evaluator]" in zipfile.ZipFile(wheel).read(points).decode()


def test_a_wheel_built_again_is_the_same_to_the_last_bit(wheel, tmp_path):
    _run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)], cwd=ROOT)
    assert next(tmp_path.glob("*.whl")).read_bytes() == wheel.read_bytes()


def test_the_sources_hold_all_that_makes_and_tests_the_wheel(sdist):
    with tarfile.open(sdist) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    wanted = ("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CODE_OF_CONDUCT.md", "conda/recipe.yaml")
    assert {*wanted, "anova_report/py.typed", "tests/test_packaging.py", "notebooks/audit.ipynb"} <= names
    assert not any(re.search(r"(^|/)(\.|__pycache__)", name) and name != ".gitignore" for name in names)


def test_an_index_takes_both(wheel, sdist):
    pytest.importorskip("twine", reason="the extra test brings it")
    _run([sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(sdist)], cwd=ROOT)


def test_one_version_stands_everywhere():
    version = anova_report.__version__
    heading = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert heading[1] == version
    for name in ("CITATION.cff", "conda/recipe.yaml"):
        found = yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))
        assert found.get("version", found.get("package", {}).get("version")) == version
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "version" in project["dynamic"]


def test_the_recipe_for_conda_asks_for_what_the_package_does():
    recipe = yaml.safe_load((ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    python, *asked = (line.replace(" ", "") for line in recipe["requirements"]["run"])
    assert python == f"python{project['requires-python']}"
    assert asked == project["dependencies"]
    [entry] = recipe["build"]["python"]["entry_points"]
    assert entry == f"anova-report = {project['scripts']['anova-report']}"
    assert recipe["about"]["summary"] == project["description"]


def test_an_installed_wheel_tells_mypy_its_types(wheel, tmp_path):
    venv.create(tmp_path / "env", with_pip=False, symlinks=True)
    python = tmp_path / "env" / "bin" / "python"
    _run(
        [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--quiet", str(wheel)], tmp_path
    )
    (tmp_path / "user.py").write_text(
        "from anova_report import Decomposition\n\n"
        'reveal_type(Decomposition.load("a.json").to_sql("sqlite"))\n'
        "Decomposition.load(3)\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "mypy", "--python-executable", str(python), "--follow-imports=silent", "user.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)  # noqa: S603 our own command
    assert 'Revealed type is "str"' in done.stdout or 'Revealed type is "builtins.str"' in done.stdout, done.stdout
    assert re.search(r'user.py:4: error: Argument 1 to "load" .* has incompatible type "int"', done.stdout), done.stdout


def test_the_wheel_works_in_an_environment_of_its_own(wheel, tmp_path):
    # Its dependencies are lent from this environment; the package itself must come from the wheel.
    venv.create(tmp_path / "env", with_pip=False, symlinks=True)
    python = tmp_path / "env" / "bin" / "python"
    _run(
        [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--quiet", str(wheel)], tmp_path
    )
    lent = next(path for path in sys.path if path.endswith("site-packages"))
    # PYTHONPATH does not run the .pth file through which the editable install would be found.
    where = _run([str(python), "-c", "import anova_report; print(anova_report.__file__)"], tmp_path, PYTHONPATH=lent)
    assert str(tmp_path / "env") in where
    rows = "".join(f"{x},{x % 7},{x * (x % 7)}\n" for x in range(200))
    (tmp_path / "rows.csv").write_text(f"a,b,score\n{rows}", encoding="utf-8")
    command = [str(tmp_path / "env" / "bin" / "anova-report"), "audit", "rows.csv", "--prediction", "score"]
    assert "Verdict" in _run([*command, "-o", "audit.html"], tmp_path, PYTHONPATH=lent)
    assert "<svg" in (tmp_path / "audit.html").read_text(encoding="utf-8")
