# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Headers include what is below them, never what is above.

    include_order_test.py INCLUDE_FOLDER

    calls        multisplit.hpp, reduce.hpp, segmented_reduce.hpp, sort.hpp, sort_strings.hpp, peneira.hpp, call.hpp and
                 the published.hpp of each primitive
    primitives   a folder each: multisplit/, reduce/, segmented_reduce/, sort/, strings/; none includes another
    places       cpu/ and gpu/, which serve all primitives
    tuning       tuning/
    ground       the other files directly in include/peneira

What is for the GPU does not include what is for the CPU, nor the reverse: neither of the places nor within a primitive.
No file includes itself by way of others. A primitive may use another only as listed here, with the reason.
"""
import re
import sys
from pathlib import Path

CALLS = {f"{name}.hpp" for name in
         ("multisplit", "reduce", "segmented_reduce", "sort", "sort_strings", "peneira", "call")}
PRIMITIVES = {"multisplit", "reduce", "segmented_reduce", "sort", "strings"}
LAYERS = ["ground", "tuning", "places", "primitives", "calls"]
FOLDERS = {"tuning": "tuning", "cpu": "places", "gpu": "places"} | {name: "primitives" for name in PRIMITIVES}

# File, what it may include beside what is below it (a file, or all of a folder), why.
ALLOWED = [
    ("strings/gpu/rounds.hpp", "sort.hpp", "a round is a sort of pairs, which is chosen as any other is"),
    ("reduce/gpu/ordered.hpp", "segmented_reduce/gpu/merged.hpp", "an ordered reduction is one of a single segment"),
    ("segmented_reduce/published/best_reduce.hpp", "reduce/published/", "the published reduction, once a segment"),
    ("segmented_reduce/reference.hpp", "reduce/reference.hpp", "the plain reduction, once a segment"),
]


def layer_of(file):
    """The layer of a file, named by its path below include/peneira; None where its folder is unknown."""
    if file in CALLS or re.fullmatch(r"\w+/published\.hpp", file):
        return "calls"
    return FOLDERS.get(file.split("/")[0]) if "/" in file else "ground"


def place_of(file):
    """cpu or gpu where a file is for one of them alone."""
    return next((part for part in file.split("/")[:-1] if part in ("cpu", "gpu")), None)


def refusal(file, included):
    """Why a file must not include another; None where it may."""
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


def complaints(includes, allowed):
    """What is wrong with includes, {file: files}; each names both files."""
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


def includes_of(folder):
    """All headers below a folder, each with those of them that it includes."""
    found = {}
    for path in sorted(p for p in folder.rglob("*") if p.suffix in (".hpp", ".cuh")):
        names = re.findall(r'^\s*#\s*include\s*(?:"([^"]+)"|<(peneira/[^>]+)>)', path.read_text("utf-8"), re.MULTILINE)
        own = path.relative_to(folder).as_posix()
        found[own] = [(quoted or angled).removeprefix("peneira/") for quoted, angled in names]
    return found


def check_the_check():
    """Each rule refuses what it should, and by both names."""
    fine = {"sort.hpp": ["sort/gpu/a.hpp", "call.hpp"], "call.hpp": ["plan.hpp"], "sort/gpu/a.hpp": ["gpu/b.cuh"],
            "sort/cpu/c.hpp": ["tuning/cpu.hpp"], "gpu/b.cuh": ["tuning/gpu.hpp", "plan.hpp"], "plan.hpp": [],
            "tuning/cpu.hpp": ["plan.hpp"], "tuning/gpu.hpp": [], "reduce/d.hpp": [], "cpu/e.hpp": []}
    assert not complaints(fine, []), complaints(fine, [])
    for file, included in [("plan.hpp", "cpu/e.hpp"), ("gpu/b.cuh", "sort/gpu/a.hpp"), ("sort/cpu/c.hpp", "sort.hpp"),
                           ("tuning/gpu.hpp", "gpu/b.cuh"), ("sort/gpu/a.hpp", "sort/cpu/c.hpp"),
                           ("gpu/b.cuh", "cpu/e.hpp"), ("cpu/e.hpp", "gpu/b.cuh"), ("reduce/d.hpp", "sort/cpu/c.hpp"),
                           ("call.hpp", "sort.hpp"), ("sort/cpu/c.hpp", "sort/cpu/missing.hpp")]:
        wrong = complaints(fine | {file: fine[file] + [included]}, [])
        assert wrong and all(file in said and included in said for said in wrong), (file, included, wrong)
    used = fine | {"reduce/d.hpp": ["sort/cpu/c.hpp"]}
    assert not complaints(used, [("reduce/d.hpp", "sort/cpu/", "")]), "a rule that is needed"
    assert complaints(fine, [("plan.hpp", "error.hpp", "")]), "a rule that nothing needs"


def main(include):
    check_the_check()
    includes = includes_of(Path(include) / "peneira")
    assert len(includes) > 100, f"there are no headers in {include}"
    wrong = complaints(includes, ALLOWED)
    print("\n".join(wrong) if wrong else f"{len(includes)} headers, {sum(map(len, includes.values()))} includes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
