# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""peneira group and count beside a model with exact sums, and where numbers are small integers beside awk."""
import draw as inputs
import figures
import text
from aggregates import NUMBERS, TEXTS, Group, Request, as_lines, in_order
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


class Grouping:
    """What a command line asks for."""

    def __init__(self, form, command="group"):
        self.form = form
        self.command = command
        self.has_header = False
        self.keys = []
        self.requests = []
        self.bad = "fail"
        self.joint = b";" if form.separator == b"," and not form.blanks else b","
        self.order = None  # of the rows: a request's number or -1, and whether the greatest comes first
        self.top = None
        self.style = None

    def fields(self):
        return {*self.keys, *self.number_fields(), *self.text_fields()}

    def number_fields(self):
        return {request.field for request in self.requests if request.name in NUMBERS}

    def text_fields(self):
        return {request.field for request in self.requests if request.name in TEXTS}

    def joint_of_keys(self):
        return b"\t" if self.form.blanks else self.form.separator

    def find_groups(self, texts, paths):
        """The groups of all inputs by their keys, the fields of the first header, and how many values were forgiven."""
        groups, header = {}, Header()
        self.forgiven = 0
        for data, path in zip(texts, paths):
            line = 1
            place = {field: field for field in self.fields()}
            for r, record in enumerate(self.form.records(text.content(data, path))):
                fields = self.form.fields(record)
                if self.has_header and r == 0:
                    place = header.find(fields, path, place)
                else:
                    try:
                        self.add_record(groups, record, fields, place)
                    except Refused as e:
                        raise Refused(f"{path}: line {line}: {e}") from None
                line += record.count(b"\n")
        return groups, header.names

    def add_record(self, groups, record, fields, place):
        """Adds a record to its group; `place` tells where a field lies."""
        numbers, texts = {}, {}
        for at, field in sorted((number, field) for field, number in place.items()):
            value = fields[at - 1] if at <= len(fields) else None
            if value is None and (self.bad == "fail" or field in self.keys):
                raise Refused(f"has no field {at}: it ends after {len(fields)}")
            if field in self.number_fields():
                numbers[field] = self.parse(value, at)
            if field in self.text_fields():
                texts[field] = value or b""
        parts = tuple(fields[place[k] - 1] for k in self.keys)
        if not parts and self.command == "count":
            parts = (text.bare(record),)
        groups.setdefault(parts, Group()).add(numbers, texts)

    def parse(self, value, number):
        parsed = None if value is None else figures.parse(value)
        if parsed is None:
            if self.bad == "fail":
                raise Refused(f"field {number} is ")
            self.forgiven += 1
        return parsed or (figures.Fraction(0) if parsed is not None or self.bad == "zero" else None)

    def written_key(self, parts):
        """The bytes that keys are ordered by."""
        if not self.keys:
            return b"".join(parts)
        return self.joint_of_keys().join(map(self.form.written, parts))

    def output(self, groups, header):
        """All that the program should write."""
        rows = {self.written_key(parts): (parts, [group.result(request, self.joint) for request in self.requests])
                for parts, group in groups.items()}
        order, descending = self.order or (-1, False)
        keys = [key for key, _ in in_order([(key, results) for key, (_, results) in rows.items()], order, descending)]
        cells = []
        for key in keys[:self.top]:
            parts, results = rows[key]
            whole = self.command == "count" and not self.keys and self.style is None and not self.form.csv
            cells.append(results + list(parts) if self.command == "count" else list(parts) + results)
            if whole:
                cells[-1][-1] = Raw(parts[0])
        return as_lines(cells, self.names(header), self.style, (self.joint_of_keys(), self.write), header is not None)

    def write(self, value):
        return value if isinstance(value, Raw) else self.form.written(value)

    def names(self, header):
        def name_of(field):
            return header[field - 1] if header and field <= len(header) else b"field %d" % field

        def called(request):
            name = f"p{request.argument}" if request.name == "percentile" else request.name
            return b"%s(%s)" % (name.encode(), name_of(request.field)) if request.field else name.encode()
        results = [called(request) for request in self.requests]
        keys = [name_of(key) for key in self.keys] or ([b"line"] if self.command == "count" else [])
        return results + keys if self.command == "count" else keys + results


class Raw(bytes):
    """What is written as it is."""


PERCENTS = ("0", "100", "50", "95", "99.9", "25", "33.333", "0.1", "7", "99.999999")


def draw_requests(draw, numbers, name_of):
    """Requests, and the options that make them."""
    requests, options = [], []
    for _ in range(draw.pick(1, 1, 2, 3, 5)):
        name = draw.pick("count", "sum", "sum", "mean", "min", "max", *NUMBERS, *TEXTS)
        if name == "count":
            requests.append(Request(name, "", 0))
            options.append("--count")
            continue
        fields = [(3 if name in NUMBERS else 1) + draw.below(numbers + (0 if name in NUMBERS else 2))
                  for _ in range(draw.pick(1, 1, 1, 2))]
        percents = [draw.pick(*PERCENTS) if name == "percentile" else "" for _ in fields]
        requests += [Request(name, percent, field) for percent, field in zip(percents, fields)]
        spelled = ",".join((percent and percent + ":") + name_of(field) for percent, field in zip(percents, fields))
        options += draw.pick([f"--{name}", spelled], [f"--{name}={spelled}"])
    return requests, options


