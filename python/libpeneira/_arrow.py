# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Columns of strings of pyarrow, polars and pandas, as bytes side by side with offsets. None of them is imported here:
who has such a column has the library."""
from __future__ import annotations

import sys
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from ._arrays import Array


class StringColumn(NamedTuple):
    """Bytes of all strings, where each begins, and whether it is null."""

    chars: Array
    starts: Array
    nulls: Array | None


def _is_of(x: Any, library: str, *names: str) -> bool:
    module = sys.modules.get(library)
    return module is not None and isinstance(x, tuple(getattr(module, name) for name in names))


def is_column(x: Any) -> bool:
    """Whether it is a column of one of these libraries."""
    return (_is_of(x, "pyarrow", "Array", "ChunkedArray") or _is_of(x, "polars", "Series")
            or _is_of(x, "pandas", "Series", "Index"))


def strings_of(call: str, name: str, x: Any) -> StringColumn:
    """A column as it lies in memory, without a copy where it is one piece of Arrow's strings."""
    if _is_of(x, "polars", "Series"):
        if str(x.dtype) not in ("String", "Binary"):
            raise TypeError(f"{call}: {name} is a polars column of {x.dtype}, but must be of strings or bytes")
        x = x.to_arrow()  # polars keeps views of strings, so that this copies them
    elif _is_of(x, "pandas", "Series", "Index"):
        values = x.array
        if not hasattr(values, "__arrow_array__"):
            raise TypeError(f"{call}: {name} is a pandas column of {x.dtype}, but must be of strings in Arrow's memory; "
                            f"{name}.tolist() is a list, and {name}.astype('string[pyarrow]') such a column")
        x = values.__arrow_array__()
    return _of_arrow(call, name, x)


def _of_arrow(call: str, name: str, x: Any) -> StringColumn:
    pa: Any = import_module("pyarrow")
    if isinstance(x, pa.ChunkedArray):
        x = x.chunk(0) if x.num_chunks == 1 else x.combine_chunks()
        if isinstance(x, pa.ChunkedArray):  # of no chunks
            x = pa.array([], x.type) if x.num_chunks == 0 else pa.concat_arrays(x.chunks)
    if pa.types.is_string_view(x.type) or pa.types.is_binary_view(x.type):
        x = x.cast(pa.large_binary() if pa.types.is_binary_view(x.type) else pa.large_string())
    small = pa.types.is_string(x.type) or pa.types.is_binary(x.type)
    if not small and not pa.types.is_large_string(x.type) and not pa.types.is_large_binary(x.type):
        raise TypeError(f"{call}: {name} is an Arrow column of {x.type}, but must be of strings or binary")
    start = np.dtype(np.uint32 if small else np.uint64)
    validity, offsets, data = x.buffers()
    chars = np.empty(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    if len(x) == 0 or offsets is None:
        return StringColumn(chars, np.zeros(1, start), None)
    starts = np.frombuffer(offsets, start, len(x) + 1, x.offset * start.itemsize)
    if int(starts[-1]) > chars.size:
        raise ValueError(f"{call}: {name} has offsets up to {starts[-1]}, but {chars.size} bytes")
    return StringColumn(chars, starts, _nulls_of(validity, x.offset, len(x)) if x.null_count else None)


def _nulls_of(validity: Any, offset: int, size: int) -> Array:
    bits = np.frombuffer(validity, np.uint8)
    nulls: Array = np.unpackbits(bits, bitorder="little")[offset:offset + size] == 0
    return nulls
