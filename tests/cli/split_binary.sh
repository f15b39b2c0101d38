# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# peneira split --type: against awk, and everything that can go wrong with files.
source "$(dirname "$0")/check.sh"

# check_split NAME FORMAT BYTES INPUT AWK-BIN BINS OPTION...: the split of INPUT equals awk's stable one, in which
# AWK-BIN is the bin of $1.
check_split() {
  local name=$1 format=$2 bytes=$3 input=$4 bin=$5 bins=$6
  shift 6
  rm -f out.bin offsets.bin
  check_exit 0 "$peneira" split "$input" --place cpu -o out.bin --offsets offsets.bin "$@"
  items "$format" "$bytes" "$input" | awk "{ print int($bin), \$1 }" >bins.txt
  sort -s -n -k1,1 bins.txt | cut -d' ' -f2 >want.txt
  items "$format" "$bytes" out.bin >have.txt
  check "$name: items" cmp have.txt want.txt
  awk -v bins="$bins" '{ ++count[$1] } END { for (b = 0; b <= bins; ++b) { print sum + 0; sum += count[b] } }' bins.txt \
    >want_offsets.txt
  check "$name: offsets" cmp <(items u 8 offsets.bin) want_offsets.txt
}

"$peneira" gen --type u32 --n 100K --seed 1 -o u32.bin
"$peneira" gen --type u8 --n 50K --seed 2 -o u8.bin
"$peneira" gen --type i16 --n 50K --dist normal --seed 3 -o i16.bin
"$peneira" gen --type f32 --n 50K --seed 4 -o f32.bin
"$peneira" gen --type u64 --n 20K --dist zipf --seed 5 -o u64.bin

check_split "range, all of u32" u 4 u32.bin '$1 * 361 / 4294967296' 361 \
  --type u32 -n 361 --by range --lo 0 --hi 4294967295
check_split "range, one bin" u 4 u32.bin 0 1 --type u32 -n 1
check_split "range, more bins than items" u 8 u64.bin '$1 / 4096 / 4096 / 4096 / 256 * 100003 / 1048576' 100003 \
  --type u64 -n 100003 --lo 0 --hi 18446744073709551615
check_split "range, clamped" u 1 u8.bin '$1 < 100 ? 0 : $1 > 199 ? 9 : ($1 - 100) / 10' 10 \
  --type u8 -n 10 --lo 100 --hi 199
read -r lo hi <<<"$(items d 2 i16.bin | awk 'NR == 1 { lo = hi = $1 } $1 < lo { lo = $1 } $1 > hi { hi = $1 }
  END { print lo, hi }')"
check_split "range, from the data" d 2 i16.bin "(\$1 - ($lo)) * 7 / ($hi - ($lo) + 1)" 7 --type i16 -n 7
check_split "digit" u 4 u32.bin 'int($1 / 1024) % 64' 64 --type u32 --by digit --shift 10 --bits 6
check_split "digit of a signed type" d 2 i16.bin '($1 + 65536) / 256 % 256' 256 --type i16 --by digit --shift 8
check_split "splitters" d 2 i16.bin '($1 >= -5000) + ($1 >= 0) + ($1 >= 0) + ($1 >= 7)' 5 \
  --type i16 --by splitters --splitters=-5000,0,0,7
printf '0.25\n0.5\n' >splitters.txt
check_split "splitters of floats from a file" f 4 f32.bin '($1 >= 0.25) + ($1 >= 0.5)' 3 \
  --type f32 --splitters @splitters.txt -n 3
for strategy in $("$peneira" strategies | awk '$1 == "multisplit" && $2 == "cpu" { print $3 }'); do
  check_split "strategy $strategy" u 4 u32.bin '$1 * 100 / 4294967296' 100 \
    --type u32 -n 100 --lo 0 --hi 4294967295 --strategy "$strategy" --threads 3
done

# Hashes: equal keys together, order kept, bins filled evenly, one answer.
check_exit 0 "$peneira" split u8.bin --type u8 --by hash -n 16 -o hash.bin --offsets hash_offsets.bin
check "hash: the same items" cmp <(items u 1 hash.bin | sort) <(items u 1 u8.bin | sort)
check "hash: equal keys share a bin" awk 'NR == FNR { start[NR] = $1; next }
  { while (FNR > start[bin + 1]) ++bin; if ($1 in seen && seen[$1] != bin) exit 1; seen[$1] = bin }' \
  <(items u 8 hash_offsets.bin) <(items u 1 hash.bin)
