#!/usr/bin/env bash
# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# peneira sort on text beside GNU sort, also in another locale and of compressed files: file to file, outputs compared,
# runs that take turns, the peak memory of each.
# Use: bench/sort_text.sh PENEIRA [LINES [THREADS [RUNS [OPTION of peneira-bench record]...]]]; the inputs lie in $TMPDIR or /tmp.
source "$(dirname "$0")/programs.sh"

# text FILE: its lines, unless they are there.
text() {
  [ -e "$1" ] && return
  case $1 in
    integers) "$peneira" gen --n "$lines" --type u32 --seed 5 -o integers.bin --quiet && od -An -v -w4 -tu4 integers.bin | tr -d ' ' >integers ;;
    sorted) text random && LC_ALL=C sort --parallel="$threads" -S 8G random -o sorted ;;
    reversed) text sorted && tac sorted >reversed ;;
    equal) text random && awk -v n="$(wc -l <random)" 'NR == 1 { for (; n > 0; --n) print; exit }' random >equal ;;
    *) "$peneira" gen --lines "$lines" --text "$1" -o "$1" --quiet ;;
  esac
}

# question NAME FILE OPTION...: theirs and ours, in turn.
question() {
  local name=$1 file=$2 run verdict=right
  shift 2
  text "$file"
  for ((run = 0; run < runs; ++run)); do
    rm -f have want  # a file that replaces another may be flushed to the disk first, which takes longer than the sort
    take theirs sort --parallel="$threads" "$@" "$file" -o want
    take ours "$peneira" sort --quiet --place=cpu --parallel="$threads" "$@" "$file" -o have
    cmp -s have want || verdict=wrong
  done
  note sort_text theirs "GNU sort" peer "$name" 0 right
  note sort_text ours "peneira sort" ours "$name" 0 $verdict
}

# packed NAME FILE COMMAND...: a compressed file, which GNU sort gets from what decompresses it.
packed() {
  local name=$1 file=$2 run verdict=right
  shift 2
  for ((run = 0; run < runs; ++run)); do
    rm -f have want
    take theirs bash -c "$* $file | sort --parallel=$threads -S 8G -o want"
    take ours "$peneira" sort --quiet --place=cpu --parallel="$threads" -S 8G "$file" -o have
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
  question integers-n integers -S 8G -n
  question csv-keys csv -S 8G -t, -k2,2 -k1n
  question random-u random -S 8G -u
  question random-20M random -S 20M
  question csv-20M csv -S 20M -t, -k2,2 -k1n
  question sorted sorted -S 8G
  question reversed reversed -S 8G
  question equal equal -S 8G
  rm -f sorted reversed equal integers integers.bin
  if locale -a 2>/dev/null | grep -qix 'en_US.utf-\?8'; then
    export LC_ALL=en_US.UTF-8
    question random-en_US random -S 8G
    question url-en_US url -S 8G
    question csv-keys-en_US csv -S 8G -t, -k2,2 -k1n
    export LC_ALL=C
  fi
  gzip -1 -c url >url.gz
  packed url-gz url.gz zcat
  if command -v zstd >/dev/null; then
    split -b 4M url frame-
    zstd -q -c frame-* >url.zst
    rm frame-*
    packed url-zst-frames url.zst zstdcat
  fi
}
questions | "${record[@]}"
