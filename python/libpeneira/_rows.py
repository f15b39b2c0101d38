# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of several columns: what sorts and group-bys of tuples of arrays stand on."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _arrays, _cpu
from ._arrays import Array


class Rows:
    """Columns of one length, looked at once: how many bits tell their rows apart, in the rows' order."""

    def __init__(self, columns: Sequence[Array], codes: Sequence[int], *, descending: Sequence[bool] | None = None,
                 nulls: Sequence[Array | None] | None = None, nulls_first: bool = False, merged: bool = False,
                 threads: int = 0) -> None:
        self.columns = columns
        self.nulls = [None] * len(columns) if nulls is None else nulls
        self.size: int = columns[0].size
        self.threads = threads
        falls = [False] * len(columns) if descending is None else descending
        told = [(_arrays.raw(column), code, fall, null, nulls_first)
                for column, code, fall, null in zip(columns, codes, falls, self.nulls)]
        self._rows = _cpu.Rows(told, self.size, merged, threads)
        self.bits: int = self._rows.bits

    def argsort(self, out: Array) -> Array:
        """Which row comes where."""
        self._rows.argsort(out, out.dtype.itemsize, self.threads)
        return out

    def words(self, number: int = 0) -> Array:
        """A word of every row; where all fits 32 bits, of as many."""
        out = np.empty(self.size, np.uint32 if self.bits <= 32 else np.uint64)
        self._rows.write(number, out, out.dtype.itemsize, self.threads)
        return out

    def read_back(self, words: Array) -> list[tuple[Array, Array | None]]:
        """Columns of rows from their one word, each with its nulls."""
        found: list[tuple[Array, Array | None]] = []
        for i, (column, null) in enumerate(zip(self.columns, self.nulls)):
            keys = np.empty(words.size, column.dtype)
            mask = None if null is None else np.empty(words.size, np.bool_)
            self._rows.read_back(i, words, words.dtype.itemsize, _arrays.raw(keys), mask)
            found.append((keys, mask))
        return found


def columns_of(call: str, name: str, given: Any) -> tuple[list[Array], list[int]]:
    """The columns of a tuple, and the codes of their types."""
    if len(given) == 0:
        raise ValueError(f"{call}: {name} is an empty tuple, but must have a column at least")
    columns, codes = [], []
    for i, one in enumerate(given):
        column = _arrays.given(call, f"{name}[{i}]", one)
        codes.append(_arrays.type_code(call, f"{name}[{i}]", column))
        columns.append(column)
        if column.size != columns[0].size:
            raise ValueError(f"{call}: {name}[{i}] has {column.size} items, but {name}[0] has {columns[0].size}")
    return columns, codes


def directions(call: str, descending: Any, count: int) -> list[bool]:
    """Whether each of some columns descends."""
    if not isinstance(descending, (tuple, list)):
        return [_arrays.flag(call, "descending", descending)] * count
    if len(descending) != count:
        raise ValueError(f"{call}: descending has {len(descending)} entries, but there are {count} columns")
    return [_arrays.flag(call, f"descending[{i}]", one) for i, one in enumerate(descending)]
