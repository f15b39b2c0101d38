# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""sort_strings of the columns of pyarrow, polars and pandas, where these are installed."""
import numpy as np
import pytest

import libpeneira as pn

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")


def some_strings(size, nulls):
    rng = np.random.default_rng(size)
    words = ["", "a", "b", "aa", "é", "zebra" * 3, "zebra" * 3 + "!", "日本"]
    return [None if nulls and rng.random() < 0.2 else words[rng.integers(len(words))] + str(rng.integers(30))
            for _ in range(size)]


def right_order(strings, descending, first):
    some = [i for i, one in enumerate(strings) if one is not None]
    if descending:
        some = sorted(some[::-1], key=lambda i: strings[i].encode())[::-1]
    else:
        some = sorted(some, key=lambda i: strings[i].encode())
    null = [i for i, one in enumerate(strings) if one is None]
    return null + some if first else some + null


def check(make, nulls=True):
    for size in (0, 1, 7, 8, 1003):
        strings = some_strings(size, nulls)
        column = make(strings)
        for descending in (False, True):
            for where in ("first", "last"):
                got = pn.sort_strings(column, descending=descending, nulls=where)
                assert got.tolist() == right_order(strings, descending, where == "first")


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view", "binary", "large_binary"])
@pytest.mark.parametrize("nulls", [False, True])
def test_pyarrow(kind, nulls):
    dtype = getattr(pa, kind)()

    def make(strings):
        given = [one if one is None or "string" in kind else one.encode() for one in strings]
        return pa.array(given, dtype)

    check(make, nulls)
    check(lambda strings: pa.chunked_array([make(strings)]), nulls)
    check(lambda strings: pa.chunked_array([make(strings[:3]), make(strings[3:])]), nulls)
    check(lambda strings: make(["x", None, "y", *strings, "z"]).slice(3, len(strings)), nulls)


def test_no_chunks():
    assert pn.sort_strings(pa.chunked_array([], pa.string())).size == 0


def test_pyarrow_is_not_copied():
    column = pa.array(["b" * 1000, "a" * 1000] * 5000)
    before = pa.total_allocated_bytes()
    assert pn.sort_strings(column)[0] == 1 and pa.total_allocated_bytes() == before


def test_what_is_no_string():
    for wrong in (pa.array([1, 2]), pa.array([["a"]]), pa.array(["a"]).dictionary_encode()):
        with pytest.raises(TypeError, match="sort_strings: strings is an Arrow column of"):
            pn.sort_strings(wrong)
    with pytest.raises(ValueError, match="sort_strings: nulls is 'middle'"):
        pn.sort_strings(pa.array(["a"]), nulls="middle")


def test_polars():
    pl = pytest.importorskip("polars", reason="polars is not installed")
    check(lambda strings: pl.Series(strings, dtype=pl.String))
    with pytest.raises(TypeError, match="strings is a polars column of Int64"):
        pn.sort_strings(pl.Series([1]))


def test_pandas():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    check(lambda strings: pd.Series(strings, dtype="string[pyarrow]"))
    check(lambda strings: pd.Series(strings, dtype=pd.ArrowDtype(pa.large_string())))
    with pytest.raises(TypeError, match="strings is a"):
        pn.sort_strings(pd.Series([1]))
