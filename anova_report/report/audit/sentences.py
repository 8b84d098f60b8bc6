"""Sentences and numbers that both the audit and its page use; nothing here computes."""

from math import inf

from anova_report.measures.wording import cosine, counted, number, percent, portions

UNKNOWN = "–"
SCALES = {
    "identity": "Effects are in the unit of the predictions themselves.",
    "logit": (
        "Predictions are log-odds: 0 is as likely as not, and each +0.69 doubles the odds. An effect of +1 multiplies "
        "the odds by 2.7, whatever they are."
    ),
    "probability": "Predictions are probabilities between 0 and 1: an effect of +0.1 is ten percentage points.",
    "margin": "Predictions are the classifier's decision function: above 0 it decides for the class.",
}


def scale_words(scale: str) -> str:
    """Say what one unit of a prediction means."""
    return SCALES.get(scale, f"Predictions are on the scale “{scale}”.")


def measured(code: str, value: float | None) -> str:
    """Write the value or the limit of a finding as its kind of number.

    Examples
    --------
    >>> measured("AR002", 0.0423), measured("AR004", 0.05), measured("AR005", None)
    ('4.2%', '0.050', '–')
    """
    if value is None or value == inf:  # a limit that is never passed
        return UNKNOWN
    if code in ("AR001", "AR007", "AR014"):
        return number(value)
    if code == "AR012":
        return counted(round(1 / value), "row", "rows") if value else UNKNOWN
    if code == "AR002":
        return portions(1 - value)[1]
    # Of effects that move together either a correlation decides or a sum of shares, which lies beyond 1.
    return cosine(value) if code == "AR004" or (code == "AR008" and value <= 1) else percent(value)


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
