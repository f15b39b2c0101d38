# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""sort_strings."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _arrays, _arrow, _cpu
from ._arrays import Array, Flag, Integer

_START = np.dtype(np.int64)


def sort_strings(strings: Any, *, offsets: Array | Sequence[Integer] | None = None, descending: Flag = False,
                 nulls: str = "last", out: Array | None = None, threads: Integer | None = None) -> Array:
    """Which string comes where: the positions of strings in the order of their bytes. Equal ones keep their order.

    `strings` is a list or tuple of str, in the order of their code points, or of bytes; a NumPy array of dtype 'S' or
    'U'; or, with `offsets`, the bytes of all strings side by side (bytes, a memoryview, an array of uint8), as Arrow has
    them: string i is `strings[offsets[i]:offsets[i + 1]]`. Or a column of strings of pyarrow, polars or pandas. Bytes, arrays of
    dtype 'S' and columns of pyarrow, of 32-bit or 64-bit offsets, are not copied; columns of several chunks are, as are
    those of polars, which keeps strings otherwise.

    Nulls of a column come last, in their order, whether or not the others descend; with `nulls='first'` they come first.
    Lists have none. Positions are as those of `argsort`.

    >>> import numpy as np, libpeneira as pn
    >>> pn.sort_strings(["rye", "oats", "barley"])
    array([2, 1, 0], dtype=uint32)
    >>> pn.sort_strings(b"ryeoatsbarley", offsets=np.array([0, 3, 7, 13]), descending=True)
    array([0, 1, 2], dtype=uint32)
    """
    workers = _arrays.thread_count("sort_strings", threads)
    falls = _arrays.flag("sort_strings", "descending", descending)
    if nulls not in ("first", "last"):
        raise ValueError(f"sort_strings: nulls is {nulls!r}, but must be 'first' or 'last'")
    is_null = None
    if offsets is not None:
        chars, starts = _side_by_side(strings, offsets)
    elif _arrow.is_column(strings):
        column = _arrow.strings_of("sort_strings", "strings", strings)
        chars, starts, is_null = column.chars, column.starts, column.nulls
    elif isinstance(strings, np.ndarray):
        chars, starts = _of_array(strings)
    else:
        chars, starts = _of_list(strings)
    to = _arrays.apart("sort_strings", "out", _arrays.positions("sort_strings", "out", out, starts.size - 1), starts)
    _cpu.sort_strings(chars, starts, starts.dtype.itemsize, to, to.itemsize, falls, workers)
    return to if is_null is None else _nulls_apart(to, is_null, nulls == "first")


def _nulls_apart(order: Array, is_null: Array, first: bool) -> Array:
    """Positions with those of nulls at an end, in their order: what bytes a null has does not matter."""
    theirs = np.flatnonzero(is_null)
    others = order[~is_null[order]]
    order[...] = np.concatenate([theirs, others] if first else [others, theirs])
    return order


def _of_list(strings: Any) -> tuple[bytes, Array]:
    if not isinstance(strings, (list, tuple)):
        raise TypeError(f"sort_strings: strings is of type {type(strings).__name__}, but must be a list or tuple of "
                        "str or bytes, a NumPy array of dtype 'S' or 'U', a column of pyarrow, polars or pandas, or bytes with "
                        "offsets")
    all_of = tuple(strings)
    kind: type = bytes if all_of and isinstance(all_of[0], bytes) else str
    for i, one in enumerate(all_of):
        if not isinstance(one, kind):
            raise TypeError(f"sort_strings: strings[{i}] is of type {type(one).__name__}, but must be {kind.__name__}")
    if kind is str:
        text = "".join(all_of)
        if text.isascii():
            return text.encode("ascii"), _starts(all_of)
        all_of = tuple(one.encode("utf-8", "surrogatepass") for one in all_of)
    return b"".join(all_of), _starts(all_of)


def _starts(strings: tuple[Any, ...]) -> Array:
    starts = np.zeros(len(strings) + 1, _START)
    np.cumsum(np.fromiter(map(len, strings), _START, len(strings)), out=starts[1:])
    return starts


def _of_array(strings: Array) -> tuple[Array, Array]:
    """Rows of one width: the zeros behind shorter ones are their order, too."""
    rows = _arrays.given("sort_strings", "strings", strings)
    if rows.dtype.kind == "U":
        rows = np.char.encode(rows, "utf-8", "surrogatepass")
    if rows.dtype.kind != "S":
        raise TypeError(f"sort_strings: strings has dtype {rows.dtype}, but must have 'S' or 'U'")
    width = rows.dtype.itemsize
    starts = np.arange(rows.size + 1, dtype=_START) * width
    return rows.view(np.uint8) if rows.size and width else np.empty(0, np.uint8), starts


def _side_by_side(chars: Any, offsets: Any) -> tuple[Any, Array]:
    if isinstance(chars, np.ndarray):
        chars = _arrays.given("sort_strings", "strings", chars)
        if chars.dtype != np.uint8:
            raise TypeError(f"sort_strings: strings has dtype {chars.dtype}, but must have uint8 with offsets")
    else:
        try:
            chars = np.frombuffer(chars, np.uint8) if len(chars) else np.empty(0, np.uint8)
        except (TypeError, ValueError, BufferError):
            raise TypeError(f"sort_strings: strings is of type {type(chars).__name__}, but must be bytes, such as "
                            "those of a memoryview or an mmap, or an array of uint8 with offsets") from None
    if isinstance(offsets, (list, tuple)):
        offsets = _arrays.listed("sort_strings", "offsets", offsets)
    table = _arrays.given("sort_strings", "offsets", offsets)
    if table.dtype.kind not in "iu":
        raise TypeError(f"sort_strings: offsets has dtype {table.dtype}, but must have integers")
    if table.size == 0:
        raise ValueError("sort_strings: offsets has no items, but n strings have n + 1 offsets")
    if int(table[0]) < 0 or int(table[-1]) > len(chars):
        raise ValueError(f"sort_strings: offsets run from {table[0]} to {table[-1]}, "
                         f"but strings has {len(chars)} bytes")
    return chars, np.ascontiguousarray(table, _START)
