"""What hostile cases are drawn from: texts, numbers, tables, command lines, and what the code of a model may do."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from benchmarks.mutations import TEXTS

texts = st.text(max_size=30) | st.sampled_from(TEXTS)
numbers = st.floats(allow_nan=True, allow_infinity=False, width=64) | st.sampled_from(
    [0.0, -0.0, 1e155, -1e300, 5e-324]
)
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def tables(draw: st.DrawFn) -> pd.DataFrame:
    """Draw columns of numbers, levels, dates, constants and rubbish, under any names."""
    n_rows, rng = draw(st.integers(3, 60)), np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    columns: dict[str, Any] = {}
    for name in draw(st.lists(texts, min_size=1, max_size=4, unique=True)):
        kind = draw(st.sampled_from(["normal", "drawn", "levels", "dates", "constant", "mixed", "integers"]))
        columns[name] = {
            "normal": lambda: rng.normal(size=n_rows),
            "drawn": lambda: np.resize(np.array(draw(st.lists(numbers, min_size=1, max_size=8))), n_rows),
            "levels": lambda: pd.Series(draw(st.lists(texts, min_size=n_rows, max_size=n_rows)), dtype=object),
            "dates": lambda: pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 999, n_rows), "D"),
            "constant": lambda: np.full(n_rows, draw(numbers)),
            "mixed": lambda: np.resize(np.array([1, "a", None, 2.5, True], dtype=object), n_rows),
            "integers": lambda: rng.integers(-(2**62), 2**62, size=n_rows),
        }[kind]()
    if draw(st.booleans()):  # columns of zeros and ones, which may be levels of one feature
        prefix, n_levels = draw(texts | st.just("region")), draw(st.integers(2, 4))
        chosen, twice = rng.integers(0, n_levels, n_rows), draw(st.booleans())
        for level in range(n_levels):
            columns[f"{prefix}_{level}"] = ((chosen == level) | (twice & (level == 0))).astype(int)
    frame = pd.DataFrame(dict(enumerate(columns.values())))
    return frame.set_axis(pd.Index(list(columns), dtype=object), axis=1)  # as texts of Arrow, names could be no rubbish


HOSTILE = """
import os, sys, time
import numpy as np

def predict(rows):
    {code}
    return np.asarray(rows)[:, 0]
