# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays on a GPU, of each library that is here; without a GPU, or the GPU part, these tests are skipped."""
from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def gpu_part():
    if find_spec("libpeneira._cuda") is None:
        pytest.skip("libpeneira was built without its GPU part")


class Cupy:
    def __init__(self):
        self.cupy = pytest.importorskip("cupy")
        if not self.cupy.is_available():
            pytest.skip("there is no GPU")
        self.array_type = self.cupy.ndarray

    def put(self, x):
        return self.cupy.asarray(x)

    def get(self, x):
        return self.cupy.asnumpy(x)

    def new_stream(self):
        return self.cupy.cuda.Stream(non_blocking=True)

    def synchronize(self):
        self.cupy.cuda.Device().synchronize()


class Torch:
    def __init__(self):
        self.torch = pytest.importorskip("torch")
        if not self.torch.cuda.is_available():
            pytest.skip("there is no GPU")
        self.array_type = self.torch.Tensor

    def put(self, x):
        return self.torch.from_numpy(np.ascontiguousarray(x)).cuda()

    def get(self, x):
        return x.cpu().numpy()

    def new_stream(self):
        return self.torch.cuda.Stream()

    def synchronize(self):
        self.torch.cuda.synchronize()


@pytest.fixture(params=[Cupy, Torch], ids=["cupy", "torch"])
def gpu(request):
    return request.param()


@pytest.fixture
def generator():
    return np.random.default_rng(20)
