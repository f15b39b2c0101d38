# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# peneira reduce: what od and awk say of the same items.
source "$(dirname "$0")/check.sh"

reduce() { "$peneira" reduce "$@"; }

# truth OP: of the integers in the lines, a segment a line. Small enough for awk's doubles, and mawk's %d.
truth() {
  awk -v op="$1" '{
    r = op == "product" ? 1 : 0; at = -1
    for (i = 1; i <= NF; ++i) {
      if (op == "sum" || op == "mean") r += $i
      if (op == "product") r *= $i
      if ((op == "min" || op == "argmin") && (at < 0 || $i + 0 < r)) { r = $i + 0; at = before + i - 1 }
      if ((op == "max" || op == "argmax") && (at < 0 || $i + 0 > r)) { r = $i + 0; at = before + i - 1 }
    }
    before += NF
    if (NF == 0 && op != "sum" && op != "product" && op != "count") { print "none"; next }
    if (op == "mean") printf "%.6f\n", r / NF
    else if (op == "count") print NF
    else if (op ~ /^arg/) printf "%d\t%.0f\n", at, r
    else printf "%.0f\n", r }'
}

# lines FORMAT BYTES FILE COUNT: the items of a file, COUNT a line.
lines() { items "$1" "$2" "$3" | paste -sd ' ' | fold_words "$4"; }
fold_words() { awk -v n="$1" '{ for (i = 1; i <= NF; ++i) printf "%s%s", $i, i % n == 0 || i == NF ? "\n" : " " }'; }

