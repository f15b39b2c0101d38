# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Data frames of pandas and polars behind one face. Neither is imported here: who has a frame has the library."""
from __future__ import annotations

import sys
from typing import Any, NamedTuple, Protocol

import numpy as np

from ._arrays import Array


class KeyColumn(NamedTuple):
    """A column in the order of its keys: numbers, nulls, and for codes what they stand for."""

    name: str
    keys: Array
    nulls: Array | None = None
    labels: Any = None


class Frame(Protocol):
    """What calls on frames ask of them."""

    names: list[str]
    size: int

    def key(self, call: str, name: str) -> KeyColumn: ...
    def values(self, call: str, name: str) -> Array: ...
    def take(self, order: Array) -> Any: ...
    def parts(self, order: Array, offsets: Array) -> list[Any]: ...
    def with_columns(self, names: list[str], rows: Array, results: dict[str, Array]) -> Any: ...


def frame_of(call: str, df: Any) -> Frame:
    """A frame of whichever library it is of."""
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    if pandas is not None and isinstance(df, pandas.DataFrame):
        return _Pandas(call, df, pandas)
    if polars is not None and isinstance(df, polars.DataFrame):
        return _Polars(df, polars)
    if polars is not None and isinstance(df, polars.LazyFrame):
        raise TypeError(f"{call}: df is a LazyFrame of polars; df.collect() is a frame")
    raise TypeError(f"{call}: df is of type {type(df).__name__}, but must be a DataFrame of pandas or polars")


def _no_nulls(call: str, name: str, count: int) -> None:
    if count:
        raise ValueError(f"{call}: column {name!r} has {count} nulls among its values; fill them first")


def _wrong(call: str, name: str, dtype: Any) -> TypeError:
    return TypeError(f"{call}: column {name!r} has dtype {dtype}, which cannot be a key: integers, bool, floats, dates, "
                     "times, strings and categories can")


def _number(call: str, name: str, array: Any, dtype: Any) -> Array:
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "iufb" or array.dtype.itemsize > 8:
        raise TypeError(f"{call}: column {name!r} has dtype {dtype}, but values are integers, bool or floats")
    return np.ascontiguousarray(array)


