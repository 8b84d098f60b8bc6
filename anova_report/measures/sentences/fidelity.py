"""Sentences on fidelity: how closely the explanation follows the predictions, on which rows, and what that rests on."""

from collections.abc import Sequence

from anova_report.measures.claims import Claim, chosen
from anova_report.measures.sentences.names import Names
from anova_report.measures.wording import counted, enumeration, percent, portions, score

MOST_CULPRITS = 3  # features along which a model changes that a sentence names
WRITTEN = {2: "two", 3: "three"}


def fidelity_words(claims: Sequence[Claim], names: Names) -> str:
    """Say how much is left unexplained, and where a few rows decide, on how many that rests.

    Examples
    --------
    >>> fidelity_words([Claim("R²", {"r2": 0.95}, over="rows of the fit")], Names(()))
    'On the rows of the fit, the explanation reaches R² = 0.950. It leaves 5.0% of the variance of the predictions unexplained.'
    """  # noqa: E501 one sentence
    agreement = claims[0]
    where = "rows that no step of the fit has seen" if agreement.over == "held-out rows" else "the rows of the fit"
    sentence = (
        f"On {where}, the explanation reaches {r_squared(agreement['r2'])}. It leaves "
        f"{portions(agreement['r2'])[1]} of the variance of {names.varying} unexplained."
    )
    for resting in chosen(claims, "rows that R² rests on"):
        elsewhere = [_elsewhere(claim) for claim in chosen(claims, "R² on other rows")]
        more = elsewhere[0] if elsewhere else "other rows may give another value"
        sentence += f" This rests on about {resting_words(resting)}; {more}."
    return sentence


def r_squared(value: float) -> str:
    """Write R² with its sign.

    Examples
    --------
    >>> r_squared(0.95), r_squared(0.99999)
    ('R² = 0.950', 'R² > 0.999')
    """
    written = score(value)
    return f"R² {written}" if written.startswith(">") else f"R² = {written}"


def _elsewhere(claim: Claim) -> str:
    low = "below 0" if claim["low"] < 0 else score(claim["low"])
    return f"on other rows R² may lie anywhere from {low} to {score(claim['high'])}"


def resting_words(claim: Claim) -> str:
    """Say of how many rows so few decide."""
    held_out = counted(round(claim["n_held_out"]), "held-out row", "held-out rows")
    return f"{claim['n_rows']:,.0f} of {held_out}"


def more_fidelity_words(claims: Sequence[Claim], names: Names, *, asked: bool = False) -> str:
    """Advise what can raise fidelity: another order only where there is an interaction of that order to be found.

    A model that was `asked` predicts from its inputs and nothing else.
    """
    reading = "Read shares and curves as a description of a part of the model only."
    for missing in chosen(claims, "interaction that is left out"):
        term = missing.terms[0]
        return (
            f"Ask for an explanation with interactions of {WRITTEN[len(term)]} features: {names.term(term)} alone may "
            f"explain {percent(missing['share'])} of the variance. {reading}"
        )
    or_else = (
        "let the model be asked at more recombined rows (ask=, --ask)"
        if asked
        else "check whether the predictions depend on something that is not among the inputs"
    )
    return f"No interaction of a higher order stands out in the residuals. Pass more rows, or {or_else}. {reading}"


def logarithm_words(claim: Claim) -> str:
    """Propose to explain logarithms.

    Examples
    --------
    >>> numbers = {"as_they_are": 0.482, "logarithms": 0.633, "n_rows": 1500.0}
    >>> logarithm_words(Claim("main effects of logarithms", numbers)).partition(": ")[0]
    "Explain the logarithm (scale='log', --scale log), whose effects are factors"
    """
    rows = counted(round(claim["n_rows"]), "row", "rows")
    return (
        "Explain the logarithm (scale='log', --scale log), whose effects are factors: fitted to "
        f"{rows}, main effects alone reproduce {percent(claim['logarithms'])} of the variance of the logarithm of the "
        f"predictions, and {percent(claim['as_they_are'])} of that of the predictions as they are."
    )


def influential_words(claims: Sequence[Claim], names: Names) -> str:
    """Say on how many rows R² rests, and name the first of them where these are few."""
    agreement, resting = claims[:2]
    sentence = f"{r_squared(agreement['r2'])} rests on about {resting_words(resting)}"
    needed = chosen(claims, "rows that R² should rest on")
    if not needed:
        return f"{sentence}."
    sentence += f"; fewer than {needed[0]['n_rows']:,.0f} call for caution."
    carried = chosen(claims, "rows with the largest residuals")
    if not carried:
        return f"{sentence} Even with other rows in their place, little would be left unexplained."
    called = [names.row(row) for row in carried[0].rows]
    first = f"The first, {enumeration(called)}, account" if len(called) > 1 else f"The first, {called[0]}, accounts"
    sentence += f" {first} for {percent(carried[0]['share'])} of the sum of squared residuals."
    if chosen(claims, "long tails"):
        sentence += (
            " The tails of the predictions are so long that other tables will hold rows beyond all of these, where "
            "curves are extrapolated."
        )
    return sentence


