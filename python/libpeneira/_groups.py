# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""group_by."""
from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from . import _arrays, _cpu, _reduce
from ._arrays import Array, Integer, OnGpu
from ._devices import on_gpu, over_ranks
from ._rows import Rows, columns_of

OTHERS = ("count", "mean", "first", "last")  # besides what reduce has
TABLE_OPS = ("sum", "min", "max", "count", "mean")
_MOST_TABLES = 4  # walks over the items, beyond which one sort and a look at each group are less work


class Keys:
    """Keys of groups as words, and back. Groups are found in the words' order and turned into that of the keys."""

    def __init__(self, columns: list[Array], codes: list[int], nulls: list[Array | None] | None,
                 workers: int) -> None:
        self.columns = columns
        self.size = columns[0].size
        self.workers = workers
        self.rows: Rows | None = None
        self._words: Array | None = None
        if len(columns) == 1 and columns[0].dtype.kind in "iubmM" and (nulls is None or nulls[0] is None):
            keys, _ = _arrays.widened(columns[0], codes[0])
            self._words = _arrays.word(keys)
        else:
            self.rows = Rows(columns, codes, nulls=nulls, merged=True, threads=workers)

    @property
    def fits_a_word(self) -> bool:
        return self.rows is None or self.rows.bits <= 64

    def words(self) -> Array:
        """One word for every row, where it fits."""
        if self._words is None:
            assert self.rows is not None
            self._words = self.rows.words()
        return self._words

    def turn(self, unique: Array) -> int:
        """How far groups in the order of words are to be rolled: negative numbers are behind others as words."""
        kind = self.columns[0].dtype.kind
        if self.rows is not None or kind in "ub":
            return 0
        half = unique.dtype.type(1 << (8 * unique.dtype.itemsize - 1))  # which is NaT, the last, among times
        return -int(np.searchsorted(unique, half, side="right" if kind in "mM" else "left"))

    def back(self, unique: Array) -> list[tuple[Array, Array | None]]:
        """The keys of groups, each with its nulls, from their words, which were turned."""
        if self.rows is not None:
            return self.rows.read_back(unique)
        dtype = self.columns[0].dtype
        if dtype.itemsize >= 4:
            return [(unique.view(dtype), None)]
        return [(unique.view(np.int32).astype(dtype) if dtype.kind == "i" else unique.astype(dtype), None)]


class Sorted(NamedTuple):
    """Items by their groups: the order of all, and where each group begins."""

    order: Array
    offsets: Array
    keys: list[tuple[Array, Array | None]]
    turn: int


def _ends(lengths: Array) -> Array:
    table = np.zeros(lengths.size + 1, _arrays.OFFSET)
    np.cumsum(lengths, out=table[1:])
    return table


def runs_of(items: Array, code: int, workers: int) -> tuple[Array, Array]:
    """The first of each run of equal neighbours, and their lengths."""
    values, lengths = np.empty_like(items), np.empty(items.size, np.int64)
    found = _cpu.run_lengths(items, code, values, lengths, workers)
    return values[:found].copy(), lengths[:found].copy()


