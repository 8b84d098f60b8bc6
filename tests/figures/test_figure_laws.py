"""Laws of all figures, whatever the decomposition: JSON and back, unique keys, sentences with numbers, sound axes."""

import json
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from anova_report import FunctionalANOVA, explain, measures
from anova_report.figures.cases import force, waterfall
from anova_report.figures.effects import main_effect
from anova_report.figures.figure import Figure
from anova_report.figures.geometry import Axis
from anova_report.figures.joint_effects import joint_pictures
from anova_report.figures.kinds import KINDS
from anova_report.figures.networks import local_network, network_figure
from anova_report.figures.pairs import pair_surface
from anova_report.figures.row_effects import row_effects
from anova_report.figures.rows import Rows
from anova_report.figures.shares import shares_figure, totals_figure
from anova_report.figures.slices import pair_slices
from anova_report.figures.spread import histogram_figure, predictions_histogram, scatter_figure
from anova_report.figures.swarms import feature_swarm, term_swarm
from anova_report.figures.trust import matrix_figure, regions_figure
from anova_report.io.documents import plain, read
from anova_report.measures import joint_effect
from tests.figures.samples import EMOJI, HOSTILE, LONG, RIGHT_TO_LEFT

CASES = ["known", "mixed", "published", "constant", "triple"]


def figures_of(rows: Rows, output: int = 0) -> Iterator[Figure]:
    """Draw everything that can be drawn of one output."""
    dec = rows.dec
    yield shares_figure(dec, output)
    yield totals_figure(dec, output)
    yield network_figure(dec, output)
    yield matrix_figure(dec, output)
    for term in dec.terms:
        if len(term) == 1:
            yield main_effect(rows, term, output, row=1)
        if len(term) == 2:
            yield pair_surface(rows, term, output, row=1)
            yield pair_slices(rows, term, output)
    if len(dec.features) > 2:
        along, members = joint_pictures(rows, joint_effect(dec, range(3), output), key=f"o{output}-joint", most=3)
        yield from (figure for figure in (along, *members) if figure is not None)
    yield feature_swarm(rows, output)
    yield term_swarm(rows, output, by=0)
    yield from (row_effects(rows, index, output) for index in range(len(dec.features)))
    for row in (0, len(rows) - 1):
        yield waterfall(rows, row, output)
        yield force(rows, row, output)
        yield local_network(rows, row, output)
    if rows.predictions is not None:
        yield scatter_figure(rows, output, row=1)
        yield regions_figure(rows, output)
        yield predictions_histogram(rows, output)


@pytest.fixture(scope="module", params=CASES)
def drawn(request) -> list[Figure]:
    rows = request.getfixturevalue(request.param).rows
    made = [figure for output in range(len(rows.dec.output_names)) for figure in figures_of(rows, output)]
    return made + [histogram_figure(rows, index) for index in range(len(rows.dec.features))]


def inside(value: Any) -> Iterator[Any]:
    """Walk through everything a figure holds."""
    yield value
    parts = [getattr(value, field.name) for field in fields(value)] if is_dataclass(value) else []
    for part in value if isinstance(value, tuple) else parts:
        yield from inside(part)


def test_every_figure_becomes_json_and_comes_back_equal(drawn):
    for figure in drawn:
        written = json.dumps(plain(figure), allow_nan=False)
        assert read(json.loads(written), Figure) == figure, figure.key


def test_keys_are_unique_and_made_of_letters_digits_and_hyphens(drawn):
    keys = [figure.key for figure in drawn]
    assert len(set(keys)) == len(keys)
    assert all(re.fullmatch(r"[A-Za-z0-9-]+", key) for key in keys)


def test_alternative_texts_are_sentences_with_numbers(drawn):
    for figure in drawn:
        assert re.search(r"\d", figure.alt), figure.alt
        assert figure.alt.endswith("."), figure.alt
        assert not re.search(r"nan|inf\b|None|\d-\d", re.sub(r"\d{4}-\d\d-\d\d", "", figure.alt)), figure.alt
        assert figure.title


def test_tables_are_full_rectangles_of_text(drawn):
    for figure in drawn:
        assert figure.table.rows, figure.key
        assert {len(line) for line in figure.table.rows} == {len(figure.table.head)}, figure.key
        assert {type(cell) for line in figure.table.rows for cell in line} == {str}
        assert not any(cell in ("nan", "inf") for line in figure.table.rows for cell in line)


def test_figures_hold_plain_python_values_only(drawn):
    allowed = {float, int, bool, str, tuple, type(None)}
    for figure in drawn:
        found = {type(part) for part in inside(figure.data) if not is_dataclass(part)}
        assert found <= allowed, figure.key


