#!/usr/bin/env bash
# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# docs_tables.sh PENEIRA_BENCH [--check] [FILE]...: writes the tables of the documents again, each between
#   <!-- table: RESULT FILE -->  and  <!-- end -->
# from its result file; with --check, only tells whether they are what the files say. Without a FILE: README.md and all
# of docs/.
set -euo pipefail
shopt -s globstar
peneira_bench=$1
shift
check=no
if [[ ${1:-} == --check ]]; then check=yes && shift; fi
if (($# == 0)); then set -- README.md docs/**/*.md; fi
for document in "$@"; do
  fresh=$(mktemp)
  while IFS= read -r line; do
    printf '%s\n' "$line"
    if [[ $line =~ ^'<!-- table: '([^ ]+)' -->'$ ]]; then
      printf '\n%s\n\n' "$("$peneira_bench" table "${BASH_REMATCH[1]}")"
      until [[ $line == '<!-- end -->' ]]; do
        IFS= read -r line || { echo "$document: a table has no <!-- end -->" >&2 && exit 1; }
      done
      printf '%s\n' "$line"
    fi
  done <"$document" >"$fresh"
  if [[ $check == no ]]; then
    cat "$fresh" >"$document"
  elif ! diff -u "$document" "$fresh" >&2; then
    echo "$document: its tables are not what the result files say; run ./run docs" >&2
    exit 1
  fi
  rm -f "$fresh"
done
