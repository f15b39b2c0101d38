# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""The calls on arrays that are on a GPU, of CuPy, torch, or any library that shares them.

Work is queued on the caller's current stream, in memory of the caller's library, and nothing waits for it, but for calls
whose results are of a size that only the GPU knows.
"""
from . import expressions
from .groups import group_by, run_lengths, unique
from .moves import gather, scan
from .reduce import reduce, segmented_reduce
from .segments import segmented_argsort, segmented_sort
from .sort import argsort, sort
from .split import histogram, multisplit, partition
from .top_k import arg_top_k, top_k

__all__ = ["arg_top_k", "argsort", "expressions", "gather", "group_by", "histogram", "multisplit", "partition", "reduce", "run_lengths",
           "scan", "segmented_argsort", "segmented_reduce", "segmented_sort", "sort", "top_k", "unique"]
