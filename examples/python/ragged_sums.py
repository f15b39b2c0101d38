# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""One result for each of many segments of any length.

np.add.reduceat gives an item for an empty segment (numpy/numpy#25476), and loops of a thread a segment take as long as
the longest (NVIDIA/cccl#6171, scikit-hep/awkward#4143). segmented_reduce gives the neutral one, and shares out items.
"""
import numpy as np

import libpeneira as pn

rng = np.random.default_rng(2)
lengths = rng.zipf(1.5, 10_000).clip(max=100_000)
lengths[::5] = 0
offsets = np.concatenate([[0], np.cumsum(lengths)])
x = rng.random(offsets[-1])

sums = pn.segmented_reduce(x, offsets)
where = pn.segmented_reduce(x, offsets, "argmax")

assert np.all(sums[::5] == 0) and np.all(where[::5] == -1)
longest = int(lengths.argmax())
inside = x[offsets[longest]:offsets[longest + 1]]
assert np.isclose(sums[longest], inside.sum()) and where[longest] == offsets[longest] + inside.argmax()
print(f"{lengths.size:,} segments, the longest of {lengths[longest]:,} of {x.size:,} items")
