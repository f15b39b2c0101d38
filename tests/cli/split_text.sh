# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# peneira split of text: every line once, in order, in the shard of its key.
source "$(dirname "$0")/check.sh"

# check_shards NAME AWK-KEY INPUT FILE...: the shards hold INPUT's lines, each shard's in input order, and no two shards
# share a key. Lines are made unique by their number, which a shard must keep ascending.
check_shards() {
  local name=$1 key=$2 input=$3
  shift 3
  check "$name: all lines, once" cmp <(sort "$@") <(sort "$input")
  check "$name: equal keys share a shard" awk "{ k = $key } k in shard && shard[k] != FILENAME { exit 1 }
    { shard[k] = FILENAME }" "$@"
  check "$name: input order" awk 'NR == FNR { number[$0] = NR; next }
    FNR == 1 { last = 0 } number[$0] <= last { exit 1 } { last = number[$0] }' "$input" "$@"
}

"$peneira" gen --lines 50K --text csv --seed 1 -o table.csv
for threads in 1 2 7; do
  for chunk in 1000 64K 32M; do
    check_exit 0 "$peneira" split -t, -k 2 -n 16 --out "t$threads-$chunk-%02d.csv" table.csv --threads $threads --chunk $chunk
    check_shards "threads $threads, chunk $chunk" 'substr($0, index($0, ",") + 1, 8)' table.csv t$threads-$chunk-*.csv
    cat t$threads-$chunk-*.csv >all-$threads-$chunk.txt
    check "any threads and chunk make the same shards" cmp all-1-1000.txt all-$threads-$chunk.txt
  done
done
check "16 shards" same "$(ls t1-1000-* | wc -l)" 16
check "summary" grep -Eq '^51200 records, .* into 16 shards: largest [0-9]+, smallest [0-9]+, empty 0$' stderr.txt

# The hash is part of the interface: these shards were computed apart from the program.
printf '%s\n' 'a 821' 'apple 909' 'banana 385' 'cherry 786' 'exactly8 113' 'ninebytes 846' $'caf\xc3\xa9 84' >known.txt
check_exit 0 "$peneira" split -k 1 -n 1000 --out 'known-%d' known.txt
while read -r key shard; do
  check "shard of $key" grep -qx "$key $shard" "known-$shard"
done <known.txt
printf 'a longer key with blanks\n\n' | "$peneira" split -n 1000 --out 'line-%d' --quiet
check "the whole line is the key" same "$(cat line-177)" "a longer key with blanks"
check "an empty key" same "$(od -An -c line-0 | tr -d ' ')" '\n'
check "every shard is there, even if empty" same "$(ls line-* | wc -l)" 1000

