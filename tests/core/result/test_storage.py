import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from anova_report import Decomposition, FunctionalANOVA
from anova_report.core.result import storage
from anova_report.errors import StorageError
from benchmarks.mutations import changed, places, value_at

X = np.random.default_rng(1).uniform(-1, 1, size=(150, 3))
PREDICTIONS = np.column_stack([X[:, 0] * X[:, 1] + X[:, 2], np.exp(X[:, 0])])
NAMES = ["âge", "fixed × acidity", '"quoted"\n名']


def fitted(predictions, scaling=None) -> Decomposition:
    frame = pd.DataFrame(X, columns=NAMES)
    return FunctionalANOVA.published(K=2, d=3, d_density=2, scaling=scaling).fit(frame, predictions).decomposition_


@pytest.fixture(scope="module")
def dec() -> Decomposition:
    return fitted(PREDICTIONS[:, 0])


@pytest.fixture
def saved(dec, tmp_path) -> Path:
    path = tmp_path / "dec.json"
    dec.save(path)
    return path


def change(path, **changes):
    document = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**document, **changes}), encoding="utf-8")


@pytest.mark.parametrize("predictions", [PREDICTIONS[:, 0], PREDICTIONS], ids=["one output", "two outputs"])
@pytest.mark.parametrize("scaling", [None, "tanh"])
def test_a_loaded_decomposition_predicts_equally_to_the_last_bit(predictions, scaling, tmp_path):
    dec = fitted(predictions, scaling)
    dec.save(tmp_path / "dec.json")
    loaded = Decomposition.load(tmp_path / "dec.json")
    new = np.random.default_rng(2).uniform(-1, 1, size=(500, 3))
    np.testing.assert_array_equal(loaded.predict(new), dec.predict(new))
    np.testing.assert_array_equal(loaded.components(new), dec.components(new))
    np.testing.assert_array_equal(loaded.shapley(new), dec.shapley(new))
    np.testing.assert_array_equal(loaded.mean, dec.mean)


def test_functions_of_every_kind_of_feature_are_kept_to_the_last_bit(tmp_path):
    rng = np.random.default_rng(3)
    smooth = rng.normal(size=400)
    columns = [
        np.where(rng.random(400) < 0.2, 0.3, smooth),  # one value is heavy
        np.where(rng.random(400) < 0.5, smooth, 90 + smooth),  # nothing between two clusters
        np.where(rng.random(400) < 0.1, np.nan, np.exp(smooth)),
        rng.integers(0, 4, size=400),
    ]
    rows = np.column_stack(columns)
    predictions = rows[:, 0] + rows[:, 3] * np.tanh(rows[:, 1]) + np.nan_to_num(rows[:, 2])
    dec = FunctionalANOVA(random_state=0, progress=False).fit(rows, predictions).decomposition_
    dec.save(tmp_path / "dec.json")
    loaded = Decomposition.load(tmp_path / "dec.json")
    new = np.concatenate([rows, 1.5 * rows, rows + 0.01])
    np.testing.assert_array_equal(loaded.components(new), dec.components(new))
    np.testing.assert_array_equal(loaded.predict(new), dec.predict(new))
    assert loaded.settings["family"] == dec.settings["family"]


def of_ranks(knots: np.ndarray, ranks: np.ndarray, atoms: list[int], degree: int) -> dict:
    """Polynomials of the rank as the first versions wrote them: here Legendre's."""
    order = np.arange(1, degree + 1)
    law = {"knots": knots.tolist(), "ranks": ranks.tolist(), "atoms": atoms, "missing": 0.0}
    recurrence = {"alpha": [0.0] * degree, "beta": (order / np.sqrt(4 * order**2 - 1)).tolist()}
    return {"kind": "numeric", **law, **recurrence, "table": legendre(ranks[atoms], degree).tolist()}


def legendre(ranks: np.ndarray, degree: int) -> np.ndarray:
    scale = np.sqrt(2 * np.arange(degree + 1) + 1)
    return (np.polynomial.legendre.legvander(2 * ranks - 1, degree) * scale).T[1:]


@pytest.fixture
def read_functions(tmp_path):
    """Read the functions of a feature from a decomposition that has them instead of its own."""
    dec = FunctionalANOVA(1, random_state=0, progress=False).fit(X[:, :1], X[:, 0]).decomposition_
    dec.save(tmp_path / "dec.json")

    def read(marginal: dict):
        one = {"term": [0], "degrees": [[1]], "coefficients": [[1.0]], "offset": [0.0]}
        reference = {"kind": "marginal", "marginals": [marginal]}
        change(tmp_path / "dec.json", reference=reference, components=[one], uncertainty=None, joint_support=None)
        return Decomposition.load(tmp_path / "dec.json").expansion.reference.marginals[0]

    return read


