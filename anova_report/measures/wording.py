"""One way to write each kind of number, wherever it is shown."""

SMALLEST_PERCENT = 0.001  # what still reads as a number with one decimal


def percent(share: float) -> str:
    """Write a share; a small real effect never reads as nothing.

    Examples
    --------
    >>> [percent(share) for share in (0.1234, 0.0004, -0.0004, -0.021, 0.0)]
    ['12.3%', '< 0.1%', '> −0.1%', '−2.1%', '0%']
    """
    if share == 0:
        return "0%"
    if abs(share) < SMALLEST_PERCENT:
        return "< 0.1%" if share > 0 else "> −0.1%"
    return f"{100 * share:.1f}%".replace("-", "−")


def score(value: float) -> str:
    """Write R² with three digits, cut rather than rounded up to a perfect 1.

    Examples
    --------
    >>> score(0.93251), score(0.99997), score(1.0)
    ('0.933', '> 0.999', '1.000')
    """
    return "> 0.999" if 0.9995 <= value < 1 - 1e-12 else f"{value:.3f}".replace("-", "−")


def cosine(value: float) -> str:
    """Write a cosine; what is zero up to rounding reads as 0.

    Examples
    --------
    >>> cosine(0.0512), cosine(-0.0003), cosine(2e-16)
    ('0.051', '> −0.001', '0')
    """
    if abs(value) < 1e-9:
        return "0"
    if abs(value) < 0.0005:
        return "< 0.001" if value > 0 else "> −0.001"
    return f"{value:.3f}".replace("-", "−")
