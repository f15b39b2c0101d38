# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Temporary memory from where the caller says."""
import numpy as np
import pytest

import libpeneira as pn


@pytest.fixture(autouse=True)
def as_before():
    yield
    pn.use_memory(None)


def split(gpu, x):
    """A call that takes temporary memory, checked."""
    items, offsets = pn.multisplit(gpu.put(x), gpu.put(x % 7), bins=7)
    wanted = pn.multisplit(x, x % 7, bins=7)
    np.testing.assert_array_equal(gpu.get(items), wanted[0])
    np.testing.assert_array_equal(gpu.get(offsets), wanted[1])


def test_a_pool_of_cupy(gpu, generator):
    cupy = pytest.importorskip("cupy")
    x = generator.integers(0, 1 << 30, 1_000_003, np.uint32)
    pool = cupy.cuda.MemoryPool()
    with pn.use_memory(pool):
        split(gpu, x)
        held = pool.total_bytes()
        assert held > 0 and pool.used_bytes() == 0
        split(gpu, x)
        assert pool.total_bytes() == held
    split(gpu, x)
    assert pool.total_bytes() == held


def test_a_resource_of_rmm(gpu, generator):
    rmm = pytest.importorskip("rmm")
    resource = rmm.mr.StatisticsResourceAdaptor(rmm.mr.CudaMemoryResource())
    with pn.use_memory(resource):
        split(gpu, generator.integers(0, 1 << 30, 1_000_003, np.uint32))
        gpu.synchronize()
    assert resource.allocation_counts.total_bytes > 0 and resource.allocation_counts.current_bytes == 0


def test_a_function(gpu, generator):
    cupy = pytest.importorskip("cupy")
    asked = []

    def allocate(size, device, stream):
        block = cupy.cuda.alloc(size)
        asked.append((size, device, stream))
        return block.ptr, block

    pn.use_memory(allocate)
    split(gpu, generator.integers(0, 1 << 30, 1_000_003, np.uint32))
    assert asked and all(size > 0 and device == 0 for size, device, _ in asked)


def test_a_function_that_fails(gpu):
    def allocate(*_):
        raise MemoryError("nothing left")

    x = gpu.put(np.arange(1_000_003, dtype=np.uint32))
    labels = gpu.put(np.zeros(1_000_003, np.int32))
    with pn.use_memory(allocate), pytest.raises(MemoryError, match="nothing left"):
        pn.multisplit(x, labels, bins=7)
    with pn.use_memory(lambda *_: None), pytest.raises(ValueError, match="use_memory: source returned None"):
        pn.multisplit(x, labels, bins=7)
    assert int(pn.multisplit(x, labels, bins=7)[1][1]) == 1_000_003
