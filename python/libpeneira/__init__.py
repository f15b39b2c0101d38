# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Parallel sort, argsort, multisplit, reduce, segmented reduce and sort of strings, on every core of the CPU.

>>> import numpy as np, libpeneira as pn
>>> pn.sort(np.array([3, 1, 2]))
array([1, 2, 3])
>>> items, offsets = pn.multisplit(np.array([0.9, 0.1, 0.4]), pn.ranges(2, 0.0, 1.0))
>>> pn.segmented_reduce(items, offsets, "max")
array([0.4, 0.9])

Calls release the interpreter's lock while they run. An array must not be written by others meanwhile.
"""
from ._bins import BinFunction, digit, hashed, ranges, splitters
from ._cpu import version as __version__
from ._explain import Plan, explain, info
from ._multisplit import multisplit
from ._reduce import reduce, segmented_reduce
from ._sort import argsort, sort
from ._strings import sort_strings

__all__ = ["BinFunction", "Plan", "__version__", "argsort", "digit", "explain", "hashed", "info", "multisplit",
           "ranges", "reduce", "segmented_reduce", "sort", "sort_strings", "splitters"]
