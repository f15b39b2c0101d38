# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""The sample sort that one writes with mpi4py and numpy, for bench/mpi.sh: prints whether it was right, and the seconds.

    mpirun -n P python3 bench/mpi_sort.py N RUNS
"""
import sys
import time

import numpy as np
from mpi4py import MPI


def sample_sort(comm, keys):
    """Sorts here, cuts at keys of a sample, exchanges, sorts again."""
    ranks = comm.Get_size()
    keys.sort()
    sample = keys[np.linspace(0, len(keys) - 1, 64 * ranks).astype(np.int64)] if len(keys) else keys
    every = np.sort(np.concatenate(comm.allgather(sample)))
    cuts = every[np.arange(1, ranks) * len(every) // ranks]
    ends = np.concatenate(([0], np.searchsorted(keys, cuts), [len(keys)]))
    counts = np.diff(ends)
    coming = np.empty(ranks, dtype=counts.dtype)
    comm.Alltoall(counts, coming)
    out = np.empty(coming.sum(), dtype=keys.dtype)
    places = np.concatenate(([0], np.cumsum(coming)[:-1]))
    comm.Alltoallv([keys, counts, ends[:-1], MPI.UINT64_T], [out, coming, places, MPI.UINT64_T])
    out.sort()
    return out


def main():
    comm = MPI.COMM_WORLD
    n, runs = int(sys.argv[1]), int(sys.argv[2])
    random = np.random.default_rng(comm.Get_rank())
    seconds, right = [], True
    for run in range(-1, runs):
        keys = random.integers(0, 2**64 - 1, n // comm.Get_size(), dtype=np.uint64)
        comm.Barrier()
        start = time.perf_counter()
        out = sample_sort(comm, keys)
        comm.Barrier()
        if run >= 0:
            seconds.append(time.perf_counter() - start)
        right = right and bool(np.all(out[:-1] <= out[1:]))
    right = comm.allreduce(right, MPI.LAND)
    if comm.Get_rank() == 0:
        print("right" if right else "wrong", *(f"{one:.6f}" for one in seconds), sep=",")


main()
