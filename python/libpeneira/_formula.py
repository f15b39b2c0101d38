# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Expressions with the types that C++ gives their parts, and how such a formula is written in C++.

Every conversion is a term of its own, so that who computes a formula has no rule of types to know.
"""
from __future__ import annotations

from typing import NamedTuple

from ._grammar import BITWISE, CASTS, COMPARISONS, Node, WrongExpression

ITEMS = {"b1": "unsigned char", "i1": "signed char", "i2": "short", "i4": "int", "i8": "long long", "u1": "unsigned char",
         "u2": "unsigned short", "u4": "unsigned", "u8": "unsigned long long", "f4": "float", "f8": "double"}
_NAMES = {**ITEMS, "b1": "bool"}
_SUFFIXES = {"i4": "", "u4": "u", "i8": "ll", "u8": "ull", "f4": "f", "f8": ""}
_OF_REALS = ("ceil", "exp", "floor", "fmod", "log", "log2", "sqrt", "trunc")
_SHIFTS = {"<<": "shifted_up", ">>": "shifted_down"}
_LIMITS = {"i4": (-2147483649.0, 2147483648.0), "u4": (-1.0, 4294967296.0), "i8": (-9223372036854777856.0, 2.0**63),
           "u8": (-1.0, 2.0**64)}

# What formulas are written with, for C++ compilers and NVRTC, which has no headers.
HELPERS = """template <class T> static inline T lesser(T a, T b) { return b < a ? b : a; }
template <class T> static inline T greater(T a, T b) { return a < b ? b : a; }
template <class T> static inline T magnitude(T a) { return a < T(0) ? T(T(0) - a) : a; }
static inline float magnitude(float a) { return fabsf(a); }
static inline double magnitude(double a) { return fabs(a); }
template <class T, class B> static inline T shifted_up(T a, B by) {
  return by < B(0) || by >= B(8 * sizeof(T)) ? T(0) : T(a << by);
}
template <class T, class B> static inline T shifted_down(T a, B by) {
  return by < B(0) || by >= B(8 * sizeof(T)) ? (a < T(0) ? T(-1) : T(0)) : T(a >> by);
}
template <class T> static inline T whole_part(double a, double below, double above, T least) {
  return a > below && a < above ? static_cast<T>(a) : least;
}
template <class B> static inline unsigned bin_of(B b) {
  return b < B(0) || static_cast<unsigned long long>(b) > 0xFFFFFFFEULL ? 0xFFFFFFFFU : static_cast<unsigned>(b);
}
static inline unsigned bin_of(bool b) { return b; }
static inline unsigned bin_of(float b) { return b > -1.0F && b < 4294967296.0F ? static_cast<unsigned>(b) : 0xFFFFFFFFU; }
static inline unsigned bin_of(double b) { return b > -1.0 && b < 4294967295.0 ? static_cast<unsigned>(b) : 0xFFFFFFFFU; }
"""


class Term(NamedTuple):
    """A part of a formula whose parts have the types that it takes. `what` is as in Node; or 'cast', or 'bool'."""

    what: str
    kind: str
    parts: tuple[Term, ...] = ()
    value: int | float = 0


def formula(node: Node, item: str) -> Term:
    """An expression of items of a type. Raises WrongExpression where an operator does not take its operands."""
    if node.what == "x":
        return Term("x", "u1" if item == "b1" else item)
    if node.what == "number":
        return Term("number", node.kind, value=node.value)
    given = [formula(part, item) for part in node.parts]
    if node.what in CASTS:
        return _cast(given[0], CASTS[node.what])
    if node.what == "?":
        kind = given[1].kind if given[1].kind == given[2].kind else _common(given[1], given[2])
        return Term("?", kind, (_truth(given[0]), _converted(given[1], kind), _converted(given[2], kind)))
    return _unary(node, given[0]) if len(given) == 1 else _binary(node, given[0], given[1])


def _unary(node: Node, a: Term) -> Term:
    if node.what == "!":
        return Term("!", "b1", (_truth(a),))
    kind = _promoted(a.kind)
    if node.what in _OF_REALS:
        kind = kind if kind[0] == "f" else "f8"
    elif node.what == "~" and kind[0] == "f":
        raise WrongExpression("'~' takes integers", node.at)
    if node.what == "+":
        return _converted(a, kind)
    return Term(node.what, kind, (_converted(a, kind),))


def _binary(node: Node, a: Term, b: Term) -> Term:
    what = node.what
    if what in ("&&", "||"):
        return Term(what, "b1", (_truth(a), _truth(b)))
    if "f" in a.kind + b.kind and what in ("%", *_SHIFTS, *BITWISE):
        advice = "; fmod takes floats" if what == "%" else ""
        raise WrongExpression(f"{what!r} takes integers{advice}", node.at)
    if what in _SHIFTS:
        kind = _promoted(a.kind)
        return Term(what, kind, (_converted(a, kind), _converted(b, _promoted(b.kind))))
    kind = _common(a, b)
    if what == "fmod" and kind[0] != "f":
        kind = "f8"
    return Term(what, "b1" if what in COMPARISONS else kind, (_converted(a, kind), _converted(b, kind)))


def _promoted(kind: str) -> str:
    """Integers are computed with 32 bits at least."""
    return kind if kind[1] in "48" else "i4"


def _common(a: Term, b: Term) -> str:
    """The type that two operands are computed with."""
    kinds = _promoted(a.kind), _promoted(b.kind)
    floats = [kind for kind in kinds if kind[0] == "f"]
    widest = max(kind[1] for kind in floats or kinds)
    if floats:
        return "f" + widest
    return ("u" if "u" + widest in kinds else "i") + widest


def _converted(term: Term, kind: str) -> Term:
    if term.kind == kind:
        return term
    if term.what == "number" and term.kind[0] != "f" and kind[0] != "f":  # which arithmetic makes wider only
        return term._replace(kind=kind)
    return _cast(term, kind)


def _cast(term: Term, kind: str) -> Term:
    return term if term.kind == kind else Term("cast", kind, (term,))


def _truth(term: Term) -> Term:
    return term if term.kind == "b1" else Term("bool", "b1", (term,))


def is_safe(term: Term) -> bool:
    """Whether no division of integers can stop a process: by 0, or by -1."""
    divides = term.what in ("/", "%") and term.kind[0] != "f"
    if divides and not (term.parts[1].what == "number" and term.parts[1].value > 0):
        return False
    return all(map(is_safe, term.parts))


def limits(kind: str) -> tuple[float, float]:
    """Between which numbers a float has a whole part of some type of integers."""
    return _LIMITS[kind]


def least(kind: str) -> int:
    """The least integer of a type: what a float beyond it is turned into."""
    return 0 if kind[0] == "u" else -(1 << (8 * int(kind[1]) - 1))


def in_cpp(term: Term) -> str:
    """A formula as C++, with HELPERS before it."""
    what, kind = term.what, term.kind
    if what == "x":
        return "x"
    if what == "number":
        return _literal(term)
    given = [in_cpp(part) for part in term.parts]
    if what == "cast":
        return _cast_in_cpp(term, given[0])
    if what == "bool":
        return f"({given[0]} != 0)"
    if what == "?":
        return f"({given[0]} ? {given[1]} : {given[2]})"
    if what in _SHIFTS:
        return f"{_SHIFTS[what]}({given[0]}, {given[1]})"
    if what in _OF_REALS:
        return f"{what}{'f' * (kind == 'f4')}({', '.join(given)})"
    if what in ("abs", "min", "max"):
        return f"{({'abs': 'magnitude', 'min': 'lesser', 'max': 'greater'})[what]}({', '.join(given)})"
    return f"({what}{given[0]})" if len(given) == 1 else f"({given[0]} {what} {given[1]})"


def _literal(term: Term) -> str:
    if term.kind == "b1":
        return "true" if term.value else "false"
    return f"{term.value!r}{_SUFFIXES[term.kind]}"


def _cast_in_cpp(term: Term, given: str) -> str:
    to, of = term.kind, term.parts[0].kind
    if of[0] == "f" and to[0] != "f":
        below, above = limits(to)
        smallest = f"({least(to) + 1} - 1)" if to == "i4" else f"({least(to) + 1}ll - 1)" if to == "i8" else "0"
        return f"whole_part<{_NAMES[to]}>({given}, {below!r}, {above!r}, {smallest})"
    return f"static_cast<{_NAMES[to]}>({given})"
