# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Calls over the ranks of a communicator of mpi4py: the arrays of all ranks, in rank order, are one array.

Every rank makes the call. What one rank refuses is refused on all of them, before any data moves.
"""
from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from . import _arrays, _cpu, _reduce
from ._arrays import Array
from ._bins import BinFunction
from ._groups import TABLE_OPS, Tables, make_part, pairs_of
from ._ranks import Words, agreed, compiled, one_column, word_column, words_for


def _refuse_stream(call: str, stream: Any) -> None:
    if stream is not None:
        raise TypeError(f"{call}: stream is {stream!r}, but calls over ranks are of arrays on the CPU")


def _share(call: str, name: str, out: Any, dtype: np.dtype[Any], size: int) -> Array:
    """The caller's array for this rank's share of a result, which may be of any size, or a new one of so many."""
    return _arrays.result(call, name, out, dtype, out.size if isinstance(out, np.ndarray) else size)


def sort(x: Any, comm: Any, *, values: Any, descending: Any, out: Any, threads: int | None, stream: Any) -> Any:
    def prepare() -> tuple[Any, tuple[Any, ...]]:
        _refuse_stream("sort", stream)
        keys = one_column("sort", "x", x)
        words = words_for("sort", "x", keys, descending, _arrays.thread_count("sort", threads))
        if values is None:
            to = _share("sort", "out", out, keys.dtype, keys.size)
            return (str(keys.dtype), words.descending), (words, keys, to, None, None)
        column = _arrays.values_of("sort", values, keys.size)
        out_keys, out_values = _arrays.pair("sort", out)
        to = _share("sort", "out[0]", out_keys, keys.dtype, keys.size)
        moved = _arrays.result("sort", "out[1]", out_values, column.dtype, to.size)
        _arrays.apart("sort", "out[1]", moved, to)
        word_column("sort", "values", column)
        return (str(keys.dtype), str(column.dtype), words.descending), (words, keys, to, column, moved)

    ranks, (words, keys, to, column, moved) = agreed("sort", comm, prepare)
    sorted_words = np.empty(to.size, words.word)
    carried = carried_to = None
    aside = False
    if column is not None:
        carried = _arrays.word(column)
        aside = np.may_share_memory(column, moved)  # which the calls over ranks want whole or not at all
        carried_to = np.empty(to.size, carried.dtype) if aside else _arrays.word(moved)
    words.compiled.sort(ranks, words.of(keys), sorted_words, words.word.itemsize, carried, carried_to,
                        0 if carried is None else carried.itemsize, words.workers)
    words.back(sorted_words, to)
    if carried_to is None:
        return to
    if aside:
        _arrays.word(moved)[...] = carried_to
    return to, moved


def argsort(x: Any, comm: Any, *, descending: Any, out: Any, threads: int | None, stream: Any) -> Array:
    """Positions in the array of all ranks, of 64 bits."""

    def prepare() -> tuple[Any, tuple[Words, Array, Array]]:
        _refuse_stream("argsort", stream)
        keys = one_column("argsort", "x", x)
        words = words_for("argsort", "x", keys, descending, _arrays.thread_count("argsort", threads))
        if out is None:
            to = np.empty(keys.size, np.uint64)
        else:
            to = _arrays.writable("argsort", "out", out, (np.dtype(np.uint64), np.dtype(np.int64)),
                                  out.size if isinstance(out, np.ndarray) else 0)
        return (str(keys.dtype), words.descending), (words, keys, _arrays.apart("argsort", "out", to, keys))

    ranks, (words, keys, to) = agreed("argsort", comm, prepare)
    words.compiled.argsort(ranks, words.of(keys), words.word.itemsize, to, words.workers)
    return to


def multisplit(x: Any, by: Any, comm: Any, *, bins: Any, values: Any, out: Any, offsets: Any, threads: int | None,
               stream: Any) -> tuple[Any, Array]:
    """Every rank gets as many items as it has; the offsets are those of the whole."""
    from ._multisplit import count_for_labels, labels_of, require_labels

    def prepare() -> tuple[Any, tuple[Any, ...]]:
        _refuse_stream("multisplit", stream)
        workers = _arrays.thread_count("multisplit", threads)
        keys = one_column("multisplit", "x", x)
        column = None if values is None else _arrays.values_of("multisplit", values, keys.size)
        if column is not None:
            word_column("multisplit", "values", column)
        to, moved = _arrays.moved_to("multisplit", keys, column, out)
        told = (str(keys.dtype), None if column is None else str(column.dtype))
        how: tuple[Any, ...]
        if isinstance(by, BinFunction):
            by.require_bins("multisplit", bins)
            if keys.dtype.kind not in "iuf" or keys.dtype.itemsize not in (4, 8) or not keys.dtype.isnative:
                right = f"integers or floats of 4 or 8 bytes for {by.kind} over ranks"
                raise _arrays.wrong_type("multisplit", "x", keys, right)
            count, borders = by.bins, by.table(keys)
            how = (by.kind, by.bins, by.shift, None if borders is None else borders.tobytes())
            labels = None
        else:
            require_labels("multisplit", by)
            count, borders, how = count_for_labels("multisplit", bins), None, ("labels", bins)
            labels = labels_of("multisplit", by, keys, count, workers)
            word_column("multisplit", "x", keys)
        table = _arrays.result("multisplit", "offsets", offsets, _arrays.OFFSET, count + 1)
        return (*told, how), (workers, keys, column, to, moved, labels, count, borders, table)

    ranks, (workers, keys, column, to, moved, labels, count, borders, table) = agreed("multisplit", comm, prepare)
    split = compiled("multisplit").multisplit

    def move(items: Array, items_to: Array, carried: Array | None, carried_to: Array | None) -> None:
        kind, shift = ("label", 0) if labels is not None else (by.kind, by.shift)
        code = _cpu.types["u4"] if labels is not None else _arrays.type_code("multisplit", "x", items)
        split(ranks, items, items_to, code, None if carried is None else _arrays.word(carried),
              None if carried_to is None else _arrays.word(carried_to), 0 if carried is None else carried.itemsize, table,
              _cpu.bin_functions[kind], count, shift, borders, workers)

    if labels is None:
        move(keys, to, column, moved)
    else:
        aside = np.empty_like(labels)
        move(labels, aside, keys, to)
        if column is not None:
            move(labels, aside, column, moved)
    return (to if moved is None else (to, moved)), table


def group_by(keys: Any, values: Any, aggregates: Any, comm: Any, *, threads: int | None,
             stream: Any) -> tuple[Any, Any]:
    """Groups ascending over the ranks: each rank gets a part of them, as its items are of all items."""

    def prepare() -> tuple[Any, tuple[Any, ...]]:
        _refuse_stream("group_by", stream)
        workers = _arrays.thread_count("group_by", threads)
        by = _GroupKeys(one_column("group_by", "keys", keys), workers)
        columns, ops, several = pairs_of(values, aggregates)
        widened: dict[int, tuple[Array, int]] = {}
        given = [None if one is None else _arrays.values_of("group_by", one, by.size) for one in columns]
        parts = [make_part("group_by", "values", one, op, widened) for one, op in zip(given, ops)]
        for op in ops:
            if op not in TABLE_OPS:
                raise ValueError(f"group_by: aggregates has {op!r}, but over ranks must be of {', '.join(TABLE_OPS)}")
        told = (str(by.words_of.dtype), tuple(None if one is None else str(one.dtype) for one in given), ops)
        return told, (by, parts, several)

    ranks, (by, parts, several) = agreed("group_by", comm, prepare)
    tables = Tables(by, lambda *given: by.gather(ranks, *given))
    results = [tables.result(part) for part in parts]
    assert tables.unique is not None
    return by.words_of.back(tables.unique), tuple(results) if several else results[0]


class _GroupKeys:
    """Keys of groups over ranks as words in their order: both zeros and all NaNs are one."""

    def __init__(self, keys: Array, workers: int) -> None:
        self.words_of = words_for("group_by", "keys", keys, False, workers)
        self.size = keys.size
        if keys.dtype.kind == "f":
            keys = keys + keys.dtype.type(0)
            keys[np.isnan(keys)] = np.nan
        self._words = self.words_of.of(keys)

    def turn(self, unique: Array) -> int:
        return 0

    def gather(self, ranks: Any, values: Array | None, code: int, op: str) -> tuple[Array, Array]:
        unique, results = np.empty(self.size, self._words.dtype), np.empty(self.size, np.uint64)
        found = self.words_of.compiled.group_by(ranks, self._words, self._words.itemsize,
                                                None if values is None else _arrays.raw(values), code,
                                                _cpu.gathers[op], unique, results, self.words_of.workers)
        return unique[:found].copy(), results[:found].copy()


def top_k(x: Any, k: Any, comm: Any, *, largest: Any, values: Any, out: Any, threads: int | None, stream: Any) -> Any:
    """The k greatest of all ranks, on every rank: each hands on its own k."""
    from ._top_k import count_of
    from ._top_k import top_k as here

    def prepare() -> tuple[Any, tuple[Any, ...]]:
        _refuse_stream("top_k", stream)
        keys = one_column("top_k", "x", x)
        _arrays.type_code("top_k", "x", keys)
        count = count_of("top_k", k, 1 << 32)
        column = None if values is None else _arrays.values_of("top_k", values, keys.size)
        best = here(keys, min(count, keys.size), largest=largest, values=column, threads=threads)
        told = (str(keys.dtype), None if column is None else str(column.dtype), count, bool(largest))
        return told, (best, count)

    _, (best, count) = agreed("top_k", comm, prepare)
    of_ranks = comm.allgather(best)
    keys = np.concatenate([one if values is None else one[0] for one in of_ranks])
    if keys.size < count:
        raise ValueError(f"top_k: k is {count}, but must be from 0 to the number of items of all ranks, {keys.size}")
    column = None if values is None else np.concatenate([one[1] for one in of_ranks])
    return here(keys, count, largest=largest, values=column, out=out, threads=threads)


_COMBINED = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum, "any": np.logical_or,
             "all": np.logical_and, "bit_and": np.bitwise_and, "bit_or": np.bitwise_or, "bit_xor": np.bitwise_xor}


def reduce(x: Any, op: Any, comm: Any, *, threads: int | None, stream: Any) -> Any:
    """Every rank gets the result."""

    def prepare() -> tuple[Any, tuple[Any, int]]:
        _refuse_stream("reduce", stream)
        items = one_column("reduce", "x", x)
        _reduce.kind("reduce", items, op)
        if op not in ("argmin", "argmax"):
            return (str(items.dtype), op), (_reduce.reduce(items, op, threads=threads), items.size)
        at = int(_reduce.reduce(items, op, threads=threads)) if items.size else 0
        return (str(items.dtype), op), ((items[at:at + 1], at), items.size)

    _, mine = agreed("reduce", comm, prepare)
    of_ranks = comm.allgather(mine)
    if op not in ("argmin", "argmax"):
        return _reduce.reduce(np.array([one for one, _ in of_ranks]), op, threads=1)
    with_items = [rank for rank, (_, size) in enumerate(of_ranks) if size]
    if not with_items:
        raise ValueError(f"reduce: x has no items on any rank, of which {op!r} could be one")
    best = with_items[int(_reduce.reduce(np.concatenate([of_ranks[rank][0][0] for rank in with_items]), op, threads=1))]
    return np.int64(sum(size for _, size in of_ranks[:best]) + of_ranks[best][0][1])


def segmented_reduce(x: Any, segments: Any, op: Any, comm: Any, *, out: Any, threads: int | None, stream: Any) -> Array:
    """The segments are those of the whole, the same on all ranks, which share out the results evenly."""
    call = "segmented_reduce"

    def prepare() -> tuple[Any, Array]:
        _refuse_stream(call, stream)
        items = one_column(call, "x", x)
        if _reduce.kind(call, items, op) and op in ("argmin", "argmax"):
            raise ValueError(f"{call}: op is {op!r}, but over ranks must be one of {', '.join(_COMBINED)}")
        if out is not None:
            raise TypeError(f"{call}: out is given, but over ranks the results are shared out anew")
        return (str(items.dtype), op), items

    _, items = agreed(call, comm, prepare)
    sizes = comm.allgather(items.size)
    begin, size = sum(sizes[:comm.rank]), sum(sizes)

    def clip() -> tuple[Any, Array]:
        table = _arrays.offsets(call, segments, size)
        if np.any(table[1:] < table[:-1]) or int(table[-1]) > size:
            raise ValueError(f"{call}: segments must not descend, nor end beyond the {size} items of all ranks")
        return (table.size, hashlib.blake2b(table.tobytes()).hexdigest()), np.clip(table, begin, begin + items.size) - begin

    _, table = agreed(call, comm, clip)
    held = np.flatnonzero(np.diff(table))  # the segments of which this rank has items lie side by side
    first, last = (int(held[0]), int(held[-1]) + 1) if held.size else (0, 0)
    part = _reduce.segmented_reduce(items, table[first:last + 1], op, threads=threads)
    shares = [(table.size - 1) * rank // comm.size for rank in range(comm.size + 1)]
    sent = []
    for to, until in zip(shares, shares[1:]):
        low, high = max(first, to), min(last, until)
        sent.append((low - to, part[low - first:high - first] if low < high else part[:0]))
    mine = shares[comm.rank + 1] - shares[comm.rank]
    nothing = _reduce.segmented_reduce(items[:0], np.zeros(2, _arrays.OFFSET), op)
    results = np.full(mine, nothing[0], part.dtype)
    with np.errstate(all="ignore"):
        for at, arrived in comm.alltoall(sent):
            where = slice(at, at + arrived.size)
            results[where] = _COMBINED[op](results[where], arrived)
    return results
