# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""A kernel that may start early waits for those before it.

    early_start_test.py INCLUDE_FOLDER

A kernel that is launched with start::early and never calls wait_for_kernels_before() reads what is not written yet,
and lets what comes behind it begin too soon. Both show only now and then, and never under compute-sanitizer, which runs
one kernel after the other. So the headers are read: every kernel that is named in such a launch, or in a function that
makes one, must wait, itself or in a function that it calls.
"""
import re
import sys
from pathlib import Path

WAIT = "wait_for_kernels_before"
KEYWORD = r"(?!(?:if|for|while|switch|catch|constexpr|requires)\b)"
ARGUMENTS = r"\((?:[^;{}()]|\([^;{}()]*\))*\)"
DEFINITION = re.compile(rf"\b{KEYWORD}(\w+)\s*{ARGUMENTS}\s*(?:const\s*)?(?:noexcept\s*)?(?::[^;{{}}]*)?\{{")
KERNEL = re.compile(r"__global__\s+void\s+(?:__launch_bounds__\((?:[^()]|\([^()]*\))*\)\s*)?(\w+)\s*\(")


def block_at(text, brace):
    """The text from a brace to the one that closes it."""
    depth = 0
    for end in range(brace, len(text)):
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        if depth == 0:
            return text[brace:end + 1]
    return text[brace:]


def functions_of(texts):
    """All bodies of each function name."""
    bodies = {}
    for text in texts:
        for found in DEFINITION.finditer(text):
            bodies.setdefault(found.group(1), []).append(block_at(text, found.end() - 1))
    return bodies


def waits(name, bodies, deeper=2):
    """Whether a function waits, or one that it calls."""
    of_name = bodies.get(name, [])
    if any(WAIT in body for body in of_name):
        return True
    called = {call for body in of_name for call in re.findall(r"\b(\w+)\s*(?:<[^;(){}]*>)?\(", body)} - {name}
    return deeper != 0 and any(waits(call, bodies, deeper - 1) for call in called)


def early_kernels(bodies, kernels):
    """Kernels that are named where something is launched early."""
    early = set()
    for several in bodies.values():
        for body in several:
            if re.search(r"\bearly\b", body) and "launch(" in body:
                for launched in re.findall(r"launch\((?:[^;])*?;", body):
                    if re.search(r"\bearly\b", launched):
                        named_in = body if re.search(r"\bkernel\b", launched) else launched  # by a lambda
                        early |= kernels & set(re.findall(r"(?<![.\w])\w+\b", named_in))
    return early


def check(texts):
    texts = [re.sub(r"//[^\n]*", "", text) for text in texts]
    bodies = functions_of(texts)
    kernels = {name for text in texts for name in KERNEL.findall(text)}
    early = early_kernels(bodies, kernels)
    return early, sorted(name for name in early if not waits(name, bodies))


def test_finds_one_that_does_not_wait():
    launch = "void run() {{ detail::launch(on, detail::start::early, p.a, detail::{0}<int>, in); }}"
    good = "__global__ void good(int* in) { wait_for_kernels_before(); }"
    bad = "__global__ void bad(int* in) { *in = 0; }"
    by_others = "__device__ void inner() { wait_for_kernels_before(); } __global__ void outer(int* in) { inner(); }"
    assert check([good, launch.format("good")]) == ({"good"}, [])
    assert check([bad, launch.format("bad")]) == ({"bad"}, ["bad"])
    by_lambda = "void run() { auto go = [&](auto kernel) { launch(on, p.early(), p.a, kernel, in); }; go(bad<int>); }"
    assert check([by_others, launch.format("outer")]) == ({"outer"}, [])
    assert check([bad, by_lambda]) == ({"bad"}, ["bad"])


def main(include):
    test_finds_one_that_does_not_wait()
    early, wrong = check([path.read_text(encoding="utf-8") for path in sorted(Path(include).rglob("*.*h*"))])
    print(f"{len(early)} kernels start early")
    assert len(early) > 15, f"only {sorted(early)}: the launches are written in another way now"
    assert not wrong, f"these never wait for the kernels before them: {wrong}"
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
