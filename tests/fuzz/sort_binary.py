# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""peneira sort of binary items and records beside Python's sort."""
import math

import draw as inputs
from case import draw_limits


def number_order(item):
    """-0 before +0, NaN last, and all NaN alike."""
    if isinstance(item, int):
        return item
    return (math.isnan(item), 0.0 if math.isnan(item) else item, math.copysign(1, item) if item == 0 else 0)


def without_nan(kind, data):
    """NaN have no order among themselves: their bits as those of one."""
    return [None if item != item else (item, math.copysign(1, item)) for item in inputs.unpack(kind, data)]


def draw_numbers(case):
    draw = case.draw
    kind = draw.pick(*inputs.TYPES)
    items = inputs.items(draw, kind)
    if draw.chance(0.02):  # more than the least memory
        items = draw.choices(items or [0], k=1_500_000 * 8 // inputs.bits_of(kind))
    reverse = draw.chance(0.3)
    want = inputs.pack(kind, sorted(items, key=number_order, reverse=reverse))
    options = ["--type", kind]
    if inputs.is_float(kind):
        return inputs.pack(kind, items), options, reverse, want, lambda data: without_nan(kind, data)
    return inputs.pack(kind, items), options, reverse, want, bytes


def draw_records(case):
    draw = case.draw
    size = draw.skewed(40)
    begin = draw.below(size)
    length = 1 + draw.below(size - begin)
    alphabet = draw.pick(b"ab", range(256), b"\0\1\177\200\377")
    pool = [bytes(draw.choices(alphabet, k=size)) for _ in range(draw.skewed(200))]
    records = draw.choices(pool, k=draw.skewed(3000))
    options = ["--record", str(size)]
    if draw.chance(0.7):
        options += ["--key", f"{begin}:{length}"]
    else:
        begin, length = 0, size
    reverse = draw.chance(0.3)

    def key(record):
        part = record[begin:begin + length]
        return bytes(255 - byte for byte in part) if reverse else part  # so that equal ones keep their order
    return b"".join(records), options, reverse, b"".join(sorted(records, key=key)), bytes


def run(case):
    draw = case.draw
    data, options, reverse, want, meaning = draw_records(case) if draw.chance(0.4) else draw_numbers(case)
    name = case.write("in", data)
    arguments = ["sort", name, *options, "-q", "--threads", str(1 + draw.below(3))]
    if reverse:
        arguments.append(draw.pick("-r", "--reverse", "--descending"))
    if draw.chance(0.3):
        arguments += ["-S", draw.pick("1M", "1M", "2M", "1G"), "-T", "tmp"]
    output = draw.pick("out", "in") if draw.chance(0.6) else None
    if output:
        arguments += ["-o", output]
        if draw.chance(0.3):
            arguments.append("--check")
    have = case.peneira(arguments, limits=draw_limits(draw))
    if not case.succeeded(have, failure=2):
        return case.check_folder()
    result = case.read(output) if output else have.out
    case.require_same("the items", meaning(result), meaning(want))
    case.check_folder({output: result} if output else {})
