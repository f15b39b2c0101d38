#!/usr/bin/env bash
# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# peneira group beside datamash and awk: the same question, answers compared, the peak memory of each.
# Also as CSV, compressed, and how many different values there are, exactly and about.
# Use: bench/group.sh PENEIRA [LINES [THREADS [RUNS [OPTION of peneira-bench record]...]]]; the input lies in $TMPDIR or /tmp.
source "$(dirname "$0")/programs.sh"

# ask NAME COMMAND...: runs it as often as told; the answer goes to the file of that name.
ask() {
  local name=$1 run
  shift
  for ((run = 0; run < runs; ++run)); do take "$name" "$@" >"$name"; done
}

# normal FILE: one way to write numbers, so that answers can be compared: key, count, sum and greatest in cents.
normal() { awk -F, '{ printf "%s,%d,%.2f,%.2f\n", $1, $2, $3, $4 }' "$1" | sort; }

# question NAME KEY [FILE OPTION...]: count, sum and maximum of field 3 by a key, of the table or a form of it.
question() {
  local name=$1 key=$2 file=${3:-table.csv} peer groups verdict program
  shift $(($# < 3 ? $# : 3))
  ask peneira "$peneira" group "${@:--t,}" -k "$key" --count --sum 3 --max 3 --threads "$threads" "$file"
  normal peneira >have
  groups=$(wc -l <have)
  local all=right
  for peer in datamash mawk gawk; do
    command -v $peer >/dev/null || continue
    program="{ n[\$$key]++; s[\$$key] += \$3; if (n[\$$key] == 1 || \$3 > m[\$$key]) m[\$$key] = \$3 }
      END { for (k in n) printf \"%s,%d,%.2f,%s\\n\", k, n[k], s[k], m[k] }"
    if [ $peer = datamash ]; then
      ask $peer bash -c "datamash -t, -s -g $key count $key sum 3 max 3 <table.csv"
    else
      ask $peer bash -c "$peer -F, '$program' table.csv | sort"
    fi
    if cmp -s have <(normal $peer); then verdict=right; else verdict=wrong all=wrong; fi
    note group $peer $peer peer "$name" "$groups" $verdict
  done
  note group peneira "peneira group" ours "$name" "$groups" $all
}

# different NAME KEY FIELD: how many different texts a field has, exactly and about.
different() {
  local name=$1 key=$2 field=$3 verdict=right
  ask peneira "$peneira" group -t, -k "$key" --distinct "$field" --threads "$threads" table.csv
  sort peneira >have
  ask about "$peneira" group -t, -k "$key" --distinct "$field" --approx --threads "$threads" table.csv
  if command -v datamash >/dev/null; then
    ask datamash bash -c "datamash -t, -s -g $key countunique $field <table.csv"
    cmp -s have <(sort datamash) || verdict=wrong
    note group datamash datamash peer "$name" "$(wc -l <have)" right
  fi
  note group peneira "peneira group" ours "$name" "$(wc -l <have)" $verdict
  verdict=right  # within six standard errors
  join -t, have <(sort about) | awk -F, '{ bad += $3 < 0.9 * $2 || $3 > 1.1 * $2 } END { exit bad > 0 || NR == 0 }' || verdict=wrong
  note group about "peneira group --approx" ours "$name-approx" "$(wc -l <have)" $verdict
}

questions() {
  cd "$work"
  "$peneira" gen --lines "$lines" --text csv -o table.csv --quiet
  question few 4        # words
  question many 2       # numbers, Zipf
  question all-differ 1 # numbers
  question few-csv 4 table.csv --csv
  gzip -1 -c table.csv >table.gz
  question few-gz 4 table.gz -t,
  different distinct 4 1
}
questions | "${record[@]}"
