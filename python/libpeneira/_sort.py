# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""sort and argsort, of an array or of rows of several."""
from __future__ import annotations

from typing import Any, overload

from . import _arrays, _cpu
from ._arrays import Array, Flag, Flags, Integer, There
from ._devices import on_gpu, over_ranks
from ._rows import Rows, columns_of, directions


@overload
def sort(x: Array, *, values: None = None, descending: Flag = False, out: Array | None = None,
         threads: Integer | None = None, stream: None = None, comm: Any = None) -> Array: ...
@overload
def sort(x: Array, *, values: Array, descending: Flag = False, out: tuple[Array, Array] | None = None,
         threads: Integer | None = None, stream: None = None, comm: Any = None) -> tuple[Array, Array]: ...
@overload
def sort(x: tuple[Array, ...], *, values: None = None, descending: Flags = False,
         out: tuple[Array, ...] | None = None, threads: Integer | None = None, stream: None = None,
         comm: Any = None) -> tuple[Array, ...]: ...
@overload
def sort(x: There, *, values: None = None, descending: Flag = False, out: There | None = None,
         threads: Integer | None = None, stream: Any = None) -> There: ...
@overload
def sort(x: There, *, values: There, descending: Flag = False, out: tuple[There, There] | None = None,
         threads: Integer | None = None, stream: Any = None) -> tuple[There, There]: ...
@overload
def sort(x: tuple[There, ...], *, values: None = None, descending: Flags = False, out: tuple[There, ...] | None = None,
         threads: Integer | None = None, stream: Any = None) -> tuple[There, ...]: ...
def sort(x: Any, *, values: Any = None, descending: Flags = False, out: Any = None, threads: Integer | None = None,
         stream: Any = None, comm: Any = None) -> Any:
    """The items of an array in ascending order; with values, pairs by their keys `x`.

    NaN and NaT come last, -0.0 before 0.0. `descending` is the exact reverse of that order of keys. Pairs of equal
    keys keep their order. Without `out` a new array is returned and `x` stays as it is; `out=x` sorts in place, and
    with values `out=(x, values)` does.

    Parameters:
        x: an array of one dimension, of integers, bool, float16, float32, float64, datetime64 or timedelta64. One that
            is not contiguous is copied first. Or a tuple of such columns, whose rows are sorted: by the first, those
            that are equal there by the second, and so on; it has no values, `argsort` and `gather` serve.
        values: an array of any type, as long as `x`, whose items move with the keys. Those of 4 and 8 bytes are the
            fast ones.
        descending: the greatest first; of columns a tuple may say it for each.
        out: where the result goes: contiguous, of the type and length of `x`; a tuple of two where there are values.
        threads: how many to use; None: all that the machine offers, or OMP_NUM_THREADS.
        stream: of arrays on a GPU, the stream of CUDA's to queue the work on; None: their library's current one.
        comm: a communicator of mpi4py, all ranks of which make the call: their arrays, in rank order, are one array,
            which is sorted. Every rank gets as many items as it had, or as `out` has, in rank order. Values are of 4 or
            8 bytes then, and `x` is one array.

    >>> import numpy as np, libpeneira as pn
    >>> pn.sort(np.array([2.5, np.nan, -1.0]))
    array([-1. ,  2.5,  nan])
    >>> x = np.array([3, 1, 2])
    >>> _ = pn.sort(x, out=x)
    >>> x
    array([1, 2, 3])
    >>> pn.sort(np.array([3, 1, 2]), values=np.array(["c", "a", "b"]), descending=True)
    (array([3, 2, 1]), array(['c', 'b', 'a'], dtype='<U1'))
    >>> pn.sort((np.array([2, 1, 2]), np.array([0.5, 1.5, 2.5])), descending=(False, True))
    (array([1, 2, 2]), array([1.5, 2.5, 0.5]))
    """
    if comm is not None:
        return over_ranks().sort(x, comm, values=values, descending=descending, out=out, threads=threads, stream=stream)
    gpu = on_gpu("sort", x, stream)
    if gpu is not None:
        return gpu.sort(x, values=values, descending=descending, out=out, stream=stream)
    if isinstance(x, tuple):
        return _sort_rows(x, values, descending, out, threads)
    keys = _arrays.given("sort", "x", x)
    code = _arrays.type_code("sort", "x", keys)
    workers = _arrays.thread_count("sort", threads)
    falls = _arrays.flag("sort", "descending", descending)
    if values is not None:
        return _sort_pairs(keys, code, values, falls, out, workers)
    to = _arrays.result("sort", "out", out, keys.dtype, keys.size)
    _cpu.sort(_arrays.raw(keys), _arrays.raw(to), code, None, None, 0, falls, workers)
    return to


