# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""top_k, arg_top_k and segmented_top_k."""
from __future__ import annotations

from typing import Any, overload

import numpy as np

from . import _arrays, _cpu
from ._arrays import Array, Flag, Integer, Segments, There
from ._devices import on_gpu, over_ranks
from ._segments import argsort_segments

_MOST = 1 << 32  # items that positions of 32 bits can number
_FEW = 1 << 16


def _positions(call: str, keys: Array, table: Array, k: int, largest: bool, in_order: bool, workers: int) -> Array:
    """The positions of the k first of each segment, k places for each; 2**32 - 1 where there are fewer."""
    if keys.size > _MOST:
        raise ValueError(f"{call}: x has {keys.size} items, but positions are of 32 bits, for up to {_MOST}")
    wide, code = _arrays.widened(keys, _arrays.type_code(call, "x", keys))
    found = np.empty((table.size - 1) * k, np.uint32)
    _cpu.top_k(wide, np.empty(found.size, wide.dtype), code, _arrays.number(keys.size), found, 4, table, k,
               not largest, in_order, workers)
    return found


def count_of(call: str, k: Any, most: int) -> int:
    """How many items are wanted."""
    count = _arrays.integer(call, "k", k)
    if not 0 <= count <= most:
        raise ValueError(f"{call}: k is {count}, but must be from 0 to the number of items, {most}")
    return count


@overload
def top_k(x: Array, k: Integer, *, largest: Flag = True, sorted: Flag = True, values: None = None,
          out: Array | None = None, threads: Integer | None = None, stream: None = None, comm: Any = None) -> Array: ...
@overload
def top_k(x: Array, k: Integer, *, largest: Flag = True, sorted: Flag = True, values: Array,
          out: tuple[Array, Array] | None = None, threads: Integer | None = None, stream: None = None,
          comm: Any = None) -> tuple[Array, Array]: ...
@overload
def top_k(x: There, k: Integer, *, largest: Flag = True, sorted: Flag = True, values: None = None,
          out: There | None = None, threads: Integer | None = None, stream: Any = None) -> There: ...
@overload
def top_k(x: There, k: Integer, *, largest: Flag = True, sorted: Flag = True, values: There,
          out: tuple[There, There] | None = None, threads: Integer | None = None,
          stream: Any = None) -> tuple[There, There]: ...
def top_k(x: Any, k: Integer, *, largest: Flag = True, sorted: Flag = True, values: Any = None, out: Any = None,
          threads: Integer | None = None, stream: Any = None, comm: Any = None) -> Any:
    """The k greatest items of an array, the greatest first; with values, pairs by their keys `x`.

    NaN is greater than all numbers, -0.0 less than 0.0. Of items that equal the last one that is wanted the first are
    taken. `largest=False`: the least. `sorted=False`: in the order of the input, which takes less time. `out` has k
    places, a tuple of two where there are values. With `comm`, a communicator of mpi4py, the items are those of all
    ranks, and every rank gets the k greatest, sorted.

    >>> import numpy as np, libpeneira as pn
    >>> scores = np.array([2.5, -1.0, 7.0, 4.0])
    >>> pn.top_k(scores, 2)
    array([7., 4.])
    >>> pn.top_k(scores, 2, largest=False, values=np.array(["a", "b", "c", "d"]))
    (array([-1. ,  2.5]), array(['b', 'a'], dtype='<U1'))
    """
    if comm is not None:
        return over_ranks().top_k(x, k, comm, largest=largest, values=values, out=out, threads=threads, stream=stream)
    gpu = on_gpu("top_k", x, stream)
    if gpu is not None:
        return gpu.top_k(x, k, largest=largest, sorted=sorted, values=values, out=out, stream=stream)
    keys = _arrays.given("top_k", "x", x)
    code = _arrays.type_code("top_k", "x", keys)
    workers = _arrays.thread_count("top_k", threads)
    count = count_of("top_k", k, keys.size)
    greatest, in_order = _arrays.flag("top_k", "largest", largest), _arrays.flag("top_k", "sorted", sorted)
    if values is not None:
        column = _arrays.values_of("top_k", values, keys.size)
        out_keys, out_values = _arrays.pair("top_k", out)
        to = _arrays.result("top_k", "out[0]", out_keys, keys.dtype, count)
        moved = _arrays.apart("top_k", "out[1]", _arrays.result("top_k", "out[1]", out_values, column.dtype, count), to)
        order = arg_top_k(keys, count, largest=greatest, sorted=in_order, threads=threads)
        gathered = column[order]
        to[...] = keys[order]
        moved[...] = gathered
        return to, moved
    to = _arrays.result("top_k", "out", out, keys.dtype, count)
    if keys.dtype.itemsize < 4:
        to[...] = keys[arg_top_k(keys, count, largest=greatest, sorted=in_order, threads=threads)]
        return to
    _arrays.apart("top_k", "out", to, keys)
    table = np.array([0, keys.size], _arrays.OFFSET)
    _cpu.top_k(_arrays.raw(keys), _arrays.raw(to), code, None, None, 0, table, count, not greatest, in_order, workers)
    return to


