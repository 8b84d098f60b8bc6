import json

import pytest
from bokeh.models import ColumnDataSource

from anova_report.errors import InputError
from anova_report.figures.figure import KINDS
from anova_report.figures.live import build, sources, update
from anova_report.figures.live.drawing import TWINS
from tests.figures.live.reading import BOTH, plot_of, sample, state
from tests.figures.samples import SAMPLES

BACK_AND_FORTH = [(kind, *places) for kind in SAMPLES for places in (("rich", "edge"), ("edge", "rich"))]


def test_every_kind_of_figure_has_a_live_twin():
    assert set(TWINS) == set(KINDS) == set(SAMPLES)


@pytest.mark.parametrize("name", BOTH)
def test_columns_are_lists_of_json_types_of_one_length(name):
    for table in sources(sample(name)).values():
        assert len({len(column) for column in table.values()}) == 1
        json.dumps(table, allow_nan=False)


@pytest.mark.parametrize("name", BOTH)
def test_a_plot_is_drawn_from_exactly_these_columns(name):
    found = {one.name: one for one in plot_of(name).select({"type": ColumnDataSource})}
    wanted = sources(sample(name))
    assert set(found) == set(wanted)
    for source, table in wanted.items():
        data = found[source].data
        assert set(data) == set(table)
        for column in set(table) - {"image"}:
            assert data[column] == table[column]


@pytest.mark.parametrize("name", BOTH)
def test_every_column_that_a_mark_refers_to_is_there(name):
    for renderer in plot_of(name).renderers:
        fields = [getattr(value, "field", None) for value in renderer.glyph.properties_with_values().values()]
        assert {field for field in fields if isinstance(field, str)} <= set(renderer.data_source.data)


@pytest.mark.parametrize(("kind", "before", "after"), BACK_AND_FORTH)
def test_after_an_update_a_plot_is_what_it_would_be_if_built_anew(kind, before, after):
    plot = build(getattr(SAMPLES[kind], before))
    known = {model.id for model in plot.references()}
    update(plot, getattr(SAMPLES[kind], after))
    assert state(plot) == state(plot_of(f"{kind}-{after}"))
    new = {type(model).__name__ for model in plot.references() if model.id not in known}
    # Only ticks of another kind may be new models: an explorer sends columns, not plots.
    assert all(name.endswith(("Ticker", "TickFormatter")) for name in new)


def test_an_update_with_the_same_figure_changes_nothing():
    figure = sample("surface-rich")
    plot = build(figure)
    before = state(plot)
    update(plot, figure)
    assert state(plot) == before


def test_a_plot_cannot_show_another_kind():
    with pytest.raises(InputError, match="shows a curve, not a surface"):
        update(build(sample("curve-rich")), sample("surface-rich"))
