# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Expressions of C++ as NumPy evaluates them, with the types of C++."""
from __future__ import annotations

import ast
import re
from typing import Any

import numpy as np

from ._arrays import Array

_FUNCTIONS: dict[str, Any] = {"floor": np.floor, "ceil": np.ceil, "sqrt": np.sqrt, "abs": np.abs, "exp": np.exp,
                              "log": np.log, "log2": np.log2, "min": np.minimum, "max": np.maximum}
_COMPARISONS: dict[type, Any] = {ast.Lt: np.less, ast.LtE: np.less_equal, ast.Gt: np.greater, ast.Eq: np.equal,
                                 ast.GtE: np.greater_equal, ast.NotEq: np.not_equal}
_OPERATORS: dict[type, Any] = {ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.divide,
                               ast.BitAnd: np.bitwise_and, ast.BitOr: np.bitwise_or, ast.BitXor: np.bitwise_xor}
_BITWISE = (ast.BitAnd, ast.BitOr, ast.BitXor)


def is_safe(text: str, dtype: np.dtype[Any]) -> bool:
    """Whether no division of integers can stop a process: by 0, or by -1."""
    if dtype.kind == "f" or not re.search(r"[/%]", text):
        return True
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    divisors = [node.right for node in ast.walk(tree)
                if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.Mod, ast.FloorDiv))]
    return all(isinstance(one, ast.Constant) and isinstance(one.value, (int, float)) and one.value != 0
               for one in divisors)


def by_numpy(call: str, text: str, keys: Array) -> Array:
    """The same bins, as far as NumPy can."""
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _refuse(call, text, "it is no expression of Python") from None
    with np.errstate(all="ignore"):
        bins = np.broadcast_to(_value(call, text, tree, keys), keys.shape)
        if bins.dtype.kind == "f":
            good = (bins > -1) & (bins < 4294967295.0)
        else:
            good = (bins >= 0) & (bins.astype(np.uint64) <= 0xFFFFFFFE)
        return np.where(good, np.where(good, bins, 0).astype(np.uint32), np.uint32(0xFFFFFFFF))


def _refuse(call: str, text: str, why: str) -> ValueError:
    return ValueError(f"{call}: by is {text!r}, which NumPy cannot evaluate as C++ would: {why}")


def _value(call: str, text: str, node: ast.AST, x: Array) -> Any:
    if isinstance(node, ast.Name) and node.id == "x":
        return _promoted(x.view(np.uint8) if x.dtype.kind == "b" else x)
    if isinstance(node, ast.Constant) and isinstance(node.value, float):
        return np.float64(node.value)
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return _whole(call, text, node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd, ast.Invert)):
        inner = _value(call, text, node.operand, x)
        if isinstance(node.op, ast.Invert):
            return ~inner
        return -inner if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp):
        return _binary(call, text, node.op, _operand(call, text, node.left, node.op, x),
                       _operand(call, text, node.right, node.op, x))
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        a, b = _alike(_operand(call, text, node.left, node.ops[0], x),
                      _operand(call, text, node.comparators[0], node.ops[0], x))
        if type(node.ops[0]) in _COMPARISONS:
            return np.asarray(_COMPARISONS[type(node.ops[0])](a, b)).astype(np.int32)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS \
            and not node.keywords and len(node.args) == (2 if node.func.id in ("min", "max") else 1):
        given = [_value(call, text, one, x) for one in node.args]
        if node.func.id in ("min", "max") and np.asarray(given[0]).dtype != np.asarray(given[1]).dtype:
            raise _refuse(call, text, f"{node.func.id} of two types, which C++ refuses")
        return _FUNCTIONS[node.func.id](*given)
    raise _refuse(call, text, f"it does not know {ast.unparse(node)}")


def _whole(call: str, text: str, number: int) -> Any:
    """An integer of the first type that has it, as C++ reads it."""
    for of in (np.int32, np.int64, np.uint64):
        if number <= np.iinfo(of).max:
            return of(number)
    raise _refuse(call, text, f"{number} is too large")


def _operand(call: str, text: str, node: ast.AST, op: ast.AST, x: Array) -> Any:
    """An operand, where Python and C++ agree on what it is: & binds tighter than == in one, and looser in the other."""
    mixed = (isinstance(op, ast.cmpop) and isinstance(node, ast.BinOp) and isinstance(node.op, _BITWISE)) or (
        isinstance(op, _BITWISE) and isinstance(node, ast.Compare))
    if mixed:
        raise _refuse(call, text, "it has & | ^ beside a comparison")
    return _value(call, text, node, x)


def _promoted(x: Any) -> Any:
    """Integers as C++ computes with them: of 32 bits at least."""
    return x.astype(np.int32) if x.dtype.kind in "iu" and x.dtype.itemsize < 4 else x


def _alike(a: Any, b: Any) -> tuple[Any, Any]:
    """Both as the type that C++ computes with."""
    types = [np.asarray(one).dtype for one in (a, b)]
    floats = [t for t in types if t.kind == "f"]
    if floats:
        common = max(floats, key=lambda t: t.itemsize)
    else:
        wide = max(t.itemsize for t in types)
        common = np.dtype(("u" if any(t.kind == "u" and t.itemsize == wide for t in types) else "i") + str(wide))
    return np.asarray(a).astype(common, copy=False), np.asarray(b).astype(common, copy=False)


def _binary(call: str, text: str, op: ast.AST, a: Any, b: Any) -> Any:
    if isinstance(op, (ast.LShift, ast.RShift)):
        if a.dtype.kind == "f" or b.dtype.kind == "f":
            raise _refuse(call, text, "it shifts floats")
        by = np.asarray(b).astype(a.dtype)
        return np.left_shift(a, by) if isinstance(op, ast.LShift) else np.right_shift(a, by)
    a, b = _alike(a, b)
    whole = a.dtype.kind != "f"
    if isinstance(op, (ast.Div, ast.Mod)) and whole and not np.all(b):
        raise ValueError(f"{call}: by is {text!r}, which divides by 0")
    if isinstance(op, ast.Mod):
        if not whole:
            raise _refuse(call, text, "it has % of floats")
        return np.fmod(a, b)
    if isinstance(op, ast.Div) and whole:
        return (a - np.fmod(a, b)) // b
    if type(op) not in _OPERATORS or (isinstance(op, _BITWISE) and not whole):
        raise _refuse(call, text, f"it has {type(op).__name__} of {a.dtype}")
    return _OPERATORS[type(op)](a, b)
