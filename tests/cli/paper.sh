# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# peneira-bench paper: what it would measure, the published figures, the layout of tables, and the CPU's part.
quoted=$(realpath "$(dirname "$0")/../../bench/quoted")
source "$(dirname "$0")/check.sh"

check_says "Examples:" "$peneira_bench" paper --help
check_error 2 "mrbins" "$peneira_bench" paper nothing
check_error 2 "NAME is required" "$peneira_bench" paper

# Every figure fits a table, or this fails.
check_exit 0 "$peneira_bench" paper all --dry-run --threads 32 --quoted "$quoted"
cp stdout.txt all.txt
# row_of PAPER "TABLE" NAME: a line of a table's list.
row_of() {
  awk -v paper="$1: " -v table="$2: " -v name="$3" '
    /^[a-z]+: / { mine = index($0, paper) == 1 }
    /^[^ ]/ { on = mine && index($0, table) == 1 }
    on && $1 == name { print substr($0, 15) }' all.txt
}
n="1M 8M 16M 32M 64M"
few="40 64 100 128 200 256 361"
many="512 1024 2048 3000 4096 5000 8192 12288"
ours="large, buffer_per_bin, buffer_global, buffer_persistent, gpu_multisplit, auto"
for part in "Tabela 1, 40 to 361 bins" "Tabela 1, 512 to 12288 bins" "Tabela 2, left" "Tabela 2, right"; do
  check "mrbins $part: n" same "$(row_of mrbins "$part" n)" "$n"
  check "mrbins $part: strategies" same "$(row_of mrbins "$part" strategies)" "$ours"
  check "mrbins $part: runs" same "$(row_of mrbins "$part" runs)" "30, as in the paper"
done
check "mrbins: few bins" same "$(row_of mrbins "Tabela 1, 40 to 361 bins" bins)" "$few"
check "mrbins: many bins" same "$(row_of mrbins "Tabela 1, 512 to 12288 bins" bins)" "$many"
check "mrbins: left" same "$(row_of mrbins "Tabela 2, left" inputs)" normal
check "mrbins: right" same "$(row_of mrbins "Tabela 2, right" inputs)" exponential
check "mrbins: quoted" same "$(row_of mrbins "Tabela 2, right" quoted)" "15 of NVIDIA H200
170 of NVIDIA RTX A4500"
check "mrbins: quoted of many bins" same "$(row_of mrbins "Tabela 1, 512 to 12288 bins" quoted)" "80 of NVIDIA RTX A4500"
check "mrbins: figure 2" same "$(row_of mrbins "Figura 2" bins) $(row_of mrbins "Figura 2" n)" "256 $n"
check "mrbins: figure 1" same "$(row_of mrbins "Figura 1, 512 to 12288 bins" inputs)" "normal exponential uniform"
check "multipartition: n" same "$(row_of multipartition "Tabela 1, 512 to 12288 bins" n)" "1M 8M 16M 32M"
check "multipartition: strategies" same "$(row_of multipartition "Tabela 1, 512 to 12288 bins" strategies)" \
  "multipartition, multipartition (the paper's limits), buffer_per_bin, large, gpu_multisplit, auto"
check "multipartition: runs" same "$(row_of multipartition "Tabela 1, 40 to 361 bins" runs)" "100, as in the paper"
check "bestreduce: n" same "$(row_of bestreduce "Tabela 1" n)" "128K 256K 512K 1M 2M 4M 8M 16M 32M 64M"
check "bestreduce: peers" same "$(row_of bestreduce "Tabela 1" peers)" "thrust::reduce, cub::DeviceReduce::Max"
check "bestreduce: quoted" same "$(row_of bestreduce "Tabela 1" quoted)" "70 of NVIDIA RTX A4500"
for figure in "2 equal" "3 normal" "4 exponential"; do
  check "bestreduce: figure $figure" same "$(row_of bestreduce "Figura ${figure% *}" inputs)" "${figure#* }"
  check "bestreduce: segments" same "$(row_of bestreduce "Figura ${figure% *}" segments | tr ' ' '\n' | sed -n '1p;4p;24p' | xargs)" \
    "2 16 16M"
