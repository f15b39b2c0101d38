# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Exact numbers: how they are read and printed."""
import re
from fractions import Fraction

NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z")
INTEGER = re.compile(rb"[+-]?\d+\Z")
DIGITS = 32  # that whole numbers may have


def parse(text):
    """The number that a text is, exactly; what no double is but 0, is 0. None: it is no number, or too large."""
    if not NUMBER.match(text):
        return None
    exact = Fraction(text.decode())
    if INTEGER.match(text):
        return exact if abs(exact) < 10**DIGITS else None
    try:
        return exact if float(exact) != 0 else Fraction(0)
    except OverflowError:
        return None


def printed(value):
    """A whole number with all its digits, if they are not too many; all else as the shortest text of the nearest
    double."""
    if value.denominator == 1 and abs(value) < 10**DIGITS:
        return str(value.numerator)
    text = repr(float(value))
    text = text[:-2] if text.endswith(".0") else text
    return "0" if text == "-0" else text
