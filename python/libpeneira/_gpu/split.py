# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""multisplit, histogram and partition."""
from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import _arrays, _cpu, _cuda
from .._bins import BinFunction
from .._devices import is_on_gpu
from .._expression import Expression
from .._multisplit import count_for_labels
from .._partition import Around
from .arrays import ORDERED, Call, Operand, calling, ends_of
from .moves import take
from .reduce import NUMBERS


class _Function:
    """A bin function as the compiled half takes it, for keys of 4 or 8 bytes."""

    def __init__(self, call: Call, x: Operand, by: BinFunction) -> None:
        call.require("x", x, NUMBERS, f"integers, bool, float32 or float64 for {by.kind}")
        table = by.table(np.empty(0, np.dtype(x.kind)))
        self.keys = self._wide(call, x, table is not None)
        dtype = np.dtype(self.keys.kind)
        lo_and_hi = b""
        self.splitters: Operand | None = None  # which live for as long as this does
        if by.kind == "ranges" and table is not None:
            lo_and_hi = table.astype(dtype).tobytes()
        elif table is not None:
            self.splitters = call.from_host(_flipped(table.astype(dtype)))
        count = 0 if self.splitters is None else self.splitters.size
        self.arguments = (_cpu.bin_functions[by.kind], by.bins, by.shift, lo_and_hi,
                          0 if self.splitters is None else self.splitters.address, count, call.where)

    @staticmethod
    def _wide(call: Call, x: Operand, compared: bool) -> Operand:
        if x.width >= 4:
            return x
        if compared or x.kind == "b1":
            return call.cast(x, "i4" if x.kind[0] == "i" else "u4")
        bits = call.viewed(x, f"u{x.width}")  # digits and hashes are of the bits
        return call.cast(bits, "u4")


