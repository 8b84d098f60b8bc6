"""Joint effects of any number of features: along the direction in which rows move together, and by each feature.

Both are means over rows, with the other features as they are there: where a picture shows anything, there are rows.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anova_report.core.arrays import Floats
from anova_report.core.input.features import Feature
from anova_report.figures.axes import along, level_axis, number_axis, rounded, row_shares
from anova_report.figures.curves import (
    DENSITY_BINS,
    STEADY,
    TAIL,
    Curve,
    atom_of,
    axis_gaps,
    held_points,
    shown,
)
from anova_report.figures.figure import Figure, Table
from anova_report.figures.geometry import Axis
from anova_report.figures.level_scales import LevelScale, level_scale
from anova_report.figures.levels import Levels
from anova_report.figures.rows import Effect, Rows, bounds, effect_axis, effect_columns, effect_head
from anova_report.measures.claims import Claim, Claims
from anova_report.measures.joint import JointEffect
from anova_report.measures.moving_together import GroupMeans, common_direction, group_means, runs
from anova_report.measures.sentences.joint_effects import along_words, by_words
from anova_report.measures.sentences.names import Names
from anova_report.measures.values import shown_range, value_text
from anova_report.measures.wording import enumeration

JOINT_ROWS = 5000  # rows over which a joint effect is averaged: a budget of time and memory
NAMED_ENDS = 3  # features whose values are named at the ends of a direction
TABLE_LINES = 11
ROOM = 2.0  # beside the first and the last row, in percent: the last tick must not be cut off
RISES = 0.3  # of the largest slope: features with less hardly move along a direction


@dataclass(frozen=True, eq=False)
class Averaged:
    """A joint effect and the rows over which it is averaged."""

    rows: Rows
    joint: JointEffect
    values: Floats  # encoded rows

    @property
    def counts(self) -> dict[str, float]:
        """How many rows these are, and of how many."""
        return {"n_looked": float(len(self.values)), "n_rows": float(len(self.rows))}

    @property
    def of(self) -> dict[str, Any]:
        """Of what claims about it are."""
        return {"terms": self.joint.terms, "features": self.joint.features, "output": self.joint.output}

    def means(self, group: NDArray[np.intp]) -> tuple[Effect, GroupMeans]:
        """Average over groups of rows."""
        found = group_means(self.rows.dec, self.joint, self.values, group)
        return Effect(found.value, found.lower, found.upper), found


def joint_pictures(rows: Rows, joint: JointEffect, *, key: str, most: int) -> tuple[Figure | None, tuple[Figure, ...]]:
    """Draw a joint effect along the common direction, if its features have one, and by each of the first features.

    Parameters
    ----------
    rows : Rows
    joint : JointEffect
    key : str
        Begins the keys of the figures.
    most : int
        Features by which it is drawn; those with the largest main effects.
    """
    drawn = Averaged(rows, joint, rows.values[rows.draw(JOINT_ROWS)])
    sizes = {part.term[0]: part.structural for part in joint.parts if len(part.term) == 1}
    ranked = sorted(joint.features, key=lambda index: -sizes.get(index, 0.0))
    return joint_along(drawn, key=f"{key}-along"), tuple(
        joint_by(drawn, index, key=f"{key}-by-{index}") for index in ranked[:most]
    )


def joint_along(drawn: Averaged, *, key: str) -> Figure | None:
    """Draw a joint effect along the direction in which its features move together; None where they have none."""
    dec, joint = drawn.rows.dec, drawn.joint
    found = common_direction(dec, drawn.values, joint.features)
    if found is None:
        return None
    positions, slopes = found
    group = runs(positions)
    effect, means = drawn.means(group)
    at = 100 * np.bincount(group, weights=positions) / np.bincount(group)
    label = f"% of rows, in the order in which {_directions(dec.features, joint.features, slopes)}"
    x = Axis(label, -ROOM, 100.0 + ROOM)
    lower, upper = bounds(effect)
    y = effect_axis(dec, effect, joint.output)
    data = Curve(x, y, along(x, at), rounded(effect.value), lower, upper, (), (), ())
    middles = [_middles(drawn, index, group) for index in joint.features]
    ends = [_combination(dec.features, joint.features, middles, end) for end in (0, -1)]
    direction = Claim("common direction", {"explained": means.explained} | drawn.counts, over="drawn rows", **drawn.of)
    claims = (_course(effect.value, ends, drawn.of), direction)
    chosen = _table_points(len(at))
    names = tuple(dec.features[index].heading for index in joint.features)
    cells = zip(
        (f"{value:.0f}%" for value in at[chosen]),
        *([texts[position] for position in chosen] for texts in middles),
        *effect_columns(effect[chosen], y),
        strict=True,
    )
    table = Table(("rows", *names, *effect_head(effect)), tuple(cells))
    title, alt = f"Joint effect of {joint.label} along their common direction", along_words(claims, Names.of(dec))
    return Figure(key, title, alt, data, table, claims)


def joint_by(drawn: Averaged, index: int, *, key: str) -> Figure:
    """Draw a joint effect by one of its features, the others moving along as they do in the rows."""
    scale = level_scale(drawn.rows, index)
    data, effect, texts = _by_number(drawn, index) if scale is None else _by_level(drawn, index, scale)
    feature = drawn.rows.dec.features[index]
    name = feature.title
    places = [f"{name} = {text}" for text in texts]
    of = drawn.of | {"over": "drawn rows"}
    stated: Claims = (_course(effect.value, [places[0], places[-1]], of),)
    if isinstance(data, Levels):
        stated = _highest(effect.value, places, of)
    claims = (*stated, Claim("averaged rows", drawn.counts, **of | {"features": (index,)}))
    chosen = np.arange(len(texts)) if isinstance(data, Levels) else _table_points(len(texts))
    cells = zip((texts[at] for at in chosen), *effect_columns(effect[chosen], data.y), strict=True)
    table = Table((feature.heading, *effect_head(effect)), tuple(cells))
    title, alt = f"Joint effect of {drawn.joint.label} by {name}", by_words(claims, Names.of(drawn.rows.dec))
    return Figure(key, title, alt, data, table, claims)


def _table_points(count: int) -> NDArray[np.intp]:
    return np.unique(np.linspace(0, count - 1, TABLE_LINES).round().astype(np.intp))


def _by_number(drawn: Averaged, index: int) -> tuple[Curve, Effect, list[str]]:
    """Average over rows with about the same number, and over those where it is missing."""
    rows, feature = drawn.rows, drawn.rows.dec.features[index]
    column, every = drawn.values[:, index], rows.values[:, index]
    known, absent = every[~np.isnan(every)], np.isnan(column)
    x = number_axis(feature, *shown_range(known, TAIL))
    group = np.zeros(len(column), dtype=np.intp)
    group[~absent] = runs(column[~absent])
    n_runs = int(group.max()) + 1
    group[absent] = n_runs
    effect, _ = drawn.means(group)
    at = np.bincount(group[~absent], weights=column[~absent]) / np.bincount(group[~absent])
    gaps, inside = axis_gaps(rows, known, x), (at >= x.low) & (at <= x.high)
    line, places = effect[np.flatnonzero(inside)], along(x, at[inside])
    held = shown(np.array(places), x, gaps)
    lower, upper = bounds(line)
    edges = np.linspace(x.low, x.high, DENSITY_BINS + 1)
    data = Curve(
        x,
        effect_axis(rows.dec, effect[held_points(inside, len(effect.value))], drawn.joint.output),
        at=places,
        value=rounded(line.value),
        lower=lower,
        upper=upper,
        density_edges=along(x, edges),
        density_share=rounded(np.histogram(known, edges)[0] / len(every), 1.0),
        rug=(),
        missing=atom_of(effect, n_runs, float(absent.mean())),
        gaps=gaps,
    )
    kept = line[np.flatnonzero(held)] if held.any() else line
    span = x.high - x.low
    return data, kept, [value_text(feature, float(value), span) for value in at[inside][held if held.any() else ~held]]


def _by_level(drawn: Averaged, index: int, scale: LevelScale) -> tuple[Levels, Effect, list[str]]:
    """Average over the rows of each level that is drawn and has any."""
    rows, positions = drawn.rows, scale.positions(drawn.values[:, index])
    present = np.unique(positions)
    effect, _ = drawn.means(np.searchsorted(present, positions))
    effect, present = effect[np.flatnonzero(present >= 0)], present[present >= 0]
    few = scale.count[present] < rows.reach.rows
    names = tuple(scale.names[position] for position in present.tolist())
    lower, upper = bounds(effect)
    data = Levels(
        level_axis(rows.dec.features[index].heading, names),
        effect_axis(rows.dec, effect if few.all() else effect[~few], drawn.joint.output),
        value=rounded(effect.value),
        share=row_shares(scale.count[present], len(rows)),
        lower=lower,
        upper=upper,
        pooled=(False,) * len(names),
        left_out=scale.n_left_out,
        few=tuple(few.tolist()),
    )
    kept = np.flatnonzero(~few) if not few.all() else np.arange(len(few))
    return data, effect[kept], [names[position] for position in kept.tolist()]


def _course(value: Floats, ends: list[str], of: dict[str, Any]) -> Claim:
    """State how a line of means runs from one end to the other."""
    numbers, net = {"first": float(value[0]), "last": float(value[-1])}, float(value[-1] - value[0])
    if not np.ptp(value):
        return Claim("same mean throughout", {"value": float(value[0])}, **of)
    if abs(net) >= STEADY * np.abs(np.diff(value)).sum():
        return Claim("rising means" if net > 0 else "falling means", numbers, places=tuple(ends), **of)
    between = {"low": float(value.min()), "high": float(value.max())}
    return Claim("winding means", numbers | between, places=tuple(ends), **of)


def _highest(value: Floats, places: list[str], of: dict[str, Any]) -> Claims:
    """State for which levels means are highest and lowest."""
    ends = (("highest mean", int(value.argmax())), ("lowest mean", int(value.argmin())))
    return tuple(Claim(kind, {"value": float(value[at])}, places=(places[at],), **of) for kind, at in ends)


def _directions(features: tuple[Feature, ...], members: tuple[int, ...], slopes: Floats) -> str:
    """Say which features rise along a direction, and which fall."""
    least = RISES * np.abs(slopes).max()
    named = {
        word: [
            features[index].title for index, slope in zip(members, slopes.tolist(), strict=True) if slope * way >= least
        ]
        for word, way in (("rise", 1), ("fall", -1))
    }
    said = (
        f"{enumeration(names, NAMED_ENDS)} {word}{'s' * (len(names) == 1)}" for word, names in named.items() if names
    )
    return " and ".join(said)


def _middles(drawn: Averaged, index: int, group: NDArray[np.intp]) -> list[str]:
    """Write the middle value of a feature in every group of rows, or its most frequent level."""
    feature, column = drawn.rows.dec.features[index], drawn.values[:, index]
    known = column[~np.isnan(column)]
    span = float(np.ptp(known)) if len(known) and not feature.has_levels else 0.0
    found = []
    for position in range(int(group.max()) + 1):
        inside = column[group == position]
        distinct, counts = np.unique(inside, return_counts=True)
        if feature.kind == "nominal" or np.isnan(inside).all():
            middle = float(distinct[counts.argmax()])
        else:
            middle = float(np.quantile(inside[~np.isnan(inside)], 0.5, method="inverted_cdf"))
        found.append(value_text(feature, middle, span))
    return found


def _combination(features: tuple[Feature, ...], members: tuple[int, ...], middles: list[list[str]], end: int) -> str:
    """Name the values of the first features at one end of a direction."""
    pairs = list(zip(members, middles, strict=True))[:NAMED_ENDS]
    return ", ".join(f"{features[index].title} = {texts[end]}" for index, texts in pairs)
