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


def evaluated(text, x):
    """Bins by NumPy."""
    return _evaluate.bins(pn.expression(text).formula("test", "text", "x", x.dtype), x)


def both(text, x, bins):
    """A result by NumPy, and the same compiled where it can be."""
    by_numpy = evaluated(text, x)
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


@compiled
def test_a_compiler_that_fails(monkeypatch, tmp_path):
    """The text was read before: the bins are found without the compiler, and it says why."""
    broken = tmp_path / "c++"
    broken.write_text("#!/bin/sh\necho 'error: no space' >&2; exit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(_compiled, "compiler", lambda: (str(broken), "broken 1.0"))
    how = pn.expression("x + 7 - 7").how("i4")
    assert how == f"evaluated by NumPy: {broken} could not compile it: error: no space"
    assert pn.multisplit(np.array([2, 0, 1], "i4"), "x + 7 - 7", bins=3)[0].tolist() == [0, 1, 2]


# What is written, what is wrong with it, and where.
WRONG = [
    ("", "a number, x or '[(]' is missing, at 0"), (" ", "is missing, at 1"), ("x+", "is missing, at 2"),
    ("x; x", "';' has no meaning, at 1"), ("x\n", "at 1"), ("x[0]", "at 1"), ("{x}", "at 0"), ("#x", "at 0"),
    ('x + "a"', "at 4"), ("x = 1", "'=' has no meaning, at 2"), ("x) + (x", "'[)]' cannot stand here, at 1"),
    ("(x", "'[)]' is missing, at 2"), ("x // 2", "is missing, at 3"), ("x ? 1", "':' of the '[?]' is missing, at 5"),
    ("x y", "'y' cannot stand here, at 2"), ("y + 1", "'y' is unknown: there are x, true, .*, at 0"),
    ("sizeof(x)", "'sizeof' is unknown"), ("std::floor(x)", "'std' is unknown"), ("max(x)", "takes 2 arguments, not 1, at 0"),
    ("floor(x, x)", "takes 1 argument, not 2"), ("abs", "'[(]' is missing behind 'abs', at 3"), ("x, 1", "',' cannot"),
    ("++x", "'[+][+]' is no operator of numbers that stay as they are, at 0"), ("x+++1", "'[+][+]' cannot stand here, at 1"),
    ("x and 1", "'and' is written '&&', at 2"), ("not x", "'not' is written '!', at 0"), ("x or 1", "'or' is written"),
    ("1_000", "'1_000' is no number of C[+][+], at 0"), ("01", "'01' is no number"), ("x * 1e", "'1e' is no number of .*, at 4"),
    ("0b12", "no number"), ("1uu", "no number"), ("2f", "no number"), ("1e400", "1e400 is too large, at 0"),
    ("3.5e38f", "too large"), ("9223372036854775808", "too large"), ("18446744073709551616u", "too large"),
    ("1 < x < 3", "a comparison beside '<' needs parentheses: .*, at 6"), ("x == 1 == 1", "at 7"),
    ("x & 3 == 1", "beside '&' needs parentheses: .*, at 2"), ("x > 0 | x < 5", "beside '|' needs"),
    ("a" * 5000, "more than 4000 characters"), ("(" * 500 + "x" + ")" * 500, "more than 100 parts are in one another"),
    ("+".join("x" * 1000), "more than 200 operators are in one another"), ("- " * 1000 + "x", "more than 200 operators"),
]


@pytest.mark.parametrize(("text", "why"), WRONG)
def test_one_language(text, why, monkeypatch):
    """Whether there is a compiler or not, before anything is computed."""
    for found in (_compiled.compiler(), None):
        monkeypatch.setattr(_compiled, "compiler", lambda found=found: found)
        for call, argument in [(lambda: pn.multisplit(np.array([1]), text, bins=4), "multisplit: by"),
                               (lambda: pn.histogram(np.array([1]), text, bins=4), "histogram: by"),
                               (lambda: pn.expression(text).how("i4"), "expression: text")]:
            with pytest.raises(ValueError, match=f"^{argument} is .*, which is no expression of x: .*{why}"):
                call()


@pytest.mark.parametrize(("text", "dtype", "why"), [
    ("~x", "f4", "'~' takes integers, at 0"), ("1 + x % 2", "f8", "'%' takes integers; fmod takes floats, at 6"),
    ("x % 2.5", "u1", "'%' takes integers.*, at 2"), ("x << 2.5", "i8", "'<<' takes integers, at 2"),
    ("x & 1", "f4", "'&' takes integers"), ("~(x / 2.0)", "?", "'~' takes integers, at 0")])
def test_operators_that_take_integers(text, dtype, why, monkeypatch):
    for found in (_compiled.compiler(), None):
        monkeypatch.setattr(_compiled, "compiler", lambda found=found: found)
        with pytest.raises(ValueError, match=f"multisplit: by is .* no expression of x of dtype .*: {why}"):
            pn.multisplit(np.array([1]).astype(dtype), text, bins=4)
        with pytest.raises(ValueError, match=f"expression.how: text is .*: {why}"):
            pn.expression(text).how(dtype)


def test_types_that_no_expression_has():
    for dtype in ("U3", "f2", "c8", "M8[s]", "O", ">i4"):
        with pytest.raises(TypeError, match="expression.how: dtype is .*, but must be of integers, bool, float32 or"):
            pn.expression("x").how(dtype)
    with pytest.raises(TypeError, match="expression.how: dtype is 'nope', which NumPy does not know"):
        pn.expression("x").how("nope")


def test_wrong_expressions():
    x = np.array([3, 0, 1])
    with pytest.raises(ValueError, match="divides by 0"):
        pn.multisplit(x, "3 / x", bins=4)
    for text, found in (("x - 1", "-1 for item 1, 0"), ("x * 2", "6 for item 0, 3"), ("x - 0.5 - 2", "-2.5 for item 1, 0"),
                        ("x * 4294967295", "12884901885 for item 0, 3"), ("log(x) - 9.5", "-8.40.* for item 0")):
        with pytest.raises(ValueError, match=f"multisplit: by is .*, which is {found}.*, but there are 4 bins"):
            pn.multisplit(x, text, bins=4)
    with pytest.raises(TypeError, match="multisplit: x has dtype float16"):
        pn.multisplit(x.astype("f2"), "x", bins=4)
    with pytest.raises(TypeError, match="bins is missing"):
        pn.multisplit(x, "x")


# What each is of 0 to 5.
MEANINGS = [
    ("x ? 1 : 0", lambda x: x != 0), ("x == 1 || x > 2", lambda x: (x == 1) | (x > 2)), ("!x && x <= 3", lambda x: x == 0),
    ("1u", lambda x: 1), ("true", lambda x: 1), ("0b11", lambda x: 3), ("0x10", lambda x: 16), ("7 / 2", lambda x: 3),
    ("max(x, 0)", lambda x: np.maximum(x, 0)), ("min(x, 1.5) * 2", lambda x: np.minimum(x, 1.5) * 2),
    ("(x == 1) == 1", lambda x: x == 1), ("x > 2 ? x > 3 ? 2 : 1 : 0", lambda x: (x > 2) * 1 + (x > 3)),
    ("int(x * 0.75)", lambda x: (x * 0.75).astype(int)), ("x != 0 && 6.0 / x > 2", lambda x: (x == 1) | (x == 2)),
    ("fmod(x, 3)", lambda x: np.fmod(x, 3)), ("trunc(x / 2.0)", lambda x: x // 2), ("x - 1 - 1 + 2", lambda x: x),
    ("1 << 2 + 1", lambda x: 8), ("1 << 40", lambda x: 0), ("1ll << 40 >> 39", lambda x: 2), ("5 >> -1", lambda x: 0),
    ("unsigned(-1) > 0 ? 2 : 1", lambda x: 2), ("-1 < 0u", lambda x: 0), ("-1 < 0", lambda x: 1), ("-7 / 2 + 3", lambda x: 0),
    ("2147483647 + int(x) < 0", lambda x: x > 0), ("abs(-3.5)", lambda x: 3.5), ("0x80000000 >> 31", lambda x: 1),
]


@pytest.mark.parametrize("dtype", ["u1", "i4", "u8", "f4", "?"])
def test_what_expressions_mean(dtype):
    x = np.array([0, 1, 2, 3, 4, 5, 1, 0], dtype)
    for text, of in MEANINGS:
        wanted = np.broadcast_to(of(x.astype(float)), x.shape).astype(int)
        assert evaluated(text, x).tolist() == wanted.tolist(), text
    for first in range(0, len(MEANINGS), 6):  # several at a time: to compile takes a second
        text = " + ".join(f"{32**i} * int({text})" for i, (text, _) in enumerate(MEANINGS[first:first + 6]))
        assert pn.expression(text).labels("test", x, 1).tolist() == evaluated(text, x).tolist()


def test_a_divisor_that_is_not_reached():
    """As in C++, what is not chosen is not computed."""
    x = np.array([0, 2, 3])
    assert evaluated("x ? 6 / x : 1", x).tolist() == [1, 3, 2]
    assert evaluated("x == 0 || 6 % x == 0", x).tolist() == [1, 1, 1]
    with pytest.raises(ValueError, match="divides by 0"):
        pn.multisplit(x, "x == 2 && 6 / (x - 2)", bins=2)


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
    by_name = ctypes.CFUNCTYPE(None, *BATCHED._argtypes_[:2], ctypes.c_char_p)(lambda *_: None)
    for f in (libc.strlen, wrong, returns, by_name):
        with pytest.raises(TypeError, match="by is a compiled function whose argtypes are"):
            pn.multisplit(x, f, bins=3)
    with pytest.raises(ValueError, match="multisplit: by is a null pointer"):
        pn.multisplit(x, BATCHED(), bins=3)


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
