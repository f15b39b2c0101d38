# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# What the benchmarks of whole programs share. Source it with their arguments:
#   PENEIRA [LINES [THREADS [RUNS [OPTION of peneira-bench record]...]]]
set -eu -o pipefail
export LC_ALL=C

peneira=$(realpath "$1")
lines=${2:-1e7}
threads=${3:-$(nproc)}
runs=${4:-5}
shift $(($# < 4 ? $# : 4))
record=("$peneira-bench" record --command "bench/$(basename "$0") peneira $lines $threads $runs" "$@")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# take NAME COMMAND...: runs it, and notes seconds and KiB of memory (0 without the Debian package time) under that name.
take() {
  local name=$1 start end
  shift
  echo 0 >kib
  if [ -x /usr/bin/time ]; then set -- /usr/bin/time -o kib -f %M "$@"; fi
  start=$EPOCHREALTIME
  "$@"
  end=$EPOCHREALTIME
  cat kib >>"$name.memory"
  awk -v a="$start" -v b="$end" 'BEGIN { printf ",%.6f", b - a }' >>"$name.times"
}

# note PRIMITIVE NAME PROGRAM ours|peer INPUT GROUPS right|wrong: what was taken under that name, as a line for the record.
note() {
  local memory
  memory=$(sort -n "$2.memory" | sed -n "$((runs / 2 + 1))p")
  echo "$1,$3,$4,$5,$lines,$6,$threads,$((memory * 1024)),$7$(cat "$2.times")"
  rm -f "$2.memory" "$2.times"
}
