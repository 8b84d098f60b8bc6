"""Every kind of number in words: what a reader would write, at the edges above all."""

import re

import pytest

from anova_report.measures.wording import cosine, number, percent, score, signed


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (5.0, "5"),
        (1.2, "1.2"),
        (3.14159, "3.14"),
        (-3.14159, "−3.14"),
        (99.96, "100"),
        (100.4, "100"),
        (2011.0, "2,011"),
        (-20640.7, "−20,641"),
        (9_999_999.4, "9,999,999"),
        (0.012345, "0.0123"),
        (0.0001, "0.0001"),
        (1e7, "1e7"),
        (-2.5e12, "−2.5e12"),
        (9.99e-5, "9.99e−5"),
        (1e-300, "1e−300"),
    ],
)
def test_numbers_have_three_digits_separators_and_a_proper_minus(value, written):
    assert number(value) == written


@pytest.mark.parametrize("exponent", range(-12, 13))
def test_a_number_can_be_read_back_to_three_digits(exponent):
    value = -4.5678 * 10.0**exponent
    read = float(number(value).replace("−", "-").replace(",", ""))
    assert read == pytest.approx(value, rel=2e-3)


def test_signed_numbers_show_gains_and_losses_and_nothing_for_zero():
    assert [signed(value) for value in (0.25, -0.25, 0.0, 1234.0)] == ["+0.25", "−0.25", "0", "+1,234"]


@pytest.mark.parametrize(
    ("share", "written"),
    [
        (0.5, "50.0%"),
        (1.0, "100%"),
        (0.99996, "> 99.9%"),
        (0.001, "0.1%"),
        (0.00099, "< 0.1%"),
        (-1e-9, "about 0%"),
        (-0.25, "−25.0%"),
    ],
)
def test_shares_are_written_with_one_decimal_and_never_vanish(share, written):
    assert percent(share) == written


@pytest.mark.parametrize("write", [number, signed, percent, score, cosine])
def test_no_format_uses_the_hyphen_as_a_minus(write):
    assert not re.search("-", write(-0.12345))
