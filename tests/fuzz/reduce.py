# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""peneira reduce beside exact arithmetic in Python. NaN: any in a segment is its sum, product, least and greatest; the
position of the least and of the greatest is that of the first."""
import functools
import math
import operator
from fractions import Fraction

import draw as inputs
from case import draw_limits

OPERATORS = ["sum", "product", "min", "max", "argmin", "argmax", "mean", "count"]
BITS = {"and": operator.and_, "or": operator.or_, "xor": operator.xor}


def draw_segments(case, items):
    """Offsets and the options that say so; None: one segment of all items."""
    draw = case.draw
    way = draw.pick("all", "every", "offsets", "offsets")
    if way == "all":
        return [0, len(items)], []
    if way == "every":
        every = draw.pick(1, 2, 3, 128, 1000, 1 + draw.below(len(items) + 1))
        return [*range(0, len(items), every), len(items)], ["--every", str(every)]
    offsets = sorted(draw.choices(range(len(items) + 1), k=1 + draw.skewed(30)))
    if draw.chance(0.3):
        offsets = [0, *offsets, len(items)]
    kind = draw.pick("u64", "u32")
    case.write("offsets", inputs.pack(kind, offsets))
    return offsets, ["--segments", "offsets", *([] if kind == "u64" else ["--offset-type", "u32"])]


def wrapped(value, kind):
    """A product of integers modulo 2^64, with a sign where the items have one."""
    value %= 2**64
    return value - 2**64 if kind[0] == "i" and value >= 2**63 else value


def best(segment, least):
    """The position of the least or the greatest item: the first of its kind; NaN before all."""
    for i, item in enumerate(segment):
        if item != item:
            return i
    return segment.index(min(segment) if least else max(segment))


def same_float(have, want, error=0.0):
    if math.isnan(want) or math.isnan(have):
        return math.isnan(want) and math.isnan(have)
    return have == want or abs(have - want) <= error


def float_sum(segment):
    """The sum, rounded once, and how far off it may be."""
    if any(not math.isfinite(item) for item in segment):
        return sum(segment), 0.0
    rounds = len(segment).bit_length() + 1  # of pairwise sums
    return math.fsum(segment), rounds * math.fsum(abs(item) for item in segment) * 2.0**-53


def float_product(segment):
    """The product and how far off it may be; None where its size depends on the order."""
    if any(item != item for item in segment):
        return math.nan, 0.0
    if sum(abs(math.log2(abs(item))) for item in segment if item != 0 and math.isfinite(item)) > 900:
        return None, None
    product = math.prod(segment)
    return product, abs(product) * len(segment) * 2.0**-52 if math.isfinite(product) else 0.0


def check_float(case, op, segment, have):
    """A sum, product or mean of floats."""
    if op == "product":
        want, error = float_product(segment)
    else:
        want, error = float_sum(segment)
        if op == "mean":
            want, error = want / len(segment), error / len(segment) + abs(want) * 2.0**-52
    if want is None:
        return
    case.require(same_float(have, want, error), f"{op}: {have!r}, not {want!r} (within {error})")


def result_kind(kind, op):
    """The type of a binary result."""
    if op == "mean" or (inputs.is_float(kind) and op in ("sum", "product")):
        return "f64"
    if op in ("sum", "product"):
        return kind[0] + "64"
    return "u64" if op in ("count", "argmin", "argmax") else kind


def parse_lines(case, kind, op, out):
    """The results in the lines: numbers, pairs of position and item, or None."""
    number = float if result_kind(kind, op)[0] == "f" else int
    results = []
    for line in out.decode().split("\n")[:-1]:
        if line == "none":
            results.append(None)
        elif op.startswith("arg"):
            position, item = line.split("\t")
            results.append((int(position), float(item) if inputs.is_float(kind) else int(item)))
        else:
            results.append(number(line))
    case.require(out == b"" or out.endswith(b"\n"), "the last line has no end")
    case.require(b"-nan" not in out, "a NaN has a sign")
    return results


def as_item(kind, value):
    """What a printed f32 means."""
    return inputs.unpack(kind, inputs.pack(kind, [value]))[0] if inputs.is_float(kind) else value


def check_result(case, kind, op, segment, begin, have):
    """One segment's result."""
    if not segment and op in ("min", "max", "argmin", "argmax", "mean"):
        return case.require(have is None, f"{op} of nothing: {have!r}")
    case.require(have is not None, f"{op} of {len(segment)} items: none")
    floats = inputs.is_float(kind)
    if op in ("min", "max"):
        want = segment[best(segment, op == "min")]
        return case.require(same_float(as_item(kind, have), want), f"{op}: {have!r}, not {want!r}")
    if op in ("argmin", "argmax"):
        at = best(segment, op == "argmin")
        position, item = have if isinstance(have, tuple) else (have, segment[at])
        good = position == begin + at and same_float(as_item(kind, item), segment[at])
        return case.require(good, f"{op}: {have!r}, not {begin + at, segment[at]!r}")
    if floats and op != "count":
        return check_float(case, op, segment, have)
    if op == "mean":
        want = Fraction(sum(segment), len(segment))
        return case.require(abs(Fraction(have) - want) <= abs(want) / 2**51, f"mean: {have!r}, not {float(want)!r}")
    want = (len(segment) if op == "count" else sum(segment) if op == "sum" else
            wrapped(math.prod(segment), kind) if op == "product" else bits(kind, op, segment))
    return case.require(have == want, f"{op}: {have!r}, not {want!r}")


def bits(kind, op, segment):
    every = -1 if kind[0] == "i" else 2**inputs.bits_of(kind) - 1
    return functools.reduce(BITS[op], segment, every if op == "and" else 0)


def run(case):
    draw = case.draw
    kind = draw.pick(*inputs.TYPES)
    items = inputs.items(draw, kind)
    op = draw.pick(*OPERATORS, *([] if inputs.is_float(kind) else BITS))
    case.write("in", inputs.pack(kind, items))
    offsets, options = draw_segments(case, items)
    segments = [items[a:b] for a, b in zip(offsets, offsets[1:])]
    binary = draw.chance(0.2) and all(segments)
    arguments = ["reduce", "in", "--type", kind, *options, *draw.pick(["--op", op], [f"--op={op}"])]
    if binary:
        arguments.append("--binary")
    output = "out" if draw.chance(0.2) else None
    if output:
        arguments += ["-o", output]
        if draw.chance(0.4):
            case.write(output, b"old")
            arguments.append("--force")
    have = case.peneira([*arguments, "--threads", str(1 + draw.below(3))], limits=draw_limits(draw))
    low, high = inputs.limits_of(kind[0] + "64") if not inputs.is_float(kind) else (0, 0)
    if binary and op == "sum" and not inputs.is_float(kind) and any(not low <= sum(s) <= high for s in segments):
        case.refused(have, 1, b"64 bits cannot hold")
        return case.check_folder()
    if not case.succeeded(have):
        return case.check_folder()
    out = case.read(output) if output else have.out
    results = inputs.unpack(result_kind(kind, op), out) if binary else parse_lines(case, kind, op, out)
    case.require(len(results) == len(segments), f"{len(results)} results of {len(segments)} segments")
    for segment, begin, result in zip(segments, offsets, results):
        check_result(case, kind, op, segment, begin, result)
    case.check_folder({output: out} if output else {})
    if inputs.is_float(kind) and not output and draw.chance(0.3):
        other = case.peneira([*arguments, "--threads", str(1 + draw.below(7))])
        case.require_same("with another number of threads", other.out, out)
