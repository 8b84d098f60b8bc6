"""What a reader of a comparison reads first: a statement, which begins with the split, and headline numbers."""

from anova_report.compare import Comparison, InputShift
from anova_report.measures.status import UNEXPLAINED, worst
from anova_report.measures.wording import counted, enumeration, number, percent, portions, score, signed
from anova_report.report.audit.audit import Headline
from anova_report.report.audit.sentences import UNKNOWN
from anova_report.report.comparison.comparison import VERDICTS

NAMED = 3  # items that a sentence names
APART = "Root mean square difference of the predictions, as a share of their standard deviation"
MEANS = "Mean of the predictions, of each over its own rows"
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
            f"{function_words(found)}{mean_words(found)}{inputs_words(found)} Whether single effects differ by more "
            "than chance cannot be determined: one of the estimators does not estimate uncertainty."
        )
    return f"{function_words(found)}{mean_words(found)}{inputs_words(found)} {_effects_words(found)}"


def function_words(found: Comparison) -> str:
    """Say whether both describe the same function, and how far apart their predictions are."""
    function, (first, second) = found.function, found.names
    if function is None or function.interval is None:
        return (
            f"Whether {second} is another function than {first} cannot be determined: they have too few inputs in "
            "common, or one of the estimators does not estimate uncertainty."
        )
    spread, bounds = function.spread or 1.0, function.interval
    low, high = percent(bounds.low / spread), percent(bounds.high / spread)
    where = f"on the same {function.n_known:,} rows" if function.n_known else "on inputs that both know"
    apart, limit = "of their standard deviation apart", f"limit {percent(function.limit)}"
    whose = f"{where}, the predictions of {second} and {first} are"
    if function.changed is False:
        if not bounds.high:
            return f"The function is the same: {whose} the same."
        most = high.replace("<", "less than") if high.startswith("<") else f"at most {high}"
        return f"The function is the same: {whose} {most} {apart} ({limit})."
    if function.changed:
        along = f", most clearly along {function.label}" if function.along else ""
        how = f"{percent(function.relative)} {apart} ({low} to {high}; {limit})"
        if not function.n_known:
            how = f"at least {low} {apart} ({limit})"
        return f"The function changed: {whose} {how}{along}."
    said = (
        f"Whether the function changed cannot be determined from these rows: {whose} {low} to {high} {apart} ({limit})."
    )
    if function.n_known:
        return said
    surely = " The explanations differ by more than chance." if function.beyond_chance else ""
    return (
        f"{said} The bounds hold what the explanations leave unexplained.{surely} Predictions of both at the same rows "
        "would decide."
    )


def mean_words(found: Comparison) -> str:
    """Say whether predictions are higher or lower on average."""
    (first, second), bounds = found.means, found.mean_interval
    if bounds is None or bounds.low <= 0 <= bounds.high:
        return ""
    verb = "rises" if second > first else "falls"
    return f" The mean prediction {verb} from {number(first)} to {number(second)}{_of_spread(found)}."


def _of_spread(found: Comparison) -> str:
    """Write the difference of the means as a share of the standard deviation."""
    spread = 0.0 if found.function is None else found.function.spread
    shift = abs(found.means[1] - found.means[0])
    return f", by {percent(shift / spread)} of the standard deviation" if spread else ""


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
        return f"{agree if found.changed is False else none}{f', but {moved} of the variance' if moved else ''}."
    named = enumeration(tuple(f"{item.label} ({number(item.distance)} apart)" for item in differing[:NAMED]))
    most = ", most in" if len(differing) > NAMED else ":"
    rest = n_effects - len(differing)
    others = "effect agrees" if rest == 1 else f"{rest} effects agree"
    same = f" The other {others} as far as these rows can tell." if rest else ""
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
    """Give the numbers a reader wants first: how far predictions, means and inputs moved, the fidelity of both."""
    made = [_function_headline(found), _mean_headline(found)]
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
    function, label = found.function, "Distance of predictions"
    if function is None:
        return Headline(label, UNKNOWN, VERDICTS[None], f"{APART}.")
    spread, bounds = function.spread or 1.0, function.interval
    whose = f"{APART}, at {counted(function.n_known, 'row', 'rows')}" if function.n_known else APART
    limits = f" 95% interval: {percent(bounds.low / spread)} to {percent(bounds.high / spread)}." if bounds else ""
    left = (
        f" The explanations leave up to {percent(function.left_open / spread)} of it open."
        if function.left_open
        else ""
    )
    words = f"{whose}: {number(function.distance)} in their unit.{limits}{left} Limit: {percent(function.limit)}."
    value = percent(function.relative)
    if bounds is not None and not function.n_known:  # explanations bound it, and no single number is known
        value = f"{percent(bounds.low / spread)} to {percent(bounds.high / spread)}"
    return Headline(label, value, VERDICTS[function.changed], words)


def _mean_headline(found: Comparison) -> Headline:
    (first, second), bounds = found.means, found.mean_interval
    value = f"{number(first)} → {number(second)}"
    if bounds is None or found.function is None:
        return Headline("Mean prediction", value, "not applicable", f"{MEANS}.")
    apart = bounds.low > 0 or bounds.high < 0
    matters = apart and abs(second - first) > found.function.limit * found.function.spread
    words = f"{MEANS}. Difference: {signed(second - first)} ({signed(bounds.low)} to {signed(bounds.high)})."
    return Headline("Mean prediction", value, "warn" if matters else "pass", words)
