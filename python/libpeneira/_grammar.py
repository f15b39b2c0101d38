# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""The language of expressions: a part of C++'s, read once, so that a text means one thing wherever its bins are found."""
from __future__ import annotations

import math
import re
from typing import NamedTuple

FUNCTIONS = {"abs": 1, "ceil": 1, "exp": 1, "floor": 1, "fmod": 2, "log": 1, "log2": 1, "max": 2, "min": 2, "sqrt": 1,
             "trunc": 1}
CASTS = {"int": "i4", "int32_t": "i4", "int64_t": "i8", "unsigned": "u4", "uint32_t": "u4", "uint64_t": "u8",
         "float": "f4", "double": "f8"}
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
BITWISE = ("&", "^", "|")
UNARY = ("-", "+", "~", "!")
_LEVELS = [("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="), ("<<", ">>"), ("+", "-"),
           ("*", "/", "%")]
_LEVEL = {sign: level for level, signs in enumerate(_LEVELS) for sign in signs}
_TOKEN = re.compile(r"(?P<number>0[xXbB]\w*|\.?\d(?:[eE][+-]|[\w.])*)|(?P<name>[A-Za-z_]\w*)|"
                    r"(?P<sign>\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>!&|^~(),?:])", re.ASCII)
_WHOLE = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|0|[1-9]\d*)([uU]?[lL]{0,2}|[lL]{1,2}[uU])", re.ASCII)
_REAL = re.compile(r"(\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?([fF]?)", re.ASCII)
_WRITTEN_ELSE = {"and": "&&", "or": "||", "not": "!"}
_BEYOND_FLOAT = 2.0**128 - 2.0**103  # from here on a float is infinite
_LONGEST = 4000
_DEEPEST = 200  # compilers have a limit, too
_MOST_OPEN = 100


class WrongExpression(Exception):
    """Why a text is no expression, and where."""

    def __init__(self, why: str, at: int) -> None:
        super().__init__(f"{why}, at {at}")


class Node(NamedTuple):
    """A part of an expression: 'x', 'number', a function, or an operator with what it is of; '?' has three."""

    what: str
    at: int
    parts: tuple[Node, ...] = ()
    value: int | float = 0
    kind: str = ""
    in_parentheses: bool = False
    depth: int = 1


class _Token(NamedTuple):
    text: str
    kind: str
    at: int


def _tokens(text: str) -> list[_Token]:
    found, at = [], 0
    while at < len(text):
        if text[at] in " \t":
            at += 1
            continue
        match = _TOKEN.match(text, at)
        if match is None:
            raise WrongExpression(f"{text[at]!r} has no meaning", at)
        found.append(_Token(match.group(), str(match.lastgroup), at))
        at = match.end()
    return [*found, _Token("", "end", len(text))]


def _node(what: str, at: int, *parts: Node) -> Node:
    depth = 1 + max(part.depth for part in parts)
    if depth > _DEEPEST:
        raise WrongExpression(f"more than {_DEEPEST} operators are in one another", at)
    return Node(what, at, parts, depth=depth)


