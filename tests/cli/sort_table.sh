# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# peneira sort on tables: headers, fields by name, quoted fields.
source "$(dirname "$0")/check.sh"

psort() { "$peneira" sort --quiet "$@"; }
# sorts WANTED OPTION...: it prints that, given with \n.
sorts() {
  local want=$1
  shift
  printf "$want" >want.txt
  check_exit 0 "$peneira" sort "$@"
  check "sort $*: $(cat stdout.txt)" cmp want.txt stdout.txt
}
fails() { # fails TEXT OPTION...
  local text=$1
  shift
  check_exit 2 "$peneira" sort "$@"
  check "\"$text\" instead of: $(cat stderr.txt)" grep -qF -- "$text" stderr.txt
}

printf 'city,price,2024\nRome,3,x\n"A, B",10,y\nParis,7,z\n"x\ny",5,a\n' >a.csv
sorts 'city,price,2024\n"A, B",10,y\nParis,7,z\n"x\ny",5,a\nRome,3,x\n' --csv --header -k price:nr a.csv
sorts 'city,price,2024\n"A, B",10,y\nParis,7,z\nRome,3,x\n"x\ny",5,a\n' --csv --header -k city a.csv
sorts 'city,price,2024\n"x\ny",5,a\nRome,3,x\n"A, B",10,y\nParis,7,z\n' --csv --header -k 2024 a.csv
sorts 'city,price,2024\nRome,3,x\n"x\ny",5,a\n' --csv --header -k2,2n --top 2 a.csv
sorts 'city,price,2024\nRome,3,x\nRome,3,x\n' --csv --header -k2,2n --top 2 -S 1K a.csv a.csv
sorts 'city,price,2024\n' --csv --header -k2,2n --top 0 a.csv
check "a size as in other commands" cmp <(seq 5000 | psort -n --top 2K) <(seq 2048)
fails '--top: "2x" is not a size' --top 2x a.csv
sorts '"A, B",10,y\n"x\ny",5,a\nParis,7,z\nRome,3,x\ncity,price,2024\n' --csv a.csv
sorts 'city,price,2024\n"x\ny",5,a\nRome,3,x\n"A, B",10,y\nParis,7,z\n' --csv -k3 a.csv
sorts '"x\ny",5,a\nRome,3,x\nParis,7,z\ncity,price,2024\n"A, B",10,y\n' --csv -k1.1,1.1fr a.csv
tr , '\t' <a.csv >a.tsv
sorts 'city\tprice\t2024\n"A\t B"\t10\ty\nParis\t7\tz\nRome\t3\tx\n"x\ny"\t5\ta\n' --tsv --header -k city a.tsv
check "from a pipe" cmp <(psort --csv --header -k city a.csv) <(cat a.csv | psort --csv --header -k city)
check "standard input among files" cmp <(psort --csv --header -k city a.csv a.csv) <(psort --csv --header -k city a.csv - <a.csv)
check_exit 0 "$peneira" sort --csv --header -k price:n a.csv -o sorted.csv
check_exit 0 "$peneira" sort -c --csv --header -k price:n sorted.csv
check_exit 1 "$peneira" sort -c --csv --header -k city sorted.csv
check "the line of the disorder" grep -q '^peneira sort: sorted.csv:5: disorder: Paris' stderr.txt
sorts "$(psort --csv --header -k price:n a.csv a.csv | awk '{ printf "%s\\n", $0 }')" -m --csv --header -k price:n sorted.csv sorted.csv