def _flipped(table: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Signed integers in the order of unsigned ones, as the compiled half compares them; torch has no others."""
    if table.dtype.kind != "i":
        return table if table.dtype.kind == "f" else table.view(f"i{table.dtype.itemsize}")
    return table ^ np.iinfo(table.dtype).min


def multisplit(x: Any, by: Any, *, bins: Any = None, values: Any = None, out: Any = None, offsets: Any = None,
               stream: Any = None) -> tuple[Any, Any]:
    with calling("multisplit", x, stream) as call:
        keys = call.given("x", x)
        column = None if values is None else call.beside("values", values, keys.size)
        if isinstance(by, BinFunction):
            by.require_bins("multisplit", bins)
            table = call.result("offsets", offsets, by.bins + 1, "i8")
            return _by_function(call, keys, column, by, out, table), table.array
        count = count_for_labels("multisplit", bins)
        labels = _labels(call, by, x, keys)
        table = call.result("offsets", offsets, count + 1, "i8")
        return split_by_labels(call, keys, column, labels, count, out, table), table.array


def _moved_to(call: Call, keys: Operand, column: Operand | None, out: Any) -> tuple[Operand, Operand | None]:
    """Where keys and values go that move out of place."""
    if column is None:
        return call.apart("out", call.result("out", out, keys.size, keys.kind), keys), None
    out_keys, out_values = _arrays.pair(call.name, out)
    to = call.apart("out[0]", call.result("out[0]", out_keys, keys.size, keys.kind), keys, column)
    moved = call.result("out[1]", out_values, keys.size, column.kind)
    return to, call.apart("out[1]", moved, keys, column, to)


def _by_function(call: Call, keys: Operand, column: Operand | None, by: BinFunction, out: Any, table: Operand) -> Any:
    f = _Function(call, keys, by)
    to, moved = _moved_to(call, keys, column, out)
    as_is = f.keys is keys and (column is None or column.width in (4, 8))
    carried = column if as_is else call.number(keys.size)
    split = to if f.keys is keys else call.new(keys.size, f.keys.kind)
    carried_to = moved if as_is or carried is None else call.new(keys.size, carried.kind)
    _cuda.multisplit(f.keys.address, split.address, keys.size, f.keys.code, 0 if carried is None else carried.address,
                     0 if carried_to is None else carried_to.address, 0 if carried is None else carried.width,
                     table.address, *f.arguments)
    if not as_is and carried_to is not None:
        if split is not to:
            take(call, keys, carried_to, to)
        if column is not None:
            take(call, column, carried_to, moved)
    return to.array if moved is None else (to.array, moved.array)


def split_by_labels(call: Call, keys: Operand, column: Operand | None, labels: Operand, bins: int, out: Any,
                    table: Operand) -> Any:
    """Items by bins that are known; those that are not moved as words by their positions."""
    to, moved = _moved_to(call, keys, column, out)
    alone = column is None and keys.width in (4, 8)
    carried = keys if alone else call.number(keys.size)
    carried_to = to if alone else call.new(keys.size, carried.kind)
    if not alone:
        carried_to.array[...] = 0  # where labels name no bin, positions are left out, too
    _cuda.multisplit_by_labels(carried.address, carried_to.address, carried.width, keys.size, labels.address,
                               labels.width, bins, table.address, call.where)
    if not alone:
        take(call, keys, carried_to, to)
        if column is not None:
            take(call, column, carried_to, moved)
    return to.array if moved is None else (to.array, moved.array)


def _labels(call: Call, by: Any, given: Any, x: Operand) -> Operand:
    """The bin of every item, of 4 or 8 bytes, by what is said of the array that was given. A negative one is beyond all."""
    if isinstance(by, (str, Expression)):
        from . import expressions

        return expressions.labels(call, Expression(call.name, "by", by) if isinstance(by, str) else by, x)
    made = by(given) if callable(by) and not is_on_gpu(by) else by
    labels = call.given("by(x)" if made is not by else "by", made)
    call.require("by", labels, ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"), "integers: the bins of the items")
    if labels.size != x.size:
        raise ValueError(f"{call.name}: by has {labels.size} labels, but x has {x.size} items")
    return labels if labels.width >= 4 else call.cast(labels, "i4")


def histogram(x: Any, by: Any, *, bins: Any = None, weights: Any = None, out: Any = None, stream: Any = None) -> Any:
    with calling("histogram", x, stream) as call:
        items = call.given("x", x)
        weight, weighed = _weights(call, weights, items.size)
        weights_at, how = 0 if weight is None else weight.address, _cpu.weights[weighed]
        kind = "f8" if weighed == "real" else "i8"
        if isinstance(by, BinFunction):
            by.require_bins("histogram", bins)
            f = _Function(call, items, by)
            to = call.result("out", out, by.bins, kind)
            _cuda.histogram(f.keys.address, items.size, f.keys.code, weights_at, how, to.address, *f.arguments)
            return to.array
        count = count_for_labels("histogram", bins)
        labels = _labels(call, by, x, items)
        to = call.result("out", out, count, kind)
        _cuda.histogram_of_labels(labels.address, labels.width, items.size, weights_at, how, to.address, count,
                                  call.where)
        return to.array


def _weights(call: Call, weights: Any, size: int) -> tuple[Operand | None, str]:
    """Weights of 8 bytes, and how they are added up."""
    if weights is None:
        return None, "count"
    given = call.beside("weights", weights, size)
    call.require("weights", given, (*NUMBERS, "f2", "bf2"), "integers, bool or floats")
    return (call.cast(given, "f8"), "real") if "f" in given.kind else (call.cast(given, "i8"), "whole")


def partition(x: Any, by: Any, *, values: Any = None, out: Any = None, stream: Any = None) -> tuple[Any, Any]:
    with calling("partition", x, stream) as call:
        keys = call.given("x", x)
        column = None if values is None else call.beside("values", values, keys.size)
        if isinstance(by, Around):
            bins, parts = 3, _parts_around(call, keys, by)
        else:
            mask = call.beside("by", by(x) if callable(by) and not is_on_gpu(by) else by, keys.size)
            call.require("by", mask, ("b1",), "bool")
            bins, parts = 2, 1 - call.library.cast(mask.array, "i4")
        labels = call.given("by", parts)
        table = call.new(bins + 1, "i8")
        return split_by_labels(call, keys, column, labels, bins, out, table), table.array


def _parts_around(call: Call, keys: Operand, by: Around) -> Any:
    """The part of each item: 0 below the pivot, 1 equal, 2 above. Items are compared exactly, as 64 bits."""
    library = call.library
    call.require("x", keys, ORDERED, "integers, bool or floats")
    by.parts(np.empty(0, np.dtype("f4" if keys.kind == "bf2" else keys.kind)))  # which refuses what is no pivot
    if "f" in keys.kind:
        wide = library.cast(keys.array, "f8")
        below, up_to = wide < float(by.pivot), wide <= float(by.pivot)
    else:
        first, last = _equal_to(by.pivot, *ends_of(keys.kind))
        below, up_to = _less(call, keys, first), _less(call, keys, last)
    return 2 - library.cast(below, "i4") - library.cast(up_to, "i4")


def _less(call: Call, keys: Operand, border: int) -> Any:
    """Which integers are less than a border, which is at most one beyond their greatest."""
    if border > ends_of(keys.kind)[1]:
        return keys.array == keys.array
    if keys.kind == "u8":  # in the order of signed integers, since torch compares no others of 64 bits
        return (call.library.view(keys.array, "i8") ^ -(1 << 63)) < border - (1 << 63)
    return call.library.cast(keys.array, "i8") < border


def _equal_to(pivot: Any, least: int, greatest: int) -> tuple[int, int]:
    """The integers of a type that equal a pivot, from the first on and before the last: one, or none."""
    if math.isnan(pivot) or pivot < least:
        return least, least
    if pivot > greatest:
        return greatest + 1, greatest + 1
    whole = math.floor(pivot)
    return (whole, whole + 1) if whole == pivot else (whole + 1, whole + 1)
