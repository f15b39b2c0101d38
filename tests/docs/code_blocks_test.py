# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""The examples in the documents compile: every ```cpp block that speaks of pn::, each as a function or a type. Those of
pn::mpi and pn::cluster do where there is MPI's compiler, mpicxx.

    code_blocks_test.py ROOT COMPILER [FLAG...]
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

PREAMBLE = """\
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "peneira/peneira.hpp"
"""


def unit_of(root, with_mpi):
    """One translation unit of all blocks with pn::mpi, or without; #line leads the compiler's messages to the document."""
    unit, count = PREAMBLE, 0
    if with_mpi:
        unit += '#include "peneira/mpi.hpp"\n'
    for document in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        text = document.read_text(encoding="utf-8")
        for block in re.finditer(r"^```cpp\n(.*?)^```$", text, re.M | re.S):
            code = re.sub(r"^#include .*", "", block.group(1), flags=re.M)
            if "pn::" not in code or bool(re.search(r"pn::(mpi|cluster)\b", code)) != with_mpi:
                continue
            count += 1
            line = text.count("\n", 0, block.start(1)) + 1
            is_type = code.lstrip().startswith("struct ")
            opening = f"namespace block_{count} {{" if is_type else f"void block_{count}() {{"
            unit += f'{opening}\n#line {line} "{document.relative_to(root)}"\n{code}}}\n'
    return unit, count


def compile_unit(unit, root, compiler, flags):
    """What the compiler returns."""
    command = [compiler, "-std=c++20", *flags, f"-I{root}/include", "-fsyntax-only", "-x", "c++", "-"]
    return subprocess.run(command, input=unit, text=True, check=False).returncode


def main(root, compiler, *flags):
    unit, count = unit_of(Path(root), with_mpi=False)
    if count < 10:
        print(f"only {count} blocks found", file=sys.stderr)
        return 1
    failed = compile_unit(unit, root, compiler, flags)
    unit, count = unit_of(Path(root), with_mpi=True)
    if shutil.which("mpicxx") is None:
        print(f"{count} blocks of pn::mpi were not looked at: there is no mpicxx")
    else:
        failed = failed or compile_unit(unit, root, "mpicxx", flags)
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
