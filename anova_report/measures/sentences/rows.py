"""Sentences on the rows, on their predictions, and on what a single prediction is made of."""

from collections.abc import Sequence

from anova_report.core.result.terms import Term
from anova_report.measures.claims import Claim, chosen
from anova_report.measures.sentences.names import Names, in_unit
from anova_report.measures.wording import counted, enumeration, number, percent

NAMED = 2  # things that the fit has not seen


def feature_words(claim: Claim, names: Names) -> str:
    """Say which values a feature has.

    Examples
    --------
    >>> feature_words(Claim("levels", {"n_levels": 2, "most": 0, "share": 2 / 3}, places=("female",)), Names(()))
    '2 levels, most often female (66.7%)'
    >>> claim = Claim("range", {"low": 20, "median": 30, "high": 70}, features=(0,), places=("20", "30", "70"))
    >>> feature_words(claim, Names(("age",), units=("years",)))
    '20 to 70 years, median 30'
    """
    match claim.kind:
        case "levels":
            levels = counted(round(claim["n_levels"]), "level", "levels")
            return f"{levels}, most often {claim.places[0]} ({percent(claim['share'])})"
        case "truth value":
            return f"true in {percent(claim['share'])} of the rows"
        case "range":
            low, median, high = claim.places
            return f"{low} to {names.at(claim.features[0], high)}, median {median}"
        case _:
            return claim.places[0]


def predictions_words(claim: Claim, names: Names) -> str:
    """Say how predictions are spread; where they are not known, what the fit knows of them.

    Examples
    --------
    >>> from anova_report.core.input.scales import SCALES
    >>> claim = Claim("mean and deviation", {"mean": 0.0, "deviation": 0.6931})
    >>> predictions_words(claim, Names(("age",), scale=SCALES["log"]))
    'In the fit the predictions had a geometric mean of 1 and a standard deviation of a factor of 2.'
    """
    mean, deviation = names.value(claim["mean"]), names.size(claim["deviation"])
    if claim.kind == "mean and deviation":
        if names.scale.factors:
            return f"In the fit the predictions had a geometric mean of {mean} and a standard deviation of {deviation}."
        return f"In the fit the predictions had mean {mean} and standard deviation {deviation}."
    low, quarter, median, three_quarters, high = (
        names.value(claim[name]) for name in ("low", "quarter", "median", "three_quarters", "high")
    )
    middle = "geometric mean" if names.scale.factors else "mean"
    return (
        f"The predictions run from {low} to {high}; half of them lie between {quarter} and {three_quarters}, around a "
        f"median of {median}. Their {middle} is {mean}, their standard deviation {deviation}."
    )


def base_rate_words(claim: Claim, names: Names) -> str:
    """Say what factors are factors of.

    Examples
    --------
    >>> from anova_report.core.input.scales import SCALES
    >>> base_rate_words(Claim("base rate", {"mean": 0.0}), Names((), scale=SCALES["log"]))
    'Effects are factors: × 1 is the base rate, 1.'
    """
    return f"Effects are factors: × 1 is the base rate, {names.value(claim['mean'])}."


def case_words(claims: Sequence[Claim], names: Names) -> str:
    """Say what a prediction is made of.

    Examples
    --------
    >>> claims = [
    ...     Claim("prediction", {"value": 12.0, "mean": 10.0}),
    ...     Claim("contribution", {"value": 2.5}, terms=((0,),)),
    ...     Claim("sum of contributions", {"explained": 12.5, "residual": -0.5}),
    ... ]
    >>> for sentence in case_words(claims, Names(("age",))).split(". "):
    ...     print(sentence)
    The prediction is 12, above the mean of 10
    Above all, age (+2.5) raises it
    The terms add up to 12.5, which leaves a residual of −0.5.
    """
    whole = claims[0]
    mean, shown = names.value(whole["mean"]), names.value(whole["value"])
    level = "equal to" if shown == mean else "above" if whole["value"] > whole["mean"] else "below"
    said = [f"The {whole.kind} is {shown}, {level} the {names.scale.mean} of {mean}."]
    parts = chosen(claims, "contribution")
    pushes = filter(
        None,
        (
            _push([part for part in parts if part["value"] > 0], names, "raise"),
            _push([part for part in parts if part["value"] < 0], names, "lower"),
        ),
    )
    moved = "; ".join(pushes)
    said.append(f"Above all, {moved}." if moved else "No term changes it.")
    for total in chosen(claims, "sum of contributions"):
        residual = total["residual"]
        left = f"which leaves a residual of {names.effect(residual)}" if residual else "which is the prediction"
        verb = "multiply" if names.scale.factors else "add up"
        said.append(f"The terms {verb} to {names.value(total['explained'])}, {left}.")
    beyond = [claim.features for claim in chosen(claims, "not seen in the fit")]
    if beyond:
        unseen = unseen_words(beyond, names.features)
        said.append(
            f"The fit has not seen {enumeration(unseen, most=NAMED)}: what is said about this row is extrapolated."
        )
    return " ".join(said)


def _push(parts: Sequence[Claim], names: Names, verb: str) -> str:
    """Name the contributions in one direction."""
    named = [f"{names.term(part.terms[0])} ({names.brief(part['value'])})" for part in parts]
    return f"{enumeration(named)} {verb}{'s' if len(named) == 1 else ''} it" if named else ""


