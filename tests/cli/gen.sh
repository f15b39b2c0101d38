# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# peneira gen: the same bytes always, of the right size and distribution.
source "$(dirname "$0")/check.sh"

# Golden sums pin the generators: inputs must not change between versions and machines.
sum_of() { "$peneira" gen "$@" | cksum | cut -d' ' -f1; }
for shape in uniform normal exponential zipf constant sorted reversed normal_n exponential_int binomial binomial_n; do
  for some in "u8 --n 300K" "i32 --n 5M" "f64 --n 3M"; do  # the last two of several chunks
    "$peneira" gen --type $some --dist $shape --seed 3 --threads 1 >one.bin
    "$peneira" gen --type $some --dist $shape --seed 3 --threads 7 >seven.bin
    check "$some $shape: any number of threads" cmp one.bin seven.bin
  done
done
check "uniform u32 golden" same "$(sum_of --type u32 --n 100K --seed 7)" 4043346690
check "normal i64 golden" same "$(sum_of --type i64 --n 100K --dist normal --seed 7)" 3423900170
check "exponential f32 golden" same "$(sum_of --type f32 --n 100K --dist exponential --seed 7)" 942444849
check "zipf u64 golden" same "$(sum_of --type u64 --n 100K --dist zipf --seed 7)" 2228560597
check "sorted u16 golden" same "$(sum_of --type u16 --n 100K --dist sorted --seed 7)" 3744304849
for text in random url csv numbers; do
  "$peneira" gen --lines 200K --text $text --seed 3 --threads 1 >one.txt
  "$peneira" gen --lines 200K --text $text --seed 3 --threads 5 >five.txt
  check "$text: any number of threads" cmp one.txt five.txt
  check "$text: lines" same "$(wc -l <one.txt)" 204800
  check "$text: another seed, another text" test "$(sum_of --lines 10 --text $text --seed 4)" != \
    "$(sum_of --lines 10 --text $text --seed 5)"
done
check "random text golden" same "$(sum_of --lines 100K --seed 7)" 3598263282
check "url text golden" same "$(sum_of --lines 100K --text url --seed 7)" 3719787570
check "csv text golden" same "$(sum_of --lines 100K --text csv --seed 7)" 2917521826
check "numbers text golden" same "$(sum_of --lines 100K --text numbers --seed 7)" 1762164587
check "a longer text begins with the shorter" cmp <("$peneira" gen --lines 300K --seed 3 | head -n 200K) \
  <("$peneira" gen --lines 200K --seed 3)

# Records: a key by the distribution, the number of the record, random bytes.
for shape in uniform zipf constant; do
  "$peneira" gen --records 300K --size 30 --dist $shape --seed 3 --threads 1 >one.bin
  "$peneira" gen --records 300K --size 30 --dist $shape --seed 3 --threads 5 >five.bin
  check "records $shape: any number of threads" cmp one.bin five.bin
  check "records $shape: size" same "$(stat -c %s one.bin)" 9216000
done
check "records golden" same "$(sum_of --records 10K --seed 7)" 3422876194
check "records of 7 bytes golden" same "$(sum_of --records 10K --size 7 --dist zipf --seed 7)" 2796634634
check "records are of 100 bytes" same "$("$peneira" gen --records 11 | wc -c)" 1100
check "no records" same "$("$peneira" gen --records 0 | wc -c)" 0
check "constant keys differ in their last 2 bytes" same \
  "$(od -An -v -w30 -tx1 one.bin | cut -c1-24 | sort -u | wc -l)" 1
check "records have a number" cmp <(od -An -v -w30 -tx1 one.bin | cut -c31-54 | tr -d ' ') <(seq -f %.0f 0 307199 |
  awk '{ printf "%016x\n", $1 }')

# Sizes.
check "n items of 8 bytes" same "$("$peneira" gen --type f64 --n 3M | wc -c)" 25165824
check "no items" same "$("$peneira" gen --type f64 --n 0 | wc -c)" 0
check "one item" same "$("$peneira" gen --type u16 --n 1 --dist sorted | wc -c)" 2

