# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Run by test_ranks.py under mpirun: calls with comm= beside the same calls on the arrays of all ranks."""
import sys

import numpy as np
from mpi4py import MPI

import libpeneira as pn

COMM = MPI.COMM_WORLD
RANK, RANKS = COMM.rank, COMM.size
TYPES = ("i1", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "?", "M8[s]")


def items(dtype, seed, size):
    """The same array of all ranks on each of them."""
    rng = np.random.default_rng(seed)
    x = rng.integers(-50, 50, size)
    if np.dtype(dtype).kind == "f":
        x = x / 7
        x[::11] = np.nan
        x[::13] = -0.0
    return x.astype(dtype)


def cuts(size, how):
    """Where the arrays of ranks begin: even shares, all on the last, some without any."""
    if how == "even":
        return [size * r // RANKS for r in range(RANKS + 1)]
    if how == "last":
        return [0] * RANKS + [size]
    return [0, *sorted(np.random.default_rng(RANKS).integers(0, size + 1, RANKS - 1).tolist()), size]


def whole(share):
    return np.concatenate(COMM.allgather(share))


def same(name, got, right):
    got, right = np.asarray(got), np.asarray(right)
    assert got.dtype == right.dtype, f"{name}: {got.dtype}, not {right.dtype}"
    assert got.tobytes() == right.tobytes(), f"{name}: {got[:20]} instead of {right[:20]}"


def check_sorts(x, mine, descending):
    values = np.arange(x.size, dtype="f4")
    same("sort", whole(pn.sort(x[mine], comm=COMM, descending=descending)), pn.sort(x, descending=descending))
    keys, moved = pn.sort(x[mine], values=values[mine], comm=COMM, descending=descending)
    right = pn.sort(x, values=values, descending=descending)
    same("sort: keys", whole(keys), right[0])
    same("sort: values", whole(moved), right[1])
    same("argsort", whole(pn.argsort(x[mine], comm=COMM, descending=descending)),
         pn.argsort(x, descending=descending).astype("u8"))


def check_outputs(x, mine):
    values = np.arange(x.size, dtype="f4")
    here = x[mine].copy()
    carried = values[mine].copy()
    pn.sort(here, values=carried, out=(here, carried), comm=COMM)
    same("sort in place", whole(here), pn.sort(x))
    all_on_0 = np.empty(x.size if RANK == 0 else 0, x.dtype)
    assert pn.sort(x[mine], out=all_on_0, comm=COMM) is all_on_0
    if RANK == 0:
        same("sort to rank 0", all_on_0, pn.sort(x))
    k = min(17, x.size)
    same("top_k", pn.top_k(x[mine], k, comm=COMM), pn.top_k(x, k))
    least = pn.top_k(x[mine], k, largest=False, values=values[mine], comm=COMM)
    same("top_k: values", least[1], pn.top_k(x, k, largest=False, values=values)[1])


def check_splits(x, mine):
    labels = np.random.default_rng(3).integers(0, 37, x.size)
    values = np.arange(x.size)
    (moved, carried), offsets = pn.multisplit(x[mine], labels[mine], bins=37, values=values[mine], comm=COMM)
    right = pn.multisplit(x, labels, bins=37, values=values)
    same("multisplit by labels", whole(moved), right[0][0])
    same("multisplit by labels: values", whole(carried), right[0][1])
    same("multisplit by labels: offsets", offsets, right[1])
    for by in (pn.hashed(100), pn.ranges(7, -60, 60), pn.splitters(np.array([-3, 0, 5], x.dtype))):
        split, offsets = pn.multisplit(x[mine], by, comm=COMM)
        right = pn.multisplit(x, by)
        same("multisplit", whole(split), right[0])
        same("multisplit: offsets", offsets, right[1])


def check_reductions(x, mine):
    small = (x % 3 if x.dtype.kind != "f" else x) if x.dtype.kind != "?" else x
    ops = ["sum", "prod", "min", "max", "any", "all"] + (["bit_and", "bit_or", "bit_xor"] if x.dtype.kind != "f" else [])
    for op in ops:
        got, right = pn.reduce(small[mine], op, comm=COMM), pn.reduce(small, op)
        assert got.dtype == right.dtype and np.allclose(got, right, equal_nan=True, rtol=1e-4), (op, got, right)
    if x.size:
        for op in ("argmin", "argmax"):
            assert pn.reduce(x[mine], op, comm=COMM) == pn.reduce(x, op), op
    borders = np.unique(np.random.default_rng(8).integers(0, x.size + 1, 40))
    offsets = np.sort(np.concatenate([borders, borders[::3]]))  # some are empty
    for op in ops:
        got = whole(pn.segmented_reduce(small[mine], offsets, op, comm=COMM))
        right = pn.segmented_reduce(small, offsets, op)
        assert got.dtype == right.dtype and np.allclose(got, right, equal_nan=True, rtol=1e-4), (op, got, right)
    same("segments of one size", whole(pn.segmented_reduce(x[mine], 10, "max", comm=COMM)),
         pn.segmented_reduce(x, 10, "max"))


def check_groups(x, mine):
    values = np.random.default_rng(9).integers(-1000, 1000, x.size).astype("i4")
    prices = values / 8
    ops = ("sum", "count", "min", "max", "mean")
    keys, results = pn.group_by(x[mine], prices[mine], ops, comm=COMM)
    right_keys, right = pn.group_by(x, prices, ops)
    same("group_by: keys", whole(keys), right_keys)
    for op, got, one in zip(ops, results, right):
        same(f"group_by: {op}", whole(got), one)
    same("group_by of integers", whole(pn.group_by(x[mine], values[mine], comm=COMM)[1]), pn.group_by(x, values)[1])


def fails(error, text, call):
    """On all ranks, with the same words."""
    try:
        call()
    except error as e:
        assert text in str(e), f"{text!r} is not in {e}"
        return
    raise AssertionError(f"{error.__name__} was not raised")


def check_errors():
    x = np.arange(10.0)
    wrong = x.astype("c16") if RANK == RANKS - 1 else x
    fails(TypeError, "sort: x has dtype complex128", lambda: pn.sort(wrong, comm=COMM))
    fails(ValueError, "op is 'mean', but must be one of", lambda: pn.reduce(x, "mean", comm=COMM))
    fails(TypeError, "comm is of type int", lambda: pn.sort(x, comm=3))
    fails(TypeError, "x is a tuple", lambda: pn.sort((x, x), comm=COMM))
    fails(TypeError, "items of 4 or 8 bytes", lambda: pn.sort(x, values=np.array(["abc"] * 10), comm=COMM))
    fails(TypeError, "stream is 0", lambda: pn.sort(x, stream=0, comm=COMM))
    fails(ValueError, "aggregates has 'first'", lambda: pn.group_by(x, x, "first", comm=COMM))
    fails(ValueError, "by has label 12", lambda: pn.multisplit(x, np.full(10, 12 if RANK == 0 else 1), bins=3, comm=COMM))
    if RANKS > 1:
        fails(ValueError, "but rank 1 calls", lambda: (pn.sort if RANK != 1 else pn.argsort)(x, comm=COMM))
        other = x.astype("f4") if RANK == 1 else x
        fails(ValueError, "must be the same on all ranks", lambda: pn.sort(other, comm=COMM))
    fails(ValueError, "entries on all ranks together", lambda: pn.sort(x, out=np.empty(9), comm=COMM))
    same("sort after errors", whole(pn.sort(x, comm=COMM)), np.sort(np.tile(x, RANKS)))


def check_communicators():
    for _ in range(2):
        part = COMM.Split(RANK % 2, -RANK)
        x = np.arange(5)[::-1] + RANK
        same("sort of some ranks", np.concatenate(part.allgather(pn.sort(x, comm=part))),
             np.sort(np.concatenate(part.allgather(x))))
        part.Free()


def main(size):
    for seed, dtype in enumerate(TYPES):
        x = items(dtype, seed, size)
        begins = cuts(size, ("even", "last", "any")[seed % 3])
        mine = slice(begins[RANK], begins[RANK + 1])
        check_sorts(x, mine, seed % 2 == 0)
        if dtype in ("u2", "i4", "f8", "M8[s]"):
            check_outputs(x, mine)
            check_groups(x, mine)
        if dtype in ("i4", "f8"):
            check_splits(x, mine)
        if dtype in ("i1", "u8", "f4"):
            check_reductions(x, mine)
    check_errors()
    check_communicators()
    if RANK == 0:
        print("all right")


if __name__ == "__main__":
    main(int(sys.argv[1]))
