# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""What the calls ask of the library that an array is of: its memory, its streams, and new arrays."""
from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from functools import lru_cache
from importlib import import_module
from typing import Any, Protocol

NAMES = {"i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64", "u1": "uint8", "u2": "uint16", "u4": "uint32",
         "u8": "uint64", "b1": "bool", "f2": "float16", "f4": "float32", "f8": "float64", "bf2": "bfloat16",
         "c8": "complex64", "c16": "complex128"}


class Library(Protocol):
    """CuPy, or torch. Kinds of items are spelled as NumPy does, "u4"; torch has "bf2" as well."""

    position_kinds: tuple[str, str]  # of positions that it indexes by: up to so many, and beyond
    positions_of_32_bits: int

    def kind(self, x: Any) -> str | None: ...
    def dimensions(self, x: Any) -> int: ...
    def is_contiguous(self, x: Any) -> bool: ...
    def contiguous(self, x: Any) -> Any: ...
    def address(self, x: Any) -> int: ...
    def size(self, x: Any) -> int: ...
    def device(self, x: Any) -> int: ...
    def empty(self, size: int, kind: str, device: int) -> Any: ...
    def numbers(self, size: int, kind: str, device: int) -> Any: ...
    def copy(self, x: Any) -> Any: ...
    def share(self, x: Any) -> Any: ...
    def cast(self, x: Any, kind: str) -> Any: ...
    def view(self, x: Any, kind: str) -> Any: ...
    def from_host(self, x: Any, device: int) -> Any: ...
    def block(self, size: int, device: int) -> tuple[int, Any]: ...
    def stream(self, device: int) -> int: ...
    def using(self, stream: int, device: int) -> AbstractContextManager[Any]: ...
    def current_device(self) -> int: ...
    def on(self, device: int) -> AbstractContextManager[Any]: ...


class _Cupy:
    positions_of_32_bits = 1 << 32
    position_kinds = ("u4", "u8")

    def __init__(self, cupy: Any) -> None:
        self._cupy = cupy
        self._dtypes = {kind: cupy.dtype(name) for kind, name in NAMES.items() if kind != "bf2"}
        self._kinds = {dtype: kind for kind, dtype in self._dtypes.items()}

    def kind(self, x: Any) -> str | None:
        return self._kinds.get(x.dtype)

    def dimensions(self, x: Any) -> int:
        return int(x.ndim)

    def is_contiguous(self, x: Any) -> bool:
        return bool(x.flags.c_contiguous)

    def contiguous(self, x: Any) -> Any:
        return self._cupy.ascontiguousarray(x)

    def address(self, x: Any) -> int:
        return int(x.data.ptr)

    def size(self, x: Any) -> int:
        return int(x.size)

    def device(self, x: Any) -> int:
        return int(x.device.id)

    def empty(self, size: int, kind: str, device: int) -> Any:
        return self._cupy.empty(size, self._dtypes[kind])

    def numbers(self, size: int, kind: str, device: int) -> Any:
        return self._cupy.arange(size, dtype=self._dtypes[kind])

    def copy(self, x: Any) -> Any:
        return x.copy()

    def share(self, x: Any) -> Any:
        return self._cupy.from_dlpack(x) if hasattr(x, "__dlpack__") else self._cupy.asarray(x)

    def cast(self, x: Any, kind: str) -> Any:
        return x.astype(self._dtypes[kind], copy=False)

    def view(self, x: Any, kind: str) -> Any:
        return x.view(self._dtypes[kind])

    def from_host(self, x: Any, device: int) -> Any:
        return self._cupy.asarray(x)

    def block(self, size: int, device: int) -> tuple[int, Any]:
        memory = self._cupy.cuda.alloc(size)
        return memory.ptr, memory

    def stream(self, device: int) -> int:
        return int(self._cupy.cuda.get_current_stream(device).ptr)

    def using(self, stream: int, device: int) -> AbstractContextManager[Any]:
        cuda = self._cupy.cuda
        context: AbstractContextManager[Any] = cuda.Stream.null if stream == 0 else cuda.ExternalStream(stream, device)
        return context

    def current_device(self) -> int:
        return int(self._cupy.cuda.runtime.getDevice())

    def on(self, device: int) -> AbstractContextManager[Any]:
        context: AbstractContextManager[Any] = self._cupy.cuda.Device(device)
        return context