def test_polynomials_of_the_rank_in_old_files_are_read(read_functions):
    knots, ranks = np.geomspace(1, 50, 600), np.linspace(0.001, 0.999, 600)
    marginal = read_functions(of_ranks(knots, ranks, [100], degree=12))
    values = np.random.default_rng(0).uniform(1, 50, size=2000)
    expected = legendre(np.interp(values, knots, ranks), 12)
    np.testing.assert_allclose(marginal.evaluate(values), expected, atol=1e-3)
    np.testing.assert_allclose(marginal.evaluate(knots), legendre(ranks, 12), atol=1e-9)
    np.testing.assert_array_equal(marginal.evaluate(np.array([0.0, 60.0])), marginal.evaluate(knots[[0, -1]]))
    assert marginal.outside(np.array([0.0, 60.0])).all()


def test_between_ranks_that_lie_apart_old_functions_hold_the_nearer_value(read_functions):
    # Half of the rows are 0: between the ranks of 0 and of the next value polynomials were not held by anything.
    knots = np.r_[0.0, np.linspace(5, 9, 600)]
    ranks = np.r_[0.25, np.linspace(0.5, 0.999, 600)]
    marginal = read_functions(of_ranks(knots, ranks, [0], degree=12))
    near_zero, near_next = marginal.evaluate(np.array([2.0])), marginal.evaluate(np.array([3.0]))
    np.testing.assert_allclose(near_zero, legendre(ranks[:1], 12), atol=1e-9)
    np.testing.assert_allclose(near_next, legendre(ranks[1:2], 12), atol=1e-9)


def test_few_values_of_old_files_are_read(read_functions):
    knots, ranks = np.arange(4.0), np.array([0.1, 0.3, 0.6, 0.9])
    marginal = read_functions(of_ranks(knots, ranks, [0, 1, 2, 3], degree=3))
    np.testing.assert_allclose(marginal.evaluate(knots), legendre(ranks, 3), atol=1e-12)
    between = marginal.evaluate(np.array([1.5]))[:, 0]
    np.testing.assert_allclose(between, legendre(ranks[1:3], 3).mean(axis=1), atol=1e-12)


def test_curves_of_files_that_do_not_say_go_on_beyond_the_range_as_straight_lines(tmp_path):
    X = np.random.default_rng(0).uniform(size=(400, 1))
    dec = FunctionalANOVA(max_order=1, family="waves", random_state=0).fit(X, 3 * X[:, 0]).decomposition_
    path = tmp_path / "dec.json"
    dec.save(path)
    places = np.array([X.max(axis=0), [2.0], [3.0]])
    now = Decomposition.load(path).predict(places)
    np.testing.assert_array_equal(now, dec.predict(places))
    np.testing.assert_allclose(now, now[0])
    document = json.loads(path.read_text())
    for marginal in document["reference"]["marginals"]:
        del marginal["held"]
    path.write_text(json.dumps(document))
    at_end, near, far = Decomposition.load(path).predict(places)
    assert near > at_end + 0.1
    assert (far - near) / 1.0 == pytest.approx((near - at_end) / (2.0 - X.max()), rel=1e-6)


def test_main_effects_alone_have_no_relations_and_still_load(tmp_path):
    dec = FunctionalANOVA.published(K=1, d=2, scaling=None).fit(X, X[:, 0]).decomposition_
    dec.save(tmp_path / "dec.json")
    assert Decomposition.load(tmp_path / "dec.json").in_sample.fourths.shape == dec.in_sample.fourths.shape == (0, 1)


def test_floors_of_leakage_and_the_hardest_rows_are_kept_and_may_be_missing_in_old_files(tmp_path):
    dec = FunctionalANOVA(random_state=0, progress=False).fit(X, PREDICTIONS).decomposition_
    dec.save(tmp_path / "dec.json")
    kept = Decomposition.load(tmp_path / "dec.json").held_out
    np.testing.assert_array_equal(kept.leakage_floors, dec.held_out.leakage_floors)
    for name in ("positions", "shares", "gap_rows", "prediction_rows"):
        np.testing.assert_array_equal(getattr(kept.hardest, name), getattr(dec.held_out.hardest, name))
    written = json.loads((tmp_path / "dec.json").read_text(encoding="utf-8"))["held_out"]
    del written["leakage_floors"], written["hardest"]
    change(tmp_path / "dec.json", held_out=written)
    old = Decomposition.load(tmp_path / "dec.json").held_out
    assert (old.leakage_floors, old.hardest) == (None, None)
    np.testing.assert_array_equal(old.leakages, dec.held_out.leakages)


