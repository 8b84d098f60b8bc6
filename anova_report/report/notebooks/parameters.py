"""Parameters of notebooks: which ones there are, and values that arrive in a kernel as they were meant."""

import difflib
import json
import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import papermill

from anova_report.errors import InputError, InputTypeError, listing
from anova_report.report.notebooks.notebook_export import read_notebook

RESULTS = ("out", "save", "decomposition")  # parameters that name files a notebook writes, as options of an audit do
WORDS: dict[str, Any] = {"true": True, "false": False, "none": None, "null": None}


def known_parameters(notebook: Path) -> dict[str, str]:
    """List the parameters of a notebook with their defaults as they are written there.

    Raises
    ------
    InputError
        If the file is no notebook, or names no kernel, so its language is not known.
    """
    read_notebook(notebook)  # papermill's own complaint about a file that is no notebook is not for users
    try:
        found = papermill.inspect_notebook(literal(notebook))
    except ValueError as error:
        raise InputError(f"{notebook} cannot be run: {error} Open and save it in Jupyter with a kernel.") from error
    return {name: about["default"] for name, about in found.items()}


def check_parameters(notebook: Path, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters as JSON values, or say which one is not JSON or not known to the notebook.

    papermill itself only warns of a misspelled name, and runs on with the default.
    """
    known = known_parameters(notebook)
    for name in parameters:
        if name in known:
            continue
        if not known:
            raise InputError(
                f"{notebook.name} takes no parameters, but {name!r} was given. Tag a cell of it with 'parameters'."
            )
        near = difflib.get_close_matches(str(name), known, n=1)
        advice = f"Did you mean {near[0]!r}?" if near else f"It knows {listing(list(known), limit=20)}."
        raise InputError(f"{notebook.name} has no parameter {name!r}. {advice}")
    return {name: json_value(value, name) for name, value in parameters.items()}


def json_value(value: Any, name: str) -> Any:
    """Turn a value into JSON types: numpy scalars, tuples and paths are converted, anything else is refused by name.

    Examples
    --------
    >>> json_value((np.int64(3), Path("a") / "b.csv", None), "example")
    [3, 'a/b.csv', None]
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, tuple | list):
        return [json_value(item, f"{name}[{position}]") for position, item in enumerate(value)]
    if isinstance(value, Mapping):
        strange = [key for key in value if not isinstance(key, str)]
        if strange:
            raise InputTypeError(
                f"The parameter {name} has the key {strange[0]!r:.60}, which is not text. Put it in quotes."
            )
        return {key: json_value(item, f"{name}[{key!r}]") for key, item in value.items()}
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise InputTypeError(
        f"The parameter {name} is {value!r:.60}, of type {type(value).__name__}, which cannot be handed to a notebook. "
        "Pass text, a finite number, true, false, none, or a list or mapping of these; "
        "data and models go by the path of their file, dates in quotes."
    )


def named_files(parameters: Mapping[str, Any], folder: Path) -> list[str]:
    """List the texts in parameters, other than results, that name a file; a folder is named by `data` only."""
    found = []
    texts = ((name, text) for name, value in parameters.items() if name not in RESULTS for text in _texts(value))
    for name, text in texts:
        try:
            if (folder / text).is_file() or (name == "data" and text and (folder / text).is_dir()):
                found.append(text)
        except (OSError, ValueError):
            continue  # a long text or one with a null character is no path
    return found


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _texts(item)


def from_text(text: str) -> Any:
    """Read a value that was typed on a command line or into a cell of a CSV file.

    Numbers, true, false, none, and JSON lists, mappings and quoted texts are read as such; all else stays text.

    Examples
    --------
    >>> [from_text(text) for text in ("3", "0.5", "True", "none", '["age", "sex"]', "prediction", '"3"')]
    [3, 0.5, True, None, ['age', 'sex'], 'prediction', '3']
    """
    plain = text.strip()
    if plain.lower() in WORDS:
        return WORDS[plain.lower()]
    try:
        return json.loads(plain, parse_constant=str)
    except (ValueError, RecursionError):  # also of whole numbers with thousands of digits
        return text


def literal(path: Path) -> str:
    """Write a path so that papermill, which fills in {names} of parameters, leaves its braces alone.

    Examples
    --------
    >>> literal(Path("{draft}.ipynb"))
    '{{draft}}.ipynb'
    """
    return str(path).replace("{", "{{").replace("}", "}}")
