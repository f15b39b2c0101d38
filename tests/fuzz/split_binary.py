# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""peneira split of binary items beside a model: bins one after the other, each in the order of the input."""
import bisect
import math
from fractions import Fraction

import draw as inputs
import hashes
from case import draw_limits


def raw_bits(kind, item):
    return int.from_bytes(inputs.pack(kind, [item]), "little")


def draw_by_hash(draw, kind, items):
    bins = draw.skewed(300)

    def bin_of(item):
        raw = raw_bits(kind, item) if item != 0 else 0
        return hashes.bin_of(raw, inputs.is_float(kind), inputs.bits_of(kind), bins)
    return bins, ["--by", "hash", "-n", str(bins)], bin_of


def draw_by_digit(draw, kind, items):
    shift, bits = draw.below(inputs.bits_of(kind)), 1 + draw.below(8)
    options = ["--by=digit", f"--shift={shift}", f"--bits={bits}"]
    return 2**bits, options, lambda item: raw_bits(kind, item) >> shift & 2**bits - 1


def draw_by_splitters(draw, kind, items):
    fit = [item for item in items if item == item] or [0]
    splitters = sorted(draw.choices(fit, k=draw.skewed(20)))
    listed = ",".join(repr(s) if math.isfinite(s) else "-inf" if s < 0 else "inf" for s in splitters)

    def bin_of(item):
        return len(splitters) if item != item else bisect.bisect_right(splitters, item)
    return len(splitters) + 1, [*draw.pick([], ["--by", "splitters"]), "--splitters=" + listed], bin_of


def draw_by_range(draw, kind, items):
    """Integers alone: their bins are exact."""
    bins = draw.skewed(300)
    options = ["-n", str(bins), *draw.pick([], ["--by", "range"])]
    low, high = (min(items), max(items)) if items else (0, 0)
    if draw.chance(0.3) and items:
        low, high = sorted(draw.choices(items, k=2))
        options += [f"--lo={low}", f"--hi={high}"]

    def bin_of(item):
        return bins - 1 if item > high else (max(item, low) - low) * bins // (high - low + 1)
    return bins, options, bin_of


def draw_floats_by_range(draw, kind, items):
    """Bins of floats are rounded: a bin beside the exact one may be right, too. None stands for "look at the order"."""
    bins = draw.skewed(300)
    return bins, ["-n", str(bins)], None


def check_float_ranges(case, items, bins, have, offsets):
    finite = [item for item in items if math.isfinite(item)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 0.0)
    last_most = -math.inf
    for b in range(bins):
        members = have[offsets[b]:offsets[b + 1]]
        for item in members:
            if item != item or item > high or item < low or high == low:
                case.require(b == (0 if item < low else bins - 1) or high == low, f"{item} is in bin {b}")
                continue
            exact = (Fraction(item) - Fraction(low)) * bins / (Fraction(high) - Fraction(low))
            slack = Fraction(bins, 2**20) + 1
            case.require(b - slack <= exact <= b + 1 + slack, f"{item} is in bin {b}, but lies at {float(exact)}")
        known = [item for item in members if item == item]
        if known:
            case.require(min(known) >= last_most, f"bin {b} holds {min(known)}, a bin before {last_most}")
            last_most = max(known)
    return offsets


def run(case):
    draw = case.draw
    kind = draw.pick(*inputs.TYPES)
    items = inputs.items(draw, kind)
    by_range = draw_floats_by_range if inputs.is_float(kind) else draw_by_range
    bins, options, bin_of = draw.pick(draw_by_hash, draw_by_digit, draw_by_splitters, by_range)(draw, kind, items)
    data = inputs.pack(kind, items)
    arguments = ["split", case.write("in", data), "--type", kind, *options, "-o", "out", "--quiet", "--place=cpu",
                 "--offsets", "offsets", "--threads", str(1 + draw.below(3))]
    have = case.peneira(arguments, limits=draw_limits(draw))
    if not case.succeeded(have):
        return case.check_folder()
    out = case.read("out")
    offsets = inputs.unpack("u64", case.read("offsets"))
    case.require(len(offsets) == bins + 1 and offsets[0] == 0 and offsets[-1] == len(items) and
                 offsets == sorted(offsets), f"the offsets: {offsets[:20]}")
    if bin_of is None:
        split = inputs.unpack(kind, out)
        check_float_ranges(case, items, bins, split, offsets)
        where = {}
        for b in range(bins):
            for item in split[offsets[b]:offsets[b + 1]]:
                where[raw_bits(kind, item)] = b
        parts = [[] for _ in range(bins)]
        for item in items:
            case.require(raw_bits(kind, item) in where, f"{item} is in no bin")
            parts[where[raw_bits(kind, item)]].append(item)
    else:
        parts = [[] for _ in range(bins)]
        for item in items:
            parts[bin_of(item)].append(item)
    want_offsets = [0]
    for part in parts:
        want_offsets.append(want_offsets[-1] + len(part))
    want = b"".join(inputs.pack(kind, part) for part in parts)
    case.require_same("the offsets", offsets, want_offsets)
    case.check_folder({"out": want, "offsets": inputs.pack("u64", want_offsets)})
