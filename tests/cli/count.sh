# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# peneira count: what sort | uniq -c | sort -rn says.
source "$(dirname "$0")/check.sh"

count() { "$peneira" count --quiet "$@"; }

# truth FIELD FILE: counts and values by GNU's tools.
truth() { cut -d, -f"$1" "$2" | sort | uniq -c | awk '{ n = $1; sub(/^ *[0-9]+ /, ""); print n "," $0 }' | sort -t, -k1,1nr -k2; }

"$peneira" gen --lines 50K --text csv --seed 2 -o table.csv
for field in 1 2 3 4; do
  truth $field table.csv >want.csv
  for options in "" "--csv" "--threads 1" "--threads 5" "-S 64K" "-S 64K --threads 3"; do
    check "field $field $options" cmp <(count -t, -k $field $options table.csv) want.csv
    check "field $field $options, the first" cmp <(count -t, -k $field --top 20 $options table.csv) <(head -n 20 want.csv)
  done
done
cut -d, -f2,4 table.csv | tr , '\t' >lines.txt
check "whole lines" cmp <(count lines.txt) <(sort lines.txt | uniq -c | awk '{ n = $1; sub(/^ *[0-9]+ /, ""); print n "\t" $0 }' | sort -t "$(printf '\t')" -k1,1nr -k2)
check "several fields" cmp <(count -k 1,2 lines.txt) <(count lines.txt)
check "by key" cmp <(count -t, -k 2 --order-by key:asc table.csv) <(truth 2 table.csv | sort -t, -k2)
check "the rarest" same "$(printf 'a\nb\na\nc\nc\nc\n' | count --order-by count:asc | tr '\t\n' ' ,')" "1 b,2 a,3 c,"
check "nothing in, nothing out" same "$(count </dev/null | wc -c)" 0
check "empty lines" same "$(printf '\n\nx\n' | count | tr '\t\n' ' ,')" "2 ,1 x,"
check "blanks" same "$(printf ' b  1\nb 2\na 3' | count -W -k 1 | tr '\t\n' ' ,')" "2 b,1 a,"
check "quotes" same "$(printf '"x,y",1\nplain,2\n"x,y",3\n"plain",4\n"x,y"\n' | count --csv -k 1 | tr '\n' ' ')" '3,"x,y" 2,plain '
check "a header, by name, in another order" same \
  "$(count --csv --header -k who <(printf 'id,who\n1,ann\n2,bob\n') <(printf 'who,id\nbob,3\n') | tr '\n' ' ')" "count,who 2,bob 1,ann "
check "json" same "$(printf 'a b\na b\n' | count --format json)" '{"count":2,"line":"a b"}'
check "a table" same "$(printf '%s\n' a b b b b b b b b b b | count --format table | tr '\n' '|')" "10  b| 1  a|"
check_says "Examples:" "$peneira" count --help
check_error 1 "line 2: has no field 2: it ends after 1" "$peneira" count -t, -k 2 < <(printf 'a,b\nc\n')
check_error 2 'count: invalid field "who"' "$peneira" count -t, -k who table.csv
check_error 2 '--order-by: "sum" is none of the results, which are: count' "$peneira" count --order-by sum table.csv
check_error 1 "cannot open missing.csv" "$peneira" count missing.csv
check_exit 0 "$peneira" count -t, -k 2 table.csv -o out.csv
check "-o" cmp out.csv <(count -t, -k 2 table.csv)
check_error 1 "out.csv exists; --force replaces it" "$peneira" count -t, -k 2 table.csv -o out.csv
check "nothing left" nothing_left
finish
