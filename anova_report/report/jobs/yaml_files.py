"""Reading YAML: the options of an audit, the runs of a batch; plain values in a bounded number, nothing is executed."""

from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from anova_report.errors import InputError
from anova_report.io import files

LARGEST_FILE, MOST_VALUES = 5_000_000, 100_000  # bytes and values of a configuration
DEEPEST, LONGEST_NUMBER = 50, 400  # lists in lists, and digits of a number: more are no options


def read_config(path: str) -> dict[str, Any]:
    """Read a YAML file that maps names to values, and refuse any other; nothing in it is executed."""
    file = Path(path)
    if not files.is_file(file):
        raise InputError(f"There is no file {file!s:.200}. Check the name and the folder ({Path.cwd()}).")
    content = read_yaml(file)
    if not isinstance(content, dict) or not all(isinstance(name, str) for name in content):
        raise InputError(f"{file} should hold one 'name: value' per line.")
    return content


def read_yaml(file: Path) -> Any:
    """Read a YAML file as plain values; one that grows without end when its aliases are filled in is refused."""
    try:
        text = files.read_bytes(file, LARGEST_FILE).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not UTF-8 text ({error}). Save it as UTF-8.") from error
    return read_text(text, file)


def read_text(text: str, name: object = "What was typed") -> Any:
    """Read YAML as plain values; `name` says in messages where it stands."""
    import yaml  # noqa: PLC0415 --help needs none

    try:
        _require_sense(name, yaml.parse(text, Loader=yaml.SafeLoader))
        loader = _plain_loader()(text)
        node = loader.get_single_node()
        if _values(node, {}) > MOST_VALUES:
            raise InputError(f"{name} has more than {MOST_VALUES:,} values when its aliases are filled in.")
        return None if node is None else loader.construct_document(node)
    except RecursionError as error:
        raise InputError(f"{name} is nested too deeply.") from error
    except (yaml.YAMLError, ValueError, TypeError, LookupError) as error:  # also of 2001-99-99, which is no date
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name} is not YAML: {' '.join(str(error).split()):.200}.") from error


def _require_sense(name: object, events: Iterable[Any]) -> None:
    """Refuse a file with too many values, or in too deep a nest, as soon as that is seen."""
    depth = 0
    for count, event in enumerate(events):
        name = type(event).__name__
        depth += name.endswith("StartEvent") - name.endswith("EndEvent")
        if count > MOST_VALUES:
            raise InputError(f"{name} has more than {MOST_VALUES:,} values.")
        if depth > DEEPEST:
            raise InputError(f"{name} is nested too deeply.")


def _plain_loader() -> Any:
    """Make a loader that takes times (12:30) for text, which YAML once took for numbers of base 60."""
    import yaml  # noqa: PLC0415 --help needs none

    class Plain(yaml.SafeLoader):
        pass

    def number(loader: Any, node: Any, read: Callable[..., Any]) -> Any:
        if ":" in node.value:
            return node.value
        if len(node.value) > LONGEST_NUMBER:
            raise ValueError(f"it holds a number of {len(node.value):,} digits")
        return read(loader, node)

    for kind in ("int", "float"):
        read = getattr(yaml.SafeLoader, f"construct_yaml_{kind}")
        Plain.add_constructor(f"tag:yaml.org,2002:{kind}", partial(number, read=read))
    return Plain


def _require_distinct(node: Any) -> None:
    """Refuse a mapping in which a key stands twice: all but the last would be lost without a word."""
    import yaml  # noqa: PLC0415 --help needs none

    if isinstance(node, yaml.MappingNode):
        keys = (key for key, _ in node.value if isinstance(key, yaml.ScalarNode) and not key.tag.endswith(":merge"))
        twice = next((key for key, count in Counter((key.tag, key.value) for key in keys).items() if count > 1), None)
        if twice is not None:
            raise ValueError(f"the key {twice[1]!r} stands there twice")


def _values(node: Any, known: dict[int, int]) -> int:
    """Count the values of a YAML document as if every alias were written out; more than enough where one holds itself.

    Nodes that are still being counted count as too many.
    """
    if id(node) not in known:
        known[id(node)] = MOST_VALUES + 1
        _require_distinct(node)
        inside = node.value if node is not None and not isinstance(node.value, str) else ()
        parts = (part for item in inside for part in (item if isinstance(item, tuple) else (item,)))
        known[id(node)] = 1 + sum(_values(part, known) for part in parts)
    return known[id(node)]
