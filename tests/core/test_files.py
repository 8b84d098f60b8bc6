"""Writing files: the old content or the new, never half of it, and nothing left lying about."""

import os
import stat
from io import StringIO

import pytest

from anova_report.core import files
from anova_report.core.files import write_text
from anova_report.errors import InputError


def test_a_text_is_written_as_it_is_and_its_place_returned(tmp_path):
    path = write_text(tmp_path / "page.html", "ν × 1\n")
    assert path == tmp_path / "page.html"
    assert path.read_bytes() == "ν × 1\n".encode()
    assert list(tmp_path.iterdir()) == [path]


def test_a_text_that_cannot_be_encoded_leaves_the_old_file_and_nothing_else(tmp_path):
    path = write_text(tmp_path / "page.html", "old")
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "half \ud800")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name != "posix", reason="permission bits are a POSIX matter")
@pytest.mark.parametrize(("mask", "expected"), [(0o077, 0o600), (0o022, 0o644), (0o000, 0o666)])
def test_a_new_file_is_open_to_those_whom_the_mask_allows_and_the_mask_stays(tmp_path, mask, expected):
    before = os.umask(mask)
    try:
        path = write_text(tmp_path / "page.html", "")
        assert os.umask(mask) == mask
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == expected


class FullDisk(StringIO):
    """A stream whose disk is full after ten characters."""

    def write(self, text: str) -> int:
        super().write(text[:10])
        raise OSError(28, "No space left on device")


@pytest.mark.parametrize("old", [None, "old"])
def test_a_full_disk_leaves_what_was_there_and_nothing_else(tmp_path, monkeypatch, old):
    path = tmp_path / "page.html"
    if old is not None:
        path.write_text(old)

    def open_on_a_full_disk(descriptor: int, *_args: object, **_kwargs: object) -> FullDisk:
        os.close(descriptor)
        return FullDisk()

    monkeypatch.setattr(files.os, "fdopen", open_on_a_full_disk)
    with pytest.raises(OSError, match="No space left"):
        write_text(path, "a text of more than ten characters")
    assert [each.read_text() for each in tmp_path.iterdir()] == ([] if old is None else [old])


def test_a_place_that_can_be_written_is_accepted_whether_there_is_a_file_or_not(tmp_path):
    (tmp_path / "old.html").write_text("old")
    for name in ("old.html", "new.html"):
        files.check_place(tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old.html"]


@pytest.mark.parametrize(("place", "words"), [(".", "is a folder"), ("missing/page.html", "There is no folder")])
def test_a_place_that_cannot_be_written_is_refused_before_anything_is_made(tmp_path, place, words):
    with pytest.raises(InputError, match=words):
        files.check_place(tmp_path / place)


def test_a_folder_that_takes_no_files_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files.os, "access", lambda *_: False)
    with pytest.raises(InputError, match="Nothing can be written"):
        files.check_place(tmp_path / "page.html")
