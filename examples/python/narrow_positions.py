# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Sorts that take little memory: positions are of 32 bits up to 2**32 items (pytorch/pytorch#77049, cupy/cupy#8472), and
`out=` sorts where the items are."""
import numpy as np

import libpeneira as pn

x = np.random.default_rng(4).random(100_000)

order = pn.argsort(x)
assert order.dtype == np.uint32 and np.array_equal(x[order], np.sort(x))
assert order.nbytes * 2 == np.argsort(x).nbytes

best = pn.arg_top_k(x, 10)  # without a sort
assert np.array_equal(best, order[::-1][:10])

assert pn.sort(x, out=x) is x and np.all(x[1:] >= x[:-1])
print(f"{x.size:,} items: positions take {order.nbytes:,} bytes")