class _Torch:
    positions_of_32_bits = 1 << 31  # it indexes by signed integers alone
    position_kinds = ("i4", "i8")

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._dtypes = {kind: getattr(torch, name) for kind, name in NAMES.items() if hasattr(torch, name)}
        self._kinds = {dtype: kind for kind, dtype in self._dtypes.items()}

    def kind(self, x: Any) -> str | None:
        if x.requires_grad:
            raise TypeError("a tensor requires a gradient, which would be lost; give x.detach()")
        if x.layout is not self._torch.strided:
            raise TypeError(f"a tensor has layout {x.layout}, but must be strided")
        return self._kinds.get(x.dtype)

    def dimensions(self, x: Any) -> int:
        return int(x.dim())

    def is_contiguous(self, x: Any) -> bool:
        return x.is_contiguous() and not x.is_conj() and not x.is_neg()

    def contiguous(self, x: Any) -> Any:
        return x.resolve_conj().resolve_neg().contiguous()

    def address(self, x: Any) -> int:
        return int(x.data_ptr())

    def size(self, x: Any) -> int:
        return int(x.numel())

    def device(self, x: Any) -> int:
        return int(x.get_device())

    def empty(self, size: int, kind: str, device: int) -> Any:
        return self._torch.empty(size, dtype=self._dtypes[kind], device=f"cuda:{device}")

    def numbers(self, size: int, kind: str, device: int) -> Any:
        return self._torch.arange(size, dtype=self._dtypes[kind], device=f"cuda:{device}")

    def copy(self, x: Any) -> Any:
        return x.clone()

    def share(self, x: Any) -> Any:
        return self._torch.from_dlpack(x) if hasattr(x, "__dlpack__") else self._torch.as_tensor(x, device="cuda")

    def cast(self, x: Any, kind: str) -> Any:
        return x.to(self._dtypes[kind])

    def view(self, x: Any, kind: str) -> Any:
        return x.view(self._dtypes[kind])

    def from_host(self, x: Any, device: int) -> Any:
        return self._torch.from_numpy(x).to(f"cuda:{device}")

    def block(self, size: int, device: int) -> tuple[int, Any]:
        memory = self._torch.empty(size, dtype=self._torch.uint8, device=f"cuda:{device}")
        return memory.data_ptr(), memory

    def stream(self, device: int) -> int:
        return int(self._torch.cuda.current_stream(device).cuda_stream)

    def using(self, stream: int, device: int) -> AbstractContextManager[Any]:
        cuda = self._torch.cuda
        there = cuda.default_stream(device) if stream == 0 else cuda.ExternalStream(stream, device=f"cuda:{device}")
        context: AbstractContextManager[Any] = cuda.stream(there)
        return context

    def current_device(self) -> int:
        return int(self._torch.cuda.current_device())

    def on(self, device: int) -> AbstractContextManager[Any]:
        context: AbstractContextManager[Any] = self._torch.cuda.device(device)
        return context


@lru_cache(maxsize=2)
def _library(name: str) -> Library:
    module = import_module(name)
    return _Torch(module) if name == "torch" else _Cupy(module)


def library_of(x: Any) -> tuple[Library, Any]:
    """The library of an array on a GPU, and the array; one of another library becomes CuPy's, or torch's."""
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    if torch is not None and isinstance(x, torch.Tensor):
        return _library("torch"), x
    if cupy is not None and isinstance(x, cupy.ndarray):
        return _library("cupy"), x
    try:
        library = _library("cupy")
    except ImportError:
        library = _library("torch")
    return library, library.share(x)


def address_of_stream(call: str, stream: Any) -> int:
    """The address of a stream of CUDA's: an integer, or an object of any library's."""
    if isinstance(stream, int) and not isinstance(stream, bool):
        return stream
    asked = getattr(stream, "__cuda_stream__", None)
    if asked is not None:
        found = asked() if callable(asked) else asked
        return int(found[1])
    for name in ("cuda_stream", "ptr", "handle"):
        if hasattr(stream, name):
            found = getattr(stream, name)
            return int(getattr(found, "value", found) or 0)  # numba's is a pointer of ctypes
    raise TypeError(f"{call}: stream is of type {type(stream).__name__}, but must be a stream of CUDA's")
