# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
"""One sort on a GPU stays quick to compile: what NVIDIA's compiler makes of it is not larger than it was.

    one_sort_test.py INCLUDE_FOLDER NVCC

A call compiles all that the automatic choice may need, so a kernel more shows here. The bytes of text and data count,
as `size` tells them; how long it took is printed, and for comparison how long a file without any call does.
"""
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

MOST_BYTES = 635_000  # 613,600 with the host's half for Arm, some 15,000 more for x86
FILES = {
    "one_sort": "void sort(std::uint32_t* keys, std::size_t n) { pn::sort(pn::gpu{}, pn::items(keys, n)); }\n",
    "no_call": "",
}


def compiled(folder, name, include, nvcc):
    """Compiles a file; returns the bytes of its text and data, and the processor's seconds that it took."""
    source = folder / f"{name}.cu"
    source.write_text("#include <cstdint>\n#include <peneira/sort.hpp>\n" + FILES[name], encoding="utf-8")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([nvcc, "-std=c++20", "-arch=sm_90", "-O3", f"-I{include}", "-c", source, "-o", folder / f"{name}.o"],
                   check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    sizes = subprocess.run(["size", folder / f"{name}.o"], check=True, capture_output=True, text=True).stdout
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    text, data = sizes.splitlines()[1].split()[:2]
    return int(text) + int(data), seconds


def main(include, nvcc):
    with tempfile.TemporaryDirectory() as folder:
        found = {name: compiled(Path(folder), name, include, nvcc) for name in FILES}
    for name, (size, seconds) in found.items():
        print(f"{name}: {size:,} bytes, {seconds:.1f} s of processor time")
    assert found["one_sort"][0] <= MOST_BYTES, f"one sort compiles to more than {MOST_BYTES:,} bytes"
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
