# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Exact numbers and how they are printed."""
import re
from fractions import Fraction

NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z")
INTEGER = re.compile(rb"[+-]?\d+\Z")
LARGEST = Fraction(float.fromhex("0x1.fffffffffffffp1023"))


def shortest(value):
    """The shortest text of a double; of a whole one below 2^100 all digits."""
    if value == 0:
        return "0"
    if value == int(value) and abs(value) < 2.0**100:
        return str(int(value))
    text = repr(value)
    return text[:-2] if text.endswith(".0") else text


def is_sum(text, exact, error):
    """Whether a text is a number that was known with an error of at most that, rounded to a double and printed; or,
    where it is whole and too large for a double, all its digits."""
    if INTEGER.match(text) and abs(int(text)) >= 2**53:
        return abs(int(text) - exact) <= error + Fraction(1, 2) or text.decode() == shortest(float(exact))
    try:
        value = float(text)
    except ValueError:
        return False
    return float(exact - error) <= value <= float(exact + error) and text.decode() == shortest(value)
