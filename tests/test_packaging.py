"""The wheel a person installs: complete, typed, and usable outside the checkout."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    _run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)], cwd=ROOT)
    return next(folder.glob("*.whl"))


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