def _sort_pairs(keys: Array, code: int, values: Any, descending: bool, out: Any, workers: int) -> tuple[Array, Array]:
    column = _arrays.values_of("sort", values, keys.size)
    out_keys, out_values = _arrays.pair("sort", out)
    to = _arrays.result("sort", "out[0]", out_keys, keys.dtype, keys.size)
    moved = _arrays.apart("sort", "out[1]", _arrays.result("sort", "out[1]", out_values, column.dtype, keys.size), to)
    if _arrays.moves_as_word(column):
        _cpu.sort(_arrays.raw(keys), _arrays.raw(to), code, _arrays.word(column), _arrays.word(moved),
                  column.dtype.itemsize, descending, workers)
        return to, moved
    order = _arrays.positions("sort", "out", None, keys.size)
    _cpu.argsort(_arrays.raw(keys), order, code, order.itemsize, descending, workers)
    gathered = _arrays.take(column, order, workers)  # before anything is written: out may be the input
    to[...] = _arrays.take(keys, order, workers)
    moved[...] = gathered
    return to, moved


def _sort_rows(x: tuple[Array, ...], values: Any, descending: Any, out: Any,
               threads: Integer | None) -> tuple[Array, ...]:
    if values is not None:
        raise TypeError("sort: values is given, but x is a tuple; argsort and gather move them")
    if out is not None and (not isinstance(out, tuple) or len(out) != len(x)):
        raise TypeError(f"sort: out must be a tuple of {len(x)} arrays, one for each column")
    columns, _ = columns_of("sort", "x", x)
    size = columns[0].size
    to = [_arrays.result("sort", f"out[{i}]", None if out is None else out[i], column.dtype, size)
          for i, column in enumerate(columns)]
    for i, one in enumerate(to):
        _arrays.apart("sort", f"out[{i}]", one, *to[:i])
    workers = _arrays.thread_count("sort", threads)
    order = _argsort_rows("sort", x, descending, None, workers)
    moved = [_arrays.take(column, order, workers) for column in columns]
    if out is None:
        return tuple(moved)
    for one, column in zip(to, moved):
        one[...] = column
    return tuple(to)


def _argsort_rows(call: str, x: tuple[Array, ...], descending: Any, out: Any, workers: int) -> Array:
    columns, codes = columns_of(call, "x", x)
    rows = Rows(columns, codes, descending=directions(call, descending, len(columns)), threads=workers)
    to = _arrays.positions(call, "out", out, rows.size)
    return rows.argsort(_arrays.apart(call, "out", to, *columns))


@overload
def argsort(x: Array | tuple[Array, ...], *, descending: Flags = False, out: Array | None = None,
            threads: Integer | None = None, stream: None = None, comm: Any = None) -> Array: ...
@overload
def argsort(x: There | tuple[There, ...], *, descending: Flags = False, out: There | None = None,
            threads: Integer | None = None, stream: Any = None) -> There: ...
def argsort(x: Any, *, descending: Flags = False, out: Any = None, threads: Integer | None = None, stream: Any = None,
            comm: Any = None) -> Any:
    """The positions of an array's items in ascending order: `x[argsort(x)]` is sorted. Equal items keep their order.

    Positions are uint32 for up to 2**32 items, half the memory of NumPy's, and uint64 beyond; `out` may be an array of
    uint32, uint64 or int64. Everything else is as for `sort`; with `comm` positions are those in the array of all ranks,
    of 64 bits.

    >>> import numpy as np, libpeneira as pn
    >>> pn.argsort(np.array([30, 10, 20]))
    array([1, 2, 0], dtype=uint32)
    >>> pn.argsort(np.array([30, 10, 20]), out=np.empty(3, np.int64))
    array([1, 2, 0])
    >>> pn.argsort((np.array([2, 1, 2]), np.array([0.5, 1.5, 2.5])), descending=(False, True))
    array([1, 2, 0], dtype=uint32)
    """
    if comm is not None:
        return over_ranks().argsort(x, comm, descending=descending, out=out, threads=threads, stream=stream)
    gpu = on_gpu("argsort", x, stream)
    if gpu is not None:
        return gpu.argsort(x, descending=descending, out=out, stream=stream)
    workers = _arrays.thread_count("argsort", threads)
    if isinstance(x, tuple):
        return _argsort_rows("argsort", x, descending, out, workers)
    keys = _arrays.given("argsort", "x", x)
    code = _arrays.type_code("argsort", "x", keys)
    to = _arrays.apart("argsort", "out", _arrays.positions("argsort", "out", out, keys.size), keys)
    _cpu.argsort(_arrays.raw(keys), to, code, to.itemsize, _arrays.flag("argsort", "descending", descending), workers)
    return to
