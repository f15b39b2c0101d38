# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# peneira-bench: rows, files and tables of every primitive, on inputs so small that the figures mean nothing.
source "$(dirname "$0")/check.sh"

check_exit 0 "$peneira_bench" multisplit --place cpu --n 10K --bins 2,361 --runs 1 --threads 2 --json m.json --csv m.csv
check "multisplit: header" grep -Eq '^type +n +bins +input +order' stdout.txt
check "multisplit: our choice" grep -Eq ' auto \([a-z_]+\) ' stdout.txt
check "multisplit: table" grep -q '^| bins | 2 | 361 |$' <("$peneira_bench" table m.json)

# Where nothing is measured the program is compiled for few of the types: it says for which.
"$peneira_bench" reduce --place cpu --n 1K --type none >/dev/null 2>types.txt || true
types=$(sed -n 's/.*there are: \([a-z0-9, ]*\).*/\1/p' types.txt)
rows=$((4 * $(tr ',' '\n' <<<"$types" | wc -l)))
rm types.txt
check "reduce: types" grep -q '^u32, f32' <<<"$types"
check_exit 0 "$peneira_bench" reduce --place cpu --n 1K,1M --type "${types//, /,}" --op sum,max --runs 1 --threads 2 \
  --strategy all --json r.json --csv r.csv
check "reduce: header" grep -Eq '^type +n .*op .*% of read' stdout.txt
check "reduce: nothing is wrong" test -z "$(grep WRONG stdout.txt)"
check "reduce: every strategy" same "$(grep -c ' slices ' stdout.txt)" "$rows"
check "reduce: rows in the CSV" same "$(grep -c '^reduce,cpu,auto,' r.csv)" "$rows"
"$peneira_bench" table r.json >table.txt
check "reduce: table" grep -q '^| items | 1024 | 1048576 |$' table.txt
check "reduce: title" grep -q '^f32, sum, 2 threads:$' table.txt
check "reduce: bandwidth" grep -q '^| auto, % of read |' table.txt

check_exit 0 "$peneira_bench" segmented_reduce --place cpu --n 100K --segments 1,7,50K --runs 1 --threads 2 --type u32,f32 \
  --op max,sum --json s.json
check "segmented_reduce: nothing is wrong" test -z "$(grep WRONG stdout.txt)"
check "segmented_reduce: header" grep -Eq '^type +n +segments +shape +op' stdout.txt
for shape in equal normal exponential giant every; do
  check "segmented_reduce: $shape" grep -Eq " $shape .* auto \(shares\) " stdout.txt
done
"$peneira_bench" table s.json >table.txt
check "segmented_reduce: table" grep -q '^| segments | 1 | 7 | 51200 |$' table.txt
check "segmented_reduce: title" grep -q '^f32, sum, 102400 items, giant, 2 threads:$' table.txt
check "segmented_reduce: the whole for comparison" grep -q '^| one reduce of all items, G items/s |' table.txt

check_exit 0 "$peneira_bench" strings --place cpu --n 5K --input random,url --runs 1 --threads 1,2 --strategy all \
  --task-size 10,100 --merge-items 0,1000 --json t.json --csv t.csv
check "strings: header" grep -Eq '^type +n +bins +input +order' stdout.txt
check "strings: nothing is wrong" test -z "$(grep WRONG stdout.txt)"
check "strings: our choice" same "$(grep -c ' auto (prefixes) ' stdout.txt)" 4
check "strings: the published sort" same "$(grep -v split stdout.txt | grep -c ' task_merge_quicksort(10) ')" 4
check "strings: its merges split" same "$(grep -c ' task_merge_quicksort(10) (merges split by 1000) ' stdout.txt)" 4
check_error 2 "merge_items of 0" "$peneira_bench" strings --place cpu --n 1K --strategy task_merge_quicksort --merge-items 1
"$peneira_bench" table t.json >table.txt
check "strings: table" grep -q '^| threads | 1 | 2 |$' table.txt
check "strings: title" grep -q '^5120 lines, url, CPU:$' table.txt
check "strings: rates" grep -q '^| auto, M lines/s |' table.txt
check_error 2 "there are: random, url" "$peneira_bench" strings --place cpu --n 1K --input prose
check_error 2 "--task-size: must be at least 1" "$peneira_bench" strings --place cpu --n 1K --task-size 0

