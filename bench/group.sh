#!/usr/bin/env bash
# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# peneira group beside datamash and awk: the same question, answers compared, the median of some runs.
# Use: bench/group.sh PENEIRA [LINES [THREADS [RUNS]]]; folder for the inputs: $TMPDIR or /tmp.
set -eu -o pipefail
export LC_ALL=C

peneira=$(realpath "$1")
lines=${2:-1e7}
threads=${3:-$(nproc)}
runs=${4:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# median COMMAND: of the seconds of all runs; the output goes to the file `answer`.
median() {
  local run start
  for ((run = 0; run < runs; ++run)); do
    start=$(date +%s.%N)
    bash -c "$1" >answer
    date +%s.%N | awk -v start="$start" '{ printf "%.3f\n", $1 - start }'
  done | sort -n | sed -n "$((runs / 2 + 1))p"
}

# normal FILE: one way to write numbers, so that answers can be compared: key, count, sum and greatest in cents.
normal() { awk -F, '{ printf "%s,%d,%.2f,%.2f\n", $1, $2, $3, $4 }' "$1" | sort; }

# question NAME KEY FILE: count, sum and maximum of field 3 by a key.
question() {
  local name=$1 key=$2 file=$3 peer ours theirs program
  ours=$(median "'$peneira' group -t, -k $key --count --sum 3 --max 3 --threads $threads $file")
  normal answer >want
  printf '%-34s %9s groups\n  %-10s %8.2f s\n' "$name" "$(wc -l <want)" peneira "$ours"
  for peer in datamash mawk gawk; do
    command -v $peer >/dev/null || { printf '  %-10s not installed\n' $peer; continue; }
    program="{ n[\$$key]++; s[\$$key] += \$3; if (n[\$$key] == 1 || \$3 > m[\$$key]) m[\$$key] = \$3 }
      END { for (k in n) printf \"%s,%d,%.2f,%s\\n\", k, n[k], s[k], m[k] }"
    if [ $peer = datamash ]; then
      theirs=$(median "datamash -t, -s -g $key count $key sum 3 max 3 <$file")
    else
      theirs=$(median "$peer -F, '$program' $file | sort")
    fi
    printf '  %-10s %8.2f s  %6.1f times as long' $peer "$theirs" "$(awk -v a="$theirs" -v b="$ours" 'BEGIN { print a / b }')"
    if cmp -s want <(normal answer); then echo "  same answer"; else echo "  ANOTHER ANSWER"; fi
  done
}

"$peneira" info | sed -n 's/^processor  *//p'
echo "$("$peneira" --version), $lines lines of \`peneira gen --text csv\`, $threads threads, median of $runs runs"
"$peneira" gen --lines "$lines" --text csv -o table.csv --quiet
question "few groups (field 4, words)" 4 table.csv
question "many groups (field 2, zipf)" 2 table.csv
question "all lines differ (field 1, numbers)" 1 table.csv
