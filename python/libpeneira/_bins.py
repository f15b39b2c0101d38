# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Bin functions: what a multisplit can partition by without being told the bin of every item."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _arrays
from ._arrays import Array, Integer

_MOST_BINS = 2**32 - 1


def bin_count(call: str, bins: Any, name: str = "bins") -> int:
    """A number of bins that the library can count."""
    count = _arrays.integer(call, name, bins)
    if not 1 <= count <= _MOST_BINS:
        raise ValueError(f"{call}: {name} is {count}, but must be from 1 to {_MOST_BINS}")
    return count


def is_number(dtype: np.dtype[Any]) -> bool:
    """Whether bin functions take keys of a type."""
    return dtype.kind in "iufb" and dtype.itemsize <= 8 and dtype != np.float16 and dtype.isnative


class BinFunction:
    """What `ranges`, `hashed`, `digit` and `splitters` make."""

    __slots__ = ("bins", "kind", "shift")

    def __init__(self, kind: str, bins: int, shift: int = 0) -> None:
        self.kind = kind
        self.bins = bins
        self.shift = shift

    def require_bins(self, call: str, bins: Any) -> None:
        """Refuses a number of bins that is given, too, and is another."""
        if bins is not None and bin_count(call, bins) != self.bins:
            raise ValueError(f"{call}: bins is {bins}, but by has {self.bins}")

    def table(self, keys: Array) -> Array | None:
        """The numbers that keys are compared with, of their type."""
        return None

    def __repr__(self) -> str:
        return f"<libpeneira.{self.kind}: {self.bins} bins>"


class _Ranges(BinFunction):
    __slots__ = ("hi", "lo")

    def __init__(self, bins: int, lo: Any, hi: Any) -> None:
        super().__init__("ranges", bins)
        self.lo = lo
        self.hi = hi

    def table(self, keys: Array) -> Array:
        lo, hi = _bound(keys, "lo", self.lo), _bound(keys, "hi", self.hi)
        if not (lo < hi if keys.dtype.kind == "f" else lo <= hi):
            raise ValueError(f"ranges: hi is {self.hi!r}, but must be above lo, {self.lo!r}, as {keys.dtype}")
        return np.array([lo, hi], keys.dtype)


class _Splitters(BinFunction):
    __slots__ = ("borders",)

    def __init__(self, borders: Array) -> None:
        super().__init__("splitters", bin_count("splitters", borders.size + 1))
        self.borders = borders

    def table(self, keys: Array) -> Array:
        if self.borders.dtype != keys.dtype:
            raise TypeError(f"splitters: borders have dtype {self.borders.dtype}, but x has {keys.dtype}")
        return self.borders


def _bound(keys: Array, name: str, bound: Any) -> Any:
    """lo or hi, in the type of the keys."""
    if keys.dtype.kind == "f":
        try:
            number = float(bound)
        except (TypeError, ValueError, OverflowError):
            raise TypeError(f"ranges: {name} is {bound!r}, but must be a number") from None
        with np.errstate(over="ignore"):
            number = keys.dtype.type(number)
        if not np.isfinite(number):
            raise ValueError(f"ranges: {name} is {bound!r}, but must be finite as {keys.dtype}")
        return number
    number = _arrays.integer("ranges", name, bound)
    limits = (0, 1) if keys.dtype.kind == "b" else (np.iinfo(keys.dtype).min, np.iinfo(keys.dtype).max)
    if not limits[0] <= number <= limits[1]:
        raise ValueError(f"ranges: {name} is {number}, which no item of dtype {keys.dtype} can be")
    return number


def ranges(bins: Integer, lo: Any, hi: Any) -> BinFunction:
    """Equal ranges of keys. Integers from `lo` to `hi`, both included; floats from `lo` to below `hi`.

    Keys below `lo` are in the first bin, and those above, and NaN, in the last.

    >>> import numpy as np, libpeneira as pn
    >>> pn.multisplit(np.array([31, 5, 77, 12]), pn.ranges(4, 0, 99))
    (array([ 5, 12, 31, 77]), array([0, 2, 3, 3, 4]))
    """
    return _Ranges(bin_count("ranges", bins), lo, hi)


def hashed(bins: Integer) -> BinFunction:
    """Equal keys to equal bins, different keys spread evenly; the same on every run and machine of one byte order."""
    return BinFunction("hashed", bin_count("hashed", bins))


def digit(shift: Integer, bits: Integer) -> BinFunction:
    """`bits` bits, 1 to 31, of a key from bit `shift` on: a digit of a radix sort.

    >>> import numpy as np, libpeneira as pn
    >>> pn.multisplit(np.array([4, 3, 2, 1], np.uint8), pn.digit(0, 1))
    (array([4, 2, 3, 1], dtype=uint8), array([0, 2, 4]))
    """
    first, count = _arrays.integer("digit", "shift", shift), _arrays.integer("digit", "bits", bits)
    if not 0 <= first <= 63:
        raise ValueError(f"digit: shift is {first}, but must be from 0 to 63")
    if not 1 <= count <= 31:
        raise ValueError(f"digit: bits is {count}, but must be from 1 to 31")
    return BinFunction("digit", 1 << count, first)


def splitters(borders: Array) -> BinFunction:
    """Bins between ascending borders, of the keys' type: a key's bin is the number of borders that are not above it.

    >>> import numpy as np, libpeneira as pn
    >>> pn.multisplit(np.array([70, 14, 5, 13]), pn.splitters(np.array([13, 20, 64])))
    (array([ 5, 14, 13, 70]), array([0, 1, 3, 3, 4]))
    """
    table = _arrays.given("splitters", "borders", borders).copy()
    if not is_number(table.dtype):
        raise _arrays.wrong_type("splitters", "borders", table, "integers, bool, float32 or float64")
    falls = np.flatnonzero(~(table[:-1] <= table[1:]))
    if falls.size:
        at = int(falls[0])
        raise ValueError(f"splitters: borders must ascend, but {table[at + 1]} follows {table[at]} at {at + 1}")
    return _Splitters(table)