inputs=uniform,normal,exponential,zipf,equal,sorted,reversed,few,low8,entropy0.544,entropy0.201,organ
check_exit 0 "$peneira_bench" sort --place cpu --n 1K,100K --runs 1 --threads 2 --type u32 --input "$inputs" --strategy all --json o.json
check "sort: nothing is wrong" test -z "$(grep WRONG stdout.txt)"
check "sort: every strategy and input" same "$(grep -c ' partitioned ' stdout.txt)" 24
"$peneira_bench" table o.json >table.txt
check "sort: table" grep -q '^| items | 1024 | 102400 |$' table.txt
check "sort: title" grep -q '^u32, few, 2 threads:$' table.txt
check_exit 0 "$peneira_bench" sort --place cpu --n 100K --runs 1 --threads 2 --type u64 --pairs u64 --input zipf \
  --order stable,any --out-of-place
check "sort: pairs, both orders" same "$(grep -c ' zipf .* auto (partitioned) ' stdout.txt)" 2
check "sort: pairs, nothing is wrong" test -z "$(grep WRONG stdout.txt)"

check_error 2 '--peers: no peer matches "quick"' "$peneira_bench" sort --place cpu --n 1K --peers quick
if grep -q __gnu_parallel o.json; then
  check_exit 0 "$peneira_bench" sort --place cpu --n 1K --runs 1 --threads 2 --input uniform --peers gnu --json one.json
  check "sort: the one peer that was asked for" same "$(grep -o '"strategy": "[^"]*"' one.json | sort -u | wc -l)" 2
fi
check_error 2 "there are: uniform, normal" "$peneira_bench" sort --place cpu --n 1K --input round
check_error 2 "u64 with u64" "$peneira_bench" sort --place cpu --n 1K --type u32 --pairs u64
check_error 2 "there are: u32, f32" "$peneira_bench" reduce --place cpu --n 1K --type u8
check_error 2 "there are: sum, max" "$peneira_bench" reduce --place cpu --n 1K --op mean
check_error 2 "there are: equal, normal" "$peneira_bench" segmented_reduce --place cpu --n 1K --shape round
check_error 2 "--segments: must be at least 1" "$peneira_bench" segmented_reduce --place cpu --n 1K --segments 0
check_error 2 "at most 4294967295" "$peneira_bench" segmented_reduce --place cpu --n 8G
check_error 2 '"nothing" is unknown' "$peneira_bench" reduce --place cpu --n 1K --strategy nothing
check_error 2 "needs --strategy mpp_sort" "$peneira_bench" sort --place cpu --kernels
check_error 2 "mpp_sort runs on a GPU" "$peneira_bench" sort --place cpu --strategy mpp_sort --kernels
check_error 1 "r.json exists" "$peneira_bench" reduce --place cpu --n 1K --json r.json
check "nothing left" nothing_left
check_error 2 "--json and --csv name the same file" "$peneira_bench" multisplit --n 1K --bins 2 --json one --csv ./one
check_error 2 "--json: cannot be standard output (-)" "$peneira_bench" multisplit --n 1K --bins 2 --json -
check_error 2 '--bins: "-2" is negative' "$peneira_bench" multisplit --n 1K --bins -2
check_exit 0 "$peneira_bench" multisplit --n 1K --bins 2 --runs 1 --quiet --json quiet.json
check "--quiet prints no rows" test ! -s stdout.txt
check "but writes them" grep -q '"rows"' quiet.json
finish
