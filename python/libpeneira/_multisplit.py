# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""multisplit."""
from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, overload

import numpy as np

from . import _arrays, _cpu
from ._arrays import Array, Integer, There
from ._bins import BinFunction, bin_count, is_number
from ._devices import on_gpu, over_ranks
from ._expression import Expression

_LABEL = np.dtype(np.uint32)


By = BinFunction | Expression | Array | str | Callable[[Any], Array]


@overload
def multisplit(x: Array, by: By, *, bins: Integer | None = None, values: None = None, out: Array | None = None,
               offsets: Array | None = None, threads: Integer | None = None, stream: None = None,
               comm: Any = None) -> tuple[Array, Array]: ...
@overload
def multisplit(x: Array, by: By, *, bins: Integer | None = None, values: Array, out: tuple[Array, Array] | None = None,
               offsets: Array | None = None, threads: Integer | None = None, stream: None = None,
               comm: Any = None) -> tuple[tuple[Array, Array], Array]: ...
@overload
def multisplit(x: There, by: BinFunction | Expression | There | str | Callable[[Any], There], *,
               bins: Integer | None = None, values: None = None, out: There | None = None, offsets: There | None = None,
               threads: Integer | None = None, stream: Any = None) -> tuple[There, There]: ...
@overload
def multisplit(x: There, by: BinFunction | Expression | There | str | Callable[[Any], There], *,
               bins: Integer | None = None, values: There, out: tuple[There, There] | None = None,
               offsets: There | None = None, threads: Integer | None = None,
               stream: Any = None) -> tuple[tuple[There, There], There]: ...
def multisplit(x: Any, by: Any, *, bins: Integer | None = None, values: Any = None, out: Any = None,
               offsets: Any = None, threads: Integer | None = None, stream: Any = None, comm: Any = None) -> Any:
    """The items of an array by bins: all of bin 0 first, then those of bin 1, and so on, each in their order.

    Returns the items and the offsets of the bins: bin b is `items[offsets[b]:offsets[b + 1]]`. With values, the first
    is a pair of keys and values.

    Parameters:
        x: an array of one dimension: integers, bool, float32 or float64; with labels, of any type.
        by: what says which bin an item is in: `ranges`, `hashed`, `digit` or `splitters`; an array of integers, the
            bins themselves; a function that makes such an array of `x`, which is called once; an expression of C++, such
            as "x * 361" (see `expression`); or a function of ctypes or a cfunc of numba that takes pointers to the
            items and to as many uint32, where it writes bins, and their number, and is called for parts of the items
            by several threads at once.
        bins: how many there are, where `by` does not say it.
        values: an array of any type, as long as `x`, whose items move with the keys.
        out: where the items go, apart from `x`; a tuple of two where there are values.
        offsets: where the offsets go: bins + 1 int64.
        threads: how many to use; None: all that the machine offers, or OMP_NUM_THREADS.
        stream: of arrays on a GPU, the stream of CUDA's to queue the work on; None: their library's current one.
        comm: a communicator of mpi4py: the arrays of all ranks are one array, every rank gets as many items of the
            result as it had, in rank order, and the offsets of the whole. Items and values are of 4 or 8 bytes then.

    >>> import numpy as np, libpeneira as pn
    >>> x = np.array([0.9, 0.1, 0.4, 0.2])
    >>> pn.multisplit(x, pn.ranges(2, 0.0, 1.0))
    (array([0.1, 0.4, 0.2, 0.9]), array([0, 3, 4]))
    >>> pn.multisplit(np.array([5, 6, 7, 8]), lambda k: k % 3, bins=3)
    (array([6, 7, 5, 8]), array([0, 1, 2, 4]))
    >>> pn.multisplit(np.array(["ab", "c", "d"]), np.array([1, 0, 1]), bins=2)
    (array(['c', 'ab', 'd'], dtype='<U2'), array([0, 1, 3]))
    """
    if comm is not None:
        return over_ranks().multisplit(x, by, comm, bins=bins, values=values, out=out, offsets=offsets, threads=threads,
                                       stream=stream)
    gpu = on_gpu("multisplit", x, stream)
    if gpu is not None:
        return gpu.multisplit(x, by, bins=bins, values=values, out=out, offsets=offsets, stream=stream)
    keys = _arrays.given("multisplit", "x", x)
    workers = _arrays.thread_count("multisplit", threads)
    column = None if values is None else _arrays.values_of("multisplit", values, keys.size)
    if isinstance(by, BinFunction):
        by.require_bins("multisplit", bins)
        table = _result_offsets(offsets, by.bins)
        return _by_function(keys, column, by, out, table, workers), table
    require_labels("multisplit", by)
    count = count_for_labels("multisplit", bins)
    labels = labels_of("multisplit", by, keys, count, workers)
    table = _result_offsets(offsets, count)
    return _by_labels(keys, column, labels, out, table, workers), table


