"""Sentences on two decompositions side by side: whether function, inputs, effects and shares differ."""

from collections.abc import Sequence

from anova_report.measures.claims import Claim, chosen
from anova_report.measures.sentences.fidelity import resting_words
from anova_report.measures.sentences.names import Names
from anova_report.measures.wording import counted, enumeration, number, percent, portions, score

NAMED = 3  # items that a sentence names
FUNCTIONS = ("same function", "another function", "function that may have changed")
SHIFTS = ("distribution that moved", "correlation that moved")
APART = "Root mean square difference of the predictions, as a share of their standard deviation"
MEANS = "Mean of the predictions, of each over its own rows"


def statement_words(claims: Sequence[Claim], names: Names) -> str:
    """Say first whether the function changed and whether the inputs moved, then which effects and shares differ."""
    said = (
        function_words(claims, names),
        mean_words(claims, names),
        inputs_words(claims, names),
        effects_words(claims, names),
    )
    return " ".join(filter(None, said))


def function_words(claims: Sequence[Claim], names: Names) -> str:
    """Say whether both describe the same function, and how far apart their predictions are."""
    first, second = names.sides
    found = next((claim for claim in claims if claim.kind in FUNCTIONS), None)
    if found is None:
        return (
            f"Whether {second} is another function than {first} cannot be determined: they have too few inputs in "
            "common, or one of the estimators does not estimate uncertainty."
        )
    low, high, n_known = percent(found["low"]), percent(found["high"]), found["n_known"]
    where = f"on the same {n_known:,.0f} rows" if n_known else "on inputs that both know"
    apart, limit = "of their standard deviation apart", f"limit {percent(found['limit'])}"
    whose = f"{where}, the predictions of {second} and {first} are"
    if found.kind == "same function":
        if not found["high"]:
            return f"The function is the same: {whose} the same."
        most = high.replace("<", "less than") if high.startswith("<") else f"at most {high}"
        return f"The function is the same: {whose} {most} {apart} ({limit})."
    if found.kind == "another function":
        way = [enumeration([names.term(claim.features)]) for claim in chosen(claims, "clearest direction")]
        along = f", most clearly along {way[0]}" if way else ""
        how = f"at least {low} {apart} ({limit})"
        if n_known:
            how = f"{percent(found['relative'])} {apart} ({low} to {high}; {limit})"
        return f"The function changed: {whose} {how}{along}."
    said = (
        f"Whether the function changed cannot be determined from these rows: {whose} {low} to {high} {apart} ({limit})."
    )
    if n_known:
        return said
    surely = " The explanations differ by more than chance." if chosen(claims, "explanations differ") else ""
    return (
        f"{said} The bounds include what the explanations leave unexplained.{surely} Predictions of both for the same "
        "rows would decide."
    )


def distance_tile_words(claims: Sequence[Claim], names: Names) -> str:
    """Say what the tile of the distance means."""
    found = next((claim for claim in claims if claim.kind in FUNCTIONS), None)
    apart = APART.replace("the predictions", names.varying)
    if found is None:
        return f"{apart}."
    bounds = f"95% interval: {percent(found['low'])} to {percent(found['high'])}."
    left = "".join(
        f" The explanations leave up to {percent(claim['high'])} of it open." for claim in chosen(claims, "left open")
    )
    limit = f" Limit: {percent(found['limit'])}."
    if not found["n_known"]:
        return f"{apart}. {bounds}{left}{limit}"
    rows = counted(round(found["n_known"]), "row", "rows")
    distance = names.size(found["distance"]) if names.scale.factors else f"{number(found['distance'])} in their unit"
    return f"{apart}, at {rows}: {distance}. {bounds}{left}{limit}"


def mean_words(claims: Sequence[Claim], names: Names) -> str:
    """Say whether predictions are higher or lower on average; nothing where that may be chance."""
    found = chosen(claims, "mean predictions")[0]
    if "low" not in found.numbers or found["low"] <= 0 <= found["high"]:
        return ""
    verb = "rises" if found["shift"] > 0 else "falls"
    of = f", by {percent(found['relative'])} of the standard deviation" if "relative" in found.numbers else ""
    if of and names.scale.factors:
        of += f" of {names.varying}"
    what = "base rate" if names.scale.factors else "mean prediction"
    return f"The {what} {verb} from {names.value(found['first'])} to {names.value(found['second'])}{of}."


