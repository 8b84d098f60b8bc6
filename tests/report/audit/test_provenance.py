"""Digests, versions and settings of an audit."""

import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest

from anova_report.report.audit.provenance import data_digest, digest, settings
from tests.report.fits import mixed


@pytest.fixture(scope="module")
def values():
    return mixed().dec.encode(mixed().X)


def test_the_digest_is_that_of_names_kinds_levels_and_numbers(values):
    dec = mixed().dec
    features = [[feature.name, feature.kind, list(feature.levels)] for feature in dec.features]
    words = json.dumps(features, ensure_ascii=False).encode()
    written = f"{len(words)} {values.shape}".encode() + words + values.astype("<f8").tobytes()
    assert data_digest(dec, values) == hashlib.sha256(written).hexdigest()


def test_the_bits_of_a_missing_value_make_no_difference(values):
    dec, changed = mixed().dec, values.copy()
    changed[np.isnan(changed)] = -np.float64("nan")
    assert np.isnan(changed).any()
    assert data_digest(dec, changed) == data_digest(dec, values)


def test_any_change_changes_the_digest(values):
    dec = mixed().dec
    changed = values.copy()
    changed[3, 0] = np.nextafter(changed[3, 0], np.inf)
    renamed = replace(dec, features=(replace(dec.features[0], name="wage"), *dec.features[1:]))
    digests = {
        data_digest(dec, values),
        data_digest(dec, changed),
        data_digest(dec, values[:-1]),
        data_digest(renamed, values),
    }
    assert len(digests) == 4


def test_predictions_of_another_shape_have_another_digest():
    predictions = np.arange(6.0)
    assert digest(predictions.reshape(6, 1)) != digest(predictions.reshape(3, 2))
    assert digest(np.array([[0.0]])) == digest(np.array([[-0.0]]))


def test_settings_are_text_and_leave_out_what_cannot_change_a_result():
    found = dict(settings(mixed().dec))
    assert found == {
        "estimator": "FunctionalANOVA",
        "max_order": "2",
        "random_state": "0",
        "family": "polynomials",
        "path": "penalized",
        "fold_one_hot": "true",
    }
    assert "path" not in dict(settings(replace(mixed().dec, path=None)))


def test_the_population_of_a_decomposition_is_named_among_settings_and_notes():
    shown = mixed()
    dec = shown.dec.under(shown.X)
    found = dict(settings(dec))["population"]
    assert found == f"{dec.population.n_rows:,} rows, digest {dec.population.fingerprint}"
    assert any(note.startswith("Decomposed under") for note in dec.notes)
