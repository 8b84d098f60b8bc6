"""The map of the rooms agrees with the import rules and with the folders."""

import re
import tomllib

from tests.docs.reading import ROOT

PACKAGE = ROOT / "anova_report"
ROWS = re.compile(r"^\| `(\w+)` \|.*\| ([^|]*) \| ([^|]*) \|$", re.MULTILINE)
MAP = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
INSIDE = (PACKAGE / "report" / "README.md").read_text(encoding="utf-8")


def test_the_map_lists_the_rooms_in_the_order_of_the_import_rules():
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    layers = next(rule["layers"] for rule in rules if rule["name"] == "Rooms import downwards only")
    assert [name for name, *_ in ROWS.findall(MAP)] == [layer.rpartition(".")[2] for layer in reversed(layers)]


def test_the_map_names_no_file_that_is_not_there():
    for room, _, first in ROWS.findall(MAP):
        for name in re.findall(r"`([\w/]+\.py)`", first):
            assert (PACKAGE / room / name).is_file() or (PACKAGE / name).is_file(), name
    for name in re.findall(r"`((?:figures|measures|core)/[\w/]+(?:\.py|/))`", MAP):
        assert (PACKAGE / name).exists(), name


def test_the_map_of_the_report_names_each_of_its_rooms_and_no_file_that_is_not_there():
    rooms = re.findall(r"^\| `(\w+)` \|.*\| (.*) \|$", INSIDE, re.MULTILINE)
    there = {path.name for path in (PACKAGE / "report").iterdir() if (path / "__init__.py").is_file()}
    assert {name for name, _ in rooms} == there
    for room, files in rooms:
        for name in re.findall(r"`(\w+\.py)`", files):
            assert (PACKAGE / "report" / room / name).is_file(), name
