"""Pages that the scripts of the gallery write are shown below the line that wrote them, and can be downloaded."""

import shutil
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "gallery" / "made" / "pages"
FRAME = """
.. raw:: html

    <figure class="audit-page">
    <iframe src="../pages/{name}" title="{title}" loading="lazy"></iframe>
    <figcaption><a href="../pages/{name}" target="_blank">Open the page by itself</a> ·
    <a href="../pages/{name}" download>Download it</a> ({size:.1f} MB, one file)</figcaption>
    </figure>

"""


def page_scraper(_block: Any, variables: dict[str, Any], _settings: dict[str, Any]) -> str:
    """Take the pages that a block of a script wrote, and show them."""
    shown = []
    for page in sorted(Path(variables["src_file"]).parent.glob("*.html")):
        kept = Path(shutil.move(page, FOLDER / page.name))
        shown.append(FRAME.format(name=kept.name, title=page.stem, size=kept.stat().st_size / 1e6))
    return "".join(shown)
