# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""The public declarations of a header and their `///` comments: as much of C++ as peneira's headers are written in."""
import re

PUBLIC = {"peneira", "peneira::published", "peneira::reference"}
# Names that a bracket may follow in a declaration of something else.
NO_NAMES = {"requires", "decltype", "noexcept", "alignas"}


class Entry:
    """A public name: where it stands, how it is declared, what its comment says, and for a type its members."""

    def __init__(self, space, kind, name, signature, doc, header, line):
        self.space, self.kind, self.name, self.signature = space, kind, name, signature
        self.doc, self.header, self.line, self.members = doc, header, line, []
        self.inherits = False  # a member that says what its base class says, or makes or ends an object

    @property
    def title(self):
        return f"{self.space.removeprefix('peneira').removeprefix('::')}::{self.name}".removeprefix("::")


class Failure(Exception):
    """What is wrong, in words for the reader."""


def matching(text, at):
    """The position behind the bracket that closes the one at `at`; `text` has no comments and no strings."""
    depth = 0
    for bracket in re.compile(r"[\[\](){}]").finditer(text, at):
        depth += 1 if bracket.group() in "([{" else -1
        if depth == 0:
            return bracket.end()
    raise Failure("a bracket is not closed")


def blanked(text):
    """The text with comments, strings and preprocessor lines as blanks of the same length: brackets can be counted."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    text = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])\'', blank, text,
                  flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", blank, text, flags=re.M | re.S)


def behind_template(code, at):
    """The position behind `template <...>`, where it stands at `at`; else `at`."""
    opened = re.compile(r"template\s*<").match(code, at)
    if not opened:
        return at
    depth, at = 1, opened.end()
    while depth:
        depth += {"<": 1, ">": -1}.get(code[at], 0)
        at += 1
    return at


def statements(code, begin, end):
    """(begin, end of the declaration, begin and end of its body or None) of each statement between two positions."""
    at = begin
    while True:
        while at < end and (code[at].isspace() or code[at] == ";"):
            at += 1
        if at >= end:
            return
        label = re.compile(r"(public|private|protected):").match(code, at)
        if label:
            yield at, label.end(), None
            at = label.end()
            continue
        first, body, assigned, parens = at, None, False, False
        at = behind_template(code, at)
        while at < end and code[at] != ";":
            assigned = assigned or (code[at] == "=" and not re.search(r"operator\s*=?=?$", code[first:at]))
            if code[at] in "([":
                parens = parens or code[at] == "("
                at = matching(code, at)
            elif code[at] == "{":
                closed = matching(code, at)
                body, at = None if assigned else (at, closed), closed
                head = code[first:body[0]] if body else ""
                is_block = body and (parens or re.match(r"(inline )?namespace\b", head))
                if is_block and not re.search(r"\brequires\s*(\([^)]*\)\s*)?$", head):
                    break  # a function or a namespace ends with its body; what else has one, with a semicolon
            else:
                at += 1
        yield first, body[0] if body else at, body
        at += 1 if at < end and code[at] == ";" else 0


def comment_above(lines, number):
    """The `///` comment that ends just above a line (from 0), as lines of text."""
    doc = []
    while number > 0 and lines[number - 1].strip().startswith("// NOLINT"):
        number -= 1
    while number > 0 and re.match(r"\s*///(?!<)", lines[number - 1]):
        number -= 1
        doc.insert(0, re.sub(r"^\s*/// ?", "", lines[number]))
    return doc


def name_of(head):
    """(kind, name) of a declaration, or None for what declares no name of its own."""
    head = re.sub(r"\[\[[^\]]*\]\]|\bPENEIRA_HD\b|\b(inline|constexpr|static|explicit|virtual)\b", " ", head)
    plain = re.sub(r"\s+", " ", head).strip()
    plain = plain[behind_template(plain, 0):].strip()
    if re.match(r"(friend|static_assert|__extension__|typedef|using detail::.*)\b", plain):
        return None
    match = re.match(r"(using|namespace|concept) (\w+) =", plain)
    if match:
        return {"using": "alias"}.get(match.group(1), match.group(1)), match.group(2)
    typed = re.match(r"(?:requires .*? )??(?:class|struct|enum class|enum) (?:alignas\([^)]*\) )?(\w+)\s*(<)?", plain)
    if typed:
        return None if typed.group(2) else ("type", typed.group(1))
    if re.match(r"\w+\s*\(.*\)\s*->", plain):
        return None  # a deduction guide
    names = [m for m in re.finditer(r"(operator\s*(?:\(\)|\[\]|[^\s\w(]+)|operator [\w:<>, ]+|~?\b\w+)\s*\(", plain)
             if m.group(1) not in NO_NAMES]
    if names:
        is_elsewhere = plain[:names[0].start(1)].endswith("::")  # its comment stands in its class
        return None if is_elsewhere else ("function", names[0].group(1))
    match = re.search(r"(\w+)\s*(?:=.*|\{.*)?$", plain)
    return ("variable", match.group(1)) if match else None


def signature_of(head, column):
    """A declaration that begins in a column as the reference shows it: no attributes, no markers of the device."""
    head = re.sub(r"\[\[[^\]]*\]\]\s*|\bPENEIRA_HD\b\s*|\binline ", "", head)
    head = re.sub(r"[ \t]*//[^\n]*|/\*\w+\*/", "", head)
    rows = [r for r in head.rstrip().split("\n") if r.strip()]
    return "\n".join(rows[:1] + [r[min(column, len(r) - len(r.lstrip())):] for r in rows[1:]])


def without_initialisers(head):
    """A constructor's declaration ends where the list of its members begins."""
    depth = 0
    for k, c in enumerate(head):
        depth += {"(": 1, ")": -1}.get(c, 0)
        if c == ":" and depth == 0 and head[k - 1] != ":" and head[k + 1] != ":" and ")" in head[:k]:
            return head[:k]
    return head


