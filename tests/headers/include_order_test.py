# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Files include what is below them, never what is above: in the library, and in the programs that stand on it.

    include_order_test.py ROOT

The library, include/peneira, from the top down; each layer includes those below it:

    ranks        mpi.hpp and ranks/: the calls over several processes, which stand on those of one
    calls        the headers that CALLS lists, and the published.hpp of each primitive
    primitives   a folder each, as PRIMITIVES lists them; none includes another
    places       cpu/ and gpu/, which serve all primitives
    tuning       tuning/
    ground       the other files directly in include/peneira

What is for the GPU does not include what is for the CPU, nor the reverse: neither of the places nor within a primitive.
No file includes itself by way of others. A primitive may use another only as listed here, with the reason.

The programs, tools/ and bench/: a folder includes the library and the folders that PROGRAMS lists for it.
"""
import re
import sys
from pathlib import Path

CALLS = {f"{name}.hpp" for name in
         ("gather", "group", "group_by", "histogram", "multisplit", "partition", "reduce", "scan", "segmented_reduce",
          "segmented_sort", "sort", "sort_columns", "sort_records", "sort_strings", "top_k", "unique", "peneira",
          "call")}
PRIMITIVES = {"gather", "group_by", "histogram", "multisplit", "partition", "reduce", "runs", "scan", "segmented_reduce",
              "segmented_sort", "sort", "strings", "top_k"}
LAYERS = ["ground", "tuning", "places", "primitives", "calls", "ranks"]
FOLDERS = ({"tuning": "tuning", "cpu": "places", "gpu": "places", "ranks": "ranks"} |
           {name: "primitives" for name in PRIMITIVES})

# File, what it may include beside what is below it (a file, or all of a folder), why.
ALLOWED = [
    ("strings/gpu/rounds.hpp", "sort.hpp", "a round is a sort of pairs, which is chosen as any other is"),
    ("reduce/gpu/ordered.hpp", "segmented_reduce/gpu/merged.hpp", "an ordered reduction is one of a single segment"),
    ("histogram/gpu/split.hpp", "multisplit/", "weights of one bin are moved together"),
    ("histogram/gpu/split.hpp", "segmented_reduce/gpu/merged.hpp", "and added up as a segment is"),
    ("partition/gpu/split.hpp", "multisplit/", "a partition that keeps the order is a split into two bins or three"),
    ("segmented_reduce/published/best_reduce.hpp", "reduce/published/", "the published reduction, once a segment"),
    ("multisplit/published/gpu_multisplit.hpp", "sort/gpu/lsd.hpp", "labels of many bins are sorted, as its paper does"),
    ("group_by/cpu/few.hpp", "sort/cpu/partitioned.hpp", "few items are sorted, where a small table has no room"),
    ("group_by/cpu/group_sort.hpp", "sort/cpu/partitioned.hpp", "keys that differ are sorted, and groups put in order"),
    ("group_by/gpu/sorted_tiles.hpp", "sort.hpp", "items are sorted, by a sort that is chosen as any other is"),
    ("sort/gpu/numbered_sort.hpp", "sort.hpp", "a sort of numbers with positions, which is chosen as any other is"),
    ("sort/gpu/by_keys.hpp", "gather/gpu/", "records follow the positions of their keys"),
    ("group_by/gpu/group_parts.hpp", "multisplit/gpu/tiles.hpp", "items whose groups do not fit a table are split first"),
    ("group_by/gpu/group_parts.hpp", "sort.hpp", "and the groups of all parts are sorted"),
    ("segmented_reduce/reference.hpp", "reduce/reference.hpp", "the plain reduction, once a segment"),
    ("segmented_sort/reference.hpp", "sort/reference.hpp", "the plain sort, once a segment"),
    ("segmented_sort/cpu/shares.hpp", "sort/cpu/partitioned.hpp", "a segment is sorted as a bin of a sort is"),
    ("segmented_sort/gpu/enumeration.cuh", "sort/gpu/enumeration.cuh", "few items are counted as those of a sort are"),
    ("segmented_sort/gpu/tasks.hpp", "sort/gpu/msd.hpp", "giants are split as a sort of all items is"),
    ("segmented_sort/gpu/pack_segments.cuh", "sort/gpu/msd_records.cuh", "what is too large is listed for that"),
    ("segmented_sort/gpu/sort_packed.cuh", "sort/gpu/", "buckets and digits of a block's items"),
    ("top_k/reference.hpp", "sort/reference.hpp", "the first of what is sorted"),
    ("top_k/cpu/few.hpp", "sort/cpu/", "few items are sorted as those of a sort are"),
    ("top_k/cpu/selection.hpp", "sort/cpu/", "ranks of keys, and the sort of a sample of them"),
    ("top_k/cpu/threshold.hpp", "sort/cpu/partitioned.hpp", "what was selected is sorted"),
    ("top_k/gpu/radix_select.hpp", "sort.hpp", "what was selected is sorted, by a sort that is chosen as any other is"),
    ("top_k/gpu/sort_all.hpp", "sort.hpp", "all items are sorted, likewise"),
    ("top_k/gpu/find_threshold.cuh", "histogram/gpu/tables.cuh", "digits are counted as bins are"),
]

# A folder, and the beginnings of all that its files may include beside the library; the first that fits a file counts.
TOOL = "tools/peneira/"
SHARED = [TOOL + "cli/", TOOL + "io/", TOOL + "text/"]
INPUTS = ["bench/inputs.hpp", "bench/text_lines.hpp", "bench/device_array.cuh"]  # headers that the program shares
PROGRAMS = [
    (TOOL + "cli/", SHARED[:1]),
    (TOOL + "io/", SHARED[:2]),
    (TOOL + "text/", SHARED),
    *[(f"{TOOL}{command}/", SHARED + INPUTS + [f"{TOOL}{command}/", TOOL + "commands.hpp"])
      for command in ("explain", "gen", "group", "reduce", "sort", "split")],
    ("tools/peneira-mpi/", SHARED + [TOOL + "group/", TOOL + "sort/", TOOL + "reduce/", TOOL + "split/",
                                     TOOL + "commands.hpp", "tools/peneira-mpi/"]),
    ("tools/peneira-bench/", SHARED[:2] + ["bench/", "tools/peneira-bench/"]),
    ("bench/", ["bench/"]),
]


def layer_of(file):
    """The layer of a header of the library, named by its path below include/peneira; None: its folder is unknown."""
    if file == "mpi.hpp":
        return "ranks"
    if file in CALLS or re.fullmatch(r"\w+/published\.hpp", file):
        return "calls"
    return FOLDERS.get(file.split("/")[0]) if "/" in file else "ground"


def place_of(file):
    """cpu or gpu where a header is for one of them alone."""
    return next((part for part in file.split("/")[:-1] if part in ("cpu", "gpu")), None)


def refusal(file, included):
    """Why a header of the library must not include another; None where it may."""
    above, below = layer_of(file), layer_of(included)
    if above is None or below is None:
        return f"{file if above is None else included} is in a folder that has no layer"
    if LAYERS.index(below) > LAYERS.index(above):
        return f"{above} is below {below}"
    if above == below == "primitives" and file.split("/")[0] != included.split("/")[0]:
        return "another primitive"
    if {place_of(file), place_of(included)} == {"cpu", "gpu"}:
        return f"the one is of the {place_of(file)}, the other of the {place_of(included)}"
    return None


def cycles(includes):
    """Includes that close a cycle."""
    done, found = set(), []

    def visit(file, way):
        for included in includes.get(file, []):
            if included in way:
                found.append((file, included))
            elif included not in done:
                visit(included, way | {included})
        done.add(file)

    for file in sorted(includes):
        if file not in done:
            visit(file, {file})
    return found


def wrong_in_library(includes, allowed):
    """What is wrong with the includes of the library, {header: headers}; each complaint names both files."""
    wrong, used = [], set()
    for file, all_of_it in sorted(includes.items()):
        for included in all_of_it:
            if included not in includes:
                wrong.append(f"{file} includes {included}, which is not there")
                continue
            why = refusal(file, included)
            if why is None:
                continue
            known = [rule for rule in allowed if rule[0] == file and
                     (included == rule[1] or (rule[1].endswith("/") and included.startswith(rule[1])))]
            used.update(known)
            if not known:
                wrong.append(f"{file} includes {included}: {why}")
    wrong += [f"{file} includes {included}, which includes it, too, or by way of others"
              for file, included in cycles(includes)]
    wrong += [f"{file} does not include {included} any more: take it from the list"
              for file, included, _ in allowed if (file, included, _) not in used]
    return wrong


def wrong_in_programs(includes):
    """What is wrong with the includes of the programs, {file: files}; each complaint names both files."""
    wrong = []
    for file, all_of_it in sorted(includes.items()):
        allowed = next((may for folder, may in PROGRAMS if file.startswith(folder)), None)
        if allowed is None:  # directly in tools/peneira: what puts the commands together
            continue
        wrong += [f"{file} includes {included}: it may include the library, and what begins with {', '.join(allowed)}"
                  for included in all_of_it if not included.startswith(("peneira/", *allowed))]
    return wrong


def includes_of(folder, root):
    """All sources below a folder, by their path from root, each with what it includes of ours."""
    found = {}
    for path in sorted(p for p in folder.rglob("*") if p.suffix in (".hpp", ".cuh", ".cpp", ".cu")):
        names = re.findall(r'^\s*#\s*include\s*(?:"([^"]+)"|<(peneira/[^>]+)>)', path.read_text("utf-8"), re.MULTILINE)
        found[path.relative_to(root).as_posix()] = [quoted or angled for quoted, angled in names]
    return found


def check_the_check():
    """Each rule refuses what it should, and by both names."""
    fine = {"sort.hpp": ["sort/gpu/a.hpp", "call.hpp"], "call.hpp": ["plan.hpp"], "sort/gpu/a.hpp": ["gpu/b.cuh"],
            "sort/cpu/c.hpp": ["tuning/cpu.hpp"], "gpu/b.cuh": ["tuning/gpu.hpp", "plan.hpp"], "plan.hpp": [],
            "tuning/cpu.hpp": ["plan.hpp"], "tuning/gpu.hpp": [], "reduce/d.hpp": [], "cpu/e.hpp": []}
    assert not wrong_in_library(fine, []), wrong_in_library(fine, [])
    for file, included in [("plan.hpp", "cpu/e.hpp"), ("gpu/b.cuh", "sort/gpu/a.hpp"), ("sort/cpu/c.hpp", "sort.hpp"),
                           ("tuning/gpu.hpp", "gpu/b.cuh"), ("sort/gpu/a.hpp", "sort/cpu/c.hpp"),
                           ("gpu/b.cuh", "cpu/e.hpp"), ("cpu/e.hpp", "gpu/b.cuh"), ("reduce/d.hpp", "sort/cpu/c.hpp"),
                           ("call.hpp", "sort.hpp"), ("sort/cpu/c.hpp", "sort/cpu/missing.hpp")]:
        wrong = wrong_in_library(fine | {file: fine[file] + [included]}, [])
        assert wrong and all(file in said and included in said for said in wrong), (file, included, wrong)
    used = fine | {"reduce/d.hpp": ["sort/cpu/c.hpp"]}
    assert not wrong_in_library(used, [("reduce/d.hpp", "sort/cpu/", "")]), "a rule that is needed"
    assert wrong_in_library(fine, [("plan.hpp", "error.hpp", "")]), "a rule that nothing needs"

    assert not wrong_in_programs({TOOL + "sort/a.cpp": ["peneira/sort.hpp", TOOL + "io/b.hpp", TOOL + "sort/c.hpp"]})
    for file, included in [(TOOL + "cli/a.cpp", TOOL + "io/b.hpp"), (TOOL + "text/a.cpp", TOOL + "sort/b.hpp"),
                           (TOOL + "sort/a.cpp", TOOL + "split/b.hpp"), ("bench/a.cpp", TOOL + "cli/b.hpp"),
                           (TOOL + "gen/a.cpp", "bench/harness.hpp")]:
        wrong = wrong_in_programs({file: [included]})
        assert len(wrong) == 1 and file in wrong[0] and included in wrong[0], (file, included, wrong)


def main(root):
    check_the_check()
    root = Path(root)
    library = {file: [name.removeprefix("peneira/") for name in names]
               for file, names in includes_of(root / "include/peneira", root / "include/peneira").items()}
    programs = includes_of(root / "tools", root) | includes_of(root / "bench", root)
    assert len(library) > 100 and len(programs) > 100, f"{len(library)} and {len(programs)} files in {root}"
    wrong = wrong_in_library(library, ALLOWED) + wrong_in_programs(programs)
    print("\n".join(wrong) if wrong else f"{len(library)} files of the library, {len(programs)} of the programs")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
