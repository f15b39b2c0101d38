# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""reduce and segmented_reduce beside NumPy's."""
import numpy as np
import pytest
from samples import FLOATS, INTEGERS, NUMBERS, SIZES, few_keys, random_bits, strided

import libpeneira as pn

BY_NUMPY = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum, "any": np.logical_or,
            "all": np.logical_and, "bit_and": np.bitwise_and, "bit_or": np.bitwise_or, "bit_xor": np.bitwise_xor}


def reference(x, op):
    """What NumPy says of items that are not none."""
    if op in ("argmin", "argmax"):
        return getattr(np, op)(x)
    if op in ("any", "all"):
        return getattr(np, op)(x)
    wide = {"i": np.int64, "u": np.uint64, "b": np.int64}.get(x.dtype.kind) if op in ("sum", "prod") else None
    return BY_NUMPY[op].reduce(x, dtype=wide)


def neutral(dtype, op):
    """What there is of no items."""
    if op in ("argmin", "argmax"):
        return -1
    if op in ("min", "max"):
        limits = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
        infinite = np.inf if dtype.kind == "f" else None
        return (infinite or limits.max) if op == "min" else (-infinite if infinite else limits.min)
    if op == "bit_and":
        return dtype.type(0) ^ ~dtype.type(0)
    return {"sum": 0, "prod": 1, "any": False, "all": True, "bit_or": 0, "bit_xor": 0}[op]


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("op", [*BY_NUMPY, "argmin", "argmax"])
def test_integers_are_numpys(dtype, op):
    rng = np.random.default_rng(1)
    for make in (random_bits, few_keys):
        for size in SIZES[1:]:
            x = make(rng, dtype, size)
            right = reference(x, op)
            for given in (x, strided(x)):
                result = pn.reduce(given, op)
                assert result == right and result.dtype == right.dtype, (size, op)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", ["min", "max", "argmin", "argmax", "any", "all"])
def test_floats_are_numpys(dtype, op):
    rng = np.random.default_rng(2)
    for size in SIZES[1:]:
        for x in (rng.standard_normal(size).astype(dtype), few_keys(rng, dtype, size), np.zeros(size, dtype)):
            assert np.array_equal(pn.reduce(x, op), reference(x, op), equal_nan=True)


@pytest.mark.parametrize("dtype", FLOATS)
def test_sums_of_floats_are_close_and_the_same_with_any_threads(dtype):
    rng = np.random.default_rng(3)
    for size in SIZES[1:]:
        x = rng.standard_normal(size).astype(dtype)
        result = pn.reduce(x)
        assert result.dtype == x.dtype
        bound = 20 * np.finfo(dtype).eps * np.abs(x).sum(dtype="f8")
        assert abs(float(result) - x.sum(dtype="f8")) <= bound
        assert all(pn.reduce(x, threads=t).tobytes() == result.tobytes() for t in (1, 2, 5))


def test_bool():
    x = np.array([True, False, True])
    assert pn.reduce(x) == 2 and pn.reduce(x).dtype == np.int64
    assert pn.reduce(x, "max") is np.True_ or pn.reduce(x, "max") == True  # noqa: E712
    assert not pn.reduce(x, "all") and pn.reduce(x, "any") and pn.reduce(x, "argmin") == 1


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("op", [*BY_NUMPY, "argmin", "argmax"])
def test_segments_are_reductions_of_slices(dtype, op):
    if op.startswith("bit_") and dtype in FLOATS:
        return
    rng = np.random.default_rng(4)
    for size, count in ((0, 0), (0, 3), (1, 1), (100, 30), (5000, 700), (100_003, 50)):
        x = few_keys(rng, dtype, size)
        if op in ("sum", "prod"):
            x = np.nan_to_num(x, nan=1, posinf=1, neginf=1)
        offsets = np.sort(rng.integers(0, size + 1, count + 1))
        result = pn.segmented_reduce(x, offsets, op)
        assert result.size == count
        for s, (begin, end) in enumerate(zip(offsets[:-1], offsets[1:])):
            part = x[begin:end]
            right = reference(part, op) if part.size else neutral(x.dtype, op)
            if op.startswith("arg") and part.size:
                right += begin
            if op in ("sum", "prod") and dtype in FLOATS:
                assert np.allclose(result[s], right, rtol=1e-3)
            else:
                assert np.array_equal(result[s], right, equal_nan=dtype in FLOATS), (s, begin, end)


@pytest.mark.parametrize("offset", ["i4", "u4", "i8", "u8", "i2"])
def test_offsets_of_any_integer_type(offset):
    x = np.arange(100.0)
    offsets = np.array([0, 10, 10, 57, 100], offset)
    assert pn.segmented_reduce(x, offsets).tolist() == [x[:10].sum(), 0, x[10:57].sum(), x[57:].sum()]


@pytest.mark.parametrize("every", [1, 2, 7, 1000, 10**30])
def test_segments_of_one_size(every):
    for size in SIZES:
        x = np.arange(size, dtype="i8")
        starts = np.arange(0, size, min(every, 1 << 40))
        right = np.add.reduceat(x, starts) if size else x
        assert np.array_equal(pn.segmented_reduce(x, every), right)


def test_out_is_written_and_returned():
    out = np.empty(3, np.float32)
    assert pn.segmented_reduce(np.ones(6, np.float32), 2, out=out) is out
    assert out.tolist() == [2, 2, 2]


def test_nothing_has_no_position():
    for op in ("argmin", "argmax"):
        with pytest.raises(ValueError, match="x has no items"):
            pn.reduce(np.empty(0), op)
    assert pn.reduce(np.empty(0), "min") == np.inf and pn.reduce(np.empty(0, "i4"), "max") == -(2**31)
