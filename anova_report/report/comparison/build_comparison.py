"""From two decompositions to the document of their comparison."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from anova_report.compare import Comparison, EffectDifference, ShareDrift, compare_decompositions
from anova_report.core.decomposition import Decomposition
from anova_report.errors import InputError, listing
from anova_report.figures.contrast_filling import Sides, contrast_figure, difference_words
from anova_report.figures.drifts import drift_figure, drift_table
from anova_report.figures.figure import Figure
from anova_report.figures.pair_contrasts import pair_contrast
from anova_report.report.audit.audit import RunFacts
from anova_report.report.audit.provenance import versions
from anova_report.report.audit.sentences import scale_words
from anova_report.report.comparison.comparison import ComparisonPage, MainContrast, OutputComparison, PairContrast
from anova_report.report.comparison.comparison_words import (
    comparison_notes,
    effects_table,
    facts_table,
    fidelity_table,
    headlines,
    settings_table,
    statement,
)

MAX_ROWS = 2000  # points of comparison
TOP_MAINS, TOP_PAIRS = 12, 6


def build_comparison(  # noqa: PLR0913 every option of the command line has a word of its own
    a: Decomposition,
    b: Decomposition,
    X: Any = None,
    *,
    names: tuple[str, str] = ("A", "B"),
    output: Any = None,
    title: str | None = None,
    same_rows: bool | None = None,
    notes: Sequence[str] = (),
    command: str = "",
    created: str | None = None,
    top_mains: int = TOP_MAINS,
    top_pairs: int = TOP_PAIRS,
    random_state: int = 0,
) -> ComparisonPage:
    """Collect what two decompositions say differently: effects on the same axes, shares, and which of it is chance.

    Parameters
    ----------
    a, b : Decomposition
        Two models on the same data, one model at two dates, or a model and a `phenomenon`.
    X : table, optional
        Rows at which they are compared; by default rows are made as if features were independent.
    names : tuple of two str
        What to call them.
    output : str or int, or a pair of them, optional
        Which output; by default each that both have.
    title : str, optional
    same_rows : bool, optional
        Whether both were fitted to the same rows; by default that is found out.
    notes : sequence of str
        Sentences for the page.
    command : str
        What makes this comparison again.
    created : str, optional
        When it was made; by default now.
    top_mains, top_pairs : int
        How many main effects and pairs that differ are drawn, and how many main effects that agree.
    random_state : int
        Decides which rows are drawn.

    Examples
    --------
    >>> import numpy as np
    >>> from anova_report import FunctionalANOVA
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> before, after = (
    ...     FunctionalANOVA(random_state=0).fit(X, X[:, 0] + slope * X[:, 1]).decomposition_ for slope in (1, 1.5)
    ... )
    >>> page = build_comparison(before, after, X, names=("before", "after"))
    >>> page.changed, page.outputs[0].different
    (True, ('x1',))
    """
    first, second = _checked_names(names)
    figures: dict[str, Figure] = {}
    outputs, notes = [], list(notes)
    points: dict[str, Any] = {"names": (first, second), "max_rows": MAX_ROWS}
    for position, pair in enumerate(_outputs(a, b, output)):
        found = compare_decompositions(a, b, X, output=pair, same_rows=same_rows, random_state=random_state, **points)
        sides = Sides.of((a, b), X, outputs=pair, seed=random_state, **points)
        outputs.append(_output(sides, found, position, (top_mains, top_pairs), figures))
        if not position:
            notes += comparison_notes((a, b), found)
    return ComparisonPage(
        title=title or f"{first} against {second}",
        names=(first, second),
        scale=scale_words(a.scale if a.scale != "identity" else b.scale),
        facts=facts_table((a, b), (first, second)),
        notes=tuple(notes),
        outputs=tuple(outputs),
        settings=settings_table((a, b), (first, second)),
        versions=versions(),
        command=command,
        run=RunFacts(created or f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"),
        figures=figures,
    )


def _checked_names(names: tuple[str, str]) -> tuple[str, str]:
    given = tuple(str(name).strip() for name in names)
    if len(given) != 2 or not all(given) or given[0] == given[1]:
        raise InputError(f"Two different names are needed, one for each decomposition; got {listing(list(names))}.")
    return given[0], given[1]


def _outputs(a: Decomposition, b: Decomposition, output: Any) -> list[tuple[int, int]]:
    """Choose the outputs to compare, as positions in both."""
    if output is not None:
        first, second = output if isinstance(output, tuple) else (output, output)
        return [(a.output_index(first), b.output_index(second))]
    if len(a.output_names) == len(b.output_names) == 1:
        return [(0, 0)]
    shared = [name for name in a.output_names if name in b.output_names]
    if not shared:
        raise InputError(
            f"The decompositions have no output in common: {listing(a.output_names)} and {listing(b.output_names)}. "
            "Choose one of each with output=."
        )
    return [(a.output_names.index(name), b.output_names.index(name)) for name in shared]


def _output(
    sides: Sides, found: Comparison, position: int, top: tuple[int, int], figures: dict[str, Figure]
) -> OutputComparison:
    key = f"o{position}"
    open_points = _ranked([item for item in found.effects if item.differs is not False], found)
    mains = [item for item in open_points if len(item.features) == 1][: top[0]]
    pairs = [item for item in open_points if len(item.features) == 2][: top[1]]
    calm = [item for item in found.effects if item.differs is False and len(item.features) == 1]
    agreeing = _ranked(calm, found)[: top[0]]
    # A feature and its main effect are named once; a column called like a pair is not that pair.
    moved = {item.features: item.label for item in (*found.feature_shares, *found.term_shares) if item.exceeds}
    different = tuple(item.label for item in found.differing())
    unknown = any(item.differs is None for item in found.effects)
    return OutputComparison(
        name=found.outputs[0] if found.outputs[0] == found.outputs[1] else " / ".join(found.outputs),
        anchor=f"output-{position}",
        changed=None if unknown else bool(different or moved),
        words=statement(found),
        headlines=headlines(sides, found),
        different=different,
        moved=tuple(moved.values()),
        feature_drift=_drift(found.feature_shares, "feature", found.names, key, figures),
        term_drift=_drift(found.term_shares, "term", found.names, key, figures),
        mains=tuple(_main(sides, item, f"{key}-main-{at}", figures) for at, item in enumerate(mains)),
        pairs=tuple(_pair(sides, item, f"{key}-pair-{at}", figures) for at, item in enumerate(pairs)),
        agreeing=tuple(_main(sides, item, f"{key}-calm-{at}", figures) for at, item in enumerate(agreeing)),
        more=len(open_points) - len(mains) - len(pairs),
        fidelity=fidelity_table(found),
        effects=effects_table(found),
        shares=drift_table((*found.feature_shares, *found.term_shares), found.names),
    )


def _ranked(effects: Sequence[EffectDifference], found: Comparison) -> list[EffectDifference]:
    """Order those that differ by their distance, the others by their share."""
    shares = {item.features: max(abs(item.first), abs(item.second)) for item in found.term_shares}
    return sorted(effects, key=lambda item: -item.distance if item.differs else -shares[item.features])


def _drift(
    drifts: tuple[ShareDrift, ...], kind: str, names: tuple[str, str], key: str, figures: dict[str, Figure]
) -> str:
    figure = drift_figure(drifts, names, title=f"Shares of the variance by {kind}", key=f"{key}-{kind}-drift")
    figures[figure.key] = figure
    return figure.key


def _main(sides: Sides, item: EffectDifference, key: str, figures: dict[str, Figure]) -> MainContrast:
    figures[key] = contrast_figure(sides, item, key=key)
    return MainContrast(item.label, item.differs, key)


def _pair(sides: Sides, item: EffectDifference, key: str, figures: dict[str, Figure]) -> PairContrast:
    drawn = {figure.key: figure for figure in pair_contrast(sides, item, key=key)}
    figures |= drawn
    return PairContrast(item.label, item.differs, difference_words(item, sides.names), *drawn)
