# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# peneira sort --type and --record: against GNU sort on dumps, in memory and beyond it, and all that can go wrong.
source "$(dirname "$0")/check.sh"

# hex BYTES FILE: the records of a file, one a line.
hex() { od -An -v -w"$1" -tx1 "$2" | tr -d ' '; }

# check_numbers NAME TYPE FORMAT BYTES INPUT GNU-OPTION OPTION...: both orders equal those of GNU sort.
check_numbers() {
  local name=$1 type=$2 format=$3 bytes=$4 input=$5 how=$6
  shift 6
  items "$format" "$bytes" "$input" | sort "$how" >want.txt
  check_exit 0 "$peneira" sort "$input" --type "$type" -o out.bin "$@"
  check "$name, ascending" cmp <(items "$format" "$bytes" out.bin) want.txt
  check_exit 0 "$peneira" sort "$input" --type "$type" -o out.bin --descending "$@"
  check "$name, descending" cmp <(items "$format" "$bytes" out.bin) <(tac want.txt)
}

# check_records NAME SIZE FIRST LENGTH INPUT OPTION...: the same for records, which keep their order where they tie.
check_records() {
  local name=$1 size=$2 first=$3 length=$4 input=$5 key
  shift 5
  key=1.$((2 * first + 1)),1.$((2 * (first + length)))
  check_exit 0 "$peneira" sort "$input" --record "$size" --key "$first:$length" -o out.bin "$@"
  check "$name, ascending" cmp <(hex "$size" out.bin) <(hex "$size" "$input" | sort -s -k "$key")
  check_exit 0 "$peneira" sort "$input" --record "$size" --key "$first:$length" -o out.bin -r "$@"
  check "$name, descending" cmp <(hex "$size" out.bin) <(hex "$size" "$input" | sort -s -r -k "$key")
}

# check_external NAME INPUT OPTION...: with 1 MiB, which does not hold the input, the output is the same as in memory.
check_external() {
  local name=$1 input=$2 order
  shift 2
  for order in "" --descending; do
    check_exit 0 "$peneira" sort "$input" -o memory.bin $order "$@"
    check "$name $order: in memory" grep -q 'sorted in memory' stderr.txt
    check_exit 0 "$peneira" sort "$input" -o external.bin -S 1M --threads 3 $order "$@"
    check "$name $order: not in memory" grep -q 'sorted with temporary files' stderr.txt
    check "$name $order: external" cmp memory.bin external.bin
  done
}

# Every type.
for type in u8 u16 u32 u64 i8 i16 i32 i64 f32 f64; do
  bytes=$((${type:1} / 8))
  format=$(tr uif udf <<<"${type:0:1}")
  how=-n
  [ "$format" != f ] || how=-g
  "$peneira" gen --type $type --n 20K --seed 1 -o small.bin --force
  check_numbers "$type" $type "$format" $bytes small.bin "$how"
  [ $bytes -ge 4 ] || continue
  "$peneira" gen --type $type --n $((800 / bytes))K --seed 2 -o large.bin --force
  check_external "$type" large.bin --type $type
done
items f 8 large.bin | sort -g >want.txt
check "f64 beyond the memory" cmp <(items f 8 external.bin) <(tac want.txt)
"$peneira" sort large.bin --type u16 -S 1M -o out.bin 2>stderr.txt
check "u16 needs no temporary file" grep -q '^409600 items, 800 KiB, sorted in memory in ' stderr.txt

# All bit patterns of f32: negative numbers, both zeros, infinities, NaN of either sign last. awk ranks the bits.
{
  "$peneira" gen --type u32 --n 20K --seed 3
  printf '\0\0\0\200\0\0\0\0\0\0\200\177\0\0\200\377\1\0\200\177\1\0\200\377\377\377\377\377\0\0\0\200'
} >bits.bin
rank='{ r = $1 < 2147483648 ? $1 : $1 <= 4286578688 ? 2147483647 - $1 : 8589934592 - $1; printf "%.0f %s\n", r, $1 }'
items u 4 bits.bin | awk "$rank" | sort -n -k1,1 | cut -d' ' -f2 >want.txt
check_exit 0 "$peneira" sort bits.bin --type f32 -o out.bin
check "f32 bit patterns" cmp <(items u 4 out.bin) want.txt
check_exit 0 "$peneira" sort bits.bin --type f32 -r -o out.bin
check "f32 bit patterns, descending" cmp <(items u 4 out.bin) <(tac want.txt)