# A file for each key.
printf '%s\n' city,n b/c,1 a,2 ,3 b/c,4 ..,5 a%,6 -f,7 '"x, ""y""",8' >cities.csv
mkdir keyed
for options in "{city}.csv" "{}.csv -k city" "{1}.csv --threads 7 --chunk 10"; do
  rm -f keyed/* && set -- $options
  check_exit 0 "$peneira" split --csv --header --out "keyed/$1" "${@:2}" cities.csv
  check "$options: summary" grep -q '^8 records, .* into 7 shards' stderr.txt
  check "$options: the files" same "$(ls keyed | LC_ALL=C sort | paste -sd ' ')" \
    '%.csv %2Df.csv %2E..csv a%25.csv a.csv b%2Fc.csv x, "y".csv'
  check "$options: lines in their order, a header in each" same "$(cat 'keyed/b%2Fc.csv')" "$(printf 'city,n\nb/c,1\nb/c,4')"
done
check_error 1 "exists; --force replaces it" "$peneira" split --csv --header --out 'keyed/{city}.csv' cities.csv
check "a refused split leaves all as it was" same "$(ls -A keyed | wc -l)" 7
check_exit 0 "$peneira" split --csv --header --out 'keyed/{city}.csv' --force cities.csv
check_error 2 "no --bins where --out names files by their keys" "$peneira" split -k 1 -n 3 --out '{}.txt' cities.csv
check_error 2 "no --by where" "$peneira" split -k 1 --by hash --out '{}.txt' cities.csv
check_error 2 "must hold one key in braces" "$peneira" split -k 1 --out '{}{}.txt' cities.csv
check_error 2 "must hold one key in braces" "$peneira" split -k 1 --out '{.txt' cities.csv
check_error 2 "and no number" "$peneira" split -k 1 --out '{}-%d.txt' cities.csv
check_error 2 "the key is 2, not city" "$peneira" split --csv --header -k 2 --out '{city}.txt' cities.csv
check_error 1 "town" "$peneira" split --csv --header --out '{town}.txt' cities.csv
check_error 1 "more than 100000 keys" "$peneira" split --out 'keyed/{}' < <(seq 100001)
check "no files of too many keys" same "$(ls -A keyed | wc -l)" 7
check_exit 0 "$peneira" split -q --out 'keyed/none-{}' /dev/null
check "no lines, no files" same "$(ls -A keyed | wc -l)" 7
check_exit 0 bash -c 'ulimit -n 12 && seq 300 | "$0" split -q --out "keyed/n{}"' "$peneira"
check "more keys than descriptors" same "$(cat keyed/n* | sort -n | cksum)" "$(seq 300 | cksum)"

# Several fields are one key, whatever their order; quotes keep them apart.
printf '%s\n' 'city,day,n' 'a,1,x' 'b,1,y' 'a,2,z' 'a,1,w' '"a,1",2,v' 'a,"1,2",u' >days.csv
mkdir days
check_exit 0 "$peneira" split -q --csv --header --out 'days/{city,day}.csv' days.csv
mkdir linked
ln -s there linked/a && ln -s there linked/b && echo old >linked/there
check_exit 1 "$peneira" split -q --force --out 'linked/{}' <(printf 'a\nb\n')
check "two shards that are one file: $(cat stderr.txt)" grep -qE 'linked/[ab] and linked/[ab] are one file' stderr.txt
check "which is as it was" same "$(cat linked/there) $(ls -A linked | wc -l)" "old 3"
check "a file for both fields" same "$(ls days | LC_ALL=C sort | paste -sd ' ')" '"a,1",2.csv a,"1,2".csv a,1.csv a,2.csv b,1.csv'
check "their lines" same "$(cat days/a,1.csv)" "$(printf 'city,day,n\na,1,x\na,1,w')"
check_exit 0 "$peneira" split -q --csv --header -k 2,city --force --out 'days/{}.txt' days.csv
check "numbers and names, in another order" same "$(cat days/1,a.txt)" "$(cat days/a,1.csv)"
check_exit 0 "$peneira" split -q -k 2,1 --by range --splitters 'x b' --out 'days/r-%d' < <(printf 'a x\nb x\nc w\n')
check "with blanks a blank joins them" same "$(cat days/r-0)" "$(printf 'a x\nc w')"
check_exit 0 "$peneira" split -q -t, -k 1,2 -n 16 --out 'days/h-%02d' --threads 3 --chunk 999 table.csv
check "every line once" same "$(cat days/h-* | sort | cksum)" "$(sort table.csv | cksum)"
for shard in days/h-*; do cut -d, -f1,2 "$shard" | sort -u | sed "s|$|@$shard|"; done >days/where
check "a key in one shard alone" same "$(cut -d@ -f1 days/where | sort | uniq -d | wc -l)" 0
printf 'a;b,c\n1;2\n3;2\n' | "$peneira" split -q --header -t ';' -k 'b,c' --out 'days/c-{}' 
check "a name may hold commas" same "$(cat days/c-2)" "$(printf 'a;b,c\n1;2\n3;2')"
check_error 1 "line 2: has no field 3: it ends after 2" "$peneira" split -t, -k 1,3 -n 2 --out 'days/m-%d' < <(printf '1,2,3\n1,2\n')
check_error 2 '"1,x" is not a number' "$peneira" split -t, -k 1,x -n 2 --out 'days/m-%d' table.csv
check_error 2 '"1,,2" is not a number' "$peneira" split -t, -k 1,,2 -n 2 --out 'days/m-%d' table.csv

# One file after the other.
mkdir filled
for threads in 1 7; do
  for chunk in 1000 32M; do
    rm -f filled/*
    check_exit 0 "$peneira" split --lines 7000 --out 'filled/l-%d' --threads $threads --chunk $chunk table.csv
    check_exit 0 "$peneira" split --size 100K --out 'filled/s-%02d' --threads $threads --chunk $chunk table.csv
    check "lines are as GNU split has them" same "$(cd filled && cksum l-*)" "$(split -a 1 --numeric-suffixes -l 7000 table.csv filled/g- && cd filled && cksum g-* | sed 's/g-/l-/')"
    check "sizes are as GNU split has them" same "$(cd filled && cksum s-*)" "$(rm -f filled/g-* && split -a 2 --numeric-suffixes -C 100K table.csv filled/g- && cd filled && cksum g-* | sed 's/g-/s-/')"
  done
done
rm -f filled/*
check_exit 0 "$peneira" split --csv --header --lines 3 --out 'filled/%d.csv' cities.csv
check "a header in each" same "$(head -qn 1 filled/* | paste -sd ' ')" "city,n city,n city,n"
check "the rest in the last" same "$(wc -l <filled/2.csv)" 3
check_exit 0 "$peneira" split --csv --header --lines 3 --size 15 --force --out 'filled/%d.csv' cities.csv
check "whichever is reached first" same "$(cat filled/0.csv)" "$(printf 'city,n\nb/c,1')"
check_exit 0 "$peneira" split -q --csv --header --out 'filled/{city}' < <(printf 'city,n\n')
check "a header alone makes no file of a key" same "$(ls filled | grep -vc '\.csv$')" 0
check_error 2 "no --bins where --lines or --size" "$peneira" split --lines 3 -n 3 --out '%d.txt' cities.csv
check_error 2 "no key where --lines or --size" "$peneira" split --lines 3 --out '{}.txt' cities.csv
check_error 2 "--lines: must be at least 1" "$peneira" split --lines 0 --out '%d.txt' cities.csv

# Fields.
printf '  x\ty z\nx y z\n\tx  y\n' | "$peneira" split -k 2 --by range --splitters a,y,z --out 'blank-%d' --quiet
check "blanks separate like awk's" same "$(cat blank-2)" "$(printf '  x\ty z\nx y z\n\tx  y')"
check_error 1 "standard input: line 2: has no field 2: it ends after 1" "$peneira" split -k 2 -n 3 --out 'short-%d' < <(printf 'x y\nx\n\n')
check_error 1 "standard input: line 3: has no field 1: it ends after 0" "$peneira" split -k 1 -n 3 --out 'short-%d' < <(printf 'x y\nx\n\n')
for options in "" "--threads 1" "--threads 7 --chunk 100" "--by range" "--csv"; do
  check_error 1 "table.csv: line 1: has no field 9: it ends after 4" "$peneira" split -t, -k 9 -n 3 --out 'short-%d' $options table.csv
done
sed '40001s/,.*//' table.csv >lacks.csv
for options in "--threads 1" "--threads 7" "--threads 3 --chunk 10000" "--csv"; do
  check_error 1 "lacks.csv: line 40001: has no field 2: it ends after 1" "$peneira" split -t, -k 2 -n 3 --out 'short-%d' $options table.csv lacks.csv
