# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""peneira split of text beside a model: each record in its shard, in the order of the input."""
import bisect

import hashes
import text
from case import draw_limits
from text import Refused

FORMATS = {**text.FORMATS, "blanks": (text.Format(blanks=True), []), "blanks too": (text.Format(blanks=True), [])}
del FORMATS["tab"]  # without -t, blanks separate


def draw_texts(draw, form, header):
    keys = [text.draw_value(draw, form) for _ in range(draw.skewed(100))]
    texts = []
    for _ in range(draw.pick(1, 1, 1, 2, 3)):
        count = text.draw_count(draw)
        rows = [text.draw_record(draw, form, draw.choices(keys, k=3)) for _ in range(count)]
        if rows and draw.chance(0.02):
            rows[draw.below(count)] = text.draw_record(draw, form, draw.choices(keys, k=1 + draw.below(2)))
        if header and draw.chance(0.95):
            rows.insert(0, text.draw_record(draw, form, [b"a", b"b", b"c" if draw.chance(0.97) else b"d"]))
        if draw.chance(0.1):
            rows = [row + b"\r" for row in rows]
        texts.append(text.draw_beginning(draw, b"\n".join(rows) + (b"\n" if rows and draw.chance(0.85) else b"")))
    return texts


def key_of(form, field, record):
    if not field:
        return text.bare(record)
    fields = form.fields(record)
    if field > len(fields):
        raise Refused(f"has no field {field}: it ends after {len(fields)}")
    return fields[field - 1]


def read_all(form, texts, paths, has_header, field):
    """The header, or nothing, and all records with their keys."""
    header, found = b"", []
    for data, path in zip(texts, paths):
        records = form.records(text.content(data, path))
        line = 1
        for r, record in enumerate(records):
            if has_header and r == 0:
                header = header or record
                if form.fields(header) != form.fields(record):
                    raise Refused(f"{path}: the header is not that of the first input")
            else:
                try:
                    found.append((record, key_of(form, field, record)))
                except Refused as e:
                    raise Refused(f"{path}: line {line}: {e}") from None
            line += record.count(b"\n")
    return header, found


def draw_splitters(case, keys):
    """Ascending keys, and the option that names them."""
    draw = case.draw
    fit = [key for key in keys if b"\n" not in key and not key.endswith(b"\r")] or [b"m"]
    splitters = sorted(draw.choices(fit, k=draw.skewed(6)))
    in_line = all(key.isascii() and b"," not in key and b"\0" not in key for key in splitters)
    if in_line and draw.chance(0.5) and splitters[-1] and not splitters[0].startswith((b"@", b"-")) and splitters[0]:
        return splitters, ["--splitters", b",".join(splitters).decode()]
    case.write("splitters", b"\n".join(splitters) + b"\n")
    return splitters, ["--splitters", "@splitters"]


def draw_name(draw):
    """A pattern, and the names that it makes."""
    return draw.pick(("part-%d", "part-{}"), ("%04d.csv", "{:04}.csv"), ("%3d%%", "{:3}%"), ("x%02d", "x{:02}"))


def draw_options(draw, field, has_header):
    options = ["--threads", str(1 + draw.below(3))]
    if draw.chance(0.9):
        options.append("--quiet")
    if field:
        options += draw.pick(["-k", str(field)], [f"--key={field}"])
    if has_header:
        options.append("--header")
    if draw.chance(0.4):
        options += ["--chunk", draw.pick("1", "7", "100", "4K", "1M")]
    return options


def draw_choice(case, keys, once):
    """How many shards, the options that say so, and the function from a key to its shard; None: by a sample, for which
    the input must not be one that can be read but once."""
    draw = case.draw
    way = draw.pick("hash", "hash", "splitters") if once else draw.pick("hash", "hash", "splitters", "sample")
    shards = draw.skewed(40)
    if way == "splitters":
        splitters, option = draw_splitters(case, keys)
        shards = len(splitters) + 1
        options = [*draw.pick([], ["--by", "range"], ["--by=splitters"], ["-n", str(shards)]), *option]
        return shards, options, lambda key: bisect.bisect_right(splitters, key)
    if way == "sample":
        return shards, ["-n", str(shards), "--by", "range"], None
    options = ["-n", str(shards), *draw.pick([], [], ["--by", "hash"])]
    return shards, options, lambda key: hashes.shard_of(key, shards)


def run(case):
    draw = case.draw
    form, options = FORMATS[draw.pick(*FORMATS)]
    has_header = draw.chance(0.3)
    texts = draw_texts(draw, form, has_header)
    field = draw.pick(0, 1, 2, 3)
    paths, how = text.draw_inputs(case, texts)
    refused = None
    header, records = b"", []
    try:
        told = ["standard input" if path == "-" else path for path in paths or ["-"]]
        header, records = read_all(form, texts, told, has_header, field)
    except Refused as e:
        refused = str(e).encode()

    shards, by, choose = draw_choice(case, [key for _, key in records], once=bool(how))
    arguments = ["split", *options, *draw_options(draw, field, has_header), *by]
    pattern, name = draw_name(draw)
    arguments += draw.pick(["--out", pattern], ["-o", pattern])
    names = [name.format(s) for s in range(shards)]
    old = draw.chance(0.1)
    if old:
        case.write(names[draw.below(shards)], b"old")
        if draw.chance(0.7):
            arguments.append("--force")
    have = case.peneira([*arguments, *paths], limits=draw_limits(draw, 0.1), **how)
    if old and "--force" not in arguments:
        case.refused(have, 1, b"exists")
        return case.check_folder()
    if refused:
        case.refused(have, 1, refused)
        return case.check_folder()
    if not case.succeeded(have, quiet="--quiet" in arguments):
        return case.check_folder()
    case.require(have.out == b"", "something was written to standard output")
    if choose is None:
        choose = find_choice(case, form, field, names, header)
    parts = [[header] for _ in names]
    for record, key in records:
        parts[choose(key)].append(record)
    case.check_folder({name: b"".join(part) for name, part in zip(names, parts)})


def find_choice(case, form, field, names, header):
    """Nobody said where shards begin: the keys of each must lie above those of the shards before. Returns the function
    that gives the shard which holds a key."""
    shard = {}
    for s, name in enumerate(names):
        for record in form.records(case.read(name)[len(header):]):
            key = key_of(form, field, record)
            case.require(shard.setdefault(key, s) == s, f"key {key!r} is in shards {shard[key]} and {s}")
    order = [shard[key] for key in sorted(shard)]
    case.require(order == sorted(order), "the shards' keys do not ascend")

    def choose(key):
        case.require(key in shard, f"no shard has key {key!r}")
        return shard[key]
    return choose
