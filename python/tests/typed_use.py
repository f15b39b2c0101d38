# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Calls as a caller with a type checker writes them: `mypy --strict` finds what is right here right, and each line that
is marked wrong. It is not run."""
from typing import Any

import numpy as np

import libpeneira as pn

Array = np.ndarray[Any, Any]

x = np.arange(10.0)
ids = np.arange(10)

one: Array = pn.sort(x)
keys, moved = pn.sort(x, values=ids)
rows: tuple[Array, ...] = pn.sort((x, ids), descending=(True, False))
order: Array = pn.argsort((x, ids), out=np.empty(10, np.uint32))
segments: Array = pn.segmented_sort(x, 2)
listed: Array = pn.segmented_reduce(x, [0, 2, 10], "max")
pair: tuple[Array, Array] = pn.segmented_sort(x, np.array([0, 10]), values=ids)
items, offsets = pn.multisplit(x, "x / 10 * 3", bins=3)
parts, ends = pn.partition(x, pn.around(3))
counts: Array = pn.histogram(x, pn.ranges(3, 0, 9), weights=ids)
unique, sums = pn.group_by((ids, x), (x, ids), ("sum", "max"))
best: Array = pn.arg_top_k(x, 3, largest=False)
sums_before: Array = pn.scan(x, "max", inclusive=True)
strings: Array = pn.sort_strings(["b", "a"], nulls="first")
plan: pn.Plan = pn.explain(pn.sort, n=10)
how: str = pn.expression("x * 3").how("f8")
frame: Any = pn.frame.sort(object(), ["a", "b"], descending=[True, False])

pn.sort(x, values=ids, out=x)  # type: ignore[call-overload]
pn.sort([3, 1, 2])  # type: ignore[call-overload]
pn.argsort(x, descending="yes")  # type: ignore[arg-type]
pn.segmented_reduce(x, [0, 2.5])  # type: ignore[list-item]
pn.top_k(x, "3")  # type: ignore[arg-type]
pn.group_by(ids, x, ["sum"])  # type: ignore[arg-type]
pn.scan(x, inclusive=True, exclusive=False)  # type: ignore[call-arg]
pn.sort_string(["a"])  # type: ignore[attr-defined]
