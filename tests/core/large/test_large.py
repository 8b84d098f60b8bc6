"""More rows than are read at once: a sample chooses, all rows estimate, and nothing depends on how they are cut."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, FunctionalANOVA
from anova_report.core.arrays import BLOCK_ROWS
from anova_report.core.fit.partition import SHARES, Partition, Units
from anova_report.core.input import fingerprint
from anova_report.core.large import large_recipe, spans
from anova_report.core.large.large_rows import Division, SampledUnits
from anova_report.core.large.survey import RowHashes, cut_codes
from anova_report.core.result import storage

SAMPLE = 12_000


@pytest.fixture(autouse=True, scope="module")
def few_are_many() -> Iterator[None]:
    """Make tables of some ten thousand rows larger than what is read at once, of several spans."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large_recipe, "SAMPLE_ROWS", SAMPLE)
        patch.setattr(fingerprint, "MOST_AT_ONCE", SAMPLE)
        patch.setattr(spans, "SPAN_BLOCKS", 1)
        patch.setattr(spans, "TOGETHER", 2)
        yield


def fit(X, y, *, family="auto", **known) -> Decomposition:
    return FunctionalANOVA(random_state=0, progress=False, family=family).fit(X, y, **known).decomposition_


def bits(dec: Decomposition) -> str:
    return storage.dumps(dec)


@pytest.fixture(scope="module")
def mixed() -> tuple[pd.DataFrame, np.ndarray]:
    """Rows sorted by level, with a missing value or a rare level in some parts of the table only."""
    rng = np.random.default_rng(0)
    n_rows = 40_000
    level = np.sort(rng.choice(["a", "b", "c", "d"], size=n_rows, p=[0.4, 0.3, 0.2, 0.1]))
    x, z, u = rng.normal(size=(3, n_rows))
    x = np.where((rng.random(n_rows) < 0.1) & (level == "c"), np.nan, x + (level == "b"))
    z = np.where(rng.random(n_rows) < 0.3, 0.0, z)
    table = pd.DataFrame({"x": x, "level": level, "z": z, "u": u, "count": rng.poisson(3, n_rows)})
    return table, np.nan_to_num(x) * z + (level == "c") + np.sin(2 * u) + 0.1 * rng.normal(size=n_rows)


@pytest.fixture(scope="module")
def expected(mixed) -> Decomposition:
    return fit(*mixed)


@pytest.mark.parametrize("size", [1777, 8192, 25_000])
def test_chunks_of_any_size_give_the_bits_of_the_table(mixed, expected, size):
    X, y = mixed
    chunks = lambda: ((X[at : at + size], y[at : at + size]) for at in range(0, len(X), size))  # noqa: E731
    chunked = FunctionalANOVA(random_state=0, progress=False).fit_chunks(chunks).decomposition_
    assert bits(chunked) == bits(expected)


def test_a_sample_that_chooses_explains_as_much_as_all_rows_that_choose(mixed, expected, monkeypatch):
    X, y = mixed
    monkeypatch.setattr(large_recipe, "SAMPLE_ROWS", 10**6)
    whole = fit(X, y)
    left, most = (float(dec.held_out.squared_gap[0]) / np.var(y) for dec in (expected, whole))
    assert left == pytest.approx(most, abs=1e-3)
    assert expected.held_out.n_rows + 0.6 * len(X) == pytest.approx(len(X), rel=0.02)
    assert expected.in_sample.n_rows == len(X)
    mains = [term for term in whole.terms if len(term) == 1]
    for term in mains:
        assert np.std(expected.component(term, X) - whole.component(term, X)) < 0.01 * np.std(y)
    np.testing.assert_allclose(expected.correlations, whole.correlations, atol=1e-3)
    assert {pair.term for pair in expected.joint_support.pairs} == {pair.term for pair in whole.joint_support.pairs}


def test_no_row_of_a_large_fit_lies_beyond_it_and_others_do(mixed, expected):
    X, _ = mixed
    assert not expected.outside(X).any()
    assert expected.outside(X.head(3).assign(x=X["x"].max() + 1e-9))[:, 0].all()


