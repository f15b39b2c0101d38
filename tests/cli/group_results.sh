# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# peneira group: results that need every value or text of a group, whole columns, the order of the rows, values that
# are no numbers, and formats of the output; whatever the memory and the threads. Random ones: tests/fuzz.
source "$(dirname "$0")/check.sh"

group() { "$peneira" group --quiet "$@"; }

"$peneira" gen --lines 60K --text csv --seed 3 -o table.csv

# All results at once, beside Python's own arithmetic, with little memory and many threads.
all="--count --median 3 --percentile 95:3,12.5:3,100:3 --stdev 3 --pstdev 3 --var 3 --pvar 3 --distinct 2,3 --mode 2,3
  --first 1 --last 1"
python3 - >want.csv <<'PYTHON'
from collections import Counter
from decimal import Context, Decimal, setcontext
setcontext(Context(prec=60))
groups = {}
for line in open("table.csv", encoding="ascii"):
    fields = line.rstrip("\n").split(",")
    groups.setdefault(fields[3], []).append(fields)
def plain(value):
    text = repr(float(value)) if value != value.to_integral_value() else str(int(value))
    return text[:-2] if text.endswith(".0") else text
def percentile(values, percent):
    position = Decimal(percent) / 100 * (len(values) - 1)
    low = int(position)
    high = min(low + 1, len(values) - 1)
    return values[low] + (position - low) * (values[high] - values[low])
for key, rows in sorted(groups.items()):
    values = sorted(Decimal(row[2]) for row in rows)
    n = len(values)
    mean = sum(values) / n
    squares = sum((value - mean)**2 for value in values)
    spread = [(squares / (n - 1)).sqrt(), (squares / n).sqrt(), squares / (n - 1), squares / n]
    counts = [Counter(row[c] for row in rows) for c in (1, 2)]
    modes = [min(count, key=lambda text: (-count[text], text)) for count in counts]
    print(key, n, *(plain(percentile(values, p)) for p in ("50", "95", "12.5", "100")), *map(plain, spread),
          *map(len, counts), *modes, rows[0][0], rows[-1][0], sep=",")
PYTHON
for options in "" "--threads 1" "--threads 5" "-S 64K" "-S 1M --threads 3"; do
  check "all results $options" cmp <(group -t, -k 4 $all $options table.csv) want.csv
done
check "the same of CSV" cmp <(group --csv -k 4 $all table.csv) want.csv

# How many different texts, about: counted up to 4095, the same however they are cut, within four standard errors.
check "--approx of few" cmp <(group -t, -k 4 --distinct 2 --approx <(head -n 20000 table.csv)) <(group -t, -k 4 --distinct 2 <(head -n 20000 table.csv))
seq 200000 | awk '{ print $1 % 3 "," $1 "," $1 % 4095 "," $1 % 4100 }' >different.csv
group -t, -k 1 --distinct 2,3 --approx different.csv >about.csv
check "--approx of many: $(paste -sd ' ' about.csv)" awk -F, '{ bad += $2 < 62400 || $2 > 70900 || $3 != 1365 } END { exit bad }' about.csv
for options in "--threads 1" "--threads 5" "-S 64K" "-S 1M --threads 3"; do
  check "--approx $options" cmp about.csv <(group -t, -k 1 --distinct 2,3 --approx $options different.csv)
done
check "--approx backwards" cmp about.csv <(tac different.csv | group -t, -k 1 --distinct 2,3 --approx)
check "--approx beside others" same "$(group -t, -k 1 --first 2 --distinct 2,3 --concat 1 --approx <(head -n 4 different.csv) | paste -sd ' ')" "0,3,1,1,0 1,1,2,2,1;1 2,2,1,1,2"
check "--approx without keys" awk '{ exit !($1 > 187500 && $1 < 212500 && $2 == 4095 && $3 > 3840 && $3 < 4360) }' <(group -t, --distinct 2,3,4 --approx different.csv | tr , ' ')
check_error 2 "--approx is for --distinct" "$peneira" group -t, --unique 2 --approx different.csv
check "--approx of nothing" same "$(group --distinct 1 --approx </dev/null)" "$(group --distinct 1 </dev/null)"