def draw_order(draw, asked, name_of):
    """Order and number of the rows, and the options that make them."""
    options = []
    if draw.chance(0.25):
        which = draw.below(len(asked.requests))
        name, argument, field = asked.requests[which]
        spelled = name if name == "count" else f"{name}:{argument and argument + ':'}{field}"
        if draw.chance(0.2) and (asked.keys or asked.command == "count"):
            which, spelled = -1, "key"
        elif name != "count":
            which = next(i for i, other in enumerate(asked.requests) if other == asked.requests[which])
        way = draw.pick("", ":asc", ":desc")
        asked.order = (which, way != ":asc")
        options += ["--order-by", spelled + way]
    if draw.chance(0.2):
        asked.top = draw.skewed(50)
        asked.order = asked.order or (0, True)
        options += ["--top", str(asked.top)]
    return options


def check_awk(case, names, keys, requests, out):
    """Counts and sums of small integers, as awk says."""
    actions = "".join(f" a{i}[k] += {'1' if name == 'count' else f'${field}'};"
                      for i, (name, _, field) in enumerate(requests))
    key = " FS ".join(f"${k}" for k in keys)
    values = "".join(f', a{i}[k]' for i in range(len(requests)))
    program = (f"{{ sub(/\\r$/, \"\"); k = {key}; n[k];{actions} }} "
               f"END {{ for (k in n) printf \"%s{',%.0f' * len(requests)}\\n\", k{values} }}")
    want = case.run(["awk", "-F,", program, *names])
    case.require_same("beside awk", sorted(out.splitlines()), sorted(want.out.splitlines()))


def draw_grouping(draw, form, numbers, has_header, name_of, few):
    """What to ask for, with its options. few: there are less than 4096 records."""
    asked = Grouping(form, draw.pick("group", "group", "group", "group", "count"))
    asked.has_header = has_header
    asked.keys = draw.pick([1], [1], [2], [1, 2], [2, 1], [1, 1], [3, 1], [])
    if asked.command == "count":
        asked.requests, asked.options, asked.order = [Request("count", "", 0)], [], (0, True)
    else:
        asked.requests, asked.options = draw_requests(draw, numbers, name_of)
        if draw.chance(0.2):
            joint = draw.pick(b"", b"|", b", ", b"--")
            asked.joint = joint
            asked.options += ["--list-separator", joint.decode()]
        if few and draw.chance(0.3) and any(request.name == "distinct" for request in asked.requests):
            asked.options.append("--approx")  # exact of fewer than 4096
        if draw.chance(0.3):
            asked.bad = draw.pick("fail", "skip", "skip", "zero")
            asked.options += ["--bad", asked.bad]
    asked.options += draw_order(draw, asked, name_of)
    spelled = [name_of(key) for key in asked.keys]
    if spelled:
        asked.options += ["-k", ",".join(spelled)] if draw.chance(0.7) else [f"--key={key}" for key in spelled]
    if draw.chance(0.25):
        asked.style = draw.pick("csv", "tsv", "json")
        asked.options += ["--format", asked.style]
    if has_header:
        asked.options.append("--header")
    return asked


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
    few = sum(data.count(b"\n") for data in texts) < 4000
    asked = draw_grouping(draw, form, numbers, has_header, name_of, few)
    arguments = [asked.command, *options, "--threads", str(1 + draw.below(3)), *asked.options]
    if draw.chance(0.4):
        arguments += ["-S", draw.pick("64K", "64K", "100K", "1M"), *draw.pick([], ["-T", "tmp"])]
    output = "out" if draw.chance(0.2) else None
    if output:
        arguments += ["-o", output]
        if draw.chance(0.5):
            case.write(output, b"old")
            arguments.append("--force")
    have = case.peneira([*arguments, *paths], limits=draw_limits(draw), **how)
    check(case, asked, texts, paths or ["-"], have, output)
    simple = form.separator == b"," and not (form.csv or has_header or output or how or asked.style or asked.order)
    if simple and asked.keys and set(kinds) == {"small"} and asked.bad == "fail" and have.status == 0:
        if all(request.name in ("count", "sum") for request in asked.requests) and not any(b"\0" in t for t in texts):
            check_awk(case, files, asked.keys, asked.requests, have.out)


def check(case, asked, texts, paths, have, output):
    told = ["standard input" if path == "-" else path for path in paths]
    try:
        groups, header = asked.find_groups(texts, told)
        want = asked.output(groups, header)
    except Refused as e:
        case.refused(have, 1, str(e).encode())
        case.require(have.out == b"" or case.limits, "an error, but something was written")
        return case.check_folder()
    if not case.succeeded(have, quiet=not asked.forgiven):
        return case.check_folder()
    if asked.forgiven:
        told = [int(word) for word in have.err.split() if word.isdigit()][:2]
        case.require(sum(told) == asked.forgiven, f"{asked.forgiven} values were forgiven, but: {have.err[:300]!r}")
    out = case.read(output) if output else have.out
    case.require_same("the output", out, want)
    case.check_folder({output: out} if output else {})
