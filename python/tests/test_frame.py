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


def time_columns(kind):
    """The same instants, or durations, in every type of both libraries that has them, with a null each."""
    pd, pl = (one().pd if one is Pandas else one().pl for one in (Pandas, Polars))
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    days = np.random.default_rng(5).permutation(np.arange(-3000, 3000))[:300].astype("M8[D]")
    days[7] = "NaT"
    if kind == "durations":
        spans = (days - np.datetime64(0, "D")).astype("m8[s]")
        arrow = [pd.Series(pd.array(spans.astype(f"m8[{u}]"))).astype(pd.ArrowDtype(pa.duration(u))) for u in UNITS]
        return [pd.Series(spans.astype(f"m8[{u}]")) for u in UNITS] + arrow + [
            pl.Series(spans.astype("m8[us]")).cast(pl.Duration(u)) for u in UNITS[1:]]
    times = days.astype("M8[s]") + np.timedelta64(0 if kind == "dates" else 11_045, "s")
    plain = [pd.Series(times.astype(f"M8[{u}]")) for u in UNITS]
    columns = plain + [one.astype(pd.ArrowDtype(pa.timestamp(u))) for one, u in zip(plain, UNITS)]
    columns += [one.dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo") for one in plain]
    columns += [pl.Series(times.astype("M8[us]")).cast(pl.Datetime(u)) for u in UNITS[1:]]
    columns += [columns[-1].dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Tokyo")]
    if kind == "dates":
        columns += [plain[0].astype(pd.ArrowDtype(t)) for t in (pa.date32(), pa.date64())]
        columns += [pl.Series(days).cast(pl.Date)]
    return columns


UNITS = ["s", "ms", "us", "ns"]


@pytest.mark.parametrize("kind", ["dates", "instants", "durations"])
def test_times_of_all_units_are_in_the_same_parts(kind):
    """So that frames can be joined part by part whatever each library made of a column."""
    columns = time_columns(kind)
    frames = [(Polars if type(one).__module__.startswith("polars") else Pandas)() for one in columns]
    row = np.arange(len(columns[0]))
    parts = []
    for library, column in zip(frames, columns):
        made = library.pl if isinstance(library, Polars) else library.pd
        df = made.DataFrame({"k": column, "row": row})
        parts.append([library.lists(part)["row"] for part in pn.frame.partition(df, "k", 7)])
    for column, found in zip(columns, parts):
        assert found == parts[0], column.dtype
    assert min(map(len, parts[0])) > 20  # of 300: spread, too


def test_times_beyond_64_bits_of_nanoseconds():
    """A unit is as it is: no instant is turned into another by an overflow."""
    pd, pl = Pandas().pd, Polars().pl
    years = [f"{year}-01-01" for year in (1, 1600, 1970, 3000, 9999)]
    us = np.array(years, "M8[us]")
    frames = [pd.DataFrame({"k": us.astype("M8[s]"), "row": range(5)}), pd.DataFrame({"k": us, "row": range(5)}),
              pl.DataFrame({"k": us, "row": range(5)})]
    arrow = frames[1].astype({"k": "timestamp[us][pyarrow]"})
    assert pn.frame.sort(arrow, "k", descending=True)["row"].tolist() == [4, 3, 2, 1, 0]
    parts = [[list(part["row"]) for part in pn.frame.partition(df, "k", 3)] for df in (*frames, arrow)]
    assert parts == [parts[0]] * 4


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_zero_of_a_group_is_positive(library, dtype):
    keys = np.array([1, -0.0, 0.0, -0.0], dtype)
    df = library.pl.DataFrame({"k": keys}) if isinstance(library, Polars) else library.pd.DataFrame({"k": keys})
    for by in ("k", ["k"]):
        found = pn.frame.group_by(df, by, {"n": "count"})["k"].to_numpy()
        assert found.dtype == np.dtype(dtype) and found.tolist() == [0, 1] and not np.signbit(found).any()


def test_integers_that_numpy_has_not():
    pl = Polars().pl
    df = pl.DataFrame({"k": pl.Series([2**70, 1], dtype=pl.Int128), "n": [1, 2]})
    with pytest.raises(TypeError, match="frame.sort: column 'k' has dtype Int128, which cannot be a key"):
        pn.frame.sort(df, "k")
    with pytest.raises(TypeError, match="frame.group_by: column 'k' has dtype Int128, but values are"):
        pn.frame.group_by(df, "n", {"k": "sum"})


def test_what_is_wrong(library):
    df = library.frame(*columns_of(10, True))
    for call, error, message in [
            (lambda: pn.frame.sort(df, "no"), ValueError, "frame.sort: by has 'no', but the columns are 'i'"),
            (lambda: pn.frame.sort(df, []), ValueError, "by names no column"),
            (lambda: pn.frame.sort(df, 7), TypeError, "by must be the name of a column"),
            (lambda: pn.frame.sort(df, ["i", "s"], descending=[True]), ValueError, "descending has 1 entries"),
            (lambda: pn.frame.group_by(df, "i", {}), TypeError, "aggregates must be a dict"),
            (lambda: pn.frame.group_by(df, "i", {3: ("v", "sum")}), TypeError, "aggregates has 3, but names of results"),
            (lambda: pn.frame.group_by(df, "i", {"x": ("no", "sum")}), ValueError, r"aggregates\['x'\] has 'no'"),
            (lambda: pn.frame.group_by(df, "i", {"x": ("v", "median")}), ValueError, "aggregates has 'median'"),
            (lambda: pn.frame.group_by(df, "i", {"i": "count"}), ValueError, "'i', which is a column of by"),
            (lambda: pn.frame.group_by(df, "u", {"i": "sum"}), ValueError, "column 'i' has . nulls"),
            (lambda: pn.frame.partition(df, "i", 0), ValueError, "frame.partition: n is 0"),
            (lambda: pn.frame.sort({"a": [1]}, "a"), TypeError, "frame.sort: df is of type dict")]:
        with pytest.raises(error, match=message):
            call()


def test_keys_that_cannot_be(library):
    lists = [[1], [2]]
    df = library.pl.DataFrame({"x": lists}) if isinstance(library, Polars) else library.pd.DataFrame({"x": lists})
    with pytest.raises(TypeError, match="frame.sort: column 'x' has dtype"):
        pn.frame.sort(df, "x")


def test_categories():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    df = pd.DataFrame({"size": pd.Categorical(["L", "S", None, "M"], ["S", "M", "L"], ordered=True), "n": [1, 2, 3, 4]})
    assert pn.frame.sort(df, "size")["n"].tolist() == [2, 4, 1, 3]
    got = pn.frame.group_by(df, "size", {"n": "sum"})
    assert got["n"].tolist() == [2, 4, 1, 3] and got["size"].dtype == df["size"].dtype
