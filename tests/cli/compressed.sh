# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# Inputs that gzip and zstd have compressed, told by their bytes; others, which are refused; compressed outputs.
source "$(dirname "$0")/check.sh"

psort() { "$peneira" sort --quiet "$@"; }
# reads SUFFIX: whether the program was built with what reads it.
reads() { printf 'x\n' >try.txt && "$peneira" sort try.txt -o "try.$1" 2>/dev/null; }

"$peneira" gen --lines 40K --text csv --seed 1 -o table.csv
sort -t, -k2,2 table.csv >sorted.csv
"$peneira" group -t, -k 4 --count --sum 3 table.csv >groups.txt
for form in gz:gzip zst:zstd; do
  suffix=${form%:*}
  tool=${form#*:}
  if ! command -v $tool >/dev/null || ! reads $suffix; then
    skip "$suffix: no $tool, or the program was built without it"
    continue
  fi
  $tool -c table.csv >table.$suffix
  cp table.$suffix named-otherwise
  for input in table.$suffix named-otherwise; do
    check "sort $input" cmp sorted.csv <(psort -t, -k2,2 $input)
  done
  check "sort, little memory" cmp sorted.csv <(psort -S 1M -t, -k2,2 table.$suffix)
  check "sort from a pipe" cmp sorted.csv <(cat table.$suffix | psort -t, -k2,2)
  check "sort from standard input" cmp sorted.csv <(psort -t, -k2,2 <table.$suffix)
  check "sort among others" cmp <(sort table.csv table.csv) <(psort table.csv table.$suffix)
  check "sort -c" cmp <(sort -c table.csv 2>&1 | cut -d: -f3-) <("$peneira" sort -q -c table.$suffix 2>&1 | cut -d: -f3-)
  check "sort --header" cmp <(psort --header --csv table.csv) <(psort --header --csv table.$suffix)
  $tool -c sorted.csv >sorted.$suffix
  check "sort -m" cmp <(sort -t, -k2,2 -m sorted.csv sorted.csv) <(psort -t, -k2,2 -m sorted.csv sorted.$suffix)
  check "group" cmp groups.txt <("$peneira" group -t, -k 4 --count --sum 3 table.$suffix)
  check "group from a pipe" cmp groups.txt <(cat table.$suffix | "$peneira" group -t, -k 4 --count --sum 3)
  check_exit 0 "$peneira" split -q -t, -k 2 -n 2 --out "part-$suffix-%d" table.$suffix
  check "split" cmp <(sort table.csv) <(sort part-$suffix-*)
  for chunk in 1K 32M; do
    check_exit 0 "$peneira" split -q -t, -k 2 -n 16 --force --out 'plain-%d' table.csv
    check_exit 0 "$peneira" split -q -t, -k 2 -n 16 --force --threads 3 --chunk $chunk --out "shard-%d.$suffix" table.csv
    for shard in {0..15}; do
      check "shard $shard in pieces of $chunk" cmp plain-$shard <($tool -dc shard-$shard.$suffix)
    done
  done
  check "shards are read again" cmp <(sort table.csv) <(psort shard-*.$suffix)
  check_exit 0 "$peneira" split -q --header --csv --out "key-{4}.$suffix" table.csv
  check "a file for each key" cmp <(tail -n +2 table.csv | sort) <(for f in key-*.$suffix; do $tool -dc $f | tail -n +2; done | sort)
  check_exit 0 "$peneira" split -q --out 'by-{}' <(printf 'a\na.%s\na\n' $suffix)
  check "a name that ends so by its key" same "$(cat by-a | paste -sd ' ') $($tool -dc by-a.$suffix)" "a a a.$suffix"
  rm by-a
  check_exit 0 "$peneira" split -q -n 3 --out "none-%d.$suffix" /dev/null
  check "shards without lines are whole" same "$($tool -dc none-?.$suffix | wc -c)" 0
  cat table.$suffix table.$suffix >twice.$suffix
  check "one behind the other" cmp <(sort table.csv table.csv) <(psort twice.$suffix)
  : | $tool -c >empty.$suffix
  check "of nothing" same "$(psort empty.$suffix | wc -c)" 0
  head -c 20000 table.$suffix >short.$suffix
  check_exit 2 "$peneira" sort short.$suffix -o never
  check "truncated: $(cat stderr.txt)" grep -q "short.$suffix: cannot decompress: it ends too early" stderr.txt
  check_exit 1 "$peneira" group -t, -k 4 --count short.$suffix
  check "group: truncated" grep -q "short.$suffix: cannot decompress: it ends too early" stderr.txt
  { head -c 5000 table.$suffix; head -c 5000 /dev/zero | tr '\0' x; tail -c +10001 table.$suffix; } >bad.$suffix
  check_exit 2 "$peneira" sort bad.$suffix -o never
  check "damaged: $(cat stderr.txt)" grep -q "bad.$suffix: cannot decompress: " stderr.txt
  check "no output" test ! -e never
  check_exit 0 "$peneira" group -t, -k 4 --count --sum 3 table.csv -o out.$suffix
  check "group writes $suffix" cmp groups.txt <($tool -dc out.$suffix)
  check_exit 0 "$peneira" count -t, -k 4 table.csv --force -o out.$suffix
  check "count writes $suffix" cmp <("$peneira" count -t, -k 4 table.csv) <($tool -dc out.$suffix)
  check_exit 0 "$peneira" gen --lines 40K --text csv --seed 1 --force -o out.$suffix
  check "gen writes $suffix" cmp table.csv <($tool -dc out.$suffix)
  check_exit 0 "$peneira" sort -t, -k2,2 table.csv -o out.$suffix
  check "$tool reads what was written" cmp sorted.csv <($tool -dc out.$suffix)
  check_exit 0 "$peneira" sort -t, -k2,2 table.$suffix -o table.$suffix
  check "onto the input" cmp sorted.csv <($tool -dc table.$suffix)
  check_exit 0 "$peneira" sort /dev/null -o none.$suffix
  check "an empty output" same "$($tool -dc none.$suffix | wc -c)" 0
  if [ -w /dev/full ]; then
    ln -s /dev/full full.$suffix
    check_exit 2 "$peneira" sort table.csv -o full.$suffix
    check "a full disk" grep -q "No space left" stderr.txt
  fi
done
if command -v gzip >/dev/null && reads gz; then
  { gzip -c try.txt; head -c 1000 /dev/zero; } >padded.gz
  check "zeros behind it" same "$(psort padded.gz)" x
  { gzip -c try.txt; echo more; } >trailed.gz
  check_exit 2 "$peneira" sort trailed.gz
  check "other bytes behind it" grep -q "other bytes follow" stderr.txt
fi

# Files of parts that threads decompress: bgzf, and zstd of many frames.
"$peneira" gen --lines 200K --text csv --seed 2 -o parts.csv
sort -t, -k2,2 parts.csv >sorted.csv
"$peneira" group -t, -k 4 --count --sum 3 parts.csv >groups.txt
bgzf='
import struct, sys, zlib
data, out = sys.stdin.buffer.read(), sys.stdout.buffer
for at in [*range(0, len(data), 65280), None]:  # the last member is empty
    part = b"" if at is None else data[at:at + 65280]
    pack = zlib.compressobj(1, zlib.DEFLATED, -15)
    body = pack.compress(part) + pack.flush()
    out.write(b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0" + struct.pack("<H", len(body) + 25) + body)
    out.write(struct.pack("<II", zlib.crc32(part), len(part)))
'
if reads gz; then python3 -c "$bgzf" <parts.csv >parts.gz; fi
if command -v zstd >/dev/null && reads zst; then
  split -b 300K parts.csv frame-
  { printf '\x5a\x2a\x4d\x18\x03\0\0\0abc'; zstd -q -c frame-*; printf '\x50\x2a\x4d\x18\0\0\0\0'; } >parts.zst
fi
# What zstd looks back takes memory: more than -S has for it is refused, in one frame and in the second of two.
if [ -e parts.zst ] && zstd -q --long=27 <parts.csv >wide.zst 2>/dev/null; then
  { cat parts.zst; cat wide.zst; } >later.zst
  for name in wide later; do
    for options in "-S 1M" "-S 64M" "-S 64M --threads 3"; do
      most="4.0 MiB"
      [[ $options == "-S 64M"* ]] && most="16 MiB"
      check_exit 2 "$peneira" sort -q $options $name.zst -o never
      check "$name: $options: $(cat stderr.txt)" grep -q "$name.zst: .*look back more than $most; a larger -S allows it" stderr.txt
      check_exit 1 "$peneira" group -q -t, -k 4 --count $options $name.zst -o never
      check "group, $name: $options: $(cat stderr.txt)" grep -q "$name.zst: .*look back more than $most; a larger -S allows it" stderr.txt
    done
  done
  check "with the memory for it" cmp sorted.csv <(psort -S 1G -t, -k2,2 wide.zst)
  check "from a pipe" cmp sorted.csv <(psort -S 1G -t, -k2,2 <wide.zst)
  check_exit 1 "$peneira" split -q -n 2 --chunk 1M --out 'never-%d' wide.zst
  check "split: $(cat stderr.txt)" grep -q "a larger --chunk allows it" stderr.txt
fi
if [ -e parts.zst ] && can_measure_memory; then
  zstd -q -3 --zstd=wlog=22 <parts.csv >narrow.zst  # of 4 MiB
  for options in "-S 1M" "-S 16M" "-S 64M --threads 2"; do
    limit=${options#-S }
    limit=${limit%%M*}
    check_exit 0 /usr/bin/time -f %M -o used.txt "$peneira" sort -q $options -t, -k2,2 narrow.zst -o out.csv
    check "sorted with $options" cmp sorted.csv out.csv
    check "memory of $options: $(cat used.txt) KiB" test "$(tail -n 1 used.txt)" -lt $((limit * 1024 + 16384))
  done
fi
for suffix in gz zst; do
  [ -e parts.$suffix ] || continue
  for more in "--threads 1" "--threads 2" "--threads 5" "--threads 3 -S 20M" "--threads 3 -S 1M"; do
    check "sort parts.$suffix $more" cmp sorted.csv <(psort $more -t, -k2,2 parts.$suffix)
    check "group parts.$suffix $more" cmp groups.txt <("$peneira" group $more -t, -k 4 --count --sum 3 parts.$suffix)
  done
  check "from a pipe: parts.$suffix" cmp sorted.csv <(cat parts.$suffix | psort -t, -k2,2)
  check "the first lines: parts.$suffix" cmp <(sort parts.csv | head -n 5) <(psort --top 5 parts.$suffix)
  cat parts.$suffix table.$suffix parts.$suffix >mixed.$suffix
  check "parts, another compressed file, parts: $suffix" cmp <(sort parts.csv parts.csv <(LC_ALL=C "$peneira" sort -q table.$suffix)) <(psort --threads 3 mixed.$suffix)
  size=$(stat -c %s parts.$suffix)
  for cut in 1 1000 $((size / 2)); do
    head -c -$cut parts.$suffix >short.$suffix
    check_exit 2 "$peneira" sort --threads 3 short.$suffix -o never
    check "parts.$suffix without $cut bytes: $(cat stderr.txt)" grep -q "short.$suffix: cannot decompress: it ends too early" stderr.txt
  done
  { head -c $((size / 2)) parts.$suffix; head -c 5000 /dev/zero | tr '\0' x; tail -c +$((size / 2 + 5001)) parts.$suffix; } >bad.$suffix
  check_exit 2 "$peneira" sort --threads 3 bad.$suffix -o never
  check "damaged parts.$suffix: $(cat stderr.txt)" grep -q "bad.$suffix: cannot decompress: " stderr.txt
  { cat parts.$suffix; echo more; } >trailed.$suffix
  check_exit 2 "$peneira" sort --threads 3 trailed.$suffix
  check "other bytes behind parts.$suffix" grep -q "trailed.$suffix: cannot decompress: " stderr.txt
  check_exit 141 bash -c "'$peneira' sort -q --threads 3 -m parts.$suffix parts.$suffix | head -n 1 >/dev/null; exit \${PIPESTATUS[0]}"
done
if [ -e parts.gz ]; then
  { cat parts.gz; head -c 1000 /dev/zero; } >padded.gz
  check "zeros behind bgzf" cmp sorted.csv <(psort --threads 3 -t, -k2,2 padded.gz)
fi

printf '\xfd7zXZ\0rest\n' >data.xz
printf 'BZh91AY&SYrest\n' >data.bz2
printf '\x04\x22\x4d\x18rest\n' >data.lz4
printf 'PK\x03\x04rest\n' >data.zip
for form in xz:xzcat bz2:bzcat lz4:lz4cat zip:unzip; do
  check_exit 2 "$peneira" sort data.${form%:*}
  check "$form: $(cat stderr.txt)" grep -q "data.${form%:*}: is .*not lines of text; try: ${form#*:}" stderr.txt
  check_exit 1 "$peneira" group -k 1 --count data.${form%:*}
  check "group, $form" grep -q "try: ${form#*:}" stderr.txt
done
check "nothing left" nothing_left
finish
