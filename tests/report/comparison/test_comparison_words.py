from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from anova_report import FunctionalANOVA
from anova_report.compare import compare_decompositions
from anova_report.compare.versions.comparison_claims import statement_claims
from anova_report.measures.intervals import Interval
from anova_report.measures.sentences.comparison import statement_words
from anova_report.measures.sentences.names import Names
from anova_report.report.comparison.build_comparison import effects_table
from anova_report.report.comparison.comparison_words import headlines
from tests.report.two_fits import planted_change

NAMES = ("before", "after")


def statement(found) -> str:
    return statement_words(statement_claims(found), Names(found.features, sides=found.names))


@pytest.fixture(scope="module")
def found():
    two = planted_change()
    return compare_decompositions(two.before, two.after, two.X, names=NAMES)


def test_the_statement_names_what_differs_and_counts_what_agrees(found):
    n_differing = len(found.differing())
    words = statement(found)
    assert f"{n_differing} of {len(found.effects)} effects differs by more than chance" in words
    assert "age (" in words
    assert f"The other {len(found.effects) - n_differing} effects agree" in words


@pytest.mark.parametrize(
    ("n_moved", "words"),
    [
        (0, " No feature has a different share of the variance."),
        (1, " income (0% → 15.0%) has a different share of the variance."),
        (2, " income (0% → 15.0%) and age (0% → 15.0%) have a different share of the variance."),
        (4, " 4 features have a different share of the variance."),
    ],
)
def test_the_statement_names_a_few_features_whose_share_moved_and_counts_many(found, n_moved, words):
    far, near = Interval(0.1, 0.2), Interval(-0.1, 0.1)
    moved = [far] * n_moved + [near] * (4 - n_moved)
    shares = [
        replace(item, first=0.0, second=0.15, interval=interval)
        for item, interval in zip(found.feature_shares, moved, strict=True)
    ]
    assert [item.label for item in shares][:2] == ["income", "age"]
    assert statement(replace(found, feature_shares=tuple(shares))).endswith(words)


def test_headlines_give_the_fidelity_of_both_and_how_far_apart_they_are(found):
    two, made = planted_change(), headlines(found)
    assert [item.label for item in made] == [
        "Distance of predictions",
        "Mean prediction",
        "Effects that differ",
        "Fidelity of before",
        "Fidelity of after",
    ]
    difference = two.after.predict(two.X) - two.before.predict(two.X)
    apart = float(np.sqrt(np.mean(difference**2))) / max(dec.predict(two.X).std() for dec in (two.before, two.after))
    low, high = (float(bound.rstrip("%")) / 100 for bound in made[0].value.split(" to "))
    assert low <= apart <= high
    assert high - low < 0.25
    assert made[2].value == f"{len(found.differing())} of {len(found.effects)}"


def test_the_table_of_effects_has_what_differs_first_and_every_effect_once(found):
    rows = effects_table(found).rows
    assert sorted(row[0] for row in rows) == sorted(item.label for item in found.effects)
    signs = [row[-1] for row in rows]
    assert signs == sorted(signs, reverse=True)
    assert signs[0] == "yes"


def test_a_column_called_like_a_pair_keeps_its_own_share():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(1500, 3)), columns=["a", "b", "a × b"])
    predictions = X["a"] * X["b"] + 0.3 * X["a × b"]  # variances 1 and 0.09
    first = FunctionalANOVA(random_state=0, progress=False).fit(X, predictions).decomposition_
    turned = FunctionalANOVA(random_state=0, progress=False).fit(X[["a × b", "b", "a"]], predictions).decomposition_
    rows = effects_table(compare_decompositions(first, turned, X, same_rows=True)).rows
    shares = [tuple(float(cell.rstrip("%")) for cell in row[1:3]) for row in rows if row[0] == "a × b"]
    assert sorted(shares)[0] == pytest.approx((8.3, 8.3), abs=1.5)
    assert sorted(shares)[1] == pytest.approx((91.7, 91.7), abs=3)
