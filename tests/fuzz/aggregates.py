# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""What peneira group says of a group, exactly, and how it writes that."""
import codecs
import decimal
from collections import Counter, namedtuple
from fractions import Fraction

import figures
from text import Refused

NUMBERS = ("sum", "mean", "min", "max", "median", "percentile", "stdev", "pstdev", "var", "pvar")
TEXTS = ("distinct", "mode", "first", "last", "concat", "unique")

# argument: of a percentile; field: its number, 0 where it has none
Request = namedtuple("Request", "name argument field")


def percentile(values, percent):
    values = sorted(values)
    position = Fraction(percent) / 100 * (len(values) - 1)
    low = int(position)
    if position == low:
        return values[low]
    return values[low] + (position - low) * (values[low + 1] - values[low])


def variance(values, divisor):
    mean = sum(values) / len(values)
    return sum((value - mean)**2 for value in values) / divisor


def root(value):
    """To so many digits that its double is the nearest."""
    with decimal.localcontext(decimal.Context(prec=80, Emin=-99999, Emax=99999)):
        return Fraction((decimal.Decimal(value.numerator) / decimal.Decimal(value.denominator)).sqrt())


def of_numbers(name, argument, values):
    """None where there is no such number."""
    if name == "sum":
        return sum(values, Fraction(0))
    least = 2 if name in ("stdev", "var") else 1
    if len(values) < least:
        return None
    if name in ("stdev", "var", "pstdev", "pvar"):
        spread = variance(values, len(values) - least + 1)
        return root(spread) if name.endswith("stdev") else spread
    return {"mean": lambda: sum(values) / len(values), "min": lambda: min(values), "max": lambda: max(values),
            "median": lambda: percentile(values, 50), "percentile": lambda: percentile(values, argument)}[name]()


def of_texts(name, texts, joint):
    if name in ("first", "last"):
        return texts[0 if name == "first" else -1]
    if name == "concat":
        return joint.join(texts)
    counts = Counter(texts)
    if name == "unique":
        return joint.join(sorted(counts))
    if name == "distinct":
        return Fraction(len(counts))
    return min(counts, key=lambda text: (-counts[text], text))


class Group:
    """What has been seen of a group: all numbers and texts of each field."""

    def __init__(self):
        self.count = 0
        self.numbers = {}
        self.texts = {}

    def add(self, numbers, texts):
        self.count += 1
        for field, value in numbers.items():
            self.numbers.setdefault(field, []).extend([] if value is None else [value])
        for field, value in texts.items():
            self.texts.setdefault(field, []).append(value)

    def result(self, request, joint):
        """A number, bytes, or None where there is none."""
        name, argument, field = request
        if name == "count":
            return Fraction(self.count)
        return of_numbers(name, argument, self.numbers[field]) if name in NUMBERS else of_texts(
            name, self.texts[field], joint)


def in_order(rows, which, descending):
    """Rows, which are a key and its results, by one of these; `which` is -1 for the key."""
    def value(row):
        return row[0] if which < 0 else row[1][which]
    rows = sorted(rows, key=lambda row: row[0])
    there = [row for row in rows if value(row) is not None]
    return sorted(there, key=value, reverse=descending) + [row for row in rows if value(row) is None]


codecs.register_error("each byte", lambda e: ("\ufffd", e.start + 1))


def as_json(value):
    escapes = {ord(c): f"\\u{ord(c):04x}" for c in map(chr, range(32))}
    escapes.update({ord('"'): '\\"', ord("\\"): "\\\\", 10: "\\n", 9: "\\t", 13: "\\r"})
    return b'"%s"' % value.decode("utf-8", "each byte").translate(escapes).encode()


def as_tsv(value):
    for byte, escaped in ((b"\\", b"\\\\"), (b"\t", b"\\t"), (b"\n", b"\\n"), (b"\r", b"\\r")):
        value = value.replace(byte, escaped)
    return value


def as_csv(value):
    if any(c in value for c in (b",", b'"', b"\n", b"\r")):
        return b'"' + value.replace(b'"', b'""') + b'"'
    return value


def cell(value, write):
    if isinstance(value, Fraction):
        try:
            return figures.printed(value).encode()
        except OverflowError:
            raise Refused("is beyond the range of a double") from None
    return write(value)


def as_lines(rows, names, style, native, header):
    """The bytes of an output. rows: lists of cells; `native`: (separator, write) of the input's format."""
    if style == "json":
        def member(name, value):
            return as_json(name) + b":" + (b"null" if value is None else cell(value, as_json))
        return b"".join(b"{%s}\n" % b",".join(map(member, names, row)) for row in rows)
    separator, write = {"csv": (b",", as_csv), "tsv": (b"\t", as_tsv)}.get(style, native)
    lines = [separator.join(map(write, names))] if header else []
    lines += [separator.join(b"" if value is None else cell(value, write) for value in row) for row in rows]
    return b"".join(line + b"\n" for line in lines)
