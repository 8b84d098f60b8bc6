from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from anova_report.errors import InputError
from anova_report.explorer.controls import Saving
from anova_report.explorer.fragments import Link

LINKS = [Link("a.svg", "data:image/svg+xml;base64,YQ==", "Pictures")]


def shown(widget):
    return BeautifulSoup(widget.value, "html.parser").get_text().strip()


@pytest.fixture
def written():
    return []


@pytest.fixture
def saving(written):
    def write(path):
        written.append(path)
        return Path("/somewhere") / path

    return Saving(lambda: LINKS, write)


def test_it_is_folded_until_it_is_asked_for(saving):
    assert saving.box.layout.display == "none"
    saving.unfold.value = True
    assert saving.box.layout.display is None
    saving.unfold.value = False
    assert saving.box.layout.display == "none"


def test_files_are_made_when_they_are_asked_for_and_forgotten_with_what_they_show(saving):
    assert saving.links.value == ""
    saving.files.click()
    assert BeautifulSoup(saving.links.value, "html.parser").a["download"] == "a.svg"
    saving.forget()
    assert saving.links.value == ""


def test_the_report_is_written_where_the_field_says(saving, written):
    saving.path.value = "my audit.html"
    saving.report.click()
    assert written == ["my audit.html"]
    assert shown(saving.told) == "Written: /somewhere/my audit.html"
    assert not saving.report.disabled


@pytest.mark.parametrize("error", [InputError("no <rows>"), PermissionError("not here")])
def test_a_report_that_cannot_be_written_says_why(error):
    def write(_path):
        raise error

    saving = Saving(lambda: LINKS, write)
    saving.report.click()
    assert shown(saving.told) == f"Not written: {error}"
    assert "<rows>" not in saving.told.value
    assert not saving.report.disabled


def test_every_control_has_words_that_a_screen_reader_finds(saving):
    for control in (saving.unfold, saving.files, saving.path, saving.report):
        assert control.description.strip()
