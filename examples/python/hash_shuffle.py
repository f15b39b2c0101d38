# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""The local half of a shuffle: the rows of a table by the partition that each goes to.

It is usual to sort the partition numbers and take rows by the result (ray-project/ray#66269), or to filter once a
partition. A multisplit moves each row once, whatever the number of partitions (rapidsai/cudf#11285: more than 1,024).
"""
import numpy as np

import libpeneira as pn

rng = np.random.default_rng(1)
PARTITIONS = 5000
customer = rng.integers(0, 1_000_000, 200_000)
price = rng.random(200_000)

# The partition of a key depends on nothing else, so that other machines send equal keys to the same one.
(customers, prices), offsets = pn.multisplit(customer, pn.hashed(PARTITIONS), values=price)

# Partition p is a slice: no copy.
part = slice(offsets[17], offsets[18])
mine = customers[part]
assert offsets[-1] == customer.size
assert np.array_equal(np.sort(prices[part]), np.sort(price[np.isin(customer, mine)]))
print(f"{customer.size:,} rows in {PARTITIONS:,} partitions, {mine.size} of them in partition 17")
