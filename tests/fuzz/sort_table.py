# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""peneira sort of tables: headers, names, quoted fields, --top, beside a model."""
import functools
import re
from decimal import Decimal

import text
from case import draw_limits

FAILED = 2
NUMBER = re.compile(rb"[ \t\n]*(-?[0-9]*(?:\.[0-9]*)?)")
LETTERS = ["", "n", "r", "nr", "f", "fr"]
WAYS = {"csv": (["--csv"], text.Format(b",", csv=True)), "csv;": (["--csv", "-t;"], text.Format(b";", csv=True)),
        "tsv": (["--tsv"], text.Format(b"\t", csv=True)), "comma": (["-t,"], text.Format(b",")),
        "escape": (["-t", "\\t"], text.Format())}


class Key:
    """A key of the command line: a field, or several, and how to compare it."""

    def __init__(self, draw, names):
        self.first = draw.below(len(names))
        self.letters = draw.pick(*LETTERS)
        name = names[self.first]
        self.last = self.first
        if draw.chance(0.5) and names.count(name) == 1:
            self.text = f"{name}:{self.letters}" if self.letters or ":" in name or name[0].isdigit() else name
        else:
            self.last = draw.pick(self.first, self.first, self.first + draw.below(3), None)
            self.text = f"{self.first + 1}{self.letters}" + ("" if self.last is None else f",{self.last + 1}")

    def value(self, form, record):
        """What is compared; a bytes object or a number."""
        if self.first == 0 and self.last is None:
            value = record  # as it is written
        else:
            fields = form.fields(record) if form.csv else record.split(form.separator)
            value = form.separator.join(fields[self.first:None if self.last is None else self.last + 1])
        if "f" in self.letters:
            value = value.upper()
        if "n" in self.letters:
            digits = NUMBER.match(value)[1]
            return Decimal(digits.decode()) if re.search(rb"[0-9]", digits) else Decimal(0)
        return value


def in_order(keys, form, whole):
    """A comparison of records without their ends."""
    def compare(a, b):
        for key in keys:
            x, y = key.value(form, a), key.value(form, b)
            if x != y:
                return (1 if x > y else -1) * (-1 if "r" in key.letters else 1)
        return ((a > b) - (a < b)) if whole else 0
    return compare


def sorted_records(records, compare, unique):
    ordered = sorted(records, key=functools.cmp_to_key(compare))
    if not unique:
        return ordered
    return [r for i, r in enumerate(ordered) if i == 0 or compare(ordered[i - 1], r) != 0]


def draw_names(draw, form):
    names = [draw.pick("city", "price", "a b", "2024", "n", "x:y", "é", "") for _ in range(1 + draw.below(4))]
    if form.csv and draw.chance(0.2):
        names[0] = draw.pick('q"q', "two\nlines", f"a{form.separator.decode()}b")
    return [name or "z" for name in names]


def written(form, value):
    return form.written(value) if form.csv else value


def draw_table(draw, form, names, end):
    """The header, and the records without their ends, of one input."""
    header = form.separator.join(written(form, name.encode()) for name in names)
    rows = []
    for _ in range(0 if draw.chance(0.1) else draw.skewed(80 if draw.chance(0.95) else 4000)):
        count = len(names) if draw.chance(0.95) else draw.below(len(names) + 2)
        values = [text.draw_value(draw, form) if draw.chance(0.6) else b"%d" % (draw.below(40) - 20) for _ in range(count)]
        rows.append(text.draw_record(draw, form, values))
    return header, [row + end for row in rows]


def run(case):
    draw = case.draw
    limits = draw_limits(draw, 0.03)
    options, form = WAYS[draw.pick(*WAYS)]
    names = draw_names(draw, form)
    keys = [Key(draw, names) for _ in range(draw.pick(0, 1, 1, 1, 2, 3))]
    unique, stable = draw.chance(0.2), draw.chance(0.3)
    end = b"\r" if draw.chance(0.15) else b""
    compare = in_order(keys, form, whole=not keys or not (stable or unique))
    merge = draw.chance(0.15)
    inputs, everything, header = [], [], None
    for i in range(draw.pick(1, 1, 1, 2, 3)):
        header, rows = draw_table(draw, form, names, end)
        if form.csv and any(not r for r in rows) and draw.chance(0.5):
            rows = [r for r in rows if r]
        if merge:
            rows = sorted_records(rows, compare, False)
        lines = [header + end, *rows]
        if draw.chance(0.05):
            lines = []  # an empty input has no header
            rows = []
        data = b"\n".join(lines) + (b"\n" if lines and (not lines[-1] or draw.chance(0.9)) else b"")
        everything += rows
        inputs.append(case.write(f"in{i}", (text.MARK if lines and draw.chance(0.1) else b"") + data))
    other = draw.chance(0.03) and all(case.files[name] for name in inputs)
    if other:
        inputs.append(case.write("other", header + b"x" + end + b"\n"))
    arguments = ["--header", *options, *(f"-k{key.text}" for key in keys)]
    arguments += ["-u"] * unique + ["-s"] * stable + ["-m"] * merge
    arguments += [draw.pick("-S1k", "-S1M")] if draw.chance(0.2) else []
    arguments.append(f"--parallel={1 + draw.below(3)}")
    top = draw.pick(1 if other else 0, 1, 2, 5, 50, 100000) if draw.chance(0.3) else None  # 0 reads nothing
    if top is not None:
        arguments.append(f"--top={top}")
    have = case.peneira(["sort", *arguments, *inputs], limits=limits)
    if other:
        case.refused(have, FAILED, b"other: the header is not that of the first input")
        return case.check_folder()
    if not case.succeeded(have, 0, FAILED):
        return case.check_folder()
    result = sorted_records(everything, compare, unique)[:top]
    first = b"".join([header + end + b"\n"] if any(case.files[name] for name in inputs) else [])
    case.require_same("standard output", have.out, first + b"".join(r + b"\n" for r in result))
    case.check_folder()