def overfitting_words(claims: Sequence[Claim]) -> str:
    """Compare R² on the rows of the fit with that on other rows."""
    inside, outside = chosen(claims, "R²")
    sentence = f"R² is {score(inside['r2'])} on the rows of the fit and {score(outside['r2'])} on held-out rows."
    for resting in chosen(claims, "rows that R² rests on"):
        sentence += f" The latter rests on about {resting_words(resting)}."
    if chosen(claims, "worse fit"):
        sentence += (
            " A fit agrees with its own rows at least as well as with others, so the fit shown here is worse than the "
            "fits that were judged on held-out rows."
        )
    return sentence


def worse_fit_words(claims: Sequence[Claim]) -> str:
    """Advise what to rely on where the fit is worse than those that were judged."""
    return f"Rely on {r_squared(claims[0]['r2'])} at most; pass more rows, or try another random_state."


def off_data_words(claims: Sequence[Claim], names: Names) -> str:
    """Compare fits with and without recombined rows on rows of the data."""
    fits = claims[0]
    outputs = " (all outputs together)" if fits["n_outputs"] > 1 else ""
    alone, asked = (percent(max(fits[name], 0.0)) for name in ("rows_only", "asked"))
    sentence = (
        f"With the same columns, fits to rows of the data alone leave {alone} of the variance of held-out rows "
        f"unexplained{outputs}; fits to these and recombined rows leave {asked}."
    )
    if not fits.features:
        return f"{sentence} Both describe the same function."
    along = enumeration([names.features[index] for index in fits.features[:MOST_CULPRITS]])
    return f"{sentence} So the model behaves differently off the data, most of all along {along}."


def tile_words(claims: Sequence[Claim], names: Names) -> str:
    """Say what the tile of fidelity means."""
    agreement = claims[0]
    if agreement.over == "rows of the fit":
        return (
            f"On the rows of the fit the explanation reproduces {portions(agreement['r2'])[0]} of the variance of "
            f"{names.varying}. This estimator holds out no rows; on other rows it may reproduce less."
        )
    for resting in chosen(claims, "rows that R² rests on"):
        where = "listed under “Can it be trusted?”"
        return f"Rests on about {resting_words(resting)}, {where}; other rows may give another value."
    bounds = [
        f" (95% interval {percent(claim['low'])} to {percent(min(claim['high'], 1.0))})"
        for claim in chosen(claims, "R² on other rows")
    ]
    return (
        f"On rows the fit has never seen, the explanation reproduces {portions(agreement['r2'])[0]} of the variance of "
        f"{names.varying}{''.join(bounds)}."
    )


def unexplained_tile_words(claims: Sequence[Claim]) -> str:
    """Say what the tile of the unexplained share means."""
    limit = chosen(claims, "limits")[0]
    words = (
        "The part of the predictions that this explanation does not show. More than "
        f"{limit['warn']:.0%} calls for caution, more than {limit['fail']:.0%} fails."
    )
    resting = [f"Rests on about {resting_words(claim)}. " for claim in chosen(claims, "rows that R² rests on")]
    return "".join(resting) + words


def reproduced_words(claims: Sequence[Claim], names: Names) -> str:
    """Say how much the explanation reproduces, as a clause."""
    agreement = claims[0]
    seen = "on rows it has never seen" if agreement.over == "held-out rows" else "on the rows it was fitted to"
    share = portions(agreement["r2"])[0] if agreement["r2"] > 0 else "nothing"
    reproduced = f"the explanation reproduces {share} of the variance of {names.varying} {seen}"
    for resting in chosen(claims, "rows that R² rests on"):
        reproduced += f", a figure that rests on about {resting_words(resting)}"
    return reproduced


def count_words(claim: Claim, *, of_all: bool = True) -> str:
    """Say how many checks, of those that apply, have a status and, unless all passed, which."""
    count, applied = round(claim["count"]), round(claim["applied"])
    if claim.kind == "checks passed":
        return f"all {applied} checks passed" if count == applied else f"{count} of {applied} checks passed"
    verbs = {
        "checks failed": "failed",
        "checks that call for caution": "calls for caution" if count == 1 else "call for caution",
        "checks not tested": "could not be tested",
        "checks waived": "is waived" if count == 1 else "are waived",
    }
    of = f" of {applied} checks" if of_all else ""
    return f"{count}{of} {verbs[claim.kind]} ({enumeration(claim.places)})"