# Distributions.
"$peneira" gen --type u32 --n 100K --dist sorted -o sorted.bin
items u 4 sorted.bin >sorted.txt
check "sorted is sorted" sort -nc sorted.txt
check "sorted covers the range" awk 'NR == 1 && $1 > 50000 { bad = 1 } { last = $1 }
  END { exit bad || last < 4294900000 }' sorted.txt
"$peneira" gen --type u32 --n 100K --dist reversed -o reversed.bin
check "reversed mirrors sorted" cmp sorted.txt <(items u 4 reversed.bin | tac)
"$peneira" gen --type i16 --n 100K --dist sorted -o sorted16.bin
check "sorted is sorted across the sign" sort -nc <(items d 2 sorted16.bin)
check "constant is one value" same "$("$peneira" gen --type u64 --n 100K --dist constant >c; items u 8 c | sort -u | wc -l)" 1
"$peneira" gen --type u8 --n 1M --dist uniform -o uniform.bin
check "uniform: every byte about as often" awk '{ count[$1]++ } END {
  for (v = 0; v < 256; ++v) if (count[v] < 3700 || count[v] > 4500) exit 1 }' <(items u 1 uniform.bin)
"$peneira" gen --type i32 --n 100K --dist normal -o normal.bin
check "normal: mean 0, deviation range / 6, clamped" awk '{ s += $1; q += $1 * $1 } END {
  m = s / NR; d = sqrt(q / NR - m * m) / 4294967296
  exit !(m < 1e7 && m > -1e7 && d > 0.164 && d < 0.169) }' <(items d 4 normal.bin)
"$peneira" gen --type u32 --n 100K --dist exponential -o exponential.bin
check "exponential: mean range / 32" awk '{ s += $1; q += $1 * $1 } END {
  m = s / NR / 4294967296; d = sqrt(q / NR / 4294967296 / 4294967296 - m * m)
  exit !(m > 0.0307 && m < 0.0318 && d > 0.0305 && d < 0.0320) }' <(items u 4 exponential.bin)
# mean_and_deviation FILE: of its u32 items, as whole numbers.
mean_and_deviation() { items u 4 "$1" | awk '{ s += $1; q += $1 * $1 } END { m = s / NR; printf "%.0f %.0f\n", m, sqrt(q / NR - m * m) }'; }
# near FILE MEAN DEVIATION: both within 2%.
near() { mean_and_deviation "$1" | awk -v m="$2" -v d="$3" '{ exit !($1 > m * .98 && $1 < m * 1.02 && $2 > d * .98 && $2 < d * 1.02) }'; }
for input in "normal_n 50000 16667" "exponential_int 100 100" "binomial 32 4" "binomial_n 50000 158"; do
  read -r name mean deviation <<<"$input"
  "$peneira" gen --type u32 --n 100000 --dist "$name" -o "$name.bin"
  check "$name: mean $mean, deviation $deviation" near "$name.bin" "$mean" "$deviation"
done
check "normal_n is not cut above" awk '$1 > 100000 { over++ } END { exit !(over > 90 && over < 200) }' <(items u 4 normal_n.bin)
check "a number too large is the type's greatest" awk '$1 == 255 { most++ } END { exit !(most > NR * .9) }' \
  <("$peneira" gen --type u8 --n 10000 --dist normal_n >n8.bin; items u 1 n8.bin)
check "normal_n u32 golden" same "$(sum_of --type u32 --n 100K --dist normal_n --seed 7)" 1347003463
check "exponential_int u32 golden" same "$(sum_of --type u32 --n 100K --dist exponential_int --seed 7)" 2198632019
check "binomial f32 golden" same "$(sum_of --type f32 --n 100K --dist binomial --seed 7)" 2290874139
check "binomial_n u64 golden" same "$(sum_of --type u64 --n 100K --dist binomial_n --seed 7)" 3376194095
"$peneira" gen --type u32 --n 100K --dist zipf -o zipf.bin
check "zipf: rank r has the weight 1 / r" awk '{ count[$1 / 4096]++ } END {
  h = 14.44; for (r = 1; r <= 8; ++r) { e = NR / h / r; c = count[r - 1]
    if (c < e - 5 * sqrt(e) || c > e + 5 * sqrt(e)) exit 1 } }' <(items u 4 zipf.bin)
