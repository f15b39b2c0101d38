# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""sort and argsort beside NumPy's."""
import numpy as np
import pytest
from samples import INPUTS, KEYS, SIZES, few_keys, random_bits, strided

import libpeneira as pn


def same(a, b):
    """Whether two arrays are equal, NaN and NaT included."""
    return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind in "fmM")


@pytest.mark.parametrize("dtype", KEYS)
@pytest.mark.parametrize("make", INPUTS)
def test_sort_is_numpys(dtype, make):
    rng = np.random.default_rng(1)
    for size in SIZES:
        x = make(rng, dtype, size)
        before = x.copy()
        result = pn.sort(x)
        assert same(result, np.sort(x, kind="stable")), size
        assert x.tobytes() == before.tobytes(), "the input was written"
        bits = f"u{x.itemsize}"
        assert np.array_equal(np.sort(result.view(bits)), np.sort(x.view(bits))), "items were lost"
        assert same(pn.sort(strided(x)), result)


@pytest.mark.parametrize("dtype", KEYS)
@pytest.mark.parametrize("make", INPUTS)
def test_argsort_is_numpys_stable_one(dtype, make):
    rng = np.random.default_rng(2)
    for size in SIZES:
        x = make(rng, dtype, size)
        if x.dtype.kind == "f":
            x = np.where(np.isnan(x), x.dtype.type(np.nan), x)  # NumPy holds all NaNs for equal, and -0 and 0;
            x[x == 0] = 0  # here they have an order
        order = pn.argsort(x)
        assert order.dtype == np.uint32
        assert np.array_equal(order, np.argsort(x, kind="stable")), size
        for wide in (np.int64, np.uint64):
            out = np.empty(size, wide)
            assert pn.argsort(x, out=out) is out
            assert np.array_equal(out, order)


@pytest.mark.parametrize("dtype", KEYS)
def test_descending_is_the_reverse_and_stable(dtype):
    rng = np.random.default_rng(3)
    for size in SIZES:
        x = few_keys(rng, dtype, size)
        assert same(pn.sort(x, descending=True), pn.sort(x)[::-1])
        order = pn.argsort(x, descending=True)
        assert same(x[order], pn.sort(x, descending=True))
        sorted_bits = x[order].view(f"u{x.itemsize}")
        ties = sorted_bits[1:] == sorted_bits[:-1]
        assert np.all(order[1:][ties] > order[:-1][ties])


@pytest.mark.parametrize("values", ["u1", "i2", "f4", "i8", "c16", "U3", "S5", "O", "M8[D]", [("a", "i4"), ("b", "O")]])
@pytest.mark.parametrize("dtype", ["u1", "f2", "i4", "f8"])
def test_values_move_with_their_keys(dtype, values):
    rng = np.random.default_rng(4)
    for size in (0, 1, 2, 1000, 20_001):
        x = few_keys(rng, dtype, size)
        numbers = np.arange(size)
        v = np.array([(i, str(i)) for i in numbers], values) if isinstance(values, list) else numbers.astype(values)
        order = pn.argsort(x)
        keys, moved = pn.sort(x, values=v)
        assert same(keys, x[order]) and np.array_equal(moved, v[order])
        keys, moved = x.copy(), v.copy()
        result = pn.sort(keys, values=moved, out=(keys, moved))
        assert result[0] is keys and result[1] is moved
        assert same(keys, x[order]) and np.array_equal(moved, v[order])


def test_out_may_be_the_input():
    rng = np.random.default_rng(5)
    for size in SIZES:
        x = random_bits(rng, "f8", size)
        right = np.sort(x)
        assert pn.sort(x, out=x) is x
        assert same(x, right)


def test_signs_of_zero_and_nan():
    x = np.array([np.nan, 0.0, -0.0, -np.nan, np.inf, -np.inf])
    assert str(pn.sort(x)[:3]) == "[-inf  -0.   0.]"
    assert np.isnan(pn.sort(x)[4:]).all() and np.isnan(pn.sort(x, descending=True)[:2]).all()


@pytest.mark.parametrize("threads", [1, 2, 3, 8, 10**30])
def test_any_number_of_threads(threads):
    x = random_bits(np.random.default_rng(6), "u4", 300_001)
    assert np.array_equal(pn.sort(x, threads=threads), np.sort(x))
