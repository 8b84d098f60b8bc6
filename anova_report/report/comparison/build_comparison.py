"""From two decompositions to the document of their comparison: figures, sentences, headline numbers and tables."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np

from anova_report.compare import LIMIT, Comparison, EffectDifference, compare_decompositions
from anova_report.compare.versions import comparison_claims as stated
from anova_report.core.input.scales import scale_of
from anova_report.core.result.decomposition import Decomposition
from anova_report.errors import InputError, listing
from anova_report.figures.contrast_filling import Sides, contrast_figure
from anova_report.figures.drifts import drift_figure, drift_table
from anova_report.figures.figure import Figure, Table
from anova_report.figures.pair_contrasts import pair_contrast
from anova_report.measures.claims import Claims, of_output
from anova_report.measures.intervals import Interval
from anova_report.measures.sentences import comparison as words
from anova_report.measures.sentences.names import Names
from anova_report.measures.wording import number, percent, portions, score
from anova_report.report.audit.audit import RunFacts
from anova_report.report.audit.provenance import settings, versions
from anova_report.report.audit.sentences import UNKNOWN
from anova_report.report.comparison.comparison import (
    ComparisonPage,
    MainContrast,
    OutputComparison,
    PairContrast,
)
from anova_report.report.comparison.comparison_words import headlines

MAX_ROWS = 2000  # points of comparison
TOP_MAINS, TOP_PAIRS = 12, 6
MADE_UP = (
    "No rows were given, so the two are compared at rows made from the distribution of each feature and the "
    "correlations of their ranks; pass rows to compare at values that occur together."
)
HIGHER = "Terms of three features are compared by their shares only."


def build_comparison(  # noqa: PLR0913 every option of the command line has a word of its own
    a: Decomposition,
    b: Decomposition,
    X: Any = None,
    *,
    names: tuple[str, str] = ("A", "B"),
    output: Any = None,
    title: str | None = None,
    same_rows: bool | None = None,
    predictions: Any = None,
    limit: float = LIMIT,
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
    predictions : pair of array-like, optional
        Predictions of both for the rows of X, which then decide whether the function changed.
    limit : float
        Distance of the predictions up to which functions count as the same, as a share of their standard deviation.
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
    outputs, said = [], [*notes]
    claims: Claims = ()
    points: dict[str, Any] = {"names": (first, second), "max_rows": MAX_ROWS}
    how: dict[str, Any] = {"same_rows": same_rows, "predictions": predictions, "limit": limit}
    for position, pair in enumerate(_outputs(a, b, output, predictions)):
        found = compare_decompositions(a, b, X, output=pair, random_state=random_state, **how, **points)
        sides = Sides.of((a, b), X, outputs=pair, seed=random_state, **points)
        outputs.append(_output(sides, found, position, (top_mains, top_pairs), figures))
        if not position:
            claims = stated.notes_claims((a, b), found)
            said += comparison_notes((a, b), found, claims)
    return ComparisonPage(
        title=title or f"{first} against {second}",
        names=(first, second),
        scale=scale_of(a.scale if a.scale != "identity" else b.scale).words,
        facts=facts_table((a, b), (first, second)),
        notes=tuple(said),
        outputs=tuple(outputs),
        settings=settings_table((a, b), (first, second)),
        versions=versions(),
        command=command,
        run=RunFacts(created or f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"),
        figures=figures,
        claims=claims,
    )


def _checked_names(names: tuple[str, str]) -> tuple[str, str]:
    given = tuple(str(name).strip() for name in names)
    if len(given) != 2 or not all(given) or given[0] == given[1]:
        raise InputError(f"Two different names are needed, one for each decomposition; got {listing(list(names))}.")
    return given[0], given[1]


def _outputs(a: Decomposition, b: Decomposition, output: Any, predictions: Any) -> list[tuple[int, int]]:
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
    if len(shared) > 1 and predictions is not None and any(np.ndim(each) < 2 for each in predictions):
        raise InputError(
            f"The predictions are those of one output, and {listing(shared)} are to be compared. Choose one with "
            "output=, or pass a column for each."
        )
    return [(a.output_names.index(name), b.output_names.index(name)) for name in shared]


def _output(
    sides: Sides, found: Comparison, position: int, top: tuple[int, int], figures: dict[str, Figure]
) -> OutputComparison:
    key = f"o{position}"
    open_points = _ranked([item for item in found.effects if item.differs is not False], found)
    mains = [item for item in open_points if len(item.features) == 1][: top[0]]
    pairs = [item for item in open_points if len(item.features) == 2][: top[1]]
    same = [item for item in found.effects if item.differs is False and len(item.features) == 1]
    agreeing = _ranked(same, found)[: top[0]]
    # A feature and its main effect are named once; a column called like a pair is not that pair.
    moved = {item.features: item.label for item in (*found.feature_shares, *found.term_shares) if item.exceeds}
    different = tuple(item.label for item in found.differing())
    claims = stated.statement_claims(found)
    made = OutputComparison(
        name=found.outputs[0] if found.outputs[0] == found.outputs[1] else " / ".join(found.outputs),
        anchor=f"output-{position}",
        changed=found.changed,
        words=words.statement_words(claims, sides.called),
        headlines=tuple(
            replace(item, claims=of_output(item.claims, position)) for item in headlines(found, sides.called)
        ),
        different=different,
        moved=tuple(moved.values()),
        feature_drift=_drift(sides, found, "feature", key, figures),
        term_drift=_drift(sides, found, "term", key, figures),
        mains=tuple(_main(sides, item, f"{key}-main-{at}", figures) for at, item in enumerate(mains)),
        pairs=tuple(_pair(sides, item, f"{key}-pair-{at}", figures) for at, item in enumerate(pairs)),
        agreeing=tuple(_main(sides, item, f"{key}-same-{at}", figures) for at, item in enumerate(agreeing)),
        more=len(open_points) - len(mains) - len(pairs),
        fidelity=fidelity_table(found, sides.called),
        effects=effects_table(found, sides.called),
        shares=drift_table(
            (*found.feature_shares, *found.term_shares), found.names, lambda item: sides.label(item.features)
        ),
        inputs_moved=tuple(item.label for item in found.moved()),
        inputs=inputs_table(found, sides.called) if found.inputs else None,
        claims=of_output(claims, position),
    )
    for drawn in [name for name in figures if name.startswith(f"{key}-")]:
        figures[drawn] = replace(figures[drawn], claims=of_output(figures[drawn].claims, position))
    return made


def _ranked(effects: Sequence[EffectDifference], found: Comparison) -> list[EffectDifference]:
    """Order those that differ by their distance, the others by their share."""
    shares = {item.features: max(abs(item.first), abs(item.second)) for item in found.term_shares}
    return sorted(effects, key=lambda item: -item.distance if item.differs else -shares[item.features])


def _drift(sides: Sides, found: Comparison, kind: str, key: str, figures: dict[str, Figure]) -> str:
    by_term = kind == "term"
    figure = drift_figure(
        found.term_shares if by_term else found.feature_shares,
        found.names,
        title=f"Shares of the variance by {kind}",
        key=f"{key}-{kind}-drift",
        features=dict(zip(found.features, sides.called.features, strict=True)),
        by_term=by_term,
    )
    figures[figure.key] = figure
    return figure.key


def _main(sides: Sides, item: EffectDifference, key: str, figures: dict[str, Figure]) -> MainContrast:
    figures[key] = contrast_figure(sides, item, key=key)
    return MainContrast(sides.label(item.features), item.differs, key)


def _pair(sides: Sides, item: EffectDifference, key: str, figures: dict[str, Figure]) -> PairContrast:
    first, second, difference = pair_contrast(sides, item, key=key)
    figures |= {figure.key: figure for figure in (first, second, difference)}
    keys = (first.key, second.key, difference.key)
    return PairContrast(sides.label(item.features), item.differs, difference.alt, *keys, claims=difference.claims)


def effects_table(found: Comparison, called: Names | None = None) -> Table:
    """List every component: which decomposition has it, how far apart the two are, and whether that is chance."""
    first, second = found.names
    names = called or Names(found.features)
    head = ("Effect", f"Share, {first}", f"Share, {second}", "Held by", "Distance")
    shares = {item.features: (item.first, item.second) for item in found.term_shares}
    rows = (
        (
            names.term(tuple(map(found.features.index, item.features))),
            *map(percent, shares[item.features]),
            {"both": "both", "first": first, "second": second}[item.held_by],
            names.bound(item.distance),
            UNKNOWN if item.floor is None else names.bound(max(item.floor, item.smallest)),
            UNKNOWN if item.exceeding is None else percent(item.exceeding),
            UNKNOWN if item.differs is None else "yes" if item.differs else "no",
        )
        for item in sorted(found.effects, key=lambda item: (not item.differs, -item.distance))
    )
    return Table((*head, "Noise floor", "Rows beyond", "Differs"), tuple(rows))


def inputs_table(found: Comparison, names: Names) -> Table:
    """List how far the law of every feature moved, and correlations that did."""
    order = sorted(found.inputs, key=lambda item: (not item.moved, len(item.features), -item.distance))
    rows = (
        (
            names.term(tuple(map(found.features.index, item.features))),
            "distribution" if len(item.features) == 1 else "correlation",
            percent(item.distance) if len(item.features) == 1 else number(item.distance),
            f"{percent(item.interval.low)} to {percent(item.interval.high)}",
            "yes" if item.moved else "no",
        )
        for item in order
    )
    return Table(("Input", "What", "Distance", "95% interval", "Moved"), tuple(rows))


def facts_table(decs: Sequence[Decomposition], names: tuple[str, str]) -> Table:
    """List what each of the two was made from."""
    weighted = any(dec.in_sample.n_effective is not None for dec in decs)
    effective = [f"{round(dec.in_sample.effective_rows):,}" for dec in decs]
    rows = (
        ("Rows of the fit", *(f"{dec.in_sample.n_rows:,}" for dec in decs)),
        *([("Equivalent rows of equal weight", *effective)] if weighted else ()),
        ("Features", *(f"{len(dec.features):,}" for dec in decs)),
        ("Terms", *(f"{len(dec.terms):,}" for dec in decs)),
    )
    return Table(("", *names), rows)


def fidelity_table(found: Comparison, names: Names) -> Table:
    """List how closely each of the two follows its own predictions."""
    both = found.fidelities
    held_out = ("Fidelity, held out", *(_measured(item.held_out, item.held_out_interval) for item in both))
    rows = (
        *([held_out] if any(item.held_out is not None for item in both) else []),
        ("Fidelity, in sample", *(_measured(item.in_sample, item.in_sample_interval) for item in both)),
        ("Unexplained", *(portions(item.best)[1] for item in both)),
        ("Base rate" if names.scale.factors else "Mean prediction", *map(names.value, found.means)),
    )
    return Table(("", *found.names), rows)


def settings_table(decs: Sequence[Decomposition], names: tuple[str, str]) -> Table:
    """List the settings of both estimators."""
    given = [dict(settings(dec)) for dec in decs]
    keys = dict.fromkeys([*given[0], *given[1]])
    return Table(("Setting", *names), tuple((key, *(each.get(key, UNKNOWN) for each in given)) for key in keys))


def comparison_notes(decs: Sequence[Decomposition], found: Comparison, claims: Claims) -> tuple[str, ...]:
    """Say what was compared, and what could not be."""
    features = {name: dec.feature_titles for name, dec in zip(found.names, decs, strict=True)}
    lacking = [
        words.alone_words(claim, features[claim.places[0]])
        if claim.kind == "features of one alone"
        else words.not_compared_words(claim)
        for claim in claims
    ]
    higher = [HIGHER] if any(len(term) > 2 for dec in decs for term in dec.terms) else []
    return (found.words, *([MADE_UP] if found.made_up else []), *lacking, *higher)


def _measured(value: float | None, bounds: Interval | None) -> str:
    if value is None:
        return UNKNOWN
    return score(value) if bounds is None else f"{score(value)} ({score(bounds.low)} to {score(bounds.high)})"
