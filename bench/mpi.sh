#!/usr/bin/env bash
# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# A sort over the ranks of an MPI job, of one thread each and, where there are four threads, of two ranks with half of
# them each, beside pn::sort with as many threads in one process, and beside mpi4py and numpy, where these are there;
# the exchange within a node beside memcpy; `mpirun peneira sort` of text beside one process and GNU sort. All in turn.
# Use: [PENEIRA_CORES=0,1] bench/mpi.sh PENEIRA [KEYS [THREADS [RUNS [OPTION of peneira-bench record]...]]]. All that is
# measured runs on those cores, where they are given. GNU sort sorts each text once, which has an eighth as many lines as
# there are keys. The program peneira_bench_mpi, a target of that name, lies in ../../bench of PENEIRA's folder, where the
# build puts it, and peneira-mpi in ../peneira-mpi.
if [ -n "${PENEIRA_CORES:-}" ]; then taskset -p -c "$PENEIRA_CORES" $$ >/dev/null; fi
source "$(dirname "$0")/programs.sh"
if [ -n "${PENEIRA_CORES:-}" ]; then
  record=("$peneira-bench" record --command "PENEIRA_CORES=$PENEIRA_CORES bench/mpi.sh peneira $lines $threads $runs" "$@")
fi

here=$(realpath "$(dirname "$0")")
folder=$(dirname "$peneira")
program=$folder/../../bench/peneira_bench_mpi
launch=(mpirun --oversubscribe --bind-to none)
if [ "$(id -u)" = 0 ]; then launch+=(--allow-run-as-root); fi
keys=$(awk -v n="$lines" 'BEGIN { printf "%d", n }')
text_lines=$((keys / 8))
processes=$((threads > 4 ? threads : 4 * threads))  # four a core where that is no more than 16

# python ROUND: a line as the program prints them.
python() {
  python3 -c 'import mpi4py, numpy' 2>/dev/null || return 0
  echo "mpi4py and numpy,peer,uniform,$threads,$("${launch[@]}" -n "$threads" python3 "$here/mpi_sort.py" "$keys" 1)"
}

# one NAME KIND FILE COMMAND...: the same of a sort of a text, whose output is to be that of GNU sort.
one() {
  local name=$1 kind=$2 file=$3 start end verdict=right
  shift 3
  rm -f have
  start=$EPOCHREALTIME
  "$@"
  end=$EPOCHREALTIME
  if [ "$kind" = gnu ]; then mv have "want.$file" && kind=peer; else cmp -s have "want.$file" || verdict=wrong; fi
  echo "$name,$kind,$file,$threads,$verdict,$(awk -v a="$start" -v b="$end" 'BEGIN { printf "%.6f", b - a }')"
}

# texts FILE OPTION...: three ways to sort it, where there is peneira-mpi.
texts() {
  local file=$1 over_ranks=$folder/../peneira-mpi/peneira-mpi
  shift
  [ -x "$over_ranks" ] || return 0
  [ -e "$file" ] || "$peneira" gen --lines "$text_lines" --text "$file" -o "$file" --quiet
  [ -e "want.$file" ] || one "GNU sort" gnu "$file" sort --parallel="$threads" -S 8G "$@" "$file" -o have
  one "peneira sort (one process)" peer "$file" \
    "$peneira" sort --quiet --place=cpu --parallel="$threads" "$@" "$file" -o have
  one "peneira sort (ranks)" ours "$file" \
    "${launch[@]}" -n "$threads" "$over_ranks" sort --quiet "$@" "$file" -o have
}

for ((run = 0; run < runs; ++run)); do  # what is recorded is recorded where the caller is
  cd "$work"
  "${launch[@]}" -n "$processes" "$program" "$keys" "$threads"
  python
  texts random
  texts csv -t, -k2,2 -k1n
done | awk -F, -v keys="$keys" -v lines="$text_lines" '
  {  # name, kind, input, threads, verdict, seconds
    row = $1 "," $2 "," $3
    if (!(row in times)) order[++rows] = row
    times[row] = times[row] "," $6
    threads[row] = $4
    text[row] = $1 ~ /sort/
    if ($5 != "right") wrong[row] = 1
  }
  END {
    for (pass = 0; pass < 2; ++pass)  # peers before ours
      for (i = 1; i <= rows; ++i) {
        row = order[i]
        if ((row ~ /,ours,/) != pass) continue
        print (text[row] ? "sort_text" : "sort") "," row "," (text[row] ? lines : keys) ",0," threads[row] ",0," \
          (wrong[row] ? "wrong" : "right") times[row]
      }
  }' | "${record[@]}"
