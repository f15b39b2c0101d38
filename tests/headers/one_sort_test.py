# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""One sort on a GPU stays quick to compile: what NVIDIA's compiler makes of it is not larger than it was.

    one_sort_test.py INCLUDE_FOLDER NVCC

A call compiles all that the automatic choice may need, so a kernel more shows here. The bytes of text and data count,
as `size` tells them; how long it took is printed.
"""
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

MOST_BYTES = 725_000  # 702,100 with the host's half for Arm, some 15,000 more for x86
ONE_SORT = """\
#include <cstdint>
#include <peneira/sort.hpp>
void sort(std::uint32_t* keys, std::size_t n) { pn::sort(pn::gpu{}, pn::items(keys, n)); }
"""


def compiled(folder, include, nvcc):
    """Compiles the sort; returns the bytes of its text and data, and the processor's seconds that it took."""
    source, made = folder / "one_sort.cu", folder / "one_sort.o"
    source.write_text(ONE_SORT, encoding="utf-8")
    subprocess.run([nvcc, "-std=c++20", "-arch=sm_90", "-O3", f"-I{include}", "-c", source, "-o", made], check=True)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    sizes = subprocess.run(["size", made], check=True, capture_output=True, text=True).stdout
    text, data = sizes.splitlines()[1].split()[:2]
    return int(text) + int(data), spent.ru_utime + spent.ru_stime


def main(include, nvcc):
    with tempfile.TemporaryDirectory() as folder:
        size, seconds = compiled(Path(folder), include, nvcc)
    print(f"{size:,} bytes, {seconds:.1f} s of processor time")
    assert size <= MOST_BYTES, f"one sort compiles to more than {MOST_BYTES:,} bytes"
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
