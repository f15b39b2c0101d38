# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""group_by, unique and run_lengths beside NumPy's, item by item."""
import numpy as np
import pytest
from samples import FLOATS, INPUTS, KEYS, few_keys, random_bits, strided

import libpeneira as pn

SIZES = [0, 1, 2, 1000, 20_003]
OPS = {"sum": np.add.reduce, "prod": np.multiply.reduce, "min": np.minimum.reduce, "max": np.maximum.reduce,
       "any": np.any, "all": np.all, "argmin": np.argmin, "argmax": np.argmax}


def same(a, b):
    """Equal bits, but for which NaN it is."""
    assert a.dtype == b.dtype
    if a.dtype.kind in "fmM":
        return np.array_equal(a, b, equal_nan=True)
    return np.array_equal(a, b)


@pytest.mark.parametrize("dtype", KEYS)
def test_unique_is_numpys(dtype):
    rng = np.random.default_rng(1)
    for make in INPUTS:
        for size in SIZES:
            x = make(rng, dtype, size)
            right = np.unique(x, return_index=True, return_inverse=True, return_counts=True)
            for given in (x, strided(x)):
                got = pn.unique(given, return_index=True, return_inverse=True, return_counts=True)
                assert same(got[0], right[0])
                assert all(np.array_equal(a, b.reshape(-1)) for a, b in zip(got[1:], right[1:]))
                few = pn.unique(given, return_counts=True)
                assert same(few[0], right[0]) and np.array_equal(few[1], right[3])
                assert same(pn.unique(given), few[0])


def test_the_key_of_zeros_and_nans():
    x = np.array([-0.0, 0.0, np.float64(np.uint64(0xFFF8000000000001).view("f8")), np.nan, -0.0])
    for ops in ("count", ("first", "count")):
        keys, results = pn.group_by(x, x, ops)
        assert keys.view("u8").tolist() == np.array([0.0, np.nan]).view("u8").tolist()
        assert (results if ops == "count" else results[1]).tolist() == [3, 2]


def groups_of(keys):
    """Positions of the items of each key, in the order of keys."""
    unique, inverse = np.unique(keys, return_inverse=True)
    return unique, [np.flatnonzero(inverse.reshape(-1) == g) for g in range(unique.size)]


@pytest.mark.parametrize("values", ["i1", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "?"])
@pytest.mark.parametrize("key", ["i1", "u8", "f4", "?", "M8[s]"])
def test_aggregates(key, values):
    rng = np.random.default_rng(2)
    for size in (1, 17, 1000):
        k = few_keys(rng, key, size)
        v = few_keys(rng, values, size)
        if values in FLOATS:
            v = np.nan_to_num(v, posinf=7, neginf=-7)
        unique, members = groups_of(k)
        for op, by_numpy in OPS.items():
            if op in ("sum", "prod") and values not in FLOATS:
                wide = np.uint64 if v.dtype.kind == "u" else np.int64
                right = np.array([by_numpy(v[m], dtype=wide) for m in members])
            else:
                right = np.array([by_numpy(v[m]) for m in members])
            if op.startswith("arg"):
                right = np.array([m[i] for m, i in zip(members, right)])
            got = pn.group_by(k, v, op)
            assert same(got[0], unique), (key, values, op)
            assert np.allclose(got[1].astype("f8"), right.astype("f8")) and got[1].dtype == right.dtype, (key, values, op)
        mean, first, last, count = pn.group_by(k, v, ("mean", "first", "last", "count"))[1]
        assert np.allclose(mean, [v[m].astype("f8").mean() for m in members])
        assert np.array_equal(first, [v[m[0]] for m in members]) and np.array_equal(last, [v[m[-1]] for m in members])
        assert count.tolist() == [m.size for m in members]
        assert np.allclose(pn.group_by(k, v, "mean")[1], mean)


