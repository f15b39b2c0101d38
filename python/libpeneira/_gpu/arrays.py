# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""What every call on a GPU asks of its arguments, in errors that name the call, the argument and the value."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from .. import _arrays, _cpu, _cuda, _memory
from .._devices import is_on_gpu
from .libraries import NAMES, Library, address_of_stream, library_of

ORDERED = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1", "f2", "f4", "f8", "bf2")
_CODES = {**{kind: code for kind, code in _cpu.types.items() if kind != "time"}, "bf2": _cuda.bf16}


class Operand:
    """An array of a call: contiguous, of one dimension, on its device."""

    __slots__ = ("address", "array", "kind", "size")

    def __init__(self, array: Any, address: int, size: int, kind: str) -> None:
        self.array = array
        self.address = address
        self.size = size
        self.kind = kind

    @property
    def width(self) -> int:
        return width_of(self.kind)

    @property
    def code(self) -> int:
        """The number of the kind, as the compiled half has it."""
        return _CODES[self.kind]


def width_of(kind: str) -> int:
    return int(kind.lstrip("abcdefghijklmnopqrstuvwxyz"))


def ends_of(kind: str) -> tuple[int, int]:
    """The least and the greatest integer of a kind."""
    return (0, 1) if kind == "b1" else (int(np.iinfo(kind).min), int(np.iinfo(kind).max))


