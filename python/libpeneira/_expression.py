# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Bins by an expression of C++, such as "x * 361": compiled where there is a compiler, else evaluated by NumPy."""
from __future__ import annotations

import re
from typing import Any

import numpy as np

from . import _arrays
from ._arrays import Array
from ._devices import gpu_part

# What reads and compiles expressions is imported where one is met: the rest of the package starts without it.

_ALLOWED = re.compile(r"[A-Za-z0-9_ .+\-*/%<>=!&|^~(),?:]+")
_CODES = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8")


class Expression:
    """What `expression` makes."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return f"<libpeneira.expression: {self.text}>"

    def how(self, dtype: Any, *, gpu: bool = False) -> str:
        """Says how bins of items of a type are found, there or on a GPU: compiled, and by what, or evaluated by NumPy, and
        why."""
        from . import _compiled, _evaluate

        if gpu:
            return str(gpu_part("expression").expressions.how())
        found = _compiled.compiler()
        if found is None:
            return "evaluated by NumPy: no C++ compiler is found"
        if not _evaluate.is_safe(self.text, np.dtype(dtype)):
            return "evaluated by NumPy: it divides integers by what may be 0"
        return f"compiled by {found[1]}"

    def labels(self, call: str, keys: Array, workers: int) -> Array:
        """The bin of every item; 2**32 - 1 where it would be none."""
        import logging

        from . import _compiled, _evaluate

        code = keys.dtype.kind + str(keys.dtype.itemsize)
        if code not in _CODES or not keys.dtype.isnative:
            raise _arrays.wrong_type(call, "x", keys, "integers, bool, float32 or float64 for an expression")
        how = self.how(keys.dtype)
        logging.getLogger("libpeneira").info("%s: by %r is %s", call, self.text, how)
        if how.startswith("compiled"):
            try:
                address = _compiled.compile_expression(self.text, code)
            except ValueError as e:
                raise ValueError(f"{call}: {e}") from None
            return _compiled.call_at(address, keys, workers)
        return _evaluate.by_numpy(call, self.text, keys)


def expression(text: str) -> Expression:
    """Bins by an expression of C++ in which `x` is an item: `multisplit(x, "x * 361", bins=361)` does the same.

    Where a C++ compiler is found (CXX, c++, g++ or clang++) it is compiled, once: the result is kept in
    LIBPENEIRA_CACHE, or in ~/.cache/libpeneira, for this processor and compiler. Else NumPy evaluates it, with the types
    of C++, which knows arithmetic, comparisons, bits, and floor, ceil, sqrt, abs, exp, log, log2, min, max.
    `expression(text).how(dtype)` says which. A result that is not in a bin is an error that names the item.

    Of arrays on a GPU it is compiled by NVRTC, which the CUDA toolkit has, and `pip install libpeneira[jit]`; an item whose
    result is not in a bin is left out there, as one whose label is not.

    >>> import numpy as np, libpeneira as pn
    >>> pn.multisplit(np.array([0.9, 0.1, 0.4]), "x * 2", bins=2)
    (array([0.1, 0.4, 0.9]), array([0, 2, 3]))
    """
    if not isinstance(text, str):
        raise TypeError(f"expression: text is of type {type(text).__name__}, but must be a string")
    depth = lowest = 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        lowest = min(lowest, depth)
    if not _ALLOWED.fullmatch(text) or not text.strip() or depth or lowest < 0 or len(text) > 4000 or "//" in text \
            or "/*" in text:
        raise ValueError(f"expression: {text[:80]!r} is no expression of x: names, numbers, operators and parentheses")
    return Expression(text.strip())
