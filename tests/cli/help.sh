# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# Help, version, exit codes, and the subcommands that only tell.
source "$(dirname "$0")/check.sh"

# check_chooses STRATEGY COMMAND...: explain names it, in a column that is as wide as the longest name.
check_chooses() {
  local name=$1
  shift
  check_exit 0 "$@"
  check "strategy $name in the output of: ${*/#$peneira/peneira}" grep -qE "^strategy +$name\$" stdout.txt
}

check_says "peneira " "$peneira" --version
check_says "peneira " "$peneira" -V
for command in group split gen reduce info "explain sort"; do
  check_says "peneira " "$peneira" $command --version
  check_says "peneira " "$peneira" $command -V
done
check "help CMD is CMD --help" cmp <("$peneira" help explain sort) <("$peneira" explain sort --help)
check "help is --help" cmp <("$peneira" help) <("$peneira" --help)
check "help of sort, shortened" cmp <("$peneira" help sort) <("$peneira" sort --hel)
check_says "Subcommands:" "$peneira" --help
explained="gather group_by histogram multisplit partition reduce run_lengths scan segmented_reduce segmented_sort sort sort_strings top_k unique"
for command in info strategies explain gen split reduce group count sort; do
  check_says "Examples:" "$peneira" $command --help
done
for call in $explained; do check_says "Examples:" "$peneira" explain $call --help; done
check_says "peneira-bench " "$peneira_bench" --version
calls="group_by histogram unique run_lengths top_k segmented_sort sort_records sort_columns scan partition gather"
for command in "" multisplit reduce segmented_reduce sort strings sweep paper "tune segmented_reduce" $calls; do
  check_says "Examples:" "$peneira_bench" $command --help
done

check_error 2 "subcommand is required" "$peneira"
check_error 2 "unrecognized argument: sift" "$peneira" sift
check_error 2 "Try: peneira --help" "$peneira" sift
check_error 2 "unrecognized argument: grup; did you mean group?" "$peneira" grup
check_error 2 "did you mean group?" "$peneira" help gruop
check_error 2 "--heeder=x; did you mean --header?" "$peneira" split --heeder=x
check_error 2 "did you mean multisplit?" "$peneira" explain multispilt
check_error 2 "sort: --unique is for lines of text" "$peneira" sort --type u8 -u /dev/null
for size in 50% 64MiB 1P; do check_exit 0 "$peneira" sort --type u8 -q -S $size /dev/null; done
check_error 2 "is not a part of the machine's memory" "$peneira" sort --type u8 -S x% /dev/null
check_error 2 "unrecognized argument: --bogus" "$peneira" info --bogus
check_error 2 "unrecognized argument: extra" "$peneira" info extra
check "an unknown argument prints nothing else" test ! -s stdout.txt
check_error 2 "Try: peneira split --help" "$peneira" split --bogus
check_error 2 "Try: peneira sort --help" "$peneira" sort --type u8 --bogus
check "the list of subcommands has sort" grep -Eq '^  sort +Sort' <("$peneira" --help)

# No flag takes a value, of any subcommand.
refuse_values() { # refuse_values PROGRAM COMMAND [TYPE]
  local flag value
  for flag in $("$1" $2 --help | sed -n 's/^ *\(-.,\)\{0,1\}\(--[a-z-]*\)\(,--[a-z-]*\)*   .*/\2/p'); do
    for value in 5 false true ""; do
      check_error 2 "$flag takes no value, but is given \"$value\"" "$1" $2 ${3:-} $flag=$value
    done
  done
}
for command in info gen split reduce group count; do refuse_values "$peneira" "$command"; done
for call in $explained; do refuse_values "$peneira" "explain $call"; done
refuse_values "$peneira" sort "--type u8"
for command in multisplit reduce segmented_reduce sort strings sweep compare paper "tune segmented_reduce" top_k; do
  refuse_values "$peneira_bench" "$command"
done

for bad in "" x 12Q M 1.0001K -5 1e99 99999999999999999999 20000000T 3i 0x10 "1 2" +4 nan; do
  check_error 2 "--n: " "$peneira" gen --type u8 "--n=$bad" -o never
done
check "no output of a wrong command line" test ! -e never
for good in 2048 2K 2k 2Ki 2KiB 2.048e3 0.001953125M; do
  check "size $good" same "$("$peneira" gen --type u8 --n $good | wc -c)" 2048
done

check_says "processor" "$peneira" info
check_says "place cpu   works" "$peneira" info
check_says '"version"' "$peneira" info --json
check "threads of info" same "$(OMP_NUM_THREADS=3 "$peneira" info | grep -c '^threads  *3 used')" 1
if command -v jq >/dev/null; then
  check "info --json is JSON" same "$("$peneira" info --json | jq -r .places.cpu.works)" true
