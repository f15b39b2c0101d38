# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Data frames of pandas and polars behind one face. Neither is imported here: who has a frame has the library."""
from __future__ import annotations

import sys
from typing import Any, NamedTuple, Protocol

import numpy as np

from ._arrays import Array


class KeyColumn(NamedTuple):
    """A column in the order of its keys: numbers, nulls, for codes what they stand for, and for times their unit."""

    name: str
    keys: Array
    nulls: Array | None = None
    labels: Any = None
    unit: str | None = None


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


def _unit_of_arrow(dtype: Any) -> str | None:
    """The unit of a type of Arrow that is a date, a time or a duration."""
    days = {"date32[day]": "D", "date64[ms]": "ms"}.get(str(dtype))
    return days or getattr(dtype, "unit", None)


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
        if hasattr(dtype, "pyarrow_dtype") and _unit_of_arrow(dtype.pyarrow_dtype) is not None:
            return self._arrow_times(name, column, mask)
        if dtype.kind in "mM":
            unit = np.datetime_data(dtype)[0] if isinstance(dtype, np.dtype) else dtype.unit  # a time zone has the latter
            times = column.to_numpy(f"{dtype.kind}8[{unit}]")
            return KeyColumn(name, np.ascontiguousarray(times).view(np.int64), mask, unit=unit)
        if kinds.is_bool_dtype(dtype) or kinds.is_numeric_dtype(dtype):
            plain = dtype if isinstance(dtype, np.dtype) else getattr(dtype, "numpy_dtype", None)
            if plain is None or plain.kind not in "iufb" or plain.itemsize > 8:
                raise _wrong(call, name, dtype)
            filled = column if mask is None else column.fillna(plain.type(0))
            return KeyColumn(name, np.ascontiguousarray(filled.to_numpy(plain)), mask)
        if kinds.is_string_dtype(dtype) or kinds.is_object_dtype(dtype):
            return self._text(call, name, column, mask)
        raise _wrong(call, name, dtype)

    def _arrow_times(self, name: str, column: Any, mask: Array | None) -> KeyColumn:
        """Times of Arrow as they lie there: pandas would make objects of dates that have nulls."""
        of = column.dtype.pyarrow_dtype
        ticks = column.array.__arrow_array__().cast(f"int{of.bit_width}").fill_null(0).to_numpy()
        return KeyColumn(name, np.ascontiguousarray(ticks), mask, unit=_unit_of_arrow(of))

    def _text(self, call: str, name: str, column: Any, mask: Array | None) -> KeyColumn:
        try:
            codes, uniques = self.pd.factorize(column)
        except TypeError:  # objects that have no hash
            raise _wrong(call, name, f"{column.dtype} with others than strings") from None
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
        for i, dtype in enumerate(made.dtypes):
            if self.pd.api.types.is_float_dtype(dtype):
                made.isetitem(i, made.iloc[:, i] + 0.0)  # -0.0 is 0.0, as the key of a group
        return made.assign(**results)


def _wide_integers(pl: Any) -> tuple[Any, ...]:
    """Integers that NumPy has not, as far as this version of polars has them."""
    return tuple(getattr(pl, name) for name in ("Int128", "UInt128") if hasattr(pl, name))


def _unit_of_polars(pl: Any, dtype: Any) -> str | None:
    """The unit of a type of polars that is a date, a time or a duration."""
    if dtype in (pl.Date, pl.Time):
        return "D" if dtype == pl.Date else "ns"
    return dtype.time_unit if dtype.is_temporal() else None


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
        if dtype == pl.Boolean:
            column = column.cast(pl.UInt8)
        words = column.to_physical()
        if dtype.is_nested() or dtype.is_decimal() or not words.dtype.is_numeric() or words.dtype in _wide_integers(pl):
            raise _wrong(call, name, dtype)
        return KeyColumn(name, np.ascontiguousarray(words.fill_null(0).to_numpy()), mask, unit=_unit_of_polars(pl, dtype))

    def values(self, call: str, name: str) -> Array:
        column = self.df[name]
        _no_nulls(call, name, column.null_count())
        plain = None if column.dtype in _wide_integers(self.pl) else column.to_numpy()
        return _number(call, name, plain, column.dtype)

    def take(self, order: Array) -> Any:
        return self.df[order]

    def parts(self, order: Array, offsets: Array) -> list[Any]:
        rows = self.take(order)
        return [rows.slice(b, e - b) for b, e in zip(offsets[:-1].tolist(), offsets[1:].tolist())]

    def with_columns(self, names: list[str], rows: Array, results: dict[str, Array]) -> Any:
        made = self.df.select(names)[rows]
        pl, floats = self.pl, {name: dtype for name, dtype in made.schema.items() if dtype.is_float()}
        made = made.with_columns([pl.when(pl.col(name) == 0).then(pl.lit(0.0, dtype)).otherwise(pl.col(name)).alias(name)
                                  for name, dtype in floats.items()])  # -0.0 is 0.0, as the key of a group
        return made.with_columns([self.pl.Series(name, column) for name, column in results.items()])