check "hash: golden" same "$(items u 8 hash_offsets.bin | cksum)" "242983769 96"

# Sizes at the edge.
: >empty.bin
check_exit 0 "$peneira" split empty.bin --type f64 -n 5 -o empty_out.bin --offsets empty_offsets.bin
check "an empty input" same "$(wc -c <empty_out.bin) $(items u 8 empty_offsets.bin | sort -u)" "0 0"
check "summary" grep -q '^0 items, 0 B into 5 bins: largest 0, smallest 0, empty 5$' stderr.txt
check_exit 0 "$peneira" split u8.bin --type u8 -n 256 --quiet -o quiet.bin
check "--quiet says nothing" test ! -s stderr.txt
printf '\0\0\200\177\0\0\300\177\0\0\200\377\0\0\0\0' >special.bin # inf, nan, -inf, 0
check_exit 0 "$peneira" split special.bin --type f32 -n 3 -o special_out.bin
check "infinities and NaN do not set the range" same "$(items f 4 special_out.bin | tr '\n' ' ')" "-inf 0 inf nan "

# What can go wrong.
rm -f out.bin offsets.bin
head -c 1001 u32.bin >odd.bin
check_error 1 "odd.bin holds 1001 bytes" "$peneira" split odd.bin --type u32 -n 3 -o out.bin
check "the left-over bytes" grep -q ': 1 left over' stderr.txt
check_error 2 "must be at least 1" "$peneira" split u32.bin --type u32 -n 0 -o out.bin
check_error 2 "from 1 to 4294967295" "$peneira" split u32.bin --type u32 -n 4G -o out.bin
check_error 2 "the number of bins, is required" "$peneira" split u32.bin --type u32 -o out.bin
check_error 2 "exactly one input" "$peneira" split --type u32 -n 3 -o out.bin
check_error 2 "exactly one input" "$peneira" split u32.bin u32.bin --type u32 -n 3 -o out.bin
check_error 2 "--out is required" "$peneira" split u32.bin --type u32 -n 3
check_error 2 "the same file" "$peneira" split u32.bin --type u32 -n 3 -o out.bin --offsets out.bin
check_error 2 "is not a number" "$peneira" split u32.bin --type u32 -n 3 -o out.bin --lo 3x
check_error 2 "out of the range" "$peneira" split u8.bin --type u8 -n 3 -o out.bin --hi 256
check_error 2 "the range is empty" "$peneira" split u8.bin --type u8 -n 3 -o out.bin --lo 9 --hi 3
check_error 2 "must be in ascending order" "$peneira" split u8.bin --type u8 --splitters 5,3 -o out.bin
check_error 2 "needs --splitters" "$peneira" split u8.bin --type u8 --by splitters -o out.bin
check_error 2 "--by digit makes 256 bins, not 3" "$peneira" split u8.bin --type u8 --by digit -n 3 -o out.bin
check_error 2 "--header is for text" "$peneira" split u8.bin --type u8 -n 3 -o out.bin --header
check_error 2 "--lo is for binary items" "$peneira" split u8.bin -n 3 -o 'out-%d.bin' --lo 3
check_error 2 '"nothing" is unknown' "$peneira" split u8.bin --type u8 -n 3 -o out.bin --place cpu --strategy nothing
check_error 1 "cannot open missing.bin: No such file" "$peneira" split missing.bin --type u8 -n 3 -o out.bin
check_error 1 "Is a directory" "$peneira" split . --type u8 -n 3 -o out.bin
check_error 1 "the folder nowhere does not exist" "$peneira" split u8.bin --type u8 -n 3 -o nowhere/out.bin
if "$peneira" info | grep -q 'place gpu *works'; then
  for type in u32 i32 f32 u64 i64 f64; do
    "$peneira" gen --type $type --n 300001 --dist normal --seed 6 -o there.bin --force
    for how in "-n 361" "-n 1" "-n 2 --by hash" "-n 30011 --by hash" "--by digit --shift 7 --bits 9" "--splitters 1,7,7,4000"; do
      check_exit 0 "$peneira" split there.bin --type $type $how --place cpu -o cpu.bin --offsets cpu_offsets.bin --force
      check_exit 0 "$peneira" split there.bin --type $type $how --place gpu -o gpu.bin --offsets gpu_offsets.bin --force
      check "the GPU's answer is the CPU's: $type $how" cmp cpu.bin gpu.bin
      check "and so are its offsets" cmp cpu_offsets.bin gpu_offsets.bin
    done
  done
