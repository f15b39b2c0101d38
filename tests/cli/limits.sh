# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# Interrupts, and memory that does not grow with the input.
source "$(dirname "$0")/check.sh"

# check_interrupt SIGNAL CODE COMMAND...: the signal, after 0.3 s, ends it with that code and no file remains.
check_interrupt() {
  local signal=$1 wanted=$2 status=0
  shift 2
  mkdir out
  timeout --preserve-status -s "$signal" 0.3 "$@" >/dev/null 2>stderr.txt || status=$?
  check "$signal: exit code of ${*/#$peneira/peneira}" same "$status" "$wanted"
  check "$signal: no word" test ! -s stderr.txt
  check "$signal: no file of ${*/#$peneira/peneira}" same "$(find out -mindepth 1)" ""
  rm -rf out
}

check_interrupt INT 130 "$peneira" gen --type u64 --n 1T -o out/items.bin
check_interrupt TERM 143 "$peneira" gen --lines 1T -o out/lines.txt
check_interrupt HUP 129 "$peneira" gen --lines 1T --text url
check_interrupt INT 130 bash -c "'$peneira' gen --lines 1T --text csv | exec '$peneira' split -t, -k 2 -n 100 --out 'out/%d'"
check_interrupt TERM 143 bash -c "exec '$peneira' split -t, -k 2 -n 100 --out 'out/%d' < <(sleep 5)"
mkfifo silent
sleep 5 >silent &
check_interrupt INT 130 "$peneira" split -n 10 --out 'out/%d' silent
kill $! 2>/dev/null || true

# 248 MiB of short lines through half as much memory. A sanitizer's own memory would spoil the measurement.
if can_measure_memory; then
  "$peneira" gen --lines 2M --text csv >table.csv
  cat table.csv table.csv table.csv table.csv >large.csv
  for options in "-t, -k 2" "--csv -k 2"; do
    rm -f part-*
    check_exit 0 /usr/bin/time -f %M -o used.txt "$peneira" split $options -n 64 --quiet --out 'part-%d' large.csv --threads 2
    check "memory: $(cat used.txt) KiB for $(stat -c %s large.csv) bytes" test "$(cat used.txt)" -lt 200000
    check "all bytes are there" same "$(cat part-* | wc -c)" "$(stat -c %s large.csv)"
  done
  rm -f part-*
  head -c 64M large.csv | tr -c '\n' '\n' >blank.txt
  check_exit 0 /usr/bin/time -f %M -o used.txt "$peneira" split -n 4 --quiet --out 'part-%d' blank.txt --threads 2
  check "memory: $(cat used.txt) KiB for 64 Mi empty lines" test "$(cat used.txt)" -lt 500000
  check "all empty lines are there" same "$(cat part-* | wc -c)" 67108864
else
  skip "bounded memory: no /usr/bin/time, or a sanitizer in the way"
fi
check "nothing left" nothing_left
finish
