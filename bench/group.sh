#!/usr/bin/env bash
# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# peneira group beside datamash and awk: the same question, answers compared, the peak memory of each.
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

# question NAME KEY: count, sum and maximum of field 3 by a key.
question() {
  local name=$1 key=$2 peer groups verdict program
  ask peneira "$peneira" group -t, -k "$key" --count --sum 3 --max 3 --threads "$threads" table.csv
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

questions() {
  cd "$work"
  "$peneira" gen --lines "$lines" --text csv -o table.csv --quiet
  question few 4        # words
  question many 2       # numbers, Zipf
  question all-differ 1 # numbers
}
questions | "${record[@]}"