def sort_groups(keys: Keys) -> Sorted:
    """The items of each group side by side, in their order."""
    order = _arrays.positions("group_by", "out", None, keys.size)
    if keys.fits_a_word:
        words = keys.words()
        code = _cpu.types["u4" if words.dtype.itemsize == 4 else "u8"]
        _cpu.argsort(words, order, code, order.dtype.itemsize, False, keys.workers)
        unique, lengths = runs_of(_arrays.take(words, order, keys.workers), code, keys.workers)
        turn = keys.turn(unique)
        return Sorted(order, _ends(lengths), keys.back(np.roll(unique, turn)), turn)
    assert keys.rows is not None
    keys.rows.argsort(order)
    heads = np.zeros(keys.size, np.bool_)
    heads[:1] = True
    for number in range((keys.rows.bits + 63) // 64):
        word = _arrays.take(keys.rows.words(number), order, keys.workers)
        heads[1:] |= word[1:] != word[:-1]
    table = np.append(np.flatnonzero(heads), keys.size).astype(_arrays.OFFSET)
    firsts = order[table[:-1]]
    found = [(one_key(column[firsts]), None if null is None else null[firsts])
             for column, null in zip(keys.columns, keys.rows.nulls)]
    return Sorted(order, table, found, 0)


def one_key(keys: Array) -> Array:
    """Keys of groups with the zero and the NaN that stand for all of them."""
    if keys.dtype.kind == "f":
        keys[keys == 0] = 0
        keys[np.isnan(keys)] = np.nan
    return keys


def _gather(keys: Keys, values: Array | None, code: int, op: str) -> tuple[Array, Array]:
    """What values of each group come to by a table: words in their order, and results of 64 bits."""
    words = keys.words()
    unique = np.empty(keys.size, words.dtype)
    results = np.empty(keys.size, np.uint64)
    found = _cpu.group_by(words, words.dtype.itemsize, None if values is None else _arrays.raw(values), code,
                          _cpu.gathers[op], unique, results, keys.workers)
    if found * 2 > keys.size:
        return unique[:found], results[:found]
    return unique[:found].copy(), results[:found].copy()


class Tables:
    """Aggregates by tables of groups, each walk done once."""

    def __init__(self, keys: Any, gather: Callable[[Array | None, int, str], tuple[Array, Array]]) -> None:
        self.keys = keys
        self.gather = gather
        self.unique: Array | None = None
        self._done: dict[tuple[int, str], Array] = {}

    def walk(self, values: Array | None, code: int, op: str) -> Array:
        at = (id(values), op)
        if at not in self._done:
            unique, results = self.gather(values, code, op)
            turn = self.keys.turn(unique)
            self.unique = np.roll(unique, turn) if turn else unique
            self._done[at] = np.roll(results, turn) if turn else results
        return self._done[at]

    def count(self) -> Array:
        return self.walk(None, 0, "count").view(np.int64)

    def result(self, part: Part) -> Array:
        if part.op == "count" or part.wide is None or part.result is None:
            return self.count()
        if part.op == "mean":
            return (self.walk(part.wide, part.code, "real_sum").view(np.float64) / self.count()).astype(part.result)
        kind = np.float64 if part.wide.dtype.kind == "f" else np.int64 if part.wide.dtype.kind == "i" else np.uint64
        with np.errstate(over="ignore"):  # a sum beyond float32 is infinite
            return self.walk(part.wide, part.code, part.op).view(kind).astype(part.result)


class Part(NamedTuple):
    """One aggregate of one column: what a table takes of it, and the type of its result."""

    op: str
    values: Array | None
    wide: Array | None = None
    code: int = 0
    result: np.dtype[Any] | None = None


def make_part(call: str, name: str, values: Array | None, op: Any, widened: dict[int, tuple[Array, int]]) -> Part:
    """An aggregate whose types were looked at."""
    if not isinstance(op, str):
        raise TypeError(f"{call}: aggregates has {op!r}, but must have strings, such as 'sum'")
    if op not in _cpu.reductions and op not in OTHERS:
        raise ValueError(f"{call}: aggregates has {op!r}, but must be of {', '.join((*_cpu.reductions, *OTHERS))}")
    if op == "count":
        return Part(op, values)
    if values is None:
        raise TypeError(f"{call}: {name} is None, but {op!r} is made of values")
    if op in ("first", "last"):
        return Part(op, values)
    result = _reduce.kind(call, values, "min" if op == "mean" else op, name)[2]
    if op == "mean":
        result = np.dtype(np.float32 if values.dtype == np.float32 else np.float64)
    if id(values) not in widened:
        widened[id(values)] = _arrays.widened(values, _arrays.type_code(call, name, values))
    wide, code = widened[id(values)]
    return Part(op, values, wide, code, result)


def aggregate(keys: Keys, parts: list[Part]) -> tuple[list[tuple[Array, Array | None]], list[Array]]:
    """Keys of groups, with their nulls, and the results of aggregates, in the order of keys."""
    walks = {(id(part.values), part.op) for part in parts}
    by_tables = keys.fits_a_word and all(part.op in TABLE_OPS for part in parts) and len(walks) <= _MOST_TABLES
    if by_tables and keys.size:
        tables = Tables(keys, partial(_gather, keys))
        results = [tables.result(part) for part in parts]
        assert tables.unique is not None
        return keys.back(tables.unique), results
    found = sort_groups(keys)
    moved: dict[int, Array] = {}
    results = [_of_sorted(part, found, moved, keys.workers) for part in parts]
    return found.keys, [np.roll(one, found.turn) for one in results] if found.turn else results


def _of_sorted(part: Part, found: Sorted, moved: dict[int, Array], workers: int) -> Array:
    """An aggregate of items that lie side by side."""
    counts = np.diff(found.offsets)
    if part.op == "count" or part.values is None:
        return counts
    if part.op in ("first", "last"):
        ends: Array = part.values[found.order[found.offsets[:-1] if part.op == "first" else found.offsets[1:] - 1]]
        return ends
    if id(part.values) not in moved:
        moved[id(part.values)] = _arrays.take(part.values, found.order, workers)
    column = moved[id(part.values)]
    if part.op == "mean":
        sums = _reduce.segmented_reduce(column.astype(np.float64), found.offsets, threads=workers or None)
        means: Array = (sums / counts).astype(part.result)
        return means
    results = _reduce.segmented_reduce(column, found.offsets, part.op, threads=workers or None)
    if part.op in ("argmin", "argmax"):
        results = found.order[results].astype(np.int64)
    return results


def keys_of(call: str, name: str, keys: Any, workers: int) -> Keys:
    """Keys that are an array, or a tuple of arrays."""
    if isinstance(keys, tuple):
        columns, codes = columns_of(call, name, keys)
        return Keys(columns, codes, None, workers)
    column = _arrays.given(call, name, keys)
    return Keys([column], [_arrays.type_code(call, name, column)], None, workers)


def group_by(keys: Array | OnGpu | tuple[Array | OnGpu, ...],
             values: Array | OnGpu | tuple[Array | OnGpu | None, ...] | None = None,
             aggregates: str | tuple[str, ...] = "sum", *, threads: Integer | None = None,
             stream: Any = None, comm: Any = None) -> tuple[Any, Any]:
    """What the values of each key come to. Returns the keys that there are, ascending, and a result for each.

    `keys` is an array of one dimension, or a tuple of arrays: rows that are equal in all of them are a group, and the
    keys come back as a tuple. `aggregates` is one of 'sum', 'prod', 'min', 'max', 'argmin', 'argmax', 'any', 'all',
    'bit_and', 'bit_or', 'bit_xor', which are those of `reduce`, or 'count', 'mean', 'first', 'last'. With a tuple of
    aggregates, of one array of values or of a tuple of as many, the results are a tuple; so they are of one aggregate
    of a tuple of arrays. 'count' needs no values.

    Keys are those of `sort`; both zeros are one key, and so are all NaNs, which come last. Sums of floats are made in
    twice their precision. The same call gives the same bits with any number of threads.

    With `comm`, a communicator of mpi4py, the arrays of all ranks are one array. Groups come ascending over the ranks:
    each gets a part of them, as large as its items are of all items. There is one column of keys then, and of
    aggregates there are 'sum', 'min', 'max', 'count' and 'mean'.

    >>> import numpy as np, libpeneira as pn
    >>> shop = np.array([7, 3, 7, 7])
    >>> price = np.array([5.0, 20.0, 7.5, 2.5])
    >>> pn.group_by(shop, price)
    (array([3, 7]), array([20., 15.]))
    >>> pn.group_by(shop, price, ("mean", "argmax", "count"))
    (array([3, 7]), (array([20.,  5.]), array([1, 2]), array([1, 3])))
    >>> year = np.array([1999, 2001, 2001, 1999])
    >>> pn.group_by((shop, year), (price, year), ("max", "count"))
    ((array([3, 7, 7]), array([2001, 1999, 2001])), (array([20. ,  5. ,  7.5]), array([1, 2, 1])))
    """
    if comm is not None:
        shares: tuple[Any, Any] = over_ranks().group_by(keys, values, aggregates, comm, threads=threads, stream=stream)
        return shares
    gpu = on_gpu("group_by", keys, stream)
    if gpu is not None:
        found_there: tuple[Any, Any] = gpu.group_by(keys, values, aggregates, stream=stream)
        return found_there
    workers = _arrays.thread_count("group_by", threads)
    by = keys_of("group_by", "keys", keys, workers)
    columns, ops, several = pairs_of(values, aggregates)
    seen: dict[int, Array] = {}
    widened: dict[int, tuple[Array, int]] = {}
    parts = []
    for i, (column, op) in enumerate(zip(columns, ops)):
        name = f"values[{i}]" if isinstance(values, tuple) else "values"
        if column is not None and id(column) not in seen:
            seen[id(column)] = _arrays.given("group_by", name, column)
            if seen[id(column)].size != by.size:
                raise ValueError(f"group_by: {name} has {seen[id(column)].size} items, but keys has {by.size}")
        parts.append(make_part("group_by", name, None if column is None else seen[id(column)], op, widened))
    found, results = aggregate(by, parts)
    unique = tuple(column for column, _ in found)
    return unique if isinstance(keys, tuple) else unique[0], tuple(results) if several else results[0]


def pairs_of(values: Any, aggregates: Any) -> tuple[tuple[Any, ...], tuple[Any, ...], bool]:
    """A column for each aggregate, and whether there are several of either."""
    columns = values if isinstance(values, tuple) else None
    ops = aggregates if isinstance(aggregates, tuple) else None
    if ops == () or columns == ():
        raise ValueError(f"group_by: {'aggregates' if ops == () else 'values'} is an empty tuple")
    if columns is not None and ops is not None and len(columns) != len(ops):
        raise ValueError(f"group_by: aggregates has {len(ops)} entries, but values has {len(columns)}")
    count = len(columns or ops or (None,))
    return columns or (values,) * count, ops or (aggregates,) * count, columns is not None or ops is not None
