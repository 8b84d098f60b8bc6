"""One way to write each kind of number, wherever it is shown."""

import math
from collections.abc import Sequence

SMALLEST_PERCENT = 0.001  # what still reads as a number with one decimal
ROUNDING = 1e-12  # what a sum that is 1 may lack
SMALLEST_PLAIN, LARGEST_PLAIN = 1e-4, 1e7  # beyond these a number is written with an exponent


def percent(share: float) -> str:
    """Write a share; a small real effect never reads as nothing, and what lacks a little never as all.

    Examples
    --------
    >>> [percent(share) for share in (0.1234, 0.0004, -0.0004, -0.021, 0.0, 0.99996, 1.0)]
    ['12.3%', '< 0.1%', 'about 0%', '−2.1%', '0%', '> 99.9%', '100%']
    """
    if share == 0 or abs(share - 1) < ROUNDING:
        return f"{share:.0%}"
    if abs(share) < SMALLEST_PERCENT:
        return "< 0.1%" if share > 0 else "about 0%"
    return "> 99.9%" if 0.9995 <= share < 1 else f"{100 * share:.1f}%".replace("-", "−")


def portions(share: float) -> tuple[str, str]:
    """Write a share and what it leaves of a whole, so that the two printed numbers add up.

    Examples
    --------
    >>> portions(0.9965), portions(0.99996)
    (('99.7%', '0.3%'), ('more than 99.9%', 'less than 0.1%'))
    """
    shown = share if share >= 0.9995 else round(share, 3)
    kept, left = (percent(part).replace("< ", "less than ").replace("> ", "more than ") for part in (shown, 1 - shown))
    return kept, left


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
    ('0.051', 'about 0', '0')
    """
    if abs(value) < 1e-9:
        return "0"
    if abs(value) < 0.0005:
        return "< 0.001" if value > 0 else "about 0"
    return f"{value:.3f}".replace("-", "−")


def number(value: float) -> str:
    """Write a number with at least three significant digits; whole digits are never rounded away.

    Examples
    --------
    >>> [number(value) for value in (0.0, 1.23456, -0.5, 20640.4, 0.00012345)]
    ['0', '1.23', '−0.5', '20,640', '0.000123']
    >>> number(1.5e9), number(-0.0000421)
    ('1.5e9', '−4.21e−5')
    """
    size = abs(value)
    if not math.isfinite(value) or size == 0:
        written = f"{size if size == 0 else value:g}"
    elif size >= LARGEST_PLAIN or size < SMALLEST_PLAIN:
        digits, exponent = f"{value:.2e}".split("e")
        written = f"{float(digits):g}e{int(exponent)}"
    else:
        written = f"{value:,.0f}" if size >= 100 else f"{value:.3g}"
    return written.replace("-", "−")


def signed(value: float) -> str:
    """Write an effect: as `number`, with a sign in front of gains, too.

    Examples
    --------
    >>> signed(1.5), signed(-1.5), signed(0.0)
    ('+1.5', '−1.5', '0')
    """
    return f"+{number(value)}" if value > 0 else number(value)


def factor(value: float) -> str:
    """Write an effect on a logarithm as the factor it is, with digits enough to show that it is not 1.

    Examples
    --------
    >>> [factor(value) for value in (0.2776, -0.2776, 0.0, 0.004, 2.5, -7.0)]
    ['× 1.32', '× 0.76', '× 1', '× 1.004', '× 12.2', '× 0.000912']
    """
    times = exponential(value)
    change = abs(times - 1)
    if not 1e-6 < change < 0.9:
        return f"× {number(times)}"
    decimals = max(2, 1 - math.floor(math.log10(change)))
    return f"× {f'{times:.{decimals}f}'.rstrip('0').rstrip('.')}"


def factor_words(value: float) -> str:
    """Write an effect on a logarithm as a factor and, where that is easier to read than a factor alone, in percent.

    Examples
    --------
    >>> factor_words(0.2776), factor_words(-0.2776), factor_words(0.004), factor_words(2.5)
    ('× 1.32 (+32%)', '× 0.76 (−24%)', '× 1.004 (+0.4%)', '× 12.2')
    """
    change = 100 * (exponential(value) - 1)
    if not 0.005 <= abs(change) < 200 or change < -99:
        return factor(value)
    return f"{factor(value)} ({f'{change:+.0f}' if abs(change) >= 10 else f'{change:+.2g}'}%)".replace("-", "−")


def exponential(value: float) -> float:
    """Return what a number is the logarithm of; beyond all floats, the largest.

    Examples
    --------
    >>> exponential(0.0), exponential(1e9) < math.inf
    (1.0, True)
    """
    return math.exp(min(value, 709.0))


def counted(count: int, one: str, several: str) -> str:
    """Write a count with its noun.

    Examples
    --------
    >>> counted(1, "check", "checks"), counted(2048, "row", "rows")
    ('1 check', '2,048 rows')
    """
    return f"{count:,} {one if count == 1 else several}"


def enumeration(items: Sequence[str], most: int | None = None) -> str:
    """Join words as one speaks, and count those beyond the first few.

    Examples
    --------
    >>> enumeration(["age"]), enumeration(["age", "sex"]), enumeration(["age", "sex", "bmi", "bp"], most=2)
    ('age', 'age and sex', 'age, sex and 2 more')
    """
    shown = list(items[:most])
    if len(items) > len(shown):
        shown.append(f"{len(items) - len(shown)} more")
    *others, last = shown or [""]
    return f"{', '.join(others)} and {last}" if others else last
