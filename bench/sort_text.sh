#!/usr/bin/env bash
# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# peneira sort on text beside GNU sort: file to file, outputs compared, the median of some runs that take turns, and the
# peak memory of each.
# Use: bench/sort_text.sh PENEIRA [LINES [THREADS [RUNS]]]; folder for the inputs: $TMPDIR or /tmp.
set -eu -o pipefail
export LC_ALL=C

peneira=$(realpath "$1")
lines=${2:-1e7}
threads=${3:-$(nproc)}
runs=${4:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
time=/usr/bin/time
[ -x $time ] || { echo "needs $time (the Debian package time)"; exit 1; }

# measure NAME COMMAND...: appends "seconds KiB" to the file of that name.
measure() {
  local name=$1
  shift
  $time -a -o "$name" -f '%e %M' "$@"
}
# median FILE COLUMN
median() { awk -v c="$2" '{ print $c }' "$1" | sort -g | sed -n "$((runs / 2 + 1))p"; }

# question NAME FILE OPTION...: ours and theirs, in turn.
question() {
  local name=$1 file=$2 run verdict="same bytes"
  shift 2
  rm -f ours theirs
  for ((run = 0; run < runs; ++run)); do
    rm -f have want  # a file that replaces another may be flushed to the disk first, which takes longer than the sort
    measure ours "$peneira" sort --quiet --parallel="$threads" "$@" "$file" -o have
    measure theirs sort --parallel="$threads" "$@" "$file" -o want
    cmp -s have want || verdict="OTHER BYTES"
  done
  awk -v name="$name" -v a="$(median ours 1)" -v b="$(median theirs 1)" -v am="$(median ours 2)" -v bm="$(median theirs 2)" \
    -v bytes="$(stat -c %s "$file")" -v verdict="$verdict" 'BEGIN {
      printf "%-34s %7.2f s %8.2f s %6.1f  %5.2f x %5.2f x  %s\n", name, a, b, b / a, am * 1024 / bytes, bm * 1024 / bytes, verdict }'
}

"$peneira" info | sed -n 's/^processor  *//p'
echo "$("$peneira" --version), $(sort --version | head -n 1), $lines lines, $threads threads, median of $runs runs"
printf '%-34s %9s %10s %6s  %7s %7s\n' "" peneira "GNU sort" times memory "its"
for kind in random url numbers csv; do "$peneira" gen --lines "$lines" --text $kind -o $kind --quiet; done
question "random lines" random -S 8G
question "URL-like lines" url -S 8G
question "numbers, -n" numbers -S 8G -n
question "csv, -t, -k2,2 -k1n" csv -S 8G -t, -k2,2 -k1n
question "random lines, -u" random -S 8G -u
question "random lines, -S 200M" random -S 200M
question "csv, -t, -k2,2 -k1n -S 200M" csv -S 200M -t, -k2,2 -k1n
