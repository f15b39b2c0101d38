# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Numbers and names as people read them."""

import re

PRIMITIVES = {
    "multisplit": "Multisplit",
    "reduce": "Reduce",
    "segmented_reduce": "Segmented reduce",
    "sort": "Sort",
    "sort_strings": "Sort of strings",
    "sort_text": "The command sort, on text",
    "group": "The command group",
    "group_by": "Group by",
    "unique": "Unique",
    "run_lengths": "Run lengths",
    "top_k": "Top k",
    "sort_records": "Sort of records",
    "sort_columns": "Sort by columns",
}

# What the last part of a file's name stands for; any other is shown as it is.
VARIANTS = {
    "small": "little input",
    "skew": "skewed input",
    "types": "other types",
    "papers": "published strategies beside ours",
    "inputs": "other inputs",
    "pairs": "pairs",
    "sum": "sums",
}

FAMILIES = (
    (r"\bcub\b", "CUB"),
    (r"^thrust::", "Thrust"),
    (r"^std::.*par_unseq", "parallel std"),
    (r"^tbb::", "TBB"),
    (r"^__gnu_parallel", "GNU parallel mode"),
    (r"^OpenMP", "OpenMP loops"),
    (r"^plain two-pass", "a plain two-pass loop"),
    (r"std::", "std"),
    (r"^hash map", "a hash map"),
    (r"^(plain|one pass|two passes)", "a plain loop"),
)


def primitive_name(name):
    return PRIMITIVES.get(name, name.replace("_", " ").capitalize())


def family(peer):
    """The library that a peer is of, or the peer itself."""
    return next((name for pattern, name in FAMILIES if re.search(pattern, peer, re.IGNORECASE)), peer)


def trim(value, digits=2):
    """A number without zeros that say nothing."""
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def significant(value):
    """Three digits, more only before the point."""
    for limit, digits in ((99.95, 0), (9.995, 1), (0.9995, 2), (0.09995, 3)):
        if abs(value) >= limit:
            return f"{value:.{digits}f}"
    return f"{value:.3g}"


def count(value):
    """67108864 as 64 Mi, 12288 as 12,288, 10000000 as 10 M."""
    if not isinstance(value, int):
        return str(value)
    for letter, shift in (("Gi", 30), ("Mi", 20), ("Ki", 10)):
        if value >= 1 << shift and value % (1 << shift) == 0 and (value >> shift) & ((value >> shift) - 1) == 0:
            return f"{value >> shift} {letter}"
    for letter, unit in (("G", 10**9), ("M", 10**6)):
        if value >= unit:
            return f"{trim(value / unit, 1 if value % unit else 0)} {letter}"
    return f"{value:,}"


def times(ratio):
    return f"{ratio:.{0 if ratio >= 99.5 else 1 if ratio >= 9.95 else 2}f}\u00d7"


def rate_unit(fastest, items="items"):
    """The unit that suits the fastest of some rates, and what to divide by."""
    for letter, divisor in (("G", 1e9), ("M", 1e6), ("K", 1e3)):
        if fastest >= divisor:
            return f"{letter} {items}/s", divisor
    return f"{items}/s", 1.0


def items_of(primitive):
    return "lines" if primitive in ("sort_strings", "sort_text", "group") else "items"


def seconds(value):
    for unit, factor in (("s", 1), ("ms", 1e3), ("\u00b5s", 1e6)):
        if value * factor >= 1:
            return f"{significant(value * factor)} {unit}"
    return f"{significant(value * 1e9)} ns"


def describe(name, value):
    """A field of the work in words; nothing for what a row leaves open."""
    if value in (None, "", 0):
        return ""
    if name == "n":
        return f"{count(value)} items"
    if name in ("bins", "segments", "threads"):
        return f"{count(value)} {name[:-1] if value == 1 else name}"
    if name == "order":
        return "any order" if value == "any" else str(value)
    if name in ("type", "op", "distribution", "paper"):
        return str(value)
    if name == "place":
        return str(value).upper()
    return f"{name.replace('_', ' ')} {count(value)}"


def described(pairs):
    return ", ".join(filter(None, (describe(name, value) for name, value in pairs)))
