# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Bin functions that are machine code: pointers of ctypes and numba, and C++ expressions, compiled and kept on disk."""
from __future__ import annotations

import ctypes
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from . import _cache, _cpu
from ._arrays import Array

_FLAGS = ("-std=c++17", "-O3", "-march=native", "-ffp-contract=off", "-shared", "-fPIC", "-w")  # as NumPy rounds
_SECONDS = 120  # after which a compiler is given up
_TYPES = {"b1": "std::uint8_t", "i1": "std::int8_t", "i2": "std::int16_t", "i4": "std::int32_t", "i8": "std::int64_t",
          "u1": "std::uint8_t", "u2": "std::uint16_t", "u4": "std::uint32_t", "u8": "std::uint64_t", "f4": "float",
          "f8": "double"}
_SOURCE = """#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
using namespace std;
template <class B>
static inline std::uint32_t bin_of(B b) {{
  static_assert(std::is_arithmetic<B>::value, "an expression for bins is a number");
  if constexpr (std::is_floating_point<B>::value) {{
    return b > B(-1) && b < B(4294967295.0) ? static_cast<std::uint32_t>(b) : 0xFFFFFFFFU;
  }} else {{
    return b < B(0) || static_cast<std::uint64_t>(b) > 0xFFFFFFFEU ? 0xFFFFFFFFU : static_cast<std::uint32_t>(b);
  }}
}}
extern "C" void peneira_bins(const {item}* keys, std::uint32_t* bins, std::size_t n) {{
  for (std::size_t i = 0; i < n; ++i) {{
    const {item} x = keys[i];
    bins[i] = bin_of({text});
  }}
}}
"""


def pointer_labels(call: str, by: Any, keys: Array, workers: int) -> Array:
    """The bins that a batched function writes. Its types must say what it takes: a wrong one would be a crash."""
    f = by.ctypes if hasattr(by, "address") else by  # numba's has one of ctypes
    said = tuple(getattr(f, "argtypes", None) or ())
    if len(said) != 3 or not _points_to(said[0], keys.dtype) or not _points_to(said[1], np.dtype(np.uint32)) \
            or np.dtype(said[2]) != np.dtype(np.uintp) or f.restype is not None:
        shown = ", ".join(getattr(one, "__name__", str(one)) for one in said) or "unknown"
        raise TypeError(f"{call}: by is a compiled function whose argtypes are {shown} and restype {f.restype}, but must "
                        f"take a pointer to {keys.dtype}, a pointer to uint32 and a size_t, and return nothing")
    return call_at(ctypes.cast(f, ctypes.c_void_p).value or 0, keys, workers)


def _points_to(pointer: Any, dtype: np.dtype[Any]) -> bool:
    try:
        return bool(np.dtype(pointer._type_) == dtype)
    except (AttributeError, TypeError):
        return False


def call_at(address: int, keys: Array, workers: int) -> Array:
    """The bins that the function at an address writes."""
    labels = np.full(keys.size, 0xFFFFFFFF, np.uint32)  # what it leaves out is in no bin
    _cpu.call_bins(address, keys, keys.dtype.itemsize, labels, workers)
    return labels


@lru_cache(maxsize=1)
def compiler() -> tuple[str, str] | None:
    """A C++ compiler and what it says of itself, where there is one."""
    for name in (os.environ.get("CXX", ""), "c++", "g++", "clang++"):
        found = shutil.which(name) if name else None
        if found is None:
            continue
        try:
            told = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=_SECONDS, check=True)
        except (OSError, subprocess.SubprocessError):
            continue
        return found, told.stdout.splitlines()[0] if told.stdout else found
    return None


@lru_cache(maxsize=1)
def _processor() -> str:
    """What -march=native depends on."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    wanted = ("flags", "Features", "model name", "CPU part", "CPU implementer")
    return "\n".join(sorted({line for line in lines if line.startswith(wanted)}))


@lru_cache(maxsize=256)
def compile_expression(text: str, code: str) -> int:
    """The address of an expression's compiled function. Raises ValueError with what the compiler says."""
    found = compiler()
    assert found is not None
    source = _SOURCE.format(item=_TYPES[code], text=text)
    made_of = (source, *_FLAGS, *found, str(Path(found[0]).resolve()), platform.machine(), platform.libc_ver()[1],
               sys.platform, _processor())
    library = _cache.folder() / (_cache.name_of(*made_of) + ".so")
    if library.exists():
        try:
            return _load(library)
        except (OSError, AttributeError):  # not whole: made again
            pass
    _build(found[0], source, text, library)
    return _load(library)


_loaded: list[ctypes.CDLL] = []  # for as long as the process lives


def _load(library: Path) -> int:
    loaded = ctypes.CDLL(str(library))
    address = ctypes.cast(loaded.peneira_bins, ctypes.c_void_p).value
    _loaded.append(loaded)
    return address or 0


def _build(command: str, source: str, text: str, library: Path) -> None:
    """Compiles beside the library's name and renames: other processes see all of it or nothing."""
    with tempfile.TemporaryDirectory(prefix=".making-", dir=library.parent) as folder:
        made = Path(folder, "made.so")
        try:
            told = subprocess.run([command, *_FLAGS, "-x", "c++", "-", "-o", str(made)], input=source,
                                  capture_output=True, text=True, timeout=_SECONDS)
        except (OSError, subprocess.SubprocessError) as e:
            raise ValueError(f"by is {text!r}, which {command} could not compile: {e}") from e
        if told.returncode != 0:
            errors = [line for line in told.stderr.splitlines() if "error" in line] or [told.stderr.strip()]
            raise ValueError(f"by is {text!r}, which does not compile: {errors[0]}")
        os.replace(made, library)
