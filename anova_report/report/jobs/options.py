"""What an audit is asked to do: the options of the command line, the keys of a configuration file."""

import difflib
import json
import os
import shlex
from collections.abc import Collection, Mapping
from dataclasses import MISSING, Field, dataclass, fields
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeAlias, get_args, get_origin

from anova_report.errors import InputError, listing
from anova_report.io import files
from anova_report.report.jobs.column_groups import column_groups, column_texts, typed_group, typed_text

if TYPE_CHECKING:
    from anova_report.core.result.decomposition import Decomposition
    from anova_report.measures.status import Status

Names: TypeAlias = tuple[str, ...]
Settings: TypeAlias = dict[str, Any]  # a mapping in YAML; on the command line a YAML file, or YAML in brackets
Entries: TypeAlias = list[Any]  # likewise a list
Groups: TypeAlias = tuple[tuple[str, Names], ...]  # names of groups of columns, each with these
Texts: TypeAlias = tuple[tuple[str, str], ...]  # columns, each with a text
ScaleName: TypeAlias = Literal["identity", "log", "logit", "probability"]
FailOn: TypeAlias = Literal["warn", "fail"]
Tier: TypeAlias = Literal["high", "medium", "low"]

PATHS = ("data", "model", "population", "out", "save", "decomposition", "pdf", "reasons", "junit", "summary")
WORDLESS = ("fail_on", "json", "quiet")  # options that change what is printed, not what is made
SHORT = {"out": "-o"}
FLAGS = {  # where a flag is not the name of its key
    "feature_groups": "--feature-group",
    "fold_one_hot": "--no-fold",
    "labels": "--label",
    "units": "--unit",
    "what_if": "--no-what-if",
}
ONE_OF_TWO = {
    ("group", "time"): "Rows are held out by group or by time",
    ("weight", "exposure"): "Rows count by a weight or by their exposure",
    ("cluster", "workers"): "A run is on a cluster or on workers of this machine",
}
PREDICTIONS, COLUMNS, METHOD, OTHERS, SIGNED, RESULTS = (
    "where the predictions come from",
    "which columns and rows are explained",
    "how",
    "other explanations",
    "what is expected, waived and signed",
    "what is written and printed",
)


