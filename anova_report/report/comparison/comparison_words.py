"""Sentences, headline numbers and tables of a comparison."""

from collections.abc import Sequence

import numpy as np

from anova_report.compare import Comparison
from anova_report.core.decomposition import Decomposition
from anova_report.figures.contrast_filling import Sides
from anova_report.figures.figure import Table
from anova_report.measures.intervals import Interval
from anova_report.measures.status import UNEXPLAINED
from anova_report.measures.wording import counted, number, percent, score
from anova_report.report.audit.audit import Headline
from anova_report.report.audit.provenance import settings
from anova_report.report.audit.sentences import enumeration, whole

NAMED = 3  # items that a sentence names
UNKNOWN = "–"
MADE_UP = (
    "No rows were given, so effects are compared at rows made from the values of each feature as if features were "
    "independent; give rows to weigh what occurs together."
)
COUNTED = (
    "Main effects and pairs whose distance is beyond what equal components show in 95 of 100 samples, all of them "
    "together, and large enough to matter."
)
HIGHER = "Terms of three features are compared by their shares only."


def statement(found: Comparison) -> str:
    """Say in one or two sentences what differs and what does not."""
    first, second = found.names
    n_effects = len(found.effects)
    if any(item.differs is None for item in found.effects):
        return (
            f"{second} and {first} are laid side by side, but whether their differences are more than chance cannot be "
            "told: one of the estimators keeps no track of uncertainty."
        )
    differing, moved = found.differing(), _moved(found)
    if not differing:
        drift = f", but {moved} of the variance" if moved else ""
        return (
            f"No difference beyond the bands: all {counted(n_effects, 'effect', 'effects')} of {first} and {second} "
            f"agree as far as these rows can tell{drift}."
        )
    told = enumeration(tuple(f"{item.label} ({number(item.distance)} apart)" for item in differing[:NAMED]))
    most = ", most in" if len(differing) > NAMED else ":"
    rest = n_effects - len(differing)
    agree = counted(rest, "effect agrees", "effects agree")
    same = f" The other {agree} as far as these rows can tell." if rest else ""
    return (
        f"{second} departs from {first} by more than chance in {len(differing)} of "
        f"{counted(n_effects, 'effect', 'effects')}{most} {told}.{same} "
        f"{moved or 'No feature has another share'} of the variance."
    )


def _moved(found: Comparison) -> str:
    """Say which features have another share, or how many where they are more than a sentence can name."""
    moved = [item for item in found.feature_shares if item.exceeds]
    if len(moved) > NAMED:
        return f"{counted(len(moved), 'feature has', 'features have')} another share"
    told = [f"{item.label} ({percent(item.first)} → {percent(item.second)})" for item in moved]
    return f"{enumeration(tuple(told))} {'has' if len(told) == 1 else 'have'} another share" if told else ""


def headlines(sides: Sides, found: Comparison) -> tuple[Headline, ...]:
    """Give the numbers a reader wants first: how much differs, how far apart the two are, the fidelity of both."""
    differing = found.differing()
    if any(item.differs is None for item in found.effects):
        made = [Headline("Effects that differ", UNKNOWN, "not applicable", found.words)]
    else:
        value = f"{len(differing)} of {len(found.effects)}"
        made = [Headline("Effects that differ", value, "warn" if differing else "pass", COUNTED)]
    if not found.made_up:
        answers = [
            rows.dec.expansion.predict(rows.values)[:, output]
            for rows, output in zip(sides.rows, sides.outputs, strict=True)
        ]
        distance, spread = float(np.sqrt(np.mean((answers[1] - answers[0]) ** 2))), float(answers[0].std())
        relative = f", {percent(distance / spread)} of the standard deviation in {found.names[0]}" if spread else ""
        words = f"Root mean square difference of the explained answers on the same rows{relative}."
        made.append(Headline("Answers apart by", number(distance), "not applicable", words))
    for name, item in zip(found.names, found.fidelities, strict=True):
        seen = "rows the fit never saw" if item.held_out is not None else "the rows of the fit"
        words = f"On {seen}, the explanation reproduces {percent(item.best)} of the variance of the answers."
        made.append(Headline(f"Fidelity of {name}", score(item.best), UNEXPLAINED.judge(item.unexplained), words))
    return tuple(made)


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


def facts_table(decs: Sequence[Decomposition], names: tuple[str, str]) -> Table:
    """List what each of the two was made from."""
    rows = (
        ("Rows of the fit", *(whole(dec.in_sample.n_rows) for dec in decs)),
        ("Features", *(whole(len(dec.features)) for dec in decs)),
        ("Terms", *(whole(len(dec.terms)) for dec in decs)),
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
