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
    own.write_text('<!doctype html><html><head>\n<meta name="generator" content="anova_report">')
    empty.touch()
    files.claim([own, empty, tmp_path / "new.html"], [])
    with pytest.raises(InputError, match=r"a\.html is there already, and anova_report did not write it"):
        files.claim([foreign], [])
    files.claim([foreign], [], overwrite=True)


PAGE = '<!doctype html>\n<html lang="en">\n<head>\n<meta name="generator" content="anova_report">\n<title>'


@pytest.mark.parametrize(
    ("text", "own"),
    [
        (PAGE, True),
        ('{"schema": "anova_report.audit", "version": 1}', True),
        ('{\n "schema": "anova_report.batch"}', True),
        ("# Made by anova_report 0.2.0\ndata: a.csv\n", True),
        ("Subject: a\nX-Mailer: anova_report\n\nbody", True),
        ('{\n "cells": [],\n "metadata": {\n  "anova_report": {\n   "made_by": "anova_report"\n  }\n }\n}', True),
        ('{"note": {"made_by": "anova_report"}}', False),
        ('{\n "cells": [\n  "\\"made_by\\": \\"anova_report\\""\n ],\n "metadata": {}\n}', False),
        ('{\n "cells": [\n  {\n   "made_by": "anova_report"\n  }\n ],\n "metadata": {}\n}', False),
        ('print(\'"made_by": "anova_report"\')\n', False),
        ("import a\n# Made by anova_report\n", False),
        ('[{"schema": "anova_report.audit"}]', False),
        ('{"a": {"schema": "anova_report.audit"}}', False),
        (f"<!doctype html><head><title>How to</title></head><body><pre>{PAGE}</pre>", False),
        (f"How pages begin: {PAGE}", False),
        ("Subject: a\n\nX-Mailer: anova_report\n", False),
        ("Notes\nX-Mailer: anova_report\n", False),
    ],
)
def test_a_file_is_our_own_by_what_stands_where_only_we_write(tmp_path, text, own):
    path = tmp_path / "file"
    path.write_text(text)
    assert files.is_own(path) is own


def test_files_of_a_folder_that_is_read_are_not_replaced(tmp_path):
    folder, elsewhere = tmp_path / "data", tmp_path / "elsewhere.parquet"
    folder.mkdir()
    elsewhere.write_text("a")
    (folder / "0.parquet").write_text("a")
    (folder / "1.parquet").symlink_to(elsewhere)
    for place in (folder / "0.parquet", elsewhere):
        with pytest.raises(InputError, match="is named for two things"):
            files.claim([place], [folder], overwrite=True)
    files.claim([folder / "audit.html"], [folder])


def test_a_foreign_file_that_appears_meanwhile_is_not_replaced_and_nothing_else_is_written(tmp_path):
    page, saved = tmp_path / "page.html", tmp_path / "saved.json"
    claimed = files.claim([page, saved], [])
    page.write_text("mine")
    with pytest.raises(InputError, match="is there already"):
        files.write_texts({saved: "{}", page: "<p>"}, claimed)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("page.html", "mine")]


def test_several_files_are_written_together_or_not_at_all(tmp_path):
    with pytest.raises(UnicodeEncodeError):
        files.write_texts({tmp_path / "a.json": "{}", tmp_path / "b.html": "half \ud800"})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="permission bits are a POSIX matter")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666])
def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path, mode):
    path = write_text(tmp_path / "page.html", "old")
    path.chmod(mode)
    write_text(path, "new")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", mode)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_only_ordinary_files_of_a_bounded_size_are_read_whole(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_bytes(b"abc")
    assert files.read_bytes(tmp_path / "file", 3) == b"abc"
    for path in (tmp_path / "pipe", "/dev/zero", tmp_path):
        with pytest.raises((InputError, IsADirectoryError)):
            files.read_bytes(path, 10)
    with pytest.raises(InputError, match="3 bytes; at most 2 bytes are read"):
        files.read_bytes(tmp_path / "file", 2)


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
