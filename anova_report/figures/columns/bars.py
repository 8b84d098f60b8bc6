"""Main effects of levels, one bar each."""

from collections.abc import Sequence

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.figures.columns.axes import level_axis, rounded
from anova_report.figures.columns.bands import bounds, effect_axis, effect_columns, effect_head
from anova_report.figures.columns.levels import LevelScale, pooled_levels
from anova_report.figures.columns.rows import Effect, Rows
from anova_report.figures.figure import Table
from anova_report.figures.kinds import Axis, Levels
from anova_report.measures.wording import counted, percent, signed


def bars(
    rows: Rows, index: int, scale: LevelScale, output: int, y: Axis | None, row: int | None
) -> tuple[Levels, str, Table]:
    """Make the bars of a feature, what is to be seen, and a table of its numbers."""
    feature = rows.dec.features[index]
    effect = rows.effect((index,), [scale.codes], output)
    if feature.kind == "nominal":
        # Largest effect first, a missing value last.
        order = np.lexsort((-effect.value, np.isnan(scale.codes)))
        scale, effect = scale.reordered(order), effect[order]
    lower, upper = bounds(effect)
    data = Levels(
        level_axis(feature.name, scale.names),
        y or effect_axis(rows.dec, effect, output),
        value=rounded(effect.value),
        share=rounded(scale.count / len(rows), 1.0),
        lower=lower,
        upper=upper,
        pooled=pooled_levels(rows, index, scale.codes),
        left_out=scale.n_left_out,
        marked=_marked(rows, index, row, scale),
    )
    shares = [percent(float(count) / len(rows)) for count in scale.count]
    return data, _alt(feature.name, scale, effect.value, shares), _table(data, shares, effect)


def _marked(rows: Rows, index: int, row: int | None, scale: LevelScale) -> int | None:
    if row is None:
        return None
    position = int(scale.positions(rows.values[[rows.position(row)], index])[0])
    return None if position < 0 else position


def _table(data: Levels, shares: Sequence[str], effect: Effect) -> Table:
    names = [f"{name} (pooled)" if rare else name for name, rare in zip(data.x.levels, data.pooled, strict=True)]
    head = (data.x.label, "share of rows", *effect_head(effect))
    return Table(head, tuple(zip(names, shares, *effect_columns(effect), strict=True)))


def _alt(name: str, scale: LevelScale, value: Floats, shares: Sequence[str]) -> str:
    def there(position: int) -> str:
        return f"{scale.names[position]} ({signed(value[position])}, {shares[position]} of the rows)"

    if len(value) == 1 or not np.ptp(value):
        sentence = (
            f"The effect of {name} is {signed(float(value[0]))} for all {counted(len(value), 'level', 'levels')} drawn"
        )
    else:
        highest, lowest = there(int(value.argmax())), there(int(value.argmin()))
        sentence = f"The effect of {name} is highest for {highest} and lowest for {lowest}"
    left_out = f"; {counted(scale.n_left_out, 'rarer level', 'rarer levels')} not drawn" if scale.n_left_out else ""
    return f"{sentence}{left_out}."
