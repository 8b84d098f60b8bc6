"""Sentences and numbers that both the audit and its page use; nothing here computes."""

from math import inf

from anova_report.measures.status import is_expected
from anova_report.measures.wording import cosine, counted, number, percent, portions

UNKNOWN = "–"


def measured(code: str, value: float | None, title: str = "", limit: float | None = None) -> str:
    """Write the value or the limit of a finding as its kind of number.

    Of an expectation the title says of which kind it is, and of effects that move together the limit that decides.

    Examples
    --------
    >>> measured("AR002", 0.0423), measured("AR004", 0.05), measured("AR005", None)
    ('4.2%', '0.050', '–')
    >>> measured("AR008", 0.751, limit=1.5), measured("AR008", 0.751, limit=0.7)
    ('75.1%', '0.751')
    """
    if value is None or value == inf:  # a limit that is never passed
        return UNKNOWN
    if is_expected(code):
        form = title.rpartition(":")[2]
        of_variance = "%" in form or ("no " in form and "above" not in form)
        return percent(value) if of_variance else number(value)
    if code in ("AR001", "AR007", "AR014", "AR201"):
        return number(value)
    if code == "AR012":
        return counted(round(1 / value), "row", "rows") if value else UNKNOWN
    if code == "AR002":
        return portions(1 - value)[1]
    # Either a correlation decides or a sum of shares, and only the limit of that lies beyond 1.
    is_correlation = code == "AR008" and (value if limit is None else limit) <= 1
    return cosine(value) if code == "AR004" or is_correlation else percent(value)


def duration(seconds: float) -> str:
    """Write how long something took.

    Examples
    --------
    >>> duration(0.032), duration(4.51), duration(125.0)
    ('0.03 s', '4.5 s', '2 min 5 s')
    """
    if seconds < 59.95:
        return f"{seconds:.2f} s" if seconds < 0.995 else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"
