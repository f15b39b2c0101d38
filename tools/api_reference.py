#!/usr/bin/env python3
# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""The API reference, made from the headers' `///` comments.

    api_reference.py INCLUDE OUT            writes OUT (docs/api.md) from the headers under INCLUDE
    api_reference.py INCLUDE OUT --check    only tells whether OUT is what the headers say

Public is what stands in namespace peneira, peneira::published or peneira::reference, in any header. A public name
without a `///` is an error, and so is one whose header has no chapter below: the reference is complete or not made.
"""
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from cpp_declarations import Failure, Header, behind_template  # noqa: E402

PRIMITIVES = ["gather", "group_by", "histogram", "multisplit", "partition", "reduce", "runs", "scan", "segmented_reduce",
              "segmented_sort", "sort", "strings", "top_k"]
# The chapters: title, what it is about, the headers whose names it holds; the first is the one to include.
CHAPTERS = [
    ("Multisplit", "Partition an array into any number of bins by any function: [how it works](multisplit.md).",
     ["multisplit.hpp", "multisplit/problem.hpp"]),
    ("Bin functions", "From a key to a bin: what `multisplit` partitions by.", ["bins.hpp", "ranges.hpp", "labels.hpp"]),
    ("Histogram", "Count the items of each bin, or add up their weights: [how it works](histogram.md).",
     ["histogram.hpp", "histogram/problem.hpp"]),
    ("Partition", "Two parts of an array, or three, one behind the other: [how it works](partition.md).",
     ["partition.hpp", "parts.hpp", "partition/problem.hpp"]),
    ("Reduce", "Combine all items of an array: [how it works](reduce.md).", ["reduce.hpp", "reduce/problem.hpp"]),
    ("Segmented reduce", "Combine the items of each segment: [how it works](segmented-reduce.md).",
     ["segmented_reduce.hpp", "segmented_reduce/problem.hpp", "segments.hpp"]),
    ("Scan", "Combine each item with all before it, of the whole or of each segment: [how it works](scan.md).",
     ["scan.hpp", "scan/problem.hpp"]),
    ("Operators", "What `reduce`, `segmented_reduce`, `scan` and `group_by` combine by.", ["ops.hpp", "op.hpp"]),
    ("Sort", "Keys, or pairs by their keys: [how it works](sort.md).",
     ["sort.hpp", "sort_records.hpp", "by.hpp", "sort_columns.hpp", "columns.hpp", "sort/problem.hpp", "key_order.hpp"]),
    ("Segmented sort", "The items of each segment by their keys: [how it works](segmented-sort.md).",
     ["segmented_sort.hpp", "segmented_sort/problem.hpp"]),
    ("Top k", "The greatest items, or the least: [how it works](top-k.md).", ["top_k.hpp", "top_k/problem.hpp"]),
    ("Sorting strings", "Which of many strings comes where: [how it works](strings.md).",
     ["sort_strings.hpp", "strings/problem.hpp", "strings/lines.hpp", "strings/view.hpp"]),
    ("Group by", "Combine the values of each key, or find the keys that there are: [how it works](group-by.md).",
     ["group_by.hpp", "group_by/problem.hpp", "aggregates.hpp", "group.hpp"]),
    ("Runs", "Equal neighbours: [how it works](group-by.md).", ["unique.hpp", "runs/problem.hpp"]),
    ("Gather and scatter", "Columns that follow positions: [how it works](gather.md).",
     ["gather.hpp", "gather/problem.hpp"]),
    ("Arrays", "What calls read and write: ranges of the host, or pointers and sizes of either place.",
     ["view.hpp", "table.hpp"]),
    ("Places", "The first argument of every call: where it runs.", ["place.hpp", "host.hpp", "interruptible.hpp"]),
    ("Several processes", "The same calls over the ranks of an MPI job: [how it works](distributed.md).",
     ["mpi.hpp", "ranks/sort.hpp", "ranks/multisplit.hpp", "ranks/reduce.hpp", "ranks/top_k.hpp",
      "ranks/group_by.hpp", "ranks/sort_strings.hpp", "ranks/cluster.hpp",
      "ranks/mpi_transport.hpp", "ranks/mpi_alarm.hpp", "ranks/transport.hpp"]),
    ("Plans", "What a call will do, told before it does it.", ["plan.hpp"]),
    ("Memory", "Where calls take their temporary memory from.", ["memory.hpp", "gpu/runtime.cuh"]),
    ("Errors", "What the caller got wrong is a `std::invalid_argument` that names the call, the argument and the"
     " value; memory that ran out is a `std::bad_alloc`. A call that failed leaves its output unspecified, and its"
     " input as it was.", ["error.hpp"]),
    ("Hashes", "Part of the interface: files that were sharded by one version are found by the next.", ["hash.hpp"]),
    ("Macros", "And the namespace's short name.", ["config.hpp"]),
    ("Strategies", "For those who [add one](adding-a-strategy.md): the lists, and the problems that strategies are asked"
     " about.", ["strategy.hpp", *[f"{name}/strategies.hpp" for name in PRIMITIVES]]),
    ("Published strategies", "Systems from the literature, to measure against.",
     ["multisplit/published.hpp", "reduce/published.hpp", "segmented_reduce/published.hpp", "sort/published.hpp",
      "strings/published.hpp"]),
    ("References", "The truth that tests, benchmarks and readers check against, a few sequential lines each.",
     [f"{name}/reference.hpp" for name in PRIMITIVES]),
]
# Names that belong elsewhere than the rest of their header.
ELSEWHERE = {r"\w+_problem": "Strategies", "best_reduce_limits|mpp_sort_limits|string_merge_shape": "Published strategies"}
# Members that need no words of their own: the concepts bin_function and monoid describe them once for all, or they are
# those of every container.
SHARED_MEMBERS = {"operator()", "operator=", "bins", "identity", "lift", "commutative",
                  "begin", "end", "empty", "push_back", "operator[]", "size"}


def undocumented(header):
    """The public names of a header that say nothing about themselves."""
    described = set()
    for entry in header.entries:
        if entry.doc:
            described.add(entry.title)
        elif entry.title not in described or entry.kind == "type":
            yield entry, entry.title
        for member in entry.members:
            if not member.doc and not member.inherits and member.name not in SHARED_MEMBERS:
                yield member, f"{entry.title}::{member.name}"


def prose(doc):
    """Lines of a comment as Markdown: what Markdown would take for tags or emphasis is escaped, code is not."""
    fenced = False
    for row in doc:
        fenced ^= row.startswith("```")
        if fenced or row.startswith("```"):
            yield row
        else:
            yield "".join(code or re.sub(r"([<*])", r"\\\1", text)
                          for code, text in re.findall(r"(`[^`]*`)|([^`]+|`)", row))


def rendered_members(entry):
    """The members of a type that have something to say, one a row."""
    for member in entry.members:
        if member.doc:
            code = re.sub(r"\s+", " ", member.signature).strip()
            code = code[behind_template(code, 0):].strip() if member.kind == "function" else code
            yield f"- `{code}`: {' '.join(prose(member.doc))}"


def rendered_entry(entry):
    """One declaration with its comment and its members."""
    if entry.kind != "macro":
        signature = re.sub(r" : detail::.*", "", entry.signature) if entry.kind == "type" else entry.signature
        yield from ["```cpp", signature + ";", "```", ""]
    yield from [*prose(entry.doc), "", *rendered_members(entry), ""]


def chapters(headers):
    """(title, about, header to include, {heading: [entries]}) of each chapter, in order."""
    by_name, moved = {h.name: h for h in headers}, {}
    plan = []
    for title, about, names in CHAPTERS:
        groups = {}
        for entry in (e for n in names for e in by_name[n].entries):
            elsewhere = [c for pattern, c in ELSEWHERE.items() if re.fullmatch(pattern, entry.name)]
            if elsewhere:
                moved.setdefault(elsewhere[0], []).append(entry)
            else:
                groups.setdefault(entry.title, []).append(entry)
        plan.append((title, about, names[0], groups))
    for title, _, _, groups in plan:
        groups.update({e.title: [e] for e in moved.get(title, [])})
    return plan


def rendered(headers):
    """The whole reference as Markdown."""
    plan, used, anchors = chapters(headers), {}, {}
    for title, _, _, groups in plan:  # anchors as GitHub makes them, numbered where they would be the same
        for heading in (title, *groups):
            slug = re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
            anchors[title, heading] = slug + (f"-{used[slug]}" if slug in used else "")
            used[slug] = used.get(slug, 0) + 1
    out = ["# API reference", "",
           "<!-- Made by tools/api_reference.py from the comments in include/peneira; do not edit, run ./run docs. -->",
           "", "All names are in namespace `peneira`, for short `pn`. `#include <peneira/peneira.hpp>` brings all but the "
           "published strategies and the references.", ""]
    for title, _, _, groups in plan:
        names = ", ".join(f"[`{g}`](#{anchors[title, g]})" for g in groups)
        out.append(f"- **[{title}](#{anchors[title, title]})**: {names}")
    for title, about, header, groups in plan:
        each = "/" in header and title != "Strategies"  # a header for each name
        out += ["", f"## {title}", "", about] + ([] if each else ["", f"`#include <peneira/{header}>`"])
        for heading, entries in groups.items():
            out += ["", f"### `{heading}`", ""]
            out += [f"`#include <peneira/{entries[0].header}>`", ""] if each else []
            out += [row for e in entries for row in rendered_entry(e)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).rstrip() + "\n"


def read(include):
    """All headers that have a public name, each of which must have a chapter and a comment."""
    root = Path(include) / "peneira"
    paths = sorted(p for p in root.rglob("*") if p.suffix in (".hpp", ".cuh"))
    headers = []
    for path in paths:
        try:
            headers.append(Header(path, path.relative_to(root).as_posix()))
        except Failure as wrong:
            raise Failure(f"{path}: {wrong}") from wrong
    headers = [h for h in headers if h.entries]
    placed = [n for _, _, names in CHAPTERS for n in names]
    wrong = [f"{include}/peneira/{h.name}: has public names, but no chapter of the reference: "
             + ", ".join(e.title for e in h.entries) for h in headers if h.name not in placed]
    wrong += [f"tools/api_reference.py: there is nothing public in {n}" for n in placed
              if n not in {h.name for h in headers}]
    for header in headers:
        wrong += [f"{include}/peneira/{header.name}:{e.line}: {name} has no /// comment" for e, name in undocumented(header)]
    if wrong:
        raise Failure("\n".join(wrong))
    return headers


def main(arguments):
    if len(arguments) not in (2, 3) or arguments[2:] not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    include, out = arguments[:2]
    try:
        text = rendered(read(include))
        if arguments[2:]:
            there = Path(out).read_text(encoding="utf-8") if Path(out).exists() else ""
            if there != text:
                raise Failure(f"{out}: is not what the headers say; run ./run docs")
        else:
            Path(out).write_text(text, encoding="utf-8")
    except Failure as wrong:
        print(wrong, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
