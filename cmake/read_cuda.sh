#!/usr/bin/env bash
# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# Reads a CUDA file as the first of nvcc's compilers does: host code whole, with all that it instantiates; of kernels
# what does not depend on their types. Nothing is generated, which takes a tenth of the time.
#
#   read_cuda.sh STAMP NVCC ARGUMENT... FILE        touches STAMP, beside it FILE's headers in STAMP.d
set -euo pipefail
stamp=$1
shift
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# What nvcc would run, up to and with cudafe++: settings, which are lines of a shell, and a preprocessor before it.
"$@" -c -o "$scratch/none.o" --keep-dir "$scratch" --keep --dryrun 2>&1 | sed -n 's/^#\$ //p' >"$scratch/all"
grep -E '^((CICC_PATH|LD_LIBRARY_PATH|PATH|TOP)=|gcc .* -E |cudafe\+\+ )' "$scratch/all" |
  grep -v 'D__CUDA_ARCH__=' >"$scratch/some" || true
grep -q '^cudafe++ ' "$scratch/some" || { echo "read_cuda: nvcc --dryrun names no cudafe++" >&2; exit 1; }
sed -i "s|^gcc |&-MD -MT '$stamp' -MF '$stamp.d' |" "$scratch/some"
bash -e "$scratch/some"
touch "$stamp"