done
check "no shard of lines that lack a field" test ! -e short-0
printf 'a::b\na:b:c\n' | "$peneira" split -t: -k 2 --by range --splitters a --out 'colon-%d' --quiet
check "separators alone make empty fields" same "$(cat colon-0)" "a::b"
printf 'a b\tq\nz\tb\n' | "$peneira" split -t '\t' -k 2 --by range --splitters c --out 'tab-%d' --quiet
check "\\t is a tab" same "$(cat tab-1)" "$(printf 'a b\tq')"
printf 'x,b\r\ny,b\nz,c\r\n' | "$peneira" split -t, -k 2 --by range --splitters $'b\r,c' --out 'crlf-%d' --quiet
check "the carriage return is no part of the key" same "$(od -An -c crlf-0 | tr -d ' ')" 'x,b\r\ny,b\n'
check "but is kept" same "$(od -An -c crlf-2 | tr -d ' ')" 'z,c\r\n'

# Ranges.
awk -F, '{ f = $2 < "key00002" ? 0 : $2 < "key00100" ? 1 : $2 < "key00100" ? 2 : $2 < "key05" ? 3 : 4
  print > ("want-" f) }' table.csv
: >>want-2
check_exit 0 "$peneira" split -t, -k 2 --by range --splitters key00002,key00100,key00100,key05 --out 'have-%d' table.csv
for s in 0 1 2 3 4; do check "range shard $s is awk's" cmp have-$s want-$s; done
check_exit 0 "$peneira" split -t, -k 1 --by range -n 10 --out 'even-%d' table.csv
check_shards "sampled ranges" 'substr($0, 1, index($0, ",") - 1)' table.csv even-*
check "sampled ranges are ranges" awk -F, 'FNR == 1 { before = most } $1 "" <= before "" { exit 1 }
  $1 "" > most "" { most = $1 }' even-*
