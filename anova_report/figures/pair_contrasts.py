"""Pairs of two decompositions: both surfaces and their difference, in the same colors."""

import numpy as np
from numpy.typing import NDArray

from anova_report.compare.versions.comparison_claims import difference_claims, lacking_claim
from anova_report.compare.versions.differences import EffectDifference
from anova_report.core.arrays import Floats
from anova_report.core.input.scales import scale_of
from anova_report.figures.contrast_filling import Sides
from anova_report.figures.figure import Figure
from anova_report.figures.pairs import LIMIT_QUANTILE, Side, few_rows, side, surface_of, surface_table
from anova_report.measures.claims import Claim
from anova_report.measures.sentences.comparison import difference_words, version_words
from anova_report.measures.wording import factor, signed


def pair_contrast(sides: Sides, found: EffectDifference, *, key: str) -> tuple[Figure, Figure, Figure]:
    """Draw a pair as the first and as the second decomposition have it, and the second minus the first.

    Parameters
    ----------
    sides : Sides
    found : EffectDifference
        Of two features, measured at the same points.
    key : str
        Begins the keys of the three figures.
    """
    own = sides.positions(0, found.features)
    planes = side(sides.rows[0], own[0]), side(sides.rows[0], own[1])
    few = few_rows(sides.rows[0], planes)
    first, second = (_values(sides, at, found, planes) for at in (0, 1))
    shown = (first, second, second - first)
    limit = _limit(shown, few)
    dec, term = sides.rows[0].dec, sides.common(found.features)
    lacking = difference_claims(found, term, sides.names)
    held = [lacking_claim(term, name) not in lacking for name in sides.names]
    versions = [
        Claim("version of an effect", terms=(term,), places=(name,)) if own else lacking_claim(term, name)
        for name, own in zip(sides.names, held, strict=True)
    ]
    stated = (*((claim,) for claim in versions), lacking)
    words = (*(version_words(each, sides.called) for each in stated[:2]), difference_words(lacking, sides.called))
    against = "over" if scale_of(dec.scale).factors else "minus"
    titles = (*sides.names, f"{sides.names[1]} {against} {sides.names[0]}")
    features = dec.features[own[0]], dec.features[own[1]]
    written = factor if scale_of(dec.scale).factors else signed
    figures = [
        Figure(
            f"{key}-{part}",
            f"{sides.label(found.features)}: {title}",
            alt,
            surface_of(planes, value, few, limit, dec, sides.outputs[0]),
            surface_table(features, planes, value, few, written),
            claims,
        )
        for part, title, alt, value, claims in zip(
            ("first", "second", "difference"), titles, words, shown, stated, strict=True
        )
    ]
    return figures[0], figures[1], figures[2]


def _values(sides: Sides, at: int, found: EffectDifference, planes: tuple[Side, Side]) -> Floats:
    """Evaluate one side's pair in the middle of every cell, shape (n_cells of y, n_cells of x)."""
    across, up = np.meshgrid(planes[0].at, planes[1].at)
    return sides.effect(at, found.features, [across.ravel(), up.ravel()]).value.reshape(across.shape)


def _limit(shown: tuple[Floats, ...], few: NDArray[np.bool_]) -> float:
    sizes = [np.abs(value if few.all() else value[~few]) for value in shown]
    return max(float(np.quantile(size, LIMIT_QUANTILE)) for size in sizes) or 1.0
