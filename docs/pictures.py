"""Pictures of pages and of the explorer, from the present code: `make pictures`, which builds the site first.

Run with `python -m docs.pictures`. Needs Chromium, and JupyterLab for the explorer.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image, ImageOps

from benchmarks.explorer import browser
from tests.explorer.lab import opened, running

HERE = Path(__file__).parent
PLACE, PAGES = HERE / "pictures", HERE / "gallery" / "made" / "pages"
COLORS = 96  # of a palette: flat pictures lose nothing, and stay small
THUMBNAIL = (480, 336)
SHOWN = {"which_explanation": "main-effects", "houses": "joint-effects", "insurance": "main-effects"}
CELLS = (
    "from anova_report import explain\nfrom anova_report.explorer import Explorer\n"
    "from sklearn.datasets import make_friedman1\nfrom sklearn.ensemble import GradientBoostingRegressor\n"
    "import pandas as pd\n"
    "X, y = make_friedman1(3000, n_features=5, noise=1.0, random_state=0)\n"
    "X = pd.DataFrame(X, columns=['heat', 'time', 'acid', 'dose', 'age'])\n"
    "model = GradientBoostingRegressor(random_state=0).fit(X, y)",
    "explorer = Explorer(explain(model, X, progress=False), term=('heat', 'time'))\nexplorer",
)


def keep(picture: bytes, name: str, size: tuple[int, int] | None = None, margin: int = 0) -> None:
    """Write a picture with a palette."""
    image = ImageOps.expand(Image.open(BytesIO(picture)).convert("RGB"), margin, "white")
    if size is not None:
        image = image.resize(size, Image.Resampling.LANCZOS)
    image.quantize(COLORS, dither=Image.Dither.NONE).save(PLACE / f"{name}.png", optimize=True)


@contextmanager
def page_of(chromium: Any, name: str, width: int, height: int, anchor: str = "") -> Iterator[Any]:
    """Open a page of the gallery."""
    with chromium.driven() as driven:
        page = driven.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
        page.goto((PAGES / f"{name}.html").as_uri() + (f"#{anchor}" if anchor else ""))
        page.wait_for_timeout(500)
        yield page
        page.close()


def pages(chromium: Any) -> None:
    """Take pictures of pages of the gallery: first screens, a pair, and small ones for the gallery itself."""
    for name, picture in (("houses", "page"), ("two_models", "comparison")):
        with page_of(chromium, name, 1180, 835) as page:
            keep(page.screenshot(), picture)
    with page_of(chromium, "simulator", 1180, 760, "interactions") as page:
        keep(page.locator("article.pair").first.screenshot(), "effects", margin=20)
    for script in sorted(HERE.glob("examples/*.py")):
        name = script.stem.partition("_")[2]
        with page_of(chromium, name, 960, 672, SHOWN.get(name, "")) as page:
            keep(page.screenshot(), f"thumb_{script.stem}", THUMBNAIL)


def explorer(chromium: Any) -> None:
    """Take a picture of the explorer with a pair, in JupyterLab."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running(Path(folder)) as lab,
        opened(chromium, lab, lab.write("explorer.ipynb", CELLS)) as notebook,
    ):
        notebook.page.set_viewport_size({"width": 1340, "height": 1400})
        notebook.command("application:toggle-left-area")
        notebook.run_all()
        notebook.run("explorer.tabs.go_to('term')")
        notebook.page.wait_for_timeout(3000)
        keep(notebook.page.locator(".anova-explorer").last.screenshot(), "explorer")


if __name__ == "__main__":
    with browser() as started:
        pages(started)
        explorer(started)