done
check "bestreduce: the paper's limits beside the device's" same "$(grep -cF "best_reduce, best_reduce (the paper's limits), auto" all.txt)" 4
check "bestreduce: granularity" same "$(row_of bestreduce "Figura 1" n) $(row_of bestreduce "Figura 1" segments | wc -w)" "16M 23"
check "mppsort: n" same "$(row_of mppsort "Tabela 1" n)" 10000
check "mppsort: quoted" same "$(row_of mppsort "Tabela 1" quoted) $(row_of mppsort "Tabela 2" quoted)" \
  "6 of NVIDIA GTX 750 Ti 2 of NVIDIA GTX 750 Ti"
check "mppsort: the fifth kernel's knobs" same "$(row_of mppsort "Kernel 5" strategies | tr ',' '\n' | grep -Ec ' \((runs of [0-9]+ merged|[0-9]+ blocks?)\)$')" 7
check "mppsort: its way with large partitions" grep -q "^mpp_sort, mpp_sort and thrust::sort, auto$" \
  <(row_of mppsort "Seção 3" strategies)
check "strings: n" same "$(row_of strings "Figura 2" n)" 10000000
check "strings: threads" same "$(row_of strings "Figura 2" threads)" "1 2 4 8 16 32"
check "strings: blocks" same "$(row_of strings "Tabela 1" a)" "16 32 64 128 256"
check "strings: with and without copies, and the sequential sort" grep -q \
  "^doubling_merge, doubling_merge with the copies, .*, quicksort by one thread$" <(row_of strings "Tabela 1" strategies)
check "strings: quoted" same "$(row_of strings "Tabela 1" quoted)" "5 of NVIDIA Tesla T4"
"$peneira" strategies | awk '/published/ { print $3 }' >published.txt
check "there are published strategies" test "$(wc -l <published.txt)" -ge 13
while read -r name; do
  check "some table has $name" grep -Eq "^  strategies .*\b$name\b" all.txt
done <published.txt

# What a paper leaves open can be read in two ways; its own figures follow.
check_exit 0 "$peneira_bench" paper mrbins --dry-run --inputs printed --millions 10^6 --quoted "$quoted"
cp stdout.txt all.txt
check "printed: n" same "$(row_of mrbins "Tabela 2, right" n)" "1000000 8000000 16000000 32000000 64000000"
check "printed: inputs" same "$(row_of mrbins "Figura 2" inputs)" "normal_n exponential_int uniform"
check "printed: quoted" same "$(row_of mrbins "Tabela 2, right" quoted)" "170 of NVIDIA RTX A4500"
check "printed: it says so" grep -q '^Tabela 2, left: normal keys, inputs as printed$' all.txt

# The published figures.
for file in "$quoted"/*.csv; do
  check "$(basename "$file"): a head comment" test "$(grep -c '^# ' "$file")" -ge 3
  check "$(basename "$file"): the machine" same "$(grep -c '^# machine: ' "$file")" 1
  check "$(basename "$file"): as many cells as columns" same "$(grep -v '^#' "$file" | tr -cd ',\n' | sort -u | wc -l)" 1
done
cp -r "$quoted" mine
sed -i 's/^Tabela 1,large,uniform,8M,64,20.67,$/Tabela 1,large,uniform,8M,64,fast,/' mine/paper-mrbins.csv
check_error 1 'paper-mrbins.csv, line ' "$peneira_bench" paper mrbins --dry-run --quoted mine
check "what is wrong with it" grep -qF 'invalid figure "fast"' stderr.txt
sed 's/^Tabela 1,large,uniform,8M,64,20.67,$/Tabela 1,large,uniform,8M,65,20.67,/' "$quoted/paper-mrbins.csv" >mine/paper-mrbins.csv
check_error 1 "bins 65" "$peneira_bench" paper mrbins --dry-run --quoted mine
echo "Tabela 1,large" >>mine/paper-bestreduce.csv
check_error 1 "2 cells under 7 columns" "$peneira_bench" paper bestreduce --dry-run --quoted mine
check_error 2 "--quoted" "$peneira_bench" paper mrbins --dry-run --quoted nowhere

# The CPU's part of the paper on strings.
check_exit 0 "$peneira_bench" paper strings --place cpu --quick --threads 2 --json s.json --csv s.csv --commit 0123456
check "strings: nothing is wrong" test -z "$(grep WRONG stdout.txt)"
check "strings: items" grep -q '^Figura 2: .*, 156250 items, in s\. Means of 2 runs' stdout.txt
check "strings: columns" grep -Eq '^\| threads +\| 1 +\| 2 +\|$' stdout.txt
check "strings: times with intervals" grep -Eq '^\| task_merge_quicksort +\| [0-9.]+ ± [0-9.]+ ' stdout.txt
check "strings: our choice" grep -Eq '^\| auto \(prefixes\) +\| [0-9.]+ ± [0-9.]+ ' stdout.txt
check "strings: as fast as with one thread" grep -Eq '^\| task_merge_quicksort +\| 1\.00x ' stdout.txt
check "strings: what is left out" grep -q 'left out: Tabela 1, Trabalhos futuros of strings: needs a GPU: --place cpu' stderr.txt
check "strings: the file names paper and table" same "$(grep -c '"table": "Figura 2"' s.json)" 7 # six rows and the layout
check "strings: rows in the CSV" same "$(grep -c '^sort_strings,cpu,' s.csv)" 6
check "strings: merges that are split" grep -Eq '^\| task_merge_quicksort \(merges split by 10000\) +\| [0-9.]+ ± [0-9.]+ ' stdout.txt
check "strings: the file is right" "$peneira_bench" check s.json >/dev/null
"$peneira_bench" table s.json >table.txt
check "strings: the table of the file" grep -q '^| threads | 1 | 2 |$' table.txt
check "strings: means, as papers have them" grep -q 'Means of 2 runs ± the farther end' table.txt
"$peneira_bench" table --median s.json >table.txt
check "strings: medians" grep -q 'Medians of 2 runs ± the farther end' table.txt
check "strings: its titles" same "$(grep -c '^Figura [23]: ' table.txt)" 2
check_error 1 "s.json exists" "$peneira_bench" paper strings --place cpu --quick --json s.json
if ! "$peneira" info | grep -q 'place gpu   works'; then
  check_error 1 "mrbins, mppsort: needs a GPU: " "$peneira_bench" paper mrbins mppsort --quick
  check_error 1 "--place gpu: " "$peneira_bench" paper strings --quick --place gpu
else
  skip "papers without a GPU: there is one"
fi

# Lines of a table: ours, what is quoted below them, ratios.
row() { # row STRATEGY N SECONDS MORE
  echo "{\"paper\": \"bestreduce\", \"table\": \"Tabela 1\", \"place\": \"gpu\", \"strategy\": \"$1\", \"n\": $2, \"seconds\": $3,
    \"items_per_second\": $2e9, \"runs\": 30, $4}"
}
cat >paper.json <<JSON
{"machine": {"processor": "a CPU", "gpus": [{"name": "A GPU"}]}, "commit": "c", "command": "peneira bench paper bestreduce",
 "papers": [{"name": "bestreduce", "title": "Title", "machine": "Other GPU"}],
 "tables": [{"paper": "bestreduce", "table": "Tabela 1", "part": "", "about": "about", "columns": "n", "groups": "",
   "measures": ["G items/s"], "over": "cub", "ratios": ["vector4"], "rows_of": "", "note": "A note."}],
 "rows": [$(row cub 2048 2e-6 '"peer": true'), $(row vector4 2048 1e-6 '"low": 0.8e-6, "high": 1.1e-6'),
   $(row vector4 1024 1e-6 '"low": 1e-6, "high": 1e-6, "right": false'), $(row auto 2048 1e-6 '"chosen": "slices"'),
   $(row ui32x4 2 1 '"quoted": true, "machine": "Other GPU", "beside": "vector4"'),
   $(row speedup 2048 0 '"quoted": true, "speedup": 1.5, "machine": "Other GPU", "beside": "vector4 over cub"')]}
JSON
check_exit 0 "$peneira_bench" table paper.json
cat >wanted.txt <<'TABLE'
A GPU, commit c, `peneira bench paper bestreduce`

Title; measured there on Other GPU.

Tabela 1: about, in G items/s. Medians of 30 runs ± the farther end of their 95% interval:

| items | 2 | 1K | 2K |
|---|---|---|---|
| cub (peer) | - | - | 1.02 |
| vector4 | - | 1.02 ± 0.00 WRONG | 2.05 ± 0.51 |
| ui32x4 (quoted, Other GPU) | 2.00 | - | - |
| auto (slices) | - | - | 2.05 |
| vector4 over cub | - | - | 2.00x |
| speedup (quoted, Other GPU) | - | - | 1.50x |

A note.
TABLE
check "lines of a table" diff stdout.txt wanted.txt

# What is held against a row that is of no column, as the sequential sort of strings is of no threads a block.
cat >columns.json <<JSON
{"machine": {"processor": "a CPU", "gpus": [{"name": "A GPU"}]}, "commit": "c", "command": "peneira bench paper strings",
 "papers": [{"name": "strings", "title": "Title", "machine": "Other GPU"}],
 "tables": [{"paper": "strings", "table": "Tabela 1", "part": "", "about": "about", "columns": "threads", "groups": "",
   "measures": ["s"], "over": "one", "ratios": ["many"], "rows_of": "", "note": ""}],
 "rows": [{"paper": "strings", "table": "Tabela 1", "place": "cpu", "strategy": "one", "n": 8, "threads": 0, "seconds": 4, "runs": 3},
   {"paper": "strings", "table": "Tabela 1", "place": "gpu", "strategy": "many", "n": 8, "threads": 16, "seconds": 2, "runs": 3},
   {"paper": "strings", "table": "Tabela 1", "place": "gpu", "strategy": "many", "n": 8, "threads": 32, "seconds": 1, "runs": 3}]}
JSON
check_exit 0 "$peneira_bench" table columns.json
check "held against what is of no column" grep -qF '| many over one | - | 2.00x | 4.00x |' stdout.txt
check "nothing left" nothing_left
finish
