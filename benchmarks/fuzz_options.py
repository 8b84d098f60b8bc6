"""Checks of `benchmarks.fuzz` for expressions that choose rows, and what audits are judged by and labelled with."""

import contextlib
import shlex
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml

from anova_report.cli.commands import OWN
from anova_report.cli.parser import parser
from anova_report.core.input.where import rows_where
from anova_report.errors import InputError
from anova_report.measures.policy import Policy
from anova_report.report.audit.about import read_about
from anova_report.report.audit.audit import Audit
from anova_report.report.jobs.job import JUDGED_BY
from anova_report.report.jobs.options import Job
from anova_report.report.page.render import render
from benchmarks.hostile_options import Meaning, harm_in_cells, harm_in_page, written

if TYPE_CHECKING:
    from benchmarks.fuzz import Fuzz

RESULTS = {"out": "new.html", "save": "new.json", "decomposition": "new-d.json", "reasons": "new.csv"}
BASE = {"data": "signed.csv", "prediction": "p", "max_order": 1, "top_mains": 1, "top_pairs": 0, "quiet": True}


def check_meaning(fuzz: "Fuzz", drawn: tuple[str, Meaning]) -> None:
    """Choose rows by an expression whose meaning is known."""
    text, meaning = drawn
    with fuzz.case("expressions", text):
        if not np.array_equal(rows_where(text, fuzz.signed), meaning(fuzz.signed)):
            raise AssertionError("other rows than it says")


def check_expression(fuzz: "Fuzz", text: str) -> None:
    """Choose rows by an expression that may do anything; it does nothing."""
    fuzz.clear()
    with fuzz.case("injections", text), contextlib.chdir(fuzz.folder), _harmless(fuzz):
        found = rows_where(text, fuzz.signed)
        if found.shape != (len(fuzz.signed),) or found.dtype != bool:
            raise AssertionError(f"chose {found!r}")


@contextlib.contextmanager
def _harmless(fuzz: "Fuzz") -> Iterator[None]:
    """Notice what is written, also where the expression is refused."""
    try:
        yield
    finally:
        if written(fuzz.folder):
            raise AssertionError(f"wrote {written(fuzz.folder)}")


def check_reading(fuzz: "Fuzz", given: dict[str, Any]) -> None:
    """Read options as Python takes them, and as a job does, whose command makes the same job again."""
    with fuzz.case("options", given):
        Policy.read(**{name: value for name, value in given.items() if name in JUDGED_BY})
    with fuzz.case("options", given):
        read_about(given.get("about"))
    with fuzz.case("options", given):
        job = Job.from_config(BASE | {"quiet": False} | given)
        words = shlex.split(job.command())
        typed = vars(parser().parse_args(words[1:]))
        again = Job.from_config({}, given={name: value for name, value in typed.items() if name not in OWN})
        if _said(again) != _said(job):
            raise AssertionError(f"{words} makes {again}")


def _said(job: Job) -> tuple[Job, Policy | None, object]:
    """Say what a job asks for: what it is judged by as it is read, whichever way it was written."""
    given = {name: getattr(job, name) for name in JUDGED_BY}
    try:
        judged, about = Policy.read(**given), read_about(job.about)
    except InputError:
        judged, about = None, None
    return replace(job, limits=None, waivers=None, about=None), judged, about


def check_signed(fuzz: "Fuzz", given: dict[str, Any]) -> None:
    """Carry out an audit with options from a file, and look at all that it wrote."""
    try:
        text = yaml.safe_dump(BASE | RESULTS | given, allow_unicode=True)
        (fuzz.folder / "options.yaml").write_text(text, encoding="utf-8", errors="surrogatepass")
    except yaml.YAMLError:
        return
    fuzz.command(["audit", "--config", "options.yaml"], "signed")
    if not written(fuzz.folder):
        return
    with fuzz.case("pages", given):
        page, cells = ((fuzz.folder / RESULTS[name]).read_text(encoding="utf-8") for name in ("out", "reasons"))
        wrong = [*harm_in_page(page, fuzz.n_scripts), *harm_in_cells(cells)]
        if page != render(Audit.load(fuzz.folder / RESULTS["save"])):
            wrong.append("the saved audit gives another page")
        if wrong or set(written(fuzz.folder)) != set(RESULTS.values()):
            raise AssertionError(f"{wrong}, {written(fuzz.folder)}")