# Percentiles as NumPy has them, exactly.
quarters() { printf '%s\n' "$@" | group --percentile 25:1 --median 1 --percentile 75:1 | tr '\t' ' '; }
check "quartiles of four" same "$(quarters 4 1 3 2)" "1.75 2.5 3.25"
check "quartiles of one" same "$(quarters 7)" "7 7 7"
check "quartiles of equal values that are written differently" same "$(quarters 1 1.0 1e0 0.1e1)" "1 1 1"
check "negative ones" same "$(quarters -1 -2 -10 -9)" "-9.25 -5.5 -1.75"
check "far apart" same "$(quarters 1e-300 -1e300 0 1e300)" "-2.5e+299 5e-301 2.5e+299"
check "sums that doubles would round" same "$(quarters 9007199254740993 9007199254740993)" "9007199254740993 9007199254740993 9007199254740993"
check "percentages have digits" same "$(seq 0 1000 | group --percentile 99.95:1,0.05:1 | tr '\t' ' ')" "999.5 0.5"

# Deviations do not cancel, and have no range of their own.
check "large numbers close to each other" same "$(printf '%s\n' 1000000000.1 1000000000.2 1000000000.3 | group --stdev 1 --pvar 1)" \
  "$(printf '0.1\t0.006666666666666667')"
check "squares beyond a double" same "$(printf '%s\n' 1e200 -1e200 | group --pstdev 1)" 1e+200
check_error 1 "pvar(field 1) is beyond the range of a double" "$peneira" group --pvar 1 < <(printf '%s\n' 1e200 -1e200)
check "one value has none of a sample" same "$(echo 5 | group --stdev 1 --var 1 --pstdev 1 --pvar 1 | tr '\t' ,)" ",,0,0"

# Texts, in the order of the lines; several inputs are one after the other.
printf 'b,2\na,1\nb,1\na,1\nb,2\n' >pairs.csv
check "first and last" same "$(group -t, -k 1 --first 2 --last 2 pairs.csv | tr '\n' ' ')" "a,1,1 b,2,2 "
check "lists" same "$(group -t, -k 1 --concat 2 --unique 2 pairs.csv | tr '\n' ' ')" "a,1;1,1 b,2;1;2,1;2 "
check "another joint" same "$(group -t, --concat 1 --list-separator ' + ' pairs.csv)" "b + a + b + a + b"
check "no joint" same "$(group -t, --concat 1 --list-separator '' pairs.csv)" "babab"
check "a comma where fields have none" same "$(printf 'a\nb\n' | group --concat 1)" "a,b"
check "over inputs" same "$(group -t, --first 2 --concat 2 --last 1 pairs.csv <(printf 'z,9\n') pairs.csv)" "2,2;1;1;1;2;9;2;1;1;1;2,b"
check "the first of equally frequent texts" same "$(printf '%s\n' 9 10 9 10 8 | group --mode 1)" 10
check "empty texts are texts" same "$(printf 'a,\na,x\na,\n' | group -t, -k 1 --mode 2 --distinct 2 --concat 2 --first 2)" "a,,2,;x;,"
for options in "" "--threads 7" "-S 64K" "-S 64K --threads 3"; do
  check "a list of all lines $options" same "$(group -t, --concat 1 --list-separator ' ' $options table.csv | md5sum)" \
    "$(cut -d, -f1 table.csv | paste -sd ' ' | md5sum)"
  check "lists of groups $options" cmp <(group -t, -k 4 --concat 1 $options table.csv) \
    <(awk -F, '{ s[$4] = s[$4] (n[$4]++ ? ";" : "") $1 } END { for (k in s) print k "," s[k] }' table.csv | sort -t, -k1,1)
done
check "keys with NUL have their own values" same \
  "$(printf 'a\0b,1\na,2\na\0,3\na\0b,4\na,2\n' | group -t, -k 1 --median 2 --distinct 2 | tr '\0\n' '@ ')" "a,2,1 a@,3,1 a@b,2.5,2 "

# A whole column.
check "a whole column" same "$(group -t, --count --min 1 --max 1 --distinct 4 table.csv)" \
  "$(awk -F, '{ n++; if (n == 1 || $1 < lo) lo = $1; if ($1 > hi) hi = $1; d[$4] } END { m = 0; for (k in d) m++; print n "," lo "," hi "," m }' table.csv)"
check "with a header" same "$(printf 'a b\n1\n2\n' | group --header --sum 'a b' | tr '\n' ' ')" "sum(a b) 3 "
check "of nothing is nothing" same "$(group --count </dev/null | wc -c)" 0

