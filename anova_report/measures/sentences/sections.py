"""Lines to which sections of a page are folded, and what stands beside the names of effects."""

from collections.abc import Sequence

from anova_report.measures.claims import Claim, chosen
from anova_report.measures.sentences.names import Names
from anova_report.measures.sentences.shares import joint_share_words
from anova_report.measures.wording import cosine, counted, percent


def carried_words(claim: Claim) -> str:
    """Write the structural share of a term and its total one, which are the same where nothing moves with it.

    Examples
    --------
    >>> [
    ...     carried_words(Claim("carried shares", {"structural": 0.123, "total": total}))
    ...     for total in (0.1232, -0.115)
    ... ]
    ['12.3% of the variance', 'structural 12.3%, total −11.5%']
    """
    own, whole = percent(claim["structural"]), percent(claim["total"])
    return f"{own} of the variance" if own == whole else f"structural {own}, total {whole}"


def sum_words(claim: Claim) -> str:
    """Say what the shares of some terms add up to."""
    return f"structural shares add up to {percent(claim['structural'])}, totals to {percent(claim['total'])}"


def table_words(claim: Claim) -> str:
    """Say how large a table is.

    Examples
    --------
    >>> table_words(Claim("size of the table", {"n_rows": 2000, "n_features": 8, "n_missing": 1}))
    '2,000 rows, 8 features, 1 with missing values'
    """
    rows, features = round(claim["n_rows"]), counted(round(claim["n_features"]), "feature", "features")
    missing = f", {claim['n_missing']:,.0f} with missing values" if claim["n_missing"] else ""
    return f"{counted(rows, 'row', 'rows')}, {features}{missing}"


def features_words(claim: Claim) -> str:
    """Say how many features carry enough."""
    every = counted(round(claim["n_all"]), "feature", "features")
    return f"{claim['n_carrying']:,.0f} of {every} carry {claim['least']:.0%} or more of the variance"


def terms_words(claim: Claim) -> str:
    """Say how many of the terms of a kind carry enough; of an older document, how many at least."""
    if not claim["n_all"]:
        return "None was found"
    least = "At least " if "at least" in claim.places else ""
    return (
        f"{least}{claim['n_carrying']:,.0f} of {claim['n_all']:,.0f} carry {claim['least']:.0%} or more of the variance"
    )


def joints_words(claims: Sequence[Claim]) -> str:
    """Say how many groups of features are read together, and what the first carries."""
    groups = counted(round(claims[0]["n_groups"]), "group of features is", "groups of features are")
    first = "".join(f": {joint_share_words(claim)} of the variance" for claim in chosen(claims, "joint share"))
    return f"{groups} to be read together{first}"


def methods_words(claim: Claim) -> str:
    """Say how many other methods are compared."""
    return f"{counted(round(claim['n_methods']), 'method', 'methods')} compared with this one"


def agreement_words(claim: Claim, feature: str) -> str:
    """Say how closely another method agrees at least, and for which feature."""
    names = f"features with at least {percent(claim['least'])} of the variance"
    return f"Among {names} the correlation is at least {cosine(claim['correlation'])} ({feature})."


def farthest_words(claim: Claim, names: Names) -> str:
    """Say where a method lies farthest from ours.

    Examples
    --------
    >>> claim = Claim("farthest from a method", {"distance": 0.25, "size": 1.5}, features=(0,))
    >>> farthest_words(claim, Names(("age",)))
    'age: 0.25 apart, of a size of 1.5'
    """
    apart, size = (names.bound(claim[name]) for name in ("distance", "size"))
    return f"{names.features[claim.features[0]]}: {apart} apart, of a size of {size}"


def ground_words(claim: Claim, names: Names, *, recombines: bool) -> str:
    """Say what these rows tell about why a method differs there.

    Examples
    --------
    >>> claim = Claim("features that go together", {"correlation": 0.82}, features=(0, 1))
    >>> ground_words(claim, Names(("age", "tenure")), recombines=True)
    'age goes with tenure (rank correlation 0.820), and the method asks about values that do not occur together'
    """
    match claim.kind:
        case "features that go together":
            one, other = (names.features[index] for index in claim.features)
            goes = f"{one} goes with {other} (rank correlation {cosine(claim['correlation'])})"
            asks = "asks about values that do not occur together" if recombines else "lets one stand for the other"
            return f"{goes}, and the method {asks}"
        case "interactions of a feature":
            name = names.features[claim.features[0]]
            share = percent(claim["share"])
            return f"interactions with {name} carry {share} of the variance, and each divides them its way"
        case _:
            return f"what the explanation leaves unexplained ({percent(claim['share'])}), and errors of both"


def cases_words(claim: Claim) -> str:
    """Say how many rows are explained one by one."""
    return f"{counted(round(claim['n_cases']), 'row', 'rows')} explained one by one"


def passed_words(claims: Sequence[Claim]) -> str:
    """Say how many of the checks that apply passed, and how many could not be tested."""
    passed = claims[0]
    untested = chosen(claims, "checks not tested")
    rest = "".join(f", {claim['count']:.0f} could not be tested" for claim in untested)
    rest += "".join(f", {claim['count']:.0f} waived" for claim in chosen(claims, "checks waived"))
    return f"{passed['count']:.0f} of {counted(round(passed['applied']), 'check', 'checks')} passed{rest}"