# Lines without quotes, as GNU sort orders what is behind the header.
"$peneira" gen --lines 4K --text csv --seed 1 -o rows.csv
{ echo id,key,value,word; cat rows.csv; } >table.csv
for options in "-k key|-k2,2" "-k value:nr -k id:n|-k3,3nr -k1,1n" "-k word -u|-k4,4 -u" "-k word:f -s|-k4,4f -s" "-r|-r" "-k 2|-k2"; do
  { head -n 1 table.csv; sort -t, ${options#*|} rows.csv; } >want.txt
  for more in "" "-S 1K" "--csv" "--threads 1"; do
    check "${options%|*} $more" cmp want.txt <(psort -t, --header ${options%|*} $more table.csv)
  done
done
printf 'name   size\nb    10\na  9\n' >blanks.txt
sorts 'name   size\na  9\nb    10\n' --header -k size:n blanks.txt
sorts 'name   size\nb    10\na  9\n' --header -k size blanks.txt

# Headers: of several inputs, of none, with marks and carriage returns.
printf 'city,prise\n' >other.csv
fails 'other.csv: the header is not that of the first input: field 2 is "prise", not "price"' --csv --header a.csv other.csv
fails 'other.csv: the header is not that of the first input: field 2 is "prise", not "price"' -m --csv --header a.csv other.csv
check "a merge that is refused writes nothing" cmp /dev/null <("$peneira" sort -m --csv --header a.csv other.csv 2>/dev/null)
head -n 1 a.csv >only.csv
sorts 'city,price,2024\n' -m --csv --header only.csv only.csv
fails 'the header has no field "prise", but: city price 2024; did you mean price?' --csv --header -k prise a.csv
printf 'a,a\n1,2\n' >twice.csv
fails 'more than one field "a"' --csv --header -k a twice.csv
fails 'fields have names' -t, -k city a.csv
fails 'not allowed there' --header -k 1x a.csv
: >empty.csv
sorts '' --csv --header -k nothing empty.csv
sorts 'a,a\n1,2\n' --csv --header -k2,2 empty.csv twice.csv empty.csv
sorts 'a,a\n' --header <(printf 'a,a\n')
sorts 'a,a\n' --header <(printf 'a,a')
printf '\xef\xbb\xbfk,v\r\nb,1\r\na,2\r\n' >dos.csv
sorts 'k,v\r\na,2\r\nb,1\r\n' --csv --header -k k dos.csv
sorts 'k,v\r\nb,1\r\na,2\r\n' --csv --header -k v dos.csv
sorts 'x:n,y\na,1\nb,0\n' --csv --header -k x:n: <(printf 'x:n,y\nb,0\na,1\n')

# Quotes that never end.
printf 'k,v\na,1\nb,"2\nc,3\n' >open.csv
fails 'open.csv: line 3: a quoted field begins here and never ends' --csv --header -k v open.csv
fails 'open.csv: line 3: a quoted field begins here and never ends' --csv -m open.csv
{ printf 'k\n"'; head -c 3000000 /dev/zero | tr '\0' '\n'; } >huge.csv
fails 'huge.csv: line 2: a quoted field begins here and is longer than' --csv --header -S 1M huge.csv
sorts 'a"b",1\nc,"d"\n' --csv <(printf 'c,"d"\na"b",1\n')

# Larger than the memory, with newlines in fields.
awk 'BEGIN { print "id,text"; for (i = 0; i < 30000; ++i) printf "%d,\"line %d\nand, more\"\n", (i * 7919) % 30011, i }' >long.csv
check "little memory" cmp <(psort --csv --header -k id:n long.csv) <(psort -S 1M --csv --header -k id:n long.csv)
check "as many records" same "$(psort -S 1M --csv --header -k text long.csv | grep -c '^[0-9]*,"line')" 30000
check "first lines" cmp <(psort --csv --header -k text long.csv | head -n 201) <(psort -S 1M --csv --header -k text --top 100 long.csv)
for options in "-k id:n" "-k text" "-k text -r" "-k text -u"; do
  check "more first lines than fit: $options" cmp <(psort --csv --header $options long.csv | head -n 40001) \
    <(psort -S 1M --csv --header $options --top 20000 long.csv)
done
check "of lines without keys" cmp <(sort -r long.csv | head -n 40000) <(psort -r -S 1M --top 40000 <long.csv)
check "nothing left" nothing_left
finish
