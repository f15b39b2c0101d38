# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Calls as a caller with a type checker writes them: `mypy --strict` finds what is right here right, and each line that
is marked wrong. It is not run."""
from typing import Any

import numpy as np

import libpeneira as pn

Array = np.ndarray[Any, Any]


class Tensor:
    """An array on a GPU, as torch has them for a type checker."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {}


x = np.arange(10.0)
ids = np.arange(10)

one: Array = pn.sort(x)
keys, moved = pn.sort(x, values=ids)
rows: tuple[Array, ...] = pn.sort((x, ids), descending=(True, False))
order: Array = pn.argsort((x, ids), out=np.empty(10, np.uint32))
segments: Array = pn.segmented_sort(x, 2)
listed: Array = pn.segmented_reduce(x, [0, 2, 10], "max")
pair: tuple[Array, Array] = pn.segmented_sort(x, np.array([0, 10]), values=ids)
both: tuple[Array, ...] = pn.sort((x, ids), descending=[True, False])
items, offsets = pn.multisplit(x, "x / 10 * 3", bins=3)
same_items: Array = items
(split, split_ids), _ = pn.multisplit(x, pn.hashed(3), values=ids)
split_too: Array = split_ids
parts, ends = pn.partition(x, pn.around(3))
counts: Array = pn.histogram(x, pn.ranges(3, 0, 9), weights=ids)
unique, sums = pn.group_by((ids, x), (x, ids), ("sum", "max"))
best: Array = pn.arg_top_k(x, np.int64(3), largest=np.bool_(False))
top: Array = pn.top_k(x, 3)
tops: tuple[Array, Array] = pn.top_k(x, 3, values=ids)
distinct: Array = pn.unique(x)
distinct_rows: tuple[Array, ...] = pn.unique((x, ids))
distinct_and_counts: tuple[Array, Array] = pn.unique(x, return_counts=True)
sums_before: Array = pn.scan(x, "max", inclusive=True)
strings: Array = pn.sort_strings(["b", "a"], nulls="first")
of_bytes: Array = pn.sort_strings(b"ba", offsets=[0, 1, 2])
there = Tensor()
sorted_there: Tensor = pn.sort(there, stream=object())
order_there: Tensor = pn.argsort((there, there))
split_there: tuple[Tensor, Tensor] = pn.multisplit(there, pn.ranges(3, 0, 1))
sums_there: Tensor = pn.segmented_reduce(there, [0, 3])
plan: pn.Plan = pn.explain(pn.sort, n=10)
how: str = pn.expression("x * 3").how("f8")
frame: Any = pn.frame.sort(object(), ["a", "b"], descending=[True, False])

pn.sort(x, values=ids, out=x)  # type: ignore[call-overload]
pn.sort([3, 1, 2])  # type: ignore[call-overload]
pn.argsort(x, descending="yes")  # type: ignore[arg-type]
pn.segmented_reduce(x, [0, 2.5])  # type: ignore[list-item]
pn.top_k(x, "3")  # type: ignore[call-overload]
pn.group_by(ids, x, ["sum"])  # type: ignore[arg-type]
pn.scan(x, inclusive=True, exclusive=False)  # type: ignore[call-overload]
pn.sort_string(["a"])  # type: ignore[attr-defined]