def mean_tile_words(claims: Sequence[Claim], names: Names) -> str:
    """Say what the tile of the means says."""
    found = claims[0]
    what = MEANS.replace("Mean", "Geometric mean") if names.scale.factors else MEANS
    if "low" not in found.numbers:
        return f"{what}."
    shift, ends = names.brief(found["shift"]), f"{names.brief(found['low'])} to {names.brief(found['high'])}"
    return f"{what}. {'Ratio' if names.scale.factors else 'Difference'}: {shift} ({ends})."


def inputs_words(claims: Sequence[Claim], names: Names) -> str:
    """Say which inputs moved; nothing where both come from the same rows."""
    if not chosen(claims, "inputs that moved"):
        return ""
    moved = [claim for claim in claims if claim.kind in SHIFTS]
    if not moved:
        return "The inputs did not move."
    named = [f"{names.term(claim.features)} ({_shift_words(claim)})" for claim in moved[:NAMED]]
    more = f", and {len(moved) - NAMED} more distributions or correlations" if len(moved) > NAMED else ""
    return f"The inputs moved: {enumeration(named)}{more}."


def _shift_words(claim: Claim) -> str:
    if claim.kind == "correlation that moved":
        return f"correlation by {number(claim['distance'])}"
    return f"{percent(claim['distance'])} of the rows"


def effects_words(claims: Sequence[Claim], names: Names) -> str:
    """Say which effects and shares differ by more than chance."""
    counts = chosen(claims, "effects that differ")
    if not counts:
        return (
            "Whether single effects differ by more than chance cannot be determined: one of the estimators does not "
            "estimate uncertainty."
        )
    n_differing, rest, n_effects = (round(counts[0][name]) for name in ("n_differing", "n_agreeing", "n_effects"))
    every, moved = counted(n_effects, "effect", "effects"), moved_words(claims, names)
    if not n_differing:
        said = f"No single one of {every} differs by more than chance"
        if chosen(claims, "same function"):
            said = f"All {every} agree within their uncertainty"
        return f"{said}{f', but {moved} of the variance' if moved else ''}."
    named = enumeration(
        [
            f"{names.term(claim.terms[0])} ({names.size(claim['distance'])} apart)"
            for claim in chosen(claims, "distance of an effect")[:NAMED]
        ]
    )
    most = ", most in" if n_differing > NAMED else ":"
    others = "effect agrees" if rest == 1 else f"{rest} effects agree"
    same = f" The other {others} within their uncertainty." if rest else ""
    verb = "differs" if n_differing == 1 else "differ"
    return (
        f"{n_differing} of {every} {verb} by more than chance{most} {named}.{same} "
        f"{moved or 'No feature has a different share'} of the variance."
    )


def moved_words(claims: Sequence[Claim], names: Names) -> str:
    """Say which features have another share, or how many where they are more than a sentence can name."""
    moved = chosen(claims, "share in both")
    if len(moved) > NAMED:
        return f"{counted(len(moved), 'feature has', 'features have')} a different share"
    verb = "has" if len(moved) == 1 else "have"
    return f"{enumeration([drift_words(claim, names) for claim in moved])} {verb} a different share" if moved else ""


def drift_words(claim: Claim, names: Names) -> str:
    """Write a share in both: "age (3.4% → 12.0%)"."""
    named = names.term(claim.terms[0] if claim.terms else claim.features)
    return f"{named} ({percent(claim['first'])} → {percent(claim['second'])})"