@overload
def arg_top_k(x: Array, k: Integer, *, largest: Flag = True, sorted: Flag = True, out: Array | None = None,
              threads: Integer | None = None, stream: None = None) -> Array: ...
@overload
def arg_top_k(x: There, k: Integer, *, largest: Flag = True, sorted: Flag = True, out: There | None = None,
              threads: Integer | None = None, stream: Any = None) -> There: ...
def arg_top_k(x: Any, k: Integer, *, largest: Flag = True, sorted: Flag = True, out: Any = None,
              threads: Integer | None = None, stream: Any = None) -> Any:
    """The positions of the k greatest items: `x[arg_top_k(x, k)]` is `top_k(x, k)`. They are uint32.

    >>> import numpy as np, libpeneira as pn
    >>> pn.arg_top_k(np.array([2.5, -1.0, 7.0, 4.0]), 2)
    array([2, 3], dtype=uint32)
    """
    gpu = on_gpu("arg_top_k", x, stream)
    if gpu is not None:
        return gpu.arg_top_k(x, k, largest=largest, sorted=sorted, out=out, stream=stream)
    keys = _arrays.given("arg_top_k", "x", x)
    workers = _arrays.thread_count("arg_top_k", threads)
    count = count_of("arg_top_k", k, keys.size)
    to = None if out is None else _arrays.positions("arg_top_k", "out", out, count)
    table = np.array([0, keys.size], _arrays.OFFSET)
    greatest, in_order = _arrays.flag("arg_top_k", "largest", largest), _arrays.flag("arg_top_k", "sorted", sorted)
    found = _positions("arg_top_k", keys, table, count, greatest, in_order, workers)
    if to is None:
        return found
    to[...] = found
    return to


def segmented_top_k(x: Array, segments: Segments, k: Integer, *, largest: Flag = True, sorted: Flag = True,
                    threads: Integer | None = None) -> tuple[Array, Array]:
    """The k greatest items of each segment, or all where it has fewer. Returns the items and their offsets.

    Those of segment s are `items[offsets[s]:offsets[s + 1]]`. `segments` are as for `segmented_reduce`, everything else
    as for `top_k`; k may be greater than segments are long.

    >>> import numpy as np, libpeneira as pn
    >>> pn.segmented_top_k(np.array([3, 1, 4, 1, 5, 9]), np.array([0, 4, 5, 6]), 2)
    (array([4, 3, 5, 9]), array([0, 2, 3, 4]))
    """
    call = "segmented_top_k"
    keys = _arrays.given(call, "x", x)
    workers = _arrays.thread_count(call, threads)
    table = _arrays.inner_offsets(call, segments, keys.size)
    wanted = _arrays.integer(call, "k", k)
    if wanted < 0:
        raise ValueError(f"{call}: k is {wanted}, but must not be negative")
    greatest, in_order = _arrays.flag(call, "largest", largest), _arrays.flag(call, "sorted", sorted)
    lengths = np.diff(table)
    count = min(wanted, int(lengths.max(initial=0)))
    kept = np.minimum(lengths, count)
    ends = np.zeros(table.size, _arrays.OFFSET)
    np.cumsum(kept, out=ends[1:])
    if lengths.size * count > 2 * keys.size + _FEW:  # k places for each segment are more than a sort takes
        found = _of_sorted(call, keys, table, ends, greatest, in_order, workers)
    else:
        found = _positions(call, keys, table, count, greatest, in_order, workers)
        if ends[-1] != found.size:
            found = found[(np.arange(count) < kept[:, None]).ravel()]
    return keys[found], ends


def _of_sorted(call: str, keys: Array, table: Array, ends: Array, largest: bool, in_order: bool, workers: int) -> Array:
    """The positions of the first of each segment, of all in order; the ends say how many."""
    order = argsort_segments(call, keys, table, largest, workers)
    found: Array = order[np.arange(ends[-1]) + np.repeat(table[:-1] - ends[:-1], np.diff(ends))]
    if in_order:
        return found
    taken = np.zeros(keys.size, np.bool_)
    taken[found] = True
    return np.flatnonzero(taken)
