# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""segmented_sort, segmented_argsort, scan and segmented_scan."""
from __future__ import annotations

from typing import Any, overload

import numpy as np

from . import _arrays, _cpu, _reduce
from ._arrays import Array, Flag, Integer, Segments, There
from ._devices import on_gpu

_SIGNED = np.dtype(np.int64)
_UNSIGNED = np.dtype(np.uint64)
_MOST = 1 << 32  # items that positions of 32 bits can number


def _few_enough(call: str, keys: Array) -> None:
    if keys.size > _MOST:
        raise ValueError(f"{call}: x has {keys.size} items, but positions are of 32 bits, for up to {_MOST}")


def argsort_segments(call: str, keys: Array, table: Array, descending: bool, workers: int) -> Array:
    """Positions in the order of their keys, segment by segment."""
    _few_enough(call, keys)
    wide, code = _arrays.widened(keys, _arrays.type_code(call, "x", keys))
    copy = wide.copy() if wide is keys or wide.base is not None else wide
    order = _arrays.number(keys.size)
    _cpu.segmented_sort(copy, copy, code, order, order, 4, table, descending, workers)
    return order


@overload
def segmented_sort(x: Array, segments: Segments, *, values: None = None, descending: Flag = False,
                   out: Array | None = None, threads: Integer | None = None, stream: None = None) -> Array: ...
@overload
def segmented_sort(x: Array, segments: Segments, *, values: Array, descending: Flag = False,
                   out: tuple[Array, Array] | None = None, threads: Integer | None = None,
                   stream: None = None) -> tuple[Array, Array]: ...
@overload
def segmented_sort(x: There, segments: There | Segments, *, values: None = None, descending: Flag = False,
                   out: There | None = None, threads: Integer | None = None, stream: Any = None) -> There: ...
@overload
def segmented_sort(x: There, segments: There | Segments, *, values: There, descending: Flag = False,
                   out: tuple[There, There] | None = None, threads: Integer | None = None,
                   stream: Any = None) -> tuple[There, There]: ...
def segmented_sort(x: Any, segments: Any, *, values: Any = None, descending: Flag = False, out: Any = None,
                   threads: Integer | None = None, stream: Any = None) -> Any:
    """The items of each segment of an array in ascending order, each segment where it was.

    `segments` are as for `segmented_reduce`: offsets, or the size of all segments. Items that are in none stay where
    they are. Everything else is as for `sort`: pairs of equal keys keep their order, `out=x` sorts in place.

    >>> import numpy as np, libpeneira as pn
    >>> x = np.array([3, 1, 4, 1, 5])
    >>> pn.segmented_sort(x, np.array([0, 3, 3, 5]))
    array([1, 3, 4, 1, 5])
    >>> pn.segmented_sort(x, 2, descending=True)
    array([3, 1, 4, 1, 5])
    """
    call = "segmented_sort"
    gpu = on_gpu(call, x, stream)
    if gpu is not None:
        return gpu.segmented_sort(x, segments, values=values, descending=descending, out=out, stream=stream)
    keys = _arrays.given(call, "x", x)
    code = _arrays.type_code(call, "x", keys)
    workers = _arrays.thread_count(call, threads)
    falls = _arrays.flag(call, "descending", descending)
    table = _arrays.offsets(call, segments, keys.size)
    if values is not None:
        column = _arrays.values_of(call, values, keys.size)
        out_keys, out_values = _arrays.pair(call, out)
        to = _arrays.result(call, "out[0]", out_keys, keys.dtype, keys.size)
        moved = _arrays.apart(call, "out[1]", _arrays.result(call, "out[1]", out_values, column.dtype, keys.size), to)
        order = argsort_segments(call, keys, table, falls, workers)
        gathered = _arrays.take(column, order, workers)  # before anything is written: out may be the input
        to[...] = _arrays.take(keys, order, workers)
        moved[...] = gathered
        return to, moved
    to = _arrays.result(call, "out", out, keys.dtype, keys.size)
    if keys.dtype.itemsize < 4:
        to[...] = _arrays.take(keys, argsort_segments(call, keys, table, falls, workers), workers)
        return to
    table = table.copy() if np.may_share_memory(table, to) else table
    if to is not keys:
        to[...] = keys  # what is in no segment, too
    _cpu.segmented_sort(_arrays.raw(to), _arrays.raw(to), code, None, None, 0, table, falls, workers)
    return to


@overload
def segmented_argsort(x: Array, segments: Segments, *, descending: Flag = False, out: Array | None = None,
                      threads: Integer | None = None, stream: None = None) -> Array: ...
@overload
def segmented_argsort(x: There, segments: There | Segments, *, descending: Flag = False, out: There | None = None,
                      threads: Integer | None = None, stream: Any = None) -> There: ...
