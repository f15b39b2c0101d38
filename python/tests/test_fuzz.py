# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Random calls, most of them wrong, return what NumPy does or raise; nothing crashes.

LIBPENEIRA_FUZZ is how many are made: 3,000 unless it says otherwise; LIBPENEIRA_FUZZ_SEED makes others.
"""
import os

import numpy as np

import libpeneira as pn


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
