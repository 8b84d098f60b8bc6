"""YAML files with settings."""

from pathlib import Path
from typing import Any

import yaml

from anova_report.errors import InputError


def read_config(path: str) -> dict[str, Any]:
    """Read a YAML file that maps names to values; nothing in it is executed.

    Raises
    ------
    InputError
        If there is no such file, or it holds something else.
    """
    file = Path(path)
    if not file.is_file():
        raise InputError(f"There is no file {file}. Check the name and the folder ({Path.cwd()}).")
    try:
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is not UTF-8 text ({error}). Save it as UTF-8.") from error
    except yaml.YAMLError as error:
        raise InputError(f"{file} is not YAML: {' '.join(str(error).split())}.") from error
    if not isinstance(content, dict) or not all(isinstance(name, str) for name in content):
        raise InputError(f"{file} should hold one 'name: value' per line.")
    return content
