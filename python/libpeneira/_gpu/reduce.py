# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""reduce and segmented_reduce."""
from __future__ import annotations

from typing import Any

import numpy as np

from .. import _cpu, _cuda, _reduce
from .arrays import Call, Operand, calling

NUMBERS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1", "f4", "f8")


def reduced(call: Call, items: Operand, op: str, table: Operand | None, out: Any) -> Operand:
    """One result of all items, or of each segment."""
    call.require("x", items, NUMBERS, "integers, bool, float32 or float64")
    result = _reduce.kind(call.name, np.empty(0, np.dtype(items.kind)), op)[2]
    kind = result.kind + str(result.itemsize)
    wide = call.widened(items)
    segments = 1 if table is None else table.size - 1
    to = call.result("out", out, segments, kind)
    is_position = op in ("argmin", "argmax")
    as_wide = wide.kind if kind == items.kind and op not in ("any", "all") else kind
    found = call.new(2 * segments, "i8") if is_position else to if as_wide == kind else call.new(segments, as_wide)
    _cuda.reduce(wide.address, items.size, wide.code, 0 if table is None else table.address, segments, found.address,
                 _cpu.reductions[op], call.where)
    if is_position:
        to.array[...] = found.array[1::2]  # each behind its item
    elif found is not to:
        to.array[...] = call.narrowed(found, kind)
    return to


def reduce(x: Any, op: str = "sum", *, stream: Any = None) -> Any:
    with calling("reduce", x, stream) as call:
        items = call.given("x", x)
        if items.size == 0 and op in ("argmin", "argmax"):
            raise ValueError(f"reduce: x has no items, of which {op!r} could be one")
        return reduced(call, items, op, None, None).array.reshape(())


def segmented_reduce(x: Any, segments: Any, op: str = "sum", *, out: Any = None, stream: Any = None) -> Any:
    with calling("segmented_reduce", x, stream) as call:
        items = call.given("x", x)
        return reduced(call, items, op, call.offsets(segments, items.size), out).array
