"""Look into a scene: its primitives by name, and everything that is written on it."""

from typing import Any

from anova_report.figures.figure import Data
from anova_report.figures.scene import Legend, Mark, Ruler, Scene, Text


def mark(scene: Scene, name: str) -> Any:
    """Return the only primitive of a name."""
    (found,) = (item for item in scene.items if isinstance(item, Mark) and item.name == name)
    return found


def ruler(scene: Scene, side: str) -> Ruler:
    """Return the only axis along an edge."""
    (found,) = (item for item in scene.items if isinstance(item, Ruler) and item.side == side)
    return found


def legend(scene: Scene) -> Legend:
    """Return the only legend."""
    (found,) = (item for item in scene.items if isinstance(item, Legend))
    return found


def written(scene: Scene) -> list[str]:
    """List the words of all texts."""
    return [words for item in scene.items if isinstance(item, Text) for words in item.words]


def pixels(scene: Scene, name: str) -> list[tuple[float, float]]:
    """Return where the items of a primitive with points lie on the picture, before they are moved."""
    found = mark(scene, name)
    panel = scene.panels[found.panel]
    return [(panel.across(x), panel.down(y)) for x, y in zip(found.x, found.y, strict=True)]


def assert_one_form(*kinds: Data) -> None:
    """Check that one live plot can show all of these."""
    assert len({data.scene().form for data in kinds}) == 1
