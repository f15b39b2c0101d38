# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""docs/adding-a-strategy.md works: its code, put into a copy of the tree with one word in the list, is a strategy.
So is the same with a mistake, under another name, and the conformance suite blames this one alone.

    strategy_test.py ROOT COMPILER LIBRARY_OR_FLAG...      libraries: those of GoogleTest (with a main) and fmt

Two small programs are compiled, without optimisation: the conformance suite with some questions of our own
(strategy_probe.cpp), and `peneira strategies`.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COMMAND = """\
#include "tools/peneira/explain/strategies.cpp"
int main(int argc, char** argv) {
  CLI::App app;
  peneira::tool::add_strategies(app);
  CLI11_PARSE(app, argc, argv);
}
"""


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def replaced(text, old, new):
    """The text with the one place changed."""
    assert text.count(old) == 1, f"there are {text.count(old)} of: {old}"
    return text.replace(old, new)


def added(root, tree):
    """Makes a copy of the library with the document's strategy, and behind all others the one that is mistaken."""
    shutil.copytree(root / "include", tree / "include")
    document = (root / "docs/adding-a-strategy.md").read_text(encoding="utf-8")
    found = re.search(r"^`include/(peneira/multisplit/cpu/(\w+)\.hpp)`:\n\n```cpp\n(.*?)^```$", document, re.M | re.S)
    file, name, code = found.groups()
    put(tree / "include" / file, code)
    mistaken = replaced(code, "for (std::size_t i = in.size; i-- > 0;)", "for (std::size_t i = 0; i < in.size; ++i)")
    put(tree / "include/peneira/multisplit/cpu/mistaken.hpp", re.sub(rf"\b{name}\b", "mistaken", mistaken))
    strategies = tree / "include/peneira/multisplit/strategies.hpp"
    text = strategies.read_text(encoding="utf-8")
    text = replaced(text, '#include "peneira/multisplit/cpu/direct.hpp"\n',
                    f'#include "peneira/multisplit/cpu/direct.hpp"\n#include "{file}"\n'
                    '#include "peneira/multisplit/cpu/mistaken.hpp"\n')
    text = replaced(text, "using multisplit_cpu_strategies = strategy_list<",
                    f"using multisplit_cpu_strategies = strategy_list<multisplit_strategies::{name}, ")
    text = replaced(text, "multisplit_strategies::two_level>;",
                    "multisplit_strategies::two_level,\n    multisplit_strategies::mistaken>;")
    put(strategies, text)


def judged(probe):
    """Runs the suite: how often it found something wrong, and whom it blames; what it says."""
    tests = "--gtest_filter=*every_size:*random_problems:added_strategy.*"
    done = subprocess.run([probe, tests], check=False, capture_output=True, text=True)
    blames = re.findall(r"Google Test trace:\n[^\n]*: (\w+)", done.stdout)
    return len(re.findall(r": Failure$", done.stdout, re.M)), blames, done.stdout


def main(root, compiler, *libraries):
    root = Path(root).resolve()
    scratch = Path(tempfile.mkdtemp())
    try:
        tree = scratch / "tree"
        added(root, tree)
        put(scratch / "strategies_command.cpp", COMMAND)

        def compiled(job):
            program, source = job
            command = [compiler, "-std=c++20", "-O0", "-Wall", "-Wextra", "-Wno-unknown-pragmas", f"-I{tree}/include",
                       f"-I{root}", source, "-o", scratch / program, *libraries]
            subprocess.run(command, check=True)

        jobs = [("probe", root / "tests/docs/strategy_probe.cpp"), ("list", scratch / "strategies_command.cpp")]
        with ThreadPoolExecutor(2) as team:
            list(team.map(compiled, jobs))

        failures, blames, said = judged(scratch / "probe")
        assert failures > 0 and set(blames) == {"mistaken"} and len(blames) == failures, said[-10000:]
        assert said.count("[       OK ] added_strategy.") == 4, said[-10000:]
        listed = subprocess.run([scratch / "list", "strategies"], check=True, capture_output=True, text=True).stdout
        row = r"^multisplit +cpu +labelled +one thread, the bin function is asked once an item$"
        assert re.search(row, listed, re.M), listed
    finally:
        shutil.rmtree(scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
