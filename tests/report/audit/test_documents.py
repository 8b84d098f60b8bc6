import json

import pytest
from anova_report.report.audit.documents import schema_of

from anova_report import report
from anova_report.errors import StorageError
from anova_report.report.audit import audit
from anova_report.report.comparison import comparison
from tests.report.samples import sample_audit
from tests.report.two_fits import planted_change

CURE = "Pass another file."


def test_documents_say_what_they_are(tmp_path):
    saved = sample_audit().save(tmp_path / "audit.json"), planted_change().page().save(tmp_path / "comparison.json")
    assert [schema_of(path, CURE) for path in saved] == [audit.SCHEMA, comparison.SCHEMA]
    assert audit.SCHEMA != comparison.SCHEMA


@pytest.mark.parametrize("content", [{}, [], 7, "text", None, {"Schema": "x"}])
def test_other_json_says_nothing(tmp_path, content):
    place = tmp_path / "other.json"
    place.write_text(json.dumps(content))
    assert schema_of(place, CURE) == ""


@pytest.mark.parametrize("content", [b"", b"a,b", b"\xff\xfe", b"{"])
def test_what_is_not_json_is_told_with_what_to_do(tmp_path, content):
    place = tmp_path / "table.csv"
    place.write_bytes(content)
    with pytest.raises(StorageError, match=f"table.csv is not JSON .* {CURE}"):
        schema_of(place, CURE)


def test_comparisons_are_made_saved_and_written_by_the_same_words_as_audits(tmp_path):
    two = planted_change()
    page = report.build_comparison(two.before, two.after, two.X, names=("before", "after"))
    again = report.ComparisonPage.load(page.save(tmp_path / "comparison.json"))
    assert again == page
    assert report.write_comparison(again, tmp_path / "comparison.html").is_file()
    assert all(hasattr(report, name) for name in report.__all__)