def test_uncertainty_is_kept_and_how_rows_were_dealt_may_be_missing_in_old_files(tmp_path):
    dec = FunctionalANOVA(max_order=1, random_state=0).fit(X, PREDICTIONS).decomposition_
    dec.save(tmp_path / "dec.json")
    loaded = Decomposition.load(tmp_path / "dec.json").uncertainty
    assert loaded.replicate_key == dec.uncertainty.replicate_key != ""
    for name in ("structural", "total", "in_sample", "held_out"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(dec.uncertainty, name))
    for ours, theirs in zip(loaded.components, dec.uncertainty.components, strict=True):
        np.testing.assert_array_equal(ours.evaluate(X), theirs.evaluate(X))
    document = storage.STAMP.body(tmp_path / "dec.json")
    del document["uncertainty"]["dealt"], document["uncertainty"]["lacking"]
    document["uncertainty"]["total"] = (dec.uncertainty.total + 1e-3).tolist()  # draws, which added up to no meaning
    old = storage.decomposition_fields(document)["uncertainty"]
    assert old.replicate_key == ""
    np.testing.assert_allclose(old.total.sum(axis=1), 0, atol=1e-12)


def test_what_was_held_out_together_is_kept_and_may_be_missing_in_old_files(tmp_path):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 2))
    dec = FunctionalANOVA(1, random_state=0).fit(X, X[:, 0], groups=np.arange(120) % 12).decomposition_
    dec.save(tmp_path / "dec.json")
    assert Decomposition.load(tmp_path / "dec.json").partition == dec.partition
    document = json.loads((tmp_path / "dec.json").read_text(encoding="utf-8"))
    del document["partition"]
    (tmp_path / "old.json").write_text(json.dumps(document), encoding="utf-8")
    assert Decomposition.load(tmp_path / "old.json").partition is None


def test_the_file_is_strict_json_that_says_what_it_is(saved):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    document = json.loads(saved.read_text(encoding="utf-8"), parse_constant=refuse)
    assert document["schema"] == "anova_report.decomposition"
    assert document["version"] == 1
    assert [feature["name"] for feature in document["features"]] == NAMES


def test_settings_in_numpy_types_are_saved_as_numbers(tmp_path):
    dec = FunctionalANOVA.published(K=np.int64(1), d=np.int64(2), scaling=None).fit(X, X[:, 0]).decomposition_
    dec.save(tmp_path / "dec.json")
    assert Decomposition.load(tmp_path / "dec.json").settings["K"] == 1


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"limit": np.nan}, "cannot be written as JSON: Out of range float"), ({"seed": {1, 2}}, "is of type set, which")],
)
def test_what_json_has_no_word_for_is_refused_before_a_file_is_written(dec, settings, words, tmp_path):
    with pytest.raises(StorageError, match=words):
        replace(dec, settings=settings).save(tmp_path / "dec.json")
    assert list(tmp_path.iterdir()) == []


def test_a_newer_version_is_refused_with_both_numbers(saved):
    change(saved, version=2)
    with pytest.raises(StorageError, match=r"of version 2, and this version .* reads up to version 1\. Upgrade anova"):
        Decomposition.load(saved)


@pytest.mark.parametrize("content", [b"", b"hello", b'{"schema": ', b"\x80\x04\x95\xff", b"\xff\xfe{\x00}\x00"])
def test_what_is_not_json_is_refused(content, tmp_path):
    path = tmp_path / "dec.json"
    path.write_bytes(content)
    with pytest.raises(StorageError, match=r"dec\.json is not JSON "):
        Decomposition.load(path)


@pytest.mark.parametrize(
    "damage",
    [
        {"components": None},
        {"components": [{"term": [0]}]},
        {"features": ["age"]},
        {"features": 3},
        {"mean": "high"},
        {"reference": {}},
        {"reference": []},
        {"in_sample": {"n_rows": 3, "firsts": [], "seconds": [], "fourths": []}},
        {"in_sample": {"n_rows": 3, "firsts": [[1.0], [1.0, 2.0]], "seconds": [], "fourths": []}},
    ],
)
def test_a_damaged_decomposition_is_refused(saved, damage):
    change(saved, **damage)
    with pytest.raises(StorageError, match=r"^The saved decomposition is damaged: .*\.$"):
        Decomposition.load(saved)


