"""Results as the last line of a cell: a few lines of text, and a small table that is escaped like any page."""

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from anova_report import Decomposition, Explanation, explain, measures
from anova_report.compare import agreement, attribute
from anova_report.report import build_audit, build_comparison

N_ROWS = 400


@pytest.fixture(scope="module")
def dec() -> Explanation:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(N_ROWS, 8)), columns=["<b>dose</b>", *"bcdefgh"]).assign(site=1.0)
    return explain(lambda rows: (rows["<b>dose</b>"] + rows["b"] * rows["c"]).to_numpy(), X, progress=False)


@pytest.fixture(scope="module")
def results(dec) -> list[object]:
    other = attribute("pdp", dec.model, dec.X, like=dec, max_rows=50)
    found = [measures.fidelity(dec), measures.variance_shares(dec), measures.feature_totals(dec)]
    found += [measures.orthogonality(dec), measures.findings(dec), measures.support(dec, dec.X)]
    found += [measures.bands(dec, 0, dec.X), measures.explanation(dec, dec.X[:1]), other, agreement(dec, dec.X, other)]
    page = build_audit(dec, progress=False)
    return [dec, *found, page, build_comparison(dec, dec, dec.X, names=("then", "now"))]


def test_every_result_is_a_few_short_lines_and_a_small_table(results):
    for result in results:
        lines = repr(result).splitlines()
        assert 1 <= len(lines) <= 14, type(result)
        html = result._repr_html_()
        assert len(html) < 8000, type(result)
        page = BeautifulSoup(html, "html.parser")
        assert page.select("div.anova-report p strong")
        assert not page.find("b")  # names are data, not markup


def test_a_decomposition_says_what_was_explained_how_well_and_by_what(dec, tmp_path):
    first, fidelity, left_out, unread, head, _, *terms = repr(dec).splitlines()
    assert first == f"Explanation of A Python function: 400 rows, 8 features, {len(dec.terms)} terms"
    verdict = measures.status.VERDICTS[measures.findings(dec).verdict].lower()
    assert fidelity == f"held-out R² {measures.wording.score(measures.fidelity(dec).best)}, verdict: {verdict}"
    assert left_out == "Left out: 'site' (the same value in every row)."
    assert unread.startswith("The model does not read 'd', 'e', 'f', 'g', 'h' on the data: ")
    assert head.split() == ["term", "structural", "share", "total", "share"]
    assert {line.split("   ")[0].strip() for line in terms[:2]} == {"<b>dose</b>", "b × c"}
    dec.save(tmp_path / "dec.json")
    loaded = Decomposition.load(tmp_path / "dec.json")
    assert type(loaded) is Decomposition
    assert loaded.notes == dec.notes
    assert repr(loaded).startswith("Decomposition of A Python function: 400 rows")
