# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# peneira group: the groups and aggregates that awk and sort find, whatever the memory and the threads.
source "$(dirname "$0")/check.sh"

group() { "$peneira" group --quiet "$@"; }

# truth KEY VALUE FILE: key, count, sum, least, greatest by awk; cents, so that the sums are exact.
truth() {
  awk -F, -v OFS=, -v k="$1" -v v="$2" '{ c = int($v * 100 + 0.5); key = $k; n[key]++; s[key] += c
      if (n[key] == 1 || c < lo[key]) { lo[key] = c; lot[key] = $v }
      if (n[key] == 1 || c > hi[key]) { hi[key] = c; hit[key] = $v } }
    END { for (key in n) printf "%s,%d,%.2f,%.2f,%.2f\n", key, n[key], s[key] / 100, lot[key], hit[key] }' "$3" |
    sort -t, -k1,1
}
# with_cents FILE: the same digits for peneira's numbers, after a look at the mean.
with_cents() {
  awk -F, '{ d = $6 - $3 / $2; if (d > 1e-9 || d < -1e-9) print "mean", $0
    printf "%s,%s,%.2f,%.2f,%.2f\n", $1, $2, $3, $4, $5 }' "$1"
}
aggregates="--count --sum 3 --min 3 --max 3 --mean 3"

"$peneira" gen --lines 100K --text csv --seed 1 -o table.csv
for key in 1 2 4; do
  truth $key 3 table.csv >want.csv
  group -t, -k $key $aggregates table.csv >have.csv
  check "key $key: as awk says" cmp <(with_cents have.csv) want.csv
  check "key $key: sorted" sort -t, -k1,1 -c have.csv
  for options in "--threads 1" "--threads 2" "--threads 7" "-S 64K" "-S 64K --threads 5" "-S 1M" "-S 8M --threads 3"; do
    check "key $key, $options: the same bytes" cmp have.csv <(group -t, -k $key $aggregates $options table.csv)
  done
done
check "the count of all distinct keys" same "$(group -t, -k 1 --count table.csv | wc -l)" 102400

# Integers: exact, also where doubles are not.
group -t, -k 4 --sum 1 --min 1 --max 1 table.csv >have.csv
awk -F, -v OFS=, '{ s[$4] += $1; if (!($4 in lo)) lo[$4] = $1; hi[$4] = $1 } END { for (k in s) print k, s[k], lo[k], hi[k] }' \
  OFMT=%d CONVFMT=%d table.csv | sort >want.csv
check "sums of integers" cmp have.csv want.csv
printf 'a\t9223372036854775807\na\t9223372036854775806\nb\t-9223372036854775808\nb\t-1\nc\t9007199254740993\n' >large.txt
check "sums beyond 64 bits" same "$(group -k 1 --sum 2 --max 2 --min 2 large.txt | tr '\t\n' ', ')" \
  "a,18446744073709551613,9223372036854775807,9223372036854775806 b,-9223372036854775809,-1,-9223372036854775808 c,9007199254740993,9007199254740993,9007199254740993 "
check "unsigned integers of 64 bits" same "$(printf 'a,9223372036854775808\na,18446744073709551615\nb,18446744073709551614\n' | group -t, -k 1 --sum 2 --min 2 --max 2 --mean 2 | tr '\n' ' ')" \
  "a,27670116110564327423,9223372036854775808,18446744073709551615,1.3835058055282164e+19 b,18446744073709551614,18446744073709551614,18446744073709551614,18446744073709551614 "
check "integers of 32 digits" same "$(printf 'a,99999999999999999999999999999999\na,-99999999999999999999999999999998\n' | group -t, -k 1 --sum 2 --max 2)" \
  "a,1,99999999999999999999999999999999"
check "a mean that is not whole" same "$(printf 'a,99999999999999999999999999999999\na,99999999999999999999999999999998\n' | group -t, -k 1 --sum 2 --mean 2)" \
  "a,2e+32,1e+32"
