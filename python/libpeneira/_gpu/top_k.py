# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""top_k and arg_top_k."""
from __future__ import annotations

from typing import Any

from .. import _arrays, _cuda
from .._top_k import count_of
from .arrays import Call, Operand, calling
from .moves import take


def _found(call: Call, keys: Operand, k: int, largest: bool, in_order: bool) -> Operand:
    """The positions of the k first of the order."""
    call.few_enough(keys)
    wide = call.widened(keys)
    numbers = call.number(keys.size)
    positions = call.new(k, numbers.kind)
    dropped = call.new(k, wide.kind)  # keys that come along
    _cuda.top_k(wide.address, dropped.address, numbers.address, positions.address, keys.size, wide.code,
                k, not largest, in_order, call.where)
    return positions


def top_k(x: Any, k: int, *, largest: bool = True, sorted: bool = True, values: Any = None, out: Any = None,
          stream: Any = None) -> Any:
    with calling("top_k", x, stream) as call:
        keys = call.ordered("x", x)
        count = count_of("top_k", k, keys.size)
        greatest, in_order = _arrays.flag("top_k", "largest", largest), _arrays.flag("top_k", "sorted", sorted)
        if values is None:
            to = call.apart("out", call.result("out", out, count, keys.kind), keys)
            return take(call, keys, _found(call, keys, count, greatest, in_order), to).array
        column = call.beside("values", values, keys.size)
        out_keys, out_values = _arrays.pair("top_k", out)
        to = call.apart("out[0]", call.result("out[0]", out_keys, count, keys.kind), keys, column)
        moved = call.apart("out[1]", call.result("out[1]", out_values, count, column.kind), keys, column, to)
        positions = _found(call, keys, count, greatest, in_order)
        return take(call, keys, positions, to).array, take(call, column, positions, moved).array


def arg_top_k(x: Any, k: int, *, largest: bool = True, sorted: bool = True, out: Any = None, stream: Any = None) -> Any:
    with calling("arg_top_k", x, stream) as call:
        keys = call.ordered("x", x)
        greatest, in_order = _arrays.flag("arg_top_k", "largest", largest), _arrays.flag("arg_top_k", "sorted", sorted)
        found = _found(call, keys, count_of("arg_top_k", k, keys.size), greatest, in_order)
        if out is None:
            return found.array
        to = call.positions("out", out, found.size, keys.size)
        to.array[...] = call.library.cast(found.array, to.kind)
        return to.array
