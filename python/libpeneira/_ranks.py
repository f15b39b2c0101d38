# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""What calls over the ranks of a communicator have in common: what is kept of it, agreement, and keys as words."""
from __future__ import annotations

import atexit
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple, TypeVar

import numpy as np

from . import _arrays
from ._arrays import Array

_Prepared = TypeVar("_Prepared")
_ERRORS: dict[str, type[Exception]] = {one.__name__: one for one in (TypeError, ValueError, MemoryError)}


class _Told(NamedTuple):
    """What a rank tells the others at the start of a call."""

    call: str
    alike: Any  # what must be the same on all ranks
    error: tuple[str, str] | None


def compiled(call: str) -> ModuleType:
    try:
        return import_module("._mpi", __package__)
    except ImportError as e:
        raise ImportError(f"{call}: comm is given, but this libpeneira has no calls over ranks: {e}. They are built "
                          "where MPI is found: pip install ./python in a clone") from e


class _Communicators:
    """What the compiled half keeps for each communicator, as long as that lives."""

    def __init__(self) -> None:
        self._key: int | None = None
        self._kept: list[Any] = []

    def of(self, call: str, comm: Any) -> Any:
        """The ranks of a communicator. The first call is one of all ranks."""
        MPI = import_module("mpi4py.MPI")
        if self._key is None:
            self._key = MPI.Comm.Create_keyval(delete_fn=self._forget)
            atexit.register(self._close)
        found = comm.Get_attr(self._key)
        if found is None:
            half = compiled(call)
            theirs = MPI.Get_library_version().rstrip("\0").strip()
            if theirs != half.library.rstrip("\0").strip():
                raise ImportError(f"{call}: mpi4py uses {theirs!r}, but this libpeneira was built for "
                                  f"{half.library!r}")
            found = half.Ranks(MPI._addressof(comm))
            comm.Set_attr(self._key, found)
            self._kept.append(found)
        return found

    def _forget(self, comm: Any, key: int, ranks: Any) -> None:
        if ranks in self._kept:  # else all are closed already
            self._kept.remove(ranks)
            ranks.close()

    def _close(self) -> None:
        """Before MPI ends, in the order in which all ranks made them."""
        while self._kept:
            self._kept.pop(0).close()


_communicators = _Communicators()


def agreed(call: str, comm: Any, prepare: Callable[[], tuple[Any, _Prepared]]) -> tuple[Any, _Prepared]:
    """The ranks, and what this one prepared, where all could; an exception on all ranks where one could not.

    `prepare` returns what must be the same on all ranks, too.
    """
    _require_communicator(call, comm)
    failed: Exception | None = None
    alike: Any = None
    mine: Any = None
    try:
        compiled(call)
        alike, mine = prepare()
    except Exception as e:
        failed = e
    told = comm.allgather(_Told(call, alike, None if failed is None else (type(failed).__name__, str(failed))))
    if failed is not None:
        raise failed
    for rank, one in enumerate(told):
        if one.error is not None:
            name, text = one.error
            raise _ERRORS.get(name, RuntimeError)(f"rank {rank}: {text}")
    for rank, one in enumerate(told):
        if one.call != told[0].call:
            raise ValueError(f"rank 0 calls {told[0].call}, but rank {rank} calls {one.call}")
        if one.alike != told[0].alike:
            raise ValueError(f"{call}: types and arguments must be the same on all ranks, but are {told[0].alike} on "
                             f"rank 0 and {one.alike} on rank {rank}")
    return _communicators.of(call, comm), mine


def _require_communicator(call: str, comm: Any) -> None:
    if not all(hasattr(comm, name) for name in ("allgather", "Get_attr", "Is_inter")):
        raise TypeError(f"{call}: comm is of type {type(comm).__name__}, but must be a communicator of mpi4py")
    if comm.Is_inter():
        raise ValueError(f"{call}: comm is an intercommunicator, but must be one of one group")


class Words(NamedTuple):
    """Keys as words in their order, and back."""

    compiled: ModuleType
    dtype: np.dtype[Any]
    code: int
    descending: bool
    workers: int

    @property
    def word(self) -> np.dtype[Any]:
        return np.dtype(np.uint64 if self.dtype.itemsize == 8 else np.uint32)

    def of(self, keys: Array) -> Array:
        words = np.empty(keys.size, self.word)
        self.compiled.to_words(_arrays.raw(keys), words, self.code, self.descending, self.workers)
        return words

    def back(self, words: Array, to: Array | None = None) -> Array:
        keys = np.empty(words.size, self.dtype) if to is None else to
        self.compiled.to_keys(words, _arrays.raw(keys), self.code, self.descending, self.workers)
        return keys


def words_for(call: str, name: str, keys: Array, descending: Any, workers: int) -> Words:
    falls = _arrays.flag(call, "descending", descending)
    return Words(compiled(call), keys.dtype, _arrays.type_code(call, name, keys), falls, workers)


def one_column(call: str, name: str, x: Any) -> Array:
    if isinstance(x, tuple):
        raise TypeError(f"{call}: {name} is a tuple, but over ranks it must be one array")
    return _arrays.given(call, name, x)


def word_column(call: str, name: str, column: Array) -> Array:
    if not _arrays.moves_as_word(column):
        raise TypeError(f"{call}: {name} has dtype {column.dtype}, but over ranks items of 4 or 8 bytes are moved")
    return _arrays.word(column)