# The order of the rows.
printf 'k,v\na,3\nb,\nc,10\nd,3\ne,-2\n' >five.csv
five() { group -t, --header -k k --bad skip --max v "$@" five.csv | tail -n +2 | cut -d, -f1 | tr -d '\n'; }
check "the greatest first, nothing last" same "$(five --order-by 'max(v)')" cadeb
check "the least first, nothing last" same "$(five --order-by max:v:asc)" eadcb
check "by kind" same "$(five --order-by max:desc)" cadeb
check "by number" same "$(five --order-by max:2)" cadeb
check "by key" same "$(five --order-by key)" edcba
check "the first of them" same "$(five --top 2)" ca
check "more than there are" same "$(five --top 99)" cadeb
check "the first by key" same "$(five --order-by key:asc --top 2)" ab
check "by text" same "$(five --first v --order-by first:asc)" becad
printf 'a,1e200\na,-1e200\nb,1\nb,2\n' >huge.csv
for options in "" "-S 64K"; do
  check "a row beyond a double does not matter where it is not written $options" same \
    "$(group -t, -k 1 --pvar 2 --order-by pvar:asc --top 1 $options huge.csv)" "b,0.25"
  check_error 1 'pvar(field 2) of the group "a" is beyond the range of a double' \
    "$peneira" group -t, -k 1 --pvar 2 --top 1 $options huge.csv
done
check_error 2 '--order-by: "sum" is none of the results, which are: count' "$peneira" group --count --order-by sum </dev/null
check_error 2 '--order-by: "sum" is more than one of the results' "$peneira" group --sum 1,2 --order-by sum </dev/null
check_error 2 "--top: must be at least 1" "$peneira" group --count --top 0 </dev/null
for options in "" "--threads 5" "-S 64K" "-S 64K --threads 3" "--mode 4" "--mode 4 -S 64K"; do
  group -t, -k 1 --sum 3 $options table.csv | LC_ALL=C sort -t, -k2,2gr -k1,1 >want.csv
  check "order of many groups $options" cmp <(group -t, -k 1 --sum 3 --order-by sum $options table.csv) want.csv
  check "top of many groups $options" cmp <(group -t, -k 1 --sum 3 --top 500 $options table.csv) <(head -n 500 want.csv)
  check "nearly all of them $options" cmp <(group -t, -k 1 --sum 3 --top 60000 $options table.csv) <(head -n 60000 want.csv)
done

# Values that are no numbers.
printf 'a,1\na,x\nb,\nb\nc,3\nc,nan\n' >bad.csv
bad() { group -t, -k 1 --count --sum 2 --mean 2 --min 2 --median 2 --stdev 2 "$@" bad.csv | tr '\n' ' '; }
check "left out" same "$(bad --bad skip)" "a,2,1,1,1,1, b,2,0,,,, c,2,3,3,3,3, "
check "taken for zero" same "$(bad --bad zero)" "a,2,1,0.5,0,0.5,0.7071067811865476 b,2,0,0,0,0,0 c,2,3,1.5,0,1.5,2.1213203435596424 "
check_error 1 'line 2: field 2 is "x"' "$peneira" group -t, -k 1 --sum 2 --bad fail bad.csv
for options in "" "--threads 3"; do
  check_exit 0 "$peneira" group -t, -k 1 --sum 2 --bad skip $options bad.csv
  check "they are counted $options" same "$(cat stderr.txt)" \
    'peneira: group: 2 empty and 2 bad values left out; the first: bad.csv: line 2: field 2 is "x", not a number'
done
check "quietly" same "$(group -t, -k 1 --sum 2 --bad zero bad.csv 2>&1 | wc -l)" 3
check "not a word where there are none" same "$("$peneira" group -t, -k 1 --sum 3 --bad skip table.csv 2>&1 >/dev/null)" ""
check_error 1 'line 1: has no field 3' "$peneira" group -t, -k 3 --sum 2 --bad skip bad.csv

