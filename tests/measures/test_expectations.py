"""What a model is expected to do: the words are read, or the wrong one is named, and effects are judged as on paper."""

import numpy as np
import pandas as pd
import pytest

from anova_report import FunctionalANOVA, explain
from anova_report.errors import InputError
from anova_report.measures import Policy, findings
from anova_report.measures.expectation_checks import simultaneous
from anova_report.measures.expectations import check_columns, read_expectation, read_expectations
from anova_report.measures.status import verdict_of


@pytest.fixture(scope="module")
def loans():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "income": rng.uniform(1, 5, 900),
            "age": rng.uniform(20, 70, 900),
            "sex": rng.choice(["f", "m"], 900),
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 700, 900), "D"),
            "zip": rng.choice(["a", "b", "c"], 900),
        }
    )

    def model(rows):
        bowl = ((rows.age - 45) / 25) ** 2
        return 2 * np.sqrt(rows.income) + bowl + 0.4 * (rows.sex == "m") * (rows.income - 3)

    return explain(model, X, ask=2000, progress=False)


def judged(dec, *texts):
    found = findings(dec, policy=Policy.read(expectations=texts))
    return {item.title: item for item in found if item.code >= "AR101"}


@pytest.mark.parametrize(
    ("text", "form", "bounds", "of_variance", "span"),
    [
        ("income: increasing", "increasing", (-np.inf, np.inf), False, None),
        ("a:b: concave for 2..5.5", "concave", (-np.inf, np.inf), False, ("2", "5.5")),
        ("sex:  no effect above  0.5 points", "no effect", (-np.inf, 0.5), False, None),
        ("x: no interaction above 3%", "no interaction", (-np.inf, 0.03), True, None),
        ("x: share <= 1%", "share", (-np.inf, 0.01), True, None),
        ("x: share above 12.5%", "share", (0.125, np.inf), True, None),
        ("x: between −1 and 2e3 for 2020-01-01 .. 2021-01-01", "between", (-1, 2000), False, ("2020-01-01", "2021-01-01")),  # noqa: E501
    ],
)  # fmt: skip
def test_words_are_read(text, form, bounds, of_variance, span):
    found = read_expectation(text)
    assert (found.form, (found.low, found.high), found.of_variance, found.span) == (form, bounds, of_variance, span)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("x: incresing", "got 'incresing' where 'increasing'"),
        ("x: no efect", "got 'efect' where 'effect'"),
        ("x: share < 3", "got '3' where a share"),
        ("x: share < 300%", "between 0% and 100%"),
        ("x: between 1 and two", "got 'two' where a number"),
        ("x: between 2 and 1", "first bound must lie below"),
        ("x: increasing for", "it ends where two values"),
        ("x: increasing for 3..1 please", "got 'please' where nothing more"),
        ("x: no effect above -1", "must be more than 0"),
        ("increasing", "a feature, a colon"),
        (": increasing", "a feature, a colon"),
        (7, "is a text such as"),
    ],
)
def test_the_word_that_is_not_understood_is_named(text, wrong):
    with pytest.raises(InputError, match=wrong):
        read_expectation(text)


@pytest.mark.parametrize(
    ("texts", "wrong"),
    [
        (["x: increasing", "x: decreasing"], "contradict"),
        (["x: share < 1%", "x: share > 5%"], "contradict"),
        (["x: between 0 and 1", "x: between 2 and 3"], "contradict"),
        (["x: no effect above 2%", "x: share > 5%"], "contradict"),
        (["x: convex", "x:  convex"], "twice"),
        ("x: convex", "a list of texts"),
        ([f"x{at}: convex" for at in range(100)], "at most 99"),
    ],
)
def test_what_cannot_hold_together_is_refused(texts, wrong):
    with pytest.raises(InputError, match=wrong):
        read_expectations(texts)
    read_expectations(["x: convex", "x: concave", "y: increasing", "x: increasing for 1..2", "x: decreasing for 2..3"])


def test_features_are_found_by_their_names_or_refused():
    names = ["a x b", "score", "age"]
    assert read_expectation("age × score: no interaction").features(names) == (1, 2)
    assert read_expectation("score*age: share < 1%").features(names) == (1, 2)
    assert read_expectation("a x b: increasing").features(names) == (0,)
    for text, wrong in {
        "agee: convex": "'agee', which is no feature. Did you mean 'age'?",
        "age × age: no interaction": "twice",
        "age × score: convex": "said of one feature",
    }.items():
        with pytest.raises(InputError, match=wrong.replace("?", r"\?")):
            read_expectation(text).features(names)
    folded = read_expectations(["region: no effect"])
    check_columns(folded, ["region_north", "region_south"])
    for each, columns in ((folded, ["nation"]), (read_expectations(["age ×: no interaction"]), ["age"])):
        with pytest.raises(InputError, match="no feature"):
            check_columns(each, columns)


