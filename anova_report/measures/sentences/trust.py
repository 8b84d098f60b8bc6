"""Sentences on what else a reader must know: rows, shares, overlaps, support, and columns that are no inputs."""

from collections.abc import Sequence

from anova_report.measures.claims import Claim, chosen
from anova_report.measures.sentences.names import Names
from anova_report.measures.sentences.shares import joint_share_words
from anova_report.measures.wording import cosine, counted, enumeration, percent, score

MOST_RANKS = 3  # shares that a sentence names
MOST_COLUMNS = 5  # of which cells were not read


def deviation_words(claim: Claim, names: Names) -> str:
    """Say how far the predictions vary."""
    if claim.kind == "constant predictions":
        return f"The model predicts {names.value(claim['value'])} whatever its inputs."
    return f"The standard deviation of the predictions is {names.size(claim['deviation'])}."


def enough_rows_words(claims: Sequence[Claim]) -> str:
    """Say how many rows there are for how many features, and what they are worth."""
    rows = claims[0]
    sentence = f"{rows['n_rows']:,.0f} rows for {rows['n_features']:.0f} features."
    if "n_effective" in rows.numbers:
        why = "Because of their weights" if rows.places else "Because some are copies"
        worth = counted(round(rows["n_effective"]), "row", "rows")
        sentence += f" {why}, they count as {worth} of equal weight."
    return sentence


def overlap_words(claim: Claim, names: Names) -> str:
    """Say how far an interaction overlaps with a part of it."""
    return (
        f"The deciding overlap is {cosine(claim['cosine'])} (absolute cosine of {_relation(claim, names)}); chance "
        f"alone gives up to {cosine(claim['floor'])}."
    )


def overlap_tile_words(claim: Claim, names: Names, *, tested: bool) -> str:
    """Say what the tile of the deciding overlap means, and whether it could be tested."""
    term, part = map(names.term, claim.terms)
    words = (
        f"Absolute cosine of {term} with its part {part}: 0 if terms are separate, 1 if they are the same. Chance "
        f"alone gives up to {cosine(claim['floor'])}"
    )
    return words + ("." if tested else ", so these rows do not decide it.")


def _relation(claim: Claim, names: Names) -> str:
    return " | ".join(map(names.term, claim.terms))


def leakage_words(claim: Claim, names: Names) -> str:
    """Say how much of an interaction one part of it explains."""
    chance = f"; chance alone gives up to {percent(claim['floor'])}" if "floor" in claim.numbers else ""
    term, part = map(names.term, claim.terms)
    return (
        f"On held-out rows, functions of {part} explain {percent(claim['share'])} of the variance of the interaction "
        f"{term}{chance}."
    )


def precision_words(claims: Sequence[Claim], names: Names) -> str:
    """Say which share is least precise for its size, and what may change on other rows."""
    share = claims[0]
    small = share["of"] != abs(share["share"])
    whole = f"{share['of']:.0%}, which smaller shares are held against" if small else "the share"
    sentence = (
        f"Of the estimable shares, the least precise for its size is that of {_effect(share, names)}: "
        f"{joint_share_words(share)}. Half of its interval is {percent(share['width'])} of {whole}."
    )
    for change in claims[1:]:
        match change.kind:
            case "sign may change":
                sentence += " It may be zero, or have the other sign."
            case "rank may change":
                sentence += f" Its rank may change with {enumeration(change.places, MOST_RANKS)}."
            case "rank is certain":
                sentence += " Its rank is certain, its size is not."
    return sentence


def _effect(claim: Claim, names: Names) -> str:
    """Name a term, or the features of a joint effect."""
    return names.several(claim.features) if claim.features else names.term(claim.terms[0])


def more_rows_words(claim: Claim) -> str:
    """Advise how many rows make shares precise."""
    return (
        f"Pass more rows before ranking shares (about {claim['n_rows']:,.0f} in all: intervals shrink with the root of "
        "their number)."
    )


