"""How the site is built: `make docs`. Nothing is fetched, neither while building nor by a reader's browser."""

import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # for the two modules beside this file

import embedding  # noqa: E402 found by the line above
import reference  # noqa: E402 likewise

import anova_report  # noqa: E402 likewise

project = "anova_report"
author = copyright = "the anova_report developers"  # noqa: A001 the name Sphinx reads
release = version = anova_report.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "examples", "gallery/made"]
templates_path = ["_templates"]
highlight_language = "none"  # blocks that name no language are commands
smartquotes_action = "qe"  # two hyphens begin an option
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
autosummary_generate = True
autodoc_typehints = "none"  # numpydoc states the types
numpydoc_show_class_members = False
copybutton_exclude = ".linenos, .gp, .go"

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "image_scrapers": ("embedding.page_scraper",),
    "reset_modules": (),
    "thumbnail_size": (480, 336),
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,  # that page would fetch scripts
    "show_signature": False,
    "min_reported_time": 10_000,
    "remove_config_comments": True,
    "abort_on_example_error": True,
}
# What the scripts of the gallery write; the folder is there before the first of them runs.
html_extra_path = ["gallery/made"]
embedding.FOLDER.mkdir(parents=True, exist_ok=True)

html_theme = "pydata_sphinx_theme"
html_title = "anova_report"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_math_renderer = "mathml"
html_sidebars = {"index": [], "start": [], "method": [], "benchmarks": [], "command_line": [], "read_an_audit": []}
html_theme_options = {
    "navbar_end": ["version", "theme-switcher"],
    "navbar_persistent": ["search-button"],
    "header_links_before_dropdown": 9,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def _inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(convert(node.astext()))
    raise nodes.SkipNode


def _block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="math">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def _fill(_app: Any, page: str, source: list[str]) -> None:
    """Fill in what the code itself says: options of commands, limits of findings."""
    if reference.holds_facts(page):
        source[0] = reference.fill(source[0])


def setup(app: Any) -> None:
    """Write formulas as MathML, which browsers draw by themselves; scripts for it would have to be fetched."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.connect("source-read", _fill)
