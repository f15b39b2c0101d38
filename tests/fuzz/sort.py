# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""peneira sort of text beside GNU sort: the same bytes, the same exit status, and with -c the same line."""
import re
import subprocess

import draw as inputs
from case import CHECK, draw_limits

GNU = "sort"
FAILED = 2


def gnu_version():
    try:
        first = subprocess.run([GNU, "--version"], capture_output=True, check=True).stdout.split(b"\n")[0]
        return first.rsplit(b" ", 1)[-1]
    except (OSError, subprocess.CalledProcessError):
        return b""


# Versions and sizes are ordered as coreutils 9.1 does; with another GNU sort they are left out.
ORDERS = "nghMVdi" if gnu_version() == b"9.1" else "nMdi"
if CHECK == "msan":
    ORDERS = ORDERS.replace("g", "")  # valgrind computes with double instead of long double
SEPARATORS = {None: [b" ", b"  ", b"\t"], ",": [b","], ":": [b":"], "\t": [b"\t"], "\\0": [b"\0"], " ": [b" "],
              "a": [b"a"], ".": [b"."], "-": [b"-"], "0": [b"0"], "\n": [b"\n"]}
ODD_OPTIONS = ["-S1x", "-S0", "-S", "-S5%", "-S101%", "-S-1", "--parallel=0", "--parallel=x", "--batch-size=1",
               "--batch-size=x", "--batch-size=0", "-k0", "-k1.0", "-k99999999999999999999",
               "-k1,99999999999999999999", "-k", "-k,2", "-k1,", "-k1..2", "-t", "-tab", "-t,", "-t:", "--nosuch",
               "-Q", "--files0-from=missing", "--files0-from=tmp", "--che", "--s", "--reverse=1", "-cC", "-co", "-dn",
               "--sort=numeric", "--key=2n,3", "-k2bn,3b", "--", "", "-k 2", "-k+2", "-k2.3.4",
               "--compress-program=gzip", "-s", "-u"]
WORDS = {"n": "numeric", "g": "general-numeric", "h": "human-numeric", "M": "month", "V": "version"}
LONG = {"b": "ignore-leading-blanks", "d": "dictionary-order", "f": "ignore-case", "g": "general-numeric-sort",
        "h": "human-numeric-sort", "i": "ignore-nonprinting", "M": "month-sort", "n": "numeric-sort", "r": "reverse",
        "V": "version-sort", "u": "unique", "s": "stable", "z": "zero-terminated", "m": "merge"}


def draw_order(draw):
    """The letters of an order, now and then such as exclude each other."""
    if draw.chance(0.03):
        return "".join(draw.choices(ORDERS + "bfr", k=draw.below(5)))
    order = draw.pick(*ORDERS, "", "", "", "")
    for letter, probability in (("b", 0.2), ("f", 0.15), ("r", 0.3)):
        if draw.chance(probability):
            order += letter
    return order


def draw_position(draw):
    if draw.chance(0.01):
        return draw.pick("99", "4294967296", "18446744073709551615", "1.4294967296", "1.300")
    return str(1 + draw.below(4)) + (f".{1 + draw.below(5)}" if draw.chance(0.3) else "")


def draw_key(draw):
    key = draw_position(draw) + (draw_order(draw) if draw.chance(0.5) else "")
    if draw.chance(0.6):
        key += "," + (f"{1 + draw.below(4)}.0" if draw.chance(0.1) else draw_position(draw))
        key += draw_order(draw) if draw.chance(0.3) else ""
    if draw.chance(0.01):
        key += draw.pick("x", ",", ".", "0", "-", ",0", "R,")[:1]
    return key.replace("R", "")


def draw_old_key(draw):
    """+POS1 [-POS2], which counts from 0."""
    def position(sign):
        return sign + str(draw.below(3)) + (f".{draw.below(4)}" if draw.chance(0.4) else "") + (
            draw_order(draw) if draw.chance(0.3) else "")
    return [position("+"), position("-")] if draw.chance(0.6) else [position("+")]


def spell(draw, letter):
    """An option without an argument, as a letter or a word, perhaps shortened."""
    if draw.chance(0.8) or letter not in LONG:
        return "-" + letter
    name = LONG[letter]
    return "--" + (name[:draw.pick(6, 9, 12, 20)] if draw.chance(0.3) else name)