"$peneira" gen --type f32 --n 100K -o float.bin
check "floats lie in [0, 1)" awk '$1 < 0 || $1 >= 1 { exit 1 } { s += $1 } END { exit !(s / NR > 0.495 && s / NR < 0.505) }' \
  <(items f 4 float.bin)

# Text.
check "random lines are of 10 to 90 printable characters" awk 'length < 10 || length > 90 || /[^ -~]/ { exit 1 }' \
  <("$peneira" gen --lines 20K)
check "csv has four fields, and keys that repeat" awk -F, 'NF != 4 || $1 != NR - 1 { exit 1 } { seen[$2]++ }
  END { n = 0; for (k in seen) ++n; exit !(n > 1000 && n < NR / 2) }' <("$peneira" gen --lines 20K --text csv)
check "numbers are numbers" sh -c '! grep -Evq "^-?[0-9]{1,12}(\.[0-9]{2})?$"' <("$peneira" gen --lines 20K --text numbers)
check "urls share long prefixes" test "$("$peneira" gen --lines 20K --text url | cut -c1-35 | sort -u | wc -l)" -lt 20

# Outputs.
check_exit 0 "$peneira" gen --type u8 --n 10 -o out.bin
check_error 1 "out.bin exists; --force replaces it" "$peneira" gen --type u8 --n 20 -o out.bin
check "a refused output is untouched" same "$(wc -c <out.bin)" 10
ln -s out.bin link.bin
check_exit 0 "$peneira" gen --type u8 --n 20 -o link.bin --force
check "--force replaces what a link points to" same "$(wc -c <out.bin)" 20
check "and keeps the link" test -L link.bin
check_error 1 "the folder nowhere does not exist" "$peneira" gen --type u8 --n 20 -o nowhere/out.bin
check_error 1 "is a folder" "$peneira" gen --type u8 --n 20 -o . --force
check_error 2 "--size requires --records" "$peneira" gen --type u8 --n 3 --size 4
check_error 2 "excludes" "$peneira" gen --type u8 --n 3 --records 4
check_error 2 "--size: must be at least 1" "$peneira" gen --records 4 --size 0
check_error 2 "one of --type with --n, --records or --lines" "$peneira" gen
check_error 2 "excludes" "$peneira" gen --type u8 --n 3 --lines 4
check_error 2 "requires --n" "$peneira" gen --type u8
check_error 2 "not in {u8" "$peneira" gen --type u9 --n 3
check_error 2 "--dist" "$peneira" gen --type u8 --n 3 --dist flat
check_error 2 "--threads" "$peneira" gen --type u8 --n 3 --threads 0
check_exit 0 "$peneira" gen --type u8 --n 1M -o /dev/null --force
check "/dev/null is still a device" test -c /dev/null
if [ -w /dev/full ]; then
  check_error 1 "cannot write /dev/full: No space left" "$peneira" gen --type u8 --n 1M -o /dev/full --force
  check "/dev/full is still a device" test -c /dev/full
else
  skip "a full disk: no /dev/full"
fi
mkfifo pipe
cat pipe >piped.bin &
check_exit 0 "$peneira" gen --type u8 --n 3M -o pipe --force
wait $!
check "a named pipe gets all" same "$(wc -c <piped.bin)" 3145728
status=0
(limit_files 1024 && "$peneira" gen --type u8 --n 8M -o big.bin 2>stderr.txt) || status=$?
check "a file too large is an error" same "$status" 1
check "which names the file" grep -q 'cannot write big.bin: File too large' stderr.txt
check "and leaves none" test ! -e big.bin
set +o pipefail
status=$({ "$peneira" gen --lines 10M 2>stderr.txt; echo $? >status.txt; } | head -n 1 >/dev/null; cat status.txt)
set -o pipefail
check "a closed pipe ends it" same "$status" 141
check "without a word" test ! -s stderr.txt
check "nothing left" nothing_left
check_error 2 'is not a whole number' "$peneira" gen --type u8 --n 3 --seed -1 -o seed.bin
check_error 2 'is not a whole number' "$peneira" gen --type u8 --n 3 --seed 18446744073709551616 -o seed.bin
check_exit 0 "$peneira" gen --type u8 --n 3 --seed 18446744073709551615 -o seed.bin
check_error 2 '"nan" is not a size' "$peneira" gen --type u8 --n nan -o nan.bin
finish
