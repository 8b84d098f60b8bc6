"""Columns of zeros and ones that stand for the levels of one feature: found by their names and values, read as one.

The table stays as it is, and so does what a model gets: of a fit alone, the columns are one nominal feature.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from anova_report.core.arrays import Floats
from anova_report.core.input.features import UNSEEN, Feature
from anova_report.errors import InputError, listing

SEPARATORS = re.compile(r"[_=.:\- ]+")  # between the name of a feature and that of its level
# Rows that would have two ones if columns were independent: of so many, one is seen in all but e⁻¹⁰ of tables.
EXPECTED_COINCIDENCES = 10.0
NO_LEVEL = "none of these"  # where all columns are zero


def indicator_sets(values: Floats, names: Sequence[str], *, certain: bool = True) -> Iterator[tuple[str, list[int]]]:
    """Find columns that stand for levels of one feature: with what their names begin, and their positions.

    Names begin with the same text up to a separator; the shortest such text gathers them. Values are zeros and ones,
    and no row has two ones. Where that must be `certain`, each row has one, or so many would have two by chance that
    none is no accident.

    Examples
    --------
    >>> levels = np.eye(3)[np.arange(60) % 3]
    >>> list(indicator_sets(levels, ["region_north", "region_south", "region_far-off"]))
    [('region_', [0, 1, 2])]
    """
    binary = [at for at, column in enumerate(values.T) if np.isin(column, (0.0, 1.0)).all()]
    by_prefix: dict[str, list[int]] = {}
    for at in binary:
        for found in SEPARATORS.finditer(names[at], 1):
            if found.end() < len(names[at]):
                by_prefix.setdefault(names[at][: found.end()], []).append(at)
    free, before, shortest = set(binary), -1, sorted(by_prefix, key=len)
    while len(free) != before:  # without the columns that were found, a shorter text may fit as well
        before = len(free)
        for prefix in shortest:
            own = [at for at in by_prefix[prefix] if at in free]
            if len(own) > 1 and _exclude_each_other(values[:, own], certain):
                free -= set(own)
                yield max((p for p in shortest if set(own) <= set(by_prefix[p])), key=len), own


def _exclude_each_other(columns: Floats, certain: bool) -> bool:
    ones = columns.sum(axis=1)
    if ones.max() > 1:
        return False
    shares = columns.mean(axis=0)
    if not certain or (ones.min() == 1 and np.count_nonzero(shares) > 1):
        return True
    coincidences = len(columns) * (shares.sum() ** 2 - (shares**2).sum()) / 2
    return bool(coincidences >= EXPECTED_COINCIDENCES)


def fold(features: Sequence[Feature], columns: Sequence[Floats]) -> tuple[Feature, ...]:
    """Put one nominal feature in place of columns that stand for its levels, where the first of them is.

    `columns` are those of the whole table, encoded. A name that another column has is not taken, and a level that no
    row has is none.
    """
    numbers = [
        at
        for at, own in enumerate(columns)
        if not features[at].has_levels and own.any() and np.isin(own, (0.0, 1.0)).all()
    ]
    values = np.column_stack([columns[at] for at in numbers]) if numbers else np.zeros((1, 0))
    names, taken = [features[at].name for at in numbers], {feature.name for feature in features}
    made: dict[int, Feature] = {}
    for prefix, own in indicator_sets(values, names):
        name, sources = prefix.rstrip("_=.:- "), tuple(names[at] for at in own)
        levels = [source.removeprefix(prefix) for source in sources]
        if name in taken or NO_LEVEL in levels:
            continue
        has_none = values[:, own].sum(axis=1).min() < 1
        folded = Feature(name, "nominal", (*levels, *([NO_LEVEL] if has_none else [])), sources)
        made |= {numbers[at]: replace(folded, name="") for at in own} | {numbers[own[0]]: folded}
    kept = (made.get(at, feature) for at, feature in enumerate(features))
    return tuple(feature for feature in kept if feature.name)


def fold_values(feature: Feature, columns: Floats) -> Floats:
    """Write columns that stand for levels as codes of these: one of zeros alone is the level that has no column.

    Raises
    ------
    InputError
        If a row has two levels, or a value between zero and one.
    """
    missing, ones = np.isnan(columns).any(axis=1), np.nan_to_num(columns).sum(axis=1)
    wrong = np.flatnonzero(~missing & ((ones > 1) | ~np.isin(columns, (0.0, 1.0)).all(axis=1)))
    if wrong.size:
        raise InputError(
            f"The columns {listing(feature.columns, 8)} stand for levels of {feature.name!r}, so that one of them is 1 "
            f"and the others are 0; {wrong.size:,} row(s), first at position {listing(wrong.tolist())}, hold other "
            "values. Correct them, or fit with fold_one_hot=False."
        )
    none = float(len(feature.columns)) if len(feature.levels) > len(feature.columns) else UNSEEN
    return np.where(missing, np.nan, np.where(ones == 0, none, np.nan_to_num(columns).argmax(axis=1)))


def folded_words(features: Iterable[Feature]) -> tuple[str, ...]:
    """Say which columns were read as one feature.

    Examples
    --------
    >>> folded_words([Feature("sex", "nominal", ("f", "m"), ("sex_f", "sex_m"))])
    ('Columns of zeros and ones are read as levels of one feature: sex (2 columns). The model gets the columns.',)
    """
    named = [f"{feature.title} ({len(feature.columns):,} columns)" for feature in features if feature.columns]
    words = (
        f"Columns of zeros and ones are read as levels of one feature: {', '.join(named)}. The model gets the columns."
    )
    return (words,) if named else ()