def moving_words(claims: Sequence[Claim], names: Names) -> str:
    """Say which effects cancel or repeat each other, or that none do."""
    total, limit = chosen(claims, "sum of structural shares")[0], chosen(claims, "limits of moving together")[0]
    found = chosen(claims, "effects that move together")
    if not found:
        return (
            f"No two effects with structural shares of {limit['moving']:.0%} or more correlate beyond "
            f"{cosine(limit['alike'])}. The structural shares add up to {percent(total['sum'])}, within the limit of "
            f"{limit['cancelling']:.0%}."
        )
    strongest, joint = found[0], chosen(claims, "joint share")[0]
    sizes = (strongest["first"], strongest["second"])
    own = (
        f"{names.term(term)} (structural share {percent(size)})"
        for term, size in zip(strongest.terms, sizes, strict=True)
    )
    how, others = "against each other" if strongest["correlation"] < 0 else "together", round(strongest["n_others"])
    more = f", and so do {counted(others, 'other pair', 'other pairs')}" if others else ""
    sentence = (
        f"{' and '.join(own)} move {how} (correlation {cosine(strongest['correlation'])}){more}; together, "
        f"{names.several(joint.features)} carry {joint_share_words(joint)} of the variance."
    )
    if abs(strongest["correlation"]) > limit["alike"]:
        return sentence
    taken = f"The structural shares of all terms add up to {percent(total['sum'])}: effects cancel each other in part."
    return f"{sentence} {taken}"


def outside_words(claims: Sequence[Claim], names: Names) -> str:
    """Say how many rows lie outside of what the fit has seen of a feature, and in all."""
    most = claims[0]
    if not most["n_outside"]:
        sentence = "All rows lie within the values that the fit has seen of each feature."
    else:
        sentence = (
            f"{percent(most['n_outside'] / most['n_rows'])} of the rows lie outside the values of "
            f"{names.features[most.features[0]]} in the fit, more than for any other feature."
        )
    for beyond in chosen(claims, "rows beyond the fit"):
        count = round(beyond["n_beyond"])
        left = count - len(beyond.rows)
        called = [*map(names.row, beyond.rows), *([f"{left:,} more"] if left else [])]
        counting = " (rows are counted from 0)" if names.rows is None else ""
        sentence += (
            f" {count:,} of {counted(round(beyond['n_rows']), 'row', 'rows')} {'lies' if count == 1 else 'lie'} beyond "
            f"what the fit has seen, where effects are extrapolated: {beyond.places[0]}. "
            f"{'This is' if count == 1 else 'These are'} {enumeration(called)}{counting}."
        )
    return sentence


def unseen_combinations_words(claim: Claim, names: Names) -> str:
    """Say how many rows combine values as no row of the fit does."""
    if not claim["share"]:
        return "All rows combine values of two features as rows of the fit do."
    return (
        f"{percent(claim['share'])} of the rows combine values as no row of the fit does, most often those of "
        f"{names.term(claim.features)}; among new rows like those of the fit it would be about "
        f"{percent(claim['chance'])}."
    )


def unread_words(claims: Sequence[Claim]) -> str:
    """Say which cells were left out, or taken for something else."""
    if not claims:
        return "No cell with information was left out or misread."
    if claims[0].kind == "most cells that were not read":
        share = percent(claims[0]["share"])
        return f"At most {share} of the cells of a column were left out or misread."
    named = [f"{percent(claim['share'])} of {claim.places[0]!r} ({claim.places[1]})" for claim in claims]
    left = len(named) - MOST_COLUMNS
    more = f", and of {counted(left, 'other column', 'other columns')}" if left > 0 else ""
    return f"Cells were left out or misread: {enumeration(named[:MOST_COLUMNS])}{more}."


def truth_words(claim: Claim, names: Names) -> str:
    """Say which columns may be the truth."""
    named = enumeration([repr(names.features[index]) for index in claim.features])
    return (
        f"{named} may be the target that the model predicts: it relates to the predictions as a target would "
        f"(correlation {score(claim['correlation'])}), and the other features determine the predictions without it."
    )


def numbering_words(claim: Claim, names: Names) -> str:
    """Say which columns number the rows."""
    named = enumeration([repr(names.features[index]) for index in claim.features])
    verb = "numbers" if len(claim.features) == 1 else "number"
    return f"{named} {verb} the rows: a different whole number in each of {claim['n_rows']:,.0f}."


def overlap_caption(claims: Sequence[Claim], names: Names) -> str:
    """Say how many cells of a matrix are beyond chance and limit, and which overlap decides."""
    cells = claims[0]
    where = "held-out rows" if cells.over == "held-out rows" else "the rows of the fit"
    found = chosen(claims, "overlap")
    if not found:
        return f"No interaction has a structural share of {cells['least']:.0%} or more, so no overlap counts."
    worst, beyond = found[0], round(cells["n_beyond"])
    chance = "beyond" if worst["cosine"] > worst["floor"] else "within"
    exceed = counted(beyond, "cell shows", "cells show") if beyond else "no cell shows"
    return (
        f"On {where}, {exceed} an overlap beyond both chance and the limit of {cells['limit']:g}. The deciding "
        f"overlap is {cosine(worst['cosine'])} (absolute cosine of {_relation(worst, names)}), {chance} chance, which "
        f"alone gives up to {cosine(worst['floor'])}."
    )