# Distributions; several MiB need partitions, one within the other.
for shape in uniform zipf constant sorted reversed normal; do
  "$peneira" gen --type u32 --n 1200K --dist $shape -o keys.bin --force
  check_external "u32 $shape" keys.bin --type u32
  "$peneira" gen --records 50K --size 100 --dist $shape -o records.bin --force
  check_external "records $shape" records.bin --record 100 --key 0:10
  head -c 150000 records.bin >part.bin
  check_records "records $shape" 100 0 10 part.bin --threads 3
done
head -c 4800000 /dev/zero >zeros.bin
check_external "all equal" zeros.bin --type u64
check_external "all records equal" zeros.bin --record 24
check "equal records stay" cmp zeros.bin external.bin
{ cat zeros.bin; "$peneira" gen --type u32 --n 100; head -c 2000000 zeros.bin; } >skewed.bin
check_external "few others among equal ones" skewed.bin --type u32
{ tr '\0' '\377' <zeros.bin; cat zeros.bin; } >highest.bin
check_external "the highest number and the lowest" highest.bin --type u32

# Keys at any place and of any length; keys that agree for long.
"$peneira" gen --records 2560 --size 100 -o records.bin --force
check_records "the sort benchmark's records" 100 0 10 records.bin
check_records "a key of one byte" 100 99 1 records.bin
check_records "a key within" 100 5 3 records.bin
check_records "a long key" 100 3 97 records.bin
check_records "records of 8 bytes" 8 0 8 records.bin
check_records "records of 5 bytes" 5 1 4 records.bin
check_records "records of one byte" 1 0 1 records.bin
check_records "records of 10 K" 10240 17 9 records.bin
# One byte in 256 is not an a.
{ head -c 1000000 zeros.bin | tr '\0' a; "$peneira" gen --type u8 --n 2000000 --seed 9 | tr '\001-\377' a; } >prefix.bin
tail -c 160000 prefix.bin >part.bin
check_records "keys that agree for long" 40 0 40 part.bin
check_records "keys that agree for long, but not to the end" 40 1 37 part.bin
check_external "keys that agree for long" prefix.bin --record 40 --key 1:37
"$peneira" sort records.bin --record 100 -o whole.bin -q
check "without --key all bytes decide" cmp <(hex 100 whole.bin) <(hex 100 records.bin | sort)

# Sizes at the edge, and around what 1 MiB holds.
: >empty.bin
for options in "--type u8" "--type f64" "--record 100 --key 0:10"; do
  check_exit 0 "$peneira" sort empty.bin $options -o out.bin --check
  check "an empty input, $options" test ! -s out.bin -a -e out.bin
done
"$peneira" gen --type u64 --n 1 -o one.bin
check_exit 0 "$peneira" sort one.bin --type u64 -o out.bin
check "one item" cmp one.bin out.bin
"$peneira" gen --type u64 --n 100K -o keys.bin --force
for ((n = 40000; n <= 70000; n += 3000)); do
  head -c $((8 * n)) keys.bin >part.bin
  check_exit 0 "$peneira" sort part.bin --type u64 -S 1M -o out.bin --check --quiet
  check "size of the output of $n items" same "$(stat -c %s out.bin)" $((8 * n))
done
"$peneira" gen --records 8K -o records.bin --force
hex 100 records.bin | sort >want.txt
for threads in 1 7 64; do
  for memory in 1M 64M; do
    "$peneira" sort records.bin --record 100 --key 0:10 --threads $threads -S $memory -o threads.bin -q
    check "$threads threads, $memory" cmp <(hex 100 threads.bin) want.txt
  done
