"""Every promise of SECURITY.md names tests that are there."""

import re

from tests.docs.reading import ROOT

ROW = re.compile(r"^\| .*\| `(tests/\S+)` \| `(\w+)` \|$", re.MULTILINE)


def test_every_test_that_keeps_a_promise_is_there():
    rows = ROW.findall((ROOT / "SECURITY.md").read_text(encoding="utf-8"))
    assert len(rows) > 30
    missing = [name for file, name in rows if f"def {name}(" not in (ROOT / file).read_text(encoding="utf-8")]
    assert missing == []
