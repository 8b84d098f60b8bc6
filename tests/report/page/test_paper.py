"""Printing by browsers that misbehave: they are waited for, and not for what they leave behind."""

import os
import re
import stat
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from anova_report.errors import RunError
from anova_report.io.files import PDF_MARK
from anova_report.report.page import paper
from anova_report.report.page.render import policy
from tests.browser import executable

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the browsers are shell scripts")
PRINT = """
for word; do case "$word" in --print-to-pdf=*) made="${word#*=}";; esac; done
printf '%%PDF-1.4 printed' > "$made"
"""


@pytest.fixture
def browser(tmp_path, monkeypatch):
    """Let a shell script be the browser."""

    def named(script: str) -> None:
        place = tmp_path / "browser"
        place.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        place.chmod(0o755)
        monkeypatch.setenv(paper.NAMED_BY, str(place))

    return named


def left_behind(tmp_path: Path) -> list[str]:
    return [path.name for path in tmp_path.iterdir() if path.name not in ("browser", "process")]


def is_gone(process: int) -> bool:
    for _ in range(50):
        try:
            state = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.1)
    return False


def test_what_a_browser_started_is_neither_waited_for_nor_left(tmp_path, browser):
    browser(f"sleep 300 & echo $! > {tmp_path / 'process'}\n{PRINT}")
    started = time.monotonic()
    assert paper.print_page("a page", tmp_path / "a.pdf") == b"%PDF-1.4 printed" + PDF_MARK
    assert time.monotonic() - started < 100
    assert is_gone(int((tmp_path / "process").read_text()))
    assert left_behind(tmp_path) == []


def test_a_browser_that_does_not_end_is_stopped_with_all_that_it_started(tmp_path, browser, monkeypatch):
    monkeypatch.setattr(paper, "SECONDS", 1)
    browser(f"sleep 300 & echo $! > {tmp_path / 'process'}\nwait")
    with pytest.raises(RunError, match="did not print the page within 1 seconds, and was stopped"):
        paper.print_page("a page", tmp_path / "a.pdf")
    assert is_gone(int((tmp_path / "process").read_text()))
    assert left_behind(tmp_path) == []


def test_a_browser_has_nothing_to_read_and_its_folder_is_its_own(tmp_path, browser):
    browser(f"cat\nfor word; do :; done\ncd $(dirname ${{word#file://}})\nls -ld . > {tmp_path / 'process'}\n{PRINT}")
    paper.print_page("a page", tmp_path / "a.pdf")
    assert (tmp_path / "process").read_text()[:10] == stat.filemode(stat.S_IFDIR | 0o700)


def test_what_a_browser_says_when_it_fails_is_text_on_one_line(tmp_path, browser):
    browser("printf 'first\\n\\033[31mno display\\n' >&2; exit 3")
    with pytest.raises(RunError, match="did not print the page: \ufffd\\[31mno display"):
        paper.print_page("a page", tmp_path / "a.pdf")
    browser("exit 0")
    with pytest.raises(RunError, match="it said nothing"):
        paper.print_page("a page", tmp_path / "a.pdf")
    assert left_behind(tmp_path) == []


def test_a_page_that_is_printed_reads_no_file_fetches_nothing_and_runs_no_script_of_others(tmp_path, monkeypatch):
    monkeypatch.setenv(paper.NAMED_BY, executable())
    (tmp_path / "secret.html").write_text('<a href="https://secret.example/">read</a>', encoding="utf-8")
    asked = list[str]()

    class Noting(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)

    with ThreadingHTTPServer(("127.0.0.1", 0), Noting) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        here = f"http://127.0.0.1:{server.server_port}"
        ran = """document.body.innerHTML += '<a href="https://ran.example/">ran</a>'"""
        reading = f'<iframe src="{(tmp_path / "secret.html").as_uri()}"></iframe><img src="{here}/image">'
        body = f'<body><p>Text</p>{reading}<script>{ran}; fetch("{here}/fetched")</script></body>'
        nothing = policy(())
        allowed = f'<meta http-equiv="Content-Security-Policy" content="{nothing}">'
        ours, without = (
            paper.print_page(f"<!doctype html><html><head>{head}</head>{body}</html>", tmp_path / "a.pdf")
            for head in (allowed, "")
        )
        server.shutdown()
    assert not re.search(rb"(secret|ran)\.example", ours)
    assert re.search(rb"ran\.example", without)  # without the policy of our pages it would
    assert asked == []
