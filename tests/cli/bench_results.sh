# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# What reads result files: peneira-bench compare and check, on small files made up here; and what makes them of programs.
source "$(dirname "$0")/check.sh"

# row STRATEGY PEER BINS SECONDS [SPREAD [MORE]]: one row.
row() {
  echo "{\"primitive\": \"multisplit\", \"place\": \"cpu\", \"strategy\": \"$1\", \"peer\": $2, \"chosen\": \"\", \"type\": \"u32\",
    \"n\": 1048576, \"bins\": $3, \"distribution\": \"uniform\", \"order\": \"stable\", \"threads\": 2, \"runs\": 9,
    \"seconds\": $4, \"spread\": ${5:-0}, \"items_per_second\": 1, \"roofline\": 0.5, \"copy_bandwidth\": 1,
    \"temporary_bytes\": 0, \"right\": true${6:+, $6}}"
}
# results PROCESSOR ROW...: a result file.
results() {
  local processor=$1 IFS=,
  shift
  echo "{\"machine\": {\"processor\": \"$processor\", \"threads\": 2, \"cores\": 2, \"gpus\": []}, \"compiler\": \"none\",
    \"commit\": \"0123456\", \"date\": \"2026-01-01T00:00:00Z\", \"command\": \"by hand\", \"rows\": [$*]}"
}
tight() { row "$1" "$2" "$3" "$4" 0 "\"low\": $5, \"high\": $6"; }

# Four rows of ours: faster, the same because of the intervals, the same because of --least, gone; a peer; one new.
results one "$(tight auto false 2 1.0 0.99 1.01)" "$(tight auto false 4 1.0 0.8 1.2)" "$(tight auto false 8 1.0 0.999 1.001)" \
  "$(tight auto false 16 1.0 0.9 1.1)" "$(tight plain true 2 2.0 1.9 2.1)" >old.json
results one "$(tight auto false 2 0.5 0.49 0.51)" "$(tight auto false 4 1.1 0.9 1.3)" "$(tight auto false 8 1.02 1.019 1.021)" \
  "$(tight auto false 32 1.0 0.9 1.1)" "$(tight plain true 2 2.0 1.9 2.1)" >new.json
check_exit 0 "$peneira_bench" compare old.json new.json
check "compare: faster" grep -Eq '^multisplit u32 1M, 2 bins, uniform stable, cpu, 2 threads +auto +1.000 s +500.00 ms +2.000  faster$' stdout.txt
check "compare: only what moved" same "$(grep -c '^multisplit ' stdout.txt)" 1
check "compare: ours" grep -q '^ours:  1 faster, 0 slower, 2 the same; geometric mean 1.212 times as fast$' stdout.txt
check "compare: peers" grep -q '^peers: 0 faster, 0 slower, 1 the same; geometric mean 1.000 ' stdout.txt
check "compare: new and gone" grep -q '^1 rows are new, 1 are gone$' stdout.txt
check "compare: one machine" test -z "$(grep NOTE stdout.txt)"
check_exit 0 "$peneira_bench" compare old.json new.json --all
check "compare --all: all rows" same "$(grep -c '^multisplit ' stdout.txt)" 6
check "compare --all: new" grep -Eq ' 32 bins,.* new$' stdout.txt
check "compare --all: gone" grep -Eq ' 16 bins,.* gone$' stdout.txt

# The other way round, the first got slower; so it is for a lower --least, and not for a higher one.
check_error 1 "1 of 3 rows got slower or wrong" "$peneira_bench" compare new.json old.json
check "compare: slower" grep -Eq ' 2 bins,.* 0.500  slower$' stdout.txt
check_error 1 "1 of 3 rows got slower or wrong" "$peneira_bench" compare old.json new.json --least 1%
check "compare: slower by 2%" grep -Eq ' 8 bins,.* 0.980  slower$' stdout.txt
check_exit 0 "$peneira_bench" compare new.json old.json --least 150
check "compare: a file and itself" "$peneira_bench" compare old.json old.json --least 0 >/dev/null

# Peers do not count; rows that got wrong do; quoted rows are left out.
results one "$(tight auto false 2 1.0 0.99 1.01)" "$(tight plain true 2 3.0 2.9 3.1)" \
  "$(row others true 2 9 0 '"quoted": true')" >slow_peer.json
check_exit 0 "$peneira_bench" compare old.json slow_peer.json
check "compare: a slower peer" grep -q ' slower (peer)$' stdout.txt
check "compare: quoted rows" same "$(grep -c '^1 rows are new' stdout.txt)" 0
sed 's/"right": true/"right": false/' new.json >wrong.json
check_error 1 "3 of 3 rows got slower or wrong" "$peneira_bench" compare old.json wrong.json
check "compare: wrong" grep -q ' WRONG$' stdout.txt