@pytest.mark.parametrize("values", ["i4", "f4", "i8", "u8", "f8"])
def test_both_ways_give_one_answer(values):
    """Few aggregates are made by tables, others by a sort."""
    rng = np.random.default_rng(3)
    for size, most in ((20_003, 7), (40_003, 100_000), (100_003, 300)):
        k, v = rng.integers(-most, most, size), rng.integers(-1000, 1000, size).astype(values)
        keys, by_sort = pn.group_by(k, v, ("sum", "min", "max", "mean", "count", "first"))
        for op, right in zip(("sum", "min", "max", "mean", "count"), by_sort):
            unique, got = pn.group_by(k, v, op, threads=1)
            assert np.array_equal(unique, keys) and np.array_equal(got, right) and got.dtype == right.dtype
        assert np.array_equal(keys, np.unique(k))


def test_nan_is_the_least_and_the_greatest_and_sums_are_exact():
    k = np.array([1, 1, 2, 2, 2])
    v = np.array([1.0, np.nan, 1e300, 1.0, -1e300])
    assert np.isnan(pn.group_by(k, v, "min")[1][0]) and np.isnan(pn.group_by(k, v, "max")[1][0])
    assert pn.group_by(k, v, "sum")[1].tolist()[1] == 1.0
    inf = np.array([np.inf, 1.0, np.inf, -np.inf, 1.0])
    assert np.array_equal(pn.group_by(k, inf, "sum")[1], [np.inf, np.nan], equal_nan=True)
    big = np.full(5, 2**63 - 1)
    assert pn.group_by(k, big, "mean")[1].tolist() == [2.0**63, 2.0**63]


def columns_for(rng, dtypes, size):
    return tuple(random_bits(rng, d, size) if i == 0 else few_keys(rng, d, size) for i, d in enumerate(dtypes))


@pytest.mark.parametrize("dtypes", [("i1", "?"), ("i4", "f4"), ("u8", "f8"), ("f8", "i8", "M8[s]", "f2"), ("f8",)])
def test_keys_of_several_columns(dtypes):
    """The first column has anything, among it runs, so that rows take more than a word."""
    rng = np.random.default_rng(4)
    for size in (0, 1, 1000, 20_003):
        columns = columns_for(rng, dtypes, size)
        columns = (columns[0][np.arange(size) // 3], *columns[1:])
        v = rng.random(size)
        keys, (sums, counts) = pn.group_by(columns, (v, v), ("sum", "count"))
        assert counts.sum() == size and np.isclose(sums.sum(), v.sum())
        again = pn.argsort(keys)
        assert np.array_equal(again, np.arange(counts.size))  # distinct and in order
        distinct = pn.unique(columns)
        assert all(same(a, b) for a, b in zip(distinct, keys))
        index, inverse = pn.unique(columns, return_index=True, return_inverse=True)[1:]
        for column, key in zip(columns, keys):
            assert np.array_equal(key[inverse], column, equal_nan=column.dtype.kind in "fmM")
            assert np.array_equal(column[index], key, equal_nan=column.dtype.kind in "fmM")


def test_any_number_of_threads_gives_the_same_bits():
    rng = np.random.default_rng(5)
    k, v = rng.integers(0, 5000, 300_000), rng.standard_normal(300_000)
    right = pn.group_by(k, v)
    for threads in (1, 2, 3, 8):
        got = pn.group_by(k, v, threads=threads)
        assert all(a.tobytes() == b.tobytes() for a, b in zip(got, right))


@pytest.mark.parametrize("dtype", KEYS)
def test_run_lengths(dtype):
    rng = np.random.default_rng(6)
    for size in (0, 1, 2, 999, 70_001):
        x = np.sort(few_keys(rng, dtype, size))
        values, lengths = pn.run_lengths(strided(x))
        right, counts = np.unique(x, return_counts=True)
        assert same(values, right) and np.array_equal(lengths, counts) and lengths.dtype == np.int64