def test_effects_are_judged_as_they_are_on_paper(loans):
    said = judged(
        loans,
        *("income: increasing", "income: concave", "age: convex", "age: increasing", "age: increasing for 50..70"),
        *("age: between -0.5 and 1", "age: between -0.1 and 1", "zip: no effect", "zip: no effect above 0.2"),
        *("sex: no interaction", "sex × age: no interaction", "sex: no effect above 0.5", "sex: no effect above 3"),
        *("income: share > 40%", "income: share < 40%", "since: no effect", "since: no interaction above 0.3"),
    )
    wrong = ("age: increasing", "age: between -0.1 and 1", "sex: no interaction", "sex: no effect above 0.5")
    wrong += ("income: share < 40%",)
    assert {text: item.status for text, item in said.items()} == {
        text: "fail" if text in wrong else "pass" for text in said
    }
    fall = said["age: increasing"].claims[0]
    truth = ((fall["first_at"] - 45) / 25) ** 2 - ((fall["last_at"] - 45) / 25) ** 2
    assert truth > 0.9  # nearly from the youngest to the bottom of the bowl
    assert fall["low"] < truth < fall["high"]
    assert fall["n_between"] == ((loans.X.age >= fall["first_at"]) & (loans.X.age <= fall["last_at"])).sum()
    assert [item.code for item in said.values()] == [f"AR{101 + at}" for at in range(len(said))]


def test_what_these_rows_cannot_tell_is_open_and_calls_for_caution():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.uniform(size=(80, 2)), columns=["a", "b"])
    y = X.a + 0.4 * np.sin(9 * X.a) * 0.3 + rng.normal(size=80)
    known = dict(zip(map(tuple, X.to_numpy()), y, strict=True))
    dec = explain(lambda rows: np.array([known[tuple(row)] for row in rows.to_numpy()]), X, ask=0, progress=False)
    (item,) = judged(dec, "a: increasing").values()
    assert (item.status, item.sentence.split(":")[0]) == ("not tested", "Cannot be determined")
    assert verdict_of([item]) == "warn"
    rowless = FunctionalANOVA(progress=False).fit(X, y).decomposition_
    without = findings(rowless, policy=Policy.read(expectations=["a: increasing"]))["AR101"]
    assert (without.status, without.claims) == ("not tested", ())


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("sex: increasing", "levels without an order"),
        ("sex: between -1 and 1 for f..x", "no level 'x'"),
        ("since: increasing for soon..late", "values of 'since' are dates"),
        ("age: convex for 60..20", "must lie below"),
        ("nobody: convex", "no feature"),
    ],
)
def test_what_a_feature_cannot_do_is_refused(loans, text, wrong):
    with pytest.raises(InputError, match=wrong):
        judged(loans, text)


def test_only_places_with_rows_are_judged():
    """A fall where no row is must not count: the model falls between two clouds, and rises within both."""
    rng = np.random.default_rng(2)
    x = np.r_[rng.uniform(0, 1, 400), rng.uniform(9, 10, 400)]
    X = pd.DataFrame({"x": x, "z": rng.uniform(size=800)})
    dec = explain(lambda rows: np.where(rows.x < 1.5, rows.x, rows.x - 8) + rows.z, X, ask=0, progress=False)
    low, high = judged(dec, "x: increasing for 0..1", "x: increasing for 9..10").values()
    assert (low.status, high.status) == ("pass", "pass")
    assert judged(dec, "x: between -3 and 3 for 3..7")["x: between -3 and 3 for 3..7"].status == "not tested"


def test_bounds_that_hold_at_once_are_wider_the_more_places_there_are():
    rng = np.random.default_rng(0)
    many, one = rng.normal(size=(40, 64)), rng.normal(size=(1, 64))
    reach = []
    for rows in (one, many):
        low, high = simultaneous(np.zeros(len(rows)), rows)
        reach.append(np.median((high - low) / np.sqrt((rows**2).sum(axis=1))) / 2)
    assert 1.9 < reach[0] < 2.5
    assert 2.8 < reach[1] < 4.2
