"""What an audit is asked to do: the options of the command line, the keys of a configuration file."""

import difflib
import os
import shlex
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, fields
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias, get_args

from anova_report.compare.methods.registry import find_method
from anova_report.errors import InputError, listing
from anova_report.report.sources.models import names_file

Names: TypeAlias = tuple[str, ...]
ScaleName: TypeAlias = Literal["identity", "logit", "probability"]
FailOn: TypeAlias = Literal["warn", "fail"]

PATHS = ("data", "model", "out", "save", "decomposition")
WORDLESS = ("fail_on", "json", "quiet")  # options that change what is printed, not what is made
SHORT = {"out": "-o"}
ORDERS = (1, 2, 3)
SMALLEST = {"compare_rows": 1, "sample": 3, "top_mains": 1, "top_pairs": 0, "random_state": 0}
CHOICES: dict[str, tuple[Any, ...]] = {
    "scale": get_args(ScaleName),
    "fail_on": get_args(FailOn),
    "max_order": ORDERS,
}


@dataclass(frozen=True, kw_only=True)
class Job:
    """One audit, in the words of `anova-report audit`.

    Parameters
    ----------
    data : str
        The table: .csv, .tsv, either with .gz, or .parquet.
    prediction : tuple of str
        Column(s) with the model's answers; several are several outputs.
    model : str or None
        A file, or `package.module:attribute`, to be asked instead.
    trust : tuple of str
        Types that a .skops file may hold.
    scale : {"identity", "logit", "probability"} or None
        What answers mean; for models "logit" by default, for columns "identity".
    output : str, int or None
        One class of the model, or the position of one of its outputs.
    target, id, exclude : tuple of str
        Columns that are no inputs. The first identifier names the rows.
    features : tuple of str
        The only columns to explain.
    sample : int or None
        How many rows to draw.
    encoding : str
        Of a CSV file.
    compare : tuple of str
        Other methods that explain the model, from `compare.METHODS`; one text may name several, with commas.
    compare_rows : int or None
        How many rows each of them explains at most; by default each has a budget of its own.
    max_order : {1, 2, 3}
    random_state : int
        Decides which rows are drawn and which are held out.
    title : str or None
    note : tuple of str
        Sentences for the page.
    rows : tuple of str
        Rows to explain one by one: identifiers where `id` is given, else numbers from 1.
    top_mains, top_pairs : int
        How many effects are drawn.
    out : str
        Where the page goes.
    save, decomposition : str or None
        Where the audit and the decomposition go, as JSON.
    fail_on : {"warn", "fail"} or None
        Which verdict makes the command exit with 1.
    json, quiet : bool
        Whether findings are printed as JSON; whether anything else is printed.
    """

    data: str
    prediction: Names = ()
    model: str | None = None
    trust: Names = ()
    scale: ScaleName | None = None
    output: str | int | None = None
    target: Names = ()
    id: Names = ()
    features: Names = ()
    exclude: Names = ()
    sample: int | None = None
    encoding: str = "utf-8"
    compare: Names = ()
    compare_rows: int | None = None
    max_order: int = 2
    random_state: int = 0
    title: str | None = None
    note: Names = ()
    rows: Names = ()
    top_mains: int = 12
    top_pairs: int = 12
    out: str = "audit.html"
    save: str | None = None
    decomposition: str | None = None
    fail_on: FailOn | None = None
    json: bool = False
    quiet: bool = False

    def __post_init__(self) -> None:
        if bool(self.prediction) == bool(self.model):
            came = "both came" if self.model else "neither came"
            raise InputError(
                f"Answers come from columns of the table (prediction) or from a model (model); {came}. Name one of the "
                "two."
            )
        self._check_compare()
        if self.prediction and self.output is not None:
            raise InputError("output chooses a class of a model. Name the column of that class as prediction instead.")
        for name, known in CHOICES.items():
            value = getattr(self, name)
            if value is not None and value not in known:
                raise InputError(f"{name} must be one of {listing(known)}; {value!r} came.")
        for name, least in SMALLEST.items():
            value = getattr(self, name)
            if value is not None and value < least:
                raise InputError(f"{name} must be at least {least}; {value} came.")

    def _check_compare(self) -> None:
        named = tuple(name.strip() for item in self.compare for name in item.split(",") if name.strip())
        object.__setattr__(self, "compare", tuple(dict.fromkeys(named)))
        for name in self.compare:
            find_method(name)
        if self.compare and not self.model:
            raise InputError(
                "compare asks other methods about the model, but the answers come from a column. Name the model itself "
                "instead (model)."
            )

    @classmethod
    def from_config(
        cls,
        config: Mapping[str, Any],
        *,
        folder: str | os.PathLike[str] | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> Self:
        """Make a job of the keys of a configuration file.

        Parameters
        ----------
        config : mapping
            Keys are the names of the options, with hyphens or underscores. One name may stand for a list of one.
        folder : path, optional
            Where relative paths of `config` start; the working folder by default.
        given : mapping, optional
            What was typed: it wins over the file, and its paths start in the working folder.

        Raises
        ------
        InputError
            If a key is unknown or a value is not of its kind.

        Examples
        --------
        >>> Job.from_config({"data": "d.csv", "prediction": "p", "max-order": 1}, folder="audits").data
        'audits/d.csv'
        """
        known = {field.name: field for field in fields(cls)}
        values = _checked(config, known)
        if folder is not None:
            values = _placed(values, Path(folder))
        values |= _checked(given or {}, known)
        if "data" not in values:
            raise InputError("No table is named. Pass it: anova-report audit data.csv, or data: in the file.")
        return cls(**values)

    def command(self) -> str:
        """Write the command that makes the same audit again.

        Examples
        --------
        >>> Job(data="my data.csv", prediction=("p",), max_order=1).command()
        "anova-report audit 'my data.csv' --prediction p --max-order 1 -o audit.html"
        """
        words = ["anova-report", "audit", self.data]
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in ("data", *WORDLESS) or (value == field.default and field.name != "out"):
                continue
            words += _option(field.name, value)
        return shlex.join(words)


def _option(name: str, value: Any) -> list[str]:
    flag = SHORT.get(name, f"--{name.replace('_', '-')}")
    values = [str(item) for item in (value if isinstance(value, tuple) else (value,))]
    if any(item.startswith("-") for item in values):
        # What looks like an option must stand in the same word as its own.
        return [f"--{name.replace('_', '-')}={item}" for item in values]
    return [flag, *values]


def _checked(config: Mapping[str, Any], known: Mapping[str, "Field[Any]"]) -> dict[str, Any]:
    values = {}
    for key, value in config.items():
        name = str(key).replace("-", "_")
        if name not in known:
            raise InputError(_unknown(str(key), list(known)))
        values[name] = _value(known[name], value)
    return values


def _unknown(key: str, known: list[str]) -> str:
    near = difflib.get_close_matches(key.replace("-", "_"), known, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"There are {listing(known, limit=len(known))}."
    return f"There is no option {key!r}. {hint}"


def _value(field: "Field[Any]", value: Any) -> Any:
    """Check a value against the type of its option; one text stands for a list of one."""
    if value is None and field.default is not MISSING:
        return field.default
    if field.type == Names:
        values = value if isinstance(value, list | tuple) else [value]
        if all(isinstance(item, str | int | float) and not isinstance(item, bool) for item in values):
            return tuple(str(item) for item in values)
        raise InputError(f"{field.name} must be a name or a list of names; {value!r} came.")
    wanted = _types(field)
    if type(value) in wanted:
        return value
    words = {str: "text", int: "a whole number", bool: "true or false"}
    raise InputError(f"{field.name} must be {' or '.join(words[kind] for kind in wanted)}; {value!r} came.")


def _types(field: "Field[Any]") -> tuple[type, ...]:
    if field.type in (bool, int, str):
        return (field.type,)
    found = tuple(kind for kind in get_args(field.type) if kind in (str, int))
    return found or (str,)


def _placed(values: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Let relative paths start in a folder; the name of a Python object is no path."""
    paths = {name: values[name] for name in PATHS if isinstance(values.get(name), str)}
    if not names_file(paths.get("model", "")):
        del paths["model"]
    return values | {name: str(folder / path) for name, path in paths.items()}