def test_rows_are_known_again_however_many_they_are(mixed, expected):
    X, y = mixed
    assert expected.fingerprint.is_of_rows(expected.encode(X))
    assert expected.fingerprint.is_of_predictions(y[:, None])
    assert not expected.fingerprint.is_of_rows(expected.encode(X[::-1]))
    step = expected.fingerprint.step
    np.testing.assert_array_equal(expected.fingerprint.kept[:, 0], y[::step])


def test_sampled_rows_play_the_part_they_have_in_the_table():
    places = np.sort(np.random.default_rng(0).choice(30_000, size=500, replace=False))
    division = Division.of(Units(Partition("row", 30_000), 30_000, seed=3))
    drawn = SampledUnits.drawn(Partition("row", 500), division, places, 30_000, hashes=None, weights=None)
    sizes = [min(BLOCK_ROWS, 30_000 - start) for start in range(0, 30_000, BLOCK_ROWS)]
    for part, whole in ((drawn.group, division.groups), (drawn.replicate, division.replicates)):
        np.testing.assert_array_equal(part, np.concatenate([whole(at, size) for at, size in enumerate(sizes)])[places])


def test_units_that_are_told_by_hashes_have_their_shares_and_stay_together():
    division = Division.of(Units(Partition("row", 10), 10, seed=3))
    hashes = np.random.default_rng(0).integers(2**63, size=100_000, dtype=np.uint64)
    group, replicate = division.parts(0, len(hashes), hashes)
    np.testing.assert_allclose(np.bincount(group) / len(hashes), SHARES, atol=0.01)
    np.testing.assert_allclose(np.bincount(replicate) / len(hashes), 1 / 64, atol=0.002)
    again = division.parts(7, 10, hashes[:10])
    np.testing.assert_array_equal(again[0], group[:10])
    assert abs(np.corrcoef(group, replicate)[0, 1]) < 0.02


def test_weights_and_groups_are_those_of_the_table():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(30_000, 2))
    y = X[:, 0] * X[:, 1] + X[:, 0] ** 2
    label, weights = rng.integers(40, size=30_000), np.where(X[:, 0] > 0, 2.0, 1.0)
    weights[:100] = 0
    dec = fit(X, y, sample_weight=weights, groups=label)
    assert dec.partition.unit == "group"
    assert dec.partition.n_units == 40
    assert dec.partition.total_weight == weights.sum()
    assert dec.in_sample.n_rows == 29_900
    assert dec.mean == pytest.approx(np.average(y, weights=weights), abs=0.02)
    chunks = [(X[at : at + 7000], y[at : at + 7000], weights[at : at + 7000]) for at in range(0, 30_000, 7000)]
    chunked = FunctionalANOVA(random_state=0, progress=False).fit_chunks(lambda: chunks, groups=label)
    assert bits(chunked.decomposition_) == bits(dec)


def test_rows_are_held_out_once_however_few_of_them_weigh_much():
    rng = np.random.default_rng(11)
    X = rng.normal(size=(40_000, 2))
    dec = fit(X, np.sin(2 * X[:, 0]) + X[:, 0] * X[:, 1], sample_weight=np.exp(1.6 * rng.normal(size=40_000)))
    assert dec.partition.n_effective < 4000
    assert dec.held_out.n_rows == pytest.approx(0.4 * 40_000, rel=0.02)
    assert dec.held_out.squared_gap[0] < 0.01


def test_copies_are_held_out_together():
    rng = np.random.default_rng(5)
    once = rng.normal(size=(15_000, 3))
    X = np.concatenate([once, once])
    dec = fit(X, X[:, 0] * X[:, 1] + X[:, 2])
    assert dec.partition.unit == "equal rows"
    assert dec.partition.n_copies == pytest.approx(15_000, rel=0.1)


def test_a_table_of_few_values_is_solved_exactly():
    rng = np.random.default_rng(6)
    X = rng.integers(4, size=(30_000, 3)).astype(float)
    X[:, 1] = np.where(rng.random(30_000) < 0.5, X[:, 0], X[:, 1])
    y = X[:, 0] * X[:, 1] + (X[:, 2] == 3)
    dec = fit(X, y)
    assert dec.path == "exact cells"
    np.testing.assert_allclose(dec.predict(X), y, atol=1e-9)


