# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# Sorts and groups beyond the memory: with hardly any descriptors, and within -S.
source "$(dirname "$0")/check.sh"
export OMP_WAIT_POLICY=passive  # more threads than cores

# limited FILES COMMAND...: the command with so many descriptors and no more, of which it gets three.
limited() { (ulimit -n "$1" && shift && exec "$@" </dev/null 3<&- 4<&- 5<&- 6<&- 7<&-); }
psort() { limited "$files" "$peneira" sort --quiet "$@"; }

"$peneira" gen --lines 80K --text csv >table.csv
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31; do
  awk -v i=$i 'NR % 31 == i - 1' table.csv | sort -t, -k2,2 -s >part-$i
done
mkdir spill
for files in 8 11; do
  for options in "" "-t, -k2,2 -s" "-t, -k4,4 -u" "-r --batch-size=2"; do
    sort $options table.csv >want.txt
    check "$files descriptors: $options" cmp want.txt <(psort -S 1M $options table.csv)
    check_exit 0 psort -S 1M -T spill -T . $options table.csv -o out.txt
    check "$files descriptors: $options -o" cmp want.txt out.txt
  done
  sort -m -t, -k2,2 -s part-* >want.txt
  for options in "" "--batch-size=2" "--batch-size=5" "--batch-size=100"; do
    check "$files descriptors: -m $options" cmp want.txt <(psort -m -t, -k2,2 -s $options part-*)
    check_exit 0 psort -m -t, -k2,2 -s $options part-* -o out.txt
    check "$files descriptors: -m $options -o" cmp want.txt out.txt
  done
  cp part-1 out.txt && ln out.txt other.txt
  check_exit 0 psort -m -t, -k2,2 -s part-* -o out.txt
  check "$files descriptors: -m -o to a file of two names" cmp want.txt other.txt
  rm -f out.txt other.txt
done
files=16
check "16 descriptors: compressed" cmp <(sort table.csv) <(psort -S 1M --compress-program=gzip table.csv)
check "16 descriptors: -m, compressed" cmp want.txt <(psort -m -t, -k2,2 -s --compress-program=gzip part-*)
# A limit that may be raised is.
(ulimit -Sn 16 && exec "$peneira" sort -m -t, -k2,2 -s part-*) >have.txt || true
check "a soft limit of 16" cmp want.txt have.txt

"$peneira" group -t, -k 1 --count --sum 3 table.csv >want.txt
check "8 descriptors: group" cmp want.txt <(limited 8 "$peneira" group -t, -k 1 --count --sum 3 -S 64K table.csv)
check_exit 0 limited 8 "$peneira" group -t, -k 1 --count --sum 3 -S 64K table.csv -o out.txt
check "8 descriptors: group -o" cmp want.txt out.txt
rm -f out.txt

# Keys whose windows of 8 bytes are the same but for the last: a level of bins for each.
awk 'BEGIN { srand(7); for (i = 0; i < 20000; ++i) printf "%079d%08d%09d\n", 0, int(rand() * 100000000), i }' >records.bin
check_exit 0 limited 8 "$peneira" sort records.bin --record 97 --key 0:87 -S 1M -q -o out.bin
check "8 descriptors: records" cmp <(sort -s -k1.1,1.87 records.bin) out.bin
"$peneira" gen --type u64 --n 300K -o keys.bin
check_exit 0 limited 8 "$peneira" sort keys.bin --type u64 -S 1M -q -o out.bin
check_exit 0 "$peneira" sort out.bin --type u64 --check -q

