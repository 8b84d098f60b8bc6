"""From two decompositions to the document of their comparison: figures, sentences, headline numbers and tables."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from anova_report.compare import Comparison, EffectDifference, InputShift, ShareDrift, compare_decompositions
from anova_report.core.decomposition import Decomposition
from anova_report.errors import InputError, listing
from anova_report.figures.contrast_filling import Sides, contrast_figure, difference_words
from anova_report.figures.drifts import drift_figure, drift_table
from anova_report.figures.figure import Figure, Table
from anova_report.figures.pair_contrasts import pair_contrast
from anova_report.measures.intervals import Interval
from anova_report.measures.status import UNEXPLAINED, worst
from anova_report.measures.wording import counted, enumeration, number, percent, score
from anova_report.report.audit.audit import Headline, RunFacts
from anova_report.report.audit.provenance import settings, versions
from anova_report.report.audit.sentences import UNKNOWN, UNTOLD, scale_words
from anova_report.report.comparison.comparison import (
    VERDICTS,
    ComparisonPage,
    MainContrast,
    OutputComparison,
    PairContrast,
)

MAX_ROWS = 2000  # points of comparison
TOP_MAINS, TOP_PAIRS = 12, 6
NAMED = 3  # items that a sentence names
MADE_UP = (
    "No rows were given, so the two are compared at rows made from the law of each feature and the correlations of "
    "their ranks; give rows to weigh what occurs together."
)
APART = (
    "Root mean square difference of the explained answers on inputs that both know, as a share of the standard "
    "deviation of the answers:"
)
MOVED = (
    "Features whose law, or whose correlation with another, is not the same in both, beyond what other rows of one "
    "table would show in 99 of 100 samples, and enough to matter."
)
COUNTED = (
    "Main effects and pairs whose distance is beyond what equal components show in 95 of 100 samples, all of them "
    "together, and large enough to matter."
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
    return OutputComparison(
        name=found.outputs[0] if found.outputs[0] == found.outputs[1] else " / ".join(found.outputs),
        anchor=f"output-{position}",
        changed=found.changed,
        words=statement(found),
        headlines=headlines(found),
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
        inputs_moved=tuple(item.label for item in found.moved()),
        inputs=inputs_table(found) if found.inputs else None,
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


def statement(found: Comparison) -> str:
    """Say first whether the function changed and whether the inputs moved, then which effects and shares differ."""
    if any(item.differs is None for item in found.effects):
        return (
            f"{found.names[1]} and {found.names[0]} are laid side by side, but whether their differences are more than "
            f"chance cannot be told: one of the estimators keeps no track of uncertainty.{inputs_words(found)}"
        )
    return f"{function_words(found)}{inputs_words(found)} {_effects_words(found)}"


def function_words(found: Comparison) -> str:
    """Say whether both describe the same function, by how far apart they are on inputs that both know."""
    function, (first, second) = found.function, found.names
    if function is None or function.changed is None or function.interval is None:
        return f"Whether {second} is another function than {first} cannot be told: they have too few inputs in common."
    spread = function.spread or 1.0
    low, high = (percent(bound / spread) for bound in (function.interval.low, function.interval.high))
    if function.changed:
        along = f", most clearly along {function.label}" if function.along else ""
        return (
            f"The function changed: on the same inputs, {second} and {first} are {percent(function.relative)} of the "
            f"standard deviation apart ({low} to {high}){along}."
        )
    if found.moved():
        left = percent(function.tolerance / spread)
        return (
            f"The function is the same on common inputs as far as can be told: {second} and {first} are "
            f"{percent(function.relative)} of the standard deviation apart there, for which chance and what both "
            f"explanations leave open ({left}) can account."
        )
    return (
        f"The function is the same on common inputs as far as these rows can tell: {second} and {first} are at most "
        f"{high} of the standard deviation apart."
    )


def inputs_words(found: Comparison) -> str:
    """Say which inputs moved; nothing where both come from the same rows."""
    if not found.inputs:
        return ""
    moved = found.moved()
    if not moved:
        return " The inputs did not move."
    told = tuple(f"{item.label} ({_shift_words(item)})" for item in moved[:NAMED])
    counting = f", and {len(moved) - NAMED} more laws or correlations" if len(moved) > NAMED else ""
    return f" The inputs moved: {enumeration(told)}{counting}."


def _shift_words(item: InputShift) -> str:
    if len(item.features) > 1:
        return f"correlation by {number(item.distance)}"
    return f"{percent(item.distance)} of the rows"


def _effects_words(found: Comparison) -> str:
    """Say which effects and shares differ by more than chance."""
    n_effects, differing, moved = len(found.effects), found.differing(), _moved(found)
    if not differing:
        none = f"No single one of {counted(n_effects, 'effect', 'effects')} differs by more than chance"
        agree = f"All {counted(n_effects, 'effect', 'effects')} agree as far as these rows can tell"
        return f"{none if found.changed else agree}{f', but {moved} of the variance' if moved else ''}."
    told = enumeration(tuple(f"{item.label} ({number(item.distance)} apart)" for item in differing[:NAMED]))
    most = ", most in" if len(differing) > NAMED else ":"
    rest = n_effects - len(differing)
    agree = counted(rest, "effect agrees", "effects agree")
    same = f" The other {agree} as far as these rows can tell." if rest else ""
    verb = "differs" if len(differing) == 1 else "differ"
    return (
        f"{len(differing)} of {counted(n_effects, 'effect', 'effects')} {verb} by more than chance{most} {told}.{same} "
        f"{moved or 'No feature has another share'} of the variance."
    )


def _moved(found: Comparison) -> str:
    """Say which features have another share, or how many where they are more than a sentence can name."""
    moved = [item for item in found.feature_shares if item.exceeds]
    if len(moved) > NAMED:
        return f"{counted(len(moved), 'feature has', 'features have')} another share"
    told = [f"{item.label} ({percent(item.first)} → {percent(item.second)})" for item in moved]
    return f"{enumeration(tuple(told))} {'has' if len(told) == 1 else 'have'} another share" if told else ""


def headlines(found: Comparison) -> tuple[Headline, ...]:
    """Give the numbers a reader wants first: whether functions or inputs differ, how much, the fidelity of both."""
    made = [_function_headline(found)]
    if found.inputs:
        moved, asked = found.moved(), sum(len(item.features) == 1 for item in found.inputs)
        names = {name for item in moved for name in item.features}
        made.append(Headline("Inputs that moved", f"{len(names)} of {asked}", "warn" if moved else "pass", MOVED))
    differing = found.differing()
    if any(item.differs is None for item in found.effects):
        made.append(Headline("Effects that differ", UNKNOWN, "not applicable", found.words))
    else:
        value = f"{len(differing)} of {len(found.effects)}"
        made.append(Headline("Effects that differ", value, "warn" if differing else "pass", COUNTED))
    for name, item in zip(found.names, found.fidelities, strict=True):
        seen = "rows the fit never saw" if item.held_out is not None else "the rows of the fit"
        words = f"On {seen}, the explanation reproduces {percent(item.best)} of the variance of the answers."
        value, judged = score(item.best), UNEXPLAINED.judge(item.unexplained)
        if not item.told:
            value, judged, words = UNTOLD, worst(["warn", judged]), f"On {seen}, a few rows decide the fidelity."
        made.append(Headline(f"Fidelity of {name}", value, judged, words))
    return tuple(made)


def _function_headline(found: Comparison) -> Headline:
    function = found.function
    if function is None:
        return Headline("Functions apart by", UNKNOWN, "not applicable", APART)
    spread = function.spread or 1.0
    bounds = function.interval
    told = f", {percent(bounds.low / spread)} to {percent(bounds.high / spread)}" if bounds else ""
    words = f"{APART} {number(function.distance)} in the unit of the answers{told}."
    return Headline("Functions apart by", percent(function.relative), VERDICTS[function.changed], words)


def effects_table(found: Comparison) -> Table:
    """List every component: which decomposition has it, how far apart the two are, and whether that is chance."""
    first, second = found.names
    head = ("Effect", f"Share, {first}", f"Share, {second}", "Held by", "Distance")
    shares = {item.features: (item.first, item.second) for item in found.term_shares}
    rows = (
        (
            item.label,
            *map(percent, shares[item.features]),
            {"both": "both", "first": first, "second": second}[item.held_by],
            number(item.distance),
            UNKNOWN if item.floor is None else number(max(item.floor, item.smallest)),
            UNKNOWN if item.exceeding is None else percent(item.exceeding),
            UNKNOWN if item.differs is None else "yes" if item.differs else "no",
        )
        for item in sorted(found.effects, key=lambda item: (not item.differs, -item.distance))
    )
    return Table((*head, "Noise floor", "Rows beyond", "Differs"), tuple(rows))


def inputs_table(found: Comparison) -> Table:
    """List how far the law of every feature moved, and correlations that did."""
    order = sorted(found.inputs, key=lambda item: (not item.moved, len(item.features), -item.distance))
    rows = (
        (
            item.label,
            "law" if len(item.features) == 1 else "correlation",
            percent(item.distance) if len(item.features) == 1 else number(item.distance),
            f"{percent(item.interval.low)} to {percent(item.interval.high)}",
            "yes" if item.moved else "no",
        )
        for item in order
    )
    return Table(("Input", "What", "Distance", "95% interval", "Moved"), tuple(rows))


def facts_table(decs: Sequence[Decomposition], names: tuple[str, str]) -> Table:
    """List what each of the two was made from."""
    rows = (
        ("Rows of the fit", *(f"{dec.in_sample.n_rows:,}" for dec in decs)),
        ("Features", *(f"{len(dec.features):,}" for dec in decs)),
        ("Terms", *(f"{len(dec.terms):,}" for dec in decs)),
    )
    return Table(("", *names), rows)


def fidelity_table(found: Comparison) -> Table:
    """List how closely each of the two follows its own answers."""
    both = found.fidelities
    held_out = ("Fidelity, held out", *(_measured(item.held_out, item.held_out_interval) for item in both))
    rows = (
        *([held_out] if any(item.held_out is not None for item in both) else []),
        ("Fidelity, in sample", *(_measured(item.in_sample, item.in_sample_interval) for item in both)),
        ("Unexplained", *(percent(item.unexplained) for item in both)),
        ("Mean answer", *map(number, found.means)),
    )
    return Table(("", *found.names), rows)


def settings_table(decs: Sequence[Decomposition], names: tuple[str, str]) -> Table:
    """List the settings of both estimators."""
    given = [dict(settings(dec)) for dec in decs]
    keys = dict.fromkeys([*given[0], *given[1]])
    return Table(("Setting", *names), tuple((key, *(each.get(key, UNKNOWN) for each in given)) for key in keys))


def comparison_notes(decs: Sequence[Decomposition], found: Comparison) -> tuple[str, ...]:
    """Say what was compared, and what could not be."""
    lonely = [
        f"Only {name} has {'the feature' if len(only) == 1 else 'the features'} {enumeration(only)}, which cannot be "
        "compared."
        for name, only in zip(found.names, (found.only_first, found.only_second), strict=True)
        if only
    ]
    higher = [HIGHER] if any(len(term) > 2 for dec in decs for term in dec.terms) else []
    weak = [
        f"The explanation of {name} leaves {percent(item.unexplained)} of the variance open, and what it leaves open "
        "is not compared."
        for name, item in zip(found.names, found.fidelities, strict=True)
        if item.unexplained > UNEXPLAINED.warn
    ]
    return (found.words, *([MADE_UP] if found.made_up else []), *lonely, *weak, *higher)


def _measured(value: float | None, bounds: Interval | None) -> str:
    if value is None:
        return UNKNOWN
    return score(value) if bounds is None else f"{score(value)} ({score(bounds.low)} to {score(bounds.high)})"