class Header:
    """One header and the public names in it."""

    def __init__(self, path, name):
        self.name, self.text = name, path.read_text(encoding="utf-8")
        self.lines, self.code = self.text.split("\n"), blanked(self.text)
        self.entries = []
        self.walk("", 0, len(self.code))
        for match in re.finditer(r"^[ \t]*#define (PENEIRA_\w+)(\([^)]*\))?", self.text, re.M):
            if re.search(rf"^[ \t]*#undef {match.group(1)}$", self.text, re.M):
                continue  # the header's own
            number = self.text.count("\n", 0, match.start())
            while number > 0 and self.lines[number - 1].startswith("#"):
                number -= 1
            if not any(e.name == match.group(1) for e in self.entries):
                signature = match.group(1) + (match.group(2) or "")
                self.add(Entry("", "macro", match.group(1), signature, comment_above(self.lines, number), name, number))

    def add(self, entry):
        self.entries.append(entry)

    def walk(self, space, begin, end):
        for first, last, body in statements(self.code, begin, end):
            head = self.code[first:last]
            opened = re.match(r"namespace ([\w:]+)?\s*$", head)
            if opened and body:
                inner = f"{space}::{opened.group(1)}".removeprefix("::") if opened.group(1) else "detail"
                if any(f"{public}::".startswith(f"{inner}::") for public in PUBLIC):
                    self.walk(inner, body[0] + 1, body[1] - 1)
                continue
            alias = space == "" and re.match(r"namespace \w+ =", head)
            if space not in PUBLIC and not alias:
                continue
            named = name_of(head)
            if named and not re.match(r"template <>", head):  # a specialisation is what its template is
                self.entry(space, named, first, last, body)

    def entry(self, space, named, first, last, body):
        kind, name = named
        number = self.code.count("\n", 0, first)
        source = self.text[first:last]
        if kind in ("concept", "variable", "alias") or (kind == "type" and source.startswith("enum")):
            source = self.text[first:body[1]] if body else source
        signature = signature_of(without_initialisers(source) if kind == "function" else source, 0)
        entry = Entry(space, kind, name, signature, comment_above(self.lines, number), self.name, number + 1)
        self.add(entry)
        if kind == "type" and body and not source.startswith("enum"):
            self.members(entry, source, body)

    def members(self, entry, source, body):
        shown = not re.search(r"\bclass\b", re.sub(r"<[^{]*?>", "", source))
        for first, last, inner in statements(self.code, body[0] + 1, body[1] - 1):
            head = self.code[first:last]
            label = re.match(r"(public|private|protected):", head)
            if label:
                shown = label.group(1) == "public"
                continue
            named = shown and name_of(head)
            if not named or re.search(r"=\s*delete", self.code[first:last + 12].split(";")[0]):
                continue
            number = self.code.count("\n", 0, first)
            last_line = self.code.count("\n", 0, last)
            trailing = re.search(r"///<\s*(.*)", self.lines[last_line])
            doc = [trailing.group(1)] if trailing else comment_above(self.lines, number)
            text = without_initialisers(self.text[first:last]) if named[0] == "function" else self.text[first:last]
            member = Entry(entry.space, named[0], named[1], signature_of(text, 2), doc, self.name, number + 1)
            member.inherits = bool(re.search(r"\boverride\b", head)) or named[1].strip("~") == entry.name
            entry.members.append(member)