def unseen_words(unseen: Sequence[Term], features: Sequence[str]) -> list[str]:
    """Name what the fit has not seen of a row: values of one feature, and combinations of two.

    Examples
    --------
    >>> unseen_words([(1,), (0, 2)], ["age", "sex", "income"])
    ['this value of sex', 'this combination of age and income']
    """
    words = {1: "value", 2: "combination"}
    return [f"this {words[len(term)]} of {enumeration([features[index] for index in term])}" for term in unseen]


def scatter_words(claim: Claim, names: Names) -> str:
    """Say how far predictions lie from their explained values."""
    far = ""
    if "far" in claim.numbers:
        far = (
            f"; {percent(claim['far'])} of these rows have an absolute residual of more than half a standard deviation"
        )
    return (
        f"Predictions of {claim['n_drawn']:,.0f} of {claim['n_rows']:,.0f} rows against their explained values: the "
        f"typical residual (root mean square) is {names.size(claim['residual'])}, the standard deviation of all "
        f"predictions {names.size(claim['deviation'])}{far}."
    )


def sample_words(claim: Claim) -> str:
    """Say how many of the rows are drawn as points."""
    sample = f"{claim['n_drawn']:,.0f} of {claim['n_rows']:,.0f} rows"
    return f"Points are a sample of {sample}; the chosen row is always drawn."


def histogram_words(claim: Claim, name: str, unit: str = "") -> str:
    """Say how rows are spread over a feature, or over the predictions, that has this name, and this unit."""
    rows = f"{claim['n_rows']:,.0f} rows"
    if claim.kind == "most frequent value":
        most = f"the most frequent is {_counted(claim.places[0], unit)}"
        drawn = counted(round(claim["n_values"]), "value", "values")
        return f"Of {drawn} of {name} drawn, {most}, in {percent(claim['rows'] / claim['n_rows'])} of {rows}."
    quarter, median, three_quarters = claim.places[0], claim.places[1], _counted(claim.places[2], unit)
    others = {"beyond": "beyond what is drawn", "missing": "missing"}
    more = [f"; {words}: {percent(claim[key])}" for key, words in others.items() if key in claim.numbers]
    middle = f"between {quarter} and {three_quarters}, the median is {median}"
    return f"Half of {rows} have {name} {middle}{''.join(more)}."


def _counted(place: str, unit: str) -> str:
    return in_unit(place, unit) if place[:1] in "−0123456789" else place


def regions_words(claim: Claim, names: Names) -> str:
    """Say how large the residual is, and in which regions it is largest and smallest."""
    worst, best = (names.features[index] for index in claim.features)
    return (
        f"The typical residual (root mean square) is {number(claim['typical'])} standard deviations of {names.varying} "
        f"on {claim['n_rows']:,.0f} rows; it is largest, {number(claim['largest'])}, where {worst} is "
        f"{claim.places[0]}, and smallest, {number(claim['smallest'])}, where {best} is {claim.places[1]}."
    )


def way_words(claims: Sequence[Claim], names: Names) -> str:
    """Say how a prediction comes about, step by step."""
    way, steps = claims[0], chosen(claims, "contribution")
    mean = f"{names.scale.mean} {names.value(way['mean'])}"
    lead = f"No term changes the prediction from the {mean}"
    if steps:
        named = ", ".join(f"{names.term(step.terms[0])} ({names.brief(step['value'])})" for step in steps)
        for rest in chosen(claims, "further contributions"):
            named += f" and {counted(round(rest['n_steps']), 'more step', 'more steps')}"
        lead = f"From the {mean}, {named} lead to the explained value {names.value(way['explained'])}"
    if "prediction" not in way.numbers:
        return f"{lead}."
    return (
        f"{lead}; the prediction is {names.value(way['prediction'])}, which leaves a residual of "
        f"{names.effect(way['residual'])}."
    )


def as_probabilities(claim: Claim) -> str:
    """Say the mean, the explanation and the prediction of a row as probabilities."""
    prediction = f"; the prediction is {percent(claim['prediction'])}" if "prediction" in claim.numbers else ""
    ends = f"from {percent(claim['mean'])} at the mean to {percent(claim['explained'])} explained"
    return f"As probabilities: {ends}{prediction}."


def model_words(claim: Claim, names: Names) -> str:
    """Say what the model itself predicts, and how far from the explanation."""
    return (
        f"For these values the model itself predicts {names.value(claim['prediction'])}, "
        f"{names.effect(claim['residual'])} {'relative to' if names.scale.factors else 'from'} the explanation."
    )


PLACES = ("", "second ", "third ", "fourth ")


def row_title(claim: Claim) -> str:
    """Say why a row is explained; where another reason took the first row, this is the next.

    Examples
    --------
    >>> row_title(Claim("largest residual", {"place": 1})), row_title(Claim("largest residual", {"place": 2}))
    ('Largest residual', 'Second largest residual')
    """
    words = f"{PLACES[round(claim['place']) - 1]}{claim.kind}" if "place" in claim.numbers else claim.kind
    return words[0].upper() + words[1:]
