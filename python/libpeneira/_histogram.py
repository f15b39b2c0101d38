# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""histogram."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

import numpy as np

from . import _arrays, _cpu
from ._arrays import Array, Integer, There
from ._bins import BinFunction, is_number
from ._devices import on_gpu
from ._expression import Expression
from ._multisplit import By, count_for_labels, labels_of, require_labels


@overload
def histogram(x: Array, by: By, *, bins: Integer | None = None, weights: Array | None = None,
              out: Array | None = None, threads: Integer | None = None, stream: None = None) -> Array: ...
@overload
def histogram(x: There, by: BinFunction | Expression | There | str | Callable[[Any], There], *,
              bins: Integer | None = None, weights: There | None = None, out: There | None = None,
              threads: Integer | None = None, stream: Any = None) -> There: ...
def histogram(x: Any, by: Any, *, bins: Integer | None = None, weights: Any = None, out: Any = None,
              threads: Integer | None = None, stream: Any = None) -> Any:
    """How many items each bin has, or what their weights add up to.

    Bins are those of `multisplit`: a bin function, an array of labels, or a function that makes one of `x`. Counts are
    int64; sums of weights are int64 of integers, which wrap around, and float64 of floats, the same bits with any
    number of threads. `out` is where they go.

    >>> import numpy as np, libpeneira as pn
    >>> x = np.array([31, 5, 77, 12])
    >>> pn.histogram(x, pn.ranges(4, 0, 99))
    array([2, 1, 0, 1])
    >>> pn.histogram(x, x % 2, bins=2, weights=np.array([0.5, 1.0, 2.0, 4.0]))
    array([4. , 3.5])
    """
    gpu = on_gpu("histogram", x, stream)
    if gpu is not None:
        return gpu.histogram(x, by, bins=bins, weights=weights, out=out, stream=stream)
    keys = _arrays.given("histogram", "x", x)
    workers = _arrays.thread_count("histogram", threads)
    weight, weighed = _weights_of(weights, keys.size)
    result = np.dtype(np.float64 if weighed == "real" else np.int64)
    if isinstance(by, BinFunction):
        by.require_bins("histogram", bins)
        count, shift, kind = by.bins, by.shift, by.kind
        items, borders = _keys_for(keys, by)
    else:
        require_labels("histogram", by)
        count, shift, kind, borders = count_for_labels("histogram", bins), 0, "label", None
        items = labels_of("histogram", by, keys, count, workers)
    to = _arrays.apart("histogram", "out", _arrays.result("histogram", "out", out, result, count), items, weight)
    code = _arrays.type_code("histogram", "x", items)
    _cpu.histogram(items, code, weight, _cpu.weights[weighed], to, _cpu.bin_functions[kind], count, shift, borders,
                   workers)
    return to


def _keys_for(keys: Array, by: BinFunction) -> tuple[Array, Array | None]:
    """Keys of 4 or 8 bytes that are in the same bins, and what they are compared with."""
    if not is_number(keys.dtype):
        raise _arrays.wrong_type("histogram", "x", keys, f"integers, bool, float32 or float64 for {by.kind}")
    table = by.table(keys)
    if keys.dtype.itemsize >= 4:
        return keys, table
    if table is None:  # digits and hashes are of the bits
        return keys.view(np.uint8 if keys.dtype.itemsize == 1 else np.uint16).astype(np.uint32), None
    wide = np.int32 if keys.dtype.kind == "i" else np.uint32
    return keys.astype(wide), table.astype(wide)


def _weights_of(weights: Any, size: int) -> tuple[Array | None, str]:
    """Weights of 8 bytes, and how they are added up."""
    if weights is None:
        return None, "count"
    given = _arrays.given("histogram", "weights", weights)
    if given.dtype.kind not in "iufb" or given.dtype.itemsize > 8 or not given.dtype.isnative:
        raise _arrays.wrong_type("histogram", "weights", given, "integers, bool, float16, float32 or float64")
    if given.size != size:
        raise ValueError(f"histogram: weights has {given.size} items, but x has {size}")
    if given.dtype.kind == "f":
        return given.astype(np.float64, copy=False), "real"
    return given.astype(np.int64, copy=False), "whole"