class _Pandas:
    def __init__(self, call: str, df: Any, pd: Any) -> None:
        self.df = df
        self.pd = pd
        self.names = [str(name) for name in df.columns]
        if len(set(self.names)) != len(self.names):
            raise ValueError(f"{call}: df has columns of one name")
        self.size = len(df)

    def _column(self, name: str) -> Any:
        return self.df.iloc[:, self.names.index(name)]

    def key(self, call: str, name: str) -> KeyColumn:
        column = self._column(name)
        pd, dtype = self.pd, column.dtype
        nulls = column.isna().to_numpy(np.bool_)
        mask = nulls if nulls.any() else None
        if isinstance(dtype, pd.CategoricalDtype):
            return KeyColumn(name, column.cat.codes.to_numpy(np.int32), mask, list(dtype.categories))
        kinds = pd.api.types
        if kinds.is_datetime64_any_dtype(dtype) or kinds.is_timedelta64_dtype(dtype):
            kind = "m8[ns]" if kinds.is_timedelta64_dtype(dtype) else "M8[ns]"
            times = column.to_numpy(dtype if isinstance(dtype, np.dtype) else kind)
            return KeyColumn(name, np.ascontiguousarray(times).view(np.int64), mask)
        if kinds.is_bool_dtype(dtype) or kinds.is_numeric_dtype(dtype):
            plain = dtype if isinstance(dtype, np.dtype) else getattr(dtype, "numpy_dtype", None)
            if plain is None or plain.kind not in "iufb" or plain.itemsize > 8:
                raise _wrong(call, name, dtype)
            filled = column if mask is None else column.fillna(plain.type(0))
            return KeyColumn(name, np.ascontiguousarray(filled.to_numpy(plain)), mask)
        if kinds.is_string_dtype(dtype) or kinds.is_object_dtype(dtype):
            return self._text(call, name, column, mask)
        raise _wrong(call, name, dtype)

    def _text(self, call: str, name: str, column: Any, mask: Array | None) -> KeyColumn:
        codes, uniques = self.pd.factorize(column)
        labels = list(uniques)
        if not all(isinstance(one, str) for one in labels):
            raise _wrong(call, name, f"{column.dtype} with others than strings")
        order = sorted(range(len(labels)), key=lambda i: labels[i].encode("utf-8", "surrogatepass"))
        ranks = np.zeros(len(labels) + 1, np.int32)  # the last for nulls
        ranks[order] = np.arange(len(labels), dtype=np.int32)
        return KeyColumn(name, ranks[codes], mask, [labels[i] for i in order])

    def values(self, call: str, name: str) -> Array:
        column = self._column(name)
        if not isinstance(column.dtype, np.dtype):
            _no_nulls(call, name, int(column.isna().sum()))
            plain = getattr(column.dtype, "numpy_dtype", None)
            return _number(call, name, column.to_numpy(plain) if plain is not None else None, column.dtype)
        return _number(call, name, column.to_numpy(), column.dtype)

    def take(self, order: Array) -> Any:
        return self.df.take(order.astype(np.int64))

    def parts(self, order: Array, offsets: Array) -> list[Any]:
        rows = self.take(order)
        return [rows.iloc[b:e] for b, e in zip(offsets[:-1].tolist(), offsets[1:].tolist())]

    def with_columns(self, names: list[str], rows: Array, results: dict[str, Array]) -> Any:
        at = [self.names.index(name) for name in names]
        made = self.df.iloc[rows.astype(np.int64), at].reset_index(drop=True)
        return made.assign(**results)


class _Polars:
    def __init__(self, df: Any, pl: Any) -> None:
        self.df = df
        self.pl = pl
        self.names = list(df.columns)
        self.size = df.height

    def key(self, call: str, name: str) -> KeyColumn:
        column = self.df[name]
        pl, dtype = self.pl, column.dtype
        mask = column.is_null().to_numpy() if column.null_count() else None
        if dtype in (pl.String, pl.Categorical):
            labels = column.cast(pl.String).drop_nulls().unique().sort()
            codes = column.cast(pl.String).cast(pl.Enum(labels)).to_physical().fill_null(0).to_numpy()
            return KeyColumn(name, np.ascontiguousarray(codes), mask, labels.to_list())
        if dtype == pl.Enum:
            codes = column.to_physical().fill_null(0).to_numpy()
            return KeyColumn(name, np.ascontiguousarray(codes), mask, dtype.categories.to_list())
        if not (dtype.is_integer() or dtype.is_float() or dtype.is_temporal() or dtype == pl.Boolean):
            raise _wrong(call, name, dtype)
        if dtype == pl.Boolean:
            column = column.cast(pl.UInt8)
        keys = column.to_physical().fill_null(0).to_numpy()
        if keys.dtype.kind not in "iuf" or keys.dtype.itemsize > 8:
            raise _wrong(call, name, dtype)
        return KeyColumn(name, np.ascontiguousarray(keys), mask)

    def values(self, call: str, name: str) -> Array:
        column = self.df[name]
        _no_nulls(call, name, column.null_count())
        return _number(call, name, column.to_numpy(), column.dtype)

    def take(self, order: Array) -> Any:
        return self.df[order]

    def parts(self, order: Array, offsets: Array) -> list[Any]:
        rows = self.take(order)
        return [rows.slice(b, e - b) for b, e in zip(offsets[:-1].tolist(), offsets[1:].tolist())]

    def with_columns(self, names: list[str], rows: Array, results: dict[str, Array]) -> Any:
        made = self.df.select(names)[rows]
        return made.with_columns([self.pl.Series(name, column) for name, column in results.items()])