# The peak of the process with -S: at most this and 8 MiB, 12 MiB of a program with CUDA. A sanitizer's own memory would spoil the measurement.
# within SIZE COMMAND...: SIZE in MiB.
own=8
"$peneira" info | grep -q 'built without CUDA' || own=12  # the program itself takes more
within() {
  local most=$((($1 + own) * 1024))
  shift
  check_exit 0 /usr/bin/time -f %M -o used.txt "$@"
  check "$(tail -n 1 used.txt) KiB, not $most: ${*/#$peneira/peneira}" test "$(tail -n 1 used.txt)" -le $most
}
if can_measure_memory; then
  "$peneira" gen --lines 160K --text random >random.txt
  head -c 3000000 random.txt | tr -d '\n' | fold -b -w 1 >short.txt
  { tr '\n' ' ' <random.txt | fold -b -w 700000; echo; cat random.txt; } >long.txt  # lines of 700 kB and usual ones
  "$peneira" gen --lines 300K --text csv >groups.csv
  "$peneira" gen --type u64 --n 1200K -o items.bin
  for input in random short long; do sort $input.txt >$input.want; done
  for threads in 1 2 16; do
    for memory in 1 5 10 50; do
      [ $((memory * threads)) -le 10 ] || [ $threads = 16 ] || continue
      for input in random short long; do
        within $memory "$peneira" sort -S ${memory}M --threads $threads $input.txt -o out.txt
        check "and $input sorted" cmp $input.want out.txt
      done
      within $memory "$peneira" group -t, -k 1 --sum 3 -S ${memory}M --threads $threads groups.csv
      within $memory "$peneira" group -k 1 --count -S ${memory}M --threads $threads short.txt
      within $memory "$peneira" sort -q -S ${memory}M --threads $threads --type u64 items.bin -o out.bin --check
      within $memory "$peneira" sort -q -S ${memory}M --threads $threads --type u16 items.bin -o out.bin
      within $memory "$peneira" sort -q -S ${memory}M --threads $threads --record 96 --key 0:10 items.bin -o out.bin
    done
    within 5 "$peneira" sort -S 5M --threads $threads -k1,1 -k2 random.txt -o out.txt
    within 5 "$peneira" sort -S 5M --threads $threads -n short.txt -o out.txt
  done
  # Dense lines after long ones: what comes next does not look like what came before.
  { cat random.txt; head -c 2000000 /dev/zero | tr '\0' '\n'; cat random.txt; } >mixed.txt
  within 10 "$peneira" sort -S 10M --threads 2 mixed.txt -o out.txt
  check "and mixed sorted" cmp <(sort mixed.txt) out.txt
  # A line that is longer than -S is sorted even so; two of them are merged.
  { echo b; head -c 6000000 /dev/zero | tr '\0' x; echo; echo a; head -c 6000000 /dev/zero | tr '\0' w; echo; } >lines.txt
  within 13 "$peneira" sort -S 1M lines.txt -o out.txt
  check "lines longer than -S" cmp <(sort lines.txt) out.txt
else
  skip "memory within -S: no /usr/bin/time, or a sanitizer in the way"
fi

# What is left of a chunk is encoded once more: not line by line, however many lines there are and however long a key.
head -c 300000 /dev/zero | tr '\0' '\n' >empty.txt
check "300,000 empty lines in little memory" cmp empty.txt <(timeout 60 "$peneira" sort -g -S 1b empty.txt)
{ head -c 3000000 /dev/zero | tr '\0' x; echo; seq 100000; } >long_first.txt
check "lines behind one that is longer than -S" \
  cmp <(sort -f -k1 long_first.txt) <(timeout 60 "$peneira" sort -f -k1 -S 1M long_first.txt)
mkdir few
for i in 1 2 3 4 5; do echo $i >few/$i; done
echo 6 >few/out
(
  exec 3<&- 4<&- 5<&- 6</dev/null 7<&6 8<&6 9<&6
  ulimit -n 10
  exec "$peneira" sort -n -m --batch-size=7 -o few/out few/out few/1 few/2 few/3 few/4 few/5 few/out
) || echo "failed" >>few/out
check "a merge onto an input with three descriptors" same "$(echo $(cat few/out))" "1 2 3 4 5 6 6"
check "nothing left" nothing_left
check "nor in the folder" same "$(find spill -mindepth 1)" ""
finish