done

# Where the output goes.
"$peneira" gen --type u32 --n 300K -o keys.bin --force
"$peneira" sort keys.bin --type u32 -o want.bin -q
cp keys.bin self.bin
check_exit 0 "$peneira" sort self.bin --type u32 -o self.bin
check "the output may be the input" cmp self.bin want.bin
cp keys.bin self.bin && ln -s self.bin link.bin
check_exit 0 "$peneira" sort link.bin --type u32 -o link.bin -S 1M
check "external too, through a link" cmp self.bin want.bin
check "the link is one still" test -L link.bin
check "standard output" cmp <("$peneira" sort keys.bin --type u32 -q) want.bin
check "standard output, external" cmp <("$peneira" sort keys.bin --type u32 -q -S 1M | cat) want.bin
mkfifo pipe
cat pipe >piped.bin &
check_exit 0 "$peneira" sort keys.bin --type u32 -S 1M -o pipe
wait $!
check "a named pipe" cmp piped.bin want.bin
check_exit 0 "$peneira" sort keys.bin --type=u32 --strategy sequential --place cpu --quiet -o out.bin
check "--quiet says nothing" test ! -s stderr.txt -a ! -s stdout.txt

# --check.
check_error 1 "keys.bin is not sorted: item 2 must come before item 1, counted from 0" "$peneira" sort keys.bin --type u32 --check -r
sum=$(sed 's/.*checksum \([0-9a-f]*\),.*/\1/' stdout.txt)
check "count and checksum of what is not sorted" grep -q '^keys.bin: 307200 items, 1228800 bytes, checksum .*, not sorted$' stdout.txt
check_says "want.bin: 307200 items, 1228800 bytes, checksum $sum, sorted" "$peneira" sort want.bin --type u32 --check
check_exit 1 "$peneira" sort want.bin --type u32 --check -r
check_exit 0 "$peneira" sort want.bin --type u32 --check -q
check "--check --quiet says nothing" test ! -s stderr.txt -a ! -s stdout.txt
{ head -c 800000 want.bin; head -c 400 want.bin; tail -c +800401 want.bin; } >swapped.bin
check_error 1 "swapped.bin is not sorted: item 200000 must come before item 199999" \
  "$peneira" sort swapped.bin --type u32 --check --threads 3
check "another content, another checksum" test "$(grep -c "$sum" stdout.txt)" -eq 0
check_exit 0 "$peneira" sort keys.bin --type u32 -o out.bin --check -S 1M
check "--check after a sort" grep -q "^checked: sorted, checksum $sum$" stderr.txt
check_error 1 "item 2 must come before item 1" "$peneira" sort records.bin --record 100 --key 0:10 --check -r
check_exit 0 "$peneira" sort threads.bin --record 100 --key 0:10 --check
check_error 2 "--check: the output cannot be read back" "$peneira" sort keys.bin --type u32 --check -o -

# What can go wrong.
rm -f out.bin
head -c 1001 keys.bin >odd.bin
check_error 2 "odd.bin holds 1001 bytes, not a multiple of u32 items: 1 left over" \
  "$peneira" sort odd.bin --type u32 -o out.bin
check_error 2 "odd.bin holds 1001 bytes, not a multiple of records of 100 bytes: 1 left over" \
  "$peneira" sort odd.bin --record 100 --key 0:10 -o out.bin
check_error 2 "cannot open missing.bin: No such file" "$peneira" sort missing.bin --type u32 -o out.bin
check_error 2 "the folder nowhere does not exist" "$peneira" sort keys.bin --type u32 -o nowhere/out.bin
check_error 2 "cannot create a temporary file in nowhere: No such file" \
  "$peneira" sort keys.bin --type u32 -S 1M -T nowhere -o out.bin
