"""Sentences on waivers: which apply, which have expired, and which name nothing."""

from collections.abc import Sequence

from anova_report.measures.claims import Claim
from anova_report.measures.wording import counted, enumeration


def policy_words(tier: str, codes: Sequence[str]) -> tuple[str, ...]:
    """Say which limits were set for an audit.

    Examples
    --------
    >>> policy_words("medium", ("AR002",))
    ('This audit sets limits of its own: AR002. The table of limits gives the reasons.',)
    """
    if not codes:
        return ()
    by = "" if tier == "medium" else f", some by the tier “{tier}”"
    return (f"This audit sets limits of its own{by}: {enumeration(codes)}. The table of limits gives the reasons.",)


def waivers_words(claims: Sequence[Claim]) -> str:
    """Say what became of all waivers.

    Examples
    --------
    >>> waivers_words([Claim("waivers that apply", {"count": 1.0}, places=("2026-11-19", "AR008"))])
    'As of 2026-11-19, 1 waiver applies (AR008).'
    >>> waivers_words([Claim("waivers that apply", {"count": 0.0}, places=("2026-11-19",))])
    'As of 2026-11-19, no waiver applies.'
    """
    day, *codes = claims[0].places
    count = round(claims[0]["count"])
    how_many = counted(count, "waiver applies", "waivers apply") if count else "no waiver applies"
    said = [f"As of {day}, {how_many}{f' ({enumeration(codes)})' if codes else ''}."]
    for claim in claims[1:]:
        code, who, *until = claim.places
        match claim.kind:
            case "waiver that expired":
                said.append(f"The waiver of {code} by {who} expired on {until[0]}.")
            case "waiver of nothing":
                said.append(f"The waiver of {code} by {who} names no finding of this audit.")
            case _:
                said.append(f"The waiver of {code} by {who} is not needed: the finding calls for no action.")
    return " ".join(said)