check "what is too small is 0" same "$(printf 'a,1e-400\nb,-1e-400\nb,2e-324\nc,5e-324\nc,1e-320\n' | group -t, -k 1 --sum 2 --min 2 | tr '\n' ' ')" \
  "a,0,0 b,0,0 c,1.0005e-320,5e-324 "
for order in '1e308 1e308 -1e308' '1e308 -1e308 1e308' '-1e308 1e308 1e308'; do
  for options in "" "--threads 1" "--threads 3"; do
    check "a sum does not depend on the order: $order $options" same \
      "$(printf 'a,%s\n' $order | group -t, -k 1 --sum 2 --mean 2 $options)" "a,1e+308,3.333333333333333e+307"
  done
done
check "nor on what cancels" same "$(printf 'a,%s\n' 1e300 1e100 1 1e-300 -1e100 -1e300 -1e-300 | group -t, -k 1 --sum 2)" "a,1"
awk 'BEGIN { srand(5); for (i = 0; i < 21000; ++i) { x = sprintf("%.17fe%d", rand(), int(rand() * 600) - 300); print i % 700 "," x; print (i + 350) % 700 ",-" x; print (i + 350) % 700 "," x; print i % 700 ",-" x; print i % 700 ",0.25" } }' >cancel.csv
group -t, -k 1 --sum 2 --mean 2 --count cancel.csv >want.csv
check "long sums" same "$(awk -F, '$2 != 7.5 || $3 != 0.05 || $4 != 150' want.csv | wc -l)" 0
for options in "--threads 1" "--threads 7" "-S 64K" "-S 64K --threads 3"; do
  check "long sums, $options" cmp <(group -t, -k 1 --sum 2 --mean 2 --count $options cancel.csv) want.csv
  check "long sums of lines in another order, $options" cmp <(tac cancel.csv | group -t, -k 1 --sum 2 --mean 2 --count $options) want.csv
done
check "decimals come out as on paper" same "$(for i in 1 2 3 4 5 6 7 8 9 10; do echo "x,0.1"; done | group -t, -k 1 --sum 2 --mean 2)" \
  "x,1,0.1"
check "integers and decimals mix" same "$(printf 'a,1\na,.5\na,-2e3\na,+7\na,1.\n' | group -t, -k 1 --sum 2 --min 2 --max 2)" \
  "a,-1990.5,-2000,7"
check "the mean" same "$(printf 'a,1\na,2\nb,1\nb,0\nb,0\n' | group -t, -k 1 --mean 2 | tr '\n' ' ')" "a,1.5 b,0.3333333333333333 "

# Aggregates stand as on the command line, also twice; keys may be many.
check "the order of the command line" same "$(printf 'a,1,5\na,3,7\n' | group -t, -k 1 --max 2 --count --sum 3,2 --min 2 --max 2 --count)" \
  "a,3,2,12,4,1,3,2"
check "several keys" same "$(printf 'a,1,x\na,2,y\na,3,x\nb,4,x\n' | group -t, -k 3,1 --sum 2 | tr '\n' ' ')" "x,a,4 x,b,4 y,a,2 "
check "several keys, said twice" same "$(printf 'a,1,x\na,3,x\n' | group -t, -k 1 -k 3 --sum 2)" "a,x,4"
check "several keys, empty ones among them" same "$(printf ',b,1\n,,2\na,,3\n,b,4\na,b,5\n' | group -t, -k 1,2 --sum 3 | tr '\n' ' ')" \
  ",,2 ,b,5 a,,3 a,b,5 "
check "the first of three keys is empty in all lines" same \
  "$(awk 'BEGIN { for (i = 0; i < 40000; ++i) print ",," i % 8 ",1" }' | group -t, -k 1,2,3 --count | tr '\n' ' ')" \
  ",,0,5000 ,,1,5000 ,,2,5000 ,,3,5000 ,,4,5000 ,,5,5000 ,,6,5000 ,,7,5000 "
