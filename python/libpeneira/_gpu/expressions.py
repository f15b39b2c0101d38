# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Bins by an expression of C++ on a GPU: a kernel that NVRTC compiles writes labels. It is kept on disk."""
from __future__ import annotations

import logging
from functools import lru_cache
from typing import Any

import numpy as np

from .. import _cache, _cuda
from .._expression import Expression
from .._formula import HELPERS, ITEMS, in_cpp
from .arrays import Call, Operand
from .nvrtc import CompileError, compiler
from .reduce import NUMBERS

_FLAGS = ("--std=c++17", "--fmad=false", "-default-device")  # so that floats are rounded as on the CPU
_SOURCE = """{helpers}
extern "C" __global__ void peneira_bins(const {item}* keys, unsigned* bins, unsigned long long n) {{
  const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {{
    const {item} x = keys[i];
    bins[i] = bin_of({formula});
  }}
}}
"""


def how() -> str:
    """How bins by an expression are found on a GPU."""
    found = compiler()
    if found is None:
        return "not compiled: NVRTC is not found; pip install libpeneira[jit] has it"
    return f"compiled by {found.version}"


@lru_cache(maxsize=256)
def _kernel(formula: str, kind: str, arch: int) -> Any:
    """The compiled kernel. Raises CompileError with what the compiler says."""
    with_nvrtc = compiler()
    assert with_nvrtc is not None
    target = with_nvrtc.target(arch)
    source = _SOURCE.format(helpers=HELPERS, item=ITEMS[kind], formula=formula)
    flags = (*_FLAGS, f"--gpu-architecture={target}")
    name = _cache.name_of(source, *flags, with_nvrtc.version) + ".cubin"
    kept = _cache.load(name)
    if kept is not None:
        try:
            return _cuda.Bins(kept)
        except _cuda.CudaError:  # of a driver that was newer
            pass
    made = with_nvrtc.compile(source, flags, "CUBIN" if target.startswith("sm_") else "PTX")
    _cache.store(name, made)
    return _cuda.Bins(made)


def labels(call: Call, by: Expression, x: Operand) -> Operand:
    """The bin of every item, of 32 bits; 2**32 - 1 where it would be none."""
    call.require("x", x, NUMBERS, "integers, bool, float32 or float64 for an expression")
    formula = in_cpp(by.formula(call.name, "by", "x", np.dtype(x.kind)))
    said = how()
    logging.getLogger("libpeneira").info("%s: by %r is %s", call.name, by.text, said)
    if compiler() is None:
        raise RuntimeError(f"{call.name}: by is an expression, which is {said}")
    try:
        kernel = _kernel(formula, x.kind, _cuda.arch(call.device))
    except CompileError as e:
        lines = str(e).splitlines()
        errors = [line for line in lines if "error" in line] or lines
        raise ValueError(f"{call.name}: by is {by.text!r}, which does not compile: {errors[0]}") from None
    found = call.new(x.size, "i4")
    kernel.write(x.address, x.size, found.address, call.where)
    return found
