# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Bins by an expression of C++, such as "x * 361": compiled where there is a compiler, else evaluated by NumPy."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _arrays
from ._arrays import Array
from ._devices import gpu_part

if TYPE_CHECKING:
    from ._formula import Term
    from ._grammar import Node

# What reads and compiles expressions is imported where one is met: the rest of the package starts without it.


class Expression:
    """What `expression` makes."""

    __slots__ = ("_tree", "text")

    def __init__(self, call: str, name: str, text: Any) -> None:
        from . import _grammar

        if not isinstance(text, str):
            raise TypeError(f"{call}: {name} is of type {type(text).__name__}, but must be a string")
        self.text = text
        try:
            self._tree: Node = _grammar.parse(text)
        except _grammar.WrongExpression as e:
            raise ValueError(f"{call}: {name} is {_shown(text)}, which is no expression of x: {e}") from None

    def __repr__(self) -> str:
        return f"<libpeneira.expression: {self.text}>"

    def how(self, dtype: Any, *, gpu: bool = False) -> str:
        """Says how bins of items of a type are found, there or on a GPU: compiled, and by what, or evaluated by NumPy,
        and why. What it says is compiled was, and is kept."""
        from . import _compiled

        try:
            of = np.dtype(dtype)
        except TypeError:
            raise TypeError(f"expression.how: dtype is {dtype!r}, which NumPy does not know") from None
        formula = self.formula("expression.how", "text", "dtype", of)
        if gpu:
            return str(gpu_part("expression").expressions.how())
        return _compiled.prepared(formula, of.kind + str(of.itemsize))[1]

    def formula(self, call: str, name: str, keys_name: str, dtype: np.dtype[Any]) -> Term:
        """What it computes of items of a type."""
        from . import _formula
        from ._grammar import WrongExpression

        kind = dtype.kind + str(dtype.itemsize)
        if kind not in _formula.ITEMS or not dtype.isnative:
            right = "integers, bool, float32 or float64 for an expression"
            if keys_name == "dtype":
                raise TypeError(f"{call}: dtype is {dtype}, but must be of {right}")
            raise _arrays.wrong_type(call, keys_name, np.empty(0, dtype), right)
        try:
            return _formula.formula(self._tree, kind)
        except WrongExpression as e:
            raise ValueError(f"{call}: {name} is {_shown(self.text)}, which is no expression of x of dtype {dtype}: "
                             f"{e}") from None

    def labels(self, call: str, keys: Array, workers: int) -> Array:
        """The bin of every item; 2**32 - 1 where it would be none."""
        import logging

        from . import _compiled, _evaluate

        formula = self.formula(call, "by", "x", keys.dtype)
        address, how = _compiled.prepared(formula, keys.dtype.kind + str(keys.dtype.itemsize))
        logging.getLogger("libpeneira").info("%s: by %r is %s", call, self.text, how)
        if address:
            return _compiled.call_at(address, keys, workers)
        try:
            return _evaluate.bins(formula, keys)
        except ZeroDivisionError:
            raise ValueError(f"{call}: by is {_shown(self.text)}, which divides by 0") from None

    def refused(self, call: str, keys: Array, labels: Array, bins: int) -> ValueError:
        """What to raise for the first item whose result is in no bin."""
        from . import _evaluate

        at = int(np.argmax(labels >= bins))
        one = keys[at:at + 1]
        found = _evaluate.value(self.formula(call, "by", "x", keys.dtype), one)[0]
        return ValueError(f"{call}: by is {_shown(self.text)}, which is {found} for item {at}, {one[0]}, but there are "
                          f"{bins} bins")


def _shown(text: str) -> str:
    return repr(text) if len(text) <= 80 else repr(text[:80]) + "..."


def expression(text: str) -> Expression:
    """Bins by an expression of C++ in which `x` is an item: `multisplit(x, "x * 361", bins=361)` does the same.

    It has the numbers and the operators of C++ for arithmetic, comparisons, bits, logic and `?:`, with its precedence
    and types (`7 / 2` is 3), and `floor`, `ceil`, `trunc`, `sqrt`, `abs`, `exp`, `log`, `log2`, `fmod`, `min`, `max`,
    and casts such as `int(x)`. What C++ leaves open is settled: integers wrap around, a shift by all bits or more
    leaves none, and a float that an integer cannot have becomes the least one. `1 < x < 3` and `x & 3 == 1`, which
    Python reads differently, need parentheses. An error names the place in the text.

    Where a C++ compiler is found (CXX, c++, g++ or clang++) it is compiled, once: the result is kept in
    LIBPENEIRA_CACHE, or in ~/.cache/libpeneira, for this processor and compiler. Else NumPy evaluates it, to the same
    bins but for the last bit of `exp` and logarithms. `expression(text).how(dtype)` says which. A result that is not in
    a bin is an error that names the item.

    Of arrays on a GPU it is compiled by NVRTC, which the CUDA toolkit has, and `pip install libpeneira[jit]`; an item
    whose result is not in a bin is left out there, as one whose label is not.

    >>> import numpy as np, libpeneira as pn
    >>> pn.multisplit(np.array([0.9, 0.1, 0.4]), "x * 2", bins=2)
    (array([0.1, 0.4, 0.9]), array([0, 2, 3]))
    """
    return Expression("expression", "text", text)