def test_axes_run_upwards(drawn):
    for figure in drawn:
        for part in inside(figure.data):
            if isinstance(part, Axis):
                assert part.low < part.high, figure.key


def test_figures_are_small(drawn):
    assert max(len(json.dumps(plain(figure))) for figure in drawn) < 60_000


def test_together_the_cases_show_every_kind(known, mixed):
    kinds = {figure.kind for case in (known, mixed) for figure in figures_of(case.rows)}
    of_two = {"contrast", "levelcontrast", "drift"}  # decompositions
    of_more = {"observed", "ledger", "gains"}  # columns than an explanation has
    assert kinds | {histogram_figure(known.rows, 0).kind} == set(KINDS) - of_two - of_more


def test_drawing_twice_gives_the_same(mixed):
    again = Rows.of(mixed.dec, mixed.X, mixed.predictions)
    assert list(figures_of(again, 1)) == list(figures_of(mixed.rows, 1))


def test_a_saved_decomposition_draws_the_same(mixed, tmp_path):
    mixed.dec.save(tmp_path / "dec.json")
    loaded = type(mixed.dec).load(tmp_path / "dec.json")
    assert list(figures_of(Rows.of(loaded, mixed.X, mixed.predictions))) == list(figures_of(mixed.rows))


def test_names_are_kept_whatever_they_are(published):
    names = (HOSTILE, LONG, f"{RIGHT_TO_LEFT} {EMOJI}")
    features = tuple(replace(feature, name=name) for feature, name in zip(published.dec.features, names, strict=True))
    rows = Rows.of(replace(published.dec, features=features), published.X, published.predictions)
    for figure in figures_of(rows):
        assert re.fullmatch(r"[A-Za-z0-9-]+", figure.key)
        assert read(json.loads(json.dumps(plain(figure))), Figure) == figure
    assert main_effect(rows, 0).data.x.label == HOSTILE
    assert totals_figure(rows.dec).data.labels == tuple(
        names[published.dec.feature_names.index(label)] for label in totals_figure(published.dec).data.labels
    )


def test_rows_that_the_fit_has_not_seen_can_be_drawn(mixed):
    """Unseen levels, values far outside, and everything missing."""
    new = mixed.X.head(40).copy()
    new["color"] = "octarine"
    new["income"] = np.where(np.arange(40) % 2, 1e9, np.nan)
    new["rooms"] = 1900
    rows = Rows.of(mixed.dec, new, mixed.predictions[:40])
    made = [*figures_of(rows), *(histogram_figure(rows, index) for index in range(6))]
    assert len({figure.key for figure in made}) == len(made)
    for figure in made:
        assert read(json.loads(json.dumps(plain(figure), allow_nan=False)), Figure) == figure


def test_a_column_that_is_always_missing_can_be_drawn(mixed):
    rows = Rows.of(mixed.dec, mixed.X.head(30).assign(income=np.nan), mixed.predictions[:30])
    assert main_effect(rows, "income").data.x.levels == ("(missing)",)
    for figure in figures_of(rows):
        assert read(json.loads(json.dumps(plain(figure), allow_nan=False)), Figure) == figure


def test_without_predictions_all_else_can_be_drawn(published):
    kinds = {figure.kind for figure in figures_of(Rows.of(published.dec, published.X))}
    of_terms = {"shares", "totals", "network", "matrix", "curve", "surface", "slices"}
    assert kinds == of_terms | {"swarm", "roweffects", "waterfall", "force"}


def test_classes_are_drawn_on_the_scale_of_their_predictions():
    class Classifier:
        classes_ = ("no", "maybe", "yes")

        def predict_proba(self, table: Any) -> np.ndarray:
            odds = np.exp(np.column_stack([np.zeros(len(table)), table["a"], 2 * table["b"]]))
            return odds / odds.sum(axis=1, keepdims=True)

    X = pd.DataFrame(np.random.default_rng(0).normal(size=(400, 2)), columns=["a", "b"])
    estimator = FunctionalANOVA.published(K=1, d=2)
    dec = explain(Classifier(), X, estimator=estimator, progress=False, scale="probability")
    figure = main_effect(Rows.of(dec, X), "b", "yes")
    assert figure.key == "o2-main-1"
    assert figure.data.y.label == "effect on the probability of yes"
    assert figure.data.value[-1] > figure.data.value[0]
    assert measures.variance_shares(dec, "yes").ranked()[0].label == shares_figure(dec, "yes").data.labels[0]
