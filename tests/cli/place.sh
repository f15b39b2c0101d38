# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# --place and --report of the commands on binary items: sort, reduce and split. With a GPU, the same bytes as on the
# CPU, from files larger than its memory too; without one, clear refusals.
here=$(dirname "$(realpath "$0")")
source "$here/check.sh"
export XDG_CACHE_HOME=$work/cache

"$peneira" gen --type u32 --n 100K --seed 1 -o u32.bin
sort_args=(sort u32.bin --type u32 -q -o out.bin)
reduce_args=(reduce u32.bin --type u32 --op max -o - -q)
split_args=(split u32.bin --type u32 -n 7 -q -o out.bin --force)

# The report: where it ran, then phases that add up to all.
for command in sort reduce split; do
  declare -n args=${command}_args
  check_exit 0 "$peneira" "${args[@]}" --place cpu --report
  check "$command says where it ran" grep -q '^ran on the CPU (as --place says)$' stderr.txt
  check "$command says what took how long" grep -Eq '^computing +[0-9]+\.[0-9]{3} s +[0-9.]+%' stderr.txt
  check "$command adds up" awk '
    /^in all/ { whole = $3 } /^[a-z].* s +[0-9.]+%/ && !/^in all/ { sub(/ s .*/, ""); sum += $NF }
    END { exit !(sum > whole - 0.01 && sum < whole + 0.01) }' stderr.txt
  check_exit 0 "$peneira" "${args[@]}" --report
  check "$command: a small input is not worth a measurement" grep -q '^ran on the CPU (auto: too little for a GPU)$' stderr.txt
  check "and none was made" test ! -e "$XDG_CACHE_HOME"
  check_exit 0 "$peneira" "${args[@]}"
  check "without --report $command tells nothing" test ! -s stderr.txt
done
check_error 2 "moon not in {cpu,gpu,auto}" "$peneira" sort u32.bin --type u32 --place moon
"$peneira" gen --type f32 --n 1000 -o f32.bin

if ! "$peneira" info | grep -q 'place gpu *works'; then
  check_error 2 "cannot use a GPU: " "$peneira" "${sort_args[@]}" --place gpu
  check_error 1 "cannot use a GPU: " "$peneira" "${reduce_args[@]}" --place gpu
  check_error 1 "cannot use a GPU: " "$peneira" "${split_args[@]}" --place gpu
  check_error 2 "cannot use a GPU: " "$peneira" sort - --type u8 --place gpu </dev/null
  # An input that is worth a measurement: there is nothing to measure.
  truncate -s 257M large.bin
  check_exit 0 "$peneira" reduce large.bin --type u64 --op max --report
  check "auto says why it is not there" grep -q '^ran on the CPU (auto: .' stderr.txt
  check "and keeps nothing" test ! -e "$XDG_CACHE_HOME"
  skip "items on a GPU: $("$peneira" info | sed -n 's/.*place gpu *//p')"
  finish
  exit
fi

# alike COMMAND ARG...: both places write the same.
alike() {
  "$peneira" "$@" -q --place cpu -o want.out --force
  check_exit 0 "$peneira" "$@" -q --place gpu -o have.out --force
  check "the same bytes: $*" cmp want.out have.out
}
# sort has no --force.
alike_sorted() {
  "$peneira" sort "$@" -q --place cpu -o want.out
  check_exit 0 "$peneira" sort "$@" -q --place gpu -o have.out
  check "the same bytes: sort $*" cmp want.out have.out
}
for type in u8 u16 u32 u64 i8 i16 i32 i64 f32 f64; do
  for n in 0 1 1000 300001; do
    "$peneira" gen --type $type --n $n --dist normal --seed 2 -o items.bin --force
    alike_sorted items.bin --type $type
  done
  alike_sorted items.bin --type $type -r
  PENEIRA_GPU_MEMORY=300000 alike_sorted items.bin --type $type -S 4M
  for op in min max argmin argmax; do
    alike reduce items.bin --type $type --op $op
    alike reduce items.bin --type $type --op $op --every 977
    PENEIRA_GPU_MEMORY=100000 alike reduce items.bin --type $type --op $op --every 30011 --binary
  done
  for how in "-n 361" "-n 2 --by hash" "--by digit --shift 3 --bits 5"; do
    alike split items.bin --type $type $how
    PENEIRA_GPU_MEMORY=400000 alike split items.bin --type $type $how
  done
done
for type in u8 u16 u32 u64 i8 i16 i32 i64; do
  "$peneira" gen --type $type --n 100003 --seed 3 -o items.bin --force
  for op in sum mean product and or xor; do
    alike reduce items.bin --type $type --op $op
    PENEIRA_GPU_MEMORY=100000 alike reduce items.bin --type $type --op $op --every 7
  done
done
# Less memory than anything takes.
"$peneira" gen --type u32 --n 300K --seed 1 -o u32.bin --force
for limit in 0 1 1000; do
  for command in sort reduce split; do
    declare -n args=${command}_args
    code=$([ $command = sort ] && echo 2 || echo 1)
    check_error $code "of the GPU's memory is too little" env PENEIRA_GPU_MEMORY=$limit timeout 20 "$peneira" "${args[@]}" --place gpu
  done
done
check_error 2 "depends on how items are grouped" "$peneira" reduce f32.bin --type f32 --op sum --place gpu
"$peneira" gen --records 30K --seed 4 -o records.bin
for key in 0:10 0:1 3:20 0:100; do
  alike_sorted records.bin --record 100 --key $key
  alike_sorted records.bin --record 100 --key $key -r
  PENEIRA_GPU_MEMORY=1500000 alike_sorted records.bin --record 100 --key $key -S 4M --threads 2
done
check "from a pipe, to a pipe" cmp <("$peneira" sort u32.bin --type u32 -q) \
  <(cat u32.bin | "$peneira" sort - --type u32 -q --place gpu)
check_exit 0 "$peneira" sort u32.bin --type u32 -q -o out.bin --place gpu --check --report
check "the report names the GPU" grep -q '^ran on the GPU (' stderr.txt
for phase in "starting the GPU" reading copying kernels writing; do
  check "and has $phase" grep -q "^$phase " stderr.txt
done
check_error 2 "unknown" "$peneira" sort u32.bin --type u32 --place gpu --strategy nothing -o out.bin
check "nothing left" nothing_left
finish