for type in u:1 u:2 u:4 d:1 d:2 d:4; do
  format=${type%:*} bytes=${type#*:}
  name=$([ "$format" = u ] && echo u || echo i)$((8 * bytes))
  "$peneira" gen --type $name --n 10007 --seed 5 -o $name.bin
  for op in sum min max argmin argmax count; do
    check "$name $op" same "$(reduce $name.bin --type $name --op $op)" "$(lines $format $bytes $name.bin 10007 | truth $op)"
    for every in 1 128 10007 20000; do
      check "$name $op, every $every" cmp <(reduce $name.bin --type $name --op $op --every $every) \
        <(lines $format $bytes $name.bin $every | truth $op)
    done
  done
  check "$name mean" cmp <(reduce $name.bin --type $name --op mean --every 100 | awk '{ printf "%.6f\n", $1 }') \
    <(lines $format $bytes $name.bin 100 | truth mean)
done

# Segments by offsets of either width, as split writes them; empty ones among them.
"$peneira" split i32.bin --type i32 -n 300 --by hash -o bins.bin --offsets offsets.bin --quiet
items u 8 offsets.bin >offsets.txt
items d 4 bins.bin >bins.txt
awk 'NR == FNR { item[NR - 1] = $1; next } FNR > 1 { line = ""; for (i = last; i < $1; ++i) line = line " " item[i]; print line } { last = $1 }' \
  bins.txt offsets.txt >segments.txt
for op in sum min max argmin argmax count; do
  check "segments: $op" cmp <(reduce bins.bin --type i32 --op $op --segments offsets.bin) <(truth $op <segments.txt)
  check "segments: $op, 1 thread" cmp <(reduce bins.bin --type i32 --op $op --segments offsets.bin --threads 1) <(truth $op <segments.txt)
done
# words VALUE...: 32-bit items; longs VALUE...: 64-bit items.
bytes_of() { local size=$1 v i; shift; for v in "$@"; do for ((i = 0; i < size; ++i)); do printf "\\x$(printf %02x $(((v >> (8 * i)) & 255)))"; done; done; }
words() { bytes_of 4 "$@"; }
longs() { bytes_of 8 "$@"; }
words 5 3 9 7 1 8 >six.bin
words 0 2 2 5 >offsets32.bin
check "offsets of 32 bits, an empty segment, items left out" same \
  "$(reduce six.bin --type u32 --op max --segments offsets32.bin --offset-type u32 | tr '\n' ' ')" "5 none 9 "
longs 2 2 >none.bin
: >empty.bin
for op in sum:0 product:1 count:0 min:none max:none argmin:none argmax:none mean:none and:4294967295 or:0 xor:0; do
  check "an empty segment: $op" same "$(reduce six.bin --type u32 --op ${op%:*} --segments none.bin)" "${op#*:}"
  check "no items at all: $op" same "$(reduce empty.bin --type u32 --op ${op%:*})" "${op#*:}"
done
check "no items, every 3" same "$(reduce empty.bin --type u32 --every 3 | wc -c)" 0
longs 0 >one.bin
check "no segments" same "$(reduce six.bin --type u32 --segments one.bin | wc -c)" 0

# Wide sums, products, bits, floats.
longs 0x7fffffffffffffff 0x7fffffffffffffff -1 >wide.bin
check "i64 sums need more bits" same "$(reduce wide.bin --type i64)" 18446744073709551613
check "u64 sums too" same "$(reduce wide.bin --type u64)" 36893488147419103229
check "their mean" same "$(reduce wide.bin --type i64 --op mean)" 6.148914691236517e+18
check "product" same "$(reduce six.bin --type u32 --op product)" 7560
check "product modulo 2^64" same "$(reduce wide.bin --type u64 --op product)" 18446744073709551615
check "and" same "$(reduce six.bin --type u32 --op and --every 3 | tr '\n' ' ')" "1 0 "
check "or" same "$(reduce six.bin --type u32 --op or --every 3 | tr '\n' ' ')" "15 15 "
check "xor" same "$(reduce six.bin --type i32 --op xor --every 3 | tr '\n' ' ')" "15 14 "
words 0x3f800000 0x40000000 0x7fc00000 0xc0400000 >floats.bin # 1, 2, NaN, -3
each_extreme() { for op in min max argmin argmax; do reduce "$@" --op $op; done | tr '\t\n' ': '; }
check "floats: least and greatest are NaN where an item is" same "$(each_extreme floats.bin --type f32)" "nan nan 2:nan 2:nan "
check "floats: but not in other segments" same "$(each_extreme floats.bin --type f32 --every 2)" "1 nan 2 nan 0:1 2:nan 1:2 2:nan "
words 0xffc00001 0x7fc00000 >nan.bin # -NaN, NaN
check "floats: nothing but NaN" same "$(each_extreme nan.bin --type f32)" "nan nan 0:nan 0:nan "
words 0x7f800000 0xff800000 >infinite.bin # infinity, -infinity
check "floats: infinities" same "$(each_extreme infinite.bin --type f32) $(reduce infinite.bin --type f32)" "-inf inf 1:-inf 0:inf  nan"
check "floats: a sum with NaN is NaN" same "$(reduce floats.bin --type f32)" nan
check "floats: a product" same "$(reduce floats.bin --type f32 --op product --every 2 | head -n 1)" 2
"$peneira" gen --type f32 --n 1M --seed 2 -o f32.bin
check "f32 sums into f64" awk -v s="$(reduce f32.bin --type f32)" '{ t += $1 } END { d = s - t; exit !(d < 0.01 && d > -0.01) }' <(items f 4 f32.bin)
longs 0x3fb999999999999a >tenths.1
for n in 1 10 100 1000 10000 100000; do for i in 0 1 2 3 4 5 6 7 8 9; do cat tenths.$n; done >tenths.${n}0; done # times 0.1
check "f64 sums are as close as pairwise ones" same "$(reduce tenths.1000000 --type f64) $(reduce tenths.1000000 --type f64 --op mean)" "100000 0.1"
"$peneira" gen --type f64 --n 500K --seed 2 -o f64.bin
for type in f32 f64; do
  for op in sum mean product; do
    for of in "" "--every 1000" "--every 70000"; do
      wanted=$(reduce $type.bin --type $type --op $op $of --threads 1 --binary | od -An -tx8)
      for threads in 2 3 5 8; do
        check "$type $op $of: the same bits with $threads threads" same "$(reduce $type.bin --type $type --op $op $of --threads $threads --binary | od -An -tx8)" "$wanted"
      done
    done
  done
done

# Binary results.
check "binary sums are 64 bits" same "$(reduce six.bin --type u32 --every 2 --binary | od -An -tu8 -w8 | tr -d ' ' | tr '\n' ' ')" "8 16 9 "
check "binary maxima have the items' type" same "$(reduce six.bin --type u32 --op max --every 2 --binary | od -An -tu4 -w4 | tr -d ' ' | tr '\n' ' ')" "5 9 8 "
check "binary argmax is the position" same "$(reduce six.bin --type u32 --op argmax --every 2 --binary | od -An -tu8 -w8 | tr -d ' ' | tr '\n' ' ')" "0 2 5 "
check "binary means are f64" same "$(reduce six.bin --type u32 --op mean --every 2 --binary | od -An -tf8 -w8 | tr -d ' ' | tr '\n' ' ')" "4 8 4.5 "
check_error 1 "the sum of segment 0 is 18446744073709551613, which 64 bits cannot hold" "$peneira" reduce wide.bin --type i64 --binary -o never
check "no output after an error" test ! -e never
check_exit 0 "$peneira" reduce six.bin --type u32 --every 2 -o sums.txt
check "-o" same "$(tr '\n' ' ' <sums.txt)" "8 16 9 "
check_error 1 "sums.txt exists; --force replaces it" "$peneira" reduce six.bin --type u32 -o sums.txt
check_exit 0 "$peneira" reduce six.bin --type u32 -o sums.txt --force
check "--force" same "$(cat sums.txt)" 33

# Errors.
printf 1234567 >odd.bin
check_error 1 "odd.bin holds 7 bytes, not a multiple of u32 items: 3 left over" "$peneira" reduce odd.bin --type u32
check_error 1 "odd.bin holds 7 bytes, not a multiple of u64 items" "$peneira" reduce six.bin --type u32 --segments odd.bin
check_error 1 "empty.bin holds no offsets" "$peneira" reduce six.bin --type u32 --segments empty.bin
longs 0 4 3 6 >descend.bin
check_error 1 "descend.bin: the offsets descend: segment 1 begins at 4 and ends at 3" "$peneira" reduce six.bin --type u32 --segments descend.bin
longs 0 4 7 >past.bin
check_error 1 "past.bin: segment 1 ends at 7, but six.bin holds 6 items" "$peneira" reduce six.bin --type u32 --segments past.bin
longs 9 9 >past.bin
check_error 1 "past.bin: segment 0 ends at 9" "$peneira" reduce six.bin --type u32 --segments past.bin --op count
check_error 1 "cannot open missing.bin" "$peneira" reduce missing.bin --type u32
check_error 1 "Is a directory" "$peneira" reduce . --type u32
check_error 2 "--type is required" "$peneira" reduce six.bin
check_error 2 "input is required" "$peneira" reduce --type u32
check_error 2 "--every: must be at least 1" "$peneira" reduce six.bin --type u32 --every 0
check_error 2 "excludes" "$peneira" reduce six.bin --type u32 --every 2 --segments one.bin
check_error 2 "requires --segments" "$peneira" reduce six.bin --type u32 --offset-type u32
check_error 2 "is for integers, not f32" "$peneira" reduce floats.bin --type f32 --op xor
check_error 2 "--op" "$peneira" reduce six.bin --type u32 --op median
check_error 2 '"nothing" is unknown' "$peneira" reduce six.bin --type u32 --strategy nothing
check "nothing left" nothing_left
finish