else
  skip "info --json: no jq"
fi

# Every strategy of the calls without published ones is explained by its name, at its place.
explain_each() { # explain_each CALL ITEMS OPTIONS...: with the names that strategies list for it
  local call=$1 items=$2 place name listed=0
  shift 2
  while read -r place name; do
    check_chooses "$name" "$peneira" explain "$call" --n "$items" "$@" --place "$place" --strategy "$name"
    listed=$((listed + 1))
  done < <("$peneira" strategies | awk -v call="$call" '$1 == call { print $2, $3 }')
  check "strategies list $call" test $listed -gt 0
  check_chooses "[a-z_]+" "$peneira" explain "$call" --n 64M "$@"
}
explain_each gather 1M --item-bytes 24
explain_each group_by 1M --groups 1000
explain_each histogram 1M --bins 1000 --weights f32 --counts f64 --grouping any
explain_each partition 1M --order any
explain_each run_lengths 1M --type u64
explain_each scan 1M --result u64
explain_each segmented_sort 3K --every 30  # enumeration knows no more
explain_each top_k 1M --k 1000
explain_each unique 1M
check_says '"primitive": "segmented_scan"' "$peneira" explain scan --n 64M --every 1000 --gpu a100 --json
check_says "find_runs         <<<" "$peneira" explain run_lengths --n 64M --gpu h100
check_error 2 "either --segments or --every" "$peneira" explain segmented_sort --n 1M
check_error 2 "--counts: must have 32 or 64 bits" "$peneira" explain histogram --n 1M --bins 3 --counts u16
check_error 2 "--k: must be at most --n" "$peneira" explain top_k --n 10 --k 11
check_says "collect_candidates" "$peneira" explain top_k --n 64M --k 1000 --gpu h100
check_error 2 "--parts" "$peneira" explain partition --n 1M --parts 4

check_says "PRIMITIVE" "$peneira" strategies
check "strategies list the CPU's buffered" grep -Eq '^multisplit +cpu +buffered +[a-z]' stdout.txt
check "strategies list one of the GPU" grep -Eq '^multisplit +gpu +[a-z_]+ +[a-z]' stdout.txt
"$peneira" strategies | awk '$1 == "multisplit" { print $2, $3 }' >names.txt
while read -r place name; do
  bins=100
  [[ $name != two_way ]] || bins=2  # it knows no others
  check_chooses $name "$peneira" explain multisplit --n 1M --bins $bins --order any \
    --place "$place" --strategy "$name"
done <names.txt
check "strategies list a published one" grep -q '^gpu mrbins$' names.txt
check_error 2 "does not keep the input order" "$peneira" explain multisplit --n 1M --bins 100 --place gpu --strategy large

check_says "place             cpu" "$peneira" explain multisplit --n 64M --bins 361 --type u32
check_chooses sequential "$peneira" explain multisplit --n 10 --bins 3
check_says "threads           7" "$peneira" explain multisplit --n 64M --bins 361 --threads 7
check_says "place             gpu" "$peneira" explain multisplit --n 64M --bins 361 --arch 90 --sms 132
check_says "tile              16384" "$peneira" explain multisplit --n 64M --bins 361 --arch 90
check_says "tile              4096" "$peneira" explain multisplit --n 64M --bins 361 --arch 89
for gpu in t4 a100 l4 rtx-4090 h100 b200 rtx-5090; do
  check_says "place             gpu" "$peneira" explain multisplit --n 64M --bins 361 --gpu $gpu
  check_says "strategy" "$peneira" explain sort --n 64M --gpu $gpu
done
check_error 2 "k80" "$peneira" explain sort --n 64M --gpu k80
check_error 2 "--gpu" "$peneira" explain sort --n 64M --gpu a100 --arch 80
check_says "<<<" "$peneira" explain multisplit --n 64M --bins 361 --place gpu
check_says '"primitive": "multisplit"' "$peneira" explain multisplit --n 64M --bins 361 --json
check_says "temporary bytes" "$peneira" explain multisplit --n 8G --bins 4294967295 --offsets 64 --order any --value-bytes 8
check_error 2 "--bins: must be at least 1" "$peneira" explain multisplit --n 64M --bins 0
check_error 2 "--bins: must be at most" "$peneira" explain multisplit --n 64M --bins 4G
check_error 2 "--bins is required" "$peneira" explain multisplit --n 64M
check_error 2 "use 64" "$peneira" explain multisplit --n 8G --bins 3
check_error 2 '"nothing" is unknown' "$peneira" explain multisplit --n 64M --bins 3 --strategy nothing
check_error 2 "subcommand is required" "$peneira" explain
check_error 2 "not --place cpu" "$peneira" explain multisplit --n 64M --bins 3 --arch 90 --place cpu