# Files without intervals: their spread must do. Another machine is named.
results one "$(row auto false 2 1.0 0.01)" "$(row auto false 4 1.0 0.3)" >before.json
results two "$(row auto false 2 1.2 0.01)" "$(row auto false 4 1.2 0.3)" >after.json
check_error 1 "1 of 2 rows got slower or wrong" "$peneira_bench" compare before.json after.json
check "compare: other machines" grep -q '^NOTE: the machines differ.*one, 2 cores before, two, 2 cores after$' stdout.txt

echo '{"rows": [{}]}' >empty_row.json
echo '{"machine": ' >torn.json
results one "$(row auto false 99 1.0)" >other_work.json
check_error 2 "torn.json is not a result file" "$peneira_bench" compare old.json torn.json
check_error 2 "cannot read none.json" "$peneira_bench" compare none.json old.json
check_error 2 "lacks what a result file has" "$peneira_bench" compare old.json empty_row.json
check_error 2 "other_work.json has no row of old.json" "$peneira_bench" compare old.json other_work.json
check_error 2 'invalid --least "much"' "$peneira_bench" compare old.json new.json --least much
check_error 2 "NEW is required" "$peneira_bench" compare old.json

check_says "7 result files are right" "$peneira_bench" check old.json new.json slow_peer.json before.json after.json \
  other_work.json old.json
results one "$(row auto false 2 1)" "$(row others true 2 0 0 '"quoted": true, "speedup": 1.5')" >ratio.json
check_says "1 result files are right" "$peneira_bench" check ratio.json # a paper's ratio without a time
# broken NAME EXPRESSION TEXT: the file changed by sed is refused, for that reason.
broken() {
  sed "$2" old.json >broken.json
  check "$1 changes the file" test "$(cat broken.json)" != "$(cat old.json)"
  check_error 1 "1 of 2 result files are not right" "$peneira_bench" check broken.json new.json
  check "check: $1: $(cat stdout.txt)" grep -qF -- "broken.json: $3" stdout.txt
}
broken "no commit" 's/"commit": "0123456", //' 'the file lacks "commit"'
broken "unknown commit" 's/0123456/unknown/' 'the file does not name a clean commit'
broken "uncommitted changes" 's/0123456/0123456-dirty/' 'the file does not name a clean commit'
broken "no command" 's/"by hand"/""/' 'the file "command" is empty'
broken "no machine" 's/"machine"/"mashine"/' 'the file lacks "machine"'
broken "no rows" 's/"rows"/"rose"/' 'broken.json is not a result file: it has no rows'
broken "half a file" '$d' 'broken.json is not a result file'
broken "no time" 's/"seconds": 2.0, //' 'row 4 lacks "seconds"'
broken "no positive time" 's/"seconds": 2.0/"seconds": 0/' 'row 4 "seconds" is not positive'
broken "a time in words" 's/"seconds": 2.0/"seconds": "2.0"/' 'row 4 "seconds" is not positive'
broken "a wrong output" 's/"right": true/"right": false/' 'row 0 has a wrong output of auto'
broken "a count below 0" 's/"n": 1048576/"n": -1/' 'row 0 "n" is not a whole number of at least 1'
broken "an interval elsewhere" 's/"low": 1.9/"low": 2.05/' 'row 4 has a time outside of its interval'
broken "half an interval" 's/"low": 1.9, //' 'row 4 lacks "low"'
broken "no place" 's/"place": "cpu"/"place": "tpu"/' 'row 0 has a place other'

# Times of whole programs become rows.
printf '%s\n' "group,awk,peer,few,1e3,5,1,2048,right,0.2,0.1,0.3" "group,peneira group,ours,few,1e3,5,1,1024,right,0.1,0.1,0.1" |
  "$peneira_bench" record --command "a script" --json record.json --commit 0123456 >table.txt
check "record: rows" grep -Eq '^lines +1000 +5 few +cpu +auto \(peneira group\) +0.010 .* 2.00 ' table.txt
check "record: a right file" "$peneira_bench" check record.json >/dev/null
check "record: interval" grep -q '"high": 0.448' record.json
check "record: command" grep -q '"command": "a script"' record.json
check "record: table" grep -q '^| awk (peer), M lines/s | 0.01 |$' <("$peneira_bench" table record.json)
check "record: no share of a bandwidth" test -z "$("$peneira_bench" table record.json | grep '% of')"
check_error 2 'no times in the line' "$peneira_bench" record --command x <<<"group,awk,peer,few,1e3,5,1,0,right"
check_error 2 'invalid time "soon"' "$peneira_bench" record --command x <<<"group,awk,peer,few,1e3,5,1,0,right,soon"
check_error 1 'some outputs were wrong' "$peneira_bench" record --command x <<<"group,p,ours,few,1e3,5,1,0,wrong,1"
check "nothing left" nothing_left
finish
