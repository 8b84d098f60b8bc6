"""What an audit is judged by and how it is labelled, drawn with hostile values; and what no result may hold."""

import csv
import re
import unicodedata
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from numpy.typing import NDArray

from benchmarks.hostile_cases import numbers, some_of, tables, texts, values

Mask: TypeAlias = NDArray[np.bool_]
Meaning: TypeAlias = Callable[[pd.DataFrame], Mask]

N_ROWS = 120
FEATURES = ("a", "b", "c d", "self", "r_north", "r_south", "r_west")
MARKUP = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "</title></style><svg onload=alert(1)>",
    "{{ 7 * 7 }}{% raw %}",
    '" autofocus onfocus="alert(1)',
    "javascript:alert(1)",
    "-->]]>",
    "&lt;b&gt;&#0;",
    "=cmd|' /C calc'!A0",
    "＝1+1",
    "\u200b@SUM(A1:A9)",
    "-2+3\t+cmd",
    "\u202eegap\u2066",
    "\u200b",
    "\u2028\u2029",
    "a\nb\r\nc",
    "× * x ×",
    "-o",
    "--overwrite=",
    "{a: b",
    'a=b=c,"d',
    "%s %n {0} ${HOME}",
)
words = texts | st.sampled_from(MARKUP) | st.sampled_from(MARKUP)
names = st.sampled_from(FEATURES) | st.sampled_from(FEATURES) | st.sampled_from(FEATURES) | words
INJECTED = (
    "__import__('os').system('touch new.harm')",
    "().__class__.__base__.__subclasses__()",
    "a.__class__ > 1",
    "getattr(a, 'x') > 1",
    "open('new.harm', 'w') > a",
    "a > (lambda: open('new.harm', 'w'))()",
    "[open('new.harm', 'w') for a in [1]]",
    "a if open('new.harm', 'w') else a",
    "b == f\"{open('new.harm', 'w')}\"",
    "a > 0 or exec('1')",
    "(a := open('new.harm', 'w')) > 1",
    "a[open('new.harm', 'w')] > 1",
    "@a > 1",
    "a > 0; import os",
    "a > 0\nimport os",
    "*a > 1",
    "await a",
    "a == ...",
    "a == 1j",
    "b == b'x'",
    "a in {**a}",
    "a > 1" + "0" * 1900,
    "a > 0x" + "f" * 1900,
    "a > 1e999",
    "a > " + "-" * 1900 + "1",
    "(" * 150 + "a > 1" + ")" * 150,
    "not " * 140 + "a > 1",
    "a" + ".b" * 900,
    "a > " + "{" * 199,
    "a in [" + "[" * 150,
    "`quoted0` > 1 and quoted0 > 1",
    "``` > 1",
    "ａ > 0 and 𝒂 > 0",
    "b == '\\N{BULLET}\\ud800\\x00'",
    "b == '\\d'",
    "a > 1if a else a",
    "1 is a",
)


def signed_table(seed: int) -> pd.DataFrame:
    """Make the table whose audits are signed off: numbers, levels, columns of zeros and ones, and an exposure."""
    rng = np.random.default_rng(seed)
    made = pd.DataFrame({"a": rng.normal(size=N_ROWS), "b": rng.choice(["x", "y", "=1+1"], N_ROWS)})
    made["c d"], made["self"] = rng.normal(size=N_ROWS), rng.uniform(0.5, 2, N_ROWS)
    for level in ("north", "south", "west"):
        made[f"r_{level}"] = 0
    made.loc[made.index, "r_north"] = (made.index % 3 == 0).astype(int)
    made["r_south"], made["r_west"] = (made.index % 3 == 1).astype(int), (made.index % 3 == 2).astype(int)
    made.loc[::17, "c d"] = np.nan
    made["p"] = np.exp(made["a"] + (made["b"] == "x") - 0.5 * made["r_west"])
    made["id"] = [f"{MARKUP[at % len(MARKUP)]} {at}" for at in range(N_ROWS)]
    return made


