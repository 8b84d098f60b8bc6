"""The runs of a batch, as a YAML list or a CSV table asks for them; checked before the first one starts."""

import csv
import os
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anova_report.errors import AnovaReportError, InputError, listing
from anova_report.io import files
from anova_report.io.sinks import file_name
from anova_report.report.jobs.yaml_files import read_yaml
from anova_report.report.notebooks.notebook_export import find_notebook
from anova_report.report.notebooks.parameters import RESULTS, check_parameters, from_text, known_parameters

DEFAULT_NOTEBOOK = "audit"
LONGEST_NAME = 80  # characters; file systems allow 255 bytes
# Names that no file may have on Windows, and those of the batch's own files.
TAKEN = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?|index\.html|batch\.json", re.IGNORECASE)
PLACES = {"out": "audit.html", "save": "audit.json"}  # parameters that a notebook may have, and the files they name


@dataclass(frozen=True)
class BatchRun:
    """One run of a batch.

    Parameters
    ----------
    folder : str
        The name made safe for a file; unique in the batch.
    parameters : dict
        As they were given; JSON values, known to the notebook.
    places : dict
        Parameters that tell the notebook where to write its audit.
    cwd : Path
        Where relative paths start: the folder of the file that asked for the run.
    """

    name: str
    folder: str
    notebook: Path
    parameters: dict[str, Any]
    places: dict[str, str]
    cwd: Path


def read_runs(path: Path, out: Path, *, allow_outside: bool = False) -> tuple[BatchRun, ...]:
    """Read the runs that a file asks for, and check that each of them can be started.

    Parameters
    ----------
    path : Path
        YAML: a list of runs, or a mapping with `runs` and `defaults`. CSV: one row per run.
        `name` and `notebook` are keys or columns like the parameters; an empty cell leaves a parameter out.
        Relative paths start in the folder of this file.
    out : Path
        Folder of the batch. A notebook with the parameters `out` and `save` writes its audit there.
    allow_outside : bool
        Whether a run may name other places for them than below that folder.

    Raises
    ------
    InputError
        If the file cannot be read, or a run has no name, the name of another one, or unknown parameters.
    """
    if not path.is_file():
        raise InputError(f"There is no file {path}. Pass a YAML or CSV file with one entry per run.")
    entries = _csv(path) if path.suffix.lower() in (".csv", ".tsv") else _yaml(path)
    if not entries:
        raise InputError(f"{path} asks for no run. Add at least one, with a name and its parameters.")
    seen: dict[str, str] = {}
    for position, entry in enumerate(entries, start=1):
        name = entry.get("name")
        if name is None or isinstance(name, list | dict) or not str(name).strip():
            raise InputError(f"Run {position} of {path} has no name. Give each run a name of its own.")
        entry["name"] = name = str(name).strip()
        folder = safe_name(name)
        other = seen.setdefault(folder.casefold(), name)  # some file systems do not tell capitals apart
        if len(seen) < position:
            raise InputError(
                f"Two runs, {other!r} and {name!r}, would be written to the folder {folder!r}. Rename one."
            )
    return tuple(_run(entry, path.parent, out, allow_outside) for entry in entries)


def safe_name(name: str) -> str:
    """Make a name safe for a file on any system: letters, digits, dots, hyphens and underscores are kept.

    Examples
    --------
    >>> [safe_name(name) for name in ("North / 2024", "../../etc", "con", "Größe", "???")]
    ['North-2024', 'etc', 'run-con', 'Größe', 'run']
    """
    short = file_name(unicodedata.normalize("NFC", name), "run")[:LONGEST_NAME].strip(".-") or "run"
    return f"run-{short}" if TAKEN.fullmatch(short) else short


def _yaml(path: Path) -> list[dict[str, Any]]:
    content = read_yaml(path)
    if not isinstance(content, dict):
        content = {"runs": content}
    unknown = sorted(str(key) for key in content if key not in ("runs", "defaults"))
    if unknown:
        raise InputError(f"{path} has the keys {listing(unknown)}, but only 'runs' and 'defaults' are known.")
    defaults, runs = content.get("defaults") or {}, content.get("runs") or []
    if not isinstance(defaults, dict) or not isinstance(runs, list) or not all(isinstance(run, dict) for run in runs):
        raise InputError(f"{path} should hold a list of runs, each a mapping of names to values, and so its defaults.")
    # Consent holds for the model beside which it is written.
    beside = {key: value for key, value in defaults.items() if key != "allow_pickle"}
    return [{**(beside if "model" in run else defaults), **run} for run in runs]


def _csv(path: Path) -> list[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text ({error}). Save it as CSV UTF-8.") from error
    entries = []
    rows = csv.DictReader(lines, delimiter=max(",;\t", key=(lines or [""])[0].count))
    for number, row in enumerate(rows, start=2):
        if None in row:
            raise InputError(f"Line {number} of {path} has more cells than the heading. Quote cells that hold a comma.")
        given = {str(name).strip(): cell for name, cell in row.items() if cell and cell.strip()}
        texts = ("name", "notebook")
        entries.append({name: cell.strip() if name in texts else from_text(cell) for name, cell in given.items()})
    return [entry for entry in entries if entry]


def _run(entry: Mapping[str, Any], cwd: Path, out: Path, allow_outside: bool) -> BatchRun:
    name, folder = entry["name"], safe_name(entry["name"])
    given = {key: value for key, value in entry.items() if key not in ("name", "notebook")}
    try:
        notebook = find_notebook(str(entry.get("notebook") or DEFAULT_NOTEBOOK), cwd)
        parameters = check_parameters(notebook, given)
        if not allow_outside and not files.is_inside(out / folder, out):
            raise InputError(
                f"{out / folder} is a link that leads outside of {out}. Remove it, or allow it: --allow-outside."
            )
        for key in RESULTS:
            place = cwd / str(parameters[key]) if parameters.get(key) else out
            if not allow_outside and not files.is_inside(place, out):
                raise InputError(
                    f"{key}: {parameters[key]} lies outside of {out}. Leave it out, or allow it: --allow-outside."
                )
        free = [key for key in known_parameters(notebook) if given.get(key) is None]
        here = Path(os.path.relpath(out / folder, cwd))  # the notebook is run in that folder
        places = {key: str(here / file) for key, file in PLACES.items() if key in free}
        return BatchRun(name, folder, notebook, parameters, places, cwd)
    except AnovaReportError as error:
        raise InputError(f"Run {name!r}: {error}") from error