@pytest.mark.parametrize("key", ["components", "features", "mean", "reference", "in_sample", "held_out", "scale"])
def test_a_missing_part_is_named(saved, key):
    document = json.loads(saved.read_text(encoding="utf-8"))
    del document[key]
    saved.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(StorageError, match=f"damaged: KeyError at '{key}'"):
        Decomposition.load(saved)


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> dict:
    """A decomposition with all its parts, as JSON types."""
    frame = pd.DataFrame(X, columns=NAMES).assign(level=np.where(X[:, 0] > X[:, 1], "a", "b"))
    frame.iloc[::9, 0] = np.nan
    dec = FunctionalANOVA(random_state=0, progress=False).fit(frame, PREDICTIONS).decomposition_
    path = tmp_path_factory.mktemp("written") / "dec.json"
    dec.save(path)
    return json.loads(path.read_text(encoding="utf-8"))


def numbers(document: dict) -> list[tuple]:
    """Choose one number of every array, and every other number, outside of the settings."""
    found = {}
    for path in places({name: value for name, value in document.items() if name not in ("settings", "version")}):
        if isinstance(value_at(document, path), float):
            found.setdefault(tuple(key for key in path if isinstance(key, str)), path)
    return list(found.values())


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" * 400])
def test_numbers_that_are_none_are_refused_wherever_they_stand(written, number, tmp_path):
    assert len(numbers(written)) > 30
    for path in numbers(written):
        text = json.dumps(changed(written, path, "HERE")).replace('"HERE"', number)
        (tmp_path / "dec.json").write_text(text, encoding="utf-8")
        with pytest.raises(StorageError, match="is not JSON"):
            Decomposition.load(tmp_path / "dec.json")


def test_an_array_that_lacks_a_number_or_has_one_too_many_is_refused(written, tmp_path):
    arrays = {path[:-1] for path in numbers(written) if isinstance(path[-1], int)}
    for path in arrays:
        for damage in (value_at(written, path)[:-1], [*value_at(written, path), 0.0], [value_at(written, path)]):
            (tmp_path / "dec.json").write_text(json.dumps(changed(written, path, damage)), encoding="utf-8")
            with pytest.raises(StorageError, match="damaged"):
                Decomposition.load(tmp_path / "dec.json")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("components", 0, "term"), [9]),
        (("components", 0, "term"), [-1]),
        (("components", 1, "term"), [0]),
        (("components", 0, "degrees", 0), [99]),
        (("components", 0, "degrees", 0), [-1]),
        (("in_sample", "n_rows"), -1),
        (("in_sample", "n_rows"), True),
        (("held_out", "squared_gap", 0), -1.0),
        (("held_out", "seconds", 0, 0, 0), -1.0),
        (("held_out", "hardest", "gap_rows", 0), 0.0),
        (("held_out", "hardest", "prediction_rows", 0), 0.0),
        (("held_out", "seconds", 0, 1, 0), 1e9),
        (("features", 0, "kind"), "imaginary"),
        (("features", 3, "kind"), "numeric"),
        (("single_output",), True),
        (("path",), "guessed"),
        (("partition", "unit"), "whatever"),
        (("fingerprint", "step"), 0),
        (("components", 0, "coefficients", 0, 0), 1.7e308),
        (("uncertainty", "structural", 0, 0, 0), -1e160),
        (("uncertainty", "coefficients", 0, 0, 0, 0), 1e160),
        (("reference", "marginals", 0, "knots", 0), 1e9),
    ],
)
def test_parts_that_contradict_each_other_are_refused(written, path, value, tmp_path):
    (tmp_path / "dec.json").write_text(json.dumps(changed(written, path, value)), encoding="utf-8")
    with pytest.raises(StorageError, match="damaged"):
        Decomposition.load(tmp_path / "dec.json")


def test_what_is_nested_without_end_is_refused(tmp_path):
    (tmp_path / "dec.json").write_text("[" * 9_000, encoding="utf-8")
    with pytest.raises(StorageError, match=r"nested too deeply|is not JSON"):  # Python 3.12 and later read as deep
        Decomposition.load(tmp_path / "dec.json")


def test_half_a_character_in_a_name_is_kept(dec, tmp_path):
    replace(dec, output_names=("\ud800",)).save(tmp_path / "dec.json")
    assert Decomposition.load(tmp_path / "dec.json").output_names == ("\ud800",)


def test_nothing_is_pickled(dec, tmp_path, monkeypatch):
    def refuse(*_args, **_kwargs):
        raise AssertionError("pickle was used")

    for name in ("dump", "dumps", "load", "loads", "Pickler", "Unpickler"):
        monkeypatch.setattr(f"pickle.{name}", refuse)
    dec.save(tmp_path / "dec.json")
    assert Decomposition.load(tmp_path / "dec.json").terms == dec.terms
    assert (tmp_path / "dec.json").read_bytes().startswith(b'{"schema": ')