def shares_words(claims: Sequence[Claim], names: Names) -> str:
    """Say which shares have moved by more than chance."""
    counts, moved = chosen(claims, "shares that moved"), chosen(claims, "share in both")
    if not counts:
        return "Whether shares have moved by more than chance is not known: an estimator does not estimate uncertainty."
    if not moved:
        return f"No share of {names.sides[1]} differs from that of {names.sides[0]} by more than chance."
    named = enumeration([drift_words(claim, names) for claim in moved], NAMED)
    return f"{len(moved)} of {counts[0]['n_shares']:,.0f} shares differ by more than chance: {named}."


def moved_line_words(claims: Sequence[Claim]) -> str:
    """Say how many shares moved, as a line."""
    return f"{counted(round(claims[0]['n_moved']), 'share', 'shares')} moved by more than chance"


def differing_line_words(claims: Sequence[Claim]) -> str:
    """Say how many effects differ, as a line; of those that nobody can judge, that they are not known."""
    counts = chosen(claims, "effects that differ")
    if not counts:
        return "Not known"
    every = counted(round(counts[0]["n_effects"]), "effect", "effects")
    return f"{counts[0]['n_differing']:,.0f} of {every} differ by more than chance"


def agreeing_line_words(claims: Sequence[Claim]) -> str:
    """Say how many main effects are drawn that agree, as a line."""
    return f"{counted(round(claims[0]['n_drawn']), 'main effect', 'main effects')}, all numbers"


def difference_words(claims: Sequence[Claim], names: Names) -> str:
    """Say how far two versions of an effect lie apart, and whether that is more than chance."""
    found = chosen(claims, "distance of an effect")[0]
    lacking = "".join(
        f" Only {names.other_side(claim.places[0])} has this component; in the other it is zero."
        for claim in chosen(claims, "effect that is lacking")
    )
    label, size = names.term(found.terms[0]), names.size(found["distance"])
    apart = f"The two versions of {label} lie {size} apart (root mean square)"
    if "high" not in found.numbers:
        return f"{apart}; whether that is more than chance is not known.{lacking}"
    limit = names.size(found["high"])
    if "most" not in found.numbers:
        return f"{apart}, within what is expected of equal components (up to {limit}).{lacking}"
    most = names.effect(found["most"])
    return f"{apart}, beyond the noise floor of {limit}; the largest difference is {most}.{lacking}"


def version_words(claims: Sequence[Claim], names: Names) -> str:
    """Say what one of two pictures of a pair shows."""
    if chosen(claims, "effect that is lacking"):
        return "This pair is not held here, so it is zero."
    return f"The pair {names.term(claims[0].terms[0])}."


def fidelity_tile_words(claims: Sequence[Claim], names: Names) -> str:
    """Say what the tile of one fidelity means."""
    for resting in chosen(claims, "rows that R² rests on"):
        return f"Rests on about {resting_words(resting)}; other rows may give another value."
    held_out = claims[0].over == "held-out rows"
    seen = "rows the fit has never seen" if held_out else "the rows of the fit"
    return f"On {seen}, the explanation reproduces {portions(claims[0]['r2'])[0]} of the variance of {names.varying}."


def fidelity_line_words(claims: Sequence[Claim]) -> str:
    """Write R² of both with their intervals, as a line."""
    bounds = {claim.places: claim for claim in chosen(claims, "R² on other rows")}

    def one(claim: Claim) -> str:
        known = [f" ({score(end['low'])} to {score(end['high'])})" for end in [bounds.get(claim.places)] if end]
        return f"{claim.places[0]}: {score(claim['r2'])}{''.join(known)}"

    return "; ".join(map(one, chosen(claims, "R²")))


def alone_words(claim: Claim, features: Sequence[str]) -> str:
    """Say which features only one has; `features` are those of that one."""
    only = [features[index] for index in claim.features]
    word = "the feature" if len(only) == 1 else "the features"
    return f"Only {claim.places[0]} has {word} {enumeration(only)}, which cannot be compared."


def not_compared_words(claim: Claim) -> str:
    """Say how much of the predictions of one is not compared, since its explanation lacks it."""
    left = portions(1 - claim["share"])[1]
    return f"The explanation of {claim.places[0]} leaves {left} of the variance unexplained, and that is not compared."
