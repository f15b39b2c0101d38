# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""multisplit beside NumPy's stable argsort of the bins."""
import numpy as np
import pytest
from samples import INTEGERS, NUMBERS, SIZES, few_keys, random_bits, strided

import libpeneira as pn


def check(x, labels, bins, result, values=None):
    """Whether a result is the items in the order of their labels."""
    order = np.argsort(labels, kind="stable")
    items, offsets = result
    if values is not None:
        items, moved = items
        assert np.array_equal(moved, values[order])
    assert items.dtype == x.dtype and items.tobytes() == x[order].tobytes()
    assert offsets.dtype == np.int64
    assert np.array_equal(offsets, np.concatenate([[0], np.cumsum(np.bincount(labels, minlength=bins))]))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_ranges_of_integers_are_exact(dtype):
    rng = np.random.default_rng(1)
    limits = np.iinfo(dtype)
    for size in SIZES:
        x = random_bits(rng, dtype, size)
        for bins, lo, hi in ((7, limits.min, limits.max), (361, limits.min // 3, limits.max // 2), (3, 5, 5)):
            labels = [min(max((int(k) - lo) * bins // (hi - lo + 1), 0), bins - 1) if k <= hi else bins - 1
                      for k in x[:5000].tolist()]
            check(x[:5000], np.array(labels, int), bins, pn.multisplit(x[:5000], pn.ranges(bins, lo, hi)))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_ranges_of_floats(dtype):
    rng = np.random.default_rng(2)
    for size in SIZES:
        x = rng.random(size).astype(dtype)
        labels = (x * x.dtype.type(256)).astype(int)  # a power of two: no rounding
        check(x, labels, 256, pn.multisplit(x, pn.ranges(256, 0, 1)))
    odd = np.array([np.nan, -1, 2, np.inf, -np.inf, 0.5], dtype)
    check(odd, np.array([3, 0, 3, 3, 0, 2]), 4, pn.multisplit(odd, pn.ranges(4, 0.0, 1.0)))


@pytest.mark.parametrize("dtype", NUMBERS)
def test_splitters_are_searchsorted(dtype):
    rng = np.random.default_rng(3)
    for size in SIZES:
        x = few_keys(rng, dtype, size)
        for borders in ([], [3], [1, 1, 4], [0, 1, 2, 3, 4, 5, 6]):
            borders = np.array(borders, dtype)
            labels = np.searchsorted(borders, x, side="right")
            check(x, labels, borders.size + 1, pn.multisplit(x, pn.splitters(borders)))


@pytest.mark.parametrize("dtype", INTEGERS + ["f4", "f8", "?"])
def test_digits(dtype):
    rng = np.random.default_rng(4)
    for size in SIZES:
        x = random_bits(rng, dtype, size)
        raw = x.view(f"u{x.itemsize}").astype("u8")
        for shift, bits in ((0, 1), (3, 5), (0, 8), (8 * x.itemsize - 4, 11), (63, 2)):
            labels = ((raw >> np.uint64(shift)) & np.uint64((1 << bits) - 1)).astype(int)
            check(x, labels, 1 << bits, pn.multisplit(x, pn.digit(shift, bits)))


@pytest.mark.parametrize("dtype", NUMBERS)
def test_hashed_puts_equal_keys_together_and_spreads_others(dtype):
    rng = np.random.default_rng(5)
    x = few_keys(rng, dtype, 5000)
    items, offsets = pn.multisplit(x, pn.hashed(5))
    seen = {}
    for b in range(5):
        part = items[offsets[b]:offsets[b + 1]]
        for key in np.unique(part[~np.isnan(part)] if x.dtype.kind == "f" else part):
            assert seen.setdefault(key, b) == b
    many = np.arange(40_000).astype(dtype) if np.dtype(dtype).itemsize > 2 else None
    if many is not None:
        assert np.all(np.abs(np.diff(pn.multisplit(many, pn.hashed(8))[1]) - 5000) < 500)


def test_hashed_is_pinned():
    x = np.array([1, 2, 3, 4, 5, 6, 7, 8], np.uint32)
    wide = x.astype("f8") * [1, -1, 0, 1, 1, 1, 1, 1]
    assert np.array_equal(pn.multisplit(x, pn.hashed(3))[1], pn.multisplit(x.view("i4"), pn.hashed(3))[1])
    zeros = np.array([0.0, -0.0])
    assert max(np.diff(pn.multisplit(zeros, pn.hashed(1000))[1])) == 2
    assert pn.multisplit(wide, pn.hashed(4))[1][-1] == 8


@pytest.mark.parametrize("label", INTEGERS)
@pytest.mark.parametrize("dtype", ["u1", "f2", "i4", "f8", "c16", "S3", "O", "M8[s]", "V12"])
def test_labels(dtype, label):
    rng = np.random.default_rng(6)
    for size in (0, 1, 2, 1001, 70_001):
        x = random_bits(rng, dtype, size) if dtype == "V12" else (np.arange(size) % 60_000).astype(dtype)
        labels = rng.integers(0, 100, size).astype(label)
        order = np.argsort(labels, kind="stable")
        v = np.arange(size) * 2.0
        for given in (x, strided(x)) if dtype != "O" else (x,):
            items, offsets = pn.multisplit(given, labels, bins=100)
            assert np.array_equal(items, x[order])
            assert np.array_equal(np.diff(offsets), np.bincount(labels, minlength=100))
        (items, moved), again = pn.multisplit(x, strided(labels), bins=100, values=v)
        assert np.array_equal(items, x[order]) and np.array_equal(moved, v[order]) and np.array_equal(again, offsets)


def test_a_function_is_called_once_on_the_whole_array():
    calls = []
    x = np.arange(1000)
    result = pn.multisplit(x, lambda k: calls.append(k.size) or k % 7, bins=7)
    check(x, x % 7, 7, result)
    assert calls == [1000]


@pytest.mark.parametrize("values", ["u1", "f4", "i8", "c16", "O", "U2"])
@pytest.mark.parametrize("dtype", ["u1", "i2", "f4", "u8"])
def test_values_move_with_their_keys(dtype, values):
    rng = np.random.default_rng(7)
    for size in (0, 1, 999, 50_001):
        x = few_keys(rng, dtype, size)
        x = np.nan_to_num(x, nan=0, posinf=0, neginf=0)
        v = np.arange(size).astype(values)
        check(x, (x.view(f"u{x.itemsize}") & 15).astype(int), 16, pn.multisplit(x, pn.digit(0, 4), values=v), v)


@pytest.mark.parametrize("bins", [1, 2, 3, 64, 1000, 20_000])
@pytest.mark.parametrize("threads", [1, 3, None])
def test_any_number_of_bins_and_threads(bins, threads):
    x = random_bits(np.random.default_rng(8), "u4", 200_003)
    labels = (x.astype("u8") * bins >> np.uint64(32)).astype(int)
    check(x, labels, bins, pn.multisplit(x, pn.ranges(bins, 0, 2**32 - 1), threads=threads))
    check(x, labels, bins, pn.multisplit(x, labels, bins=bins, threads=threads))


def test_out_and_offsets_are_written_and_returned():
    x, v = np.array([3, 1, 2], "i4"), np.array([30, 10, 20])
    out, moved, offsets = np.empty(3, "i4"), np.empty(3, int), np.empty(5, "i8")
    (a, b), c = pn.multisplit(x, pn.ranges(4, 0, 3), values=v, out=(out, moved), offsets=offsets)
    assert a is out and b is moved and c is offsets
    assert out.tolist() == [1, 2, 3] and moved.tolist() == [10, 20, 30] and offsets.tolist() == [0, 0, 1, 2, 3]
