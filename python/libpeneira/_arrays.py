# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""What every call asks of its arguments, in errors that name the call, the argument and the value.

The compiled half trusts what has passed here: arrays of one dimension, contiguous, aligned, of a type that it knows.
"""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

from . import _cpu

Array = np.ndarray[Any, Any]

_TYPES = {np.dtype(name): code for name, code in _cpu.types.items() if name != "time"}
_TIME = _cpu.types["time"]
_RAW_TIME = np.dtype(np.int64)
_WORDS = {4: np.dtype(np.uint32), 8: np.dtype(np.uint64)}
_POSITIONS = (np.dtype(np.uint32), np.dtype(np.uint64), np.dtype(np.int64))
_MOST_THREADS = 1024


def given(call: str, name: str, x: Any) -> Array:
    """An array that a call reads: itself, or a contiguous copy of it."""
    if type(x) is not np.ndarray:
        if not isinstance(x, np.ndarray):
            raise TypeError(f"{call}: {name} is of type {type(x).__name__}, but must be a NumPy array")
        if isinstance(x, np.ma.MaskedArray):
            raise TypeError(f"{call}: {name} is a masked array, whose mask would be lost; give {name}.compressed()")
    if x.ndim != 1:
        raise ValueError(f"{call}: {name} has {x.ndim} dimensions, but must have one")
    flags = x.flags
    if flags.c_contiguous and flags.aligned:
        return x
    return np.array(x, order="C", subok=False)


def type_code(call: str, name: str, x: Array) -> int:
    """The code of an array's type, where its items have an order."""
    code = _TYPES.get(x.dtype)
    if code is not None:
        return code
    if x.dtype.kind in "mM" and x.dtype.isnative:
        return _TIME
    raise wrong_type(call, name, x, "integers, bool, float16, float32, float64, datetime64 or timedelta64")


def wrong_type(call: str, name: str, x: Array, right: str) -> TypeError:
    """What to raise for an array of a type that a call does not take."""
    if not x.dtype.isnative:
        return TypeError(f"{call}: {name} has dtype {x.dtype}, not in this machine's order of bytes; "
                         f"{name}.astype({name}.dtype.newbyteorder('=')) is")
    return TypeError(f"{call}: {name} has dtype {x.dtype}, but must have {right}")


def writable(call: str, name: str, out: Any, dtypes: tuple[np.dtype[Any], ...], size: int) -> Array:
    """An array that a call writes `size` items to, of one of some types."""
    if not isinstance(out, np.ndarray):
        raise TypeError(f"{call}: {name} is of type {type(out).__name__}, but must be a NumPy array")
    if out.dtype not in dtypes:
        raise TypeError(f"{call}: {name} has dtype {out.dtype}, but must have {' or '.join(map(str, dtypes))}")
    if out.ndim != 1:
        raise ValueError(f"{call}: {name} has {out.ndim} dimensions, but must have one")
    if out.size != size:
        raise ValueError(f"{call}: {name} has {out.size} items, but must have {size}")
    flags = out.flags
    if not flags.c_contiguous:
        raise ValueError(f"{call}: {name} is not contiguous: its strides are {out.strides}")
    if not flags.aligned:
        raise ValueError(f"{call}: {name} is not aligned as its dtype {out.dtype} is")
    if not flags.writeable:
        raise ValueError(f"{call}: {name} is read-only")
    return out


def result(call: str, name: str, out: Any, dtype: np.dtype[Any], size: int) -> Array:
    """The caller's array for a result, or a new one where there is none."""
    return np.empty(size, dtype) if out is None else writable(call, name, out, (dtype,), size)


def positions(call: str, name: str, out: Any, size: int) -> Array:
    """The same for positions of items: of 32 bits where they suffice."""
    if out is None:
        return np.empty(size, _POSITIONS[0] if size <= 1 << 32 else _POSITIONS[1])
    return writable(call, name, out, _POSITIONS, size)


def pair(call: str, out: Any) -> tuple[Any, Any]:
    """The two arrays of `out` where there are values."""
    if out is None:
        return None, None
    if not isinstance(out, tuple) or len(out) != 2:
        raise TypeError(f"{call}: out must be a tuple of two arrays, for keys and values, where values are given")
    return out


def values_of(call: str, values: Any, size: int) -> Array:
    """Values beside `size` keys."""
    column = given(call, "values", values)
    if column.size != size:
        raise ValueError(f"{call}: values has {column.size} items, but x has {size}")
    return column


def raw(x: Array) -> Array:
    """The memory of an array of any type that Python's buffers cannot describe."""
    return x.view(_RAW_TIME) if x.dtype.kind in "mM" else x


def moves_as_word(x: Array) -> bool:
    """Whether items are moved by the compiled half: those of 4 and 8 bytes, unless they are references."""
    return x.dtype.itemsize in _WORDS and not x.dtype.hasobject


def word(x: Array) -> Array:
    """Such items as unsigned integers."""
    return x.view(_WORDS[x.dtype.itemsize])


def thread_count(call: str, threads: int | None) -> int:
    """How many threads a call may use; 0 leaves it to the library."""
    if threads is None:
        return 0
    count = integer(call, "threads", threads)
    if count < 1:
        raise ValueError(f"{call}: threads is {count}, but must be at least 1")
    return min(count, _MOST_THREADS)


def integer(call: str, name: str, number: Any) -> int:
    """An argument that must be an integer."""
    try:
        return operator.index(number)
    except TypeError:
        raise TypeError(f"{call}: {name} is of type {type(number).__name__}, but must be an integer") from None
