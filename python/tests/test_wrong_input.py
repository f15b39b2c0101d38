# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Wrong input raises an error that names the argument; a fuzz test sees that nothing crashes.

LIBPENEIRA_FUZZ is how many random calls are made: 3,000 unless it says otherwise.
"""
import os

import numpy as np
import pytest

import libpeneira as pn

x = np.arange(10.0)
read_only = np.empty(10)
read_only.flags.writeable = False
misaligned = np.zeros(81, np.uint8)[1:].view("f8")
cyclic = np.zeros(20)

WRONG = [
    (lambda: pn.sort([3, 1, 2]), TypeError, "sort: x is of type list"),
    (lambda: pn.sort(None), TypeError, "sort: x is of type NoneType"),
    (lambda: pn.sort(x.astype(object)), TypeError, "sort: x has dtype object"),
    (lambda: pn.sort(x.astype("c16")), TypeError, "sort: x has dtype complex128"),
    (lambda: pn.sort(x.astype(">f8")), TypeError, "sort: x has dtype >f8"),
    (lambda: pn.sort(np.ma.array(x)), TypeError, "sort: x is a masked array"),
    (lambda: pn.sort(x.reshape(2, 5)), ValueError, "sort: x has 2 dimensions"),
    (lambda: pn.sort(np.float64(1)), TypeError, "sort: x is of type float64"),
    (lambda: pn.sort(np.array(1.0)), ValueError, "sort: x has 0 dimensions"),
    (lambda: pn.sort(x, out=read_only), ValueError, "sort: out is read-only"),
    (lambda: pn.sort(x, out=cyclic[::2]), ValueError, r"sort: out is not contiguous: its strides are \(16,\)"),
    (lambda: pn.sort(x, out=cyclic[9::-1]), ValueError, r"sort: out is not contiguous: its strides are \(-8,\)"),
    (lambda: pn.sort(x, out=misaligned), ValueError, "sort: out is not aligned"),
    (lambda: pn.sort(x, out=np.empty(9)), ValueError, "sort: out has 9 items, but must have 10"),
    (lambda: pn.sort(x, out=np.empty(10, "f4")), TypeError, "sort: out has dtype float32"),
    (lambda: pn.sort(x, out=[0] * 10), TypeError, "sort: out is of type list"),
    (lambda: pn.sort(cyclic[:10], out=cyclic[5:15]), ValueError, "sort: out overlaps the input in part"),
    (lambda: pn.sort(x, threads=0), ValueError, "sort: threads is 0"),
    (lambda: pn.sort(x, threads=-3), ValueError, "sort: threads is -3"),
    (lambda: pn.sort(x, threads=1.5), TypeError, "sort: threads is of type float"),
    (lambda: pn.sort(x, threads=True), TypeError, "sort: threads is of type bool"),
    (lambda: pn.sort(x, descending="yes"), TypeError, "sort: descending is 'yes', but must be True or False"),
    (lambda: pn.sort(x, values=x, descending=1), TypeError, "sort: descending is 1, but must be True or False"),
    (lambda: pn.argsort(x, descending=None), TypeError, "argsort: descending is None"),
    (lambda: pn.argsort((x, x), descending="no"), TypeError, "argsort: descending is 'no'"),
    (lambda: pn.argsort((x, x), descending=(True, "no")), TypeError, r"argsort: descending\[1\] is 'no'"),
    (lambda: pn.sort_strings(["a"], descending=0), TypeError, "sort_strings: descending is 0"),
    (lambda: pn.segmented_sort(x, 2, descending="a"), TypeError, "segmented_sort: descending is 'a'"),
    (lambda: pn.segmented_argsort(x, 2, descending="a"), TypeError, "segmented_argsort: descending is 'a'"),
    (lambda: pn.scan(x, inclusive="no"), TypeError, "scan: inclusive is 'no'"),
    (lambda: pn.unique(x, return_inverse="no"), TypeError, "unique: return_inverse is 'no'"),
    (lambda: pn.top_k(x, 2, largest="no"), TypeError, "top_k: largest is 'no'"),
    (lambda: pn.arg_top_k(x, 2, sorted=x), TypeError, "arg_top_k: sorted is array"),
    (lambda: pn.segmented_top_k(x, 2, 2, sorted="no"), TypeError, "segmented_top_k: sorted is 'no'"),
    (lambda: pn.top_k(x, True), TypeError, "top_k: k is of type bool"),
    (lambda: pn.sort(x, values=x[:9]), ValueError, "sort: values has 9 items, but x has 10"),
    (lambda: pn.sort(x, values=x, out=x), TypeError, "sort: out must be a tuple of two arrays"),
    (lambda: pn.argsort(x, out=np.empty(10, "i4")), TypeError, "argsort: out has dtype int32"),
    (lambda: pn.argsort(x.view("u8"), out=x.view("u8")), ValueError, "argsort: positions overlaps the keys"),
    (lambda: pn.reduce(x, "mean"), ValueError, "reduce: op is 'mean'"),
    (lambda: pn.reduce(x, np.add), TypeError, "reduce: op is of type ufunc"),
    (lambda: pn.reduce(x, "bit_or"), TypeError, "reduce: x has dtype float64"),
    (lambda: pn.reduce(x.astype("f2")), TypeError, "reduce: x has dtype float16"),
    (lambda: pn.reduce(x.astype("M8[s]"), "max"), TypeError, "reduce: x has dtype datetime64"),
    (lambda: pn.reduce(x.astype(">i4")), TypeError, "order of bytes"),
    (lambda: pn.segmented_reduce(x, True), TypeError, "segmented_reduce: segments is of type bool"),
    (lambda: pn.segmented_reduce(x, [0, 2.5]), TypeError, r"segmented_reduce: segments\[1\] is of type float"),
    (lambda: pn.segmented_reduce(x, [0, True]), TypeError, r"segmented_reduce: segments\[1\] is of type bool"),
    (lambda: pn.segmented_reduce(x, [0, 2**70]), ValueError, r"segmented_reduce: segments\[1\] is 1180591620717411303424"),
    (lambda: pn.segmented_reduce(x, []), ValueError, "segmented_reduce: segments has no items"),
    (lambda: pn.segmented_reduce(x, [-1, 5]), ValueError, "segmented_reduce: segments starts with -1"),
    (lambda: pn.segmented_reduce(x, 0), ValueError, "segmented_reduce: segments is 0"),
    (lambda: pn.segmented_reduce(x, 2.5), TypeError, "segmented_reduce: segments is of type float"),
    (lambda: pn.segmented_reduce(x, x), TypeError, "segmented_reduce: segments has dtype float64"),
    (lambda: pn.segmented_reduce(x, np.array([], int)), ValueError, "segments has no items"),
    (lambda: pn.segmented_reduce(x, np.array([-1, 5])), ValueError, "segments starts with -1"),
    (lambda: pn.segmented_reduce(x, np.array([0, 11])), ValueError, "segment"),
    (lambda: pn.segmented_reduce(x, np.array([0, 5, 4, 10])), ValueError, "segment"),
    (lambda: pn.segmented_reduce(x, np.array([0, 2**64 - 1], "u8")), ValueError, "segment"),
    (lambda: pn.segmented_reduce(x, 2, out=np.empty(4)), ValueError, "out has 4 items, but must have 5"),
    (lambda: pn.multisplit(x, x.astype(int)), TypeError, "multisplit: bins is missing"),
    (lambda: pn.multisplit(x, x, bins=10), TypeError, "multisplit: by has dtype float64"),
    (lambda: pn.multisplit(x, 7, bins=10), TypeError, "multisplit: by is of type int"),
    (lambda: pn.multisplit(x, x.astype(int), bins=9), ValueError, "by has label 9 for item 9, but there are 9 bins"),
    (lambda: pn.multisplit(x, -x.astype(int), bins=9), ValueError, "by has label -1 for item 1"),
    (lambda: pn.multisplit(x, x[:9].astype(int), bins=9), ValueError, "by has 9 labels, but x has 10 items"),
    (lambda: pn.multisplit(x, lambda k: 1, bins=9), TypeError, r"by\(x\) is of type int"),
    (lambda: pn.multisplit(x, lambda k: 1 // 0, bins=9), ZeroDivisionError, "division"),
    (lambda: pn.multisplit(x, x.astype(int), bins=0), ValueError, "bins is 0"),
    (lambda: pn.multisplit(x, x.astype(int), bins=2**32), ValueError, "bins is 4294967296"),
    (lambda: pn.multisplit(x, pn.hashed(4), bins=5), ValueError, "bins is 5, but by has 4"),
    (lambda: pn.multisplit(x, pn.hashed(4), out=x), ValueError, "multisplit: out overlaps"),
    (lambda: pn.multisplit(x, pn.hashed(4), offsets=np.empty(4, int)), ValueError, "offsets has 4 items"),
    (lambda: pn.multisplit(x.astype("f2"), pn.hashed(4)), TypeError, "x has dtype float16"),
    (lambda: pn.multisplit(x.astype("U3"), pn.hashed(4)), TypeError, "x has dtype <U"),
    (lambda: pn.multisplit(x, pn.ranges(4, 1.0, 0.0)), ValueError, "ranges: hi is 0.0"),
    (lambda: pn.multisplit(x, pn.ranges(4, 0.0, np.nan)), ValueError, "ranges: hi is nan"),
    (lambda: pn.multisplit(x, pn.ranges(4, -1.7e308, 1.7e308)), ValueError, "ranges: hi"),
    (lambda: pn.multisplit(x, pn.ranges(4, "a", "b")), TypeError, "ranges: lo is 'a'"),
    (lambda: pn.multisplit(x.astype("u1"), pn.ranges(4, 0, 256)), ValueError, "ranges: hi is 256"),
    (lambda: pn.multisplit(x.astype("u1"), pn.ranges(4, 0.0, 1.0)), TypeError, "ranges: lo is of type float"),
    (lambda: pn.multisplit(x, pn.splitters(np.arange(3))), TypeError, "splitters: borders have dtype int64"),
    (lambda: pn.splitters(np.array([1, 3, 2])), ValueError, "splitters: borders must ascend, but 2 follows 3"),
    (lambda: pn.splitters(np.array([1, np.nan, 2])), ValueError, "splitters: borders must ascend"),
    (lambda: pn.ranges(0, 0, 1), ValueError, "ranges: bins is 0"),
    (lambda: pn.hashed("3"), TypeError, "hashed: bins is of type str"),
    (lambda: pn.digit(64, 1), ValueError, "digit: shift is 64"),
    (lambda: pn.digit(0, 32), ValueError, "digit: bits is 32"),
    (lambda: pn.sort_strings("abc"), TypeError, "strings is of type str"),
    (lambda: pn.sort_strings(["a", b"b"]), TypeError, r"strings\[1\] is of type bytes"),
    (lambda: pn.sort_strings(["a", None]), TypeError, r"strings\[1\] is of type NoneType"),
    (lambda: pn.sort_strings(x), TypeError, "strings has dtype float64"),
    (lambda: pn.sort_strings(b"abc", offsets=np.array([0, 4])), ValueError, "but strings has 3 bytes"),
    (lambda: pn.sort_strings(b"abc", offsets=np.array([-1, 2])), ValueError, "offsets run from -1"),
    (lambda: pn.sort_strings(b"abc", offsets=np.array([0, 9, 3])), ValueError, "string"),
    (lambda: pn.sort_strings("abc", offsets=np.array([0, 3])), TypeError, "strings is of type str"),
    (lambda: pn.argsort(()), ValueError, "argsort: x is an empty tuple"),
    (lambda: pn.argsort((x, x[:5])), ValueError, r"argsort: x\[1\] has 5 items, but x\[0\] has 10"),
    (lambda: pn.argsort((x, x.astype("U3"))), TypeError, r"argsort: x\[1\] has dtype <U"),
    (lambda: pn.argsort((x, x), descending=(True,)), ValueError, "descending has 1 entries, but there are 2"),
    (lambda: pn.argsort((x, x), out=np.empty(9, "u4")), ValueError, "out has 9 items"),
    (lambda: pn.sort((x, x), values=x), TypeError, "sort: values is given, but x is a tuple"),
    (lambda: pn.sort((x, x), out=(x,)), TypeError, "sort: out must be a tuple of 2 arrays"),
    (lambda: pn.sort((x, x), out=(x, x)), ValueError, r"sort: out\[1\] overlaps"),
    (lambda: pn.group_by(x[:, None], x), ValueError, r"group_by: keys has 2 dimensions"),
    (lambda: pn.group_by(list(x), x), TypeError, r"group_by: keys is of type list"),
    (lambda: pn.group_by(x.astype("U3"), x), TypeError, r"group_by: keys has dtype <U"),
    (lambda: pn.group_by(x), TypeError, "group_by: values is None, but 'sum'"),
    (lambda: pn.group_by(x, x[:3]), ValueError, "group_by: values has 3 items, but keys has 10"),
    (lambda: pn.group_by(x, x, "median"), ValueError, "group_by: aggregates has 'median'"),
    (lambda: pn.group_by(x, x, 7), TypeError, "group_by: aggregates has 7"),
    (lambda: pn.group_by(x, x, ()), ValueError, "aggregates is an empty tuple"),
    (lambda: pn.group_by(x, (x, x), ("sum",)), ValueError, "aggregates has 1 entries, but values has 2"),
    (lambda: pn.group_by(x, (x, x.astype("S3")), "max"), TypeError, r"group_by: values\[1\] has dtype |S"),
    (lambda: pn.group_by(x, x.astype("f2")), TypeError, "group_by: values has dtype float16"),
    (lambda: pn.group_by(x, x, "bit_or"), TypeError, "group_by: values has dtype float64, but must have integers"),
    (lambda: pn.unique(x.astype("c8")), TypeError, r"unique: x has dtype complex64"),
    (lambda: pn.run_lengths(x.astype(">f8")), TypeError, "run_lengths: x has dtype >f8"),
    (lambda: pn.top_k(x, 11), ValueError, "top_k: k is 11, but must be from 0 to the number of items, 10"),
    (lambda: pn.top_k(x, -1), ValueError, "top_k: k is -1"),
    (lambda: pn.top_k(x, 1.5), TypeError, "top_k: k is of type float"),
    (lambda: pn.top_k(x, 2**70), ValueError, "top_k: k is"),
    (lambda: pn.top_k(x, 3, out=x[:3]), ValueError, "top_k: out overlaps"),
    (lambda: pn.top_k(x, 3, out=np.empty(4)), ValueError, "top_k: out has 4 items"),
    (lambda: pn.arg_top_k(x, 3, out=np.empty(3)), TypeError, "arg_top_k: out has dtype float64"),
    (lambda: pn.segmented_top_k(x, 3, -1), ValueError, "segmented_top_k: k is -1"),
    (lambda: pn.segmented_top_k(x, np.array([0, 11]), 2), ValueError, "segment"),
    (lambda: pn.segmented_sort(x, np.array([0, 5, 3])), ValueError, "segmented_sort: offsets give segment 1"),
    (lambda: pn.segmented_sort(x, np.array([0, 11])), ValueError, "segmented_sort: offsets give segment 0"),
    (lambda: pn.segmented_sort(x, np.array([-1, 3])), ValueError, "segmented_sort: segments starts with -1"),
    (lambda: pn.segmented_sort(x, 0), ValueError, "segmented_sort: segments is 0"),
    (lambda: pn.segmented_sort(x, 2, out=x[::-1]), ValueError, "segmented_sort: out is not contiguous"),
    (lambda: pn.segmented_argsort(x, "2"), TypeError, "segmented_argsort: segments is of type str"),
    (lambda: pn.scan(x, "any"), ValueError, "scan: op is 'any', but must be one of sum, prod, min, max"),
    (lambda: pn.scan(x.astype("f2")), TypeError, "scan: x has dtype float16"),
    (lambda: pn.scan(x, out=np.empty(10, "f4")), TypeError, "scan: out has dtype float32"),
    (lambda: pn.segmented_scan(x, np.array([3, 2])), ValueError, "segment"),
    (lambda: pn.histogram(x, pn.hashed(3), bins=4), ValueError, "histogram: bins is 4, but by has 3"),
    (lambda: pn.histogram(x, x.astype(int)), TypeError, "histogram: bins is missing"),
    (lambda: pn.histogram(x, x.astype(int), bins=9), ValueError, "histogram: by has label 9 for item 9"),
    (lambda: pn.histogram(x, pn.hashed(3), weights=x[:4]), ValueError, "histogram: weights has 4 items"),
    (lambda: pn.histogram(x, pn.hashed(3), weights=x.astype("c8")), TypeError, "histogram: weights has dtype complex"),
    (lambda: pn.histogram(x, pn.hashed(3), out=np.empty(3)), TypeError, "histogram: out has dtype float64"),
    (lambda: pn.histogram(x.astype("f2"), pn.hashed(3)), TypeError, "histogram: x has dtype float16"),
    (lambda: pn.partition(x, x), TypeError, "partition: by has dtype float64, but must have bool"),
    (lambda: pn.partition(x, x[:3] > 1), ValueError, "partition: by has 3 items, but x has 10"),
    (lambda: pn.partition(x, pn.around("a")), TypeError, "partition: by is around"),
    (lambda: pn.partition(x, pn.around(x)), TypeError, "but a pivot is one number"),
    (lambda: pn.partition(x, pn.around(1j)), TypeError, "but a pivot is one number that has an order"),
    (lambda: pn.sort(x, out=np.ma.array(x.copy())), TypeError, "sort: out is of type MaskedArray"),
    (lambda: pn.partition(x, x > 1, out=x), ValueError, "partition: out overlaps"),
    (lambda: pn.gather(x, np.array([10])), ValueError, "gather: positions run from 10 to 10, but x has 10 items"),
    (lambda: pn.gather(x, np.array([-1])), ValueError, "gather: positions run from -1"),
    (lambda: pn.gather(x, x), TypeError, "gather: positions has dtype float64"),
    (lambda: pn.sort(x, values=x.astype("S8"), out=(x, x.view("S8"))), ValueError, r"sort: out\[1\] overlaps"),
    (lambda: pn.segmented_sort(x, 2, values=x, out=(x, x)), ValueError, r"segmented_sort: out\[1\] overlaps"),
    (lambda: pn.top_k(x, 10, values=x, out=(x, x)), ValueError, r"top_k: out\[1\] overlaps"),
    (lambda: pn.explain(np.sort, n=10), ValueError, "explain: call is"),
    (lambda: pn.explain(pn.sort, n=-1), ValueError, "explain: n is -1"),
    (lambda: pn.explain(pn.top_k, n=10, k=11), ValueError, "explain: k is 11"),
    (lambda: pn.explain(pn.sort, n=1, dtype="c16"), ValueError, "explain: dtype is complex128"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_errors_name_the_argument(number):
    call, error, message = WRONG[number]
    with pytest.raises(error, match=message):
        call()


def odd_array(rng):
    """An array that may be right, or wrong in any of many ways."""
    size = int(rng.choice([0, 1, 2, 7, 64, 1000]))
    dtype = rng.choice(["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "?", "M8[s]", "c8", "S3",
                        "U2", "O", ">i4", ">f8", "g", "V5"])
    if dtype == "O":
        a = np.array([None] * size, object)
    else:
        a = np.frombuffer(rng.bytes(size * np.dtype(dtype).itemsize) or b"", dtype).copy()
        a = a.view("u1") > 127 if dtype == "?" else a  # bytes other than 0 and 1 are no bool
    shape = rng.integers(0, 10)
    if shape == 0:
        a = a[::-1]
    elif shape == 1:
        a = a[::2]
    elif shape == 2:
        a = a.reshape(1, -1)
    elif shape == 3:
        a.flags.writeable = False
    elif shape == 4 and size and dtype not in ("O",):
        a = np.concatenate([[0], a.view("u1")]).astype("u1")[1:].view(dtype)
    elif shape == 5:
        a = np.broadcast_to(a[:1], (size,)) if size else a
    return a


def odd_thing(rng):
    """Anything that somebody may pass by mistake, or not."""
    return [None, 0, 1, -1, 3, 2**40, 2**70, 1.5, "sum", "max", b"x", [1, 2], (), True, np.int8(3), object(), {},
            np.nan, odd_array(rng), odd_array(rng), pn.hashed(3), pn.ranges(5, 0, 9), pn.digit(2, 3),
            (odd_array(rng),) * 2, lambda k: np.zeros(len(k), int), ["b", "a"]][int(rng.integers(0, 26))]


def ranks(x):
    """Numbers in the order that items have here: NaN and NaT last, -0.0 before 0.0."""
    width = np.uint64(8 * x.itemsize - 1)
    top, mask = np.uint64(1) << width, np.uint64(2 ** (8 * x.itemsize) - 1)
    bits = x.view(f"u{x.itemsize}").astype("u8")
    if x.dtype.kind == "f":
        least = np.array([-np.inf], x.dtype).view(f"u{x.itemsize}").astype("u8")
        turned, lowest = (np.where(b & top, ~b & mask, b | top) for b in (bits, least))
        return (turned - lowest) & mask
    if x.dtype.kind in "mM":
        return (bits ^ top) - np.uint64(1)
    return bits ^ top if x.dtype.kind == "i" else bits


def ordered(x, falls=False):
    """Where items come from in that order, or its reverse; equal ones keep theirs."""
    return np.argsort(~ranks(x) if falls else ranks(x), kind="stable")


def is_right_sort(result, x, values=None, descending=False, **_):
    if values is None and not isinstance(x, tuple):
        assert result.tobytes() == x[ordered(x, bool(descending))].tobytes()


def is_right_argsort(result, x, descending=False, **_):
    if not isinstance(x, tuple):
        assert np.array_equal(result, ordered(x, bool(descending)))


def is_right_unique(result, x, **options):
    if not isinstance(x, tuple):
        right = np.unique(x)
        got = result[0] if isinstance(result, tuple) else result
        assert np.array_equal(got, right, equal_nan=x.dtype.kind in "fmM")


def is_right_group_by(result, keys, values, op, **_):
    if op == "count" and not isinstance(keys, tuple) and not isinstance(values, tuple):
        assert np.array_equal(result[1], np.unique(keys, return_counts=True)[1])


def is_right_top_k(result, x, k, values=None, largest=True, sorted=True, **_):
    order = ordered(x, bool(largest))[:k]
    if values is None:
        assert result.tobytes() == x[order if sorted else np.sort(order)].tobytes()


def is_right_partition(result, x, by, **_):
    if isinstance(by, np.ndarray) and not isinstance(result[0], tuple):
        order = np.concatenate([np.flatnonzero(by), np.flatnonzero(~by)])
        assert np.array_equal(result[1], [0, by.sum(), by.size])
        assert result[0].tobytes() == x[order].tobytes()


class Checked:
    """The calls, whose answers are looked at where a line of NumPy has them."""

    def __getattr__(self, name):
        def call(*given, **options):
            copies = [one.copy() if isinstance(one, np.ndarray) else one for one in given]  # out may be the input
            result = getattr(pn, name)(*given, **options)
            check = globals().get("is_right_" + name)
            if check is not None:
                check(result, *copies, **options)
            return result
        return call


checked = Checked()


def odd_new_call(rng, which, first, some, out):
    """The same of calls on segments, groups and rows."""
    op = str(rng.choice(["sum", "min", "max", "prod", "count", "mean", "first", "argmin", "all", "no"]))
    rows = first if rng.random() < 0.5 else (first, first if rng.random() < 0.5 else odd_array(rng))
    k = int(rng.choice([0, 1, 3, 7, 64, 2**33, 2**64, -1]))
    segments = odd_thing(rng) if rng.random() < 0.5 else np.sort(rng.integers(-1 if k == 7 else 0, 70, 9))
    threads = some("threads")
    values = odd_array(rng) if rng.random() < 0.4 else first
    if which == 6:
        return checked.group_by(rows, (values, odd_thing(rng)) if rng.random() < 0.1 else values, op, **threads)
    if which == 7:
        return checked.unique(rows, **some("return_index", "return_inverse", "return_counts"), **threads)
    if which == 8:
        return checked.run_lengths(first, **threads)
    if which == 9:
        return checked.top_k(first, k, **some("values", "largest", "sorted"), **out, **threads)
    if which == 10:
        return checked.segmented_top_k(first, segments, k, **some("largest", "sorted"), **threads)
    if which == 11:
        return checked.segmented_sort(first, segments, **some("values", "descending"), **out, **threads)
    if which == 12:
        return checked.segmented_argsort(first, segments, **some("descending"), **out, **threads)
    if which == 13:
        return checked.segmented_scan(first, segments, op, **some("inclusive"), **out, **threads)
    if which == 14:
        return checked.histogram(first, odd_thing(rng), bins=300, **some("weights"), **out, **threads)
    if which == 15:
        by = pn.around(odd_thing(rng)) if rng.random() < 0.3 else odd_thing(rng)
        return checked.partition(first, by, **some("values"), **out, **threads)
    return checked.argsort((first, values), **some("descending"), **out, **threads)


def odd_call(rng):
    """A call with arguments that do not know of each other."""
    some = lambda *names: {n: odd_thing(rng) for n in names if rng.random() < 0.4}  # noqa: E731
    first = odd_array(rng) if rng.random() < 0.9 else odd_thing(rng)
    out = {"out": first} if rng.random() < 0.2 else some("out")
    which = int(rng.integers(0, 17))
    if which > 5:
        return odd_new_call(rng, which, first, some, out)
    if which == 0:
        return checked.sort(first, **some("values", "descending", "threads"), **out)
    if which == 1:
        return checked.argsort(first, **some("descending", "threads"), **out)
    if which == 2:
        return checked.reduce(first, str(rng.choice(["sum", "min", "argmax", "any", "bit_xor"])), **some("threads"))
    if which == 3:
        return checked.segmented_reduce(first, odd_thing(rng), **some("op", "threads"), **out)
    if which == 4:
        bins = int(rng.choice([1, 3, 200, 300]))
        return checked.multisplit(first, odd_thing(rng), bins=bins, **some("values", "offsets", "threads"), **out)
    return checked.sort_strings(first, **some("offsets", "descending", "threads"), **out)


def test_random_calls_return_or_raise():
    rng = np.random.default_rng(int(os.environ.get("LIBPENEIRA_FUZZ_SEED", "1")))
    returned = raised = 0
    for _ in range(int(os.environ.get("LIBPENEIRA_FUZZ", "3000"))):
        try:
            odd_call(rng)
            returned += 1
        except (TypeError, ValueError, UnicodeError):
            raised += 1
    assert returned > raised / 20 and raised > returned / 20  # neither is all there is
