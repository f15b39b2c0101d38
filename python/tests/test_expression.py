# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Bins by an expression, compiled and evaluated, and by compiled functions of ctypes and numba."""
import ctypes
import os
import subprocess
import sys

import numpy as np
import pytest

import libpeneira as pn
from libpeneira import _compiled, _evaluate

compiled = pytest.mark.skipif(_compiled.compiler() is None, reason="no C++ compiler")
BATCHED = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_uint32), ctypes.c_size_t)


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cache")
    folder.chmod(0o700)
    before = os.environ.get("LIBPENEIRA_CACHE")
    os.environ["LIBPENEIRA_CACHE"] = str(folder)
    yield folder
    if before is None:
        del os.environ["LIBPENEIRA_CACHE"]
    else:
        os.environ["LIBPENEIRA_CACHE"] = before


def both(text, x, bins):
    """A result by NumPy, and the same compiled where it can be."""
    by_numpy = _evaluate.by_numpy("multisplit", text, x)
    result = pn.multisplit(x, by_numpy.astype("i8"), bins=bins)
    if pn.expression(text).how(x.dtype).startswith("compiled"):
        again = pn.multisplit(x, text, bins=bins)
        assert again[0].tobytes() == result[0].tobytes() and np.array_equal(again[1], result[1])
        assert np.array_equal(pn.histogram(x, text, bins=bins), np.diff(result[1]))
    return by_numpy


def test_an_expression():
    x = np.random.default_rng(1).random(100_001)
    assert np.array_equal(both("x * 361", x, 361), (x * 361).astype(int))
    assert np.array_equal(both("x < 0.5", x, 2), x < 0.5)
    assert np.array_equal(both("floor(sqrt(x) * 8) + 1", x, 9), np.floor(np.sqrt(x) * 8) + 1)


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "i8", "u8", "?", "f4"])
def test_types_are_those_of_cpp(dtype):
    """Narrow integers are computed with 32 bits; division is towards 0, as the sign of a remainder; 5 is an int."""
    rng = np.random.default_rng(2)
    x = rng.integers(0, 100, 2000).astype(dtype)
    texts = ["x * 5", "x + x * 3 - 1 + 1", "(x - 200) * -1 + 7"]
    if dtype != "f4":
        texts += ["x / 7", "x % 7", "(x >> 2) & 5", "(x ^ 3) | 1", "min(x, x) + 3"]
        if x.dtype.kind == "i":
            texts += ["(x - 50) / 7 + 10", "(x - 50) % 7 + 10"]
    if dtype in ("u4", "u8"):
        texts.remove("(x - 200) * -1 + 7")
    both(" + ".join(f"({text})" for text in texts), x, 100_000)


@compiled
def test_it_says_which():
    assert pn.expression("x * 3").how("f8").startswith("compiled by ")
    assert pn.expression("3 / x").how("i4") == "evaluated by NumPy: it divides integers by what may be 0"
    assert pn.expression("3 / x").how("f4").startswith("compiled by ")


def test_without_a_compiler(monkeypatch):
    monkeypatch.setattr(_compiled, "compiler", lambda: None)
    assert pn.expression("x").how("f8") == "evaluated by NumPy: no C++ compiler is found"
    assert pn.multisplit(np.array([2, 0, 1]), "2 - x", bins=3)[0].tolist() == [2, 1, 0]
    for text in ("x ? 1 : 0", "foo(x)", "x & 1 == 1", "x << 2.5", "min(x, 1.5)", "1 < x < 3", "18446744073709551616"):
        with pytest.raises(ValueError, match="multisplit: by is .* which NumPy cannot evaluate as C"):
            pn.multisplit(np.array([2, 0, 1]), text, bins=3)


