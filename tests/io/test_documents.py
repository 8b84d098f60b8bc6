"""JSON that would take far more memory than its text, and files without an end, are refused before they are read."""

import json
import os
import sys
import threading
from pathlib import Path

import pytest

from anova_report import Decomposition
from anova_report.errors import StorageError
from anova_report.io import documents
from anova_report.report.audit.audit import Audit
from anova_report.report.comparison.comparison import ComparisonPage, render_comparison

FOLDER = Path(__file__).parents[1] / "report" / "documents"


@pytest.mark.parametrize("piece", ["[]", "{}", '""', '"ab"', "[[]]", '{"a":0}'])
def test_many_small_lists_and_texts_are_refused_before_they_take_their_memory(piece):
    with pytest.raises(ValueError, match="more than any document of its size"):
        documents.parse(f"[{','.join([piece] * 200_000)}]")


def test_few_small_lists_and_long_ones_are_read():
    assert documents.parse(f"[{','.join(['[]'] * 9_000)}]") == [[]] * 9_000
    numbers = [[at / 7 for at in range(20)]] * 5_000
    assert documents.parse(documents.dumps(numbers)) == numbers


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
@pytest.mark.parametrize("load", [Decomposition.load, Audit.load])
def test_devices_and_pipes_are_no_documents(tmp_path, load):
    os.mkfifo(tmp_path / "pipe.json")
    for path in (tmp_path / "pipe.json", "/dev/zero", "/dev/stdin"):
        late = threading.Timer(20, os._exit, [1])  # a pipe without a writer would be waited for until the end of time
        late.start()
        with pytest.raises((StorageError, OSError)):
            load(path)
        late.cancel()


def test_a_file_larger_than_any_document_is_refused_by_its_size(tmp_path):
    with (tmp_path / "large.json").open("wb") as stream:
        stream.truncate(documents.LARGEST + 1)
    with pytest.raises(StorageError, match=r"at most 300\.0 MB are read"):
        Decomposition.load(tmp_path / "large.json")


@pytest.mark.parametrize("number", [1e308, -1e308, sys.float_info.max])
def test_numbers_whose_differences_are_none_are_drawn_as_the_largest(tmp_path, number):
    written = json.loads((FOLDER / "comparison.json").read_text(encoding="utf-8"))
    written["figures"]["o0-term-drift"]["data"]["first"]["value"][2] = number
    (tmp_path / "comparison.json").write_text(json.dumps(written), encoding="utf-8")
    assert "<svg" in render_comparison(ComparisonPage.load(tmp_path / "comparison.json"))
