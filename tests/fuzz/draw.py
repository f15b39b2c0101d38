# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Random inputs: what a case draws is a function of its generator alone."""
import random
import struct


class Draw(random.Random):
    """Random numbers, and what cases make of them."""

    def chance(self, probability):
        return self.random() < probability

    def below(self, n):
        return int(self.random() * n)

    def pick(self, *things):
        return things[self.below(len(things))]

    def some(self, alphabet, most):
        """Up to `most` of the things in a sequence of bytes."""
        return bytes(self.choices(alphabet, k=self.below(most + 1)))

    def skewed(self, most):
        """From 1 to `most`, small ones far more often."""
        return 1 + int(most ** self.random() * self.random())


DIGITS = b"0123456789"
EDGES = (b"nan -nan inf -inf NaN INF infinity nanx 0x1p3 0x1.8p-2 0x 1e400 -1e400 1e-400 1e5000 1e-5000 -0 +0 +5 .5 5. "
         b". e5 1e 1e+2 1E2 -1e2 - -- -- 0. -.0 00 1_000 1,000 9223372036854775807 9223372036854775808 "
         b"18446744073709551615 18446744073709551616 99999999999999999999 0.1 0.10 1e15 1e16 4.9e-324 1.8e308").split()
MONTHS = b"jan Feb MAR apr may JUNE jul aug sep oct nov december Janx ja xyz 1".split()
SUFFIXES = b".c .tar.gz .txt .a~ .1 .b1.c2 . .. ~ .~ .~1~ .0 .7z".split()
UTF8 = "ä é ß € 𝄞 日 本 İ ı \u0301 \u00a0 \ufeff".encode().split(b" ")


def number(draw):
    text = draw.some(b" \t", 2) if draw.chance(0.1) else b""
    if draw.chance(0.3):
        text += draw.pick(b"-", b"-", b"-", b"+", b"--")
    text += draw.some(b"0", 2) + draw.some(DIGITS, 40 if draw.chance(0.05) else 4)
    if draw.chance(0.3):
        text += b"." + draw.some(DIGITS, 4) + draw.some(b"0", 2)
    return text


def human(draw):
    return number(draw) + draw.some(b"kKMGTPEZYmiBx.-", 2)


def real(draw):
    if draw.chance(0.2):
        return draw.pick(*EDGES)
    exponent = draw.pick(b"e", b"E") + draw.pick(b"-", b"+", b"") + draw.some(DIGITS, 3)
    return number(draw) + (exponent if draw.chance(0.3) else b"")


def version(draw):
    text = draw.some(b"._~", 2) if draw.chance(0.1) else b""
    for _ in range(draw.below(5)):
        text += draw.some(b"ab~-_.+Z", 2) + draw.some(b"0", 2) + draw.some(DIGITS, 3)
    return text + (draw.pick(*SUFFIXES) if draw.chance(0.4) else b"")


def month(draw):
    return draw.some(b" ", 1) + draw.pick(*MONTHS) + draw.some(b"ab ", 1)


def printable(draw):
    return draw.some(range(32, 127), 9)


def any_bytes(draw):
    return draw.some(range(256), 9).replace(b"\n", b"\r")


def utf8(draw):
    return b"".join(draw.choices(UTF8 + [b"a", b"b"], k=draw.below(5))) + (b"\xc3" if draw.chance(0.1) else b"")


def word(draw):
    return draw.some(b"ab", 6)


def cased(draw):
    return draw.some(b"aAbBzZ \t,._", 8)


def edgy(draw):
    return draw.some(b"\0\1\2\t\r\177\200\377ab", 6)


def long_word(draw):
    """Long, and alike for long."""
    return draw.pick(b"a", b"ab", b"/usr/share/") * draw.skewed(300) + draw.some(b"ab", 2)


FIELDS = [word, cased, number, human, real, version, month, printable, any_bytes, utf8, edgy]


def mixed(draw):
    return draw.pick(*FIELDS)(draw)


def lines(draw, field, separators, most_fields=4):
    """Lines without their ends: few or many, distinct or all alike."""
    def line():
        text = field(draw)
        if most_fields > 1 and draw.chance(0.6):
            for _ in range(draw.below(most_fields)):
                text += draw.pick(*separators) + field(draw)
        return text

    if draw.chance(0.03):
        return []
    count = draw.skewed(60) if draw.chance(0.85) else draw.skewed(1500)
    pool = [line() for _ in range(min(count, draw.skewed(300)))]
    if draw.chance(0.1):
        pool.append(long_word(draw))
    if draw.chance(0.2):  # huge skew
        pool += [pool[0]] * (20 * len(pool))
    all_lines = draw.choices(pool, k=count)
    if draw.chance(0.1):
        all_lines.sort()
    return all_lines


def joined(draw, all_lines, end=b"\n"):
    """The bytes of a file of lines."""
    if draw.chance(0.05):
        all_lines = [line + (b"\r" if draw.chance(0.8) else b"") for line in all_lines]
    if draw.chance(0.03):
        all_lines = [b"" if draw.chance(0.3) else line for line in all_lines]
    text = end.join(all_lines)
    return text if not all_lines or draw.chance(0.15) else text + end


# Binary items.

TYPES = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "f32": "f",
         "f64": "d"}


def is_float(kind):
    return kind[0] == "f"


def bits_of(kind):
    return int(kind[1:])


def limits_of(kind):
    bits = bits_of(kind)
    return (0, 2**bits - 1) if kind[0] == "u" else (-(2**(bits - 1)), 2**(bits - 1) - 1)


def pack(kind, items):
    return struct.pack(f"<{len(items)}{TYPES[kind]}", *items)


def unpack(kind, data):
    return list(struct.unpack(f"<{len(data) // struct.calcsize(TYPES[kind])}{TYPES[kind]}", data))


def items(draw, kind, special=0.02):
    """Items of a type; `special` is how often NaN and infinities come, in the cases that have any."""
    count = 0 if draw.chance(0.03) else draw.skewed(100) if draw.chance(0.85) else draw.skewed(20000)
    if draw.chance(0.004):  # enough for many threads
        count = 300_000
    shape = draw.below(4)
    if is_float(kind):
        def one():
            if shape == 0:
                return draw.uniform(-1000, 1000)
            if shape == 1:
                return float(draw.below(7) - 3)
            if shape == 2:
                return draw.random() * 2.0**(draw.below(60) - 30)
            return draw.uniform(0, 1)
        pool = [one() for _ in range(min(count, draw.skewed(2000)))]
        if draw.chance(0.3):
            pool += draw.choices([float("nan"), float("inf"), float("-inf"), 0.0, -0.0],
                                 k=1 + int(special * len(pool)))
    else:
        low, high = limits_of(kind)

        def one():
            if shape == 0:
                return draw.randint(low, high)
            if shape == 1:
                return max(low, min(high, draw.below(7) - 3))
            if shape == 2:
                return draw.pick(low, high, 0, low + 1, high - 1)
            return max(low, min(high, int(draw.gauss(0, 100))))
        pool = [one() for _ in range(min(count, draw.skewed(2000)))]
    drawn = draw.choices(pool, k=count) if count else []
    return unpack(kind, pack(kind, drawn))  # rounds what is to be f32