check "a key may be a value too" same "$(printf '5\n5\n7\n' | group -k 1 --sum 1 | tr '\t\n' ', ')" "5,10 7,7 "
check "blanks" same "$(printf ' a \t 1\n\ta  2 \nb 3' | group -W -k 1 --sum 2 | tr '\t\n' ', ')" "a,3 b,3 "
check "\\t" same "$(printf 'a b\t1\n' | group -t '\t' -k 1 --sum 2)" "$(printf 'a b\t1')"

# Keys of every kind.
check "empty keys" same "$(printf ',1\nx,2\n,3\n' | group -t, -k 1 --sum 2 | tr '\n' ' ')" ",4 x,2 "
check "empty lines are empty keys" same "$(printf '\n\nx\n' | group -k 1 --count | tr '\t\n' ', ')" ",2 x,1 "
check "carriage returns" same "$(printf 'a,1\r\na,2\nb,3\r\n' | group -t, -k 1 --sum 2 | od -An -c | tr -d ' ')" 'a,3\nb,3\n'
check "a carriage return is no part of a key" same "$(printf '1,a\r\n2,a\n' | group -t, -k 2 --sum 1)" "a,3"
check "NUL bytes" same "$(printf 'a\0b,1\na\0c,2\na\0b,3\na,4\n' | group -t, -k 1 --sum 2 | od -An -c | tr -d ' \n')" 'a,4\na\0b,4\na\0c,2\n'
check "bytes above 127 sort last" same "$(printf '\xc3\xa9,1\nz,2\n' | group -t, -k 1 --sum 2 | tr '\n' ' ')" "$(printf 'z,2 \xc3\xa9,1 ')"
check "no newline at the end" same "$(printf 'a,1\na,2' | group -t, -k 1 --sum 2)" "a,3"
long=$(head -c 300000 /dev/zero | tr '\0' k)
{ for i in 1 2 3; do printf '%s%d,%d\n%s1,10\n' "$long" $i $i "$long"; done; printf 'short,1\n'; } >long.csv
printf '%s1,31\n%s2,2\n%s3,3\nshort,1\n' "$long" "$long" "$long" >want.csv
check "keys of 300 KB" cmp <(group -t, -k 1 --sum 2 long.csv) want.csv
check "which do not fit the memory" cmp <(group -t, -k 1 --sum 2 -S 64K long.csv) want.csv
awk 'BEGIN { srand(3); for (i = 0; i < 60000; ++i) { s = ""; n = int(rand() * 30); for (j = 0; j < n; ++j) s = s substr("ab", 1 + (rand() < 0.5), 1); print "shared/prefix/" s } }' >prefixes.txt
sort prefixes.txt | uniq -c | awk '{ print $2 "\t" $1 }' | sort >want.txt
check "keys that share long prefixes" cmp <(group -k 1 --count prefixes.txt | sort -c && group -k 1 --count prefixes.txt) \
  <(sort -t "$(printf '\t')" -k1,1 want.txt)
check "and spilled" cmp <(group -k 1 --count -S 64K prefixes.txt) <(group -k 1 --count prefixes.txt)
awk 'BEGIN { for (i = 0; i < 300000; ++i) print "one" }' >one.txt
check "one group" same "$(group -k 1 --count one.txt)" "$(printf 'one\t300000')"
check "one group, little memory" same "$(group -k 1 --count -S 64K one.txt)" "$(printf 'one\t300000')"

# Inputs.
check "nothing in, nothing out" same "$(group -k 1 --count </dev/null | wc -c)" 0
split -n l/3 table.csv part-
check "several inputs" cmp <(group -t, -k 2 $aggregates part-*) <(group -t, -k 2 $aggregates table.csv)
check "standard input among them" cmp <(group -t, -k 2 $aggregates part-aa - part-ac <part-ab) <(group -t, -k 2 $aggregates table.csv)
mkfifo pipe
cat table.csv >pipe &
check "a named pipe" cmp <(group -t, -k 2 $aggregates pipe) <(group -t, -k 2 $aggregates table.csv)