# Formats.
printf 'who,"a ""b"""\n"x,y",1\n"two\nlines",2\n"tab\t\\",3.5\n\xc3\xa9\xff,4\n' >odd.csv
odd() { group --csv --header -k who --sum 2 --last 1 --stdev 2 --format "$@" odd.csv; }
check "csv" same "$(odd csv)" "$(printf 'who,"sum(a ""b"")",last(who),"stdev(a ""b"")"\n"two\nlines",2,"two\nlines",\n"x,y",1,"x,y",\ntab\t\\,3.5,tab\t\\,\n\xc3\xa9\xff,4,\xc3\xa9\xff,')"
check "tsv" same "$(odd tsv)" "$(printf 'who\tsum(a "b")\tlast(who)\tstdev(a "b")\ntwo\\nlines\t2\ttwo\\nlines\t\nx,y\t1\tx,y\t\ntab\\t\\\\\t3.5\ttab\\t\\\\\t\n\xc3\xa9\xff\t4\t\xc3\xa9\xff\t')"
check "json" cmp <(odd json | python3 -c 'import json, sys
for line in sys.stdin.buffer: print(*json.loads(line).items())') <(cat <<'TEXT'
('who', 'two\nlines') ('sum(a "b")', 2) ('last(who)', 'two\nlines') ('stdev(a "b")', None)
('who', 'x,y') ('sum(a "b")', 1) ('last(who)', 'x,y') ('stdev(a "b")', None)
('who', 'tab\t\\') ('sum(a "b")', 3.5) ('last(who)', 'tab\t\\') ('stdev(a "b")', None)
('who', 'é�') ('sum(a "b")', 4) ('last(who)', 'é�') ('stdev(a "b")', None)
TEXT
)
check "table" cmp <(group --csv --header -k who --count --sum 2 --format table odd.csv) <(printf '%s\n' \
  'who         count  sum(a "b")' 'two\nlines      1           2' 'x,y             1           1' \
  'tab\t\          1         3.5' "$(printf '\xc3\xa9\xff              1           4')")
check "several keys of csv" same "$(printf '"a,b",c,1\n' | group --csv -k 2,1 --sum 3 --format json)" \
  '{"field 2":"c","field 1":"a,b","sum(field 3)":1}'
check "a table without a header" same "$(printf 'x 1\nlonger 10\n' | group -W -k 1 --sum 2 --format table | tr '\n' '|')" "longer  10|x        1|"
check_error 2 "--format" "$peneira" group --count --format xml </dev/null

# What cannot be meant.
check_error 2 'must be a number, a colon and a field, such as 95:3, but is "95"' "$peneira" group --percentile 95 </dev/null
for bad in 101 -1 x 1e-20; do
  check_error 2 "must be a number from 0 to 100" "$peneira" group --percentile "$bad:1" </dev/null
done
check_error 2 'invalid field ""' "$peneira" group --percentile 5: </dev/null
check_error 2 "--bad" "$peneira" group --count --bad ignore </dev/null
check_error 2 "--tsv excludes" "$peneira" group --tsv -t, --count </dev/null
check_error 1 "line 1: has no field 9" "$peneira" group -t, --distinct 9 table.csv

# Every value of one group, in little memory; what is left of them after a signal.
mkdir spill
if can_measure_memory; then
  "$peneira" gen --lines 1M --text csv --seed 5 >large.csv
  check_exit 0 /usr/bin/time -f %M -o used.txt "$peneira" group -t, --median 1 --distinct 1 --percentile 99:3 -S 16M \
    --threads 2 -T spill large.csv
  check "memory: $(cat used.txt) KiB with -S 16M" test "$(cat used.txt)" -lt 40000
  check "and the right ones" same "$(cut -d, -f1,2 stdout.txt)" "$(cut -d, -f1 large.csv | sort -n | awk '{ a[NR] = $1 } END { printf "%.10g,%d", (a[int((NR + 1) / 2)] + a[int(NR / 2) + 1]) / 2, NR }')"
fi
status=0
timeout --preserve-status -s TERM 0.5 bash -c \
  "exec '$peneira' group -t, -k 2 --median 1 -S 1M -T spill -o spill/out < <('$peneira' gen --lines 1T --text csv 2>/dev/null)" 2>stderr.txt || status=$?
check "a signal" same "$status" 143
check "leaves nothing" same "$(find spill -mindepth 1)" ""
status=0
(limit_files 4 && "$peneira" group -t, --median 1 -S 64K -T spill table.csv 2>stderr.txt >/dev/null) || status=$?
check "a temporary disk too full is an error" same "$status" 1
check "few descriptors suffice" same "$(ulimit -n 12; group -t, -k 4 --median 1 --distinct 2 --mode 3 --order-by median -S 64K table.csv | md5sum)" \
  "$(group -t, -k 4 --median 1 --distinct 2 --mode 3 --order-by median table.csv | md5sum)"
finish
