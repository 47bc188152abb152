"""Numbers rounded to what their uncertainty leaves of them."""

from __future__ import annotations

from decimal import Decimal, localcontext

DIGITS = 2
"""Significant digits of an uncertainty."""


def rounded(value: float, sigma: float) -> tuple[Decimal, Decimal]:
    """A value and its standard deviation to two significant digits of the latter (half to even).

    Parameters
    ----------
    value : float
        Finite.
    sigma : float
        Finite and above zero.

    Examples
    --------
    >>> rounded(1.23456, 0.0123)
    (Decimal('1.235'), Decimal('0.012'))
    >>> rounded(0.5, 0.0996)
    (Decimal('0.50'), Decimal('0.10'))
    >>> [f"{x:f}" for x in rounded(12345.0, 678.0)]
    ['12340', '680']
    """
    with localcontext(prec=700):  # of every pair of floats
        return _rounded(Decimal(repr(float(value))), Decimal(repr(float(sigma))))


def _rounded(number: Decimal, spread: Decimal) -> tuple[Decimal, Decimal]:
    place = spread.adjusted() - DIGITS + 1
    short = spread.quantize(Decimal(1).scaleb(place))
    if short.adjusted() > spread.adjusted():  # 0.0996 became 0.100
        place += 1
        short = spread.quantize(Decimal(1).scaleb(place))
    return number.quantize(Decimal(1).scaleb(place)), short


def plus_minus(value: float, sigma: float) -> str:
    r"""LaTeX (in math mode) of a value with its standard deviation, with a power of ten where plain digits would be many.

    Examples
    --------
    >>> print(plus_minus(-1.23456, 0.0123))
    -1.235 \pm 0.012
    >>> print(plus_minus(1.23456e-6, 1.2e-8))
    (1.235 \pm 0.012) \times 10^{-6}
    """
    number, spread = rounded(value, sigma)
    top = max(number.adjusted() if number else -99, spread.adjusted())
    if -4 <= top < 5 and int(spread.as_tuple().exponent) <= 0:
        return rf"{number:f} \pm {spread:f}"
    return rf"({number.scaleb(-top):f} \pm {spread.scaleb(-top):f}) \times 10^{{{top}}}"


def in_brackets(value: float, sigma: float) -> str:
    r"""The same for the package siunitx: ``\num{1.235(12)}``.

    Examples
    --------
    >>> print(in_brackets(-1.23456, 0.0123))
    \num{-1.235(12)}
    >>> print(in_brackets(1.23456e-6, 1.2e-8))
    \num{1.235(12)e-6}
    """
    number, spread = rounded(value, sigma)
    top = max(number.adjusted() if number else -99, spread.adjusted())
    plain = -4 <= top < 5 and int(spread.as_tuple().exponent) <= 0
    mantissa = number if plain else number.scaleb(-top)
    digits = "".join(map(str, spread.as_tuple().digits))
    return rf"\num{{{mantissa:f}({digits}){'' if plain else f'e{top}'}}}"
