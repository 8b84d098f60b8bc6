"""Text from outside reaches a terminal, a page, a picture, a mail or a table as text, whatever it is made of."""

import ast
import csv
import io
import json
import re
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from jinja2 import nodes

from anova_report import Decomposition, FunctionalANOVA
from anova_report.cli import main
from anova_report.cli.commands import as_json, summary
from anova_report.explorer.downloads import csv_document
from anova_report.io import sinks
from anova_report.report.audit.audit import Audit
from anova_report.report.audit.build_audit import build_audit
from anova_report.report.comparison.build_comparison import build_comparison
from anova_report.report.comparison.comparison import ComparisonPage, render_comparison
from anova_report.report.mail import compose
from anova_report.report.notebooks.batch import render_index
from anova_report.report.notebooks.ledger import LedgerEntry
from anova_report.report.notebooks.notebook_export import notebook_page
from anova_report.report.notebooks.notebook_summary import Summary
from anova_report.report.page import assets, notebook_views
from anova_report.report.page.render import environment, render, write_report
from tests.report.tiny_notebooks import executed_notebook

POISON = "\x1b[31m\x07\r\n::add-mask::x\n##vso[task]##[error]\u202e\u2066\x9b2J\ud800\u2028\ufffe=1+1"
ILLEGAL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
ORDER = re.compile(r"^\s*::|##\[|##vso", re.MULTILINE)
FOLDER = Path(__file__).parent / "report" / "documents"
PACKAGE = Path(sinks.__file__).parents[1]
STRUCTURE = {"key", "anchor", "kind", "status", "verdict", "schema", "scale", "code", "created"}


def poisoned(written: Any, keys: set[str], name: str = "") -> Any:
    """Add to every text of a document what harms, but to those that hold it together."""
    if isinstance(written, dict):
        return {key: value if key in STRUCTURE else poisoned(value, keys, key) for key, value in written.items()}
    if isinstance(written, list):
        return [poisoned(value, keys, name) for value in written]
    return written + POISON if isinstance(written, str) and written not in keys else written


def load(cls: Any, name: str, folder: Path) -> Any:
    written = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    written.pop("plots", None)
    path = folder / name
    path.write_text(json.dumps(poisoned(written, set(written["figures"]))), encoding="utf-8")
    return cls.load(path)


@pytest.fixture(scope="module")
def audit(tmp_path_factory) -> Audit:
    return load(Audit, "audit_pairs.json", tmp_path_factory.mktemp("poisoned"))


@pytest.fixture(scope="module")
def page(audit, tmp_path_factory) -> Path:
    return write_report(audit, tmp_path_factory.mktemp("page") / "audit.html")


def test_pages_of_audits_and_comparisons(page, tmp_path):
    comparison = load(ComparisonPage, "comparison.json", tmp_path)
    for text in (page.read_text(encoding="utf-8"), render_comparison(comparison)):
        assert "::add-mask::" in text  # it is there, as text
        assert not ILLEGAL.search(text)


def test_views_in_notebooks(audit):
    views = (getattr(notebook_views, name) for name in ("verdict", "findings", "drivers", "main_effects", "cases"))
    for view in views:
        shown = view(audit)
        assert not ILLEGAL.search(shown.html)


def test_the_index_of_a_batch_and_the_page_of_a_notebook():
    entry = LedgerEntry(POISON, "folder", "done", summary=Summary(POISON, "warn", POISON, ()))
    failed = LedgerEntry(POISON, "other", "failed", message=POISON)
    assert not ILLEGAL.search(render_index([entry, failed], title=POISON))
    node = executed_notebook(text=POISON.replace("\ud800", ""))
    assert not re.search("[\x1b\x9b]", notebook_page(node, POISON, POISON))


def test_the_terminal(audit, capsys):
    for text in (sinks.terminal(summary(audit)), as_json(audit, Path("a"), "verdict", "verdict_words", "findings")):
        assert not ILLEGAL.search(text)
        assert not ORDER.search(text)
    assert main(["render", f"no{POISON}.json"]) == 2
    with pytest.raises(SystemExit):
        main(["render", "a.json", f"--{POISON}"])
    said = capsys.readouterr().err
    assert not ILLEGAL.search(said)
    assert not ORDER.search(said)
    assert said.count("\n") == 2


def test_mails(page):
    message = compose(page, to=["a@example.org"], sender="b@example.org", max_size=100)
    found = message_from_bytes(message.as_bytes(), policy=policy.default)
    bodies = [found.get_body((kind,)).get_content() for kind in ("plain", "html")]
    for text in (str(found["Subject"]), *bodies):
        assert not ILLEGAL.search(text)
    assert not re.search("^::", bodies[0], re.MULTILINE)


@pytest.mark.parametrize(
    "sign", [*"=+-@\t", "\ufeff=", "\u200b\ufeff @", "＝", "\ufeff＋", "－", "＠", "﹦", " \u00a0="]
)
def test_cells_of_csv_files_are_text(sign):
    written = csv_document({f"{sign}cmd": [f"{sign}1+cmd|'/c'!A0", "-0.5", -0.5]})
    cells = [row[0] for row in csv.reader(io.StringIO(written))]
    assert cells[0][0] == cells[1][0] == "'"
    assert cells[2:] == ["-0.5", "-0.5"]


def test_no_template_turns_escaping_off():
    folder = assets.folder("templates")
    for path in folder.rglob("*.html"):
        tree = environment().parse(path.read_text(encoding="utf-8"))
        filters = {node.name for node in tree.find_all(nodes.Filter)}
        assert not filters & {"safe", "forceescape", "xmlattr"}, path
        assert not list(tree.find_all(nodes.ScopedEvalContextModifier)), path


def test_nothing_is_printed_past_the_two_functions_that_print():
    """Whoever prints, or makes markup of a text, is listed here; a new one needs a reason."""
    found = set()
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("print", "Markup"):
                found.add((path.relative_to(PACKAGE).as_posix(), node.func.id))
    assert found == {
        ("explorer/fragments.py", "Markup"),
        ("explorer/living.py", "Markup"),  # of our own styles and scripts, and of packed letters
        ("io/terminal.py", "print"),
        ("report/page/assets.py", "Markup"),
        ("report/page/render.py", "Markup"),
        ("report/page/what_if_panel.py", "Markup"),  # of packed letters, which mean nothing in HTML
    }


def test_a_name_of_a_million_letters_is_stated_once_and_cut_where_it_is_drawn_or_saved(tmp_path):
    name, level = "x" * 1_000_000, "y" * 1_000_000
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.normal(size=200), "b": rng.normal(size=200), "c": rng.choice([level, "z"], size=200)})
    predictions = (X[name] * X["b"] + (X["c"] == "z")).to_numpy()
    dec = FunctionalANOVA(random_state=0, progress=False).fit(X, predictions).decomposition_
    audit = build_audit(dec, X, predictions=predictions, progress=False)
    compared = build_comparison(dec, dec, names=(name, "B"))
    saved = [tmp_path / f"{at}.json" for at in range(3)]
    for made, path in zip((dec, audit, compared), saved, strict=True):
        made.save(path)
    assert sum(path.stat().st_size for path in saved) < 5_000_000
    page = render(audit)
    assert page.count("x" * 500_000) == 2  # one name, twice half of it
    assert page == render(Audit.load(saved[1]))
    assert len(page) < 5_000_000
    assert len(render_comparison(ComparisonPage.load(saved[2]))) < 3_000_000
    assert Decomposition.load(saved[0]).feature_names[0] == name