def draw_order_options(draw):
    order = draw_order(draw) if draw.chance(0.6) else ""
    if not order:
        return []
    if order[0] in WORDS and draw.chance(0.1):
        return ["--sort=" + WORDS[order[0]], *(spell(draw, letter) for letter in order[1:])]
    return ["-" + order] if draw.chance(0.6) else [spell(draw, letter) for letter in order]


def draw_key_options(draw, separator):
    options = []
    if separator is not None:
        options.append(draw.pick(["-t" + separator], ["-t", separator], ["--field-separator=" + separator]))
    for _ in range(draw.pick(0, 0, 1, 1, 1, 2, 3)):
        key = draw_key(draw)
        if draw.chance(0.08):
            options.append(draw_old_key(draw))
            continue
        options.append(draw.pick(["-k" + key], ["-k", key], ["--key=" + key]))
    return [part for option in options for part in option]


def draw_means(draw, large):
    """Memory, threads and the like: nothing of it may show."""
    options = []
    if large or draw.chance(0.2):
        options.append(draw.pick("-S1b", "-S1k", "-S1k", "--buffer-size=100k", "-S300K", "-S1M"))
    elif draw.chance(0.1):
        options.append(draw.pick("-S50%", "-S10M", "-S1G"))
    if draw.chance(0.2):
        options.append(f"--batch-size={draw.pick(2, 2, 3, 5, 16)}")
    options.append(f"--parallel={1 + draw.below(3)}")
    if draw.chance(0.1):
        options.append(draw.pick("-Ttmp", "--temporary-directory=tmp"))
    if large and draw.chance(0.05):
        options.append("--compress-program=gzip")
    return options


def enlarge(draw, lines):
    """Some hundred kilobytes: more than the least memory."""
    if draw.chance(0.2):  # a line that is longer than it
        return [*lines, draw.pick(*lines) + b"x" * draw.below(300_000), draw.pick(*lines) + b"x" * draw.below(300_000)]
    return [line + b"%d" % draw.below(1000) for line in draw.choices(lines, k=draw.pick(5000, 20000, 40000))]


def comparable(line):
    """The line without what GNU sort 9.1 has no answer to: several NaNs, which it orders by bytes of memory that it never
    wrote, and may not end; and the byte 128, which it skips inside numbers where char has a sign."""
    return re.sub(rb"(?i)nan", b"nax", line).replace(b"\x80", b"\x81")


def draw_files(case, separator, end, large, several):
    """Names of one or, with that probability, more files of lines."""
    draw = case.draw
    field = draw.pick(*inputs.FIELDS, inputs.mixed, inputs.mixed)
    count = draw.pick(2, 2, 3, 5, 20) if draw.chance(several) else 1
    names = []
    for f in range(count):
        lines = [comparable(line) for line in inputs.lines(draw, field, SEPARATORS[separator])]
        if end == b"\n":
            lines = [line.replace(b"\n", b"\r") for line in lines]
        else:
            lines = [line.replace(b"\0", b"\n") for line in lines]
        if large and f == 0:
            lines = enlarge(draw, lines or [b"x"])
        names.append(case.write(f"in{f}", inputs.joined(draw, lines, end)))
    if draw.chance(0.05):
        names.append(draw.pick(*names))  # the same again
    return names


def sort_each(case, options, names):
    """Makes the inputs of a merge."""
    for name in set(names):
        result = case.run([GNU, *options, name])
        if result.status == 0:
            case.write(name, result.out)
    case.script.clear()