"$peneira" strategies | awk '$1 == "reduce" { print $2, $3 }' >names.txt
while read -r place name; do
  operator=$([[ $name == ordered ]] && echo --ordered || true)
  check_chooses $name "$peneira" explain reduce --n 1M --grouping any --place "$place" \
    --strategy "$name" $operator
done <names.txt
check "strategies list reduce's slices" grep -q '^cpu slices$' names.txt
check "strategies list a published reduce" grep -q '^gpu vector4$' names.txt
check_error 2 "order::any" "$peneira" explain reduce --n 1M --place gpu --strategy vector4
check_error 2 "4 or 8 bytes" "$peneira" explain reduce --n 1M --type u8 --grouping any --place gpu --strategy vector4
"$peneira" strategies | awk '$1 == "segmented_reduce" { print $2, $3 }' >names.txt
while read -r place name; do
  segments=$([[ $name == even ]] && echo --every || echo --segments)
  check_chooses $name "$peneira" explain segmented_reduce --n 1M $segments 8 --grouping any \
    --place "$place" --strategy "$name"
done <names.txt
check "strategies list segmented_reduce's shares" grep -q '^cpu shares$' names.txt
check "strategies list the published segmented_reduce" grep -q '^gpu best_reduce$' names.txt
check_chooses slices "$peneira" explain reduce --n 64M --type u8 --result u64 --ordered
check_chooses sequential "$peneira" explain reduce --n 10
check_says "threads           7" "$peneira" explain reduce --n 64M --threads 7
check_says '"primitive": "reduce"' "$peneira" explain reduce --n 64M --json
check_says "threads           7" "$peneira" explain segmented_reduce --n 1 --segments 64M --threads 7
check_chooses shares "$peneira" explain segmented_reduce --n 64M --every 128 --offsets 64
check_error 2 "--n is required" "$peneira" explain reduce
check_error 2 "either --segments or --every" "$peneira" explain segmented_reduce --n 1M
check_error 2 "either --segments or --every" "$peneira" explain segmented_reduce --n 1M --segments 3 --every 3
check_error 2 "--every: must be at least 1" "$peneira" explain segmented_reduce --n 1M --every 0
check_error 2 '"nothing" is unknown' "$peneira" explain reduce --n 1M --strategy nothing

for primitive in sort sort_strings; do
  "$peneira" strategies | awk -v primitive=$primitive '$1 == primitive { print $2, $3 }' >names.txt
  check "strategies of $primitive" test "$(wc -l <names.txt)" -ge 4
  while read -r place name; do
    check_exit 0 "$peneira" explain $primitive --n 5K --place "$place" --strategy "$name"
    check "explain $primitive by $name" grep -Eq "^strategy +$name\$" stdout.txt
  done <names.txt
done
check_says "  items that a block orders at a time" "$peneira" explain sort --n 64M --arch 90
check "steps whose blocks wait for one another are told" grep -Eq '^sort_by_passes +<<<.*>>>  all blocks at once$' stdout.txt
check_says "clusters of 16 blocks" "$peneira" explain sort --n 64K --arch 90
check_says '"at_once": true' "$peneira" explain sort --n 64M --arch 90 --json
check_error 2 "range of the key's 32 bits" "$peneira" explain sort --n 1M --last-bit 33
check_error 2 "32 bits are too few" "$peneira" explain sort_strings --n 8G

check_error 2 "subcommand is required" "$peneira_bench" tune
check_error 2 "--n: must be at least 4" "$peneira_bench" tune segmented_reduce --n 3
check_error 2 "--n: must be at most" "$peneira_bench" tune segmented_reduce --n 4G
if ! "$peneira" info | grep -q 'place gpu   works'; then
  check_error 1 "cannot use a GPU" "$peneira_bench" tune segmented_reduce -o limits.json
  check "no limits without a GPU" test ! -e limits.json
else
  skip "tune segmented_reduce without a GPU: there is one"
fi

# What they were called before.
check_says "peneira-bench multisplit [OPTIONS]" "$peneira" bench multisplit --help
check_says "peneira-bench tune segmented_reduce [OPTIONS]" "$peneira" tune segmented_reduce --help
check_error 2 "Try: peneira-bench sort --help" "$peneira" bench sort --bogus
if [ -z "${PENEIRA_CHECK:-}" ]; then  # a script under a checker
  cp "$peneira" alone
  check_error 1 "peneira bench is now the program peneira-bench" env PATH=/nowhere ./alone bench sort
else
  skip "peneira bench without peneira-bench: under a checker"
fi

if [ -w /dev/full ]; then
  status=0
  "$peneira" info >/dev/full 2>stderr.txt || status=$?
  check "a full standard output is an error" same "$status" 1
  check "it names standard output" grep -q 'standard output: No space' stderr.txt
else
  skip "a full standard output: no /dev/full"
fi
finish
