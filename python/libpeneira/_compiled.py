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
from ._formula import HELPERS, ITEMS, Term, in_cpp, is_safe

# Floats are rounded and integers wrapped as NumPy does it.
_FLAGS = ("-std=c++17", "-O3", "-march=native", "-ffp-contract=off", "-fwrapv", "-shared", "-fPIC", "-w")
_SECONDS = 120  # after which a compiler is given up
_SOURCE = """#include <math.h>
#include <stddef.h>
{helpers}
extern "C" void peneira_bins(const {item}* keys, unsigned* bins, size_t n) {{
  for (size_t i = 0; i < n; ++i) {{
    const {item} x = keys[i];
    bins[i] = bin_of({formula});
  }}
}}
"""


def pointer_labels(call: str, by: Any, keys: Array, workers: int) -> Array:
    """The bins that a batched function writes. Its types must say what it takes: a wrong one would be a crash."""
    f = by.ctypes if hasattr(by, "address") else by  # numba's has one of ctypes
    said = tuple(getattr(f, "argtypes", None) or ())
    if len(said) != 3 or not _points_to(said[0], keys.dtype) or not _points_to(said[1], np.dtype(np.uint32)) \
            or not _is_of(said[2], np.dtype(np.uintp)) or f.restype is not None:
        shown = ", ".join(getattr(one, "__name__", str(one)) for one in said) or "unknown"
        raise TypeError(f"{call}: by is a compiled function whose argtypes are {shown} and restype {f.restype}, but must "
                        f"take a pointer to {keys.dtype}, a pointer to uint32 and a size_t, and return nothing")
    address = ctypes.cast(f, ctypes.c_void_p).value
    if not address:
        raise ValueError(f"{call}: by is a null pointer")
    return call_at(address, keys, workers)


def _points_to(pointer: Any, dtype: np.dtype[Any]) -> bool:
    return _is_of(getattr(pointer, "_type_", None), dtype)


def _is_of(kind: Any, dtype: np.dtype[Any]) -> bool:
    try:
        return kind is not None and bool(np.dtype(kind) == dtype)
    except TypeError:
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


def prepared(formula: Term, item: str) -> tuple[int, str]:
    """The address of a formula's compiled function, or 0, and how its bins are found."""
    found = compiler()
    if found is None:
        return 0, "evaluated by NumPy: no C++ compiler is found"
    if not is_safe(formula):
        return 0, "evaluated by NumPy: it divides integers by what may be 0"
    return _compile(_SOURCE.format(helpers=HELPERS, item=ITEMS[item], formula=in_cpp(formula)), *found)


@lru_cache(maxsize=256)
def _compile(source: str, command: str, version: str) -> tuple[int, str]:
    """The same, by a compiler. What it cannot compile is not the caller's fault, as the text was read before."""
    made_of = (source, *_FLAGS, command, version, str(Path(command).resolve()), platform.machine(),
               platform.libc_ver()[1], sys.platform, _processor())
    library = _cache.folder() / (_cache.name_of(*made_of) + ".so")
    if library.exists():
        try:
            return _load(library), f"compiled by {version}"
        except (OSError, AttributeError):  # not whole: made again
            pass
    failure = _build(command, source, library)
    return (0, f"evaluated by NumPy: {failure}") if failure else (_load(library), f"compiled by {version}")


_loaded: list[ctypes.CDLL] = []  # for as long as the process lives


def _load(library: Path) -> int:
    loaded = ctypes.CDLL(str(library))
    address = ctypes.cast(loaded.peneira_bins, ctypes.c_void_p).value
    _loaded.append(loaded)
    return address or 0


def _build(command: str, source: str, library: Path) -> str:
    """Compiles beside the library's name and renames: other processes see all of it or nothing. Returns what failed."""
    with tempfile.TemporaryDirectory(prefix=".making-", dir=library.parent) as folder:
        made = Path(folder, "made.so")
        try:
            told = subprocess.run([command, *_FLAGS, "-x", "c++", "-", "-o", str(made)], input=source,
                                  capture_output=True, text=True, timeout=_SECONDS)
        except (OSError, subprocess.SubprocessError) as e:
            return f"{command} could not compile it: {e}"
        if told.returncode != 0:
            errors = [line for line in told.stderr.splitlines() if "error" in line] or [told.stderr.strip()]
            return f"{command} could not compile it: {errors[0]}"
        os.replace(made, library)
    return ""