def test_codes_of_a_column_keep_what_many_rows_share_and_its_ends():
    rng = np.random.default_rng(7)
    column = np.where(rng.random(400_000) < 0.3, 0.5, rng.normal(size=400_000) ** 3)
    drawn = rng.choice(column, size=50_000)
    book = cut_codes(drawn, column.min(), column.max())
    codes = book.encode(column)
    assert len(book.last) < 2 * 16_384
    np.testing.assert_array_equal(book.decode(codes[column == 0.5]), 0.5)
    assert (book.decode(codes[column != 0.5]) != 0.5).all()
    assert book.decode(book.encode(np.array([column.min(), column.max()]))).tolist() == [column.min(), column.max()]
    # No code but that of a shared value holds more rows than two parts in a thousand: ranks are known to that.
    shares = np.bincount(codes) / len(column)
    assert np.sort(shares)[-2] < 2e-3
    assert (np.diff(book.nodes) > 0).all()


@pytest.mark.parametrize("cut", [1000, 6000])
def test_different_rows_are_counted_in_bounded_memory_whatever_the_cut(cut):
    rng = np.random.default_rng(8)
    hashes = rng.integers(2**64, size=60_000, dtype=np.uint64)
    hashes = np.concatenate([hashes, hashes[:20_000]])
    whole, merged = RowHashes(), RowHashes()
    whole.add(RowHashes(0, *np.unique(hashes, return_counts=True)))
    for at in range(0, len(hashes), cut):
        part = RowHashes()
        part.add(RowHashes(0, *np.unique(hashes[at : at + cut], return_counts=True)))
        merged.add(part)
    np.testing.assert_array_equal(merged.hashes, whole.hashes)
    np.testing.assert_array_equal(merged.counts, whole.counts)
    assert len(merged.hashes) << merged.level == pytest.approx(60_000, rel=0.05)
    assert merged.repeated == pytest.approx(0.25, abs=0.03)


def test_groups_of_rows_and_columns_that_others_determine_are_found_from_chunks_with_the_same_bits():
    rng = np.random.default_rng(5)
    n_rows, patient = 40_000, np.arange(40_000) // 400
    own, effect = rng.normal(size=(100, 2)), rng.normal(size=100)
    X = np.column_stack([own[patient], rng.normal(size=(n_rows, 2))])
    y = effect[patient] + X[:, 2]
    whole = fit(X, y)
    found = whole.partition.recurring
    assert (found.features, found.n_sets) == ((0, 1), 100)
    assert found.one_by_one[0] + 0.1 < found.together[0]
    assert [(each.term, each.others) for each in whole.dependence.relations] == [((0,), (1,)), ((1,), (0,))]
    chunks = lambda: ((X[at : at + 9999], y[at : at + 9999]) for at in range(0, n_rows, 9999))  # noqa: E731
    assert bits(FunctionalANOVA(random_state=0, progress=False).fit_chunks(chunks).decomposition_) == bits(whole)


def test_fits_of_two_families_estimate_what_each_does_alone(monkeypatch):
    """A held-out fit may choose another family than the fit: each needs sums of its own columns over all rows."""
    X = np.random.default_rng(11).normal(size=(30_000, 2))
    y = np.sin(2 * X[:, 0]) + np.exp(X[:, 0] / 2) * X[:, 1]
    families, choose = ("waves", "polynomials"), large_recipe.choose
    alone = [fit(X, y, family=family) for family in families]

    def mixed(table, *known):
        own = table.settings["family"]
        other = next(family for family in families if family != own)
        chosen, rest = (
            choose(replace(table, settings={"max_order": 2, "family": each}), *known) for each in (own, other)
        )
        return replace(chosen, held_out=[rest.held_out[0], chosen.held_out[1]])

    monkeypatch.setattr(large_recipe, "choose", mixed)
    both = [fit(X, y, family=family) for family in families]
    for one, own in zip(both, alone, strict=True):
        np.testing.assert_allclose(one.predict(X), own.predict(X), atol=1e-6)
    # Every fold is left out by one fit of each family, whichever fits come together.
    left, expected = (sum(float(dec.held_out.squared_gap[0]) for dec in each) for each in (both, alone))
    assert left == pytest.approx(expected, rel=1e-3)
