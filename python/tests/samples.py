# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays for tests: every type, sizes where calls change their ways, inputs with ties, order and odd numbers."""
import numpy as np

INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
FLOATS = ["f4", "f8"]
NUMBERS = INTEGERS + FLOATS
KEYS = NUMBERS + ["f2", "?", "M8[s]", "m8[ns]"]
SIZES = [0, 1, 2, 3, 17, 255, 1000, 4097, 100_003]


def random_bits(rng, dtype, size):
    """Items of any bits: NaNs with payloads, infinities, subnormals, NaT."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.integers(0, 2, size).astype(bool)
    return rng.integers(0, 256, size * dtype.itemsize, dtype=np.uint8).view(dtype)


def few_keys(rng, dtype, size):
    """Items with many ties, and the odd ones among them."""
    dtype = np.dtype(dtype)
    keys = rng.integers(0, 7, size).astype("i8").astype(dtype)
    if size > 5 and dtype.kind == "f":
        keys[rng.integers(0, size, 5)] = [np.nan, np.inf, -np.inf, -0.0, 0.0]
    if size > 5 and dtype.kind in "mM":
        keys[rng.integers(0, size, 2)] = np.array("NaT", dtype)
    return keys


def ordered(rng, dtype, size):
    """Items that ascend already, as far as they have an order."""
    return np.sort(random_bits(rng, dtype, size))


def strided(x):
    """The same items, every second of a larger array, backwards."""
    wide = np.zeros(2 * x.size, x.dtype)
    view = wide[::-2] if x.size else wide[::-1]
    view[...] = x
    return view


INPUTS = [random_bits, few_keys, ordered]