check "and about even" awk '{ ++count[FILENAME] } END {
  for (f in count) if (count[f] < 4500 || count[f] > 5800) exit 1 }' even-*
check_exit 0 "$peneira" split -t, -k 1 --by range -n 10 --out 'again-%d' table.csv --threads 1 --chunk 999
check "the sample does not depend on threads and chunks" cmp <(cat even-*) <(cat again-*)
check_error 2 "reads its input twice" "$peneira" split --by range -n 3 --out 'no-%d' - </dev/null
check_error 2 "must be in ascending order" "$peneira" split --by range --splitters b,a --out 'no-%d' table.csv

# Headers and several inputs.
printf 'id,k\n1,a\n2,b\n' >one.csv
printf 'id,k\n3,a\n4,c' >two.csv
printf 'id,k\n' >three.csv
check_exit 0 "$peneira" split --header -t, -k 2 --splitters b,c --out 'head-%d' one.csv two.csv three.csv
check "header, shard 0" same "$(cat head-0)" "$(printf 'id,k\n1,a\n3,a')"
check "header, shard 1" same "$(cat head-1)" "$(printf 'id,k\n2,b')"
check "header, shard 2" same "$(cat head-2)" "$(printf 'id,k\n4,c')"
check "a missing newline is added" same "$(tail -c 1 head-2 | od -An -c | tr -d ' ')" '\n'
check_exit 0 "$peneira" split --header -t, -k 2 --splitters b --out 'only-%d' three.csv
check "an input of a header alone" same "$(cat only-0 only-1)" "$(printf 'id,k\nid,k')"
check_exit 0 "$peneira" split --header -n 2 --out 'noinput-%d' /dev/null
check "no input at all" same "$(cat noinput-0 noinput-1 | wc -c)" 0
printf 'no newline' | "$peneira" split -n 1 --out 'n-%d' --quiet one.csv - one.csv
check "inputs end their last line" same "$(cat n-0)" "$(printf 'id,k\n1,a\n2,b\nno newline\nid,k\n1,a\n2,b')"

