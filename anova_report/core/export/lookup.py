"""Lookup tables: the effect of every term at values of its features, as columns and as sheets of a workbook."""

import io
import math
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.basis.marginals import MarginalReference, NominalMarginal, NumericMarginal
from anova_report.core.input.features import UNSEEN, Feature
from anova_report.core.input.scales import scale_of
from anova_report.core.libraries import library
from anova_report.core.result import terms
from anova_report.core.result.terms import Term
from anova_report.errors import InputError, listing
from anova_report.io import sinks

if TYPE_CHECKING:
    from anova_report.core.result.decomposition import Decomposition

# Budgets: how many values of an ordered feature are listed, alone and in terms of two and three features, and how many
# lines a table has at most, which is also what a sheet holds.
MOST_VALUES, MOST_LINES = {1: 256, 2: 32, 3: 12}, 1_000_000
BACKENDS = ("pandas", "polars", "pyarrow")
STEPS = 6  # between two breaks of a curve, so that a straight line between listed values comes close
MISSING, NOT_SEEN, RARE = "(missing)", "(not seen in the fit)", "(rare levels)"
NUMBERED = re.compile(r"[\[\]:*?/\\]")  # what names of sheets may not hold
WHEN = (1980, 1, 1, 0, 0, 0)  # of all files in a workbook, so that equal tables are equal bytes


@dataclass(frozen=True, eq=False)
class Lookup:
    """The table of one term.

    Parameters
    ----------
    term : Term
    values : array of shape (n_lines, order)
        Values of the features, as the decomposition encodes them.
    texts : tuple of tuple of str
        Of each line what its values are called where they are no numbers; "" for numbers.
    effects : array of shape (n_lines, n_outputs)
    """

    term: Term
    values: Floats
    texts: tuple[tuple[str, ...], ...]
    effects: Floats


def lookup(dec: "Decomposition", term: Term) -> Lookup:
    """Evaluate a term at all combinations of the values that its features are listed at."""
    sides = [_listed(dec, index, len(term)) for index in term]
    n_lines = math.prod(map(len, sides))
    if n_lines > MOST_LINES:
        raise InputError(
            f"{dec.label(term)} has {n_lines:,} combinations of values, and a table at most {MOST_LINES:,}. Name the "
            "terms you want: terms=[…]."
        )
    lines = list(product(*sides))
    encoded = np.zeros((n_lines, len(dec.features)))
    encoded[:, list(term)] = [[value for value, _ in line] for line in lines]
    effects = dec.expansion.evaluate(encoded, [term])[:, 0]
    return Lookup(term, encoded[:, list(term)], tuple(tuple(said for _, said in line) for line in lines), effects)


def _listed(dec: "Decomposition", index: int, order: int) -> list[tuple[float, str]]:
    """List values of a feature, encoded, and what each is called where it is no number."""
    if not isinstance(dec.expansion.reference, MarginalReference):
        raise InputError(
            "The published method keeps no values of features to list. Decompose with FunctionalANOVA() for tables."
        )
    feature, marginal = dec.features[index], dec.expansion.reference.marginals[index]
    if isinstance(marginal, NominalMarginal):
        return _levels(feature, marginal, alone=order == 1)
    values = _values(marginal, MOST_VALUES[order], alone=order == 1)
    found = [(value, _text(feature, value)) for value in values.tolist()]
    return [*found, *([(math.nan, MISSING)] if marginal.missing else [])]


def _levels(feature: Feature, marginal: NominalMarginal, *, alone: bool) -> list[tuple[float, str]]:
    """List levels; beside other features rare ones, which have one effect, only once."""
    once = set() if alone else set(marginal.pooled[1:])
    found = [
        (float(code), RARE if not alone and code in marginal.pooled else level)
        for code, level in enumerate(feature.levels)
        if code not in once
    ]
    missing = [(math.nan, MISSING)] if marginal.missing_cell >= 0 else []
    return [*found, *missing, (UNSEEN, NOT_SEEN)]


def _values(marginal: NumericMarginal, most: int, *, alone: bool) -> Floats:
    """Choose values: where functions are known, steps between on curves, and values at which functions jump."""
    values = marginal.breaks
    if alone and marginal.curved:
        steps = np.linspace(values[:-1], values[1:], STEPS, endpoint=False)
        values = np.unique(np.r_[steps.ravel(), values[-1]])
    heavy = marginal.heavy if len(marginal.heavy) < most else marginal.heavy[:0]
    places = np.linspace(0, len(values) - 1, min(len(values), most - len(heavy))).round().astype(np.intp)
    return np.asarray(np.unique(np.r_[values[places], heavy]))


def _text(feature: Feature, value: float) -> str:
    if feature.has_levels:
        return feature.levels[int(value)]
    if feature.kind == "datetime":
        return str(np.datetime64(round(value * 1e6), "us"))
    return ""


