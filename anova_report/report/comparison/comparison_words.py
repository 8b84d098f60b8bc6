"""What a reader of a comparison reads first: a statement, which begins with the split, and headline numbers."""

from anova_report.compare import Comparison, InputShift
from anova_report.measures.status import UNEXPLAINED, worst
from anova_report.measures.wording import counted, enumeration, number, percent, portions, score
from anova_report.report.audit.audit import Headline
from anova_report.report.audit.sentences import UNKNOWN
from anova_report.report.comparison.comparison import VERDICTS

NAMED = 3  # items that a sentence names
APART = (
    "Root mean square difference of the explained predictions on inputs that both know, as a share of the standard "
    "deviation of the predictions:"
)
MOVED = (
    "Features whose distribution, or whose correlation with another, differs by more than in 99 of 100 samples of one "
    "table, and enough to matter."
)
COUNTED = (
    "Main effects and pairs whose distance is beyond chance in 95 of 100 samples, for all of them together, and large "
    "enough to matter."
)


def statement(found: Comparison) -> str:
    """Say first whether the function changed and whether the inputs moved, then which effects and shares differ."""
    if any(item.differs is None for item in found.effects):
        return (
            f"{found.names[1]} and {found.names[0]} are shown side by side, but whether they differ by more than "
            f"chance cannot be determined: one of the estimators does not estimate uncertainty.{inputs_words(found)}"
        )
    return f"{function_words(found)}{inputs_words(found)} {_effects_words(found)}"


def function_words(found: Comparison) -> str:
    """Say whether both describe the same function, by how far apart they are on inputs that both know."""
    function, (first, second) = found.function, found.names
    if function is None or function.changed is None or function.interval is None:
        return (
            f"Whether {second} is another function than {first} cannot be determined: they have too few inputs in "
            "common."
        )
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
            f"The function is the same on common inputs as far as these rows can tell: {second} and {first} are "
            f"{percent(function.relative)} of the standard deviation apart there, which chance and what both "
            f"explanations leave unexplained ({left}) can account for."
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
    named = tuple(f"{item.label} ({_shift_words(item)})" for item in moved[:NAMED])
    counting = f", and {len(moved) - NAMED} more distributions or correlations" if len(moved) > NAMED else ""
    return f" The inputs moved: {enumeration(named)}{counting}."


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
    named = enumeration(tuple(f"{item.label} ({number(item.distance)} apart)" for item in differing[:NAMED]))
    most = ", most in" if len(differing) > NAMED else ":"
    rest = n_effects - len(differing)
    agree = counted(rest, "effect agrees", "effects agree")
    same = f" The other {agree} as far as these rows can tell." if rest else ""
    verb = "differs" if len(differing) == 1 else "differ"
    return (
        f"{len(differing)} of {counted(n_effects, 'effect', 'effects')} {verb} by more than chance{most} {named}."
        f"{same} {moved or 'No feature has a different share'} of the variance."
    )


def _moved(found: Comparison) -> str:
    """Say which features have another share, or how many where they are more than a sentence can name."""
    moved = [item for item in found.feature_shares if item.exceeds]
    if len(moved) > NAMED:
        return f"{counted(len(moved), 'feature has', 'features have')} a different share"
    named = [f"{item.label} ({percent(item.first)} → {percent(item.second)})" for item in moved]
    return f"{enumeration(tuple(named))} {'has' if len(named) == 1 else 'have'} a different share" if named else ""


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
        seen = "rows the fit has never seen" if item.held_out is not None else "the rows of the fit"
        words = f"On {seen}, the explanation reproduces {portions(item.best)[0]} of the variance of the predictions."
        value, judged = score(item.best), UNEXPLAINED.judge(item.unexplained)
        if not item.estimable:
            judged = worst(["warn", judged])
            words = f"Rests on about {item.rests_on}; other rows may give another number."
        made.append(Headline(f"Fidelity of {name}", value, judged, words))
    return tuple(made)


def _function_headline(found: Comparison) -> Headline:
    function = found.function
    if function is None:
        return Headline("Difference of functions", UNKNOWN, "not applicable", APART)
    spread = function.spread or 1.0
    bounds = function.interval
    limits = f", {percent(bounds.low / spread)} to {percent(bounds.high / spread)}" if bounds else ""
    words = f"{APART} {number(function.distance)} in the unit of the predictions{limits}."
    return Headline("Difference of functions", percent(function.relative), VERDICTS[function.changed], words)
