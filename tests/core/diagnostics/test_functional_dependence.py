"""Columns that others determine, value by value or as a product, against tables that are made that way."""

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, FunctionalANOVA, measures


def fitted(X, predictions, **given) -> Decomposition:
    return FunctionalANOVA(random_state=3, progress=False).fit(X, predictions, **given).decomposition_


def relation_of(dec: Decomposition, *term: int):
    return next((each for each in dec.dependence.relations if each.term == term), None)


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("n_rows", [500, 3000])
def test_columns_that_determine_each_other_are_found_however_rough_their_effects_are(n_rows, named):
    rng = np.random.default_rng(n_rows)
    number, other = rng.integers(16, size=n_rows), rng.normal(size=n_rows)
    code = rng.permutation(16)[number]
    X = pd.DataFrame({"number": number, "code": np.char.add("c", code.astype(str)) if named else code, "a": other})
    dec = fitted(X, rng.normal(size=16)[number] + other)
    for feature in (0, 1):
        relation = relation_of(dec, feature)
        assert relation.others == (1 - feature,)
        assert (relation.n_values, relation.share) == (16, pytest.approx(1.0))
    assert dec.dependence.imitators[0][:2] == ((1,), (0,))
    (group,) = measures.inseparable(dec)
    assert (group.features, group.is_open) == ((0, 1), True)


@pytest.mark.parametrize("n_rows", [500, 3000])
@pytest.mark.parametrize("read", [[0, 1], [2]])
def test_a_product_of_two_others_is_found_whether_the_model_reads_it_or_its_factors(n_rows, read):
    rng = np.random.default_rng(n_rows)
    X = np.column_stack(
        [rng.lognormal(0, 0.5, n_rows), rng.uniform(0.5, 1.5, n_rows), np.zeros(n_rows), rng.normal(size=n_rows)]
    )
    X[:, 2] = X[:, 0] * X[:, 1] * (1 + 0.01 * rng.normal(size=n_rows))
    dec = fitted(X, X[:, read].prod(axis=1) + X[:, 3])
    (group,) = measures.inseparable(dec)
    assert group.features == (0, 1, 2)
    assert group.most > 0.99


def test_a_column_that_two_others_determine_value_by_value_is_found_though_neither_tells_of_it():
    rng = np.random.default_rng(1)
    X = rng.integers(5, size=(2000, 4)).astype(float)
    X[:, 2] = (X[:, 0] + X[:, 1]) % 5
    dec = fitted(X, np.cos(3 * X[:, 2]) + X[:, 3])
    relation = relation_of(dec, 2)
    assert (relation.others, relation.n_values, relation.share) == ((0, 1), 25, pytest.approx(1.0))
    assert measures.inseparable(dec)[0].features == (0, 1, 2)


def test_an_interaction_that_another_column_stands_for_is_read_together_with_it():
    rng = np.random.default_rng(2)
    X = rng.choice([-1.0, 1.0], size=(2000, 4))
    X[:, 2] = X[:, 0] * X[:, 1]
    dec = fitted(X, 2 * X[:, 2] + X[:, 3])
    (group,) = measures.inseparable(dec)
    assert group.features == (0, 1, 2)
    assert group.joint.total == pytest.approx(0.8, abs=0.02)


@pytest.mark.parametrize("correlation", [0.0, 0.5])
def test_nothing_is_found_where_nothing_determines_anything(correlation):
    rng = np.random.default_rng(4)
    X = rng.multivariate_normal(np.zeros(5), correlation + (1 - correlation) * np.eye(5), size=2000)
    X[:, 4] = np.round(2 * X[:, 4])
    dec = fitted(X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + X[:, 3] + X[:, 4])
    assert dec.dependence.relations == ()
    assert dec.partition.recurring is None


def test_rows_of_weight_two_say_what_rows_that_come_twice_say():
    rng = np.random.default_rng(5)
    number, other = rng.integers(40, size=400), rng.normal(size=400)
    X = np.column_stack([number, rng.permutation(40)[number], other])
    y = np.cos(number**2) + other
    once = fitted(X, y, sample_weight=np.full(400, 2.0)).dependence.relations
    twice = fitted(np.repeat(X, 2, axis=0), np.repeat(y, 2)).dependence.relations
    assert [(each.term, each.others, each.n_values) for each in once] == [
        (each.term, each.others, each.n_values) for each in twice
    ]


def test_relations_are_saved_and_older_files_know_none(tmp_path):
    rng = np.random.default_rng(6)
    X = rng.integers(6, size=(600, 3)).astype(float)
    X[:, 1] = rng.permutation(6)[X[:, 0].astype(int)]
    dec, path = fitted(X, np.cos(X[:, 0] ** 2) + X[:, 2]), tmp_path / "dec.json"
    dec.save(path)
    assert Decomposition.load(path).dependence.relations == dec.dependence.relations != ()
    path.write_text(path.read_text().replace('"relations":', '"unknown":'))
    assert Decomposition.load(path).dependence.relations == ()


def test_another_population_has_relations_of_its_own():
    rng = np.random.default_rng(7)
    X = rng.integers(8, size=(1500, 3)).astype(float)
    dec = fitted(X, np.cos(X[:, 0] ** 2) + X[:, 1] + X[:, 2])
    assert dec.dependence.relations == ()
    X[:, 1] = rng.permutation(8)[X[:, 0].astype(int)]
    assert relation_of(dec.under(X), 1).others == (0,)
