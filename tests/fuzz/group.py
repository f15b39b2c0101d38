# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""peneira group beside a model with exact sums, and where numbers are small integers beside awk."""
import draw as inputs
import figures
import text
from case import draw_limits
from text import Refused

FORMATS = {**text.FORMATS, "blanks": (text.Format(blanks=True), ["-W"])}


def draw_number(draw, kind):
    if kind == "small":
        return b"%d" % (draw.below(2000) - 1000)
    if kind == "cents":
        return b"%s%d.%02d" % (draw.pick(b"", b"", b"-", b"+"), draw.below(10000), draw.below(100))
    if kind == "large":
        return b"%d" % draw.pick(draw.randint(-2**63, 2**64 - 1), draw.randint(-2**53, 2**53), 2**63 - 1, -2**63,
                                 2**63, 2**64 - 1, 2**53 + 1, 10**31, -10**32 + 1, 0)
    if draw.chance(0.3):
        return draw.pick(b".5", b"5.", b"-0", b"+7", b"1e3", b"1E-3", b"-2e+2", b"000012", b"1e22", b"0.1", b"1e-7",
                         b"123456789012345678.25", b"0.30000000000000004", b"1e-320", b"-.25e1", b"1e-400",
                         b"0." + b"3" * 30, b"1e300", b"-1e300")
    digits = inputs.DIGITS
    return draw.pick(b"", b"-") + draw.some(digits, 8) + b"1." + draw.some(digits, 12) + draw.pick(
        b"", b"", b"e%d" % (draw.below(40) - 20))


BAD_NUMBERS = (b"", b" 1", b"1 ", b"nan", b"inf", b"0x1", b"1e", b"--1", b"1.2.3", b"1e999", b"x", b"1_0", b"+", b".",
               b"e1", b"9" * 33, b"1" + b"0" * 32)


def draw_texts(case, form, numbers, header):
    """Files of records: two fields that may be keys, one or two numbers, and the header's names. Later files may have
    their fields in another order."""
    draw = case.draw
    keys = [text.draw_value(draw, form) for _ in range(draw.skewed(100))]
    kinds = [draw.pick("small", "small", "cents", "large", "any") for _ in range(numbers)]
    names = [b"id", text.draw_value(draw, form) if form.csv else b"who", b"price", b"n"][:2 + numbers]
    bad = draw.chance(0.06)
    texts = []
    for _ in range(draw.pick(1, 1, 1, 2, 3)):
        rows = []
        columns = list(range(len(names)))
        if header and texts and draw.chance(0.2):
            draw.shuffle(columns)
        for _ in range(text.draw_count(draw)):
            row = [draw.pick(*keys), draw.pick(*keys), *(draw_number(draw, kind) for kind in kinds)]
            if bad and draw.chance(0.02):
                if draw.chance(0.5):
                    row[2] = draw.pick(*BAD_NUMBERS).replace(form.separator, b"") or b"x"
                else:
                    row = row[:draw.pick(1, 2, 3)]
            rows.append(text.draw_record(draw, form, [row[c] for c in columns if c < len(row)]))
        if header and draw.chance(0.97):
            rows.insert(0, text.draw_record(draw, form, [names[c] for c in columns]))
        if draw.chance(0.1):
            rows = [row + b"\r" for row in rows]
        texts.append(text.draw_beginning(draw, b"\n".join(rows) + (b"\n" if rows and draw.chance(0.85) else b"")))
    return texts, names, kinds


class Group:
    """What has been seen of a group: all values of each field, exactly."""

    def __init__(self):
        self.count = 0
        self.values = {}

    def add(self, values):
        self.count += 1
        for field, value in values.items():
            self.values.setdefault(field, []).append(value)


def parse(field, number):
    value = figures.parse(field)
    if value is None:
        raise Refused(f"field {number} is ")
    return value


class Header:
    """Where the fields of the first header lie in an input."""

    def __init__(self):
        self.names = None

    def find(self, fields, path, wanted):
        """The numbers of the wanted fields under this header."""
        if self.names is None:
            self.names = fields
        if self.names == fields:
            return {field: field for field in wanted}
        return {field: self.find_name(field, fields, path) for field in wanted}

    def find_name(self, field, fields, path):
        name = self.names[field - 1] if field <= len(self.names) else None
        if name is None or self.names.count(name) != 1 or fields.count(name) != 1:
            raise Refused(f"{path}: the header ")
        return fields.index(name) + 1


def find_groups(form, texts, paths, has_header, keys, wanted):
    """The groups of all inputs by their keys, and the fields of the first header."""
    groups = {}
    header = Header()
    for data, path in zip(texts, paths):
        line = 1
        place = {field: field for field in {*keys, *wanted}}
        for r, record in enumerate(form.records(text.content(data, path))):
            fields = form.fields(record)
            if has_header and r == 0:
                place = header.find(fields, path, place)
            else:
                try:
                    add_record(form, groups, fields, keys, wanted, place)
                except Refused as e:
                    raise Refused(f"{path}: line {line}: {e}") from None
            line += record.count(b"\n")
    return groups, header.names


def add_record(form, groups, fields, keys, wanted, place):
    """Adds a record to its group; `place` tells where a field lies."""
    for number, field in sorted((number, field) for field, number in place.items()):
        if number > len(fields):
            raise Refused(f"has no field {number}: it ends after {len(fields)}")
        if field in wanted:
            parse(fields[number - 1], number)
    joint = b"\t" if form.blanks else form.separator
    key = joint.join(form.written(fields[place[k] - 1]) for k in keys)
    groups.setdefault(key, Group()).add({field: fields[place[field] - 1] for field in wanted})


