# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Bins by an expression on a GPU, beside the same on the CPU, and what is kept of it on disk."""
import os
import subprocess
import sys

import numpy as np
import pytest

import libpeneira as pn
from libpeneira import _evaluate


@pytest.fixture(autouse=True)
def cache(gpu_part, tmp_path_factory, monkeypatch):
    from libpeneira._gpu import nvrtc

    if nvrtc.compiler() is None:
        pytest.skip("NVRTC is not found")
    folder = tmp_path_factory.mktemp("cache")
    folder.chmod(0o700)
    monkeypatch.setenv("LIBPENEIRA_CACHE", str(folder))
    return folder


def as_numpy(gpu, text, x, bins):
    """The bins of items as NumPy evaluates the expression, and what a GPU makes of them."""
    labels = _evaluate.bins(pn.expression(text).formula("test", "text", "x", x.dtype), x).astype(np.int64)
    inside = labels < bins
    order = np.argsort(labels[inside], kind="stable")
    offsets = np.searchsorted(np.sort(labels[inside]), np.arange(bins + 1))
    items, table = pn.multisplit(gpu.put(x), text, bins=bins)
    np.testing.assert_array_equal(gpu.get(table), offsets)
    np.testing.assert_array_equal(gpu.get(items)[:offsets[-1]], x[inside][order])
    np.testing.assert_array_equal(gpu.get(pn.histogram(gpu.put(x), text, bins=bins)), np.diff(offsets))


@pytest.mark.parametrize("size", [0, 1, 4097, 1_000_003])
def test_as_on_the_cpu(gpu, generator, size):
    x = generator.random(size)
    as_numpy(gpu, "x * 361", x, 361)
    as_numpy(gpu, "x * 361", x.astype("f4"), 361)
    as_numpy(gpu, "x < 0.5", x, 2)
    as_numpy(gpu, "x % 13", generator.integers(0, 1 << 32, size, np.uint32), 13)
    as_numpy(gpu, "x % 13", generator.integers(-1000, 1000, size, np.int32), 13)  # a negative remainder is in no bin


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?", "f4", "f8"])
def test_types_are_those_of_cpp(gpu, generator, dtype):
    x = generator.integers(0, 100, 2000).astype(dtype)
    texts = ["x * 5", "x + x * 3 - 1 + 1", "floor(sqrt(x) * 8) + 1"]
    if np.dtype(dtype).kind != "f":
        texts += ["x / 7", "x % 7", "(x >> 2) & 5", "(x ^ 3) | 1", "min(x, 40) + 3", "x << 40", "~x & 3"]
    texts += ["x > 50 ? x / 2.0 : 1", "x == 1 || !x", "int(x * 0.3) + fmod(x, 7) + trunc(x / 3.0)", "max(x, 60.5f)"]
    for text in texts:
        as_numpy(gpu, text, x, 1000)


def test_values_move(gpu, generator):
    x = generator.integers(0, 1000, 50_021)
    v = np.arange(x.size, dtype="f4")
    (keys, moved), offsets = pn.multisplit(gpu.put(x), pn.expression("x % 7"), bins=7, values=gpu.put(v))
    wanted = pn.multisplit(x, x % 7, bins=7, values=v)
    np.testing.assert_array_equal(gpu.get(keys), wanted[0][0])
    np.testing.assert_array_equal(gpu.get(moved), wanted[0][1])
    np.testing.assert_array_equal(gpu.get(offsets), wanted[1])


def test_errors(gpu):
    x = gpu.put(np.arange(5))
    with pytest.raises(ValueError, match="multisplit: by is 'y [+] 1', which is no expression of x: 'y' is unknown"):
        pn.multisplit(x, "y + 1", bins=4)
    with pytest.raises(ValueError, match="is no expression of x"):
        pn.multisplit(x, "x; x", bins=4)
    with pytest.raises(TypeError, match="bins is missing"):
        pn.histogram(x, "x")
    with pytest.raises(TypeError, match="multisplit: x has dtype float16"):
        pn.multisplit(gpu.put(np.arange(5, dtype="f2")), "x", bins=4)
    assert pn.expression("x").how("i4", gpu=True).startswith("compiled by NVRTC")


def test_without_nvrtc(gpu, monkeypatch):
    from libpeneira._gpu import expressions

    monkeypatch.setattr(expressions, "compiler", lambda: None)
    with pytest.raises(RuntimeError, match="multisplit: by is an expression, which is not compiled: NVRTC is not found"):
        pn.multisplit(gpu.put(np.arange(5)), "x", bins=5)


CODE = """{library}
import libpeneira as pn
print(pn.multisplit(x, 'x % 4 + 0', bins=4)[1].tolist())
"""
LIBRARIES = {"cupy": "import cupy; x = cupy.arange(9)", "torch": "import torch; x = torch.arange(9, device='cuda')"}


def test_processes_share_what_was_compiled(gpu, cache):
    """Several at once, of which each may find a file that is not whole."""
    from libpeneira._gpu import expressions

    name = type(gpu).__name__.lower()
    expressions._kernel.cache_clear()  # else the test of the other library has it in memory
    pn.multisplit(gpu.put(np.arange(9)), "x % 4 + 0", bins=4)
    (kept,) = cache.glob("*.cubin")
    kept.write_bytes(kept.read_bytes()[:100])
    code = CODE.format(library=LIBRARIES[name])
    started = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=dict(os.environ))
               for _ in range(3)]
    assert [p.communicate(timeout=300)[0].strip() for p in started] == ["[0, 3, 5, 7, 9]"] * 3
    made = list(cache.glob("*.cubin"))
    assert len(made) == 1 and made[0].stat().st_size > 1000 and not list(cache.glob(".making-*"))
    before = made[0].stat().st_mtime_ns
    again = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert again.stdout.strip() == "[0, 3, 5, 7, 9]" and made[0].stat().st_mtime_ns == before
