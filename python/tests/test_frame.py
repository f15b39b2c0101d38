# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Data frames of pandas and polars, where these are installed, beside their own group_by and sort."""
import numpy as np
import pytest

import libpeneira as pn

SIZES = [0, 1, 10, 3000]


def columns_of(size, nulls):
    """Columns of every kind that can be a key, as lists, some with nulls."""
    rng = np.random.default_rng(size)
    columns = {
        "i": rng.integers(-5, 5, size).tolist(),
        "u": rng.integers(0, 5, size).tolist(),
        "b": (rng.random(size) < 0.5).tolist(),
        "f": (rng.integers(-3, 3, size) / 2).tolist(),
        "s": [["", "a", "é", "zebra", "zebras"][i] for i in rng.integers(0, 5, size)],
        "t": [np.datetime64("1969-12-31", "us").item() if i == 0 else np.datetime64(f"202{i}-01-01", "us").item()
              for i in rng.integers(0, 4, size)],
    }
    if nulls:
        for name, column in columns.items():
            columns[name] = [None if rng.random() < 0.2 else one for one in column]
    return columns, rng.integers(-9, 9, size), rng.integers(0, 100, size) / 4


class Polars:
    def __init__(self):
        self.pl = pytest.importorskip("polars", reason="polars is not installed")

    def frame(self, columns, v, w):
        pl = self.pl
        types = {"i": pl.Int16, "u": pl.UInt64, "b": pl.Boolean, "f": pl.Float32, "s": pl.String, "t": pl.Datetime("us")}
        made = {name: pl.Series(column, dtype=types[name]) for name, column in columns.items()}
        return pl.DataFrame({**made, "row": pl.Series(np.arange(len(v))), "v": v, "w": w})

    def lists(self, df):
        return {name: df[name].to_list() for name in df.columns}

    def grouped(self, df, by):
        pl = self.pl
        return df.group_by(by).agg(total=pl.col("v").sum(), most=pl.col("w").max(), n=pl.len()).sort(
            by, nulls_last=True)

    def sorted(self, df, by, falls):
        return df.sort(by, descending=falls, nulls_last=True, maintain_order=True)


class Pandas:
    def __init__(self):
        self.pd = pytest.importorskip("pandas", reason="pandas is not installed")

    def frame(self, columns, v, w):
        pd = self.pd
        types = {"i": "Int16", "u": "UInt64", "b": "boolean", "f": "float32", "s": "str", "t": "datetime64[us]"}
        made = {name: pd.Series(column, dtype=types[name]) for name, column in columns.items()}
        return pd.DataFrame({**made, "row": np.arange(len(v)), "v": v, "w": w})

    def lists(self, df):
        return {name: [None if self.pd.isna(one) else one for one in df[name].tolist()] for name in df.columns}

    def grouped(self, df, by):
        return df.groupby(by, dropna=False, sort=True).agg(total=("v", "sum"), most=("w", "max"), n=("v", "size"),
                                                          ).reset_index()

    def sorted(self, df, by, falls):
        for name, fall in list(zip(by, falls))[::-1]:
            df = df.sort_values(name, ascending=not fall, kind="stable", na_position="last")
        return df


@pytest.fixture(params=[Pandas, Polars])
def library(request):
    return request.param()


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("by", ["i", "s", "t", ["b", "f"], ["s", "u", "i", "t"]])
def test_group_by(library, by, nulls):
    for size in SIZES:
        df = library.frame(*columns_of(size, nulls))
        got = pn.frame.group_by(df, by, {"total": ("v", "sum"), "most": ("w", "max"), "n": "count"})
        assert type(got) is type(df)
        if size == 0:
            assert len(got) == 0
            continue
        assert library.lists(got) == library.lists(library.grouped(df, by))


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("by", [["i"], ["s"], ["f", "t"], ["b", "s", "u"]])
def test_sort(library, by, nulls):
    for size in SIZES:
        df = library.frame(*columns_of(size, nulls))
        for falls in ([False] * len(by), [i % 2 == 0 for i in range(len(by))]):
            got = library.lists(pn.frame.sort(df, by, descending=falls))
            assert got["row"] == library.lists(library.sorted(df, by, falls))["row"]


@pytest.mark.parametrize("by", ["i", "s", ["f", "b"]])
def test_partition(library, by):
    for size in SIZES:
        df = library.frame(*columns_of(size, True))
        parts = [library.lists(part) for part in pn.frame.partition(df, by, 7)]
        seen, rows = {}, []
        for number, part in enumerate(parts):
            assert part["row"] == sorted(part["row"])
            rows += part["row"]
            for key in zip(*(part[name] for name in ([by] if isinstance(by, str) else by))):
                assert seen.setdefault(key, number) == number
        assert len(parts) == 7 and sorted(rows) == list(range(size))


def test_both_libraries_agree_on_parts():
    columns, v, w = columns_of(500, False)
    both = [kind() for kind in (Pandas, Polars)]
    for by in ("i", "f", "s", ["u", "s"]):
        parts = [[one.lists(part)["row"] for part in pn.frame.partition(one.frame(columns, v, w), by, 5)] for one in both]
        assert parts[0] == parts[1]


def test_what_is_wrong(library):
    df = library.frame(*columns_of(10, True))
    for call, error, message in [
            (lambda: pn.frame.sort(df, "no"), ValueError, "frame.sort: by has 'no', but the columns are 'i'"),
            (lambda: pn.frame.sort(df, []), ValueError, "by names no column"),
            (lambda: pn.frame.sort(df, 7), TypeError, "by must be the name of a column"),
            (lambda: pn.frame.sort(df, ["i", "s"], descending=[True]), ValueError, "descending has 1 entries"),
            (lambda: pn.frame.group_by(df, "i", {}), TypeError, "aggregates must be a dict"),
            (lambda: pn.frame.group_by(df, "i", {"x": ("no", "sum")}), ValueError, r"aggregates\['x'\] has 'no'"),
            (lambda: pn.frame.group_by(df, "i", {"x": ("v", "median")}), ValueError, "aggregates has 'median'"),
            (lambda: pn.frame.group_by(df, "i", {"i": "count"}), ValueError, "'i', which is a column of by"),
            (lambda: pn.frame.group_by(df, "u", {"i": "sum"}), ValueError, "column 'i' has . nulls"),
            (lambda: pn.frame.partition(df, "i", 0), ValueError, "bins is 0"),
            (lambda: pn.frame.sort({"a": [1]}, "a"), TypeError, "frame.sort: df is of type dict")]:
        with pytest.raises(error, match=message):
            call()


def test_keys_that_cannot_be(library):
    lists = [[1], [2]]
    df = library.pl.DataFrame({"x": lists}) if isinstance(library, Polars) else library.pd.DataFrame({"x": lists})
    with pytest.raises(TypeError):
        pn.frame.sort(df, "x")


def test_categories():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    df = pd.DataFrame({"size": pd.Categorical(["L", "S", None, "M"], ["S", "M", "L"], ordered=True), "n": [1, 2, 3, 4]})
    assert pn.frame.sort(df, "size")["n"].tolist() == [2, 4, 1, 3]
    got = pn.frame.group_by(df, "size", {"n": "sum"})
    assert got["n"].tolist() == [2, 4, 1, 3] and got["size"].dtype == df["size"].dtype