def aggregate(group, name, field):
    """What an aggregate of a group prints."""
    if name == "count":
        return str(group.count)
    values = [figures.parse(value) for value in group.values[field]]
    if name in ("min", "max"):
        return figures.printed((min if name == "min" else max)(values))
    return figures.printed(sum(values) / (group.count if name == "mean" else 1))


def draw_aggregates(draw, numbers, name_of):
    """Requests, and the options that make them."""
    requests, options = [], []
    for _ in range(draw.pick(1, 1, 2, 3, 5)):
        name = draw.pick("count", "sum", "sum", "mean", "min", "max")
        if name == "count":
            requests.append((name, 0))
            options.append("--count")
            continue
        fields = [3 + draw.below(numbers) for _ in range(draw.pick(1, 1, 1, 2))]
        requests += [(name, field) for field in fields]
        spelled = ",".join(name_of(field) for field in fields)
        options += draw.pick([f"--{name}", spelled], [f"--{name}={spelled}"])
    return requests, options


def check_output(case, form, groups, requests, header, out):
    """The lines of the output, in order, each with what it should hold."""
    joint = b"\t" if form.blanks else form.separator
    have = out
    case.require(have.startswith(header), f"the header: {have[:200]!r}, not {header!r}")
    at = len(header)
    for key in sorted(groups):
        case.require(have.startswith(key + joint, at), f"key {key!r} is not there: {have[at:at + 100]!r}")
        end = have.find(b"\n", at + len(key))
        told = have[at + len(key) + 1:end].split(joint)
        case.require(len(told) == len(requests), f"key {key!r}: {told!r} are not {len(requests)} numbers")
        for (name, field), number in zip(requests, told):
            want = aggregate(groups[key], name, field).encode()
            case.require(number == want, f"key {key!r}: {name} of field {field} is {number!r}, not {want!r}: "
                                         f"{groups[key].values.get(field, [])[:20]!r}")
        at = end + 1
    case.require(at == len(have), f"more than the groups: {have[at:at + 100]!r}")


def header_line(form, names, keys, requests):
    joint = b"\t" if form.blanks else form.separator

    def name_of(field):
        return names[field - 1] if field <= len(names) else b"field %d" % field
    parts = [name_of(key) for key in keys]
    parts += [b"count" if name == "count" else b"%s(%s)" % (name.encode(), name_of(field)) for name, field in requests]
    return joint.join(form.written(part) for part in parts) + b"\n"


def check_awk(case, names, keys, requests, out):
    """Counts and sums of small integers, as awk says."""
    actions = "".join(f" a{i}[k] += {'1' if name == 'count' else f'${field}'};"
                      for i, (name, field) in enumerate(requests))
    key = " FS ".join(f"${k}" for k in keys)
    values = "".join(f', a{i}[k]' for i in range(len(requests)))
    program = (f"{{ sub(/\\r$/, \"\"); k = {key}; n[k];{actions} }} "
               f"END {{ for (k in n) printf \"%s{',%.0f' * len(requests)}\\n\", k{values} }}")
    want = case.run(["awk", "-F,", program, *names])
    case.require_same("beside awk", sorted(out.splitlines()), sorted(want.out.splitlines()))


def run(case):
    draw = case.draw
    form, options = FORMATS[draw.pick(*FORMATS)]
    numbers = 1 + draw.below(2)
    has_header = draw.chance(0.3)
    texts, names, kinds = draw_texts(case, form, numbers, has_header)
    paths, how = text.draw_inputs(case, texts)
    files = list(case.files)
    firsts = [record for data in texts for record in form.records(data)[:1]]
    named = has_header and firsts and form.fields(firsts[0]) == names

    def name_of(field):
        name = names[field - 1]
        plain = name.isascii() and name.isalpha() and names.count(name) == 1
        return name.decode() if named and plain and draw.chance(0.5) else str(field)
    keys = draw.pick([1], [1], [2], [1, 2], [2, 1], [1, 1], [3, 1])
    requests, aggregates = draw_aggregates(draw, numbers, name_of)
    arguments = ["group", *options, "--threads", str(1 + draw.below(3)), *aggregates]
    spelled = [name_of(key) for key in keys]
    arguments += ["-k", ",".join(spelled)] if draw.chance(0.7) else [f"--key={key}" for key in spelled]
    if has_header:
        arguments.append("--header")
    if draw.chance(0.4):
        arguments += ["-S", draw.pick("64K", "64K", "100K", "1M"), *draw.pick([], ["-T", "tmp"])]
    output = "out" if draw.chance(0.2) else None
    if output:
        arguments += ["-o", output]
        if draw.chance(0.5):
            case.write(output, b"old")
            arguments.append("--force")
    have = case.peneira([*arguments, *paths], limits=draw_limits(draw), **how)
    check(case, form, texts, paths or ["-"], has_header, keys, requests, have, output)
    simple = form.separator == b"," and not (form.csv or has_header or output or how)
    if simple and set(kinds) == {"small"} and have.status == 0 and draw.chance(0.3):
        if all(name in ("count", "sum") for name, _ in requests) and not any(b"\0" in t for t in texts):
            check_awk(case, files, keys, requests, have.out)


def check(case, form, texts, paths, has_header, keys, requests, have, output):
    wanted = {field for name, field in requests if name != "count"}
    told = ["standard input" if path == "-" else path for path in paths]
    try:
        groups, header = find_groups(form, texts, told, has_header, keys, wanted)
    except Refused as e:
        case.refused(have, 1, str(e).encode())
        case.require(have.out == b"" or case.limits, "an error, but something was written")
        return case.check_folder()
    if not case.succeeded(have):
        return case.check_folder()
    out = case.read(output) if output else have.out
    first_line = b"" if header is None else header_line(form, header, keys, requests)
    check_output(case, form, groups, requests, first_line, out)
    case.check_folder({output: out} if output else {})
