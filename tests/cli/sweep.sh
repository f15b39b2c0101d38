# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# peneira-bench sweep: a few small problems of every primitive, and one of them again; the figures mean nothing.
source "$(dirname "$0")/check.sh"

sweep=("$peneira_bench" sweep --place cpu --threads 2)

first=sort,multisplit,segmented_reduce,reduce
check_exit 0 "${sweep[@]}" --only $first --problems 40 --max-n 10K --seed 3 --json s.json --csv s.csv --commit 0123456
cp stdout.txt told.txt
check "the seed and the number of problems" grep -q '^40 problems of seed 3, up to 10K items$' stdout.txt
check "quantiles" grep -Eq '^ours over the best peer +problems +worst +1% +5% +25% +50% +below 1$' stdout.txt
for bar in 'multisplit, any order' 'multisplit, stable' reduce segmented_reduce 'sort, n < 1000' 'sort, n >= 1000'; do
  check "a line of $bar" grep -Eq "^$bar +[0-9]+( +[0-9.]+){5} +[0-9]+$" stdout.txt
done
check "twenty of them are the worst" same "$(grep -c '^ *peneira-bench sweep --place cpu --threads 2 --seed 3 --problem [0-9]*$' stdout.txt)" 20
check "the worst ascend" same "$(sed -n 's/^ *\([0-9.]*\)  [a-z].*, beside .*/\1/p' stdout.txt)" \
  "$(sed -n 's/^ *\([0-9.]*\)  [a-z].*, beside .*/\1/p' stdout.txt | sort -n)"
check "a right result file" "$peneira_bench" check s.json >/dev/null
check "its seed" grep -q '"sweep":' s.json
check "a row a problem" same "$(grep -c '"index":' s.json)" 40
check "a line a problem" same "$(wc -l <s.csv)" 41
check "a table of quantiles" grep -Eq '^\| segmented_reduce \| [0-9]+ \|( [0-9.]+ \|){5} [0-9]+ \|$' <("$peneira_bench" table s.json)
sed 's/"peer_seconds"/"pear_seconds"/' s.json >broken.json
check_error 1 "1 of 1 result files are not right" "$peneira_bench" check broken.json
check "a file without its peers' times" grep -q 'row 0 lacks "peer_seconds"' stdout.txt

# Each of the worst again, by its command.
read -r -a again <<<"$(grep -m 1 -o 'sweep --place .*' told.txt)"
told=$(grep -m 1 ', beside ' told.txt | sed 's/^ *[0-9.]*  //; s/, beside .*//')
check_exit 0 "$peneira_bench" "${again[@]}"
check "the same problem: $told" grep -qF -- ": $told" stdout.txt
check "each contestant" grep -Eq '^  peneira +[0-9.]+ us +[0-9.]+%  [0-9]+ runs$' stdout.txt
check "the best of the peers" grep -q 'best peer$' stdout.txt

# The same seed, the same problems; another, others.
"${sweep[@]}" --dry-run --problems 30 --seed 5 >one.txt
"${sweep[@]}" --dry-run --problems 30 --seed 5 >two.txt
"${sweep[@]}" --dry-run --problems 30 --seed 6 >other.txt
check "the same problems" cmp one.txt two.txt
check "thirty of them" same "$(wc -l <one.txt)" 30
check "other problems" test "$(cat one.txt)" != "$(cat other.txt)"
"${sweep[@]}" --dry-run --problems 30 --seed 5 --only sort,reduce --max-n 2K >fewer.txt
check "--only and --max-n" same "$(grep -Evc ': (sort|reduce) ' fewer.txt; grep -c ', [0-9]\{5,\} items' fewer.txt)" "0
0"
number=$(head -n 1 fewer.txt | cut -d: -f1)
check "--problem" same "$("${sweep[@]}" --dry-run --seed 5 --problem "$number")" "$(head -n 1 fewer.txt)"

# The other calls, which come in turn with the first four.
check_exit 0 "${sweep[@]}" --only group_by,histogram,unique,run_lengths,top_k,segmented_sort,sort_records,sort_columns,scan,partition,gather \
  --problems 30 --max-n 2K --seed 3 --json calls.json --commit 0123456
calls=$(sed -nE 's/^([a-z_]+)(, n < 1000)? +[0-9]+( +[0-9.]+){5} +[0-9]+$/\1/p' stdout.txt | sort -u | wc -l)
check "lines of $calls calls, of 11" test "$calls" -ge 8
check "a right result file of calls" "$peneira_bench" check calls.json >/dev/null
check "in turn" same "$(cut -d: -f1 one.txt | awk '{ print ($1 >= 1000000000 ? "call" : "first") }' | sort | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" "15 15 "
check_exit 0 "${sweep[@]}" --minutes 0.01 --max-n 1K --only reduce
check_exit 0 "${sweep[@]}" --problems 3 --max-n 1K --quiet
check "--quiet" test ! -s stdout.txt
check_error 2 "--only: " "${sweep[@]}" --only shuffle
check_error 2 "--max-n: must be at least 1" "${sweep[@]}" --max-n 0
check_error 2 "--minutes: " "${sweep[@]}" --minutes 0
check_error 1 "s.json exists" "${sweep[@]}" --problems 1 --json s.json
check "nothing left" nothing_left
finish
