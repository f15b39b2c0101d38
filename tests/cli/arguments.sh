# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# Arguments are what they are, in every command: empty values, names that look like something else, what stands behind --.
source "$(dirname "$0")/check.sh"

# An empty value is a value: the next argument is not.
printf 'precious\n' >precious.txt
printf 'a\nb\n' >lines.txt
for command in "count --force lines.txt" "group --force -k 1 --count lines.txt" "gen --force --lines 2" "completions bash" \
  "reduce --force --type u8 lines.txt" "sort --type u8 -q lines.txt" "sort -q lines.txt" "split --type u8 -n 2 --force lines.txt"; do
  cp precious.txt x.txt
  "$peneira" $command --output= x.txt </dev/null >/dev/null 2>stderr.txt && status=0 || status=$?
  check "$command --output= FILE: leaves the file" cmp precious.txt x.txt
  check "$command --output= FILE: is an error" test $status -ne 0
done
check_error 2 "empty" "$peneira" count --output= lines.txt
check_error 2 "invalid field \"\"" "$peneira" group --header -k 1 --sum= <(printf 'k\tv\na\t1\n')
check_exit 0 "$peneira" group -t, -k 1 --concat 2 --list-separator= <(printf 'a,x\na,y\n')
check "an empty separator" same "$(cat stdout.txt)" "a,xy"

# Names.
mkdir names && cd names
echo right >'[x]' && echo right >++ && echo right >--top && echo wrong >x && echo wrong >y
for name in '[x]' ++ '[x,y]' --top; do
  [ -e "$name" ] || echo right >"$name"
  dashes=$([[ $name != --* ]] || echo --)
  check "count $name" same "$("$peneira" count $dashes "$name" </dev/null)" "$(printf '1\tright')"
  check "group $name" same "$("$peneira" group -k 1 --count -- "$name" </dev/null)" "$(printf 'right\t1')"
  check "sort $name" same "$("$peneira" sort $dashes "$name" </dev/null)" right
  check "sort --type $name" same "$("$peneira" sort -q --type u8 -- "$name" </dev/null | wc -c)" 6
  check "reduce $name" same "$("$peneira" reduce --type u8 --op count -- "$name")" 6
  rm -f shard-0
  check_exit 0 "$peneira" split -n 1 -q --out shard-%d -- "$name"
  check "split $name" same "$(cat shard-0)" right
done
check "a column in brackets" same "$(printf '[a],b\n1,2\n' | "$peneira" group --csv --header -k '[a]' --sum b | tail -n 1)" "1,2"
check "a separator of plus signs is a value" test "$("$peneira" group -t + -k 1 --count <(printf 'a+b\n'))" = "a+1"
check "behind joined letters" same "$("$peneira" group -qt ++ -k 1 --count 2>&1 </dev/null | head -n 1)" "$("$peneira" group -t ++ -k 1 --count 2>&1 </dev/null | head -n 1)"
check "files on both sides of --" same "$("$peneira" count x -- y ./--top </dev/null | paste -sd ' ')" "$(printf '2\twrong 1\tright')"
check_exit 0 "$peneira" count -- - </dev/null
check_error 1 "No such file" "$peneira" count -- -- x
cd ..

# Names of compressed files.
check_error 2 "is not compressed by this command" "$peneira" split --type u8 -n 2 -o bins.gz lines.txt
check_error 2 "is not compressed by this command" "$peneira" sort --type u8 -o x.zst lines.txt
check_error 2 "is not compressed by this command" "$peneira" split --type u8 -n 2 -o bins.bin --offsets x.gz lines.txt
check_error 2 "is not compressed by this command" "$peneira" completions bash -o x.gz

# What messages show of an input.
check_error 1 'field 2 is "\x1b[31mred", not a number' "$peneira" group -k 1 --sum 2 <(printf 'a\t\033[31mred\n')
"$peneira" group -k 1 --sum 2 <(printf 'a\t'; head -c 1000000 /dev/zero | tr '\0' x) 2>stderr.txt || true
check "a long field is shown in part" test "$(wc -c <stderr.txt)" -lt 300
"$peneira" split --out '{}.csv' <(head -c 1000000 /dev/zero | tr '\0' x) 2>stderr.txt || true
check "so is a key that is too long for a name: $(cat stderr.txt)" test "$(wc -c <stderr.txt)" -lt 300
check_error 1 "the name has 256 bytes, and may have 255" "$peneira" split --out '{}' <(printf 'x%.0s' {1..256})
check_error 2 'must name a field, but is ""' "$peneira" split -k '' -n 2 --out 'x%d' lines.txt

# Outputs that are no files need no --force.
check_exit 0 "$peneira" count lines.txt -o /dev/null
check_exit 0 "$peneira" count lines.txt -o /dev/stdout
check "through /dev/stdout" same "$(wc -l <stdout.txt)" 2

# Quoted fields, with --tsv as with --csv; the two exclude each other.
printf 'k\tn\n"a"\t"1.5"\na\t2\n' >quoted.tsv
check "group --tsv" same "$("$peneira" group --tsv --header -k k --sum n quoted.tsv | tail -n 1)" "$(printf 'a\t3.5')"
check "count --tsv" same "$("$peneira" count --tsv --header -k k quoted.tsv | tail -n 1)" "$(printf '2\ta')"
check "sort --csv --tsv" grep -q 'tsv excludes --csv' <("$peneira" sort --csv --tsv quoted.tsv 2>&1 || true)
for command in "split -n 2 --out x-%d" "group --count" count; do
  check_error 2 "excludes" "$peneira" $command --csv --tsv quoted.tsv
done
check_error 2 "--tsv excludes" "$peneira" split --tsv -t, -n 2 --out x-%d quoted.tsv
check "a whole record is one field" same "$(printf 'a,1\n"a,b",2\na,1\n' | "$peneira" count --csv | paste -sd ' ')" '2,"a,1" 1,"""a,b"",2"'

# The names that other commands have for options of sort.
check "sort --memory, --separator and --descending" same \
  "$(printf 'a,1\nb,2\n' | "$peneira" sort --memory 2M --separator , --descending -k 2 | paste -sd ' ')" "b,2 a,1"
finish
