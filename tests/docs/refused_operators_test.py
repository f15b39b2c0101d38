# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""Code that cannot be right is refused by a sentence that says what to do, and by no more than a few lines beside it.

    refused_operators_test.py ROOT COMPILER [FLAG...]
"""
import subprocess
import sys

HEAD = """\
#include <functional>
#include <string>
#include <vector>
#include "peneira/reduce.hpp"
#include "peneira/segmented_reduce.hpp"
struct no_identity { int operator()(int a, int b) const { return a + b; } };
void wrong() {
  std::vector<int> xs{1, 2, 3};
  [[maybe_unused]] std::vector<int> out(3);
  [[maybe_unused]] int result = 0;
"""

WANTED = "pn::op{identity, f} makes one of a function"

CASES = [
    ("pn::reduce(pn::cpu{}, xs, &result, no_identity{});", WANTED),
    ("pn::reduce(pn::cpu{}, xs, [](int a, int b) { return a + b; });", WANTED),
    ("pn::reduce(pn::cpu{}, xs, std::minus<>{});", WANTED),
    ("pn::reduce(pn::cpu{}, xs, pn::op{std::string(), [](int a, int b) { return a + b; }});", WANTED),
    ("pn::reduce(pn::cpu{}, xs, pn::op{0, [](int a) { return a; }});", WANTED),
    ("pn::segmented_reduce(pn::cpu{}, xs, pn::every{2}, out, no_identity{});", WANTED),
    ("pn::reduce(pn::cpu{}, xs, &result, std::plus<double>{});", "leave its type out, as in std::plus<>"),
    ("pn::reduce(pn::gpu{}, xs, pn::plus{});", "pass a pointer to it, as in pn::reduce(on, in, result, op)"),
]


def main(root, compiler, *flags):
    command = [compiler, "-std=c++20", *flags, f"-I{root}/include", "-fsyntax-only", "-x", "c++", "-"]
    failed = 0
    for code, sentence in CASES:
        done = subprocess.run(command, input=f"{HEAD}{code}\n}}\n", text=True, check=False, capture_output=True)
        errors = [line for line in done.stderr.splitlines() if " error: " in line]
        # A compiler may break a long sentence where the source does.
        said = sentence in done.stderr.replace('" "', "").replace("\n", "")
        if done.returncode == 0 or not said or len(errors) > 3:
            failed += 1
            print(f"{code}\n  wants: {sentence}\n  said:\n{done.stderr[:4000]}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
