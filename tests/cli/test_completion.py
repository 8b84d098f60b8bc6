"""What a shell completes: every command and option."""

import shutil
import subprocess
import sys

import pytest

from anova_report import cli


def test_without_shtab_a_sentence_names_the_extra(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert cli.main(["completion", "bash"]) == 2
    assert "pip install 'anova_report[completion]'" in capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_every_shell_gets_a_script(shell, capsys):
    pytest.importorskip("shtab", reason="the extra completion is not installed")
    assert cli.main(["completion", shell]) == 0
    assert "anova-report" in capsys.readouterr().out


def test_bash_completes_commands_options_and_values(capsys, tmp_path):
    pytest.importorskip("shtab", reason="the extra completion is not installed")
    bash = shutil.which("bash") or pytest.skip("there is no bash")
    assert cli.main(["completion", "bash"]) == 0
    (tmp_path / "complete.sh").write_text(capsys.readouterr().out, encoding="utf-8")

    def completed(*words: str) -> list[str]:
        line = " ".join(f"'{word}'" for word in ("anova-report", *words))
        asked = (
            f"source complete.sh; COMP_WORDS=({line}); COMP_CWORD={len(words)}; "
            "name=$(complete -p anova-report | sed 's/.*-F \\([^ ]*\\).*/\\1/'); $name; echo \"${COMPREPLY[@]}\""
        )
        done = subprocess.run([bash, "-c", asked], cwd=tmp_path, capture_output=True, text=True, check=True)  # noqa: S603 our own line
        return done.stdout.split()

    assert {"audit", "batch", "compare"} <= set(completed(""))
    assert completed("aud") == ["audit"]
    assert "--junit" in completed("audit", "--ju")
