"""Libraries that only some models need."""

import importlib
from pathlib import Path
from typing import Any

from anova_report.errors import InputError


def library(name: str, path: Path) -> Any:
    """Import what a file of a model needs.

    Raises
    ------
    InputError
        If it is not installed; the message names the extra that brings it.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise InputError(f"Reading {path} needs {package}: pip install 'anova_report[models]'.") from error
