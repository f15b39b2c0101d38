# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""group_by, unique and run_lengths: a sort, runs of equal keys, and a reduction of each."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import _cpu, _cuda, _reduce
from .._groups import OTHERS, pairs_of
from .arrays import Call, Operand, calling
from .moves import take
from .reduce import NUMBERS, reduced
from .sort import argsorted, columns_of, rows_order, sort_pairs

_RUNS = {4: "u4", 8: "u8"}


def _compared(call: Call, x: Operand) -> Operand:
    """Items as runs are found among them, of 4 or 8 bytes: floats as such, since both zeros are equal, and all NaNs."""
    wide = call.widened(x)
    if "f" in x.kind:
        return wide
    return Operand(wide.array, wide.address, wide.size, _RUNS[wide.width])


class _Runs:
    """Runs of equal neighbours: the first item and the length of each. How many there are is read from the GPU."""

    def __init__(self, call: Call, x: Operand) -> None:
        items = _compared(call, x)
        values = call.new(items.size, items.kind if "f" in items.kind else f"i{items.width}")
        lengths = call.new(items.size + 1, "i8")
        count = call.new(1, "i8")
        _cuda.run_lengths(items.address, items.size, items.code, values.address, lengths.address, count.address,
                          call.where)
        self.count = int(count.array[0]) if items.size else 0
        self._call = call
        self._lengths = lengths
        kept = call.part(values, self.count)
        self.values = call.viewed(kept, x.kind) if x.width >= 4 else call.cast(kept, x.kind)
        self.lengths = call.part(lengths, self.count)

    def offsets(self) -> Operand:
        """Where each begins, and the end of the last."""
        call = self._call
        table = call.new(self.count + 1, "i8")
        _cuda.scan(self._lengths.address, table.address, table.size, table.code, _cpu.scans["sum"], False, call.where)
        return table


def run_lengths(x: Any, *, stream: Any = None) -> tuple[Any, Any]:
    with calling("run_lengths", x, stream) as call:
        runs = _Runs(call, call.ordered("x", x))
        return _own(call, runs.values), _own(call, runs.lengths)


def _own(call: Call, x: Operand) -> Any:
    """A part of an array as one of its own, so that the rest is free."""
    return call.library.copy(x.array)


def _merged(call: Call, x: Operand) -> Operand:
    """Keys with one zero for both, and one NaN for all, so that those of a group keep their order in a sort."""
    if "f" not in x.kind:
        return x
    array = x.array + 0.0
    array[array != array] = float("nan")
    return Operand(array, call.library.address(array), x.size, x.kind)


class _Groups:
    """Items by their groups: the order of all, where each group begins, and its key."""

    def __init__(self, call: Call, name: str, keys: Any) -> None:
        self.call = call
        given = columns_of(call, name, keys) if isinstance(keys, tuple) else [call.ordered(name, keys)]
        columns = [_merged(call, column) for column in given]
        self.size = columns[0].size
        if len(columns) == 1:
            numbers, self.order = call.number(self.size), call.positions("out", None, self.size, self.size)
            ordered = call.new(self.size, columns[0].kind)
            sort_pairs(call, columns[0], numbers, ordered, self.order, False)
            runs = _Runs(call, ordered)
            self.keys = [_own(call, runs.values)]
        else:
            self.order = rows_order(call, columns, [False] * len(columns))
            runs = _Runs(call, _row_numbers(call, [take(call, column, self.order) for column in columns]))
            firsts = take(call, self.order, call.part(runs.offsets(), runs.count))
            self.keys = [take(call, column, firsts).array for column in columns]
        self.lengths = _own(call, runs.lengths)
        self.offsets = runs.offsets()
        self._moved: dict[int, Operand] = {}

    def column(self, values: Operand) -> Operand:
        """Values side by side with those of their group."""
        if id(values) not in self._moved:
            self._moved[id(values)] = take(self.call, values, self.order)
        return self._moved[id(values)]

    def result(self, values: Operand | None, op: str) -> Any:
        call = self.call
        if op == "count" or values is None:
            return call.library.copy(self.lengths)
        if op in ("first", "last"):
            ends = self.offsets.array[:-1] if op == "first" else self.offsets.array[1:] - 1
            return take(call, self.column(values), call.given("offsets", ends)).array
        if op == "mean":
            sums = reduced(call, call.cast(self.column(values), "f8"), "sum", self.offsets, None).array
            return call.library.cast(sums / self.lengths, "f4" if values.kind == "f4" else "f8")
        found = reduced(call, self.column(values), op, self.offsets, None)
        if op in ("argmin", "argmax"):
            return call.library.cast(take(call, self.order, found).array, "i8")
        return found.array