class _Parser:
    """By precedence, as C++ has it."""

    def __init__(self, text: str) -> None:
        self.tokens = _tokens(text)
        self.next = 0
        self.open = 0

    def peek(self) -> _Token:
        return self.tokens[self.next]

    def take(self) -> _Token:
        token = self.tokens[self.next]
        self.next += token.kind != "end"
        return token

    def expect(self, sign: str, why: str) -> None:
        if self.peek().text != sign:
            raise WrongExpression(why, self.peek().at)
        self.take()

    def whole(self) -> Node:
        found = self.choice()
        left = self.peek()
        if left.text in _WRITTEN_ELSE:
            raise WrongExpression(f"{left.text!r} is written {_WRITTEN_ELSE[left.text]!r}", left.at)
        if left.kind != "end":
            raise WrongExpression(f"{left.text!r} cannot stand here", left.at)
        return found

    def choice(self) -> Node:
        self.open += 1
        if self.open > _MOST_OPEN:
            raise WrongExpression(f"more than {_MOST_OPEN} parts are in one another", self.peek().at)
        condition = self.binary(0)
        if self.peek().text == "?":
            at = self.take().at
            yes = self.choice()
            self.expect(":", "':' of the '?' is missing")
            condition = _node("?", at, condition, yes, self.choice())
        self.open -= 1
        return condition

    def binary(self, level: int) -> Node:
        left = self.unary()
        while _LEVEL.get(self.peek().text, -1) >= level:
            sign = self.take()
            right = self.binary(_LEVEL[sign.text] + 1)
            _same_in_python(sign, left, right)
            left = _node(sign.text, sign.at, left, right)
        return left

    def unary(self) -> Node:
        signs = []
        while self.peek().text in UNARY:
            signs.append(self.take())
        found = self.primary()
        for sign in reversed(signs):
            found = _node(sign.text, sign.at, found)
        return found

    def primary(self) -> Node:
        token = self.take()
        if token.kind == "number":
            return _number(token)
        if token.kind == "name":
            return self.name(token)
        if token.text == "(":
            found = self.choice()
            self.expect(")", "')' is missing")
            return found._replace(in_parentheses=True)
        if token.text in ("++", "--"):
            raise WrongExpression(f"{token.text!r} is no operator of numbers that stay as they are", token.at)
        raise WrongExpression("a number, x or '(' is missing", token.at)

    def name(self, token: _Token) -> Node:
        if token.text == "x":
            return Node("x", token.at)
        if token.text in ("true", "false"):
            return Node("number", token.at, value=int(token.text == "true"), kind="b1")
        if token.text in _WRITTEN_ELSE:
            raise WrongExpression(f"{token.text!r} is written {_WRITTEN_ELSE[token.text]!r}", token.at)
        if token.text not in FUNCTIONS and token.text not in CASTS:
            raise WrongExpression(f"{token.text!r} is unknown: there are x, true, false, {', '.join(FUNCTIONS)}, "
                                  f"{', '.join(CASTS)}", token.at)
        self.expect("(", f"'(' is missing behind {token.text!r}")
        given = [self.choice()]
        while self.peek().text == ",":
            self.take()
            given.append(self.choice())
        self.expect(")", "')' is missing")
        wanted = FUNCTIONS.get(token.text, 1)
        if len(given) != wanted:
            raise WrongExpression(f"{token.text!r} takes {wanted} argument{'s' * (wanted > 1)}, not {len(given)}", token.at)
        return _node(token.text, token.at, *given)


def _same_in_python(sign: _Token, left: Node, right: Node) -> None:
    """Refuses what C++ and Python read differently: 1 < x < 3 and x & 3 == 1."""
    if sign.text not in COMPARISONS and sign.text not in BITWISE:
        return
    for part in (left, right):
        if part.what in COMPARISONS and not part.in_parentheses:
            raise WrongExpression(f"a comparison beside {sign.text!r} needs parentheses: C++ and Python read it differently",
                                  sign.at)


def _number(token: _Token) -> Node:
    """A number, of the first of C++'s types that has it."""
    whole, real = _WHOLE.fullmatch(token.text), _REAL.fullmatch(token.text)
    if whole is not None:
        digits, suffix = whole.group(1), whole.group(2).lower()
        value = int(digits, 0)
        kinds = ["i4", "u4", "i8", "u8"] if digits[:2].lower() in ("0x", "0b") else ["i4", "i8"]
        if "u" in suffix:
            kinds = ["u4", "u8"]
        if "l" in suffix:
            kinds = [kind for kind in kinds if kind[1] == "8"]
        for kind in kinds:
            if value < 1 << (8 * int(kind[1]) - (kind[0] == "i")):
                return Node("number", token.at, value=value, kind=kind)
        raise WrongExpression(f"{token.text} is too large", token.at)
    if real is None:
        raise WrongExpression(f"{token.text!r} is no number of C++", token.at)
    kind = "f4" if real.group(2) else "f8"
    number = float(token.text.rstrip("fF"))
    if number >= (_BEYOND_FLOAT if kind == "f4" else math.inf):
        raise WrongExpression(f"{token.text} is too large", token.at)
    return Node("number", token.at, value=number, kind=kind)


def parse(text: str) -> Node:
    """What a text says. Raises WrongExpression."""
    if len(text) > _LONGEST:
        raise WrongExpression(f"it has more than {_LONGEST} characters", _LONGEST)
    return _Parser(text).whole()
