# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# bench/all.sh: what it would measure on some machines, and a few parts measured on next to nothing.
all=$(realpath "$(dirname "$0")/../../bench/all.sh")
source "$(dirname "$0")/check.sh"

# machine PROCESSOR THREADS [GPU]: a program that says that it runs on that machine, and one beside it that fails.
machine() {
  {
    echo "#!/bin/sh"
    echo '[ "$1" = info ] || exit 3'
    echo "echo 'processor   $1'"
    echo "echo 'threads     $2 used of $2 cores'"
    if [ -n "${3:-}" ]; then echo "echo 'GPU         $3, sm_90, 132 multiprocessors, 140 GiB'"; fi
  } >machine
  printf '#!/bin/sh\nexit 3\n' >machine-bench
  chmod +x machine machine-bench
}
# listed FILE: the list has it.
listed() { grep -q "^$1 " stdout.txt; }

machine "Intel(R) Xeon(R) Processor" 16 "NVIDIA H200"
check_exit 0 "$all" ./machine --list
for file in h200/multisplit h200/sort-inputs h200/strings h200/paper-mrbins xeon-16/sort-2 xeon-16/sort-16 xeon-16/group-16; do
  check "$file" listed $file
done
check "scripts with all threads alone" same "$(grep -c '/group-' stdout.txt)" 1
check "the commands" grep -Eq '^xeon-16/reduce-2 +reduce --place cpu --threads 2 ' stdout.txt
check "no name twice" same "$(cut -d' ' -f1 stdout.txt | sort | uniq -d)" ""
check_exit 0 "$all" ./machine --list --only '^sort-[0-9]' --place cpu
check "--only" same "$(cut -d' ' -f1 stdout.txt | tr '\n' ' ')" "xeon-16/sort-2 xeon-16/sort-16 "
check_exit 0 "$all" ./machine --list --place gpu
check "--place" test -z "$(grep -v '^h200/' stdout.txt)"

machine "Arm Neoverse V1" 2
check_exit 0 "$all" ./machine --list
check "two threads are all" same "$(grep -c '^neoverse-v1-2/sort-2 ' stdout.txt)" 1
check "no GPU" test -z "$(grep -v '^neoverse-v1-2/' stdout.txt)"
machine "AMD EPYC 7763 64-Core Processor" 128 "NVIDIA A100-SXM4-80GB"
check_exit 0 "$all" ./machine --list
check "EPYC" listed epyc-7763-128/sort-128
check "A100" listed a100-sxm4-80gb/sort
machine "Intel(R) Core(TM) i7-9700 CPU @ 3.00GHz" 1 "NVIDIA GeForce RTX 4090"
check_exit 0 "$all" ./machine --list
check "Core" listed core-i7-9700-1/sort-1
check "GeForce" listed geforce-rtx-4090/sort

check_exit 2 "$all" ./machine --only '^nothing$'
check_exit 2 "$all" ./machine --quick
check_exit 2 "$all" ./machine --place tpu
check_exit 2 "$all" ./machine --out
check_exit 2 "$all" ./machine --fast

check_exit 0 "$all" "$peneira" --quick --place cpu --only '^(reduce|strings|sweep|sort_text|group|group_by|paper-strings)-[0-9]' --out results --commit 0123456
check "progress" grep -Eq '^\[1/[0-9]+\] .*/reduce-[0-9]+ +[0-9]+ s$' stdout.txt
check "where the files are" grep -Eq 'files in [0-9]+ s, in .*/results/.*-[0-9]+$' stdout.txt
check "what next" grep -q './run report' stdout.txt
check "the files are right" "$peneira_bench" check results/*/*.json
check "the files name the script" grep -Eq '"command": "bench/group.sh peneira 1e3 [0-9]+ 1"' results/*/group-*.json
check "no peer is missing" grep -q '"GNU sort"' results/*/sort_text-*.json

# A part that fails does not end the rest, but the exit code tells.
machine none 1
check_exit 1 "$all" ./machine --only '^(reduce|sort)-1$' --out failed
check "both failed" same "$(grep -c 'FAILED (exit code 3)' stdout.txt)" 2
finish