# Headers and CSV.
printf 'id,who,price\n1,ann,2.50\n2,bob,1\n' >one.csv
printf 'id,who,price\n3,ann,4\n' >two.csv
printf 'who,count,sum(price),max(id)\nann,2,6.5,3\nbob,1,1,2\n' >want.csv
check "headers" cmp <(group -t, --header -k 2 --count --sum 3 --max 1 one.csv two.csv) want.csv
check "names" cmp <(group -t, --header -k who --count --sum price --max id one.csv two.csv) want.csv
check "a header alone" same "$(printf 'id,who\n' | group -t, --header -k who --sum id)" "who,sum(id)"
check "not even a header" same "$(group -t, --header -k who --sum id </dev/null | wc -c)" 0
check_error 1 'the header has no field "cost", but: id who price' "$peneira" group -t, --header -k who --sum cost one.csv
check_error 2 "have names only with --header" "$peneira" group -t, -k who --count one.csv
printf '"the ""key""","a,b"\n"x,y",1\nplain,2\n"x,y","3"\n"plain",4\n"say ""z""",5\n"two\nlines",6\n' >quoted.csv
printf '"the ""key""","sum(a,b)"\n"say ""z""",5\n"two\nlines",6\n"x,y",4\nplain,6\n' >want.csv
for options in "" "--threads 3" "-S 64K"; do
  check "csv $options" cmp <(group --csv --header -k 1 --sum 2 $options quoted.csv) want.csv
done
check "csv by name" cmp <(group --csv --header -k 'the "key"' --sum 2 quoted.csv) want.csv
check "csv: two keys cannot be taken for two others" same "$(printf '"a,b",c,1\na,"b,c",2\n' | group --csv -k 1,2 --sum 3 | tr '\n' ' ')" \
  '"a,b",c,1 a,"b,c",2 '
check "csv without quotes is plain text" cmp <(group --csv -k 2 $aggregates table.csv) <(group -t, -k 2 $aggregates table.csv)
check "csv with another separator" same "$(printf '"a;b";1\n"a;b";2\n' | group --csv -t ';' -k 1 --sum 2)" '"a;b";3'
printf 'a,"b\nc\n' >open.csv
check_error 1 "open.csv: line 1: a quoted field begins here and never ends" "$peneira" group --csv -k 1 --count open.csv
printf 'a,1\n"b\nb","2"\nc,"3""\n,\nd,4\n' >open.csv
for options in "" "--threads 3" "-S 64K"; do
  check_error 1 "open.csv: line 4: a quoted field begins here" "$peneira" group --csv -k 1 --count $options open.csv
done
printf 'm,w\n5" disk,1\n3" disk,2\n5" disk,"4"\n"5"" disk",8\n"ab"c,16\n"abc",32\n"a"b"c,64\n"ab""c",128\r\n"",256\n,512\n' >inches.csv
printf 'm,sum(w)\n,768\n"3"" disk",2\n"5"" disk",13\n"ab""c",192\nabc,48\n' >want.csv
for options in "" "--threads 1" "--threads 5" "-S 64K"; do
  check "csv: a quote that is not a field's first byte is text $options" cmp <(group --csv --header -k m --sum w $options inches.csv) want.csv
done
awk 'BEGIN { srand(7); for (i = 0; i < 20000; ++i) { r = int(rand() * 6); k = i % 7
  print (r == 0 ? "\"" k "\"" : r == 1 ? "\"" k "\n\"" : r == 2 ? k "\"" : r == 3 ? "\"" k "\"\"\"" : r == 4 ? "\"" k "\"\"" "\"\"\"" : k) ",1" } }' >many.csv
