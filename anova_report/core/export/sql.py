"""The explained prediction as one SELECT, which a database evaluates without our code.

Functions are written piece by piece, each looked up by the number of its piece, so that no join is needed.
Sums and choices are balanced trees: databases bound how deep an expression may be nested.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.basis.marginals import MarginalReference, NominalMarginal
from anova_report.core.export.piecewise import Pieces
from anova_report.core.input.features import UNSEEN, Feature
from anova_report.core.result.terms import Term
from anova_report.errors import InputError, listing
from anova_report.io.files import SQL_MARK

if TYPE_CHECKING:
    from anova_report.core.result.decomposition import Decomposition

ROW = "explained_row"  # what a row of the table is called inside
COLUMN = "explained_prediction"
MOST_COLUMNS = 1900  # of a result inside: SQLite has no more than 2,000
LINKS = {  # from what is explained, v, to the prediction's own scale, without numbers beyond all numbers
    "logit": "CASE WHEN {v} >= 0 THEN 1e0 / (1e0 + exp(-{v})) ELSE exp({v}) / (1e0 + exp({v})) END",
    "log": "exp({v})",
}


@dataclass(frozen=True)
class Dialect:
    """How a database reads values: numbers, texts, times as seconds since 1970, and whether rows can be handed on."""

    number: str
    text: str
    time: str
    hands_on: bool  # a whole row as one value, so that the row comes back beside what was computed from it


DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {
        "duckdb": Dialect(
            "nullif(CAST({column} AS DOUBLE), CAST('NaN' AS DOUBLE))",
            "CAST({column} AS VARCHAR)",
            "epoch({column})",
            hands_on=True,
        ),
        "sqlite": Dialect(
            "CAST({column} AS REAL)",
            "CAST({column} AS TEXT) COLLATE BINARY",
            # Times are texts there; %f has milliseconds.
            "CASE typeof({column}) WHEN 'text' THEN CAST(strftime('%s', {column}) AS REAL) - "
            "CAST(strftime('%S', {column}) AS REAL) + CAST(strftime('%f', {column}) AS REAL) "
            "ELSE CAST({column} AS REAL) END",
            hands_on=False,
        ),
    }
)


@dataclass
class Levels:
    """Nested selects from the inside out: what each adds to the columns it has."""

    values: dict[str, str] = field(default_factory=dict)  # x: numbers, and codes of ordered levels
    pieces: dict[str, str] = field(default_factory=dict)  # p: which piece a value is in
    places: dict[str, str] = field(default_factory=dict)  # u: where within it
    functions: dict[str, str] = field(default_factory=dict)  # f: functions there; g: their sums


@dataclass(frozen=True, eq=False)
class Products:
    """One output as a constant, a sum of functions for each feature, and products of functions of several."""

    constant: float
    sums: Mapping[int, Floats]  # by feature, shape (n_functions,)
    products: Mapping[Term, Mapping[tuple[int, ...], float]]  # by features, then by the functions of these

    @property
    def multiplied(self) -> set[tuple[int, int]]:
        """Features, and which of their functions, that products take."""
        every = ((features, key) for features, own in self.products.items() for key in own)
        return {pair for features, key in every for pair in zip(features, key, strict=True)}

    @classmethod
    def of(cls, dec: "Decomposition", output: int, n_functions: Callable[[int], int]) -> "Products":
        """Collect the products of all components by what they are products of."""
        constant = float(dec.expansion.mean[output])
        sums: dict[int, Floats] = {}
        products: dict[Term, dict[tuple[int, ...], float]] = {}
        for component in dec.expansion.components:
            constant += float(component.offset[output])
            for degrees, coefficient in zip(component.degrees, component.coefficients[:, output].tolist(), strict=True):
                used = np.flatnonzero(degrees)
                features = tuple(component.term[at] for at in used)
                functions = tuple(int(degrees[at]) - 1 for at in used)
                if len(features) > 1:
                    own = products.setdefault(features, {})
                    own[functions] = own.get(functions, 0.0) + coefficient
                elif features:
                    sums.setdefault(features[0], np.zeros(n_functions(features[0])))[functions[0]] += coefficient
                else:
                    constant += coefficient
        return cls(constant, sums, products)


def select(dec: "Decomposition", dialect: str, table: str, *, own_scale: bool = False) -> str:
    """Write the SELECT; `Decomposition.to_sql` tells what it is."""
    if dialect not in DIALECTS:
        raise InputError(f"dialect must be one of {listing(tuple(DIALECTS))}; got {dialect!r}.")
    if not isinstance(dec.expansion.reference, MarginalReference):
        raise InputError(
            "The published method divides by densities, for which there is no SELECT. Decompose with FunctionalANOVA()."
        )
    if own_scale and dec.scale not in LINKS:
        raise InputError(f"Predictions on the scale {dec.scale!r} are on their own scale. Leave own_scale out.")
    how, source = DIALECTS[dialect], identifier(table)
    _require_distinct([name for feature in dec.features for name in feature.sources])
    link = LINKS[dec.scale] if own_scale else "{v}"
    outputs = range(len(dec.output_names))
    names = [COLUMN if dec.single_output else f"{COLUMN}_{name}" for name in dec.output_names]
    if how.hands_on:
        inside = _values(dec, how, outputs, f"\nFROM {source} AS {ROW}", hands_on=True)
        found = [f"{link.format(v=f'v{at}')} AS {identifier(name)}" for at, name in enumerate(names)]
        body = ",\n".join([f"{ROW}.*", *found]) + f"\nFROM ({inside})"
    else:
        each = [_values(dec, how, [at], "", hands_on=False) for at in outputs]
        found = [
            f"(SELECT {link.format(v=f'v{at}')} FROM ({inside}) LIMIT 1) AS {identifier(name)}"  # noqa: S608 names are quoted
            for at, (inside, name) in enumerate(zip(each, names, strict=True))
        ]
        body = ",\n".join([f"{ROW}.*", *found]) + f"\nFROM {source} AS {ROW}"
    return f"{SQL_MARK}, for {dialect}\nSELECT {body}\n"


def _values(dec: "Decomposition", how: Dialect, outputs: Sequence[int], source: str, *, hands_on: bool) -> str:
    """Write what selects the explained value of each output, v0, v1, …, from the columns of a row."""
    marginals = dec.expansion.reference.marginals  # type: ignore[attr-defined]  # of a MarginalReference
    pieces = [Pieces.of(marginal) for marginal in marginals]
    parts = [Products.of(dec, output, lambda feature: len(pieces[feature].cubics)) for output in outputs]
    levels, totals = Levels(), {}
    for output, own in zip(outputs, parts, strict=True):
        names = {feature: f"g{feature}_{output}" for feature in own.sums}
        for feature, weights in own.sums.items():
            levels.functions[names[feature]] = _function(feature, np.tensordot(weights, pieces[feature].cubics, 1))
        products = [_summed_products(features, every) for features, every in sorted(own.products.items())]
        totals[f"v{output}"] = balanced_sum([number(own.constant), *names.values(), *products])
        for feature, at in sorted(own.multiplied):
            levels.functions[f"f{feature}_{at}"] = _function(feature, pieces[feature].cubics[at])
    read = {feature for own in parts for feature in (*own.sums, *(one for one, _ in own.multiplied))}
    for feature in sorted(read):
        _place(levels, dec.features[feature], feature, marginals[feature], pieces[feature], how)
    return _nested(levels, totals, source, hands_on=hands_on)


def _nested(levels: Levels, totals: Mapping[str, str], source: str, *, hands_on: bool) -> str:
    """Nest selects: values of features, pieces, places in these, functions, sums of products."""
    row = {ROW: ROW} if hands_on else {}
    kept: list[dict[str, str]] = [row | (levels.values or {"x": "0"})]
    for own in (levels.pieces, levels.places):
        kept.append({name: name for name in kept[-1]} | own)
    kept += [row | (levels.functions or {"x": "0"}), row | dict(totals)]
    if max(map(len, kept)) > MOST_COLUMNS:
        raise InputError(
            f"The explanation is made of {max(map(len, kept)):,} functions of features, and databases compute no more "
            f"than {MOST_COLUMNS:,} in one SELECT. Decompose with max_order=1, or with fewer features."
        )
    # SQLite writes expressions of inner selects into outer ones, wherever these name them, unless both have a limit.
    end, written = ("" if hands_on else "\nLIMIT 1"), source
    for at, columns in enumerate(kept):
        listed = ",\n".join(name if name == own else f"{own} AS {name}" for name, own in columns.items())
        inside = f"\nFROM ({written})" if at else written
        written = f"SELECT {listed}{inside}{end}"
    return written


def _place(levels: Levels, feature: Feature, index: int, marginal: object, pieces: Pieces, how: Dialect) -> None:
    """Write how the value of a feature is read, and in which piece and where within it it lies."""
    x, p = f"x{index}", f"p{index}"
    if isinstance(marginal, NominalMarginal):
        unseen = pieces.cubics.shape[1] - 1
        missing = marginal.missing_cell if marginal.missing_cell >= 0 else unseen
        levels.values[p] = _code(feature, how, marginal.cells.tolist(), missing=str(missing), unseen=str(unseen))
        return
    levels.values[x] = _number(feature, how)
    n_moving, n_heavy = len(pieces.starts), len(pieces.heavy)
    heavy = "".join(
        f" WHEN {x} = {number(value)} THEN {n_moving + at}" for at, value in enumerate(pieces.heavy.tolist())
    )
    found = chosen(x, [number(value) for value in pieces.breaks.tolist()], [str(at) for at in range(n_moving)])
    levels.pieces[p] = f"CASE WHEN {x} IS NULL THEN {n_moving + n_heavy}{heavy} ELSE {found} END"
    places = [f"({x} - {number(s)}) / {number(w)}" for s, w in zip(pieces.starts, pieces.widths, strict=True)]
    levels.places[f"u{index}"] = by_piece(p, [*places, *["0e0"] * (n_heavy + 1)])


def _number(feature: Feature, how: Dialect) -> str:
    """Write how a value that has an order is read as a number."""
    if feature.has_levels:
        codes = [f"{code}e0" for code in range(len(feature.levels))]
        return _code(feature, how, codes, missing="NULL", unseen=number(UNSEEN))
    read = how.time if feature.kind in ("datetime", "duration") else how.number
    return read.format(column=_column(feature.name))


def _code(feature: Feature, how: Dialect, codes: Sequence[object], *, missing: str, unseen: str) -> str:
    """Write which code a level has; levels of one code are looked up together."""
    if feature.columns:
        return _code_of_columns(feature, how, codes, missing, unseen)
    texts: dict[object, list[str]] = {}
    for level, code in zip(feature.levels, codes, strict=True):
        # A whole number may be stored as one with decimals, and is the same level.
        also = [f"{level}.0"] if level.lstrip("-").isdecimal() and f"{level}.0" not in feature.levels else []
        texts.setdefault(code, []).extend(map(text, [level, *also]))
    column = how.text.format(column=_column(feature.name))
    known = "".join(f" WHEN {column} IN ({', '.join(own)}) THEN {code}" for code, own in texts.items())
    return f"CASE WHEN {_column(feature.name)} IS NULL THEN {missing}{known} ELSE {unseen} END"


def _code_of_columns(feature: Feature, how: Dialect, codes: Sequence[object], missing: str, unseen: str) -> str:
    columns = [how.number.format(column=_column(name)) for name in feature.columns]
    absent = " OR ".join(f"{column} IS NULL" for column in columns)
    known = "".join(f" WHEN {column} = 1e0 THEN {code}" for column, code in zip(columns, codes, strict=False))
    none = codes[-1] if len(codes) > len(columns) else unseen
    return f"CASE WHEN {absent} THEN {missing}{known} ELSE {none} END"


def _function(index: int, cubics: Floats) -> str:
    """Write a function of a feature, given by its cubics, shape (n_pieces, 4)."""
    return by_piece(f"p{index}", [_horner(f"u{index}", cubic) for cubic in cubics.tolist()])


def _horner(u: str, cubic: Sequence[float]) -> str:
    while len(cubic) > 1 and not cubic[-1]:
        cubic = cubic[:-1]
    *others, found = map(number, cubic)
    for coefficient in reversed(others):
        found = f"{coefficient} + {u} * ({found})" if " " in found else f"{coefficient} + {u} * {found}"
    return found


def _summed_products(features: Sequence[int], products: Mapping[tuple[int, ...], float]) -> str:
    """Write a sum of products, what several have in common outside of brackets."""
    first, *others = features
    if not others:
        return balanced_sum([f"{number(c)} * f{first}_{at}" for (at,), c in sorted(products.items())])
    inside: dict[int, dict[tuple[int, ...], float]] = {}
    for (at, *rest), coefficient in sorted(products.items()):
        inside.setdefault(at, {})[tuple(rest)] = coefficient
    return balanced_sum([f"f{first}_{at} * ({_summed_products(others, own)})" for at, own in inside.items()])


def balanced_sum(parts: Sequence[str]) -> str:
    """Write a sum that is nested no deeper than need be.

    Examples
    --------
    >>> balanced_sum(["a", "b", "c", "d"])
    '((a + b) + (c + d))'
    """
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return f"({balanced_sum(parts[:half])} + {balanced_sum(parts[half:])})"


def by_piece(piece: str, values: Sequence[str]) -> str:
    """Write the value of a piece, which is known by its number."""
    return chosen(piece, [str(at) for at in range(1, len(values))], values)


def chosen(name: str, limits: Sequence[str], values: Sequence[str]) -> str:
    """Write which of some values is taken: the first below the first limit, the last from the last limit on.

    Examples
    --------
    >>> chosen("x", ["1", "2"], ["a", "b", "c"])
    'CASE WHEN x < 1 THEN a ELSE CASE WHEN x < 2 THEN b ELSE c END END'
    """
    if len(set(values)) == 1:
        return values[0]
    half = len(values) // 2
    low, high = chosen(name, limits[: half - 1], values[:half]), chosen(name, limits[half:], values[half:])
    return f"CASE WHEN {name} < {limits[half - 1]} THEN {low} ELSE {high} END"


def number(value: float) -> str:
    """Write a number that reads back to the last bit; with an exponent, since DuckDB takes others for decimals.

    Examples
    --------
    >>> number(0.1), number(-2.0)
    ('0.1e0', '(-2.0e0)')
    """
    written = repr(float(value))
    written = written if "e" in written else f"{written}e0"
    return f"({written})" if value < 0 or written.startswith("-") else written


def text(value: str) -> str:
    """Write text between quotes."""
    return "'" + _writable(value).replace("'", "''") + "'"


def identifier(name: str) -> str:
    """Write the name of a column or a table between quotes, whatever it holds.

    Examples
    --------
    >>> identifier('my "own" column')
    '"my ""own"" column"'
    """
    return '"' + _writable(name or " ").replace('"', '""') + '"'


def _column(name: str) -> str:
    return f"{ROW}.{identifier(name)}"


def _writable(value: str) -> str:
    if "\0" in value or any("\ud800" <= sign <= "\udfff" for sign in value):
        raise InputError(f"{value!r:.80} holds a character that no database reads. Rename the column or the level.")
    return value


def _require_distinct(names: Sequence[str]) -> None:
    folded: dict[str, str] = {}
    for name in names:
        other = folded.setdefault(name.lower(), name)
        if other != name:
            raise InputError(f"Columns {other!r} and {name!r} are the same name in SQL. Rename one of them.")