def _comparison(name: str, sign: str, value: float) -> tuple[str, Meaning]:
    written = f"`{name}`" if " " in name else name
    return f"{written} {sign} {value!r}", lambda rows: _compared(rows[name].to_numpy(dtype=float), sign, value)


def _compared(column: NDArray[np.float64], sign: str, value: float) -> Mask:
    with np.errstate(invalid="ignore"):
        found = {"<": column < value, ">": column > value, "<=": column <= value, ">=": column >= value}
        found |= {"==": column == value, "!=": column != value}
        return np.asarray(found[sign] & ~np.isnan(column))


def _one_of(levels: list[str], inside: bool) -> tuple[str, Meaning]:
    word = "in" if inside else "not in"
    return f"b {word} {levels!r}", lambda rows: np.asarray(rows["b"].isin(levels).to_numpy() == inside)


def _missing(inside: bool) -> tuple[str, Meaning]:
    word = "is missing" if inside else "is not missing"
    return f"`c d` {word}", lambda rows: np.asarray(rows["c d"].isna().to_numpy() == inside)


def _joined(word: str, parts: list[tuple[str, Meaning]]) -> tuple[str, Meaning]:
    join = np.logical_and if word == "and" else np.logical_or
    meanings = [meaning for _, meaning in parts]
    text = f" {word} ".join(f"({part})" for part, _ in parts)
    return text, lambda rows: np.asarray(join.reduce([meaning(rows) for meaning in meanings]))


def _not(part: tuple[str, Meaning]) -> tuple[str, Meaning]:
    return f"not ({part[0]})", lambda rows: ~part[1](rows)


def meant_expressions() -> st.SearchStrategy[tuple[str, Meaning]]:
    """Draw expressions that choose rows, each with what it means, in numpy."""
    finite = st.floats(-2, 2).map(lambda value: value + 0.0) | st.integers(-2, 2)
    signs = st.sampled_from(["<", ">", "<=", ">=", "==", "!="])
    levels = st.lists(st.sampled_from(["x", "y", "=1+1"]), min_size=1, max_size=3)
    leaves = st.builds(_comparison, st.sampled_from(["a", "c d", "self"]), signs, finite)
    leaves |= st.builds(_one_of, levels, st.booleans()) | st.builds(_missing, st.booleans())
    return st.recursive(
        leaves,
        lambda inner: (
            st.builds(_joined, st.sampled_from(["and", "or"]), st.lists(inner, min_size=1, max_size=3))
            | st.builds(_not, inner)
        ),
        max_leaves=6,
    )


def expressions() -> st.SearchStrategy[str]:
    """Draw expressions that may mean nothing: injections, and what makes sense with something put into it."""
    pieces = words | st.sampled_from(["(", ")", "`", "'", " and ", ".x", "[0]", "()", "**", "\\", "\0", ";", "#", "é"])
    changed = st.builds(
        lambda meant, place, piece: meant[0][: place % 50] + piece + meant[0][place % 50 :],
        meant_expressions(),
        st.integers(0, 49),
        pieces,
    )
    return st.sampled_from(INJECTED) | changed | words