class Call:
    """A call on a GPU: its name, the library and the device of its first array, and where it runs."""

    def __init__(self, name: str, library: Library, device: int) -> None:
        self.name = name
        self.library = library
        self.device = device
        stream = library.stream(device)
        self.where = _cuda.Where(device, stream,
                                 _memory.allocator(device, stream) or (lambda size: library.block(size, device)))

    def given(self, name: str, x: Any) -> Operand:
        """An array that the call reads: itself, or a contiguous copy of it."""
        if not is_on_gpu(x):
            raise TypeError(f"{self.name}: {name} is of type {type(x).__name__}, but must be on GPU {self.device}, "
                            "as the first array is")
        array = self._shared(x)
        library = self.library
        kind = self._kind(name, array)
        if library.dimensions(array) != 1:
            raise ValueError(f"{self.name}: {name} has {library.dimensions(array)} dimensions, but must have one")
        if library.device(array) != self.device:
            raise ValueError(f"{self.name}: {name} is on GPU {library.device(array)}, but the first array on "
                             f"{self.device}")
        if not library.is_contiguous(array):
            array = library.contiguous(array)
        elif library.address(array) % width_of(kind) != 0:
            array = library.copy(array)
        return Operand(array, library.address(array), library.size(array), kind)

    def _shared(self, x: Any) -> Any:
        """An array as one of this call's library."""
        library, array = library_of(x)
        return array if library is self.library else self.library.share(array)

    def _kind(self, name: str, array: Any) -> str:
        try:
            kind = self.library.kind(array)
        except TypeError as e:
            raise TypeError(f"{self.name}: {name}: {e}") from None
        if kind is None:
            raise TypeError(f"{self.name}: {name} has dtype {array.dtype}, which no call takes")
        return kind

    def ordered(self, name: str, x: Any) -> Operand:
        """An array whose items have an order."""
        found = self.given(name, x)
        self.require(name, found, ORDERED, "integers, bool, float16, bfloat16, float32 or float64")
        return found

    def require(self, name: str, x: Operand, kinds: tuple[str, ...], right: str) -> None:
        if x.kind not in kinds:
            raise TypeError(f"{self.name}: {name} has dtype {NAMES[x.kind]}, but must have {right}")

    def beside(self, name: str, x: Any, size: int) -> Operand:
        """An array that has as many items as another."""
        found = self.given(name, x)
        if found.size != size:
            raise ValueError(f"{self.name}: {name} has {found.size} items, but x has {size}")
        return found

    def new(self, size: int, kind: str) -> Operand:
        array = self.library.empty(size, kind, self.device)
        return Operand(array, self.library.address(array), size, kind)

    def result(self, name: str, out: Any, size: int, *kinds: str) -> Operand:
        """The caller's array for a result, of one of some kinds, or a new one, of the first."""
        if out is None:
            return self.new(size, kinds[0])
        found = self.given(name, out)
        if found.address != self.library.address(self._shared(out)):
            raise ValueError(f"{self.name}: {name} is not contiguous, or not aligned as its dtype is")
        if found.kind not in kinds:
            right = " or ".join(NAMES[kind] for kind in kinds)
            raise TypeError(f"{self.name}: {name} has dtype {NAMES[found.kind]}, but must have {right}")
        if found.size != size:
            raise ValueError(f"{self.name}: {name} has {found.size} items, but must have {size}")
        return found

    def apart(self, name: str, to: Operand, *others: Operand | None) -> Operand:
        """An output that shares no memory with other arrays of the call."""
        end = to.address + to.size * to.width
        for other in others:
            if other is not None and to.address < other.address + other.size * other.width and other.address < end:
                raise ValueError(f"{self.name}: {name} overlaps another array of the call, but must be apart")
        return to

    def positions(self, name: str, out: Any, size: int, among: int) -> Operand:
        """The same for positions of items among so many: of 32 bits where they suffice."""
        few = among <= self.library.positions_of_32_bits
        if out is None:
            return self.new(size, self.library.position_kinds[0 if few else 1])
        narrow = ("u4", *(("i4",) if among <= 1 << 31 else ())) if among <= 1 << 32 else ()
        return self.result(name, out, size, *narrow, "i8", "u8")

    def few_enough(self, x: Operand) -> None:
        """Refuses more items than positions of 32 bits can number."""
        most = self.library.positions_of_32_bits
        if x.size > most:
            raise ValueError(f"{self.name}: x has {x.size} items, but positions are of 32 bits, for up to {most}")

    def offsets(self, segments: Any, size: int) -> Operand:
        """Offsets of 64 bits: those given, or of segments of one size."""
        if is_on_gpu(segments):
            table = self.given("segments", segments)
            self.require("segments", table, ("i4", "i8", "u4", "u8"), "integers of 32 or 64 bits")
            if table.size == 0:
                raise ValueError(f"{self.name}: segments has no items, but n segments have n + 1 offsets")
            return table if table.width == 8 else self.cast(table, "i8")
        return self.from_host(_arrays.offsets(self.name, segments, size))

    def from_host(self, x: np.ndarray[Any, Any]) -> Operand:
        array = self.library.from_host(x, self.device)
        return Operand(array, self.library.address(array), x.size, x.dtype.kind + str(x.dtype.itemsize))

    def cast(self, x: Operand, kind: str) -> Operand:
        if x.kind == kind:
            return x
        array = self.library.cast(x.array, kind)
        return Operand(array, self.library.address(array), x.size, kind)

    def widened(self, x: Operand) -> Operand:
        """Keys of at least 4 bytes in the order of others. A cast may change the bits of NaNs, which equal no others."""
        if x.width >= 4:
            return x
        return self.cast(x, "f4" if "f" in x.kind else "i4" if x.kind[0] == "i" else "u4")

    def viewed(self, x: Operand, kind: str) -> Operand:
        """The same memory as items of another kind of that size."""
        return x if x.kind == kind else Operand(self.library.view(x.array, kind), x.address, x.size, kind)

    def narrowed(self, x: Operand, kind: str) -> Any:
        """Integers as those of a narrower kind, whose ends are neutral instead of those of the wider one."""
        signed = self.library.cast(x.array, "i8")  # torch compares no unsigned integers of more than 8 bits
        return self.library.cast(signed.clip(*ends_of(kind)), kind)

    def part(self, x: Operand, size: int) -> Operand:
        return x if x.size == size else Operand(x.array[:size], x.address, size, x.kind)

    def number(self, size: int) -> Operand:
        """The positions of some items, in their order."""
        kind = self.library.position_kinds[0 if size <= self.library.positions_of_32_bits else 1]
        array = self.library.numbers(size, kind, self.device)
        return Operand(array, self.library.address(array), size, kind)


@contextmanager
def calling(name: str, x: Any, stream: Any) -> Iterator[Call]:
    """A call whose first array is `x`, on the caller's current stream or on the one it gives."""
    library, array = library_of(x[0] if isinstance(x, tuple) else x)
    device = library.device(array)
    with ExitStack() as entered:
        if library.current_device() != device:
            entered.enter_context(library.on(device))
        if stream is not None:
            entered.enter_context(library.using(address_of_stream(name, stream), device))
        yield Call(name, library, device)
