import json
from dataclasses import replace
from functools import cache

import bokeh.models
import pytest

from anova_report.figures.figure import KINDS
from anova_report.figures.kinds import Surface
from anova_report.figures.live import PlotWriter, bokehjs, build, plot_json
from anova_report.figures.live.embedding import SUPPLIED, written
from tests.figures.live.reading import BOTH, sample
from tests.figures.samples import figure, rich_curve, rich_surface, steps

TYPES = (dict, list, str, int, float, bool, type(None))


def parts(value):
    yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from parts(item)


@cache
def item_of(name: str):
    return plot_json(sample(name))


def text(item) -> str:
    return json.dumps(item, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


@pytest.mark.parametrize("name", BOTH)
def test_two_plots_of_one_figure_are_the_same_json(name):
    assert plot_json(sample(name)) == item_of(name)


@pytest.mark.parametrize("name", BOTH)
def test_a_plot_is_made_of_json_types_only(name):
    item = item_of(name)
    assert all(type(part) in TYPES for part in parts(item))
    assert json.loads(text(item)) == item


@pytest.mark.parametrize("name", BOTH)
def test_models_are_numbered_as_they_appear_and_every_reference_has_one(name):
    item = item_of(name)
    models = [part for part in parts(item["doc"]) if isinstance(part, dict) and part.get("type") == "object"]
    assert [model["id"] for model in models] == [f"p{number}" for number in range(len(models))]
    references = {part["id"] for part in parts(item) if isinstance(part, dict) and set(part) == {"id"}}
    assert references <= {model["id"] for model in models}
    assert item["root_id"] == "p0"


@pytest.mark.parametrize("name", BOTH)
def test_no_plot_needs_code_to_be_made_from_text(name):
    # A page's policy forbids it, so such a model would not work.
    models = {part["name"] for part in parts(item_of(name)) if isinstance(part, dict) and "name" in part}
    assert not any("Custom" in str(model) for model in models)


@pytest.mark.parametrize("name", BOTH)
def test_whole_numbers_are_written_without_a_point(name):
    assert not any(isinstance(part, float) and part.is_integer() for part in parts(item_of(name)))


def test_what_bokehjs_makes_itself_is_left_out():
    item = text(written(build(sample("curve-rich"))))
    for attributes in SUPPLIED.values():
        assert not any(f'"{attribute}":' in item for attribute in attributes)


def test_a_curve_takes_at_most_fifteen_kilobytes():
    at = steps(0.5, 15.0, 105)
    value = tuple(0.123456789 * x for x in at)
    curve = replace(rich_curve(), at=at, value=value, lower=value, upper=value, overlays=(), missing=None, marked=None)
    assert len(text(plot_json(figure("curve", "MedInc", curve))).encode()) <= 15 * 1024


def test_a_surface_of_36_by_36_cells_takes_at_most_thirty_kilobytes():
    surface = rich_surface(36)
    noise = tuple(
        tuple(value + 1e-3 * ((7 * i + j) % 13) for i, value in enumerate(row)) for j, row in enumerate(surface.value)
    )
    found = figure("surface", "pair", replace(surface, value=noise))
    assert isinstance(found.data, Surface)
    assert len(text(plot_json(found)).encode()) <= 30 * 1024


def test_a_name_of_a_user_that_looks_like_a_model_changes_nothing():
    plain, odd = (replace(sample("totals-edge").data, labels=(name,)) for name in ("p0", '{"type":"object","id":"p0"}'))
    for data in (plain, odd):
        item = plot_json(figure("totals", "title", data))
        models = [part for part in parts(item["doc"]) if isinstance(part, dict) and part.get("type") == "object"]
        assert len({model["id"] for model in models}) == len(models)


def test_bokehjs_is_the_core_alone():
    code = bokehjs()
    assert len(code) < 1_400_000
    assert "</script" not in code.lower()
    assert bokehjs() is code


def default(model: str, attribute: str):
    """A default of BokehJS as it would be written."""
    value = getattr(getattr(bokeh.models, model)(), attribute)
    return {"type": "map"} if value == {} else value


def assert_same_plot(found, expected):
    """Compare two plots as JSON; the one found may say aloud what is the default."""
    if isinstance(expected, list):
        assert len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            assert_same_plot(one, other)
    elif isinstance(expected, dict) and expected.get("type") == "object" and "attributes" in expected:
        assert (found["name"], found["id"]) == (expected["name"], expected["id"])
        for attribute, value in found["attributes"].items():
            if attribute in expected["attributes"]:
                assert_same_plot(value, expected["attributes"][attribute])
            else:
                assert value == default(expected["name"], attribute)
        assert found["attributes"].keys() >= expected["attributes"].keys()
    elif isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for name in expected:
            assert_same_plot(found[name], expected[name])
    else:
        assert found == expected


@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_written_after_others_of_its_kind_is_the_same_plot_as_alone(kind):
    writer = PlotWriter()
    for name in ("rich", "edge", "rich"):
        drawn = sample(f"{kind}-{name}")
        assert_same_plot(writer.write(drawn), plot_json(drawn))


def test_the_same_figures_in_the_same_order_give_the_same_text():
    names = ("curve-edge", "surface-rich", "curve-rich", "curve-edge")
    first, second = ([text(writer.write(sample(name))) for name in names] for writer in (PlotWriter(), PlotWriter()))
    assert first == second