def _row_numbers(call: Call, columns: list[Operand]) -> Operand:
    """A number for each of the sorted rows, the same for those that are equal."""
    starts = call.new(columns[0].size, "i8")
    starts.array[...] = 0
    for column in columns:
        items = _compared(call, column).array
        differ = items[1:] != items[:-1]
        if "f" in column.kind:
            differ = differ & ~((items[1:] != items[1:]) & (items[:-1] != items[:-1]))  # NaN is not itself
        starts.array[1:] |= call.library.cast(differ, "i8")
    numbers = call.new(starts.size, "i8")
    _cuda.scan(starts.address, numbers.address, starts.size, starts.code, _cpu.scans["sum"], True, call.where)
    return numbers


def group_by(keys: Any, values: Any = None, aggregates: Any = "sum", *, stream: Any = None) -> tuple[Any, Any]:
    with calling("group_by", keys, stream) as call:
        columns, ops, several = pairs_of(values, aggregates)
        looked: dict[int, Operand] = {}
        parts = []
        size = call.given("keys", keys[0] if isinstance(keys, tuple) else keys).size
        for i, (column, op) in enumerate(zip(columns, ops)):
            name = f"values[{i}]" if isinstance(values, tuple) else "values"
            parts.append((_values(call, name, column, op, size, looked), op))
        groups = _Groups(call, "keys", keys)
        results = tuple(groups.result(column, op) for column, op in parts)
        unique_keys = tuple(groups.keys) if isinstance(keys, tuple) else groups.keys[0]
        return unique_keys, results if several else results[0]


def _values(call: Call, name: str, column: Any, op: Any, size: int, looked: dict[int, Operand]) -> Operand | None:
    """The values of an aggregate, each array looked at once."""
    if not isinstance(op, str):
        raise TypeError(f"group_by: aggregates has {op!r}, but must have strings, such as 'sum'")
    if op not in _cpu.reductions and op not in OTHERS:
        raise ValueError(f"group_by: aggregates has {op!r}, but must be of {', '.join((*_cpu.reductions, *OTHERS))}")
    if column is None:
        if op == "count":
            return None
        raise TypeError(f"group_by: {name} is None, but {op!r} is made of values")
    if id(column) not in looked:
        found = call.given(name, column)
        if found.size != size:
            raise ValueError(f"group_by: {name} has {found.size} items, but keys has {size}")
        looked[id(column)] = found
    if op not in ("count", "first", "last"):
        call.require(name, looked[id(column)], NUMBERS, f"integers, bool, float32 or float64 for {op!r}")
        _reduce.kind("group_by", np.empty(0, np.dtype(looked[id(column)].kind)), "min" if op == "mean" else op, name)
    return looked[id(column)]


def unique(x: Any, *, return_index: bool = False, return_inverse: bool = False, return_counts: bool = False,
           stream: Any = None) -> Any:
    with calling("unique", x, stream) as call:
        if not (isinstance(x, tuple) or return_index or return_inverse):
            keys = _merged(call, call.ordered("x", x))
            ordered = call.new(keys.size, keys.kind)
            _cuda.sort(keys.address, ordered.address, keys.size, keys.code, 0, 0, 0, False, call.where)
            runs = _Runs(call, ordered)
            found = _own(call, runs.values)
            return (found, _own(call, runs.lengths)) if return_counts else found
        groups = _Groups(call, "x", x)
        given: list[Any] = [tuple(groups.keys) if isinstance(x, tuple) else groups.keys[0]]
        if return_index:
            firsts = take(call, groups.order, call.given("offsets", groups.offsets.array[:-1]))
            given.append(call.library.cast(firsts.array, "i8"))
        if return_inverse:
            given.append(_inverse(call, groups))
        if return_counts:
            given.append(groups.lengths)
        return tuple(given) if len(given) > 1 else given[0]


def _inverse(call: Call, groups: _Groups) -> Any:
    """For each item, the number of its group: a mark where each begins, added up, and put back where items were."""
    marks = call.new(groups.size, "i8")
    marks.array[...] = 0
    if groups.size:
        marks.array[groups.offsets.array[1:-1]] = 1
    numbers = call.new(groups.size, "i8")
    _cuda.scan(marks.address, numbers.address, marks.size, marks.code, _cpu.scans["sum"], True, call.where)
    back = argsorted(call, groups.order, False)
    return take(call, numbers, back).array
