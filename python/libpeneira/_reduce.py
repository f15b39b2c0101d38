# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""reduce and segmented_reduce."""
from __future__ import annotations

from functools import lru_cache
from typing import Any, overload

import numpy as np

from . import _arrays, _cpu
from ._arrays import Array, Integer, OnGpu, Segments, There
from ._devices import on_gpu, over_ranks


@lru_cache(maxsize=512)
def _kind_of(dtype: np.dtype[Any], op: str) -> tuple[int, int, np.dtype[Any]] | None:
    """The codes of a type and a reduction, and the type of the result; None where there is no such reduction."""
    name = dtype.kind + str(dtype.itemsize)
    if not dtype.isnative or dtype.kind not in "iufb" or name not in _cpu.types or name == "f2":
        return None
    if op.startswith("bit_") and dtype.kind == "f":
        return None
    result = dtype
    if op in ("sum", "prod") and dtype.kind != "f":
        result = np.dtype(np.uint64 if dtype.kind == "u" else np.int64)
    elif op in ("any", "all"):
        result = np.dtype(np.bool_)
    elif op in ("argmin", "argmax"):
        result = np.dtype(np.int64)
    return _cpu.types[name], _cpu.reductions[op], result


def kind(call: str, items: Array, op: Any, name: str = "x") -> tuple[int, int, np.dtype[Any]]:
    if not isinstance(op, str):
        raise TypeError(f"{call}: op is of type {type(op).__name__}, but must be a string, such as 'sum'")
    if op not in _cpu.reductions:
        raise ValueError(f"{call}: op is {op!r}, but must be one of {', '.join(_cpu.reductions)}")
    found = _kind_of(items.dtype, op)
    if found is None:
        right = "integers or bool" if op.startswith("bit_") else "integers, bool, float32 or float64"
        raise _arrays.wrong_type(call, name, items, f"{right} for {op!r}")
    return found


def reduce(x: Array | OnGpu, op: str = "sum", *, threads: Integer | None = None, stream: Any = None,
           comm: Any = None) -> Any:
    """All items of an array combined into one.

    `op` is 'sum', 'prod', 'min', 'max', 'argmin', 'argmax', 'any', 'all', 'bit_and', 'bit_or' or 'bit_xor'. Sums and
    products of integers are of 64 bits; those of floats are of the items' type, at least as close as pairwise ones,
    and the same bits with any number of threads. A NaN among the items is the least, the greatest and the sum. Of no
    items there is the neutral one: 0, 1, the type's greatest and least (infinity for floats), False and True; there is
    no position, so that 'argmin' and 'argmax' raise ValueError. With `comm`, a communicator of mpi4py, the items are those
    of all ranks, in rank order, and every rank gets the result; a sum of floats then depends on how they are shared out.

    >>> import numpy as np, libpeneira as pn
    >>> int(pn.reduce(np.array([200, 100, 50], np.uint8)))
    350
    >>> int(pn.reduce(np.array([3.0, 1.0, 2.0]), "argmin"))
    1
    """
    if comm is not None:
        return over_ranks().reduce(x, op, comm, threads=threads, stream=stream)
    gpu = on_gpu("reduce", x, stream)
    if gpu is not None:
        return gpu.reduce(x, op, stream=stream)
    items = _arrays.given("reduce", "x", x)
    code, by, result = kind("reduce", items, op)
    workers = _arrays.thread_count("reduce", threads)
    if items.size == 0 and op in ("argmin", "argmax"):
        raise ValueError(f"reduce: x has no items, of which {op!r} could be one")
    out = np.empty(1, result)
    _cpu.reduce(items, code, None, out, result.itemsize, by, workers)
    return out[0]


@overload
def segmented_reduce(x: Array, segments: Segments, op: str = "sum", *, out: Array | None = None,
                     threads: Integer | None = None, stream: None = None, comm: Any = None) -> Array: ...
@overload
def segmented_reduce(x: There, segments: There | Segments, op: str = "sum", *, out: There | None = None,
                     threads: Integer | None = None, stream: Any = None) -> There: ...
def segmented_reduce(x: Any, segments: Any, op: str = "sum", *, out: Any = None, threads: Integer | None = None,
                     stream: Any = None, comm: Any = None) -> Any:
    """One result for each segment of an array.

    `segments` are offsets, an array as `multisplit` returns it or a list of integers: segment s is
    `x[segments[s]:segments[s + 1]]`, and items before the first offset and from the last one on belong to none. Or an
    integer: segments of that size, of which the last may be shorter. An empty segment gives what `reduce` gives of no
    items, and -1 for 'argmin' and 'argmax', whose positions are those in the whole of `x`.

    With `comm`, a communicator of mpi4py, items and segments are those of all ranks, which are given the same segments
    and share out the results evenly, in rank order. There are no 'argmin' and 'argmax' then, and no `out`.

    >>> import numpy as np, libpeneira as pn
    >>> x = np.array([3, 1, 4, 1, 5], np.float32)
    >>> pn.segmented_reduce(x, np.array([0, 3, 3, 5]))
    array([8., 0., 6.], dtype=float32)
    >>> pn.segmented_reduce(x, 2, "max")
    array([3., 4., 5.], dtype=float32)
    """
    if comm is not None:
        return over_ranks().segmented_reduce(x, segments, op, comm, out=out, threads=threads, stream=stream)
    gpu = on_gpu("segmented_reduce", x, stream)
    if gpu is not None:
        return gpu.segmented_reduce(x, segments, op, out=out, stream=stream)
    items = _arrays.given("segmented_reduce", "x", x)
    code, by, result = kind("segmented_reduce", items, op)
    workers = _arrays.thread_count("segmented_reduce", threads)
    table = _arrays.offsets("segmented_reduce", segments, items.size)
    to = _arrays.result("segmented_reduce", "out", out, result, table.size - 1)
    _cpu.reduce(items, code, table, to, result.itemsize, by, workers)
    return to
