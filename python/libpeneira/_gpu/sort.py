# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""sort and argsort, of an array or of rows of several."""
from __future__ import annotations

from typing import Any

from .. import _arrays, _cuda
from .._rows import directions
from .arrays import Call, Operand, calling
from .moves import take


def sort(x: Any, *, values: Any = None, descending: Any = False, out: Any = None, stream: Any = None) -> Any:
    with calling("sort", x, stream) as call:
        if isinstance(x, tuple):
            return _sort_rows(call, x, values, descending, out)
        keys = call.ordered("x", x)
        falls = _arrays.flag("sort", "descending", descending)
        if values is not None:
            return _sort_pairs(call, keys, call.beside("values", values, keys.size), falls, out)
        to = call.result("out", out, keys.size, keys.kind)
        _cuda.sort(keys.address, to.address, keys.size, keys.code, 0, 0, 0, falls, call.where)
        return to.array


def _sort_pairs(call: Call, keys: Operand, column: Operand, descending: bool, out: Any) -> tuple[Any, Any]:
    out_keys, out_values = _arrays.pair("sort", out)
    to = call.result("out[0]", out_keys, keys.size, keys.kind)
    moved = call.apart("out[1]", call.result("out[1]", out_values, keys.size, column.kind), to)
    if column.width in (4, 8):
        sort_pairs(call, keys, column, to, moved, descending)
        return to.array, moved.array
    order = argsorted(call, keys, descending)
    gathered = take(call, column, order)  # before anything is written: out may be the input
    to.array[...] = take(call, keys, order).array
    moved.array[...] = gathered.array
    return to.array, moved.array


def sort_pairs(call: Call, keys: Operand, column: Operand, to: Operand, moved: Operand, descending: bool) -> None:
    """Pairs with values of 4 or 8 bytes."""
    _cuda.sort(keys.address, to.address, keys.size, keys.code, column.address, moved.address, column.width, descending,
               call.where)


def argsort(x: Any, *, descending: Any = False, out: Any = None, stream: Any = None) -> Any:
    with calling("argsort", x, stream) as call:
        if isinstance(x, tuple):
            columns = columns_of(call, "x", x)
            order = rows_order(call, columns, directions("argsort", descending, len(columns)))
            if out is None:
                return order.array
            to = call.positions("out", out, order.size, order.size)
            to.array[...] = call.library.cast(order.array, to.kind)
            return to.array
        keys = call.ordered("x", x)
        falls = _arrays.flag("argsort", "descending", descending)
        return argsorted(call, keys, falls, call.positions("out", out, keys.size, keys.size)).array


def argsorted(call: Call, keys: Operand, descending: bool, out: Operand | None = None) -> Operand:
    """The positions of keys in their order."""
    to = call.positions("out", None, keys.size, keys.size) if out is None else out
    _cuda.argsort(keys.address, to.address, keys.size, keys.code, to.width, descending, call.where)
    return to


def columns_of(call: Call, name: str, x: tuple[Any, ...]) -> list[Operand]:
    columns = [call.ordered(f"{name}[{i}]", one) for i, one in enumerate(x)]
    for i, column in enumerate(columns):
        if column.size != columns[0].size:
            raise ValueError(f"{call.name}: {name}[{i}] has {column.size} items, but {name}[0] has {columns[0].size}")
    return columns


def rows_order(call: Call, columns: list[Operand], descending: list[bool]) -> Operand:
    """The positions of rows in their order: sorted by the last column, and stably by those before it."""
    order = argsorted(call, columns[-1], descending[-1])
    for column, falls in zip(columns[-2::-1], descending[-2::-1]):
        order = take(call, order, argsorted(call, take(call, column, order), falls))
    return order


def _sort_rows(call: Call, x: tuple[Any, ...], values: Any, descending: Any, out: Any) -> tuple[Any, ...]:
    if values is not None:
        raise TypeError("sort: values is given, but x is a tuple; argsort and gather move them")
    if out is not None and (not isinstance(out, tuple) or len(out) != len(x)):
        raise TypeError(f"sort: out must be a tuple of {len(x)} arrays, one for each column")
    columns = columns_of(call, "x", x)
    to = None if out is None else [call.result(f"out[{i}]", one, columns[i].size, columns[i].kind)
                                   for i, one in enumerate(out)]
    for i, one in enumerate(to or ()):
        call.apart(f"out[{i}]", one, *(to or ())[:i])
    order = rows_order(call, columns, directions("sort", descending, len(columns)))
    moved = [take(call, column, order).array for column in columns]
    if to is None:
        return tuple(moved)
    for one, column in zip(to, moved):
        one.array[...] = column
    return tuple(one.array for one in to)