group --csv -k 1 --sum 2 --threads 1 many.csv >want.csv
check "csv: all rows" same "$(sed -n 's/.*,\([0-9]*\)$/\1/p' want.csv | awk '{ s += $1 } END { print s }')" 20000
for options in "--threads 2" "--threads 7" "-S 64K"; do
  check "csv: quotes where threads meet $options" cmp <(group --csv -k 1 --sum 2 $options many.csv) want.csv
done
{ printf 'a,1\n"b,2\n'; head -c 9000000 /dev/zero | tr '\0' x; } >never_closed.csv
check_error 1 "never_closed.csv: line 2: a quoted field begins here" "$peneira" group --csv -k 1 --count -S 64K never_closed.csv
printf '",1\n' >>never_closed.csv
check_error 1 "never_closed.csv: line 2: a record of more than 1.0 MiB begins here; a larger -S allows it" \
  "$peneira" group --csv -k 1 --count -S 64K never_closed.csv
check "which it does" same "$(group --csv -k 2 --count -S 64M never_closed.csv)" "1,2"
if can_measure_memory; then
  { printf 'a,1\n"b,2\n'; head -c 90000000 /dev/zero | tr '\0' '\n'; } >never_closed.csv
  check_exit 1 /usr/bin/time -f %M -o used.txt "$peneira" group --csv -k 1 --count -S 16M --threads 2 never_closed.csv
  check "a quoted field that never ends takes little memory: $(tail -n 1 used.txt) KB" test "$(tail -n 1 used.txt)" -lt 45000
fi
rm -f never_closed.csv

# Headers of several inputs: fields are found by name in each.
printf 'k,w\na,1\nb,2\n' >first.csv
printf 'w,other,k\n10,x,a\n20,y,c\n' >second.csv
printf '"k","w"\r\na,100\r\n' >third.csv
printf 'k,sum(w)\na,111\nb,2\nc,20\n' >want.csv
check "columns in another order" cmp <(group --csv --header -k k --sum w first.csv second.csv third.csv) want.csv
check "columns in another order, by number" cmp <(group --csv --header -k 1 --sum 2 first.csv second.csv third.csv) want.csv
check "and there and back" same "$(group -t, --header -k k --sum w first.csv second.csv first.csv /dev/null | tr '\n' ' ')" "k,sum(w) a,12 b,4 c,20 "
printf 'k,v\na,1\n' >other.csv
check_error 1 'other.csv: the header has no field "w", but: k v' "$peneira" group -t, --header -k k --sum w first.csv other.csv
printf 'k,w,w\na,1,2\n' >twice.csv
check_error 1 'twice.csv: the header has more than one field "w"' "$peneira" group -t, --header -k k --sum w first.csv twice.csv
check_error 1 'twice.csv: the header has more than one field "w"' "$peneira" group -t, --header -k k --sum w twice.csv
check "which has a number" same "$(group -t, --header -k k --sum 3 twice.csv twice.csv | tr '\n' ' ')" "k,sum(w) a,4 "
check_error 1 'first.csv: the header is not that of the first input, which has more than one field "w"' \
  "$peneira" group -t, --header -k k --sum 3 twice.csv first.csv
check_error 1 'second.csv: the header is not that of the first input, and field 4 has no name' \
  "$peneira" group -t, --header -k 1 --sum 4 <(printf 'k,w\na,1,2,3\n') second.csv
printf '\xef\xbb\xbfk,w\na,1\n' >marked.csv
check "a byte order mark is no part of a name" same "$(group -t, --header -k k --sum w marked.csv first.csv marked.csv | od -An -c | tr -d ' \n')" 'k,sum(w)\na,3\nb,2\n'
check "nor of a key" same "$(printf '\xef\xbb\xbfa,1\na,2\n' | group -t, -k 1 --sum 2)" "a,3"
check "nor of a number" same "$(printf '\xef\xbb\xbf1,a\n2,a\n' | group -t, -k 2 --sum 1)" "a,3"
check "but elsewhere it is text" same "$(printf 'a,1\n\xef\xbb\xbfa,2\n' | group -t, -k 1 --sum 2 | wc -l)" 2

