# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Every call on a GPU beside NumPy, or beside the same call on the CPU."""
import numpy as np
import pytest

import libpeneira as pn

SIZES = [0, 1, 2, 31, 4097, 100_003, (1 << 20) + 7]
KEYS = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "?"]
NUMBERS = ["i1", "u1", "i4", "u4", "i8", "u8", "f4", "f8"]


def sample(generator, size, dtype):
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return generator.integers(0, 2, size).astype(np.bool_)
    if dtype.kind == "f":
        x = generator.normal(size=size).astype(dtype)
        x[::7] = 0.0
        x[1::7] = -0.0
        x[2::97] = np.nan
        x[3::101] = np.inf
        return x
    ends = np.iinfo(dtype)
    return generator.integers(ends.min, ends.max, size, dtype, endpoint=True)


def same(gpu, given, wanted):
    have = gpu.get(given)
    assert isinstance(given, gpu.array_type)
    assert have.dtype == wanted.dtype
    np.testing.assert_array_equal(have, wanted)
    if wanted.dtype.kind == "f":
        np.testing.assert_array_equal(np.signbit(have), np.signbit(wanted))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", KEYS)
def test_sort(gpu, generator, dtype, size):
    x = sample(generator, size, dtype)
    there = gpu.put(x)
    for descending in (False, True):
        same(gpu, pn.sort(there, descending=descending), pn.sort(x, descending=descending))
    same(gpu, there, x)
    assert pn.sort(there, out=there) is there
    same(gpu, there, pn.sort(x))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("dtype", KEYS)
def test_argsort_is_stable(gpu, generator, dtype, size):
    x = sample(generator, size, dtype) if dtype in ("i8", "f8") else (sample(generator, size, "u1") % 5).astype(dtype)
    for descending in (False, True):
        order = gpu.get(pn.argsort(gpu.put(x), descending=descending))
        assert order.dtype.itemsize == 4
        np.testing.assert_array_equal(order, pn.argsort(x, descending=descending))


@pytest.mark.parametrize("values", ["u1", "f2", "i4", "f8", "c16"])
@pytest.mark.parametrize("dtype", ["u1", "f4", "i8"])
def test_values_move_with_their_keys(gpu, generator, dtype, values):
    x = (sample(generator, 10_007, "u1") % 50).astype(dtype)
    v = np.arange(x.size).astype(values)
    keys, moved = pn.sort(gpu.put(x), values=gpu.put(v))
    wanted = pn.sort(x, values=v)
    same(gpu, keys, wanted[0])
    same(gpu, moved, wanted[1])
    there = (gpu.put(x), gpu.put(v))
    pn.sort(there[0], values=there[1], out=there)
    same(gpu, there[0], wanted[0])
    same(gpu, there[1], wanted[1])


def test_rows_of_several_columns(gpu, generator):
    a, b = (sample(generator, 30_011, "u1") % 9).astype("i4"), sample(generator, 30_011, "f4")
    there = (gpu.put(a), gpu.put(b))
    order = gpu.get(pn.argsort(there, descending=(False, True)))
    np.testing.assert_array_equal(order, pn.argsort((a, b), descending=(False, True)))
    for have, wanted in zip(pn.sort(there), pn.sort((a, b))):
        same(gpu, have, wanted)


