# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Segmented sorts and scans, top_k, sorts of rows, histograms, partitions and gathers beside NumPy's."""
import numpy as np
import pytest
from samples import FLOATS, INPUTS, INTEGERS, NUMBERS, few_keys, random_bits, strided

import libpeneira as pn

SIZES = [0, 1, 3, 255, 20_001]
SOME_KEYS = ["i1", "u2", "i4", "u8", "f2", "f4", "f8", "?", "M8[s]"]


def some_offsets(rng, size):
    """Offsets of segments of any length, among them empty ones, that leave items out at both ends."""
    return np.sort(rng.integers(size // 9, size - size // 9 + 1, min(size // 3, 500) + 2))


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", SOME_KEYS)
def test_segmented_sort(dtype, descending):
    rng = np.random.default_rng(1)
    for make in INPUTS:
        for size in SIZES:
            x, offsets = make(rng, dtype, size), some_offsets(rng, size)
            right = np.arange(size)
            for b, e in zip(offsets[:-1], offsets[1:]):
                right[b:e] = b + pn.argsort(x[b:e], descending=descending)
            given = strided(x)
            assert pn.segmented_sort(given, offsets, descending=descending).tobytes() == x[right].tobytes()
            order = pn.segmented_argsort(given, offsets, descending=descending)
            assert order.dtype == np.uint32 and np.array_equal(order, right)
            names = np.arange(size).astype("S6")
            keys, moved = pn.segmented_sort(x, offsets, values=names, descending=descending)
            assert keys.tobytes() == x[right].tobytes() and np.array_equal(moved, names[right])
            place = x.copy()
            assert pn.segmented_sort(place, offsets, descending=descending, out=place) is place
            assert place.tobytes() == x[right].tobytes()


def test_segments_of_one_size():
    x = random_bits(np.random.default_rng(2), "i4", 1000)
    assert np.array_equal(pn.segmented_sort(x, 10), np.sort(x.reshape(-1, 10), axis=1).reshape(-1))
    assert np.array_equal(pn.segmented_scan(x, 10, inclusive=True), np.cumsum(x.reshape(-1, 10), 1).reshape(-1))
    assert np.array_equal(pn.segmented_top_k(x, 10, 3)[0], -np.sort(-x.astype(int).reshape(-1, 10), 1)[:, :3].ravel())


def test_offsets_in_a_list():
    x, offsets = np.arange(6)[::-1].copy(), [0, 2, 2, 5]
    array = np.array(offsets)
    for given in (offsets, tuple(offsets), list(array)):
        assert pn.segmented_reduce(x, given).tolist() == [9, 0, 6]
        assert np.array_equal(pn.segmented_sort(x, given), pn.segmented_sort(x, array))
        assert np.array_equal(pn.segmented_argsort(x, given), pn.segmented_argsort(x, array))
        assert np.array_equal(pn.segmented_scan(x, given), pn.segmented_scan(x, array))
        assert np.array_equal(pn.segmented_top_k(x, given, 1)[0], pn.segmented_top_k(x, array, 1)[0])
    assert pn.segmented_reduce(x, range(0, 7, 2)).tolist() == [9, 5, 1]


def test_flags_may_be_of_numpy():
    x = np.arange(3)
    assert pn.sort(x, descending=np.bool_(True)).tolist() == [2, 1, 0]
    assert pn.top_k(x, 1, largest=(x == 0).any()).tolist() == [2]


@pytest.mark.parametrize("dtype", SOME_KEYS)
def test_top_k(dtype):
    rng = np.random.default_rng(3)
    for make in (random_bits, few_keys):
        for size in SIZES:
            x = make(rng, dtype, size)
            for k in {0, min(1, size), min(10, size), size // 2, size}:
                for largest in (True, False):
                    order = pn.argsort(x, descending=largest)[:k]
                    assert np.array_equal(pn.arg_top_k(x, k, largest=largest), order)
                    assert pn.top_k(strided(x), k, largest=largest).tobytes() == x[order].tobytes()
                    kept = np.sort(order)
                    assert np.array_equal(pn.arg_top_k(x, k, largest=largest, sorted=False), kept)
                    keys, moved = pn.top_k(x, k, largest=largest, values=np.arange(size))
                    assert keys.tobytes() == x[order].tobytes() and np.array_equal(moved, order)


@pytest.mark.parametrize("dtype", ["u1", "i4", "f8"])
def test_segmented_top_k(dtype):
    rng = np.random.default_rng(4)
    for size in SIZES:
        x, offsets = few_keys(rng, dtype, size), some_offsets(rng, size)
        for k in (0, 1, 3, 10**12):
            items, ends = pn.segmented_top_k(x, offsets, k)
            right = [pn.sort(x[b:e], descending=True)[:k] for b, e in zip(offsets[:-1], offsets[1:])]
            assert items.tobytes() == np.concatenate(right).tobytes()
            assert np.array_equal(np.diff(ends), [one.size for one in right])


def test_a_segment_of_all_that_others_lack():
    """Many short segments and a long one, which k places for each would not fit the memory for."""
    x = few_keys(np.random.default_rng(4), "f4", 200_000)
    offsets = np.minimum(np.arange(100_001), 99_999)
    offsets[-1] = x.size
    long = x[99_999:]
    for largest in (True, False):
        items, ends = pn.segmented_top_k(x, offsets, 10**12, largest=largest)
        assert items.tobytes() == np.concatenate([x[:99_999], pn.sort(long, descending=largest)]).tobytes()
        assert np.array_equal(ends, offsets)
        items, _ = pn.segmented_top_k(x, offsets, 50_000, largest=largest, sorted=False)
        best = pn.top_k(long, 50_000, largest=largest, sorted=False)
        assert items.tobytes() == np.concatenate([x[:99_999], best]).tobytes()


@pytest.mark.parametrize("op", ["sum", "prod", "min", "max"])
@pytest.mark.parametrize("dtype", [*NUMBERS, "?"])
def test_scans(dtype, op):
    rng = np.random.default_rng(5)
    by = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}[op]
    for size in SIZES:
        x = few_keys(rng, dtype, size) if dtype not in FLOATS else rng.integers(1, 3, size).astype(dtype)
        wide = pn.segmented_reduce(x, np.array([0, 0]), op).dtype
        neutral = pn.segmented_reduce(x, np.array([0, 0]), op)
        with np.errstate(over="ignore"):
            right = by.accumulate(x, dtype=wide) if op in ("sum", "prod") else by.accumulate(x)
        got = pn.scan(strided(x), op, inclusive=True)
        assert got.dtype == wide and np.array_equal(got, right)
        assert np.array_equal(pn.scan(x, op), np.concatenate([neutral, right])[:size])
        if size:
            cut = np.array([size // 3, size // 2, size])
            parts = pn.segmented_scan(x, cut, op, inclusive=True)
            assert np.array_equal(parts[:cut[0]], x[:cut[0]].astype(wide))
            for b, e in zip(cut[:-1], cut[1:]):
                assert np.array_equal(parts[b:e], pn.scan(x[b:e], op, inclusive=True))


def test_scans_in_place_and_with_any_threads():
    x = np.random.default_rng(6).standard_normal(300_000)
    right = pn.scan(x, inclusive=True, threads=1)
    assert np.allclose(right, np.cumsum(x))
    for threads in (2, 5):
        assert pn.scan(x, inclusive=True, threads=threads).tobytes() == right.tobytes()
    assert pn.scan(x, inclusive=True, out=x) is x and x.tobytes() == right.tobytes()


@pytest.mark.parametrize("dtypes", [("?", "u1"), ("i2", "f4", "u8"), ("f8", "i8"), ("f2", "M8[s]", "f8", "i1", "u4")])
def test_rows(dtypes):
    rng = np.random.default_rng(7)
    for size in SIZES:
        columns = tuple(few_keys(rng, d, size) if i % 2 == 0 else random_bits(rng, d, size) for i, d in enumerate(dtypes))
        for falls in (False, True, tuple(i % 2 == 0 for i in range(len(dtypes)))):
            order = np.arange(size)
            for i in reversed(range(len(dtypes))):
                fall = falls[i] if isinstance(falls, tuple) else falls
                order = order[pn.argsort(columns[i][order], descending=fall)]
            assert np.array_equal(pn.argsort(columns, descending=falls), order)
            for got, column in zip(pn.sort(tuple(map(strided, columns)), descending=falls), columns):
                assert got.tobytes() == column[order].tobytes()


def test_rows_in_place():
    a, b = np.array([2, 1, 2]), np.array([3.0, 2.0, 1.0])
    got = pn.sort((a, b), out=(a, b))
    assert got[0] is a and a.tolist() == [1, 2, 2] and b.tolist() == [2.0, 1.0, 3.0]


@pytest.mark.parametrize("dtype", [*INTEGERS, "?", *FLOATS])
def test_histogram_counts_what_multisplit_moves(dtype):
    rng = np.random.default_rng(8)
    for size in SIZES:
        x = few_keys(rng, dtype, size) if dtype in FLOATS else random_bits(rng, dtype, size)
        borders = np.unique(few_keys(rng, dtype, 5))
        functions = [pn.hashed(37), pn.digit(1, 3), pn.splitters(borders[borders == borders]), pn.ranges(3, 0, 1)]
        for by in functions:
            right = np.diff(pn.multisplit(x, by)[1])
            got = pn.histogram(strided(x), by)
            assert got.dtype == np.int64 and np.array_equal(got, right)
            weights = np.arange(size) % 7
            (_, moved), offsets = pn.multisplit(x, by, values=weights)
            sums = pn.segmented_reduce(moved, offsets)
            assert np.array_equal(pn.histogram(x, by, weights=weights.astype("i2")), sums)
            assert np.array_equal(pn.histogram(x, by, weights=weights.astype("f4")), sums.astype("f8"))


def test_histogram_of_labels():
    labels = np.random.default_rng(9).integers(0, 100, 50_000)
    names = labels.astype("U3")
    assert np.array_equal(pn.histogram(names, labels, bins=100), np.bincount(labels, minlength=100))
    assert np.array_equal(pn.histogram(labels, lambda k: k % 3, bins=5), np.bincount(labels % 3, minlength=5))


@pytest.mark.parametrize("dtype", ["u1", "f2", "i4", "f8", "c16", "S3", "O", "V12"])
def test_partition(dtype):
    rng = np.random.default_rng(10)
    for size in (0, 1, 1001, 70_001):
        x = random_bits(rng, dtype, size) if dtype == "V12" else (np.arange(size) % 60_000).astype(dtype)
        mask, v = rng.random(size) < 0.3, np.arange(size)
        order = np.concatenate([np.flatnonzero(mask), np.flatnonzero(~mask)])
        for by in (mask, lambda _: mask):
            (items, moved), offsets = pn.partition(x, by, values=v)
            assert np.array_equal(items, x[order]) and np.array_equal(moved, order)
            assert offsets.tolist() == [0, mask.sum(), size] and offsets.dtype == np.int64
            assert np.array_equal(pn.partition(x, by)[0], x[order])


@pytest.mark.parametrize("dtype", SOME_KEYS)
def test_partition_around_a_pivot(dtype):
    x = few_keys(np.random.default_rng(11), dtype, 5000)
    pivot = x.dtype.type(3) if x.dtype.kind not in "mM" else np.array(3, x.dtype)[()]
    items, offsets = pn.partition(x, pn.around(pivot))
    parts = np.where(x < pivot, 0, np.where(x == pivot, 1, 2))
    assert items.tobytes() == x[np.argsort(parts, kind="stable")].tobytes()
    assert np.array_equal(np.diff(offsets), np.bincount(parts, minlength=3))


def test_pivots_are_compared_exactly():
    x = np.array([0, 2**53, 2**53 + 1, 2**64 - 1], np.uint64)
    for pivot, right in ((2.0**53, [0, 1, 2, 2]), (-1, [2] * 4), (-0.5, [2] * 4), (0.5, [0, 2, 2, 2]), (2**64, [0] * 4),
                         (2**64 - 1, [0, 0, 0, 1]), (np.inf, [0] * 4), (-np.inf, [2] * 4), (np.nan, [2] * 4),
                         (np.float32(0), [1, 2, 2, 2]), (np.int8(-1), [2] * 4), (True, [0, 2, 2, 2])):
        assert np.diff(pn.partition(x, pn.around(pivot))[1]).tolist() == np.bincount(right, minlength=3).tolist(), pivot


@pytest.mark.parametrize("dtype", ["u1", "f2", "i4", "f8", "c16", "S3", "O", "M8[s]"])
def test_gather(dtype):
    rng = np.random.default_rng(12)
    x = np.arange(1, 30_001).astype(dtype)
    for position in ("u1", "i2", "u4", "i4", "u8", "i8"):
        at = rng.integers(0, min(x.size, np.iinfo(position).max), 50_000).astype(position)
        assert np.array_equal(pn.gather(x, strided(at)), x[at])
