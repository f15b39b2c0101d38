# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""What every call asks of its arguments, in errors that name the call, the argument and the value.

The compiled half trusts what has passed here: arrays of one dimension, contiguous, aligned, of a type that it knows.
"""
from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Protocol, SupportsIndex, TypeVar

import numpy as np

from . import _cpu

Array = np.ndarray[Any, Any]
Integer = SupportsIndex  # of Python or NumPy
Flag = bool | np.bool_
Flags = Flag | Sequence[Flag]  # for each column
Segments = Array | Sequence[Integer] | Integer  # offsets, or the size of all segments


class OnGpu(Protocol):
    """An array of another library, for type checkers. (CuPy has no types.)"""

    @property
    def __cuda_array_interface__(self) -> Any: ...


There = TypeVar("There", bound=OnGpu)

_TYPES = {np.dtype(name): code for name, code in _cpu.types.items() if name != "time"}
_TIME = _cpu.types["time"]
_RAW_TIME = np.dtype(np.int64)
_WORDS = {4: np.dtype(np.uint32), 8: np.dtype(np.uint64)}
_POSITIONS = (np.dtype(np.uint32), np.dtype(np.uint64), np.dtype(np.int64))
_WIDER = {np.dtype(narrow): np.dtype(wide) for narrow, wide in
          (("i1", "i4"), ("i2", "i4"), ("u1", "u4"), ("u2", "u4"), ("?", "u4"))}
_MOVED_BYTES = (1, 2, 4, 8, 16)
_MOST_THREADS = 1024
OFFSET = np.dtype(np.int64)


def given(call: str, name: str, x: Any) -> Array:
    """An array that a call reads: itself, or a contiguous copy of it."""
    if type(x) is not np.ndarray:
        if not isinstance(x, np.ndarray):
            raise TypeError(f"{call}: {name} is of type {type(x).__name__}, but must be a NumPy array")
        if isinstance(x, np.ma.MaskedArray):
            raise TypeError(f"{call}: {name} is a masked array, whose mask would be lost; give {name}.compressed()")
        x = np.asarray(x)  # without what a class of its own may do on the way
    if x.ndim != 1:
        raise ValueError(f"{call}: {name} has {x.ndim} dimensions, but must have one")
    flags = x.flags
    array: Array = x if flags.c_contiguous and flags.aligned else np.array(x, order="C", subok=False)
    return array


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
    if not isinstance(out, np.ndarray) or isinstance(out, np.ma.MaskedArray):
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


def moved_to(call: str, keys: Array, column: Array | None, out: Any) -> tuple[Array, Array | None]:
    """Where keys and values go that move out of place."""
    if column is None:
        return apart(call, "out", result(call, "out", out, keys.dtype, keys.size), keys), None
    out_keys, out_values = pair(call, out)
    to = apart(call, "out[0]", result(call, "out[0]", out_keys, keys.dtype, keys.size), keys, column)
    moved = result(call, "out[1]", out_values, column.dtype, keys.size)
    return to, apart(call, "out[1]", moved, keys, column, to)


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


def widened(x: Array, code: int) -> tuple[Array, int]:
    """Keys of at least 4 bytes in the order of others, and the code of their type."""
    if x.dtype == np.float16:
        return _half_ranks(x), _TYPES[np.dtype(np.uint32)]
    wide = _WIDER.get(x.dtype)
    return (raw(x), code) if wide is None else (x.astype(wide), _TYPES[wide])


def _half_ranks(x: Array) -> Array:
    """Numbers in the order of float16: a cast would change NaNs, which have an order here."""
    bits = x.view(np.uint16)
    negative = bits >> np.uint16(15)
    turned = bits ^ np.uint16(0x8000) ^ (negative * np.uint16(0x7FFF))
    return (turned + np.uint16(0xFC01)).astype(np.uint32)  # less what -inf is turned to


def take(x: Array, order: Array, threads: int = 0) -> Array:
    """`x[order]`, by all threads where the compiled half moves such items."""
    if x.dtype.itemsize not in _MOVED_BYTES or x.dtype.hasobject:
        return x[order]
    out = np.empty(order.size, x.dtype)
    _cpu.gather(x.view(np.uint8), x.dtype.itemsize, order, order.dtype.itemsize, out.view(np.uint8), threads)
    return out


def number(size: int) -> Array:
    """The positions of some items, in their order."""
    return np.arange(size, dtype=_POSITIONS[0] if size <= 1 << 32 else _POSITIONS[1])


def offsets(call: str, segments: Any, size: int) -> Array:
    """Offsets of 64 bits: those given, or of segments of one size. The compiled half looks whether they ascend."""
    if isinstance(segments, (list, tuple, range)):
        segments = listed(call, "segments", segments)
    if not isinstance(segments, np.ndarray):
        if isinstance(segments, bool) or not hasattr(segments, "__index__"):
            raise TypeError(f"{call}: segments is of type {type(segments).__name__}, but must be an array or a list of "
                            "offsets, or the size of all segments")
        step = integer(call, "segments", segments)
        if step < 1:
            raise ValueError(f"{call}: segments is {step}, but a segment has at least one item")
        step = min(step, max(size, 1))
        return np.append(np.arange(0, size, step, dtype=OFFSET), OFFSET.type(size))
    table = given(call, "segments", segments)
    if table.dtype.kind not in "iu":
        raise TypeError(f"{call}: segments has dtype {table.dtype}, but must have integers")
    if table.size == 0:
        raise ValueError(f"{call}: segments has no items, but n segments have n + 1 offsets")
    if int(table[0]) < 0:
        raise ValueError(f"{call}: segments starts with {table[0]}, but offsets are not negative")
    return np.ascontiguousarray(table, OFFSET)


def inner_offsets(call: str, segments: Any, size: int) -> Array:
    """Such offsets that were looked at: they ascend, and end within so many items."""
    table = offsets(call, segments, size)
    wrong = np.flatnonzero((table[1:] < table[:-1]) | (table[1:] > size))
    if wrong.size:
        at = int(wrong[0])
        raise ValueError(f"{call}: offsets give segment {at} the items from {table[at]} to {table[at + 1]}, "
                         f"but there are {size}")
    return table


def listed(call: str, name: str, given: Sequence[Any]) -> Array:
    """Integers of a list."""
    numbers = [integer(call, f"{name}[{i}]", one) for i, one in enumerate(given)]
    try:
        return np.array(numbers, OFFSET)
    except OverflowError:
        at = next(i for i, one in enumerate(numbers) if not -2**63 <= one < 2**63)
        raise ValueError(f"{call}: {name}[{at}] is {numbers[at]}, but an offset has 64 bits") from None


def flag(call: str, name: str, value: Any) -> bool:
    """An argument that must be True or False: what merely counts as one, such as 'no', may mean the other."""
    if value is True or value is False or isinstance(value, np.bool_):
        return bool(value)
    raise TypeError(f"{call}: {name} is {value!r:.80}, but must be True or False")


def apart(call: str, name: str, to: Array, *others: Array | None) -> Array:
    """An output that shares no memory with other arrays of a call."""
    if any(other is not None and np.may_share_memory(to, other) for other in others):
        raise ValueError(f"{call}: {name} overlaps another array of the call, but must be apart")
    return to


def thread_count(call: str, threads: Integer | None) -> int:
    """How many threads a call may use; 0 leaves it to the library."""
    if threads is None:
        return 0
    count = integer(call, "threads", threads)
    if count < 1:
        raise ValueError(f"{call}: threads is {count}, but must be at least 1")
    return min(count, _MOST_THREADS)


def integer(call: str, name: str, number: Any) -> int:
    """An argument that must be an integer. True is 1 for Python, but hardly for who passes it."""
    if not isinstance(number, bool):
        try:
            return operator.index(number)
        except TypeError:
            pass
    raise TypeError(f"{call}: {name} is of type {type(number).__name__}, but must be an integer")
