# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""sort and argsort."""
from __future__ import annotations

from typing import Any, overload

from . import _arrays, _cpu
from ._arrays import Array


@overload
def sort(x: Array, *, values: None = None, descending: bool = False, out: Array | None = None,
         threads: int | None = None) -> Array: ...
@overload
def sort(x: Array, *, values: Array, descending: bool = False, out: tuple[Array, Array] | None = None,
         threads: int | None = None) -> tuple[Array, Array]: ...
def sort(x: Array, *, values: Array | None = None, descending: bool = False, out: Any = None,
         threads: int | None = None) -> Any:
    """The items of an array in ascending order; with values, pairs by their keys `x`.

    NaN and NaT come last, -0.0 before 0.0. `descending` is the exact reverse of that order of keys. Pairs of equal
    keys keep their order. Without `out` a new array is returned and `x` stays as it is; `out=x` sorts in place, and
    with values `out=(x, values)` does.

    Parameters:
        x: an array of one dimension, of integers, bool, float16, float32, float64, datetime64 or timedelta64. One that
            is not contiguous is copied first.
        values: an array of any type, as long as `x`, whose items move with the keys. Those of 4 and 8 bytes are the
            fast ones.
        descending: the greatest first.
        out: where the result goes: contiguous, of the type and length of `x`; a tuple of two where there are values.
        threads: how many to use; None: all that the machine offers, or OMP_NUM_THREADS.

    >>> import numpy as np, libpeneira as pn
    >>> pn.sort(np.array([2.5, np.nan, -1.0]))
    array([-1. ,  2.5,  nan])
    >>> x = np.array([3, 1, 2])
    >>> _ = pn.sort(x, out=x)
    >>> x
    array([1, 2, 3])
    >>> pn.sort(np.array([3, 1, 2]), values=np.array(["c", "a", "b"]), descending=True)
    (array([3, 2, 1]), array(['c', 'b', 'a'], dtype='<U1'))
    """
    keys = _arrays.given("sort", "x", x)
    code = _arrays.type_code("sort", "x", keys)
    workers = _arrays.thread_count("sort", threads)
    if values is not None:
        return _sort_pairs(keys, code, values, bool(descending), out, workers)
    to = _arrays.result("sort", "out", out, keys.dtype, keys.size)
    _cpu.sort(_arrays.raw(keys), _arrays.raw(to), code, None, None, 0, bool(descending), workers)
    return to


def _sort_pairs(keys: Array, code: int, values: Any, descending: bool, out: Any, workers: int) -> tuple[Array, Array]:
    column = _arrays.values_of("sort", values, keys.size)
    out_keys, out_values = _arrays.pair("sort", out)
    to = _arrays.result("sort", "out[0]", out_keys, keys.dtype, keys.size)
    moved = _arrays.result("sort", "out[1]", out_values, column.dtype, keys.size)
    if _arrays.moves_as_word(column):
        _cpu.sort(_arrays.raw(keys), _arrays.raw(to), code, _arrays.word(column), _arrays.word(moved),
                  column.dtype.itemsize, descending, workers)
        return to, moved
    order = _arrays.positions("sort", "out", None, keys.size)
    _cpu.argsort(_arrays.raw(keys), order, code, order.itemsize, descending, workers)
    gathered = column[order]  # before anything is written: out may be the input
    to[...] = keys[order]
    moved[...] = gathered
    return to, moved


def argsort(x: Array, *, descending: bool = False, out: Array | None = None, threads: int | None = None) -> Array:
    """The positions of an array's items in ascending order: `x[argsort(x)]` is sorted. Equal items keep their order.

    Positions are uint32 for up to 2**32 items, half the memory of NumPy's, and uint64 beyond; `out` may be an array of
    uint32, uint64 or int64. Everything else is as for `sort`.

    >>> import numpy as np, libpeneira as pn
    >>> pn.argsort(np.array([30, 10, 20]))
    array([1, 2, 0], dtype=uint32)
    >>> pn.argsort(np.array([30, 10, 20]), out=np.empty(3, np.int64))
    array([1, 2, 0])
    """
    keys = _arrays.given("argsort", "x", x)
    code = _arrays.type_code("argsort", "x", keys)
    workers = _arrays.thread_count("argsort", threads)
    to = _arrays.positions("argsort", "out", out, keys.size)
    _cpu.argsort(_arrays.raw(keys), to, code, to.itemsize, bool(descending), workers)
    return to
