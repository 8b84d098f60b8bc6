"""Writing files: the old content or the new, never half of it, and nothing left lying about."""

import os
import stat
import subprocess
import sys
from io import StringIO

import pytest

from anova_report.errors import InputError
from anova_report.io import files
from anova_report.io.files import write_text


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


@pytest.mark.parametrize("link", ["symlink_to", "hardlink_to", None])
def test_a_result_never_replaces_an_input_however_it_is_named(tmp_path, link):
    source, place = tmp_path / "data.csv", tmp_path / "page.html"
    source.write_text("a")
    if link is None:
        place = tmp_path / "." / "data.csv"
    else:
        getattr(place, link)(source)
    with pytest.raises(InputError, match="is named for two things"):
        files.claim([place], [source], overwrite=True)


def test_an_input_whose_name_no_file_can_have_is_left_to_its_reader(tmp_path):
    files.claim([tmp_path / "page.html"], ["\ud800", "a\0b"])


def test_only_our_own_files_are_replaced_unless_it_is_allowed(tmp_path):
    foreign, own, empty = (tmp_path / name for name in ("a.html", "b.html", "c.html"))
    foreign.write_text("<p>home</p>")
    own.write_text('<meta name="generator" content="anova_report">')
    empty.touch()
    files.claim([own, empty, tmp_path / "new.html"], [])
    with pytest.raises(InputError, match=r"a\.html is there already, and anova_report did not write it"):
        files.claim([foreign], [])
    files.claim([foreign], [], overwrite=True)


@pytest.mark.parametrize("name", ["\0", "a" * 300, "/dev/null"])
def test_what_cannot_be_a_file_is_refused_in_a_sentence(tmp_path, name):
    with pytest.raises(InputError):
        files.claim([tmp_path / name], [], overwrite=True)


def test_what_a_dead_process_left_is_removed_and_what_a_living_one_writes_is_not(tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    target = tmp_path / "page.html"
    living = files.passing_name(target)
    living.touch()
    (tmp_path / living.name.replace(f"-{os.getpid()}-", f"-{gone.pid}-")).touch()
    write_text(target, "new")
    assert sorted(tmp_path.iterdir()) == sorted([living, target])


def test_the_mask_of_the_process_is_never_touched(tmp_path, monkeypatch):
    monkeypatch.setattr(files.os, "umask", None)
    write_text(tmp_path / "page.html", "")