def draw_case(case, limits):
    """The arguments, how to run them, and the file that -o names."""
    draw = case.draw
    zero = draw.chance(0.1)
    separator = draw.pick(None, None, None, *SEPARATORS)
    large = draw.chance(0.3 if limits else 0.02)
    order = draw_order_options(draw) + draw_key_options(draw, separator)
    for letter, probability in (("u", 0.2), ("s", 0.2)):
        if draw.chance(probability):
            order.append(spell(draw, letter))
    if zero:
        order.append(spell(draw, "z"))
    if draw.chance(0.06):
        order += ["--random-source=salt", draw.pick("-R", "-R", "-k2,2R", "-k1,1fR", "--sort=random")]
        case.write("salt", bytes(draw.choices(range(256), k=16 if draw.chance(0.95) else draw.below(20))))
    names = draw_files(case, separator, b"\0" if zero else b"\n", large, 0.5 if limits else 0.2)
    draw.shuffle(names)
    means = draw_means(draw, large)
    action = draw.pick("sort", "sort", "sort", "sort", "sort", "merge", "check")
    options = order + means
    how, output = {}, None
    if action == "merge":
        sort_each(case, order, names)
        options.append(spell(draw, "m"))
    elif action == "check":
        options.append(draw.pick("-c", "-C", "--check", "--check=quiet", "--check=diagnose-first", "--check=silent"))
        names = names[:1] if draw.chance(0.95) else names
        if draw.chance(0.4):
            sort_each(case, order, names)
    elif draw.chance(0.02):
        names.append(draw.pick("missing", "tmp"))
    if draw.chance(0.02):  # before -o is there: what came between it and its file would be the file
        options.insert(draw.below(len(options) + 1), draw.pick(*ODD_OPTIONS))
    if draw.chance(0.04):
        options.append("--debug")
    elif action != "check" and draw.chance(0.15):
        output = draw.pick("out", *names)
        options += draw.pick(["-o", output], ["-o" + output], ["--output=" + output])
    names, how = draw_stdin(case, names, output)
    if names and "-" not in names and draw.chance(0.05):
        case.write("names", b"\0".join(name.encode() for name in names) + (b"\0" if draw.chance(0.7) else b""))
        if how or draw.chance(0.7):
            options.append("--files0-from=names")
        else:
            options.append("--files0-from=-")
            how["stdin"] = "names"
        names = [] if draw.chance(0.97) else names
    elif draw.chance(0.03) and names:
        options.append("--")
    if draw.chance(0.02):
        how["before"] = [draw.pick("exec >&-", "exec >/dev/full", "exec >/dev/null")]
    elif not how and names and draw.chance(0.01):
        how["before"] = ["exec <&-"]
    arguments = options + names if "--" in options or draw.chance(0.8) else names + options
    return arguments, how, output


def draw_stdin(case, names, output):
    """The same inputs, perhaps with one of them as standard input, and how to run that."""
    draw = case.draw
    name = draw.pick(*names)
    if not draw.chance(0.2) or name not in case.files or (name == output and names.count(name) > 1):
        return names, {}  # the last: GNU sort -m may write it twice
    how = {"stdin": name, "piped": name != output and draw.chance(0.4)}
    if not how["piped"] and draw.chance(0.1):
        how["before"] = ["read -r line"]  # so that it begins in the middle
    names = ["-" if one == name else one for one in names]
    return [] if names == ["-"] and draw.chance(0.5) else names, how


def told(result, program):
    """What -c says, without the program's name."""
    return result.err.replace(program + b": ", b"", 1)


def run(case):
    limits = draw_limits(case.draw)
    arguments, how, output = draw_case(case, limits)
    few_files = limits if limits and limits.option == "-n" else None
    want = case.run([GNU, *arguments], limits=few_files, **how)
    if few_files and want.status == FAILED:
        few_files = None
        want = case.run([GNU, *arguments], **how)
    want_output = None
    if output is not None and want.status == 0:
        want_output = case.read(output)
    if output is not None and output != "missing" and output != "tmp":
        case.restore(output)
    have = case.peneira(["sort", *arguments], limits=limits, **how)
    if few_files:  # with which GNU sort did
        case.limits = None
    if have.status == FAILED == want.status:
        case.refused(have, FAILED)
        return case.check_folder()
    debugs = "--debug" in arguments
    if not case.succeeded(have, want.status, FAILED, quiet=not debugs):
        return case.check_folder()
    case.require_same("standard output", have.out, want.out)
    if debugs:
        case.require_same("what --debug tells", have.err.replace(b"peneira sort: ", b"sort: "), want.err)
    elif want.status == 1:
        case.require_same("standard error", told(have, b"peneira sort"), told(want, b"sort"))
    case.check_folder({output: want_output} if want_output is not None else {})
    if want.status == 0 and output is None and not debugs and not checks(arguments) and case.draw.chance(0.2):
        check_top(case, arguments, how, want.out)


def checks(arguments):
    """Whether it is to check, not to sort."""
    return any(a.startswith(("-c", "-C", "--ch")) for a in arguments)


def check_top(case, arguments, how, everything):
    """--top gives the first lines of all."""
    end = b"\0" if any(a == "-z" or a.startswith("--zero") for a in arguments) else b"\n"
    lines = everything.split(end)
    wanted = case.draw.pick(0, 1, 2, 10, len(lines) // 2, len(lines), 10**9)
    first = end.join(lines[:wanted] + [b""]) if wanted < len(lines) - 1 else everything
    have = case.peneira(["sort", f"--top={wanted}", *arguments], **how)
    if case.succeeded(have, 0, FAILED):
        case.require_same(f"--top={wanted}", have.out, first)
