from math import comb

import pytest

from anova_report.core.terms import label, sort_terms, subterms, terms_up_to


@pytest.mark.parametrize(("n_features", "max_order"), [(1, 1), (4, 2), (5, 3), (6, 6)])
def test_there_are_as_many_terms_as_binomial_coefficients_say(n_features, max_order):
    expected = sum(comb(n_features, order) for order in range(1, max_order + 1))
    assert len(set(terms_up_to(n_features, max_order))) == expected


def test_terms_come_by_order_then_by_index():
    assert terms_up_to(3, 3) == ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2))


def test_an_order_above_the_number_of_features_stops_at_all_features():
    assert terms_up_to(2, 9) == ((0,), (1,), (0, 1))


def test_listed_terms_are_already_sorted():
    terms = terms_up_to(5, 3)
    assert sort_terms(reversed(terms)) == terms


def test_indices_are_sorted_as_numbers_and_not_as_text():
    assert sort_terms([(10,), (2,), (0, 10), (0, 2)]) == ((2,), (10,), (0, 2), (0, 10))


@pytest.mark.parametrize("term", [(3,), (1, 4), (0, 2, 5)])
def test_a_term_of_order_k_has_all_its_proper_subsets_as_ancestors(term):
    found = list(subterms(term))
    assert len(found) == 2 ** len(term) - 1
    assert all(set(part) < set(term) for part in found)
    assert found[0] == ()


@pytest.mark.parametrize(
    ("term", "expected"), [((), "mean"), ((1,), "sex"), ((0, 2), "age × income"), ((0, 1, 2), "age × sex × income")]
)
def test_a_label_joins_the_names_of_the_features(term, expected):
    assert label(term, ("age", "sex", "income")) == expected