# CSV.
cat >quoted.csv <<'CSV'
name,text
"a,1","first
line"
b,"say ""b"""
"a,1",plain
"say ""b""",x
c,"""
"
CSV
for chunk in 1 7 32M; do
  check_exit 0 "$peneira" split --csv --header -k 1 --by range --splitters 'b,c,say "b"' --out "csv$chunk-%d" quoted.csv \
    --chunk $chunk --threads 3
  check "csv: quoted separators and newlines, chunk $chunk" same "$(cat csv$chunk-0)" \
    "$(printf 'name,text\n"a,1","first\nline"\n"a,1",plain')"
  check "csv: plain" same "$(cat csv$chunk-1)" "$(printf 'name,text\nb,"say ""b"""')"
  check "csv: a quote and a newline" same "$(cat csv$chunk-2)" "$(printf 'name,text\nc,"""\n"')"
  check "csv: the key is unquoted" same "$(cat csv$chunk-3)" "$(printf 'name,text\n"say ""b""",x')"
done
check_exit 0 "$peneira" split --csv -k 2 -n 16 --out 'plain-%02d.csv' table.csv
check "csv without quotes is plain text" cmp <(cat plain-*) all-1-1000.txt
printf 'a,"b\nc\n' >open.csv
check_error 1 "open.csv: line 1: a quoted field begins here and never ends" "$peneira" split --csv -k 1 -n 2 --out 'open-%d' open.csv

printf 'size,n\n5" disk,1\n"5"" disk",2\n3" disk,3\n"ab"c,4\nabc,5\n' >inches.csv
for chunk in 1 9 32M; do
  check_exit 0 "$peneira" split --csv --header -k 1 --splitters '5,a' --out "inch$chunk-%d" inches.csv --chunk $chunk --threads 3
  check "csv: a quote within is text, chunk $chunk" same "$(cat inch$chunk-1)" "$(printf 'size,n\n5" disk,1\n"5"" disk",2')"
  check "csv: what follows the closing quote is text, chunk $chunk" same "$(cat inch$chunk-2)" "$(printf 'size,n\n"ab"c,4\nabc,5')"
done
printf 'a,"b\n' >open.csv
head -c 3M /dev/zero | tr '\0' x >>open.csv
check_error 1 "open.csv: line 1: a quoted field begins here" "$peneira" split --csv -k 1 -n 2 --chunk 1K --out 'open-%d' open.csv
printf '"\n' >>open.csv
check_error 1 "a record of more than 1.0 MiB begins here; a larger --chunk allows it" "$peneira" split --csv -k 1 -n 2 --chunk 1K --out 'open-%d' open.csv

# Every input has the first one's header, or none is split.
printf 'k,id\na,9\n' >turned.csv
check_error 1 'turned.csv: the header is not that of the first input: field 1 is "k", not "id"' \
  "$peneira" split --header -t, -k 2 -n 2 --out 'turned-%d' one.csv turned.csv
check_error 1 'turned.csv: the header is not that of the first input: field 1 is "k", not "id"' \
  "$peneira" split --header -t, -k 2 -n 2 --by range --out 'turned-%d' one.csv turned.csv
printf 'id,k,z\n1,2,3\n' >wider.csv
check_error 1 'wider.csv: the header is not that of the first input: field 3 is "z", not missing' \
  "$peneira" split --header -t, -k 2 -n 2 --out 'turned-%d' one.csv wider.csv
check_error 1 'one.csv: the header is not that of the first input: field 3 is missing, not "z"' \
  "$peneira" split --header -t, -k 2 -n 2 --out 'turned-%d' wider.csv one.csv
check "no shards of inputs that do not fit" test ! -e turned-0
printf '\xef\xbb\xbf"id","k"\r\n5,a\r\n' >marked.csv
check_exit 0 "$peneira" split --header --csv -k 2 -n 1 --out 'marked-%d' one.csv marked.csv
check "headers that mean the same" same "$(cat marked-0 | tr -d '\r')" "$(printf 'id,k\n1,a\n2,b\n5,a')"
check_exit 0 "$peneira" split -t, -k 1 -n 1 --out 'unmarked-%d' marked.csv
check "no byte order mark in shards" same "$(od -An -c unmarked-0 | tr -d ' \n')" '"id","k"\r\n5,a\r\n'
printf '\xfd7zXZ\0' >one.csv.xz
check_error 1 'one.csv.xz: is compressed by xz' "$peneira" split -t, -k 1 -n 2 --out 'xz-%d' --chunk 1 one.csv.xz

# Fields by name.
check_exit 0 "$peneira" split --csv --header -k k -n 3 --out 'named-%d' one.csv
check_exit 0 "$peneira" split --csv --header -k 2 -n 3 --out 'numbered-%d' one.csv
check "a name is a number" cmp <(cat named-*) <(cat numbered-*)
check_exit 0 "$peneira" split --csv --header -k k -n 3 --by range --out 'ranged-%d' one.csv
check_error 1 'one.csv: the header has no field "kk", but: id k' \
  "$peneira" split --csv --header -k kk -n 3 --out 'never-%d' one.csv
check_error 2 'fields have names only with --header' "$peneira" split --csv -k k -n 3 --out 'never-%d' one.csv
check_exit 0 "$peneira" split --tsv -k 2 -n 2 --out 'tsv-%d' <(printf '"a\tb"\tx\n1\tx\n')
check "--tsv" same "$(cat tsv-0 tsv-1 | wc -l)/$(ls -s tsv-0 tsv-1 | grep -c '^0')" 2/1

# Bytes of every kind, long lines, many shards.
printf 'a\0b,1\nc\0d,2\na\0b,3\n' >nul.txt
check_exit 0 "$peneira" split -t, -k 1 -n 50 --out 'nul-%d' nul.txt
check "NUL bytes" same "$(cat nul-* | LC_ALL=C sort | od -An -c | tr -d ' \n')" 'a\0b,1\na\0b,3\nc\0d,2\n'
check "NUL keys together" same "$(grep -alc . nul-* | wc -l)" 2
{ echo short; head -c 300K /dev/zero | tr '\0' x; printf '\nlast\n'; } >long.txt
check_exit 0 "$peneira" split -n 3 --out 'long-%d' long.txt --chunk 1K
check "a line longer than the chunk" cmp <(cat long-? | sort) <(sort long.txt)
head -c 40M /dev/zero | tr '\0' y >longer.txt
check_exit 0 "$peneira" split -n 1 --out 'longer-%d' longer.txt
check "a line longer than the default chunk" cmp <(head -c 40M longer-0) longer.txt
: >empty.txt
check_exit 0 "$peneira" split -n 3 --out 'empty-%d' empty.txt
check "an empty input" same "$(cat empty-0 empty-1 empty-2 | wc -c)" 0
mkdir many
check_exit 0 bash -c "ulimit -n 64 && '$peneira' split -t, -k 1 -n 3000 --out 'many/%04d' table.csv --chunk 300K"
check "3000 shards with 64 open files" same "$(ls many | wc -l)" 3000
check_shards "3000 shards" 'substr($0, 1, index($0, ",") - 1)' table.csv many/*

# Outputs.
check_error 2 'must hold exactly one number' "$peneira" split -n 3 --out 'part.csv' table.csv
for bad in 'a%d%d' 'a%s' 'a%' 'a%5' 'a%-3d' 'a%x' 'a%%d' '%1234d'; do
  check_error 2 "\"$bad\" must hold" "$peneira" split -n 3 --out "$bad" table.csv
done
check_exit 0 "$peneira" split -n 2 --out '100%%-%3d' one.csv
check "percent and width" test -e '100%-  1'
check_error 1 "the folder nowhere does not exist" "$peneira" split -n 3 --out 'nowhere/%d' table.csv
check_error 1 "cannot open missing.txt" "$peneira" split -n 3 --out 'miss-%d' table.csv missing.txt
check_error 1 "Is a directory" "$peneira" split -n 3 --out 'miss-%d' table.csv .
check "no output after an error" test ! -e miss-0
check_error 2 "--key" "$peneira" split -k 0 -n 3 --out 'x-%d' table.csv
check_error 2 "must be one byte" "$peneira" split -t ab -n 3 --out 'x-%d' table.csv
check_error 2 "the number of shards, is required" "$peneira" split --out 'x-%d' table.csv
check_error 2 "must be at least 1" "$peneira" split -n 0 --out 'x-%d' table.csv
check_error 2 "at most 1000000" "$peneira" split -n 2M --out 'x-%d' table.csv
check_error 2 "binary items" "$peneira" split --by digit -n 2 --out 'x-%d' table.csv
echo precious >kept-2
check_error 1 "kept-2 exists; --force replaces it" "$peneira" split -n 3 --out 'kept-%d' table.csv
check "it is untouched, and no other shard made" same "$(cat kept-*)" precious
check_exit 0 "$peneira" split -n 3 --out 'kept-%d' table.csv --force
check_shards "--force" '$0' table.csv kept-0 kept-1 kept-2
status=0
(limit_files 64 && "$peneira" split -n 3 --out 'big-%d' table.csv 2>stderr.txt) || status=$?
check "a disk too full is an error" same "$status" 1
check "which names the shard" grep -Eq 'cannot write big-[012]: File too large' stderr.txt
check "and leaves none" test -z "$(ls big-* 2>/dev/null)"
check "nothing left" nothing_left
# Splitters of a file whose lines end as those of the input do.
printf 'b\r\nd\r\n' >crlf_splitters
printf 'a\r\nb\r\nc\r\nd\r\n' >crlf.txt
check_exit 0 "$peneira" split crlf.txt --splitters @crlf_splitters --out 'ends-%d'
check "the carriage return is not of the key" same "$(cat ends-1 | tr -d '\r' | tr '\n' ' ')" "b c "
check_error 2 "--by splitters needs --splitters" "$peneira" split crlf.txt --by splitters -n 3 --out 'none-%d'
check_error 2 "reads its input twice" "$peneira" split --by range -n 3 --out 'none-%d' <crlf.txt

# Frequent keys apart from all others.
seq 60000 | awk '{ print $1 "," ($1 % 2 ? "hot" : $1 % 8 ? "warm" : "key" $1 % 977) }' >skewed.csv
for how in "--threads 1" "--threads 3 --chunk 4K"; do
  check_exit 0 "$peneira" split -t, -k 2 -n 6 --top 2 $how --out 'apart-%d' skewed.csv --force
  check_shards "--top $how" '(split($0, f, ",") ? f[2] : "")' skewed.csv apart-?
  check "the most frequent key is alone: $how" cmp apart-0 <(grep ,hot skewed.csv)
  check "and so is the second: $how" cmp apart-1 <(grep ,warm skewed.csv)
  check "the others have the rest: $how" test -s apart-2 -a -s apart-3 -a -s apart-4 -a -s apart-5
done
printf 'k,v\nb,1\na,2\nb,3\n' >few.csv
check_exit 0 "$peneira" split --csv --header -k k -n 4 --top 3 --out 'few-%d' few.csv
check "fewer keys than asked for" same "$(cat few-0 few-1 few-2 few-3 | tr '\n' ' ')" "k,v b,1 b,3 k,v a,2 k,v k,v "
check_error 2 "--top: 6 keys with a shard each leave none of 6 for the others" "$peneira" split -n 6 --top 6 --out 'no-%d' skewed.csv
check_error 2 "--top reads its input twice" "$peneira" split -n 6 --top 2 --out 'no-%d' <skewed.csv
check_error 2 "--top is for shards by hash" "$peneira" split -n 6 --by range --top 2 --out 'no-%d' skewed.csv
check_error 2 "--top is for shards by hash" "$peneira" split --lines 6 --top 2 --out 'no-%d' skewed.csv
check_error 2 "--top is for shards by hash" "$peneira" split -t, --top 2 --out 'no-{2}' skewed.csv
check "no shard of these" test -z "$(ls no-* 2>/dev/null)"

# Standard input that is closed is no empty one.
echo precious >kept-0
check_error 1 "cannot read standard input" "$peneira" split -n 1 --out 'kept-%d' --force <&-
check "what was there stays" same "$(cat kept-0)" precious
finish
