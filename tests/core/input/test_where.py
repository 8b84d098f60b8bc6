"""Expressions that choose rows, against the same conditions in numpy; and what is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from anova_report.core.input.where import MOST_CHARACTERS, rows_where
from anova_report.errors import InputError

AGE = np.array([20.0, 61.0, 70.0, np.nan])
PAY = np.array([1.0, 62.0, 3.0, 4.0])
REGION = np.array(["south", "north", "south", None], dtype=object)
OK = np.array([True, False, True, True])
SIZES = pd.Categorical(["s", "m", "l", "m"], ["s", "m", "l"], ordered=True)
DATES = pd.to_datetime(["2024-01-01", "2024-01-01", "2024-06-01", "2024-06-01"])
TABLE = pd.DataFrame({"age": AGE, "net pay": PAY, "region": REGION, "ok": OK, "size": SIZES, "sold": DATES})
TABLE = TABLE.assign(quoted0=[1.0, 2.0, 3.0, 1.0], __quoted_0__=[1.0, 0.0, 0.0, 0.0])  # named as if to deceive
SOUTH, KNOWN = REGION == "south", ~np.isnan(AGE)


@pytest.mark.parametrize(
    ("expression", "rows"),
    [
        ("age > 60 and region == 'south'", (AGE > 60) & SOUTH),
        ("18 <= age < 65", (AGE >= 18) & (AGE < 65)),
        ("60 < age", AGE > 60),
        ("`net pay` >= 3", PAY >= 3),
        ("age < `net pay`", AGE < PAY),
        ("not age > 60", ~(AGE > 60)),
        ("age != 61", KNOWN & (AGE != 61)),
        ("age > -1", KNOWN),
        ("age is missing", ~KNOWN),
        ("age is not missing", KNOWN),
        ("region in ['south', 'north']", [True, True, True, False]),
        ("region not in ('south',)", [False, True, False, False]),
        ("ok", OK),
        ("not ok or ok == false", ~OK),
        ("size >= 'm'", [False, True, True, True]),
        ("sold >= '2024-02-01'", [False, False, True, True]),
        ("age > 60 or region == 'south' and not (ok)", (AGE > 60) | (SOUTH & ~OK)),
        ('region == "south"', SOUTH),
        (f"age < 1{'0' * 400}", KNOWN),
        (f"age < -1{'0' * 400}", AGE > 99),
        ("`net pay` >= 3 and quoted0 > 1", (PAY >= 3) & [False, True, True, False]),
        ("`net pay` >= 3 and ｑuoted0 > 1", (PAY >= 3) & [False, True, True, False]),
        ("__quoted_0__ > 0", [True, False, False, False]),
    ],
)
def test_an_expression_chooses_the_rows_that_it_says(expression, rows):
    assert rows_where(expression, TABLE).tolist() == list(rows)


def test_tables_of_other_forms_are_read_alike():
    frame = pl.DataFrame({"age": AGE, "region": REGION.tolist()})
    assert rows_where("age > 60 and region == 'south'", frame).tolist() == [False, False, True, False]
    assert rows_where("x1 > 2", np.column_stack([AGE, PAY])).tolist() == [False, True, True, True]


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("__import__('os').system('touch x') == 1", "does not allow a call of a function"),
        ("age.real > 1", "does not allow a dot behind a name"),
        ("age[0] > 1", "does not allow brackets"),
        ("age + 1 > 2", "does not allow arithmetic"),
        ("age > 1 & age < 3", "does not allow arithmetic, or & and |"),
        ("(lambda: 1)() == age", "does not allow a call"),
        ("f'{age}' == 1", "does not allow a text with braces"),
        ("(age := 3) > 2", "does not allow an assignment"),
        ("1 < 2", "does not allow a value that is compared with no column"),
        ("True", "does not allow a value"),
        ("age == [1]", "does not allow a list without in"),
        ("age in 3", "in what is no list"),
        ("age is None", "before the word missing only"),
        ("agee > 3", "Did you mean 'age'"),
        ("region == 'sout'", "Did you mean 'south'"),
        ("region > 'a'", "without an order"),
        ("age", "without a comparison"),
        ("age > --2", "does not allow a sign before anything but a number"),
        ("age in [*age]", "does not allow an asterisk"),
        ("[age for age in age]", "does not allow a loop"),
        ("(age > 1) == ok", "does not allow a comparison inside another"),
        ("age == await age", "does not allow a wait"),
        (r"region == '\d'", "no level"),
        ("age > 1and ok and age == 'old'", "no value of it"),
        ("age == 'old'", "is numeric, and 'old' is no value of it"),
        ("sold > 'yesterday'", "no date"),
        ("age >", "cannot be read"),
        ("import os", "cannot be read"),
        ("", "is an expression"),
        ("(" * 900 + "age > 1" + ")" * 900, "cannot be read"),
        ("age > 1 or " * 300 + "ok", "characters"),
        ("age in [" + "1," * 400 + "]", "more than 300 parts"),
        ("x" * (MOST_CHARACTERS + 1), "characters"),
    ],
)
def test_anything_else_is_refused_in_a_sentence(expression, words):
    with pytest.raises(InputError, match=words.replace("|", r"\|")) as found:
        rows_where(expression, TABLE)
    assert len(str(found.value)) < 600
