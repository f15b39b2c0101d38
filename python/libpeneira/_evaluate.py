# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Formulas as NumPy computes them, with the types of C++."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._arrays import Array
from ._formula import Term, least, limits

_CALLS: dict[str, Any] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor,
    "==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
    "fmod": np.fmod, "!": np.logical_not, "~": np.invert, "abs": np.abs, "ceil": np.ceil, "exp": np.exp,
    "floor": np.floor, "log": np.log, "log2": np.log2, "sqrt": np.sqrt, "trunc": np.trunc,
    "min": lambda a, b: np.where(b < a, b, a), "max": lambda a, b: np.where(a < b, b, a)}


def value(formula: Term, keys: Array) -> Array:
    """What a formula is of each item. Raises ZeroDivisionError where integers are divided by 0."""
    x = keys.view(np.uint8) if keys.dtype.kind == "b" else keys
    with np.errstate(all="ignore"):
        return np.broadcast_to(_value(formula, x, np.True_), keys.shape)


def bins(formula: Term, keys: Array) -> Array:
    """The bin of every item; 2**32 - 1 where it would be none."""
    found = value(formula, keys)
    with np.errstate(all="ignore"):
        if found.dtype.kind == "f":
            good = (found > -1) & (found < 4294967295.0)
        else:
            good = (found >= 0) & (found.astype(np.uint64) <= 0xFFFFFFFE)
        return np.where(good, np.where(good, found, 0).astype(np.uint32), np.uint32(0xFFFFFFFF))


def _value(term: Term, x: Array, live: Any) -> Any:
    """A term of every item. `live` are those that C++ would compute it of: what is not chosen may divide by 0."""
    what = term.what
    if what == "x":
        return x
    if what == "number":
        return np.asarray(term.value, np.bool_ if term.kind == "b1" else term.kind)
    first = _value(term.parts[0], x, live)
    if what == "?":
        return np.where(first, _value(term.parts[1], x, live & first), _value(term.parts[2], x, live & ~first))
    if what == "&&":
        return first & _value(term.parts[1], x, live & first)
    if what == "||":
        return first | _value(term.parts[1], x, live & ~first)
    if what == "cast":
        return _cast(first, term.kind)
    if what == "bool":
        return first != 0
    if len(term.parts) == 1:
        return np.negative(first) if what == "-" else _CALLS[what](first)
    second = _value(term.parts[1], x, live)
    if what in ("<<", ">>"):
        return _shifted(first, second, what == "<<")
    if what in ("/", "%"):
        return _divided(first, second, live, what)
    return _CALLS[what](first, second)


def _cast(a: Any, kind: str) -> Any:
    if a.dtype.kind != "f" or kind[0] == "f":
        return a.astype(kind)
    below, above = limits(kind)
    wide = a.astype(np.float64)
    fits = (wide > below) & (wide < above)
    return np.where(fits, np.where(fits, wide, 0).astype(kind), np.asarray(least(kind), kind))


def _shifted(a: Any, by: Any, up: bool) -> Any:
    """Shifts, of all bits where C++ does not say what comes out."""
    bits = 8 * a.dtype.itemsize
    fits = (by >= 0) & (by < bits)
    within = np.where(fits, by, 0).astype(a.dtype)
    if up:
        return np.where(fits, np.left_shift(a, within), np.asarray(0, a.dtype))
    gone = np.where(a < 0, np.asarray(-1, np.int64), np.asarray(0, np.int64)).astype(a.dtype)
    return np.where(fits, np.right_shift(a, within), gone)


def _divided(a: Any, b: Any, live: Any, what: str) -> Any:
    """Quotients towards 0, and remainders with the sign of the dividend."""
    if a.dtype.kind == "f":
        return np.divide(a, b)
    none = b == 0
    if np.any(none & live):
        raise ZeroDivisionError
    b = np.where(none, np.asarray(1, b.dtype), b)
    rest = np.fmod(a, b)
    return rest if what == "%" else (a - rest) // b
