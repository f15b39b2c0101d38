# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""What group and split take a text for: records and their fields; and random ones."""
import draw as inputs

MARK = b"\xef\xbb\xbf"  # that some programs put before UTF-8
COMPRESSED = (b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd")  # which is read, but not what is made of other bytes behind this
OTHER_FORMATS = (*COMPRESSED, b"\xfd7zXZ\0", b"PK\x03\x04", b"\xff\xfe", b"\xfe\xff")


class Refused(Exception):
    """What a model takes for an error: the message must hold this."""


def content(data, path):
    """What of an input is text."""
    if data.startswith(COMPRESSED):
        raise Refused(f"{path}: ")
    if data.startswith(OTHER_FORMATS):
        raise Refused(f"{path}: is ")
    return data[len(MARK):] if data.startswith(MARK) else data


def records(text, csv, separator=b","):
    """The records with their newlines, of which the last gets one. In CSV quotes at the beginning of a field keep
    newlines and separators inside of it."""
    if text and not text.endswith(b"\n"):
        text += b"\n"
    if not csv:
        return [line + b"\n" for line in text.split(b"\n")[:-1]]
    found, begin, at = [], 0, 0
    at_field = True
    while at < len(text):
        byte = text[at:at + 1]
        if at_field and byte == b'"':
            at = end_of_quotes(text, at)
            at_field = False
            continue
        at += 1
        at_field = byte in (separator, b"\n")
        if byte == b"\n":
            found.append(text[begin:at])
            begin = at
    return found


def end_of_quotes(text, at):
    """Where a quoted part that begins at `at` has ended."""
    at += 1
    while at < len(text):
        if text[at:at + 1] != b'"':
            at += 1
        elif text[at + 1:at + 2] == b'"':
            at += 2
        else:
            return at + 1
    return at


def bare(record):
    record = record[:-1] if record.endswith(b"\n") else record
    return record[:-1] if record.endswith(b"\r") else record


class Format:
    """How records become fields."""

    def __init__(self, separator=b"\t", blanks=False, csv=False):
        self.separator, self.blanks, self.csv = separator, blanks, csv

    def records(self, text):
        return records(text, self.csv, self.separator)

    def fields(self, record):
        """The values of the fields, without quotes around them."""
        line = bare(record)
        if self.blanks:
            return [field for field in line.replace(b"\t", b" ").split(b" ") if field]
        if not self.csv:
            return line.split(self.separator)
        found, at = [], 0
        while True:
            if line[at:at + 1] == b'"':
                stop = end_of_quotes(line, at)
                value = line[at + 1:stop - 1].replace(b'""', b'"')
                end = line.find(self.separator, stop)
                end = len(line) if end < 0 else end
                value += line[stop:end]
            else:
                end = line.find(self.separator, at)
                end = len(line) if end < 0 else end
                value = line[at:end]
            found.append(value)
            if end == len(line):
                return found
            at = end + 1

    def written(self, value):
        """A value as a field of an output: of CSV, with quotes if it needs them."""
        if not self.csv or not any(c in value for c in (self.separator, b'"', b"\n", b"\r")):
            return value
        return b'"' + value.replace(b'"', b'""') + b'"'


FORMATS = {"tab": (Format(), []), "comma": (Format(b","), ["-t", ","]), "escape": (Format(), ["-t", "\\t"]),
           "semicolon": (Format(b";"), ["-t;"]), "csv": (Format(b",", csv=True), ["--csv"]),
           "csv;": (Format(b";", csv=True), ["--csv", "-t", ";"])}


def draw_count(draw):
    """How many records."""
    if draw.chance(0.05):
        return 0
    if draw.chance(0.85):
        return draw.skewed(100)
    return draw.skewed(2000) if draw.chance(0.97) else draw.skewed(30000)


def draw_value(draw, form):
    """A field's value that the format can hold."""
    if form.csv and draw.chance(0.3):
        return draw.pick(b"", b'a"b', b"a;b", b"a,b", b'"', b"two\nlines", b"a\r\nb", b'""', b" a", b"plain", b'x"',
                         b'"' * 9)
    value = draw.pick(inputs.word, inputs.word, inputs.printable, inputs.any_bytes, inputs.utf8, inputs.edgy)(draw)
    if form.blanks:
        return value.translate(None, b" \t\r\n") or b"x"
    if not form.csv:
        value = value.replace(form.separator, b"")
    return value.replace(b"\n", b"").replace(b"\r", b"")


def draw_written(draw, form, value):
    """A value as somebody may have written it."""
    if not form.csv:
        return value
    if draw.chance(0.01):
        return b'"' + value.replace(b'"', b'""') + b'"b' + draw.pick(b"", b'"', b'""')  # text behind a closing quote
    if any(c in value for c in (form.separator, b"\n", b"\r")) or value.startswith(b'"') or draw.chance(0.1):
        return b'"' + value.replace(b'"', b'""') + b'"'
    return value  # quotes inside of it are quotes


def draw_record(draw, form, values):
    if form.blanks:
        record = draw.some(b" ", 1) + values[0]
        for value in values[1:]:
            record += draw.pick(b" ", b"\t", b"  ", b" \t") + value
        return record + draw.some(b" ", 1)
    return form.separator.join(draw_written(draw, form, value) for value in values)


def draw_beginning(draw, data):
    """The same text with a mark before, or, now and then, what is no text at all."""
    if draw.chance(0.05):
        return MARK + data
    return draw.pick(*OTHER_FORMATS) + data if draw.chance(0.005) else data


def draw_inputs(case, texts):
    """Names for the command line of files with these contents, perhaps with one as standard input, and how to run."""
    draw = case.draw
    names = [case.write(f"in{i}", text) for i, text in enumerate(texts)]
    how = {}
    if draw.chance(0.25):
        which = draw.below(len(names))
        how = {"stdin": names[which], "piped": draw.chance(0.4)}
        names[which] = "-"
        if len(names) == 1 and draw.chance(0.5):
            names = []
    return names, how
