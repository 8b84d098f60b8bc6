import re
import shlex
import shutil
import subprocess
import sys
import warnings
from argparse import Namespace
from pathlib import Path

import pytest

from anova_report import cli
from anova_report.errors import InputError, ModelError, RunError, StorageError, UnknownTermError

DOCUMENT = Path(__file__).parents[1] / "report" / "documents" / "audit.json"
HEAVY = ("bokeh", "papermill", "nbconvert", "jinja2", "yaml", "smtplib", "xgboost")


@pytest.fixture
def failing(monkeypatch):
    """Lets every command end with an error of one's choice."""

    def install(error: BaseException) -> None:
        def execute(_: Namespace) -> int:
            raise error

        monkeypatch.setitem(cli.COMMANDS, "demo", execute)

    return install


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (InputError("The table is empty."), 2, "The table is empty."),
        (StorageError("a.json is not JSON."), 2, "a.json is not JSON."),
        (UnknownTermError("There is no such term."), 2, "There is no such term."),
        (InputError("Two\nlines   here."), 2, "Two lines here."),
        (ModelError("The model failed."), 3, "The model failed."),
        (RunError("Cell 3 failed."), 3, "Cell 3 failed."),
        (OSError(28, "No space left on device", "a.html"), 3, "The run failed: No space left on device (a.html)."),
        (PermissionError(13, "Permission denied", b"a.html"), 3, "The run failed: Permission denied (a.html)."),
        (
            MemoryError(),
            3,
            "There is not enough memory. Draw fewer rows (--sample), or name fewer columns (--features).",
        ),
        (KeyboardInterrupt(), 130, "Interrupted before the end."),
        (
            KeyError("x"),
            3,
            "The run failed unexpectedly: KeyError: 'x'. Run it again with --traceback to see where.",
        ),
    ],
)
def test_every_error_is_one_sentence_on_stderr_with_its_exit_code(failing, capsys, error, code, sentence):
    failing(error)
    assert cli.main(["demo"]) == code
    captured = capsys.readouterr()
    assert captured.err == f"anova-report: {sentence}\n"
    assert captured.out == ""


def test_a_traceback_is_shown_on_request_only(failing, capsys):
    failing(InputError("The table is empty."))
    assert cli.main(["demo", "--traceback"]) == 2
    shown = capsys.readouterr().err
    assert "Traceback (most recent call last)" in shown
    assert shown.endswith("anova-report: The table is empty.\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "The following arguments are required: COMMAND. See anova-report --help."),
        (["adit"], "invalid choice: 'adit'"),
        (
            ["audit", "d.csv", "--max-order", "two"],
            "Argument --max-order: invalid int value: 'two'. See anova-report audit",
        ),
        (["audit", "d.csv", "--scale", "ln"], "invalid choice: 'ln'"),
        (["audit", "d.csv", "--pred", "p"], "Unrecognized arguments: --pred p."),
        (["batch", "runs.yaml"], "required: -o/--out"),
        (["mail", "a.html", "--to", "a@b.c", "--from", "a@b.c"], "one of the arguments --smtp --eml is required"),
        (["mail", "a.html", "--from", "a@b.c", "--eml", "x.eml"], "required: --to"),
        (["run", "audit", "-p", "name"], "expected 2 arguments"),
    ],
)
def test_a_usage_error_is_a_sentence_and_exit_code_2(capsys, arguments, words):
    with pytest.raises(SystemExit) as stopped:
        cli.main(arguments)
    assert stopped.value.code == 2
    shown = capsys.readouterr().err
    assert words.lower() in shown.lower()
    assert shown.startswith("anova-report: ")
    assert shown.count("\n") == 1


@pytest.mark.parametrize("command", ["demo", "audit", "run", "batch", "render", "mail"])
def test_every_command_explains_itself_and_the_exit_codes(capsys, command):
    with pytest.raises(SystemExit) as stopped:
        cli.main([command, "--help"])
    assert stopped.value.code == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "exit codes: 0 it ran; 1 the verdict reached --fail-on; 2 the options or the input are at fault" in shown


def test_help_imports_nothing_heavy():
    code = (
        "import sys\nfrom anova_report import cli\n"
        "try:\n    cli.main(['audit', '--help'])\nexcept SystemExit:\n    pass\n"
        f"print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603 our own
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_reader_that_goes_away_is_no_error(tmp_path):
    code = (
        "import sys\nfrom anova_report.cli.commands import say\n"
        "sys.stdin.readline()\nsay('x' * 100_000)\nsay('more')\nsys.exit(7)"
    )
    with subprocess.Popen(  # noqa: S603 our own command
        [sys.executable, "-c", code], stdin=-1, stdout=-1, stderr=-1, cwd=tmp_path, text=True
    ) as process:
        process.stdout.close()
        process.stdin.write("go\n")
        process.stdin.close()
        assert process.stderr.read() == ""
        assert process.wait() == 7


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize(
    ("where", "code"), [("2>&-", 2), ("2>/dev/full", 2), (">/dev/full 2>/dev/full", 2), ("<&- >&- 2>&-", 2)]
)
def test_an_input_error_is_exit_code_2_also_where_nobody_can_be_told(tmp_path, where, code):
    command = f"{shlex.quote(sys.executable)} -m anova_report.cli render nowhere.json {where}"
    assert subprocess.run(command, shell=True, cwd=tmp_path, check=False).returncode == code  # noqa: S602 our own words


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_result_that_cannot_be_printed_is_a_failure_of_the_run(tmp_path):
    shutil.copy(DOCUMENT, tmp_path / "audit.json")
    command = f"{shlex.quote(sys.executable)} -m anova_report.cli render audit.json >/dev/full"
    found = subprocess.run(command, shell=True, cwd=tmp_path, check=False, capture_output=True, text=True)  # noqa: S602 our own words
    assert (found.returncode, found.stderr) == (3, "anova-report: The run failed: No space left on device.\n")


def test_without_an_error_stream_nothing_is_raised(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert cli.main(["render", "nowhere.json"]) == 2


@pytest.mark.parametrize("raised", [ImportError("numpy failed to import"), SystemError("half imported")])
def test_an_interruption_that_a_library_wraps_is_one(monkeypatch, capsys, raised):
    def interrupted(_: object) -> int:
        raise raised from KeyboardInterrupt()

    monkeypatch.setitem(cli.COMMANDS, "render", interrupted)
    assert cli.main(["render", "a.json"]) == 130
    assert capsys.readouterr().err == "anova-report: Interrupted before the end.\n"


def test_tracebacks_and_warnings_reach_the_terminal_as_text(monkeypatch, capsys):
    def loud(_: object) -> int:
        warnings.warn("\x1b[31m\n::add-mask::warned", UserWarning, stacklevel=1)
        raise ValueError("\x1b[31m\n::add-mask::raised")

    monkeypatch.setitem(cli.COMMANDS, "render", loud)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        assert cli.main(["render", "a.json", "--traceback"]) == 3
    said = capsys.readouterr().err
    assert "Traceback" in said
    assert not re.search("\x1b|^::", said, re.MULTILINE)