else
  check_error 1 "cannot use a GPU: " "$peneira" split u32.bin --type u32 -n 3 -o out.bin --place gpu
fi
if [ "$(id -u)" -ne 0 ]; then
  cp u8.bin locked.bin && chmod 000 locked.bin
  check_error 1 "cannot open locked.bin: Permission denied" "$peneira" split locked.bin --type u8 -n 3 -o out.bin
else
  skip "an unreadable file: root reads everything"
fi
status=0
(limit_files 16 && "$peneira" split u32.bin --type u32 -n 3 -o out.bin 2>stderr.txt) || status=$?
check "a disk too full is an error" same "$status" 1
check "which names the file" grep -q 'cannot reserve space for out.bin: ' stderr.txt
check "no output after an error" test ! -e out.bin

echo precious >kept.bin
check_error 1 "kept.bin exists" "$peneira" split u8.bin --type u8 -n 3 -o kept.bin
check_error 1 "kept.bin exists" "$peneira" split u8.bin --type u8 -n 3 -o out.bin --offsets kept.bin
check "it is untouched" same "$(cat kept.bin)" precious
check "the other output was not made" test ! -e out.bin
check_exit 0 "$peneira" split u8.bin --type u8 -n 256 -o kept.bin --force
check "--force replaces it" cmp kept.bin quiet.bin
cp u8.bin self.bin
check_exit 0 "$peneira" split self.bin --type u8 -n 256 -o self.bin --force
check "the input may be the output" cmp self.bin quiet.bin
if [ -w /dev/full ]; then
  check_error 1 "cannot write /dev/full: No space left" "$peneira" split u8.bin --type u8 -n 3 -o /dev/full
  check_error 1 "cannot write /dev/full: No space left" "$peneira" split u8.bin --type u8 -n 3 -o /dev/full --force
  check_error 1 "cannot write /dev/full: No space left" "$peneira" split u8.bin --type u8 -n 3 -o out.bin \
    --offsets /dev/full --force
  check "no output after an error of the offsets" test ! -e out.bin
  check "/dev/full is still a device" test -c /dev/full
else
  skip "a full device: no /dev/full"
fi
# Names of one file, of none, and outputs that nobody reads.
check_error 2 "--out and --offsets name the same file" "$peneira" split u8.bin --type u8 -n 3 -o twice --offsets ./twice
check_error 2 "--out: cannot be standard output (-)" "$peneira" split u8.bin --type u8 -n 3 -o -
check_error 2 "--offsets: cannot be standard output (-)" "$peneira" split u8.bin --type u8 -n 3 -o out.bin --offsets -
if [ -w /dev/full ]; then
  check "nobody reads the summary" "$peneira" split u8.bin --type u8 -n 256 -o told.bin 2>/dev/full
  check "the output is there" cmp told.bin quiet.bin
fi
[ "${PENEIRA_CHECK:-}" = msan ] || # valgrind does not start then
  check "standard error is closed" "$peneira" split u8.bin --type u8 -n 256 -o told.bin --force 2>&-
check "the output is there, too" cmp told.bin quiet.bin
chmod 600 told.bin
check_exit 0 "$peneira" split u8.bin --type u8 -n 256 -o told.bin --force
check "a private file stays private" same "$(stat -c %a told.bin)" 600

# Options that do not belong together, and keys that have no order or no range.
check_error 2 "--lo and --hi are for --by range" "$peneira" split u8.bin --type u8 --by hash -n 5 --lo 1 -o out.bin
check_error 2 "--shift is for --by digit" "$peneira" split u8.bin --type u8 -n 5 --shift 3 -o out.bin
check_error 2 "--shift: at most 7 for u8, not 8" "$peneira" split u8.bin --type u8 --by digit --shift 8 -o out.bin
check_error 2 '"nan" is not a number of the type' "$peneira" split u8.bin --type f64 --splitters nan -o out.bin
python3 -c "import struct, sys; sys.stdout.buffer.write(struct.pack('3d', -1e308, 1, 1e308))" >far.bin
check_error 1 "the range from -1e+308 to 1e+308 overflows f64" "$peneira" split far.bin --type f64 -n 4 -o out.bin
check_exit 0 "$peneira" split far.bin --type f64 -n 4 --lo 0 --hi 2 -o far_bins.bin

mkfifo pipe
cat pipe >piped.bin &
check_exit 0 "$peneira" split u8.bin --type u8 -n 256 -o pipe --force
wait $!
check "a named pipe gets all" cmp piped.bin quiet.bin
check "nothing left" nothing_left
finish
