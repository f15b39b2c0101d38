# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Group-bys of NumPy arrays, without a data frame (numpy/numpy#7265), and the rows of each group (pola-rs/polars#7612)."""
import numpy as np

import libpeneira as pn

rng = np.random.default_rng(3)
shop = rng.integers(0, 50, 100_000).astype(np.int16)
day = rng.integers(0, 7, 100_000).astype(np.uint8)
price = rng.random(100_000, np.float32)

(shops, days), (total, most, n) = pn.group_by((shop, day), price, ("sum", "max", "count"))
one = (shop == shops[9]) & (day == days[9])
assert n[9] == one.sum() and most[9] == price[one].max() and np.isclose(total[9], price[one].sum(dtype=np.float64))

# The rows themselves, group by group, each in its order: labels are what a multisplit splits by.
names, labels = pn.unique(shop, return_inverse=True)
prices, offsets = pn.multisplit(price, labels, bins=names.size)
assert np.array_equal(prices[offsets[3]:offsets[4]], price[shop == names[3]])
print(f"{n.size} groups of {shop.size:,} rows; shop {names[3]} has {offsets[4] - offsets[3]:,}")
