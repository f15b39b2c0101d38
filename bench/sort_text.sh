#!/usr/bin/env bash
# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# peneira sort on text beside GNU sort: file to file, outputs compared, runs that take turns, the peak memory of each.
# Use: bench/sort_text.sh PENEIRA [LINES [THREADS [RUNS [OPTION of peneira-bench record]...]]]; the inputs lie in $TMPDIR or /tmp.
source "$(dirname "$0")/programs.sh"

# question NAME FILE OPTION...: theirs and ours, in turn.
question() {
  local name=$1 file=$2 run verdict=right
  shift 2
  [ -e "$file" ] || "$peneira" gen --lines "$lines" --text "$file" -o "$file" --quiet
  for ((run = 0; run < runs; ++run)); do
    rm -f have want  # a file that replaces another may be flushed to the disk first, which takes longer than the sort
    take theirs sort --parallel="$threads" "$@" "$file" -o want
    take ours "$peneira" sort --quiet --place=cpu --parallel="$threads" "$@" "$file" -o have
    cmp -s have want || verdict=wrong
  done
  note sort_text theirs "GNU sort" peer "$name" 0 right
  note sort_text ours "peneira sort" ours "$name" 0 $verdict
}

questions() {
  cd "$work"
  question random random -S 8G
  question url url -S 8G
  question numbers-n numbers -S 8G -n
  question csv-keys csv -S 8G -t, -k2,2 -k1n
  question random-u random -S 8G -u
  question random-20M random -S 20M
  question csv-20M csv -S 20M -t, -k2,2 -k1n
}
questions | "${record[@]}"
