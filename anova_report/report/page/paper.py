"""The page on paper: printed to a PDF by Chromium or Chrome, where one is installed, without a network."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from anova_report.errors import InputError, RunError
from anova_report.io import files, sinks
from anova_report.io.processes import end_group
from anova_report.report.audit.audit import Audit
from anova_report.report.page.render import render

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
NAMED_BY = "ANOVA_REPORT_CHROMIUM"  # the environment variable that names another
SECONDS = 180
# Nothing of a page is fetched: its policy allows no request, and names of hosts lead nowhere.
ARGUMENTS = (
    *("--headless", "--disable-gpu", "--no-first-run", "--disable-extensions", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
    *("--host-resolver-rules=MAP * ~NOTFOUND", "--no-pdf-header-footer", "--virtual-time-budget=5000"),
)


def find_browser() -> str:
    """Find the browser that prints.

    Raises
    ------
    InputError
        If none is installed.
    """
    named = os.environ.get(NAMED_BY, "")
    found = next(filter(None, map(shutil.which, [named] if named else NAMES)), None)
    if found is None:
        wanted = f"There is no {named}, which {NAMED_BY} names" if named else "There is no Chromium or Chrome here"
        raise InputError(f"{wanted}, so no PDF can be printed. Install one, or leave the PDF out.")
    return found


def print_page(page: str, place: Path) -> bytes:
    """Print a page; what is made on the way lies beside the place where the PDF will be.

    Raises
    ------
    RunError
        If the browser fails, or takes too long.
    """
    browser = find_browser()
    with files.scratch_folder(place) as folder:
        source, made = folder.resolve() / "page.html", folder.resolve() / "page.pdf"
        source.write_text(page, encoding="utf-8")
        # A page is our own, and root, as in a container, has no sandbox.
        alone = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        command = [browser, *ARGUMENTS, *alone, f"--user-data-dir={folder.resolve() / 'profile'}"]
        command += [f"--print-to-pdf={made}", source.as_uri()]
        said = folder / "said.txt"
        try:
            code = _finish(command, said)
        except subprocess.TimeoutExpired as error:
            raise RunError(f"{browser} did not print the page within {SECONDS:g} seconds, and was stopped.") from error
        except OSError as error:
            raise RunError(f"{browser} did not print the page: {error}.") from error
        if code or not made.is_file() or not made.stat().st_size:
            words = said.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            why = sinks.clean(words[-1]) if words else "it said nothing"
            raise RunError(f"{browser} did not print the page: {why}.")
        return made.read_bytes() + files.PDF_MARK


def _finish(command: Sequence[str], said: Path) -> int:
    """Wait for the browser, but for nothing that it leaves behind; all that it started ends with it."""
    nothing = subprocess.DEVNULL
    with said.open("wb") as stream:
        made = subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=stream, start_new_session=True)  # noqa: S603 our own words
        try:
            return made.wait(SECONDS)
        finally:
            end_group(made)
            made.wait()


def write_pdf(audit: Audit, path: str | os.PathLike[str]) -> Path:
    """Print the page of an audit to a PDF; a reader sees the old file or the new one, never half of it."""
    place = files.claim([path], []).places[0]
    files.write_texts({place: print_page(render(audit), place)})
    return place
