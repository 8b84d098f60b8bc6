"""What only a checkout of the project has, for notebooks that lean on it."""

import importlib
from types import ModuleType

from anova_report.errors import InputError

PACKAGE = "benchmarks"


def benchmark(name: str) -> ModuleType:
    """Import a module of the benchmarks, which know the paper's datasets and models.

    Parameters
    ----------
    name : str
        As in `benchmarks/experiments.py`, "experiments".

    Raises
    ------
    InputError
        If they are not there: an installed package does not carry them.
    """
    wanted = f"{PACKAGE}.{name}"
    try:
        return importlib.import_module(wanted)
    except ModuleNotFoundError as error:
        if error.name not in (PACKAGE, wanted):
            raise
        raise InputError(
            f"There is no {wanted} here. The paper's datasets and models are part of a checkout of the project, not of "
            "the installed package: run this in a checkout, after `pip install --editable .` there."
        ) from error
