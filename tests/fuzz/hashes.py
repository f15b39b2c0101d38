# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""The hashes that decide a key's bin. They are part of the interface, so they are written down here once more."""
WORD32, WORD64 = 2**32 - 1, 2**64 - 1


def mix32(x):
    x = ((x ^ (x >> 16)) * 0x7FEB352D) & WORD32
    x = ((x ^ (x >> 15)) * 0x846CA68B) & WORD32
    return x ^ (x >> 16)


def mix64(x):
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & WORD64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & WORD64
    return x ^ (x >> 31)


def shard_of(key, shards):
    """The shard of a key of text."""
    state = (len(key) * 0x9E3779B97F4A7C15) & WORD64
    for at in range(0, len(key), 8):
        rotated = ((state << 29) | (state >> 35)) & WORD64
        state = ((rotated ^ int.from_bytes(key[at:at + 8], "little")) * 0xD6E8FEB86659FD93) & WORD64
    return (mix64(state) * shards) >> 64


def bin_of(raw, is_float, bits, bins):
    """The bin of a binary item, of which `raw` are the bits; those of a zero of either sign are 0."""
    if bits <= 32:
        hashed = mix32(raw)
    elif is_float:
        hashed = mix64(raw) >> 32
    else:
        hashed = mix64((mix64(8 ^ raw) + 0x9E3779B97F4A7C15) & WORD64) >> 32
    return (hashed * bins) >> 32