def signed_options() -> st.SearchStrategy[dict[str, Any]]:
    """Draw what is expected, waived, set, said, labelled, grouped and chosen; some of it hostile."""
    figures = st.sampled_from(["1", "0.5", "5%", "-1", "1e999", "nan", "99.9%", "٣", "2..1", "1..", "much"])
    forms = st.sampled_from(["increasing", "concave", "no effect", "no interaction", "share <", "between 0 and", ""])
    expected = st.builds("{}: {} {}".format, names, forms, st.just("") | figures) | words
    limits = st.dictionaries(
        st.sampled_from(["AR002", "AR006", "AR012", "AR013"]) | words,
        st.fixed_dictionaries({"why": words}, optional={"warn": figures | numbers, "fail": figures | values}) | values,
        max_size=2,
    )
    days = st.sampled_from(["2027-06-30", "2020-01-01", "9999-12-31", "2026-02-30", "20270630"]) | words
    codes = st.sampled_from(["AR002", "AR008", "AR101", "AR201", "a: increasing"]) | words
    waiver = st.fixed_dictionaries({"code": codes, "who": words, "why": words, "until": days})
    said = st.sampled_from(["owner", "purpose", "version", "intended use", "limitations", "reviewers"]) | words
    labels = st.dictionaries(names, words | values, max_size=3)
    groups = st.dictionaries(words | names, st.lists(names, max_size=3) | values, max_size=2)
    typed = st.lists(st.builds("{}={}".format, names, words), max_size=2)
    meant = meant_expressions().map(lambda each: each[0])
    return some_of(
        {
            "expectations": st.lists(expected, max_size=3) | st.dictionaries(names, expected, max_size=2),
            "limits": limits,
            "waivers": st.lists(waiver | values, max_size=2),
            "tier": st.sampled_from(["high", "medium", "low"]) | words,
            "as_of": days,
            "about": st.dictionaries(said, words | st.lists(words, max_size=3) | values, max_size=3),
            "labels": labels | typed,
            "units": labels | typed,
            "prediction_name": words,
            "prediction_unit": words,
            "feature_groups": groups | typed,
            "fold_one_hot": st.booleans(),
            "where": meant | expressions(),
            "exposure": names,
            "scale": st.sampled_from(["log", "identity", "logit"]),
            "title": words,
            "note": st.lists(words, max_size=2),
            "id": st.just("id"),
        },
        most=4,
    )


def asked() -> st.SearchStrategy[dict[str, Any]]:
    """Draw how a function is asked, of which rows, under which law, and how its features are named."""
    labels = st.dictionaries(texts | names, words | values, max_size=2)
    return some_of(
        {
            "ask": st.sampled_from([0, 1, 40, 300]),
            "population": tables(),
            "where": expressions(),
            "feature_groups": labels,
            "labels": labels,
            "units": labels,
            "scale": st.sampled_from(["log", "identity", "logit"]),
            "fold_one_hot": st.booleans(),
        },
        most=2,
    )


class _Tags(HTMLParser):
    """Collects the elements of a page, and what in it could run or lead away."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts, self.wrong = 0, list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at one element."""
        self.scripts += tag == "script"
        for name, value in attrs:
            leads = name in ("href", "src", "action", "xlink:href") and not re.match("#|data:", value or "#")
            if name.startswith("on") or leads:
                self.wrong.append(f"<{tag} {name}={value!r:.60}>")


def harm_in_page(page: str, n_scripts: int) -> Iterator[str]:
    """Say what of the text of others became markup, script or a turned direction on a page of so many scripts."""
    tags = _Tags()
    tags.feed(page)
    yield from tags.wrong
    if tags.scripts != n_scripts:
        yield f"{tags.scripts} scripts instead of {n_scripts}"
    if found := re.search("[\u202a-\u202e\u2066-\u2069\x00-\x08\x1b\ud800-\udfff]", page):
        yield f"{found[0]!r} on the page"


def harm_in_cells(text: str) -> Iterator[str]:
    """Say which cells of a CSV file a spreadsheet would compute."""
    for line in csv.reader(text.splitlines(keepends=True)):
        for cell in line:
            seen = unicodedata.normalize("NFKC", "".join(sign for sign in cell if sign.isprintable())).strip()
            if seen.startswith(("=", "+", "-", "@")) and not re.fullmatch(r"[+-]?[\d.,]+(e[+-]?\d+)?%?", seen):
                yield f"the cell {cell!r:.60}"


def written(folder: Path) -> list[str]:
    """List what commands wrote, hidden files too, and what no expression may make."""
    return sorted(path.name for path in folder.iterdir() if path.name.startswith(("new", ".new")))