# What is not text is refused.
printf '\xfd7zXZ\0' >first.csv.xz
check_error 1 'first.csv.xz: is compressed by xz, not lines of text; try: xzcat first.csv.xz | peneira' \
  "$peneira" group -t, -k 1 --count first.csv first.csv.xz
check_error 1 'standard input: is compressed by lz4, not lines of text; try: lz4cat FILE | peneira' \
  "$peneira" group -k 1 --count < <(printf '\x04\x22\x4d\x18\x24\0\0\0')
check_error 1 'is UTF-16' "$peneira" group -k 1 --count < <(printf '\xff\xfea\0\n\0')

# Errors name file and line.
sed '70001s/,[0-9.]*,/,12x4,/' table.csv >bad.csv
for options in "" "--threads 1" "--threads 7" "-S 64K"; do
  check_error 1 'bad.csv: line 70001: field 3 is "12x4", not a number' "$peneira" group -t, -k 2 --sum 3 $options bad.csv
done
check_error 1 'bad.csv: line 70001: field 3' "$peneira" group -t, -k 2 --sum 3 table.csv bad.csv
check "no output after an error" test ! -s stdout.txt
{ echo id,key,value,word; cat bad.csv; } >headed.csv
check_error 1 'headed.csv: line 70002: field 3' "$peneira" group -t, --header -k 2 --sum 3 headed.csv
sed -e '5s/.*/a,b/' -e '6s/.*/a,b,x,d/' table.csv >short.csv
check_error 1 'short.csv: line 5: has no field 3: it ends after 2' "$peneira" group -t, -k 2 --sum 3 short.csv
check_error 1 'line 1: has no field 9: it ends after 4' "$peneira" group -t, -k 9 --count table.csv
check_error 1 'standard input: line 2: field 2 is empty' "$peneira" group -t, -k 1 --sum 2 < <(printf 'a,1\na,\n')
check_error 1 'standard input: line 1: has no field 1: it ends after 0' "$peneira" group -W -k 1 --count < <(printf '  \n')
check_error 1 'line 3: field 2 is "x"' "$peneira" group --csv -k 1 --sum 2 < <(printf '"a\nb",1\nc,x\n')
for bad in ' 1' '1 ' nan inf 0x1 1e 1,5 -- 1.2.3; do
  check_error 1 "line 1: field 2 is \"$bad\", not a number" "$peneira" group -t ';' -k 1 --sum 2 < <(printf 'a;%s\n' "$bad")
done
check_error 1 'is "100000000000000000000000000000000", an integer of more than 32 digits' "$peneira" group -t, -k 1 --sum 2 < <(echo a,100000000000000000000000000000000)
check_error 1 'is "1e999", beyond the range of a double' "$peneira" group -t, -k 1 --sum 2 < <(echo a,1e999)
check_error 1 'sum(field 2) of the group "a" is beyond the range of a double' "$peneira" group -t, -k 1 --sum 2 < <(printf 'a,1e308\na,1e308\n')
check_error 1 "cannot open missing.csv" "$peneira" group -k 1 --count table.csv missing.csv
check_error 1 "Is a directory" "$peneira" group -k 1 --count .
check_error 2 '--count takes no value, but is given "value"' "$peneira" group -k 1 --count=value table.csv
check_error 2 '--count takes no value, but is given "5"' "$peneira" group -k 1 --count=5 table.csv
check_error 2 "at least one of --count, --sum" "$peneira" group -k 1 table.csv
check_error 2 'invalid field ""' "$peneira" group -k '' --count table.csv
check_error 2 'invalid field ""' "$peneira" group -k 1 --sum '' table.csv
check_error 2 'invalid field ""' "$peneira" group -k 1,,2 --count table.csv
check_error 2 'invalid field "0"' "$peneira" group -k 0 --count table.csv
check_error 2 'invalid field "1x"' "$peneira" group -k 1 --sum 1x table.csv
check_error 2 "must be one byte" "$peneira" group -t ab -k 1 --count table.csv
check_error 2 "--memory: must be at least 65536" "$peneira" group -S 1K -k 1 --count table.csv
check_error 2 "--whitespace excludes" "$peneira" group -W -t, -k 1 --count table.csv
check_error 1 "cannot create a temporary file in nowhere: No such file" "$peneira" group -t, -k 1 --count -S 64K -T nowhere table.csv

