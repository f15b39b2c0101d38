# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""explain and info."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _arrays, _bins, _cpu, _reduce
from ._arrays import Integer

_CALLS = ("sort", "argsort", "multisplit", "reduce", "segmented_reduce", "segmented_sort", "histogram", "gather", "scan",
          "top_k", "run_lengths", "sort_strings")
_POSITION_RESULT = 16  # bytes of an item and its position, as they are reduced


class Plan:
    """What a call would do. `str(plan)` is all of it as text, a line a fact."""

    __slots__ = ("_text", "parameters", "place", "primitive", "steps", "strategy", "temporary_bytes", "why")

    primitive: str
    place: str
    strategy: str
    why: str
    temporary_bytes: int
    parameters: dict[str, int]
    steps: list[str]

    def __init__(self, facts: dict[str, Any]) -> None:
        self._text = facts.pop("text")
        for name, value in facts.items():
            setattr(self, name, value)

    def __str__(self) -> str:
        return str(self._text)

    def __repr__(self) -> str:
        return f"<Plan: {self.primitive} on the {self.place} by {self.strategy!r}, {self.temporary_bytes} bytes>"


def explain(call: Callable[..., Any], *, n: Integer, dtype: Any = np.float64, values: Any = None,
            bins: Integer = 256, op: str = "sum", segments: Integer = 1, k: Integer = 1,
            threads: Integer | None = None, arch: Integer | None = None, sms: Integer = 132) -> Plan:
    """What a call of this package would do with `n` items, without any.

    Parameters:
        call: `sort`, `argsort`, `multisplit`, `reduce`, `segmented_reduce`, `segmented_sort`, `histogram`, `gather`,
            `scan`, `top_k`, `run_lengths` or `sort_strings`.
        dtype: of the items; values: the dtype of values, where there are some.
        bins, op, segments, k: of the calls that have them; segments is their number.
        threads: how many a CPU may use.
        arch, sms: plan for a GPU that is merely described: its compute capability times ten, and its multiprocessors.

    >>> import numpy as np, libpeneira as pn
    >>> plan = pn.explain(pn.sort, n=1 << 28, dtype="u4", arch=90)
    >>> plan.place, plan.strategy
    ('gpu', 'msd')
    >>> pn.explain(pn.reduce, n=1000).temporary_bytes
    0
    """
    name = getattr(call, "__name__", None)
    if name not in _CALLS or not str(getattr(call, "__module__", "")).startswith(__package__ or ""):
        raise ValueError(f"explain: call is {call!r}, but must be one of this package's {', '.join(_CALLS)}")
    items = _count("n", n, 0)
    item = _width("dtype", dtype)
    value = 0 if values is None else _width("values", values)
    result = _result_bytes(name, np.dtype(dtype), op, items)
    wanted = _count("k", k, 0)
    if name == "top_k" and wanted > items:
        raise ValueError(f"explain: k is {wanted}, but must be from 0 to n, {items}")
    machine = (0, 0) if arch is None else (_count("arch", arch, 1), _count("sms", sms, 1))
    return Plan(_cpu.plan(name, items, item, value, result, _bins.bin_count("explain", bins),
                          _count("segments", segments, 0), wanted, _arrays.thread_count("explain", threads), *machine))


def _count(name: str, number: Any, least: int) -> int:
    count = _arrays.integer("explain", name, number)
    most = 2**31 - 1 if name in ("arch", "sms") else 2**48
    if not least <= count <= most:
        raise ValueError(f"explain: {name} is {count}, but must be from {least} to {most}")
    return count


def _dtype(name: str, dtype: Any) -> np.dtype[Any]:
    try:
        known: np.dtype[Any] = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"explain: {name} is {dtype!r}, which NumPy does not know") from None
    return known


def _width(name: str, dtype: Any) -> int:
    of = _dtype(name, dtype)
    if of.itemsize not in (1, 2, 4, 8):
        raise ValueError(f"explain: {name} is {of}, of {of.itemsize} bytes, but must have 1, 2, 4 or 8")
    return of.itemsize


def _result_bytes(call: str, dtype: np.dtype[Any], op: str, items: int) -> int:
    if call == "scan":
        return 4 if dtype == np.float32 else 8
    if call in ("reduce", "segmented_reduce"):
        result = _reduce.kind("explain", np.empty(0, dtype), op)[2].itemsize
        return _POSITION_RESULT if op in ("argmin", "argmax") else result
    return 4 if items <= 1 << 32 else 8


def info() -> dict[str, Any]:
    """What this machine offers: the version, the threads that a call uses, bytes of the caches that one core reaches.

    >>> import libpeneira as pn
    >>> sorted(pn.info())
    ['l1', 'l2', 'l3', 'threads', 'version']
    """
    return {"version": _cpu.version, **_cpu.machine()}