"""
CODES = (
    "pass",
    "os._exit(0)",
    "sys.exit(0)",
    "os.abort()",
    "input()",
    "sys.stdin.read()",
    "raise KeyboardInterrupt",
    "raise GeneratorExit",
    "raise MemoryError",
    "print(chr(27) + '[31m' + chr(10) + '::add-mask::')",
    "sys.stderr.write('##[error]' * 5000)",
    "os.close(1); os.close(2)",
    "os.closerange(3, 50)",
    "os.kill(os.getpid(), 15)",
    "__import__('subprocess').Popen(['sleep', '100'])",
    "os.fork() or time.sleep(100)",
    "rows.iloc[:, 0] = 0",
    "return None",
    "return [object()] * len(rows)",
    "return rows.index * 1j",
    "return np.full(len(rows), np.inf)",
    "globals().clear()",
    "sys.path.clear(); sys.modules.clear()",
    "__import__('warnings').warn('loud')",
    "raise type(chr(27) + 'E', (Exception,), dict())(chr(10) + '::add-mask::')",
)


def commands() -> st.SearchStrategy[list[str]]:
    """Draw command lines that make sense, with some of their words dropped, replaced or added."""
    sense = st.sampled_from(
        [
            "audit data.csv --prediction p --max-order 1 --top-mains 1 -o new.html --save new.json",
            "audit data.csv --prediction p --max-order 1 --features a --sample 50 --rows 3 -o new.html --json",
            "audit --config options.yaml --max-order 1 -o new.html",
            "audit data.csv --model decomposition.json --max-order 1 -o new.html",
            "render audit.json -o new.html",
            "compare decomposition.json decomposition.json -o new.html --fail-on change",
            "mail page.html --to x@y.org --from a@b.org --eml new.eml",
            "mail page.html --to x@y.org --from a@b.org --smtp 127.0.0.1:1 --security plain",
            "run data.csv -p data data.csv",
            "batch options.yaml -o out",
        ]
    )
    known = "data.csv audit.json decomposition.json page.html missing.json options.yaml out . .. /dev/null p a b 0 1 -1"
    known += " --out --save --eml --prediction --id --weight --group --time --scale logit --quiet --json --title --rows"
    known += " --sample --fail-on fail --target --exclude --subject --model nowhere:thing --encoding utf-16"
    other = st.sampled_from(known.split()) | texts.filter(lambda text: "\0" not in text)
    changes = st.lists(st.tuples(st.sampled_from(["drop", "replace", "add"]), st.integers(0, 20), other), max_size=3)

    def changed(line: str, made: list[tuple[str, int, str]]) -> list[str]:
        words = line.split()
        for what, place, word in made:
            at = 1 + place % len(words)
            words[at : at + (what != "add")] = [] if what == "drop" else [word]
        return words

    return st.builds(changed, sense, changes)


def some_of(options: Mapping[str, st.SearchStrategy[Any]], most: int) -> st.SearchStrategy[dict[str, Any]]:
    """Draw values of a few options: of many hostile ones the first that is refused hides all others."""
    chosen = st.lists(st.sampled_from(list(options)), max_size=most, unique=True)
    return chosen.flatmap(lambda names: st.fixed_dictionaries({name: options[name] for name in names}))


def mails() -> st.SearchStrategy[dict[str, Any]]:
    """Draw the fields of a mail."""
    addresses = (
        st.sampled_from(["a@b.org", "Ada <a@b.org>", "=?utf-8?q?=0aBcc:?= <a@b.org>", "a@b.org\nBcc: c@d.org"]) | texts
    )
    encoded = texts.map(lambda text: f"=?utf-8?q?{text}=0aBcc:_c=40d.org?=")
    return st.fixed_dictionaries(
        {"subject": texts | encoded},
        optional={"sender": addresses, "to": st.lists(addresses, max_size=2)},
    )


def changes() -> st.SearchStrategy[list[tuple[str, int, int, str]]]:
    """Draw changes of a CSV file: of its header, a column, the length of a line, a cell."""
    kinds = st.sampled_from(["header", "column", "short", "cell", "cell"])
    cells = (
        texts | numbers.map(str) | st.sampled_from(["n.a.", "1,5", "7%", "-", "2020-02-30", '"', "\ufeff", str(2**60)])
    )
    return st.lists(st.tuples(kinds, st.integers(0, 150), st.integers(0, 3), cells), min_size=1, max_size=6)


def beside(*, exposure: bool = False) -> st.SearchStrategy[dict[str, list[Any]]]:
    """Draw what lies beside rows: weights, groups, times, exposures."""
    few = st.integers(0, 9)
    optional: dict[str, st.SearchStrategy[Any]] = {
        "sample_weight": st.lists(numbers | few | few, min_size=1, max_size=9),
        "groups": st.lists(few, min_size=5, max_size=60) | st.lists(texts | few, min_size=1, max_size=9),
        "time": st.lists(few | numbers, min_size=1, max_size=60),
    }
    if exposure:
        optional["exposure"] = st.lists(st.floats(0.1, 9) | numbers, min_size=1, max_size=9)
    return st.fixed_dictionaries({}, optional=optional) if not exposure else some_of(optional, 2)


def yaml_changes() -> st.SearchStrategy[list[tuple[int, str]]]:
    """Draw what is put into the text of a configuration, and where."""
    pieces = texts | st.sampled_from(
        ["&a ", "*a", "<<: ", "? ", "!!int ", "[", "{", "- ", "1:", "9" * 5000, "\t", "---\n"]
    )
    return st.lists(st.tuples(st.integers(0, 300), pieces), max_size=3)