# Outputs and temporary files.
check_exit 0 "$peneira" group -t, -k 2 $aggregates table.csv -o out.csv
check "-o" cmp out.csv <(group -t, -k 2 $aggregates table.csv)
check_error 1 "out.csv exists; --force replaces it" "$peneira" group -t, -k 2 --count table.csv -o out.csv
check_exit 0 "$peneira" group -t, -k 2 --count table.csv -o out.csv --force
check "--force" cmp out.csv <(group -t, -k 2 --count table.csv)
check_error 1 "the folder nowhere does not exist" "$peneira" group -k 1 --count table.csv -o nowhere/out.csv
check_error 1 "line 1: " "$peneira" group -t, -k 1 --sum 2 table.csv -o never.csv
check "no file after an error" test ! -e never.csv
if [ -w /dev/full ]; then
  check_error 1 "No space left" "$peneira" group -t, -k 1 --count table.csv -o /dev/full --force
fi
mkdir spill
check "temporary files" cmp <(group -t, -k 1 --count -S 64K -T spill table.csv) <(group -t, -k 1 --count table.csv)
check "leave nothing" same "$(find spill -mindepth 1)" ""
status=0
(limit_files 4 && "$peneira" group -t, -k 1 --count -S 64K -T spill table.csv 2>stderr.txt >/dev/null) || status=$?
check "a temporary disk too full is an error" same "$status" 1
check "which names the folder" grep -q 'cannot write a temporary file in spill: File too large' stderr.txt
for signal in INT:130 TERM:143; do
  status=0
  timeout --preserve-status -s "${signal%:*}" 0.5 bash -c \
    "exec '$peneira' group -t, -k 1 --count -S 1M -T spill -o spill/out < <('$peneira' gen --lines 1T --text csv 2>/dev/null)" 2>stderr.txt || status=$?
  check "$signal" same "$status" "${signal#*:}"
  check "$signal: no word" test ! -s stderr.txt
  check "$signal: no file" same "$(find spill -mindepth 1)" ""
done
if can_measure_memory; then
  "$peneira" gen --lines 2M --text csv >large.csv
  check_exit 0 /usr/bin/time -f %M -o used.txt "$peneira" group -t, -k 1 --count --sum 3 -S 32M --threads 2 large.csv -o out.txt
  check "memory: $(cat used.txt) KiB with -S 32M" test "$(cat used.txt)" -lt 60000
  check "all groups are there" same "$(wc -l <out.txt)" 2097152
else
  skip "bounded memory: no /usr/bin/time, or a sanitizer in the way"
fi
printf 'k,2024,2\nx,5,7\n' >years.csv
check "a number as a name" same "$("$peneira" group -t, --header -k k --sum 2024 years.csv)" $'k,sum(2024)\nx,5'
check "a number within the header is none" same "$("$peneira" group -t, --header -k k --sum 2 years.csv)" $'k,sum(2024)\nx,5'
check_error 2 "--separator" "$peneira" group -t '' -k 1 --count years.csv
check "an empty name of the first key" same "$(printf ',a\nx,1\n' | "$peneira" group -t, --header -k 1,2 --count)" \
  $',a,count\nx,1,1'
check "nothing left" nothing_left
finish