def columns(dec: "Decomposition", chosen: Sequence[Term]) -> dict[str, list[Any]]:
    """Write tables of terms below each other: of each feature its name, its value and what that is called.

    Features are numbered within a term; a term has as many as its order, and the others are None.
    """
    order = max(map(len, chosen), default=1)
    effects = effect_names(dec)
    sides = [f"{name}_{at + 1}" for at in range(order) for name in ("feature", "value", "text")]
    found: dict[str, list[Any]] = {name: [] for name in ("term", *sides, *effects)}
    for term in chosen:
        table = lookup(dec, term)
        n_lines = len(table.values)
        found["term"] += [terms.label(term, dec.feature_names)] * n_lines
        for at in range(order):
            is_there = at < len(term)
            found[f"feature_{at + 1}"] += [dec.feature_names[term[at]] if is_there else None] * n_lines
            texts = [line[at] if is_there else "" for line in table.texts]
            values = table.values[:, at].tolist() if is_there else [None] * n_lines
            has_none = is_there and dec.features[term[at]].has_levels
            both = zip(values, texts, strict=True)
            found[f"value_{at + 1}"] += [None if has_none or text == MISSING else value for value, text in both]
            found[f"text_{at + 1}"] += [text or None for text in texts]
        for name, column in zip(effects, _effects(dec, table).T, strict=True):
            found[name] += column.tolist()
    return found


def frame(found: Mapping[str, Sequence[Any]], backend: str) -> Any:
    """Make a frame of one of three libraries from columns."""
    if backend not in BACKENDS:
        raise InputError(f"backend must be one of {listing(BACKENDS)}; got {backend!r}.")
    try:
        return nw.from_dict(found, backend=backend).to_native()  # type: ignore[arg-type]  # one of its names
    except ModuleNotFoundError as error:
        raise InputError(f"A frame of {backend} needs the package {backend}: pip install {backend}.") from error


def effect_names(dec: "Decomposition") -> list[str]:
    """Name the columns of effects: of each output the effect, on logarithms also the factor that it stands for."""
    kinds = ("effect", "factor") if scale_of(dec.scale).factors else ("effect",)
    names = [""] if dec.single_output else [f" {name}" for name in dec.output_names]
    return [f"{kind}{name}" for kind in kinds for name in names]


def _effects(dec: "Decomposition", table: Lookup) -> Floats:
    return np.hstack([table.effects, np.exp(table.effects)]) if scale_of(dec.scale).factors else table.effects


def workbook(dec: "Decomposition", chosen: Sequence[Term]) -> bytes:
    """Write a workbook: a sheet that lists terms and says what they add up with, then a sheet for each term."""
    openpyxl = library("openpyxl", "An .xlsx file")
    made = openpyxl.Workbook()
    made.properties.creator = "anova_report"
    effects = effect_names(dec)
    means = np.atleast_1d(np.asarray(dec.mean, dtype=np.float64))[None]
    constant = Lookup((), np.zeros((1, 0)), ((),), means)
    listed: list[Sequence[Any]] = [
        ["sheet", "term", "lines", *effects],
        [None, scale_of(dec.scale).mean, None, *_effects(dec, constant)[0].tolist()],
    ]
    first = made.active
    first.title = "terms"
    for number, term in enumerate(chosen, start=1):
        table, label = lookup(dec, term), terms.label(term, dec.feature_names)
        sheet = made.create_sheet(NUMBERED.sub("-", f"{number} {sinks.clean(label)}")[:31].rstrip("' "))
        found = zip(table.values.tolist(), table.texts, _effects(dec, table).tolist(), strict=True)
        lines = [[*(text or at for at, text in zip(values, texts, strict=True)), *own] for values, texts, own in found]
        _fill(sheet, [[*(dec.feature_names[index] for index in term), *effects], *lines])
        listed.append([sheet.title, label, len(lines)])
    _fill(first, listed)
    written = io.BytesIO()
    made.save(written)
    return _without_time(written.getvalue())


def _fill(sheet: Any, lines: Sequence[Sequence[Any]]) -> None:
    """Write lines, the first of which stays in sight; text stays text, whatever it begins with."""
    for row, line in enumerate(lines, start=1):
        for column, value in enumerate(line, start=1):
            cell = sheet.cell(row, column)
            is_text = isinstance(value, str)
            cell.value = sinks.in_full(sinks.cut(value)) if is_text else value
            if is_text:  # by its first sign it would be a formula, here and again when somebody edits the cell
                cell.data_type, cell.quotePrefix = "s", value.startswith(("=", "+", "-", "@"))
    sheet.freeze_panes = "A2"


def _without_time(packed: bytes) -> bytes:
    """Write a workbook again without the time at which it was made, and with its maker in plain sight."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(packed)) as old, zipfile.ZipFile(written, "w") as new:
        for name in sorted(old.namelist(), key=lambda name: name != "docProps/core.xml"):
            content = old.read(name)
            own = name == "docProps/core.xml"
            if own:
                content = re.sub(rb"<dcterms:(created|modified)[^>]*>[^<]*</dcterms:\1>", b"", content)
            new.writestr(zipfile.ZipInfo(name, WHEN), content, zipfile.ZIP_STORED if own else zipfile.ZIP_DEFLATED)
    return written.getvalue()
