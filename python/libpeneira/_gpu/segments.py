# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""segmented_sort and segmented_argsort."""
from __future__ import annotations

from typing import Any

from .. import _arrays, _cuda
from .arrays import Call, Operand, calling
from .moves import take


def _argsorted(call: Call, keys: Operand, table: Operand, descending: bool) -> Operand:
    """Positions in the order of their keys, segment by segment."""
    call.few_enough(keys)
    wide = call.widened(keys)
    numbers, order, dropped = call.number(keys.size), call.number(keys.size), call.new(keys.size, wide.kind)
    _cuda.segmented_sort(wide.address, dropped.address, keys.size, wide.code, numbers.address, order.address, 4,
                         table.address, table.size - 1, descending, call.where)
    return order


def segmented_sort(x: Any, segments: Any, *, values: Any = None, descending: bool = False, out: Any = None,
                   stream: Any = None) -> Any:
    with calling("segmented_sort", x, stream) as call:
        keys = call.ordered("x", x)
        table = call.offsets(segments, keys.size)
        falls = _arrays.flag("segmented_sort", "descending", descending)
        if values is not None:
            column = call.beside("values", values, keys.size)
            out_keys, out_values = _arrays.pair("segmented_sort", out)
            to = call.result("out[0]", out_keys, keys.size, keys.kind)
            moved = call.apart("out[1]", call.result("out[1]", out_values, keys.size, column.kind), to)
            order = _argsorted(call, keys, table, falls)
            gathered = take(call, column, order)  # before anything is written: out may be the input
            to.array[...] = take(call, keys, order).array
            moved.array[...] = gathered.array
            return to.array, moved.array
        to = call.result("out", out, keys.size, keys.kind)
        if keys.width < 4:
            to.array[...] = take(call, keys, _argsorted(call, keys, table, falls)).array
            return to.array
        if to.address != keys.address:
            to.array[...] = keys.array  # what is in no segment, too
        _cuda.segmented_sort(to.address, to.address, keys.size, keys.code, 0, 0, 0, table.address, table.size - 1,
                             falls, call.where)
        return to.array


def segmented_argsort(x: Any, segments: Any, *, descending: bool = False, out: Any = None, stream: Any = None) -> Any:
    with calling("segmented_argsort", x, stream) as call:
        keys = call.ordered("x", x)
        falls = _arrays.flag("segmented_argsort", "descending", descending)
        order = _argsorted(call, keys, call.offsets(segments, keys.size), falls)
        if out is None:
            return order.array
        to = call.positions("out", out, order.size, order.size)
        to.array[...] = call.library.cast(order.array, to.kind)
        return to.array
