"""Where the page finds its files, and how it packs them."""

import gzip
import re
from pathlib import Path

import pytest

from anova_report.errors import StorageError
from anova_report.report.page import assets
from tests.live_page import unpacked


def test_templates_and_notebooks_are_found_beside_the_package():
    root = Path(__file__).parents[3]
    assert assets.folder("templates") == root / "templates"
    assert assets.folder("notebooks") == root / "notebooks"


def test_an_installed_package_looks_inside_itself_first(tmp_path, monkeypatch):
    package = tmp_path / "anova_report"
    (package / "report" / "page").mkdir(parents=True)
    (tmp_path / "templates").mkdir()
    monkeypatch.setattr(assets, "__file__", str(package / "report" / "page" / "assets.py"))
    assert assets.folder("templates") == tmp_path / "templates"
    (package / "_templates").mkdir()
    assert assets.folder("templates") == package / "_templates"


def test_a_folder_that_is_nowhere_is_an_error_that_says_what_to_do():
    with pytest.raises(StorageError, match=r"no folder pictures .* Install anova_report again"):
        assets.folder("pictures")


def test_every_style_sheet_is_part_of_the_styles():
    styles = assets.page_styles()
    for name in assets.STYLES:
        assert (assets.folder("templates") / "styles" / name).read_text(encoding="utf-8") in styles


def test_styles_name_no_color_of_their_own():
    # Colors live in figures/style.py alone; sheets mix what it gives.
    sheets = [assets.folder("templates") / "styles" / name for name in assets.STYLES]
    text = "".join(sheet.read_text(encoding="utf-8") for sheet in sheets)
    assert not re.search(r"#[0-9a-f]{3}|rgba?\(|hsl|(:| )(white|black|gray|gray|red|green|blue|orange)[ ;,]", text)


def test_no_script_could_end_the_element_it_stands_in():
    assert "</script" not in assets.script("loader.js").lower()
    assert "<!--" not in assets.script("loader.js")


def test_packing_keeps_every_letter_and_is_the_same_every_time():
    text = "Füße, 🏠, \u202e and \x00\n" * 50
    letters = assets.packed(text)
    assert gzip.decompress(unpacked(letters)).decode() == text
    assert not set(letters) & set("<>&")
    assert unpacked(letters)[4:8] == bytes(4)  # the time when a gzip file was made


def test_a_process_keeps_bokehjs_packed_and_not_the_plots_of_every_page_it_made():
    assets.packed.cache_clear()
    for number in range(5):
        assets.packed("library")
        assets.packed(f"plots of page {number}")
        assets.packed(f"numbers of page {number}")
        assets.packed("panel")
    assert assets.packed.cache_info().hits == 8
    assert assets.packed.cache_info().currsize == 4
