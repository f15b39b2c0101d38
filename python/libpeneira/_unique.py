# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""unique and run_lengths."""
from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np

from . import _arrays, _cpu
from ._arrays import Array, Flag, Integer, OnGpu, There
from ._devices import on_gpu
from ._groups import Part, aggregate, keys_of, runs_of, sort_groups


@overload
def unique(x: Array, *, return_index: Literal[False] = False, return_inverse: Literal[False] = False,
           return_counts: Literal[False] = False, threads: Integer | None = None, stream: None = None) -> Array: ...
@overload
def unique(x: tuple[Array, ...], *, return_index: Literal[False] = False, return_inverse: Literal[False] = False,
           return_counts: Literal[False] = False, threads: Integer | None = None,
           stream: None = None) -> tuple[Array, ...]: ...
@overload
def unique(x: Array | OnGpu | tuple[Array | OnGpu, ...], *, return_index: Flag = False, return_inverse: Flag = False,
           return_counts: Flag = False, threads: Integer | None = None, stream: Any = None) -> Any: ...
def unique(x: Any, *, return_index: Flag = False, return_inverse: Flag = False, return_counts: Flag = False,
           threads: Integer | None = None, stream: Any = None) -> Any:
    """The distinct items of an array, ascending, as `numpy.unique` has them. A tuple of arrays has distinct rows.

    Where asked for, there follow the position of the first item of each, for each item which of the distinct ones it
    is, and how many items each has. Items are as the keys of `group_by`.

    >>> import numpy as np, libpeneira as pn
    >>> pn.unique(np.array([7, -3, 7, 7]))
    array([-3,  7])
    >>> pn.unique(np.array([7, -3, 7, 7]), return_inverse=True, return_counts=True)
    (array([-3,  7]), array([1, 0, 1, 1]), array([1, 3]))
    """
    _arrays.flag("unique", "return_index", return_index)
    _arrays.flag("unique", "return_inverse", return_inverse)
    _arrays.flag("unique", "return_counts", return_counts)
    gpu = on_gpu("unique", x, stream)
    if gpu is not None:
        return gpu.unique(x, return_index=return_index, return_inverse=return_inverse, return_counts=return_counts,
                          stream=stream)
    workers = _arrays.thread_count("unique", threads)
    keys = keys_of("unique", "x", x, workers)
    if not return_index and not return_inverse:
        found, results = aggregate(keys, [Part("count", None)])
        distinct = tuple(column for column, _ in found)
        only = distinct if isinstance(x, tuple) else distinct[0]
        return (only, results[0]) if return_counts else only
    groups = sort_groups(keys)
    distinct = tuple(column for column, _ in groups.keys)
    counts = np.diff(groups.offsets)
    given: list[Any] = [distinct if isinstance(x, tuple) else distinct[0]]
    if return_index:
        given.append(np.roll(groups.order[groups.offsets[:-1]].astype(np.int64), groups.turn))
    if return_inverse:
        inverse = np.empty(keys.size, np.int64)
        inverse[groups.order] = np.repeat((np.arange(counts.size) + groups.turn) % max(counts.size, 1), counts)
        given.append(inverse)
    if return_counts:
        given.append(np.roll(counts, groups.turn))
    return tuple(given)


@overload
def run_lengths(x: Array, *, threads: Integer | None = None, stream: None = None) -> tuple[Array, Array]: ...
@overload
def run_lengths(x: There, *, threads: Integer | None = None, stream: Any = None) -> tuple[There, There]: ...
def run_lengths(x: Any, *, threads: Integer | None = None, stream: Any = None) -> Any:
    """The first item of each run of equal neighbours, and how long each run is. Both zeros are equal, and all NaNs.

    >>> import numpy as np, libpeneira as pn
    >>> pn.run_lengths(np.array([3, 3, 5, 5, 5, 3]))
    (array([3, 5, 3]), array([2, 3, 1]))
    """
    gpu = on_gpu("run_lengths", x, stream)
    if gpu is not None:
        return gpu.run_lengths(x, stream=stream)
    items = _arrays.given("run_lengths", "x", x)
    code = _arrays.type_code("run_lengths", "x", items)
    workers = _arrays.thread_count("run_lengths", threads)
    if items.dtype == np.float16:
        with np.errstate(invalid="ignore"):
            wide = items.astype(np.float32)
    else:
        wide, _ = _arrays.widened(items, code)
    if wide.dtype.kind != "f":
        wide = _arrays.word(wide)
    values, lengths = runs_of(wide, _cpu.types[wide.dtype.kind + str(wide.dtype.itemsize)], workers)
    if values.dtype.itemsize == items.dtype.itemsize:
        return values.view(items.dtype), lengths
    return values.astype(items.dtype), lengths
