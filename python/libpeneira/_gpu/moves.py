# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""gather and scan."""
from __future__ import annotations

from typing import Any

from .. import _arrays, _cuda
from .._segments import scan_code
from .arrays import Call, Operand, calling

def take(call: Call, x: Operand, positions: Operand, out: Operand | None = None) -> Operand:
    """The items at some positions, which are of 4 or 8 bytes."""
    to = call.new(positions.size, x.kind) if out is None else out
    _cuda.gather(x.address, x.size, x.width, positions.address, positions.size, positions.width, to.address, call.where)
    return to


def gather(x: Any, positions: Any, *, out: Any = None, stream: Any = None) -> Any:
    with calling("gather", x, stream) as call:
        items = call.given("x", x)
        order = call.given("positions", positions)
        call.require("positions", order, ("i4", "i8", "u4", "u8"), "integers of 32 or 64 bits")
        to = call.apart("out", call.result("out", out, order.size, items.kind), items, order)
        return take(call, items, order, to).array


def scan(x: Any, op: str = "sum", *, inclusive: bool = False, out: Any = None, stream: Any = None) -> Any:
    with calling("scan", x, stream) as call:
        items = call.given("x", x)
        call.require("x", items, ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1", "f4", "f8"),
                     "integers, bool, float32 or float64")
        code = scan_code("scan", op)
        result = items.kind if items.kind[0] == "f" or op not in ("sum", "prod") else _wide(items.kind)
        to = call.result("out", out, items.size, result)
        with_item = _arrays.flag("scan", "inclusive", inclusive)
        wide = result if result in ("i8", "u8", "f4", "f8") else "i8"
        added = call.cast(items, wide)
        found = to if wide == result else call.new(items.size, wide)
        _cuda.scan(added.address, found.address, items.size, added.code, code, with_item, call.where)
        if found is not to:
            to.array[...] = call.narrowed(found, result)
        return to.array


def _wide(kind: str) -> str:
    """Integers of 64 bits, of the sign of others."""
    return "u8" if kind[0] == "u" else "i8"
