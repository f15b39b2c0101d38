# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Parallel sorts, partitions, group-bys, scans and reductions of NumPy arrays, on every core of the CPU.

>>> import numpy as np, libpeneira as pn
>>> pn.sort(np.array([3, 1, 2]))
array([1, 2, 3])
>>> items, offsets = pn.multisplit(np.array([0.9, 0.1, 0.4]), pn.ranges(2, 0.0, 1.0))
>>> pn.segmented_reduce(items, offsets, "max")
array([0.4, 0.9])

Calls release the interpreter's lock while they run. An array must not be written by others meanwhile.
"""
from typing import TYPE_CHECKING

from ._bins import BinFunction, digit, hashed, ranges, splitters
from ._cpu import version as __version__
from ._explain import Plan, explain, info
from ._expression import Expression, expression
from ._groups import group_by
from ._histogram import histogram
from ._memory import use_memory
from ._multisplit import multisplit
from ._partition import around, gather, partition
from ._reduce import reduce, segmented_reduce
from ._segments import scan, segmented_argsort, segmented_scan, segmented_sort
from ._sort import argsort, sort
from ._strings import sort_strings
from ._top_k import arg_top_k, segmented_top_k, top_k
from ._unique import run_lengths, unique

__all__ = ["BinFunction", "Expression", "Plan", "__version__", "arg_top_k", "argsort", "around", "digit", "explain",
           "expression", "frame", "gather", "group_by", "hashed", "histogram", "info", "multisplit", "partition", "ranges",
           "reduce", "run_lengths", "scan", "segmented_argsort", "segmented_reduce", "segmented_scan", "segmented_sort",
           "segmented_top_k", "sort", "sort_strings", "splitters", "top_k", "unique", "use_memory"]

if TYPE_CHECKING:
    from . import frame
else:  # so that a type checker still finds a name that there is not

    def __getattr__(name):
        """`frame` is imported when it is asked for."""
        if name == "frame":
            from importlib import import_module

            return import_module(".frame", __name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
