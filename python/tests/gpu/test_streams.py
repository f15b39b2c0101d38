# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Streams, graphs, memory and wrong input on a GPU."""
import numpy as np
import pytest

import libpeneira as pn


def test_a_stream_that_is_given(gpu, generator):
    x = generator.integers(0, 1 << 31, 1 << 20).astype("i4")
    stream = gpu.new_stream()
    there = gpu.put(x)
    gpu.synchronize()
    result = pn.sort(there, stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(gpu.get(result), np.sort(x))


def test_the_default_stream_by_its_number(gpu):
    x = gpu.put(np.arange(100_000, dtype="i4")[::-1].copy())
    for _ in range(20):  # each sort must come behind the one before
        x = pn.sort(x, descending=True, stream=0)
        x = pn.sort(x, stream=0)
    np.testing.assert_array_equal(gpu.get(x), np.arange(100_000))


def test_arrays_of_two_libraries():
    cupy, torch = pytest.importorskip("cupy"), pytest.importorskip("torch")
    if not cupy.is_available() or not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    x, labels = cupy.arange(6, dtype="f4"), torch.tensor([1, 0, 1, 0, 1, 0], dtype=torch.uint8, device="cuda")
    items, offsets = pn.multisplit(x, labels, bins=2)
    assert items.tolist() == [1, 3, 5, 0, 2, 4]
    assert offsets.tolist() == [0, 3, 6]
    out = torch.empty(6, device="cuda")
    pn.sort(x, descending=True, out=out)
    torch.cuda.synchronize()
    assert out.tolist() == [5, 4, 3, 2, 1, 0]


def test_a_conjugate_is_not_its_memory():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    z = torch.tensor([1 + 2j, 3 - 4j], device="cuda")
    assert torch.equal(pn.gather(z.conj(), torch.tensor([1, 0], device="cuda")), z.conj().flip(0))


def test_the_current_stream_of_torch_and_a_graph(generator):
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    x = torch.from_numpy(generator.integers(0, 1 << 31, 1 << 20).astype("i4")).cuda()
    out, offsets = torch.empty_like(x), torch.empty(17, dtype=torch.int64, device="cuda")
    sums = torch.empty(16, dtype=torch.int64, device="cuda")

    def work():
        pn.multisplit(x, pn.ranges(16, 0, (1 << 31) - 1), out=out, offsets=offsets)
        pn.segmented_reduce(out, offsets, out=sums)
        pn.sort(out, out=out)

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        work()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    x.copy_(torch.from_numpy(generator.integers(0, 1 << 31, 1 << 20).astype("i4")))
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(out, torch.sort(x).values)
    assert int(sums.sum()) == int(x.sum(dtype=torch.int64))


def test_nothing_waits(generator):
    """Calls whose results have a known size do not synchronise: torch would raise where its own operations did."""
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    x = torch.from_numpy(generator.random(1 << 20)).cuda()
    table = torch.tensor([0, 10, 1 << 20], device="cuda")
    torch.cuda.synchronize()
    torch.cuda._sleep(2_000_000_000)  # about a second of the GPU
    done = torch.cuda.Event()
    pn.sort(x)
    pn.argsort(x)
    pn.reduce(x)
    pn.segmented_reduce(x, table)
    pn.multisplit(x, pn.ranges(100, 0.0, 1.0))
    pn.histogram(x, pn.ranges(100, 0.0, 1.0))
    pn.top_k(x, 10)
    pn.scan(x)
    done.record()
    assert not done.query()
    torch.cuda.synchronize()


def test_temporary_memory_is_the_librarys(generator):
    cupy = pytest.importorskip("cupy")
    if not cupy.is_available():
        pytest.skip("there is no GPU")
    x = cupy.asarray(generator.random(1 << 22))
    out = cupy.empty_like(x)
    pool = cupy.cuda.MemoryPool()
    with cupy.cuda.using_allocator(pool.malloc):
        pn.sort(x, out=out)
    assert pool.total_bytes() >= pn.explain(pn.sort, n=x.size, dtype="f8", arch=90).temporary_bytes
    assert pool.used_bytes() == 0


def test_no_memory_is_lost():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    x = torch.arange(1000, device="cuda").flip(0).contiguous()
    pn.sort(x)
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    for _ in range(10_000):
        pn.sort(x)
    torch.cuda.synchronize()
    assert torch.cuda.memory_allocated() == before


def test_a_bfloat16_has_an_order():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    x = torch.randn(100_003, device="cuda", dtype=torch.bfloat16)
    assert torch.equal(pn.sort(x), torch.sort(x).values)


def test_arrays_that_are_shared_by_dlpack():
    cupy, torch = pytest.importorskip("cupy"), pytest.importorskip("torch")
    if not cupy.is_available() or not torch.cuda.is_available():
        pytest.skip("there is no GPU")

    class Other:
        """An array of another library, which knows DLPack alone."""

        def __init__(self, x):
            self.x = x

        def __dlpack__(self, **options):
            return self.x.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.x.__dlpack_device__()

    x = torch.tensor([3, 1, 2], device="cuda")
    result = pn.sort(Other(x))
    assert isinstance(result, cupy.ndarray)
    assert result.tolist() == [1, 2, 3]


def wrong(gpu):
    x = gpu.put(np.arange(10, dtype="i4"))
    on_cpu = np.arange(10, dtype="i4")
    yield TypeError, "sort: values is of type ndarray, but must be on GPU 0", lambda: pn.sort(x, values=on_cpu)
    yield ValueError, "sort: values has 3 items, but x has 10", lambda: pn.sort(x, values=x[:3])
    yield ValueError, "sort: x has 2 dimensions, but must have one", lambda: pn.sort(x.reshape(5, 2))
    yield TypeError, "sort: out has dtype float64, but must have int32", lambda: pn.sort(x, out=gpu.put(np.zeros(10)))
    yield ValueError, "sort: out has 9 items, but must have 10", lambda: pn.sort(x, out=x[:9])
    yield ValueError, "sort: out is not contiguous", lambda: pn.sort(x[:5], out=x[::2])
    yield ValueError, "sort: out overlaps", lambda: pn.sort(x[:9], out=x[1:])
    yield TypeError, "sort: x has dtype complex64, but must have", lambda: pn.sort(gpu.put(np.zeros(3, "c8")))
    yield ValueError, "top_k: out overlaps", lambda: pn.top_k(x, 3, out=x[:3])
    pairs = gpu.put(np.zeros((2, 10), "f8"))
    yield ValueError, "multisplit: out[0] overlaps", \
        lambda: pn.multisplit(pairs[0], x, bins=10, values=pairs[1], out=(pairs[1], pairs[0]))
    yield TypeError, "group_by: values has dtype complex64, but must have", \
        lambda: pn.group_by(x[:3], gpu.put(np.zeros(3, "c8")), "mean")
    yield TypeError, "sort: stream is of type str", lambda: pn.sort(x, stream="0")
    yield TypeError, "sort: stream is 5, but the arrays are not on a GPU", lambda: pn.sort(on_cpu, stream=5)
    yield TypeError, "multisplit: bins is missing", lambda: pn.multisplit(x, x)
    yield TypeError, "multisplit: by has dtype float64", lambda: pn.multisplit(x, gpu.put(np.zeros(10)), bins=2)
    yield ValueError, "multisplit: by has 9 labels, but x has 10 items", lambda: pn.multisplit(x, x[:9], bins=2)
    yield ValueError, "reduce: op is 'avg'", lambda: pn.reduce(x, "avg")
    yield ValueError, "top_k: k is 11", lambda: pn.top_k(x, 11)
    yield ValueError, "group_by: values has 9 items, but keys has 10", lambda: pn.group_by(x, x[:9])
    yield TypeError, "segmented_reduce: segments has dtype float64", \
        lambda: pn.segmented_reduce(x, gpu.put(np.zeros(2)))


def test_wrong_input(gpu):
    for error, text, call in wrong(gpu):
        with pytest.raises(error) as raised:
            call()
        assert str(raised.value).startswith(text)


def test_what_is_not_contiguous_is_copied(gpu):
    x = gpu.put(np.arange(10, dtype="i4"))
    np.testing.assert_array_equal(gpu.get(pn.sort(x[::2], descending=True)), [8, 6, 4, 2, 0])


def test_a_gradient_is_not_lost():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    x = torch.ones(3, device="cuda", requires_grad=True)
    with pytest.raises(TypeError, match="sort: x: a tensor requires a gradient"):
        pn.sort(x)
