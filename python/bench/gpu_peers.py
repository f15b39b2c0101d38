# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Measures libpeneira on a GPU beside CuPy and torch, in one process.

    python python/bench/gpu_peers.py [--n 67108864] [--runs 9] [--only REGEX] [--out FILE.json]

Every answer is checked against a peer's. A time is that of a call and of waiting until its work is done.
"""
import argparse
import re
import sys

from peers import Work, machine, measure, show, write

BINS = 361
GROUPS = (1_000, 100_000, 10_000_000)


def arguments():
    options = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    options.add_argument("--n", type=int, default=1 << 26, help="items")
    options.add_argument("--runs", type=int, default=9, help="of each program")
    options.add_argument("--only", default="", help="rows whose names match this regular expression")
    options.add_argument("--out", help="the result file")
    return options.parse_args()


def sorts(cupy, torch, pn, n):
    """sort and argsort of keys that are all over their range. torch sorts no unsigned integers of 32 or 64 bits."""
    for size, kind in ((4 * n, "i4"), (4 * n, "i8"), (n, "i4"), (n, "f4"), (1, "i4")):
        bits = torch.randint(-(1 << 63), (1 << 63) - 1, (size,), device="cuda")
        x = bits if kind == "i8" else bits.to(torch.int32) if kind == "i4" else torch.randn(size, device="cuda")
        c = cupy.from_dlpack(x)
        right = torch.sort(x).values
        whole = {"auto": lambda x=x: pn.sort(x), "cupy": lambda c=c: torch.from_dlpack(cupy.sort(c)),
                 "torch": lambda x=x: torch.sort(x).values}
        yield Work("python sort", kind, size, 0, whole, lambda got, right=right: torch.equal(got, right))
        if size > n:
            continue
        order = {"auto": lambda x=x: pn.argsort(x), "cupy": lambda c=c: torch.from_dlpack(cupy.argsort(c)),
                 "torch": lambda x=x: torch.argsort(x, stable=True)}
        yield Work("python argsort", kind, size, 0, order,
                   lambda got, right=right, x=x: torch.equal(x[got.long()], right))


def partitions(cupy, torch, pn, n):
    """Items into bins, by a function and by labels."""
    x = torch.rand(n, device="cuda")
    labels = (x * BINS).to(torch.int32)
    right = x[torch.argsort(labels, stable=True)]
    c, ids = cupy.from_dlpack(x), cupy.from_dlpack(labels)

    def by_torch():
        return x[torch.argsort((x * BINS).to(torch.int32), stable=True)]

    def by_cupy():
        return torch.from_dlpack(c[cupy.argsort((c * BINS).astype("i4"))])

    by = pn.ranges(BINS, 0.0, 1.0)
    yield Work("python multisplit", "f4 by ranges", n, BINS,
               {"auto": lambda: pn.multisplit(x, by)[0], "torch": by_torch, "cupy": by_cupy},
               lambda got: torch.equal(torch.sort(got).values, torch.sort(x).values))
    yield Work("python multisplit", "f4 by labels", n, BINS,
               {"auto": lambda: pn.multisplit(x, labels, bins=BINS)[0],
                "torch": lambda: x[torch.argsort(labels, stable=True)],
                "cupy": lambda: torch.from_dlpack(c[cupy.argsort(ids)])}, lambda got: torch.equal(got, right))
    counts = torch.bincount(labels, minlength=BINS)
    yield Work("python histogram", "i4", n, BINS,
               {"auto": lambda: pn.histogram(labels, labels, bins=BINS),
                "torch": lambda: torch.bincount(labels, minlength=BINS),
                "cupy": lambda: torch.from_dlpack(cupy.bincount(ids, minlength=BINS))},
               lambda got: torch.equal(got, counts))


def segments(cupy, torch, pn, n):
    """Sums of ragged segments, eight items each on the average."""
    count, size = n // 16, n // 2
    borders = torch.sort(torch.randint(0, size, (count - 1,), device="cuda")).values
    ends = torch.tensor([0], device="cuda"), borders, torch.tensor([size], device="cuda")
    offsets = torch.cat(ends)
    v = torch.randint(0, 100, (size,), device="cuda").float()
    right = torch.segment_reduce(v, "sum", offsets=offsets, initial=0)
    yield Work("python segmented_reduce", "f4", size, count,
               {"auto": lambda: pn.segmented_reduce(v, offsets),
                "torch": lambda: torch.segment_reduce(v, "sum", offsets=offsets, initial=0)},
               lambda got: torch.equal(got, right))


def group_sums(cupy, torch, pn, n):
    """Sums of the values of each key, from few groups to many."""
    v = torch.randint(0, 100, (n,), device="cuda").float()
    for groups in GROUPS:
        k = torch.randint(0, groups, (n,), device="cuda", dtype=torch.int32)

        def by_torch(k=k):
            keys, inverse = torch.unique(k, return_inverse=True)
            return keys, torch.zeros(keys.numel(), device="cuda").index_add_(0, inverse, v)

        right = by_torch()
        yield Work("python group_by", "i4+f4", n, groups, {"auto": lambda k=k: pn.group_by(k, v), "torch": by_torch},
                   lambda got, right=right: torch.equal(got[0], right[0]) and torch.allclose(got[1], right[1]))


def greatest(cupy, torch, pn, n):
    x = torch.randn(n, device="cuda")
    for k in (10, 1000):
        right = torch.topk(x, k).values
        yield Work("python top_k", "f4", n, k, {"auto": lambda k=k: pn.top_k(x, k),
                                                "torch": lambda k=k: torch.topk(x, k).values},
                   lambda got, right=right: torch.equal(got, right))


def main():
    options = arguments()
    import cupy
    import torch

    import libpeneira as pn
    rows, wrong = [], False
    for family in (sorts, partitions, segments, group_sums, greatest):
        for work in family(cupy, torch, pn, options.n):
            if not re.search(options.only, work.name):
                continue
            measured = measure(work, options.runs, 0, "gpu", torch.cuda.synchronize)
            show(work, measured)
            wrong |= not all(row["right"] for row in measured)
            rows += measured
            torch.cuda.empty_cache()
    if options.out:
        about = machine(pn, {"cupy": cupy, "torch": torch})
        gpu = torch.cuda.get_device_properties(0)
        about["gpus"] = [{"name": gpu.name, "arch": 10 * gpu.major + gpu.minor, "multiprocessors": gpu.multi_processor_count,
                          "memory_bytes": gpu.total_memory}]
        about["places"]["gpu"] = {"works": True}
        write(options.out, about, rows)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
