# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""partition, and gather."""
from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, overload

import numpy as np

from . import _arrays, _cpu
from ._arrays import Array, Integer, There
from ._devices import on_gpu


class Around:
    """What `around` makes."""

    __slots__ = ("pivot",)

    def __init__(self, pivot: Any) -> None:
        self.pivot = pivot

    def __repr__(self) -> str:
        return f"<libpeneira.around: {self.pivot!r}>"

    def parts(self, x: Array) -> Array:
        """The part of each item: 0 below the pivot, 1 equal, 2 above."""
        _arrays.type_code("partition", "x", x)
        pivot = np.asarray(self.pivot)
        if pivot.ndim != 0 or pivot.dtype.kind == "c":
            raise TypeError(f"partition: by is around({self.pivot!r}), but a pivot is one number that has an order")
        try:
            if x.dtype.kind in "iu" and pivot.dtype.kind in "iufbO":
                below, equal = _compare_integers(x, self.pivot)
            else:
                with np.errstate(invalid="ignore"):  # of a NaN of float16 that signals
                    below, equal = np.less(x, pivot), np.equal(x, pivot)
        except (TypeError, ValueError, OverflowError) as e:
            raise TypeError(f"partition: by is around({self.pivot!r}), which {x.dtype} is not compared with") from e
        parts: Array = np.uint8(2) - below.view(np.uint8) * np.uint8(2) - equal.view(np.uint8)
        return parts


def _compare_integers(x: Array, pivot: Any) -> tuple[Array, Array]:
    """What is below a number and what equals it, exactly: floats have not all integers."""
    if math.isnan(pivot) or math.isinf(pivot):
        return np.full(x.size, pivot == math.inf), np.zeros(x.size, np.bool_)
    whole = math.floor(pivot)
    limits = np.iinfo(x.dtype)
    if not limits.min <= whole <= limits.max:
        return np.full(x.size, whole > limits.max), np.zeros(x.size, np.bool_)
    equal = x == x.dtype.type(whole)
    if whole == pivot:
        return x < x.dtype.type(whole), equal
    return x <= x.dtype.type(whole), np.zeros(x.size, np.bool_)


def around(pivot: Any) -> Around:
    """Three parts for `partition`: the items below a pivot, those equal to it, and those above, where NaN is, too."""
    return Around(pivot)


@overload
def partition(x: Array, by: Array | Around | Callable[[Any], Array], *, values: None = None, out: Array | None = None,
              threads: Integer | None = None, stream: None = None) -> tuple[Array, Array]: ...
@overload
def partition(x: Array, by: Array | Around | Callable[[Any], Array], *, values: Array,
              out: tuple[Array, Array] | None = None, threads: Integer | None = None,
              stream: None = None) -> tuple[tuple[Array, Array], Array]: ...
@overload
def partition(x: There, by: There | Around | Callable[[Any], There], *, values: None = None, out: There | None = None,
              threads: Integer | None = None, stream: Any = None) -> tuple[There, There]: ...
@overload
def partition(x: There, by: There | Around | Callable[[Any], There], *, values: There,
              out: tuple[There, There] | None = None, threads: Integer | None = None,
              stream: Any = None) -> tuple[tuple[There, There], There]: ...
def partition(x: Any, by: Any, *, values: Any = None, out: Any = None, threads: Integer | None = None,
              stream: Any = None) -> Any:
    """Two parts of an array, or three, one behind the other, each in its order. (NumPy's `partition` is `top_k` here.)

    `by` is an array of bool, or a function that makes one of `x`: the items it holds for come first. Or it is
    `around(pivot)`, which makes three. Returns the items and the offsets of the parts, as `multisplit` does; with values
    the first is a pair. `x` and `values` are of any type; `out` is apart from them.

    >>> import numpy as np, libpeneira as pn
    >>> x = np.array([5, -1, 7, 0, -3])
    >>> pn.partition(x, x < 0)
    (array([-1, -3,  5,  7,  0]), array([0, 2, 5]))
    >>> pn.partition(x, pn.around(0))
    (array([-1, -3,  0,  5,  7]), array([0, 2, 3, 5]))
    """
    gpu = on_gpu("partition", x, stream)
    if gpu is not None:
        return gpu.partition(x, by, values=values, out=out, stream=stream)
    keys = _arrays.given("partition", "x", x)
    workers = _arrays.thread_count("partition", threads)
    column = None if values is None else _arrays.values_of("partition", values, keys.size)
    ways = 3 if isinstance(by, Around) else 2
    parts = by.parts(keys) if isinstance(by, Around) else _mask_of(by, keys)
    to, moved = _arrays.moved_to("partition", keys, column, out)
    alone = column is None and _arrays.moves_as_word(keys)
    carried = _arrays.word(keys) if alone else _arrays.number(keys.size)
    carried_to = _arrays.word(to) if alone else np.empty_like(carried)
    counts = np.zeros(3, np.int64)
    _cpu.partition(parts, np.empty_like(parts), carried, carried_to, carried.dtype.itemsize, counts, workers)
    offsets = np.append(0, np.cumsum(counts[:ways]))
    if not alone:
        to[...] = _arrays.take(keys, carried_to, workers)
    if column is None or moved is None:
        return to, offsets
    moved[...] = _arrays.take(column, carried_to, workers)
    return (to, moved), offsets


def _mask_of(by: Any, keys: Array) -> Array:
    """0 where a mask holds, and else 1."""
    if not callable(by) and not isinstance(by, np.ndarray):
        raise TypeError(f"partition: by is of type {type(by).__name__}, but must be an array of bool, a function that "
                        "makes one, or around(pivot)")
    name = "by(x)" if callable(by) else "by"
    mask = _arrays.given("partition", name, by(keys) if callable(by) else by)
    if mask.dtype != np.bool_:
        raise TypeError(f"partition: {name} has dtype {mask.dtype}, but must have bool")
    if mask.size != keys.size:
        raise ValueError(f"partition: {name} has {mask.size} items, but x has {keys.size}")
    return (~mask).view(np.uint8)


@overload
def gather(x: Array, positions: Array, *, out: Array | None = None, threads: Integer | None = None,
           stream: None = None) -> Array: ...
@overload
def gather(x: There, positions: There, *, out: There | None = None, threads: Integer | None = None,
           stream: Any = None) -> There: ...
def gather(x: Any, positions: Any, *, out: Any = None, threads: Integer | None = None, stream: Any = None) -> Any:
    """`x[positions]` by all threads, for positions that are not negative: columns that follow an `argsort`.

    >>> import numpy as np, libpeneira as pn
    >>> x = np.array([30.0, 10.0, 20.0])
    >>> pn.gather(x, pn.argsort(x))
    array([10., 20., 30.])
    """
    gpu = on_gpu("gather", x, stream)
    if gpu is not None:
        return gpu.gather(x, positions, out=out, stream=stream)
    items = _arrays.given("gather", "x", x)
    order = _arrays.given("gather", "positions", positions)
    workers = _arrays.thread_count("gather", threads)
    if order.dtype.kind not in "iu" or not order.dtype.isnative:
        raise _arrays.wrong_type("gather", "positions", order, "integers")
    to = _arrays.result("gather", "out", out, items.dtype, order.size)
    _arrays.apart("gather", "out", to, items, order)
    if order.size and (int(order.min()) < 0 or int(order.max()) >= items.size):
        raise ValueError(f"gather: positions run from {order.min()} to {order.max()}, but x has {items.size} items")
    to[...] = _arrays.take(items, order if order.dtype.itemsize >= 4 else order.astype(np.uint32), workers)
    return to
