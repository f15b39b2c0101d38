#!/usr/bin/env bash
# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# A sort over the ranks of an MPI job, of one thread each, beside pn::sort with as many threads in one process, and beside
# mpi4py and numpy, where these are there.
# Use: bench/mpi.sh PENEIRA [KEYS [RANKS [RUNS [OPTION of peneira-bench record]...]]]; the program peneira_bench_mpi lies in
# ../../bench of PENEIRA's folder, where the build puts it.
source "$(dirname "$0")/programs.sh"

here=$(realpath "$(dirname "$0")")
program=$(dirname "$peneira")/../../bench/peneira_bench_mpi
launch=(mpirun --oversubscribe)
if [ "$(id -u)" = 0 ]; then launch+=(--allow-run-as-root); fi

# row NAME ours|peer INPUT RANKS VERDICT,SECONDS...
row() {
  local verdict=${5%%,*}
  echo "sort,$1,$2,$3,$lines,0,$4,0,$verdict,${5#*,}"
}

lines=$(awk -v n="$lines" 'BEGIN { printf "%d", n }')
{
  for input in uniform zipf few constant; do
    row "one process" peer $input "$threads" "$("$program" alone $input "$lines" "$runs" "$threads")"
    row "ranks" ours $input "$threads" "$("${launch[@]}" -n "$threads" "$program" ranks $input "$lines" "$runs")"
  done
  row "ranks, four a core" ours uniform $((4 * threads)) \
    "$("${launch[@]}" -n $((4 * threads)) "$program" ranks uniform "$lines" "$runs")"
  if python3 -c 'import mpi4py, numpy' 2>/dev/null; then
    row "mpi4py and numpy" peer uniform "$threads" \
      "$("${launch[@]}" -n "$threads" python3 "$here/mpi_sort.py" "$lines" "$runs")"
  fi
} | "${record[@]}"