@dataclass(frozen=True)
class Option:
    """What the command line says about a field of a job.

    The heading under which it is listed, what it means, the word for its value, the smallest number and the only values
    that are allowed.
    """

    group: str
    words: str
    metavar: str | None = None
    least: int | None = None
    choices: tuple[Any, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Job:
    """One audit: every field is an option of `anova-report audit`, and a key of its configuration file.

    What a field means is written once, as its `Option`, from which the command line is made. `prediction` with several
    columns has several outputs, the first of `id` names the rows, and one text of `compare` may name several methods.
    """

    data: Annotated[
        str, Option("", "the table: .csv, .tsv, either with .gz, .parquet, .xlsx, or a folder of Parquet files", "DATA")
    ]
    prediction: Annotated[Names, Option(PREDICTIONS, "column(s) that hold the model's predictions", "COLUMN")] = ()
    model: Annotated[
        str | None,
        Option(
            PREDICTIONS,
            "ask a model instead: package.module:attribute, or a .skops, .onnx, XGBoost (.json, .ubj), LightGBM (.txt) "
            "or CatBoost (.cbm) file; .joblib and .pickle need --allow-pickle",
            "FILE",
        ),
    ] = None
    allow_pickle: Annotated[
        bool, Option(PREDICTIONS, "load the model though it is a pickle, which runs whatever code it holds")
    ] = False
    model_timeout: Annotated[
        int,
        Option(PREDICTIONS, "seconds after which a model that has not replied is stopped (3600)", "SECONDS", least=1),
    ] = 3600
    trust: Annotated[Names, Option(PREDICTIONS, "type(s) that a .skops file may hold", "TYPE")] = ()
    scale: Annotated[
        ScaleName | None,
        Option(
            PREDICTIONS,
            "what is explained: for classifiers log-odds (logit) where they exist, else probabilities; for models with "
            "a logarithmic link, and of rates, logarithms (log), whose effects read as factors; of a prediction column "
            "the numbers as they are, unless logit or log turns them",
            choices=get_args(ScaleName),
        ),
    ] = None
    output: Annotated[
        str | int | None, Option(PREDICTIONS, "one class of the model, or the position of an output", "CLASS")
    ] = None
    ask: Annotated[
        int | None,
        Option(
            PREDICTIONS,
            "ask the model also at N recombined rows, columns of one row with others of another (by default these and "
            "the rows are about 20,000); 0 for a model that costs money or writes something whenever it is asked",
            "N",
            least=0,
        ),
    ] = None
    target: Annotated[
        Names,
        Option(
            COLUMNS,
            "column(s) with the observed target, left out: the page says how accurate the model is, and how much of "
            "that simpler functions keep",
            "COLUMN",
        ),
    ] = ()
    split: Annotated[
        str | None,
        Option(
            COLUMNS,
            "column, left out, that says which rows were held out when the model was trained (true, 1 or test): "
            "accuracy is that of these",
            "COLUMN",
        ),
    ] = None
    protected: Annotated[
        Names,
        Option(
            COLUMNS,
            "column(s) of which the page says how they go with the predictions, directly and through which others; "
            "also columns that the model never gets",
            "COLUMN",
        ),
    ] = ()
    id: Annotated[Names, Option(COLUMNS, "column(s) that name rows, left out", "COLUMN")] = ()
    exclude: Annotated[Names, Option(COLUMNS, "other column(s) to leave out", "COLUMN")] = ()
    features: Annotated[Names, Option(COLUMNS, "explain these column(s) only", "COLUMN")] = ()
    group: Annotated[
        str | None,
        Option(
            COLUMNS,
            "column, left out, that says which rows belong together (a patient, a customer): they are held out as one",
            "COLUMN",
        ),
    ] = None
    time: Annotated[
        str | None, Option(COLUMNS, "column, left out, by which rows are held out in blocks of time", "COLUMN")
    ] = None
    weight: Annotated[
        str | None,
        Option(COLUMNS, "column, left out, that says how much each row counts; 0 leaves the row out", "COLUMN"),
    ] = None
    exposure: Annotated[
        str | None,
        Option(
            COLUMNS,
            "column, left out, with the exposure of each row: the rate is explained, the prediction at an exposure of "
            "1 (a prediction column is divided by it), and rows count by it",
            "COLUMN",
        ),
    ] = None
    where: Annotated[
        str | None,
        Option(
            COLUMNS,
            "explain only rows like \"age > 60 and region == 'south'\", under their own distribution, by the fit of "
            "all rows",
            "EXPRESSION",
        ),
    ] = None
    feature_groups: Annotated[
        Groups,
        Option(
            COLUMNS,
            "read some columns as one group, location=Latitude,Longitude; in the file a mapping of names to lists",
            "NAME=COLUMN,…",
        ),
    ] = ()
    fold_one_hot: Annotated[
        bool, Option(COLUMNS, "take columns of zeros and ones for themselves, not for the levels of one feature")
    ] = True
    sample: Annotated[int | None, Option(COLUMNS, "draw N rows", "N", least=3)] = None
    encoding: Annotated[str, Option(COLUMNS, "encoding of a CSV file (utf-8)")] = "utf-8"
    rows: Annotated[
        Names,
        Option(COLUMNS, "row(s) to explain one by one: values of --id if there is one, else numbers from 1", "ROW"),
    ] = ()
    max_order: Annotated[
        int, Option(METHOD, "1 main effects, 2 pairs (default), 3 triples", "K", choices=(1, 2, 3))
    ] = 2
    population: Annotated[
        str | None,
        Option(
            METHOD,
            "another table, of rows without predictions: effects and shares are those under its rows, which count by "
            "the column of --weight if they have it",
            "FILE",
        ),
    ] = None
    random_state: Annotated[
        int, Option(METHOD, "seed of the rows that are drawn and held out (0)", "SEED", least=0)
    ] = 0
    cluster: Annotated[
        str | None,
        Option(METHOD, "let a Dask cluster read the folder and ask the model: tcp://scheduler:8786", "ADDRESS"),
    ] = None
    workers: Annotated[
        int | None, Option(METHOD, "the same with N processes on this machine, of its Dask cluster", "N", least=1)
    ] = None
    compare: Annotated[
        Names,
        Option(
            OTHERS,
            "lay other explanations of the model over the main effects, with commas or blanks between them: treeshap, "
            "treeshap-interventional, kernelshap, deepshap, treehfd, ebm, nam, pdp, ale; needs --model",
            "METHOD",
        ),
    ] = ()
    compare_rows: Annotated[
        int | None, Option(OTHERS, "rows that each method explains (its own budget)", "N", least=1)
    ] = None
    expectations: Annotated[
        Names,
        Option(
            SIGNED,
            "what the model is expected to do, each checked against the bands: 'income: increasing', or a YAML file "
            "with a list of these",
            "FILE",
        ),
    ] = ()
    tier: Annotated[
        Tier | None,
        Option(
            SIGNED,
            "how much depends on the model: high tightens limits, low loosens some (medium)",
            choices=get_args(Tier),
        ),
    ] = None
    limits: Annotated[
        Settings | None,
        Option(SIGNED, "limits of findings, each with its reason: {AR002: {warn: 0.05, fail: 0.2, why: …}}", "FILE"),
    ] = None
    waivers: Annotated[
        Entries | None,
        Option(
            SIGNED,
            "findings that are accepted: [{code: AR008, who: …, why: …, until: 2027-06-30}]; they stay visible and do "
            "not decide the verdict",
            "FILE",
        ),
    ] = None
    as_of: Annotated[
        str | None, Option(SIGNED, "the day on which waivers must not have expired (today): 2026-11-19", "DATE")
    ] = None
    about: Annotated[
        Settings | None,
        Option(SIGNED, "purpose, owner, version, intended use, reviewers … of the model: {owner: …}", "FILE"),
    ] = None
    out: Annotated[str, Option(RESULTS, "the HTML page (audit.html)", "PAGE")] = "audit.html"
    pdf: Annotated[str | None, Option(RESULTS, "also the page as a PDF, printed by Chromium or Chrome", "FILE")] = None
    save: Annotated[
        str | None, Option(RESULTS, "also the audit as JSON, from which `render` makes the page again", "FILE")
    ] = None
    decomposition: Annotated[str | None, Option(RESULTS, "also the decomposition as JSON", "FILE")] = None
    reasons: Annotated[
        str | None,
        Option(RESULTS, "also, as CSV, what moves the prediction of each row most: up to four reasons a row", "FILE"),
    ] = None
    junit: Annotated[
        str | None, Option(RESULTS, "also the checks as JUnit XML, a failure each that reaches --fail-on", "FILE")
    ] = None
    summary: Annotated[
        str | None, Option(RESULTS, "also verdict, numbers and findings as Markdown, for the page of a CI run", "FILE")
    ] = None
    title: Annotated[str | None, Option(RESULTS, "title of the page")] = None
    labels: Annotated[
        Texts,
        Option(RESULTS, 'what readers see for a column, MedInc="Median income"; in the file a mapping', "COLUMN=TEXT"),
    ] = ()
    units: Annotated[
        Texts, Option(RESULTS, 'the unit of a column, MedInc="10 000 $"; in the file a mapping', "COLUMN=TEXT")
    ] = ()
    prediction_name: Annotated[str | None, Option(RESULTS, "what is predicted: house value", "TEXT")] = None
    prediction_unit: Annotated[str | None, Option(RESULTS, "the unit of the prediction: 100 000 $", "TEXT")] = None
    note: Annotated[Names, Option(RESULTS, "sentence(s) for the page", "TEXT")] = ()
    top_mains: Annotated[int, Option(RESULTS, "how many main effects are drawn (12)", "N", least=1)] = 12
    top_pairs: Annotated[int, Option(RESULTS, "how many pairs are drawn (12)", "N", least=0)] = 12
    what_if: Annotated[
        bool, Option(RESULTS, "leave out the panel that answers what the explanation says of a row that a reader types")
    ] = True
    fail_on: Annotated[
        FailOn | None, Option(RESULTS, "exit with 1 if the verdict is at least this bad", choices=get_args(FailOn))
    ] = None
    json: Annotated[bool, Option(RESULTS, "print the findings as JSON")] = False
    quiet: Annotated[bool, Option(RESULTS, "print errors only")] = False

    def __post_init__(self) -> None:
        if bool(self.prediction) == bool(self.model):
            given = "both" if self.model else "neither"
            raise InputError(
                f"Predictions come from columns of the table (prediction) or from a model (model); got {given}. Name "
                "one of the two."
            )
        named = (name.strip() for item in self.compare for name in item.split(","))
        object.__setattr__(self, "compare", tuple(dict.fromkeys(filter(None, named))))
        if self.compare:
            self._check_compare()
        self._check_pairs()
        if self.prediction and self.output is not None:
            raise InputError("output chooses a class of a model. Name the column of that class as prediction instead.")
        if self.prediction and self.ask is not None:
            raise InputError(
                "ask says how often a model is asked, but the predictions come from a column. Name the model itself "
                "instead (model), or leave ask out."
            )
        for item in fields(self):
            value, about = getattr(self, item.name), option_of(item)
            if value is not None and about.choices and value not in about.choices:
                raise InputError(f"{item.name} must be one of {listing(about.choices)}; got {value!r}.")
            if value is not None and about.least is not None and value < about.least:
                raise InputError(f"{item.name} must be at least {about.least}; got {value}.")

    def _check_pairs(self) -> None:
        """Refuse options of which only one can be meant."""
        for names, words in ONE_OF_TWO.items():
            if all(getattr(self, name) for name in names):
                raise InputError(f"{words}; got both. Name one of the two.")
        for roles, others, meant in (
            (self.target, self.prediction, "the observed target, and what predicts it"),
            (self.protected, self.prediction, "protected, and what it is held against"),
            (self.target, (self.split or "",), "the observed target, and what says where it was used"),
        ):
            both = next((name for name in roles if name in others), None)
            if both is not None:
                raise InputError(f"The column {both!r} cannot be {meant}. Name another column for one of the two.")
        if self.where and (self.population or self.compare):
            other = "population" if self.population else "compare"
            raise InputError(f"where explains some rows, and {other} refers to others. Leave one of the two out.")

    def _check_compare(self) -> None:
        from anova_report.compare.methods.registry import find_method  # noqa: PLC0415 --help needs no numbers

        for name in self.compare:
            find_method(name)
        if not self.model:
            raise InputError(
                "compare asks other methods about the model, but the predictions come from a column. Name the model "
                "itself instead (model)."
            )

    @property
    def left_out(self) -> Names:
        """Columns that are named for another purpose than to be explained."""
        together = tuple(name for name in (self.group, self.time, self.split, self.counted_by) if name is not None)
        return (*self.prediction, *self.target, *self.id, *self.exclude, *together)

    @property
    def results(self) -> tuple[str, ...]:
        """The files that are written, the page first."""
        also = (self.save, self.decomposition, self.pdf, self.reasons, self.junit, self.summary)
        return (self.out, *(place for place in also if place is not None))

    @property
    def counted_by(self) -> str | None:
        """The column by which rows count."""
        return self.weight if self.exposure is None else self.exposure

    @property
    def wanted_scale(self) -> ScaleName | None:
        """The scale that was asked for; that of rates is the logarithm."""
        return self.scale or (None if self.exposure is None else "log")

    def check_labels(self, columns: Collection[str]) -> None:
        """Refuse labels and units of columns that a table does not have."""
        from anova_report.core.result.labels import require_texts  # noqa: PLC0415 --help needs no numbers

        for name in ("labels", "units"):
            require_texts(name, dict(getattr(self, name)), columns)

    def labelled(self, dec: "Decomposition", columns: Collection[str]) -> "Decomposition":
        """Give a decomposition of a table with these columns its labels and units."""
        known = {*dec.feature_names}
        texts = ({name: text for name, text in held if name in known} for held in (self.labels, self.units))
        self.check_labels(columns)
        name = self.prediction_name or (None if self.exposure is None else "rate")
        return dec.labelled(*texts, prediction_name=name, prediction_unit=self.prediction_unit)

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
            Keys are the names of the options, with hyphens, underscores or blanks. One name may stand for a list
            of one.
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
        values = _checked(_filled(config, Path(folder or "")))
        if folder is not None:
            values |= _placed(values, Path(folder))
        typed = _checked(_filled(given or {}, Path()))
        if "model" in typed:
            values.pop("allow_pickle", None)  # the file allowed another one
        values |= typed
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
        for item in fields(self):
            value, flag = getattr(self, item.name), flag_of(item)
            if item.name in ("data", *WORDLESS) or (value == item.default and item.name != "out"):
                continue
            if isinstance(value, bool):
                words.append(flag)
                continue
            if isinstance(value, dict | list):  # JSON is YAML, too
                value = json.dumps(value, ensure_ascii=False, default=str)
            typed = typed_text if types_of(item) == (Texts,) else typed_group
            every = value if isinstance(value, tuple) else (value,)
            values = [typed(*one) if isinstance(one, tuple) else str(one) for one in every]
            if any(one.startswith("-") for one in values):
                # What looks like an option must stand in the same word as its own.
                words += [f"{flag}={one}" for one in values]
            else:
                words += [SHORT.get(item.name, flag), *values]
        return shlex.join(words)


def option_of(item: "Field[Any]") -> Option:
    """Return what is said about a field of a job."""
    found: Option = get_args(item.type)[1]
    return found


def flag_of(item: "Field[Any]") -> str:
    """Return the flag of a field on the command line."""
    return FLAGS.get(item.name, f"--{item.name.replace('_', '-')}")


def types_of(item: "Field[Any]") -> tuple[Any, ...]:
    """List the types that a field of a job takes: `Names` and `Groups` for lists, others are bool, int and str."""
    wanted = get_args(item.type)[0]
    if wanted in (bool, int, str, Names, Groups, Texts):
        return (wanted,)
    return tuple(kind for kind in get_args(wanted) if kind in (str, int, Settings, Entries)) or (str,)


def exit_code(verdict: "Status | None", fail_on: FailOn | None) -> int:
    """Return 1 if a verdict is as bad as `fail_on`, else 0.

    Examples
    --------
    >>> exit_code("warn", "warn"), exit_code("warn", "fail"), exit_code("fail", None)
    (1, 0, 0)
    """
    from anova_report.measures.status import SEVERITY  # noqa: PLC0415 --help needs no numbers

    return 0 if verdict is None or fail_on is None else int(SEVERITY[verdict] >= SEVERITY[fail_on])


def example_options(folder: str | os.PathLike[str] = ".") -> dict[str, Any]:
    """Train a small model on data of scikit-learn, write inputs and predictions to a table, and return its options."""
    from sklearn.datasets import load_diabetes  # noqa: PLC0415 only a notebook without a table asks for it
    from sklearn.ensemble import GradientBoostingRegressor  # noqa: PLC0415 likewise

    X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    model = GradientBoostingRegressor(random_state=0).fit(X, y)
    table = X.assign(prediction=model.predict(X))
    path = files.write_example(Path(folder) / "anova-report-example.csv", table.to_csv(index=False))
    title = "A gradient boosting model of the progression of diabetes"
    return {"data": str(path), "prediction": "prediction", "title": title}


def _checked(config: Mapping[str, Any]) -> dict[str, Any]:
    known, values = {item.name: item for item in fields(Job)}, {}
    for key, value in config.items():
        name = str(key).replace("-", "_").replace(" ", "_")
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"There are {listing(list(known), limit=len(known))}."
            raise InputError(f"There is no option {str(key)!r}. {hint}")
        if name in values:
            raise InputError(f"The option {name!r} stands there twice. Name it once.")
        values[name] = _value(known[name], value)
    return values


def _value(item: "Field[Any]", value: Any) -> Any:
    """Check a value against the type of its option; one text stands for a list of one."""
    if value is None and item.default is not MISSING:
        return item.default
    wanted = types_of(item)
    if type(value) is date and str in wanted:
        return value.isoformat()
    if wanted == (Groups,):
        return column_groups(item.name, value)
    if wanted == (Texts,):
        return column_texts(item.name, value)
    if wanted == (Names,):
        values = value if isinstance(value, list | tuple) else [value]
        if all(isinstance(one, str | int | float) and not isinstance(one, bool) for one in values):
            return tuple(str(one) for one in values)
        raise InputError(f"{item.name} must be a name or a list of names; got {value!r}.")
    if type(value) in tuple(get_origin(kind) or kind for kind in wanted):
        return value
    words: dict[Any, str] = {str: "text", int: "a whole number", bool: "true or false"}
    words |= {Settings: "a mapping of names to values", Entries: "a list"}
    raise InputError(f"{item.name} must be {' or '.join(words[kind] for kind in wanted)}; got {value!r}.")


def _filled(config: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Read what is named by a file, or written as YAML in brackets, where an option takes more than words."""
    from anova_report.report.jobs.yaml_files import read_text, read_yaml  # noqa: PLC0415 --help needs none

    held = {item.name for item in fields(Job) if {Settings, Entries} & set(types_of(item))}

    def read(text: str) -> Any:
        if text.lstrip()[:1] in "{[":
            return read_text(text)
        place = folder / text
        if not place.is_file():
            raise InputError(f"There is no file {place}. Name a YAML file, or write the YAML itself in brackets.")
        return read_yaml(place)

    found = dict(config)
    for key, value in config.items():
        name = str(key).replace("-", "_").replace(" ", "_")
        if name in held and isinstance(value, str) and value.strip():
            found[key] = read(value)
        elif name == "expectations" and value is not None:
            given = value if isinstance(value, list | tuple) else [value]
            # An expectation has a colon behind the name of a feature, and the name of a file has none.
            parts = [read(one) if isinstance(one, str) and ":" not in one and one.strip() else one for one in given]
            found[key] = _listed(parts)
    return found


def _listed(given: Any) -> list[Any]:
    """List expectations that YAML reads as mappings: `- income: increasing` is one of a name and what is expected."""
    if isinstance(given, dict):
        return [f"{name}: {words}" for name, held in given.items() for words in _listed(held)]
    return [one for part in given for one in _listed(part)] if isinstance(given, list | tuple) else [given]


def _placed(values: dict[str, Any], folder: Path) -> dict[str, str]:
    """Let relative paths start in a folder; the name of a Python object is no path."""
    from anova_report.report.sources.models import names_file  # noqa: PLC0415 --help needs no models

    paths = {name: values[name] for name in PATHS if isinstance(values.get(name), str)}
    return {name: str(folder / path) for name, path in paths.items() if name != "model" or names_file(path)}
