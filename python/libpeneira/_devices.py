# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Where a call runs: on the CPU for NumPy's arrays, on a GPU for arrays that are there, over ranks where asked to."""
from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np

_ON_CUDA = (2, 13)  # of DLPack's devices: the memory of a GPU, and managed memory


def on_gpu(call: str, x: Any, stream: Any) -> ModuleType | None:
    """The calls on a GPU where `x`, or the first array of a tuple, is on one; None on the CPU, which has no streams."""
    first = x[0] if isinstance(x, tuple) and x else x
    if type(first) is not np.ndarray and is_on_gpu(first):
        return gpu_part(call)
    if stream is not None:
        raise TypeError(f"{call}: stream is {stream!r}, but the arrays are not on a GPU")
    return None


def is_on_gpu(x: Any) -> bool:
    """Whether the memory of an array is a GPU's."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        return bool(x.is_cuda)
    if isinstance(x, np.ndarray):
        return False
    if isinstance(x, type):
        return False
    if getattr(x, "__cuda_array_interface__", None) is not None:  # of an array on the CPU it raises AttributeError
        return True
    asked = getattr(x, "__dlpack_device__", None)
    if asked is None:
        return False
    try:
        return asked()[0] in _ON_CUDA
    except Exception:  # whatever a library raises for an array that it does not share
        return False


def over_ranks() -> ModuleType:
    """The calls over the ranks of a communicator."""
    return import_module("._over_ranks", __package__)


def gpu_part(call: str) -> ModuleType:
    try:
        return import_module("._gpu", __package__)
    except ImportError as e:
        raise ImportError(f"{call}: an array is on a GPU, but this libpeneira cannot use one: {e}. Build its GPU part "
                          "with: pip install ./python -C cmake.define.LIBPENEIRA_CUDA=ON") from e