def functions(dtype):
    dtype = np.dtype(dtype)
    found = [pn.hashed(97), pn.digit(2, 5)]
    if dtype.kind == "f":
        return [*found, pn.ranges(361, -2.0, 2.0), pn.splitters(np.linspace(-1, 1, 500).astype(dtype))]
    ends = np.iinfo(dtype)
    steps = np.linspace(float(ends.min), float(ends.max) * 0.99, 60).astype(dtype)
    return [*found, pn.ranges(100, int(ends.min) // 2, int(ends.max) // 2), pn.splitters(np.sort(steps))]


@pytest.mark.parametrize("size", [0, 1, 4097, (1 << 20) + 7])
@pytest.mark.parametrize("dtype", NUMBERS)
def test_multisplit_and_histogram_by_functions(gpu, generator, dtype, size):
    x = sample(generator, size, dtype)
    v = np.arange(size, dtype="i4")
    for by in functions(dtype):
        wanted, offsets = pn.multisplit(x, by, values=v)
        have, starts = pn.multisplit(gpu.put(x), by)
        same(gpu, have, wanted[0])
        same(gpu, starts, offsets)
        (keys, moved), starts = pn.multisplit(gpu.put(x), by, values=gpu.put(v))
        same(gpu, keys, wanted[0])
        same(gpu, moved, wanted[1])
        same(gpu, starts, offsets)
        same(gpu, pn.histogram(gpu.put(x), by), np.diff(offsets))


@pytest.mark.parametrize("label", ["u1", "i4", "u4", "i8"])
@pytest.mark.parametrize("dtype", ["u1", "f2", "i4", "f8", "c16"])
def test_multisplit_by_labels(gpu, generator, dtype, label):
    x = np.arange(50_021).astype(dtype)
    labels = generator.integers(0, 100, x.size).astype(label)
    wanted, offsets = pn.multisplit(x, labels, bins=100)
    have, starts = pn.multisplit(gpu.put(x), gpu.put(labels), bins=100)
    same(gpu, have, wanted)
    same(gpu, starts, offsets)
    same(gpu, pn.histogram(gpu.put(x), gpu.put(labels), bins=100), np.diff(offsets))
    v = np.arange(x.size, dtype="f8")
    (keys, moved), _ = pn.multisplit(gpu.put(x), lambda k: gpu.put(labels), bins=100, values=gpu.put(v))
    same(gpu, keys, wanted)
    same(gpu, moved, pn.multisplit(v, labels, bins=100)[0])


def test_labels_that_name_no_bin_are_left_out(gpu):
    labels = np.array([2, -1, 0, 7, 1 << 33, 0], "i8")
    have, offsets = pn.multisplit(gpu.put(np.arange(6, dtype="i4")), gpu.put(labels), bins=3)
    np.testing.assert_array_equal(gpu.get(offsets), [0, 2, 2, 3])
    np.testing.assert_array_equal(gpu.get(have)[:3], [2, 5, 0])


def test_weights(gpu, generator):
    x = generator.integers(0, 10, 30_000)
    for weights in (np.arange(x.size, dtype="i4"), generator.random(x.size)):
        have = gpu.get(pn.histogram(gpu.put(x), gpu.put(x), bins=10, weights=gpu.put(weights)))
        np.testing.assert_allclose(have, pn.histogram(x, x, bins=10, weights=weights), rtol=1e-12)


@pytest.mark.parametrize("dtype", ["u1", "f4", "i8"])
def test_partition(gpu, generator, dtype):
    x = (sample(generator, 20_011, "u1") % 40).astype(dtype)
    wanted, offsets = pn.partition(x, x < 7)
    have, starts = pn.partition(gpu.put(x), lambda k: k < 7)
    same(gpu, have, wanted)
    same(gpu, starts, offsets)
    wanted, offsets = pn.partition(x, pn.around(7))
    have, starts = pn.partition(gpu.put(x), pn.around(7))
    same(gpu, have, wanted)
    same(gpu, starts, offsets)


@pytest.mark.parametrize("op", ["sum", "prod", "min", "max", "argmin", "argmax", "any", "all", "bit_and", "bit_or",
                                "bit_xor"])
@pytest.mark.parametrize("dtype", [*NUMBERS, "?"])
def test_reduce(gpu, generator, dtype, op):
    if np.dtype(dtype).kind == "f" and op.startswith("bit_"):
        with pytest.raises(TypeError, match=r"reduce: x has dtype float\d\d, but must have integers or bool"):
            pn.reduce(gpu.put(np.zeros(2, dtype)), op)
        return
    for size in (0, 1, 4097, 300_007):
        x = sample(generator, size, dtype)
        if np.dtype(dtype).kind == "f":
            x = generator.random(size).astype(dtype) + np.dtype(dtype).type(0.5 if op == "prod" else 0)
        if size == 0 and op.startswith("arg"):
            continue
        rough = np.dtype(dtype).kind == "f" and op in ("sum", "prod")
        compare = (lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-3 if dtype == "f4" else 1e-9)) if rough else \
            np.testing.assert_array_equal
        with np.errstate(all="ignore"):
            compare(gpu.get(pn.reduce(gpu.put(x), op)), pn.reduce(x, op))
            for segments in (100, np.array([0, size // 3, size // 3, size // 2, size])):
                given = segments if isinstance(segments, int) else gpu.put(segments)
                have = gpu.get(pn.segmented_reduce(gpu.put(x), given, op))
                wanted = pn.segmented_reduce(x, segments, op)
                assert have.dtype == wanted.dtype
                compare(have, wanted)


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("dtype", KEYS)
def test_top_k(gpu, generator, dtype, largest):
    x = sample(generator, 100_003, dtype)
    for k in (0, 1, 100, 5000, x.size):
        order = pn.arg_top_k(x, k, largest=largest)
        np.testing.assert_array_equal(gpu.get(pn.arg_top_k(gpu.put(x), k, largest=largest)), order)
        same(gpu, pn.top_k(gpu.put(x), k, largest=largest), pn.top_k(x, k, largest=largest))


@pytest.mark.parametrize("size", [0, 1, 1000, 200_003])
@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "f2", "f4", "f8", "?"])
def test_unique_and_run_lengths(gpu, generator, dtype, size):
    x = sample(generator, size, dtype)
    if np.dtype(dtype).kind in "iu":
        x = (x % 50).astype(dtype)
    there = gpu.put(x)
    options = {"return_index": True, "return_inverse": True, "return_counts": True}
    for have, wanted in zip(pn.unique(there, **options), pn.unique(x, **options)):
        np.testing.assert_array_equal(gpu.get(have), wanted)
    same(gpu, pn.unique(there), pn.unique(x))
    for have, wanted in zip(pn.run_lengths(there), pn.run_lengths(x)):
        np.testing.assert_array_equal(gpu.get(have), wanted)


@pytest.mark.parametrize("groups", [1, 30, 5000])
@pytest.mark.parametrize("dtype", ["u1", "i4", "f4", "i8"])
def test_group_by(gpu, generator, dtype, groups):
    keys = generator.integers(0, groups, 100_003).astype(dtype)
    values = generator.integers(-100, 100, keys.size).astype("f8")
    ops = ("sum", "min", "max", "argmin", "argmax", "count", "mean", "first", "last")
    wanted_keys, wanted = pn.group_by(keys, values, ops)
    have_keys, have = pn.group_by(gpu.put(keys), gpu.put(values), ops)
    same(gpu, have_keys, wanted_keys)
    for one, other in zip(have, wanted):
        np.testing.assert_allclose(gpu.get(one), other, rtol=1e-14)


def test_group_by_of_rows(gpu, generator):
    a, b = generator.integers(0, 9, 10_007), generator.integers(-3, 4, 10_007).astype("f4")
    b[::50] = np.nan
    v = generator.random(a.size)
    wanted = pn.group_by((a, b), (v, v), ("max", "count"))
    have = pn.group_by((gpu.put(a), gpu.put(b)), (gpu.put(v),) * 2, ("max", "count"))
    for one, other in zip((*have[0], *have[1]), (*wanted[0], *wanted[1])):
        np.testing.assert_array_equal(gpu.get(one), other)


@pytest.mark.parametrize("op", ["sum", "prod", "min", "max"])
@pytest.mark.parametrize("dtype", [*NUMBERS, "?"])
def test_scan(gpu, generator, dtype, op):
    for size in (0, 1, 5000, 300_007):
        x = (sample(generator, size, "u1") % 3).astype(dtype)
        for inclusive in (False, True):
            with np.errstate(all="ignore"):
                wanted = pn.scan(x, op, inclusive=inclusive)
            have = gpu.get(pn.scan(gpu.put(x), op, inclusive=inclusive))
            assert have.dtype == wanted.dtype
            np.testing.assert_allclose(have, wanted, rtol=1e-5)


@pytest.mark.parametrize("dtype", ["u1", "f2", "i4", "f8", "c16"])
def test_gather(gpu, generator, dtype):
    x = np.arange(1000).astype(dtype)
    for at in ("i4", "i8"):
        positions = generator.integers(0, x.size, 5000).astype(at)
        same(gpu, pn.gather(gpu.put(x), gpu.put(positions)), x[positions])


@pytest.mark.parametrize("dtype", ["u1", "i4", "f2", "f4", "f8", "u8"])
def test_segmented_sort(gpu, generator, dtype):
    x = sample(generator, 100_003, dtype)
    table = np.sort(np.append(generator.integers(5, x.size, 300), [5, 90_000, 99_000]))
    for segments in (7, 30_000, table):
        given = segments if isinstance(segments, int) else gpu.put(segments)
        for descending in (False, True):
            wanted = pn.segmented_sort(x, segments, descending=descending)
            same(gpu, pn.segmented_sort(gpu.put(x), given, descending=descending), wanted)
        order = pn.segmented_argsort(x, segments)
        np.testing.assert_array_equal(gpu.get(pn.segmented_argsort(gpu.put(x), given)), order)
        keys, moved = pn.segmented_sort(gpu.put(x), given, values=gpu.put(np.arange(x.size)))
        same(gpu, keys, x[order])
        np.testing.assert_array_equal(gpu.get(moved), order)


@pytest.mark.parametrize("dtype", ["i1", "u1", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "?"])
def test_parts_around_any_pivot(gpu, generator, dtype):
    x = sample(generator, 5003, dtype)
    if np.dtype(dtype).kind in "iu":
        ends = np.iinfo(dtype)
        x[:6] = [ends.min, ends.max, 7, 8, 7, 0]
        pivots = [7, 7.5, int(ends.min), int(ends.max), int(ends.max) + 1, int(ends.min) - 1, float("inf"), float("nan")]
    else:
        pivots = [0.0, 0.5, float("inf"), float("nan")]
    for pivot in pivots:
        wanted, offsets = pn.partition(x, pn.around(pivot))
        have, starts = pn.partition(gpu.put(x), pn.around(pivot))
        same(gpu, starts, offsets)
        same(gpu, have, wanted)


@pytest.mark.parametrize("dtype", ["u2", "u4", "u8"])
def test_groups_of_unsigned_keys(gpu, generator, dtype):
    keys = generator.integers(0, 50, 10_007).astype(dtype) + np.dtype(dtype).type(np.iinfo(dtype).max - 60)
    wanted = pn.group_by((keys, keys), keys, ("count", "max"))
    have = pn.group_by((gpu.put(keys),) * 2, gpu.put(keys), ("count", "max"))
    for one, other in zip((*have[0], *have[1]), (*wanted[0], *wanted[1])):
        np.testing.assert_array_equal(gpu.get(one), other)
