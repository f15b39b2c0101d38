# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""docs/adding-a-strategy.md works: its code, put into a copy of the tree with one word in the list, is a strategy.

    strategy_test.py ROOT COMPILER LIBRARY_OR_FLAG...      libraries: those of GoogleTest (with a main) and fmt

Three small programs are compiled, without optimisation: the conformance suite with some questions of our own
(strategy_probe.cpp), the same with a mistake in the strategy, which the suite must find, and `peneira strategies`.
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
    """A copy of the library with the document's strategy; returns its file, from the folder include, and its code."""
    shutil.copytree(root / "include", tree / "include")
    document = (root / "docs/adding-a-strategy.md").read_text(encoding="utf-8")
    found = re.search(r"^`include/(peneira/multisplit/cpu/(\w+)\.hpp)`:\n\n```cpp\n(.*?)^```$", document, re.M | re.S)
    file, name, code = found.groups()
    put(tree / "include" / file, code)
    strategies = tree / "include/peneira/multisplit/strategies.hpp"
    text = strategies.read_text(encoding="utf-8")
    text = replaced(text, '#include "peneira/multisplit/cpu/direct.hpp"\n',
                    f'#include "peneira/multisplit/cpu/direct.hpp"\n#include "{file}"\n')
    text = replaced(text, "using multisplit_cpu_strategies = strategy_list<",
                    f"using multisplit_cpu_strategies = strategy_list<multisplit_strategies::{name}, ")
    put(strategies, text)
    return file, code


def main(root, compiler, *libraries):
    root = Path(root).resolve()
    scratch = Path(tempfile.mkdtemp())
    try:
        tree = scratch / "tree"
        file, code = added(root, tree)
        put(scratch / "wrong" / file, replaced(code, "for (std::size_t i = in.size; i-- > 0;)",
                                               "for (std::size_t i = 0; i < in.size; ++i)"))
        put(scratch / "strategies_command.cpp", COMMAND)

        def compiled(job):
            program, source, *first = job
            command = [compiler, "-std=c++20", "-O0", "-Wall", "-Wextra", "-Wno-unknown-pragmas", *(f"-I{d}" for d in first),
                       f"-I{tree}/include", f"-I{root}", source, "-o", scratch / program, *libraries]
            subprocess.run(command, check=True)

        probe = root / "tests/docs/strategy_probe.cpp"
        jobs = [("right", probe), ("list", scratch / "strategies_command.cpp"),
                ("mistaken", probe, scratch / "wrong")]
        with ThreadPoolExecutor(2) as team:
            list(team.map(compiled, jobs))

        tests = "--gtest_filter=*every_size:*random_problems:added_strategy.*"
        assert subprocess.run([scratch / "right", tests], check=False).returncode == 0, "the strategy does not conform"
        listed = subprocess.run([scratch / "list", "strategies"], check=True, capture_output=True, text=True).stdout
        row = r"^multisplit +cpu +labelled +one thread, the bin function is asked once an item$"
        assert re.search(row, listed, re.M), listed
        wrong = subprocess.run([scratch / "mistaken", "--gtest_filter=*every_size"], check=False,
                               capture_output=True, text=True)
        assert wrong.returncode != 0 and "labelled, " in wrong.stdout, "the suite does not run the strategy"
        blamed = set(re.findall(r"Google Test trace:\n[^\n]*: (\w+)", wrong.stdout))
        assert blamed == {"labelled"}, f"the suite blames {blamed}"
    finally:
        shutil.rmtree(scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
