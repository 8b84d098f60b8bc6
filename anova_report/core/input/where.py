"""Which rows of a table fulfill an expression such as "age > 60 and region == 'south'": read, never executed.

An expression compares columns with values, and joins comparisons by and, or, not. It is parsed as Python is, and all
that is not one of these is refused, so that an expression from elsewhere can do nothing.
"""

import ast
import difflib
import operator
import re
import unicodedata
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import inf
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.input.features import Feature, encode, recognize
from anova_report.core.input.table import UNNAMED, InputTable, open_table
from anova_report.errors import InputError, listing

# Budgets: what a person writes is far shorter.
MOST_CHARACTERS = 2000
MOST_PARTS = 300

Mask: TypeAlias = NDArray[np.bool_]

COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
TRUTH = {"true": True, "false": False}
TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}
REFUSED: dict[Any, str] = {
    ast.Call: "a call of a function",
    ast.Attribute: "a dot behind a name",
    ast.Subscript: "brackets behind a name",
    ast.BinOp: "arithmetic, or & and | (write and, or)",
    ast.Lambda: "a function",
    ast.NamedExpr: "an assignment",
    ast.UnaryOp: "a sign before anything but a number",
    ast.Starred: "an asterisk before a name",
    ast.Compare: "a comparison inside another",
    ast.BoolOp: "and, or inside a comparison",
    ast.Dict: "a mapping",
    ast.Set: "a list without in",
    (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp): "a loop",
    ast.Await: "a wait",
    ast.IfExp: "a condition with if",
    ast.JoinedStr: "a text with braces",
    ast.Constant: "a value that is compared with no column",
    ast.List: "a list without in",
    ast.Tuple: "a list without in",
}
QUOTED = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|`([^`]*)`""")


def rows_where(expression: str, X: Any) -> Mask:
    """Find the rows of a table that fulfill an expression.

    Allowed are names of columns (those with blanks in backticks), numbers, texts, true and false; comparisons, also in
    chains; `in` and `not in` lists; `is missing` and `is not missing`; and, or, not, parentheses. A missing value
    fulfills no comparison.

    Parameters
    ----------
    expression : str
    X : table of shape (n_rows, n_columns)

    Raises
    ------
    InputError
        If anything else stands there, or a column or a level that the table does not have.

    Examples
    --------
    >>> rows_where("x0 > 1 and not 2 <= x1 < 4", [[0.0, 1.0], [2.0, 3.0], [2.0, 4.0]]).tolist()
    [False, False, True]
    """
    if not isinstance(expression, str) or not expression.strip():
        raise InputError(f"where is an expression such as \"age > 60 and region == 'south'\"; got {expression!r}.")
    if len(expression) > MOST_CHARACTERS:
        raise InputError(f"where has {len(expression):,} characters; at most {MOST_CHARACTERS:,} are read. Shorten it.")
    tree, quoted = _parsed(expression)
    return Conditions(open_table(X), quoted).rows(tree)


def _parsed(expression: str) -> tuple[ast.expr, dict[str, str]]:
    """Parse an expression, and name the columns in backticks by what stands in their place."""
    quoted: dict[str, str] = {}
    mark = "quoted"
    while mark in unicodedata.normalize("NFKC", expression):  # as Python reads names
        mark += "_"

    def replaced(found: re.Match[str]) -> str:
        if found[2] is None:
            return found[1]
        quoted[f"{mark}{len(quoted)}"] = found[2]
        return f" {mark}{len(quoted) - 1} "

    text = QUOTED.sub(replaced, expression).strip()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Python, on what only a program would mean otherwise
            tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise InputError(
            f'where cannot be read: {expression!r:.200}. Write comparisons joined by and, or, not, such as "age > 60 '
            "and region in ['south', 'west']\"; names with blanks stand in backticks."
        ) from error
    if sum(1 for _ in ast.walk(tree)) > MOST_PARTS:
        raise InputError(f"where has more than {MOST_PARTS} parts. Shorten it, or write the rows to another table.")
    return tree, quoted


@dataclass(frozen=True, eq=False)
class Conditions:
    """A table, and the columns of it that conditions have named."""

    table: InputTable
    quoted: Mapping[str, str]  # names of columns in backticks, by what stands in their place
    _read: dict[str, tuple[Feature, Floats]] = field(default_factory=dict)

    def rows(self, node: ast.expr) -> Mask:
        """Find the rows that fulfill a condition."""
        match node:
            case ast.BoolOp(op=op, values=parts):
                join = np.logical_and if isinstance(op, ast.And) else np.logical_or
                return np.asarray(join.reduce([self.rows(part) for part in parts]), dtype=bool)
            case ast.UnaryOp(op=ast.Not(), operand=part):
                return np.logical_not(self.rows(part))
            case ast.Compare():
                sides = [node.left, *node.comparators]
                links = zip(sides, node.ops, sides[1:], strict=False)
                return np.asarray(np.logical_and.reduce([self._compared(*link) for link in links]), dtype=bool)
            case ast.Name() if self._column(node)[0].kind == "boolean":
                return np.asarray(self._column(node)[1] == 1)
            case ast.Name():
                raise InputError(f"where names {self._name(node)!r} without a comparison. Say what it must be.")
        raise self._refused(node)

    def _compared(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Mask:
        if isinstance(left, ast.Constant | ast.UnaryOp) and isinstance(right, ast.Name) and not self._is_truth(right):
            left, op, right = right, TURNED.get(type(op), type(op))(), left
        if not isinstance(left, ast.Name):
            raise self._refused(left)
        feature, values = self._column(left)
        present = ~np.isnan(values)
        if isinstance(op, ast.Is | ast.IsNot):
            if not (isinstance(right, ast.Name) and right.id == "missing"):
                raise InputError("where knows is and is not before the word missing only. Write == or !=.")
            return present if isinstance(op, ast.IsNot) else ~present
        if isinstance(op, ast.In | ast.NotIn):
            if not isinstance(right, ast.List | ast.Tuple | ast.Set):
                raise InputError(f"where has {self._name(left)!r} in what is no list. Write in ['south', 'west'].")
            among = np.isin(values, [self._value(feature, part) for part in right.elts])
            return present & (among if isinstance(op, ast.In) else ~among)
        if feature.kind == "nominal" and not isinstance(op, ast.Eq | ast.NotEq):
            raise InputError(f"The column {feature.name!r} holds text without an order. Compare it with ==, != or in.")
        if isinstance(right, ast.Name) and not self._is_truth(right):
            other, others = self._column(right)
            if feature.has_levels or other.kind != feature.kind:
                raise InputError(f"where compares {feature.name!r} with {other.name!r}, which are not both numbers.")
            return np.asarray(present & ~np.isnan(others) & COMPARISONS[type(op)](values, others), dtype=bool)
        return np.asarray(present & COMPARISONS[type(op)](values, self._value(feature, right)), dtype=bool)

    def _value(self, feature: Feature, node: ast.expr) -> float:
        """Read a value as one of a column: a number, the code of a level, a date."""
        value: Any = TRUTH[node.id.lower()] if isinstance(node, ast.Name) and self._is_truth(node) else None
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            value = -node.operand.value if isinstance(node.operand.value, int | float) else None
        elif isinstance(node, ast.Constant):
            value = node.value
        if value is None and not isinstance(node, ast.Constant):
            raise self._refused(node)
        if feature.has_levels and isinstance(value, str | int | float):
            return float(self._level(feature, str(value)))
        if feature.kind == "datetime" and isinstance(value, str):
            try:
                moment = datetime.fromisoformat(value)
            except ValueError as error:
                raise InputError(f"{value!r} is no date for {feature.name!r}. Write '2024-05-01'.") from error
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
        if isinstance(value, int | float) and feature.kind != "datetime":
            try:
                return float(value)
            except OverflowError:  # beyond every number of a column
                return inf if value > 0 else -inf
        raise InputError(f"The column {feature.name!r} is {feature.kind}, and {value!r} is no value of it.")

    def _level(self, feature: Feature, level: str) -> int:
        if level in feature.levels:
            return feature.levels.index(level)
        near = difflib.get_close_matches(level, feature.levels, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"There are {listing(feature.levels, 12)}."
        raise InputError(f"The column {feature.name!r} has no level {level!r}. {hint}")

    def _is_truth(self, node: ast.Name) -> bool:
        return node.id.lower() in TRUTH and node.id not in self._names()

    def _names(self) -> tuple[str, ...]:
        return self.table.names or tuple(f"{UNNAMED}{at}" for at in range(self.table.shape[1]))

    def _name(self, node: ast.Name) -> str:
        return self.quoted.get(node.id, node.id)

    def _column(self, node: ast.Name) -> tuple[Feature, Floats]:
        """Read a column once."""
        name, names = self._name(node), self._names()
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"There are {listing(names, 12)}."
            raise InputError(f"where names {name!r}, and there is no such column. {hint}")
        if name not in self._read:
            column = self.table.column(names.index(name))
            feature = recognize(name, column)
            self._read[name] = feature, encode(feature, column)
        return self._read[name]

    def _refused(self, node: ast.expr) -> InputError:
        what = next((words for kind, words in REFUSED.items() if isinstance(node, kind)), "this kind of expression")
        return InputError(
            f"where does not allow {what}. It compares columns with numbers, texts or lists, joined by and, or, not."
        )