check_error 2 "input is required" "$peneira" sort --type u32 -o out.bin
check_error 2 "--type" "$peneira" sort keys.bin --type u33 -o out.bin
check_error 2 "excludes" "$peneira" sort keys.bin --type u32 --record 4 -o out.bin
check_error 2 "--key requires --record" "$peneira" sort keys.bin --type u32 --key 0:4 -o out.bin
check_error 2 "--record: must be at least 1" "$peneira" sort keys.bin --record 0 -o out.bin
for key in 0 0: :4 0:4x x:4 -1:4 0:4:4 0,4; do
  check_error 2 "invalid --key \"$key\": must be FIRST:LENGTH" "$peneira" sort keys.bin --record 4 "--key=$key" -o out.bin
done
check_error 2 "--key: 2:0 has length 0" "$peneira" sort keys.bin --record 4 --key 2:0 -o out.bin
for key in 0:5 4:1 3:2 18446744073709551615:2; do
  check_error 2 "--key: $key extends beyond the 4 bytes" "$peneira" sort keys.bin --record 4 --key $key -o out.bin
done
check_error 2 "must be at least 1048576" "$peneira" sort keys.bin --type u32 -S 1000K -o out.bin
check_error 2 "of memory is too little" "$peneira" sort keys.bin --record 614400 -S 1M -o out.bin
check_error 2 '"nothing" is unknown' "$peneira" sort keys.bin --type u32 --strategy nothing -o out.bin
check_error 2 "--strategy: items of 8 and 16 bits are always sorted by counting" "$peneira" sort keys.bin --type u8 --strategy sequential -o out.bin
check_error 2 "unrecognized argument: extra" "$peneira" sort keys.bin extra --type u32 -o out.bin
check "no output after an error" test ! -e out.bin
for case in "1G|cannot write out.bin: " "1M|cannot write a temporary file in "; do
  status=0
  (ulimit -f 520 && "$peneira" sort keys.bin --type u32 -S "${case%%|*}" -o out.bin 2>stderr.txt) || status=$?
  check "a disk too full is an error, ${case%%|*}" same "$status" 2
  check "which names the file, ${case%%|*}: $(cat stderr.txt)" grep -q "${case##*|}.*File too large" stderr.txt
  check "and leaves none, ${case%%|*}" test ! -e out.bin
done
if [ -w /dev/full ]; then
  check_error 2 "cannot write /dev/full: No space left" "$peneira" sort keys.bin --type u32 -o /dev/full
  check "/dev/full is still a device" test -c /dev/full
else
  skip "a full device: no /dev/full"
fi
check "nothing left" nothing_left

# Ended in the middle: a file of holes is long to sort and quick to make.
truncate -s 64G holes.bin
before=$(stat -c '%s %b %Y' holes.bin)
mkdir out scratch
for case in INT:130 TERM:143 KILL:137; do
  status=0
  timeout --preserve-status -s "${case%:*}" 0.4 "$peneira" sort holes.bin --type u64 -S 16M -T scratch -o out/sorted.bin \
    2>stderr.txt || status=$?
  check "${case%:*}: exit code" same "$status" "${case#*:}"
  check "${case%:*}: no output under its name" test ! -e out/sorted.bin
  check "${case%:*}: no temporary file" same "$(find scratch -mindepth 1)" ""
  check "${case%:*}: the input is as it was" same "$(stat -c '%s %b %Y' holes.bin)" "$before"
  [ "${case%:*}" = KILL ] || check "${case%:*}: nothing left" nothing_left
done
check_exit 0 "$peneira" sort keys.bin --type u32 -S 1M -T scratch -o out/sorted.bin
check "a sort after that" cmp out/sorted.bin want.bin

# The memory: 40 MB through 8 MiB. A sanitizer's own memory would spoil the measurement.
if can_measure_memory; then
  "$peneira" gen --records 400K -o records.bin --force
  for options in "--record 100 --key 0:10" "--type u64"; do
    check_exit 0 /usr/bin/time -f %M -o used.txt "$peneira" sort records.bin $options -S 8M -q -o out.bin --check --threads 2
    check "memory: $(cat used.txt) KiB, $options" test "$(cat used.txt)" -lt 28000
  done
else
  skip "bounded memory: no /usr/bin/time, or a sanitizer in the way"
fi
finish