def segmented_argsort(x: Any, segments: Any, *, descending: Flag = False, out: Any = None,
                      threads: Integer | None = None, stream: Any = None) -> Any:
    """The positions of each segment's items in ascending order, as positions in the whole of `x`.

    `x[segmented_argsort(x, segments)]` is what `segmented_sort` gives. Positions are uint32; `out` may be uint64 or
    int64 as well.

    >>> import numpy as np, libpeneira as pn
    >>> pn.segmented_argsort(np.array([30, 10, 20, 5, 4]), 3)
    array([1, 2, 0, 4, 3], dtype=uint32)
    """
    call = "segmented_argsort"
    gpu = on_gpu(call, x, stream)
    if gpu is not None:
        return gpu.segmented_argsort(x, segments, descending=descending, out=out, stream=stream)
    keys = _arrays.given(call, "x", x)
    workers = _arrays.thread_count(call, threads)
    table = _arrays.offsets(call, segments, keys.size)
    to = None if out is None else _arrays.positions(call, "out", out, keys.size)
    order = argsort_segments(call, keys, table, _arrays.flag(call, "descending", descending), workers)
    if to is None:
        return order
    to[...] = order
    return to


@overload
def scan(x: Array, op: str = "sum", *, inclusive: Flag = False, out: Array | None = None,
         threads: Integer | None = None, stream: None = None) -> Array: ...
@overload
def scan(x: There, op: str = "sum", *, inclusive: Flag = False, out: There | None = None,
         threads: Integer | None = None, stream: Any = None) -> There: ...
def scan(x: Any, op: str = "sum", *, inclusive: Flag = False, out: Any = None, threads: Integer | None = None,
         stream: Any = None) -> Any:
    """What the items before each item combine to: an exclusive scan, or prefix sum. `inclusive`: with the item itself.

    `op` is 'sum', 'prod', 'min' or 'max'. The first result of an exclusive scan is the neutral one: 0, 1, the type's
    greatest and least. Sums and products of integers are of 64 bits; sums of floats have the same bits with any number
    of threads. `out` may be `x` where the types are one.

    >>> import numpy as np, libpeneira as pn
    >>> pn.scan(np.array([3, 1, 4, 1]))
    array([0, 3, 4, 8])
    >>> pn.scan(np.array([3, 1, 4, 1], np.uint8), "max", inclusive=True)
    array([3, 3, 4, 4], dtype=uint8)
    """
    gpu = on_gpu("scan", x, stream)
    if gpu is not None:
        return gpu.scan(x, op, inclusive=inclusive, out=out, stream=stream)
    items = _arrays.given("scan", "x", x)
    return _scan("scan", items, np.array([0, items.size], _arrays.OFFSET), op, inclusive, out, threads)


def segmented_scan(x: Array, segments: Segments, op: str = "sum", *, inclusive: Flag = False,
                   out: Array | None = None, threads: Integer | None = None) -> Array:
    """The same for each segment by itself. Items that are in no segment stay as they are.

    >>> import numpy as np, libpeneira as pn
    >>> pn.segmented_scan(np.array([3.0, 1.0, 4.0, 1.0, 5.0]), np.array([0, 3, 3, 5]))
    array([0., 3., 4., 0., 1.])
    """
    items = _arrays.given("segmented_scan", "x", x)
    table = _arrays.offsets("segmented_scan", segments, items.size)
    return _scan("segmented_scan", items, table, op, inclusive, out, threads)


def scan_code(call: str, op: Any) -> int:
    """The number of an operator of scans."""
    if not isinstance(op, str):
        raise TypeError(f"{call}: op is of type {type(op).__name__}, but must be a string, such as 'sum'")
    if op not in _cpu.scans:
        raise ValueError(f"{call}: op is {op!r}, but must be one of {', '.join(_cpu.scans)}")
    return _cpu.scans[op]


def _scan(call: str, items: Array, table: Array, op: Any, inclusive: Flag, out: Any,
          threads: Integer | None) -> Array:
    workers = _arrays.thread_count(call, threads)
    by = scan_code(call, op)
    result = _reduce.kind(call, items, op)[2]
    to = _arrays.result(call, "out", out, result, items.size)
    table = table.copy() if np.may_share_memory(table, to) else table
    work = to
    if result.kind in "iub":
        wide = _UNSIGNED if result.kind == "u" else _SIGNED
        work = to if result == wide else items.astype(wide)
    if work is to and to is not items:
        to[...] = items
    code = _cpu.types[work.dtype.kind + str(work.dtype.itemsize)]
    _cpu.scan(work, work, code, by, table, _arrays.flag(call, "inclusive", inclusive), workers)
    if work is not to:
        to[...] = _narrowed(work, to.dtype)
    return to


def _narrowed(results: Array, dtype: np.dtype[Any]) -> Array:
    """Results of 64 bits as a narrower type, whose ends are neutral instead of those of 64 bits."""
    least, greatest = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return np.clip(results, least, greatest).astype(dtype)
