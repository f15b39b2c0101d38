# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""group_by, partition and sort of data frames, of pandas or polars, whichever it is.

Columns that rows are grouped, partitioned or sorted by: integers, bool, floats, dates, times, strings and categories
(in their own order; a Categorical of polars in that of its strings). Others raise TypeError with the column's name. Nulls among them are a key of their
own, the last; a NaN is a number, the greatest, except in pandas, where it is a null.

>>> import libpeneira as pn
>>> try:
...     import pandas as pd
...     df = pd.DataFrame({"shop": ["b", "a", "b"], "price": [5.0, 20.0, 7.5]})
...     pn.frame.group_by(df, "shop", {"total": ("price", "sum"), "n": "count"}).to_dict("list")
... except ImportError:
...     {"shop": ["a", "b"], "total": [20.0, 12.5], "n": [1, 2]}
{'shop': ['a', 'b'], 'total': [20.0, 12.5], 'n': [1, 2]}
"""
from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _arrays
from ._arrays import Array, Flags, Integer
from ._bins import bin_count, hashed
from ._frames import Frame, KeyColumn, frame_of
from ._groups import Keys, aggregate, make_part
from ._multisplit import multisplit
from ._rows import Rows, directions

__all__ = ["group_by", "partition", "sort"]

_POSITION_NAME = "positions"
_HASH_STEP = np.uint64(0x9E3779B97F4A7C15)
_TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}  # of a unit in a second
_HASH_NULL = np.uint64(0x6C6C756E)


def _columns(call: str, name: str, frame: Frame, by: Any) -> list[str]:
    """Names of columns that a frame has."""
    names = [by] if isinstance(by, str) else by
    if not isinstance(names, Sequence) or isinstance(names, bytes) or not all(isinstance(one, str) for one in names):
        raise TypeError(f"{call}: {name} must be the name of a column, or a list of names")
    if not names:
        raise ValueError(f"{call}: {name} names no column")
    for one in names:
        if one not in frame.names:
            raise ValueError(f"{call}: {name} has {one!r}, but the columns are {', '.join(map(repr, frame.names))}")
    return list(names)


def _codes(call: str, keys: list[KeyColumn]) -> list[int]:
    return [_arrays.type_code(call, key.name, key.keys) for key in keys]


def group_by(df: Any, by: str | Sequence[str], aggregates: Mapping[str, str | tuple[str, str]], *,
             threads: Integer | None = None) -> Any:
    """A frame with a row for each key: the columns `by`, ascending, and what `aggregates` says.

    `aggregates` has the names of results: `{"total": ("price", "sum")}` is the sum of the column price, `{"price": "sum"}`
    the same under its own name, and `{"n": "count"}` how many rows there are. Aggregates are those of
    `libpeneira.group_by`. Values with nulls are refused: a fill says what they are worth. (NaN of a float column of
    pandas counts as the number that it is.)
    """
    call = "frame.group_by"
    frame = frame_of(call, df)
    names = _columns(call, "by", frame, by)
    workers = _arrays.thread_count(call, threads)
    if not isinstance(aggregates, Mapping) or not aggregates:
        raise TypeError(f"{call}: aggregates must be a dict of names of results, such as {{'n': 'count'}}")
    keys = [frame.key(call, one) for one in names]
    words = Keys([key.keys for key in keys], _codes(call, keys), [key.nulls for key in keys], workers)
    values: dict[str, Array] = {}
    widened: dict[int, tuple[Array, int]] = {}
    parts = []
    for result, told in aggregates.items():
        if not isinstance(result, str):
            raise TypeError(f"{call}: aggregates has {result!r}, but names of results are strings")
        if result in names:
            raise ValueError(f"{call}: aggregates has {result!r}, which is a column of by")
        column, op = told if isinstance(told, tuple) and len(told) == 2 else (result, told)
        if op == "count":
            parts.append(make_part(call, column, None, op, widened))
            continue
        if column not in values:
            _columns(call, f"aggregates[{result!r}]", frame, column)
            values[column] = frame.values(call, column)
        parts.append(make_part(call, column, values[column], op, widened))
    places = _arrays.number(frame.size)
    parts.append(make_part(call, _POSITION_NAME, places, "min", widened))
    _, results = aggregate(words, parts)
    return frame.with_columns(names, results.pop(), dict(zip(aggregates, results)))


def sort(df: Any, by: str | Sequence[str], *, descending: Flags = False,
         threads: Integer | None = None) -> Any:
    """The rows of a frame in the order of columns: by the first, those that are equal there by the second, and so on.

    `descending` may be a list, one for each column. Rows that are equal in all of them keep their order; nulls come last,
    whether or not the others descend, and -0.0 is before 0.0, as in `libpeneira.sort`.
    """
    call = "frame.sort"
    frame = frame_of(call, df)
    names = _columns(call, "by", frame, by)
    keys = [frame.key(call, one) for one in names]
    falls = directions(call, descending, len(keys))
    rows = Rows([key.keys for key in keys], _codes(call, keys), descending=falls, nulls=[key.nulls for key in keys],
                threads=_arrays.thread_count(call, threads))
    return frame.take(rows.argsort(_arrays.positions(call, "out", None, frame.size)))


def partition(df: Any, by: str | Sequence[str], n: Integer, *, threads: Integer | None = None) -> list[Any]:
    """A list of `n` frames: rows that are equal in the columns `by` are in one of them, others are spread evenly.

    Rows keep their order. Which frame a key is in depends on the key alone, not on the frame or the machine: two frames
    that are partitioned by columns of the same kind can be joined part by part. Integers of any width are one kind; so
    are floats; strings, with categories of strings; dates and times of any unit, which are instants, a date its midnight
    and one with a time zone the instant in UTC; and durations, with times of day.
    """
    call = "frame.partition"
    frame = frame_of(call, df)
    names = _columns(call, "by", frame, by)
    workers = _arrays.thread_count(call, threads)
    parts = bin_count(call, n, "n")
    mixed = np.zeros(frame.size, np.uint64)
    for one in names:
        mixed = _mix(mixed, _hash_bits(frame.key(call, one)))
    (_, order), offsets = multisplit(mixed, hashed(parts), values=_arrays.number(frame.size), threads=workers or None)
    return frame.parts(order, offsets)


def _mix(before: Array, bits: Array) -> Array:
    """What is known of a row so far, and one more column."""
    mixed = (before ^ bits) * _HASH_STEP
    result: Array = mixed ^ (mixed >> np.uint64(29))
    return result


def _hash_time(ticks: Array, unit: str) -> Array:
    """64 bits of a time that are the same in every unit: of its whole seconds, which fit in each, and of its rest in ns."""
    if unit == "D":
        seconds, rest = ticks * 86_400, np.zeros_like(ticks)  # days of libraries have 32 bits
    else:
        a_second = _TICKS[unit]
        seconds, rest = np.divmod(ticks, a_second)
        rest *= _TICKS["ns"] // a_second
    return _mix(seconds.view(np.uint64), rest.view(np.uint64))


def _hash_bits(key: KeyColumn) -> Array:
    """64 bits of each key that are the same wherever it is met."""
    if key.labels is not None:
        table = np.array([int.from_bytes(hashlib.blake2b(str(one).encode("utf-8", "surrogatepass"), digest_size=8).digest(),
                                         "little") for one in key.labels] or [0], np.uint64)
        bits = table[key.keys if key.nulls is None else np.where(key.nulls, 0, key.keys)]
    elif key.unit is not None:
        bits = _hash_time(key.keys.astype(np.int64), key.unit)
    elif key.keys.dtype.kind == "f":
        with np.errstate(invalid="ignore"):
            numbers = key.keys.astype(np.float64)
        numbers[numbers == 0] = 0
        numbers[np.isnan(numbers)] = np.nan
        bits = numbers.view(np.uint64)
    elif key.keys.dtype.kind == "u":
        bits = key.keys.astype(np.uint64)
    else:
        bits = key.keys.astype(np.int64).view(np.uint64)
    return bits if key.nulls is None else np.where(key.nulls, _HASH_NULL, bits)
