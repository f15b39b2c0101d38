# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""sort_strings beside Python's sort."""
import random

import numpy as np
import pytest

import libpeneira as pn


def words(alphabet, count, seed, longest=12):
    """Strings with ties, common beginnings and empty ones."""
    rng = random.Random(seed)
    return ["".join(rng.choices(alphabet, k=rng.randrange(longest))) for _ in range(count)]


def order_of(strings, descending=False):
    """The stable order; Python's reverse keeps equal ones in theirs, too."""
    return sorted(range(len(strings)), key=strings.__getitem__, reverse=descending)


@pytest.mark.parametrize("alphabet", ["ab", "abcdefgh\0", "aé√\U0001F600\uffff"])
@pytest.mark.parametrize("descending", [False, True])
def test_lists(alphabet, descending):
    for count in (0, 1, 2, 333, 20_001):
        strings = words(alphabet, count, count)
        right = order_of(strings, descending)
        assert pn.sort_strings(strings, descending=descending).tolist() == right
        assert pn.sort_strings(tuple(strings), descending=descending).tolist() == right
        assert pn.sort_strings([s.encode() for s in strings], descending=descending).tolist() == right


def test_surrogates_are_code_points_as_others():
    """Half a pair, as os.fsdecode makes of bytes that are no UTF-8."""
    strings = ["\ue000", "\udc80", "a", "\ud800", "\U0001F600", "\ud7ff", ""]
    right = order_of(strings)
    assert pn.sort_strings(strings).tolist() == right
    assert pn.sort_strings(np.array(strings)).tolist() == right


@pytest.mark.parametrize("kind", ["S", "U"])
def test_arrays(kind):
    for count in (0, 1, 2, 333, 5001):
        strings = np.array(words("abc\0", count, count), "U12").astype(kind)
        assert np.array_equal(pn.sort_strings(strings), np.argsort(strings, kind="stable"))
        assert np.array_equal(pn.sort_strings(strings[::-2]), np.argsort(strings[::-2], kind="stable"))
    assert pn.sort_strings(np.array(["", ""], "U1")).tolist() == [0, 1]


@pytest.mark.parametrize("offset", ["i4", "i8", "u4", "u8"])
def test_side_by_side(offset):
    strings = [s.encode() for s in words("xyz", 1000, 7)]
    offsets = np.cumsum([0] + [len(s) for s in strings]).astype(offset)
    data = b"".join(strings)
    right = order_of(strings)
    assert pn.sort_strings(data, offsets=offsets).tolist() == right
    assert pn.sort_strings(np.frombuffer(data, np.uint8), offsets=offsets).tolist() == right
    for given in (bytearray(data), memoryview(data), memoryview(data).cast("c")):
        assert pn.sort_strings(given, offsets=offsets.tolist()).tolist() == right
    assert pn.sort_strings(memoryview(b""), offsets=(0, 0, 0)).tolist() == [0, 1]
    part = pn.sort_strings(data, offsets=offsets[100:201])
    assert part.tolist() == order_of(strings[100:200])


def test_out():
    out = np.empty(2, np.int64)
    assert pn.sort_strings(["b", "a"], out=out) is out and out.tolist() == [1, 0]
