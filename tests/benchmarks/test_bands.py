"""The benchmark of bands in a small version: what it counts, what it prints."""

import re

import numpy as np
import pytest

from anova_report import Decomposition, measures
from benchmarks import bands
from tests.ground_truth import FGM, GAUSSIAN, KnownCase

N_ROWS = 4000


@pytest.fixture(scope="module")
def fitted() -> tuple[Decomposition, np.ndarray]:
    ((seed, X, fresh),) = bands.samples(FGM, 1, N_ROWS)
    return bands.fit_ours(X, FGM.answers(X), seed), fresh


def test_samples_come_with_fresh_rows_and_can_be_drawn_again():
    first, again = (list(bands.samples(GAUSSIAN, 2, 100)) for _ in range(2))
    assert [seed for seed, _, _ in first] == [0, 1]
    for (_, X, fresh), (_, same_X, same_fresh) in zip(first, again, strict=True):
        np.testing.assert_array_equal(X, same_X)
        np.testing.assert_array_equal(fresh, same_fresh)
        assert not set(X[:, 0]) & set(fresh[:, 0])
    assert not set(first[0][1][:, 0]) & set(first[1][1][:, 0])


def test_the_share_inside_is_counted_row_by_row(fitted):
    dec, fresh = fitted
    band = measures.bands(dec, (0,), fresh)
    truth = FGM.components[0,](fresh)
    inside = sum(low <= true <= high for low, true, high in zip(band.lower, truth, band.upper, strict=True))
    assert bands.share_inside(FGM, dec, (0,), fresh) == pytest.approx(inside / N_ROWS)


def test_a_truth_that_is_the_estimate_lies_inside_and_one_far_off_does_not(fitted):
    dec, fresh = fitted
    for shift, expected in ((0.0, 1.0), (100.0, 0.0)):
        truth = KnownCase("shifted", FGM.draw, {(0,): lambda X, shift=shift: dec.component(0, X) + shift})
        assert bands.share_inside(truth, dec, (0,), fresh) == expected


def test_errors_are_relative_and_a_component_that_was_left_out_has_error_one(fitted):
    dec, fresh = fitted
    doubled = {term: (lambda X, term=term: 2 * dec.component(term, X)) for term in ((0,), (0, 1))}
    case = KnownCase("doubled", FGM.draw, {**doubled, (0, 1, 2): lambda X: X[:, 2]})
    assert bands.component_errors(case, dec, fresh) == pytest.approx([0.5, 0.5, 1.0])


def test_coverage_prints_every_sample_and_their_mean(monkeypatch, capsys):
    shares = iter([0.9, 0.8, 1.0, 0.6])
    monkeypatch.setattr(bands, "fit_ours", lambda *_: None)
    monkeypatch.setattr(bands, "share_inside", lambda *_: next(shares))
    bands.coverage(2, 50)
    head, *samples, mean = capsys.readouterr().out.splitlines()
    assert "n = 50" in head
    assert "nominal 95%" in head
    assert [re.findall(r"\d\.\d{3}", text) for text in samples] == [["0.900", "0.800"], ["1.000", "0.600"]]
    assert re.findall(r"\d\.\d{3}", mean) == ["0.950", "0.050", "0.700", "0.100"]


def test_errors_are_printed_beside_those_of_the_published_method(monkeypatch, capsys):
    monkeypatch.setattr(bands, "fit_ours", lambda *_: "ours")
    monkeypatch.setattr(bands, "fit_published", lambda *_: "published")
    known = {"ours": [0.1, 0.2, 0.3], "published": [0.4, 0.5, 0.6]}
    monkeypatch.setattr(bands, "component_errors", lambda _case, dec, _rows: known[dec])
    bands.errors(GAUSSIAN, 3, 20)
    head, *samples, mean = capsys.readouterr().out.splitlines()
    assert head.startswith("Gaussian, n = 20")
    assert len(samples) == 3
    assert all("ours 0.100 / 0.200 / 0.300  published 0.400 / 0.500 / 0.600" in text for text in (*samples, mean))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--only", "coverage"], [("coverage", 50)]),
        (["--only", "errors", "--samples", "2"], [("FGM", 2), ("Gaussian", 2)]),
        (["--samples", "7"], [("coverage", 7), ("FGM", 7), ("Gaussian", 7)]),
    ],
)
def test_the_command_measures_what_was_asked_for(monkeypatch, arguments, expected):
    done = []
    monkeypatch.setattr(bands, "coverage", lambda n_samples, _rows: done.append(("coverage", n_samples)))
    monkeypatch.setattr(bands, "errors", lambda case, n_samples, _rows: done.append((case.name, n_samples)))
    bands.main(arguments)
    assert done == expected


def test_a_small_run_of_both_methods_has_figures_for_every_component(capsys):
    bands.errors(FGM, 1, N_ROWS)
    sample = capsys.readouterr().out.splitlines()[1]
    assert len(re.findall(r"\d+\.\d{3}", sample)) == 6
