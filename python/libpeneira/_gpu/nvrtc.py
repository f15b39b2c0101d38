# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's compiler as a library, of the CUDA toolkit or of the package nvidia-cuda-nvrtc: `pip install libpeneira[jit]`."""
from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any


class CompileError(Exception):
    """What the compiler says of a source."""


def _candidates(stem: str) -> Iterator[str]:
    """Where a library of CUDA's may be: beside Python's packages, in the toolkit, or where the loader looks."""
    for folder in sys.path:
        for found in sorted(Path(folder or ".", "nvidia").glob(f"*/lib/{stem}.so.[0-9]*"), reverse=True):
            yield str(found)
    roots = (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda")
    for root in filter(None, roots):
        for found in sorted(Path(root, "lib64").glob(f"{stem}.so.[0-9]*"), reverse=True):
            yield str(found)
    yield from (f"{stem}.so.{version}" for version in (13, 12))


def load_library(stem: str) -> ctypes.CDLL | None:
    """The first of CUDA's libraries of that name which loads."""
    for path in _candidates(stem):
        if ".alt." in path:
            continue
        try:
            return ctypes.CDLL(path)
        except OSError:
            continue
    return None


class Compiler:
    """NVRTC."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library
        self._library.nvrtcGetErrorString.restype = ctypes.c_char_p
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._check(library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
        self.version = f"NVRTC {major.value}.{minor.value}"
        count = ctypes.c_int()
        self._check(library.nvrtcGetNumSupportedArchs(ctypes.byref(count)))
        found = (ctypes.c_int * count.value)()
        self._check(library.nvrtcGetSupportedArchs(found))
        self._architectures = sorted(found)

    def target(self, arch: int) -> str:
        """What to compile for on a GPU of a compute capability: its code, or for newer ones what the driver compiles."""
        if arch in self._architectures:
            return f"sm_{arch}"
        older = [one for one in self._architectures if one < arch]
        if not older:
            raise CompileError(f"{self.version} does not know a GPU of compute capability {arch / 10}")
        return f"compute_{older[-1]}"

    def compile(self, source: str, flags: tuple[str, ...], what: str) -> bytes:
        """What is made of a source: "CUBIN", "PTX" or "LTOIR"."""
        library, program = self._library, ctypes.c_void_p()
        self._check(library.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"expression.cu", 0, None, None))
        try:
            given = (ctypes.c_char_p * len(flags))(*(flag.encode() for flag in flags))
            if library.nvrtcCompileProgram(program, len(flags), given) != 0:
                raise CompileError(self._text(program, "ProgramLog").decode(errors="replace").rstrip("\0"))
            return self._text(program, what)
        finally:
            library.nvrtcDestroyProgram(ctypes.byref(program))

    def _text(self, program: ctypes.c_void_p, what: str) -> bytes:
        size = ctypes.c_size_t()
        self._check(getattr(self._library, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
        made = ctypes.create_string_buffer(size.value)
        self._check(getattr(self._library, f"nvrtcGet{what}")(program, made))
        return made.raw

    def _check(self, code: Any) -> None:
        if code != 0:
            raise CompileError(f"NVRTC: {self._library.nvrtcGetErrorString(code).decode()}")


@lru_cache(maxsize=1)
def compiler() -> Compiler | None:
    """NVRTC, where it is found."""
    library = load_library("libnvrtc")
    try:
        return None if library is None else Compiler(library)
    except (AttributeError, CompileError):  # too old
        return None
