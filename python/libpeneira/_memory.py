# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Where calls on a GPU take temporary memory from."""
from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import TracebackType
from typing import Any, cast

# Of so many bytes, a device and a stream of CUDA's: an address, and an object that owns the memory.
Allocate = Callable[[int, int, int], tuple[int, Any]]
_allocate: Allocate | None = None


class Memory:
    """What `use_memory` returns: as a context it puts back what was used before."""

    __slots__ = ("_before",)

    def __init__(self, before: Allocate | None) -> None:
        self._before = before

    def __enter__(self) -> Memory:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        global _allocate
        _allocate = self._before


class _Stream:
    """A stream as other libraries take one."""

    def __init__(self, address: int) -> None:
        self._address = address

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self._address


class _Block:
    """Memory of a resource of RMM's, which goes back in the order of its stream."""

    def __init__(self, resource: Any, size: int, stream: Any) -> None:
        self._free = (resource, size, stream)
        self.address = int(resource.allocate(size, stream))

    def __del__(self) -> None:
        resource, size, stream = self._free
        if hasattr(self, "address"):
            resource.deallocate(self.address, size, stream)


def _of_rmm(resource: Any) -> Allocate:
    def allocate(size: int, device: int, stream: int) -> tuple[int, Any]:
        block = _Block(resource, size, import_module("rmm.pylibrmm.stream").Stream(_Stream(stream)))
        return block.address, block

    return allocate


def _of_cupy(pool: Any) -> Allocate:
    def allocate(size: int, device: int, stream: int) -> tuple[int, Any]:
        cupy = import_module("cupy")
        with cupy.cuda.Device(device), cupy.cuda.ExternalStream(stream, device) if stream else cupy.cuda.Stream.null:
            memory = pool.malloc(size)
        return int(memory.ptr), memory

    return allocate


def use_memory(source: Any = None) -> Memory:
    """Says where calls on a GPU take temporary memory from, from now on, in all threads; as a context, until its end.

    Parameters:
        source: a memory resource of RMM, such as `rmm.mr.get_current_device_resource()`; a pool of CuPy, such as
            `cupy.cuda.MemoryPool()`; a function of a size in bytes, the number of a device and the address of a stream,
            which returns an address, aligned to 256 bytes, and an object that owns the memory: it is let go of when the
            work is queued, and the memory must not be used by others before that stream comes to its end. None: the
            memory of the library whose arrays a call is given, as at first.

    Results are arrays of the caller's library, and in its memory.

    >>> import libpeneira as pn
    >>> pn.use_memory(3)
    Traceback (most recent call last):
    ...
    TypeError: use_memory: source is of type int, but must be a memory resource of RMM, a pool of CuPy, or a function
    """
    global _allocate
    found: Allocate | None
    if source is None:
        found = None
    elif hasattr(source, "allocate") and hasattr(source, "deallocate"):
        found = _of_rmm(source)
    elif hasattr(source, "malloc"):
        found = _of_cupy(source)
    elif callable(source):
        found = cast(Allocate, source)
    else:
        raise TypeError(f"use_memory: source is of type {type(source).__name__}, but must be a memory resource of RMM, "
                        "a pool of CuPy, or a function")
    before, _allocate = _allocate, found
    return Memory(before)


def allocator(device: int, stream: int) -> Callable[[int], tuple[int, Any]] | None:
    """What gives memory for a call, where the caller has said."""
    chosen = _allocate
    return None if chosen is None else lambda size: _checked(chosen(size, device, stream))


def _checked(block: Any) -> tuple[int, Any]:
    if not isinstance(block, tuple) or len(block) != 2 or not isinstance(block[0], int) or block[0] % 256 != 0:
        raise ValueError(f"use_memory: source returned {block!r}, but must return an address, aligned to 256 bytes, "
                         "and what owns the memory")
    return block