def _result_offsets(offsets: Any, bins: int) -> Array:
    return _arrays.result("multisplit", "offsets", offsets, _arrays.OFFSET, bins + 1)


def require_labels(call: str, by: Any) -> None:
    """Refuses what labels are not made of, before any are asked for."""
    if not callable(by) and not isinstance(by, (str, Expression, np.ndarray)):
        raise TypeError(f"{call}: by is of type {type(by).__name__}, but must be ranges, hashed, digit or splitters, "
                        "an array of labels, a function that makes one, or an expression")


def count_for_labels(call: str, bins: Any) -> int:
    if bins is None:
        raise TypeError(f"{call}: bins is missing, the number of bins, which labels do not say")
    return bin_count(call, bins)


def _is_pointer(by: Any) -> bool:
    """Whether it is a function of ctypes, or a cfunc of numba. Whoever has one has imported ctypes."""
    ctypes = sys.modules.get("ctypes")
    return ctypes is not None and (isinstance(by, ctypes._CFuncPtr) or (hasattr(by, "address") and hasattr(by, "ctypes")))


def labels_of(call: str, by: Any, keys: Array, bins: int, workers: int) -> Array:
    """The bin of every item, checked."""
    if isinstance(by, str):
        by = Expression(call, "by", by)
    if isinstance(by, Expression):
        labels = by.labels(call, keys, workers)
    elif _is_pointer(by):
        from ._compiled import pointer_labels

        labels = pointer_labels(call, by, keys, workers)
    elif not callable(by):
        labels = _arrays.given(call, "by", by)
    else:
        labels = _arrays.given(call, "by(x)", by(keys))
    if labels.dtype.kind not in "iub" or not labels.dtype.isnative:
        raise _arrays.wrong_type(call, "by", labels, "integers: the bins of the items")
    if labels.size != keys.size:
        raise ValueError(f"{call}: by has {labels.size} labels, but x has {keys.size} items")
    checked = np.empty(keys.size, _LABEL)
    try:
        _cpu.check_labels(call, labels, _arrays.type_code(call, "by", labels), checked, bins, workers)
    except ValueError:
        if isinstance(by, Expression):  # whose labels are no longer what it came to
            raise by.refused(call, keys, labels, bins) from None
        raise
    return checked


def _by_function(keys: Array, column: Array | None, by: BinFunction, out: Any, table: Array, workers: int) -> Any:
    if not is_number(keys.dtype):
        raise _arrays.wrong_type("multisplit", "x", keys, f"integers, bool, float32 or float64 for {by.kind}")
    code = _arrays.type_code("multisplit", "x", keys)
    to, moved = _arrays.moved_to("multisplit", keys, column, out)
    with_words = column is not None and _arrays.moves_as_word(column)
    carried = carried_to = None
    if with_words:
        assert column is not None and moved is not None
        carried, carried_to = _arrays.word(column), _arrays.word(moved)
    elif column is not None:
        carried, carried_to = _arrays.number(keys.size), _arrays.positions("multisplit", "out", None, keys.size)
    _cpu.multisplit(keys, to, code, carried, carried_to, 0 if carried is None else carried.itemsize, table,
                    _cpu.bin_functions[by.kind], by.bins, by.shift, by.table(keys), workers)
    if column is None or moved is None:
        return to
    if not with_words and carried_to is not None:
        moved[...] = _arrays.take(column, carried_to, workers)
    return to, moved


def _by_labels(keys: Array, column: Array | None, labels: Array, out: Any, table: Array, workers: int) -> Any:
    """Each array by the labels, which stay; items that are not moved as words by their positions."""
    to, moved = _arrays.moved_to("multisplit", keys, column, out)
    _split(keys, to, labels, table, workers)
    if column is None or moved is None:
        return to
    _split(column, moved, labels, table, workers)
    return to, moved


def _split(items: Array, to: Array, labels: Array, table: Array, workers: int) -> None:
    if items.dtype.itemsize in (1, 2, 4, 8) and not items.dtype.hasobject:
        _cpu.multisplit_by_labels(_as_bytes(items), _as_bytes(to), items.dtype.itemsize, labels, table, workers)
        return
    numbers = _arrays.number(items.size)
    order = np.empty_like(numbers)
    _cpu.multisplit_by_labels(numbers, order, numbers.itemsize, labels, table, workers)
    to[...] = _arrays.take(items, order, workers)


def _as_bytes(x: Array) -> Array:
    """Memory that Python's buffers can describe whatever its type."""
    return x.view(np.uint8)
