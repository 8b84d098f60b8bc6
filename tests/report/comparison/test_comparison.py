import json

import pytest

from anova_report.errors import StorageError
from anova_report.report.comparison.comparison import STAMP, ComparisonPage, render_comparison
from tests.report.two_fits import planted_change


def test_a_comparison_comes_back_from_its_file_unchanged(tmp_path):
    page = planted_change().page()
    saved = page.save(tmp_path / "comparison.json")
    assert ComparisonPage.load(saved) == page
    assert render_comparison(ComparisonPage.load(saved)) == render_comparison(page)


def test_the_same_decompositions_give_the_same_bytes(tmp_path):
    first, second = (planted_change().page().save(tmp_path / name).read_bytes() for name in ("a.json", "b.json"))
    assert first == second
    written = json.loads(first)
    assert (written["schema"], written["version"]) == (STAMP.schema, STAMP.version)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "is not JSON"),
        ("[]", "does not hold a comparison"),
        (json.dumps({"schema": "anova_report.audit", "version": 1}), "does not hold a comparison"),
        (json.dumps({"schema": STAMP.schema, "version": STAMP.version + 1}), "reads up to"),
        (json.dumps({"schema": STAMP.schema, "version": 1, "title": "x"}), "not complete"),
    ],
)
def test_other_files_are_refused_in_words(tmp_path, content, said):
    place = tmp_path / "odd.json"
    place.write_text(content)
    with pytest.raises(StorageError, match=said):
        ComparisonPage.load(place)
