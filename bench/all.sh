#!/usr/bin/env bash
# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# bench/all.sh PENEIRA [OPTION]...: measures all of bench/manifest.txt that this machine can run; ./run bench calls it.
set -euo pipefail

usage() {
  cat <<'TEXT'
./run bench [OPTION]...: measures all of bench/manifest.txt that this machine can run, every output checked
  --only PATTERN   only the files whose names match this regular expression, such as '^sort'
  --place PLACE    only those of this place, cpu or gpu
  --out FOLDER     write to FOLDER/MACHINE instead of bench/results/MACHINE; files of the same name are replaced
  --commit TEXT    what the files say of the code; without it, what git says
  --quick          small inputs and one run, to see that all works: the figures mean nothing; needs --out
  --verbose        show the rows as they come
  --list           only show what would be measured
TEXT
}
die() { printf 'bench/all.sh: %s\n' "$*" >&2; exit 2; }

[[ $# -gt 0 && $1 != -* ]] || { usage; exit 2; }
peneira=$(realpath "$1")
peneira_bench=$peneira-bench  # beside it
shift
only='' place='' out='' quick='' verbose='' list=''
declare -a commit=()
while (($#)); do
  case $1 in
    --only | --place | --out | --commit) (($# > 1)) || die "$1: what follows it is missing" ;;&
    --only) only=$2 && shift ;;
    --place) [[ $2 == cpu || $2 == gpu ]] || die "--place: \"$2\" is neither cpu nor gpu"
      place=$2 && shift ;;
    --out) out=$(realpath -m "$2") && shift ;;
    --commit) commit=(--commit "$2") && shift ;;
    --quick) quick=yes ;;
    --verbose) verbose=yes ;;
    --list) list=yes ;;
    --help | -h) usage && exit ;;
    *) usage >&2 && die "unknown: $1" ;;
  esac
  shift
done
[[ -z $quick || -n $out ]] || die "--quick: say with --out where files that mean nothing may go"
cd "$(dirname "$0")/.."
out=${out:-bench/results}

# folder_of NAME: what is left of a processor's or a GPU's name without brands and ornaments: "NVIDIA H200" is h200.
folder_of() {
  local name
  name=$(sed -E 's/\((R|TM)\)//Ig; s/ @.*//; s/[0-9]+-Core//; s/\b(NVIDIA|Intel|AMD|Arm|Processor|CPU)\b//Ig' <<<"$1" |
    tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9]+/-/g; s/^-+|-+$//g')
  echo "${name:-unknown}"
}
info=$("$peneira" info)
told() { sed -n -E "s/^$1 +//p" <<<"$info" | head -n 1; }
processor=$(told processor)
gpu=$(told GPU)
gpu=${gpu%%,*}
read -r threads _ _ cores _ <<<"$(told threads)"
cpu=$(folder_of "$processor")-$cores

# The parts, as "folder/file command".
declare -a parts=()
part() { # part PLACE MACHINE FILE THREADS COMMAND
  local file=${3//@/$4}
  if [[ (-z $place || $place == "$1") && $file =~ $only ]]; then parts+=("$2/$file ${5//@/$4}"); fi
}
while read -r file where what; do
  case $where in
    gpu) [[ -z $gpu ]] || part gpu "$(folder_of "$gpu")" "$file" 0 "${what/ / --place gpu }" ;;
    cpu | cpu-all)
      [[ $what == *.sh* ]] || what="${what/ / --place cpu --threads @ }"
      if [[ $where == cpu ]] && ((threads > 2)); then part cpu "$cpu" "$file" 2 "$what"; fi
      part cpu "$cpu" "$file" "$threads" "$what" ;;
    *) die "bench/manifest.txt: \"$where\" is no place" ;;
  esac
done < <(grep -Ev '^(#|$)' bench/manifest.txt)
((${#parts[@]})) || die "this machine can run nothing of that"

# small COMMAND: the same on next to nothing.
small() {
  if [[ $1 == paper* ]]; then echo "$1 --quick" && return; fi
  if [[ $1 == sweep* ]]; then sed -E 's/ --minutes [^ ]+/ --problems 12 --max-n 10K/' <<<"$1" && return; fi
  if [[ $1 == *.sh* ]]; then sed -E 's/(\.sh) [^ ]+ ([^ ]+) .*/\1 1e3 \2 1/' <<<"$1" && return; fi
  sed -E 's/ --(n|segments|bins|groups|k|runs|seconds) [^ ]+//g; s/$/ --n 10K --runs 1/; s/^segmented_reduce.*/& --segments 2,64/; s/^multisplit.*/& --bins 2,361/' <<<"$1"
}

# measure COMMAND OPTION...: what a line of the manifest says.
measure() {
  local -a words
  read -r -a words <<<"$1"
  shift
  if [[ ${words[0]} == *.sh ]]; then
    "bench/${words[0]}" "$peneira" "${words[@]:1}" "$@"
  else
    "$peneira_bench" "${words[@]}" "$@"
  fi
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
count=${#parts[@]}
failed=0
began=$SECONDS
for i in "${!parts[@]}"; do
  read -r file command <<<"${parts[i]}"
  [[ -z $quick ]] || command=$(small "$command")
  if [[ -n $list ]]; then printf '%-40s %s\n' "$file" "$command" && continue; fi
  printf '[%*d/%d] %-38s' "${#count}" $((i + 1)) "$count" "$file"
  [[ -z $verbose ]] || echo
  mkdir -p "$out/$(dirname "$file")"
  start=$SECONDS
  status=0
  if [[ -n $verbose ]]; then
    measure "$command" --json "$out/$file.json" --force "${commit[@]}" || status=$?
  else
    measure "$command" --json "$out/$file.json" --force "${commit[@]}" >"$log" 2>&1 || status=$?
  fi
  ((status < 128)) || exit $status  # interrupted
  if ((status)); then
    failed=$((failed + 1))
    printf 'FAILED (exit code %d): %s\n' $status "$command"
    [[ -n $verbose ]] || tail -n 5 "$log"
  else
    printf '%4d s\n' $((SECONDS - start))
  fi
done
[[ -z $list ]] || exit 0
printf '\n%d files in %d s, in %s\n' $((count - failed)) $((SECONDS - began)) \
  "$(printf '%s\n' "${parts[@]}" | awk -v out="$out" '{ sub("/.*", "", $1); if (!seen[$1]++) { printf "%s%s/%s", sep, out, $1; sep = " and " } }')"
((failed == 0)) || { printf '%d failed\n' $failed && exit 1; }
# What earlier lists had stays, and would be taken for fresh.
for folder in $(printf '%s\n' "${parts[@]%%/*}" | sort -u); do
  for old in "$out/$folder"/*; do
    name=$(basename "$old" .json)
    grep -Eq "^(${name}|${name%-*}-@) " bench/manifest.txt || echo "$old is not of bench/manifest.txt, perhaps from before"
  done
done
echo "./run report shows them as one page"