def test_wrong_expressions():
    x = np.array([3, 0, 1])
    with pytest.raises(ValueError, match="divides by 0"):
        pn.multisplit(x, "3 / x", bins=4)
    for text in ("", " ", "x; x", "x) + (x", "(x", "x // 2", 'x + "a"', "x\n", "x[0]", "{x}", "#x", "a" * 5000):
        with pytest.raises(ValueError, match="is no expression of x"):
            pn.multisplit(x, text, bins=4)
    for text in ("x - 1", "x * 2", "x - 0.5 - 2"):
        with pytest.raises(ValueError, match="by has label"):
            pn.multisplit(x, text, bins=4)
    with pytest.raises(TypeError, match="multisplit: x has dtype float16"):
        pn.multisplit(x.astype("f2"), "x", bins=4)
    with pytest.raises(TypeError, match="bins is missing"):
        pn.multisplit(x, "x")


@compiled
def test_what_does_not_compile():
    with pytest.raises(ValueError, match="multisplit: by is 'y [+] 1', which does not compile: .*error"):
        pn.multisplit(np.array([1]), "y + 1", bins=4)
    with pytest.raises(ValueError, match="does not compile"):
        pn.multisplit(np.array([1]), "x = 1", bins=4)


@compiled
def test_processes_share_what_was_compiled(cache):
    """Several at once, of which one finds a file that is not whole."""
    code = "import numpy, libpeneira as pn; print(pn.multisplit(numpy.arange(9), 'x % 4 + 0', bins=4)[1].tolist())"
    pn.multisplit(np.arange(9), "x % 4 + 0", bins=4)
    newest = max(cache.glob("*.so"), key=lambda f: f.stat().st_mtime_ns)
    newest.unlink()
    newest.write_bytes(b"\x7fELF")
    started = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert [p.communicate(timeout=300)[0].strip() for p in started] == ["[0, 3, 5, 7, 9]"] * 4
    assert newest.stat().st_size > 1000 and not list(cache.glob(".making-*"))


@compiled
def test_a_folder_that_others_can_write_to_is_not_trusted(cache, monkeypatch, tmp_path):
    tmp_path.chmod(0o777)
    monkeypatch.setenv("LIBPENEIRA_CACHE", str(tmp_path))
    assert pn.multisplit(np.arange(4), "x + 0 + 0", bins=4)[0].size == 4 and not list(tmp_path.iterdir())


def test_a_function_of_ctypes():
    x = np.random.default_rng(3).random(100_000)

    @BATCHED
    def thirds(keys, bins, n):
        np.ctypeslib.as_array(bins, (n,))[:] = np.ctypeslib.as_array(keys, (n,)) * 3

    right = pn.multisplit(x, (x * 3).astype(int), bins=3)
    for threads in (1, 3):
        items, offsets = pn.multisplit(x, thirds, bins=3, threads=threads)
        assert np.array_equal(items, right[0]) and np.array_equal(offsets, right[1])
    with pytest.raises(TypeError, match="by is a compiled function whose argtypes are .* must take a pointer to float32"):
        pn.multisplit(x.astype("f4"), thirds, bins=3)


def test_functions_that_say_too_little_are_refused():
    x = np.arange(3.0)
    libc = ctypes.CDLL(None)
    wrong = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)(lambda *_: None)
    returns = ctypes.CFUNCTYPE(ctypes.c_int, *BATCHED._argtypes_)(lambda *_: 0)
    for f in (libc.strlen, wrong, returns):
        with pytest.raises(TypeError, match="by is a compiled function whose argtypes are"):
            pn.multisplit(x, f, bins=3)


def test_a_function_that_writes_nothing_or_raises():
    x = np.arange(3.0)
    with pytest.raises(ValueError, match="by has label 4294967295 for item 0"):
        pn.multisplit(x, BATCHED(lambda *_: None), bins=3)


def test_numba():
    numba = pytest.importorskip("numba", reason="numba is not installed")

    @numba.cfunc("void(CPointer(float64), CPointer(uint32), uintp)")
    def halves(keys, bins, n):
        for i in range(n):
            bins[i] = keys[i] * 2

    x = np.random.default_rng(4).random(70_000)
    assert np.array_equal(pn.multisplit(x, halves, bins=2)[1], [0, (x < 0.5).sum(), x.size])
