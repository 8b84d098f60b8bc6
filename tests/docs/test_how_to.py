"""The Python of the site is run, page by page, as it is written."""

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from tests.docs.conftest import N_ROWS
from tests.docs.reading import SITE, blocks

PAGES = {str(page.relative_to(SITE)): page for page in (SITE / "start.md", *sorted(SITE.glob("how_to/*.md")))}
RUN = [name for name, page in PAGES.items() if blocks(page, "python")]


def asked(name: str, rows) -> dict[str, object]:
    """Return what a page takes as given: a model and its table, and one value a row for what it says of rows."""
    levels = make_column_transformer((OrdinalEncoder(), ["region"]), remainder="passthrough")
    truth = rows["income"] + 0.5 * rows["income"] * (rows["region"] == "south")
    model = make_pipeline(levels, GradientBoostingRegressor(n_estimators=40, max_depth=2, random_state=0))
    other = make_pipeline(levels, GradientBoostingRegressor(n_estimators=10, random_state=0)).fit(rows, truth)
    classes = np.where(truth + np.cos(7 * rows["age"]) > 0, "yes", "no")
    classifier = make_pipeline(levels, GradientBoostingClassifier(n_estimators=10, random_state=0)).fit(rows, classes)
    each = np.arange(N_ROWS)
    given = {"X": rows, "y": truth, "model": model.fit(rows, truth), "other_model": other, "classifier": classifier}
    given["X_new"] = rows.assign(income=3 * rows["income"])
    given |= {"exposure": 1 + each % 4, "patient": each // 3, "month": each // 25}
    if name == "how_to/large.md":  # of the folder, whose columns are numbers
        given["model"] = lambda table: np.asarray(table)[:, 0] * np.asarray(table)[:, 1]
    return given


@pytest.mark.parametrize("name", RUN)
def test_the_python_of_a_page_runs_as_it_is_written(name, rows, place, monkeypatch):
    monkeypatch.chdir(place)
    names = asked(name, rows)
    for lines in blocks(PAGES[name], "python"):
        exec(compile(lines, name, "exec"), names)  # noqa: S102 the page's own lines
    for word, found in list(names.items()):
        if word.startswith("test_"):  # tests that a page shows
            found()
        if hasattr(found, "close") and word == "explorer":
            found.close()
