# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# Files of every kind as inputs and outputs: standard input that others read as well, what has no size, links, descriptors
# that are closed, outputs that cannot be written.
source "$(dirname "$0")/check.sh"

psort() { "$peneira" sort --quiet "$@"; }
sort_items() { "$peneira" sort --quiet --type u32 "$@"; }
sum() { "$peneira" reduce --type u32 "$@"; }

printf 'first\nd\nb\nc\na\n' >lines.txt
printf 'a\nb\n' >ascending.txt
"$peneira" gen --type u32 --n 5000 -o items.bin
sort_items items.bin -o sorted.bin
total=$(sum items.bin)

# Standard input is read once, from where it stands, and left at its end.
check "a second - is at its end" cmp <(sort lines.txt) <(psort - - <lines.txt)
check "of a pipe, too" cmp <(sort lines.txt) <(cat lines.txt | psort - -)
check "a file between" cmp <(sort lines.txt ascending.txt) <(psort - ascending.txt - <lines.txt)
check "a merge reads it once" cmp ascending.txt <(psort -m - - <ascending.txt)
seq -w 300000 >numbers.txt
check "a merge reads a long one once" cmp numbers.txt <(psort -m - - <numbers.txt)
check "group reads it once" same "$("$peneira" group -k 1 --count - - <lines.txt | sort | tr '\n\t' '  ')" \
  "$("$peneira" group -k 1 --count lines.txt | sort | tr '\n\t' '  ')"
# reads_rest NAME FILE COMMAND...: after `read`, the command reads the rest of the file, and cat finds nothing.
reads_rest() {
  local name=$1 file=$2
  shift 2
  check "$name leaves nothing to read" same "$({ "$@" >/dev/null 2>&1; cat; } <"$file")" ""
}
reads_rest sort lines.txt psort
reads_rest "sort -S" numbers.txt psort -S 1M
reads_rest "sort -m" lines.txt psort -m
reads_rest "sort -c" numbers.txt psort -c
reads_rest split lines.txt "$peneira" split -n 2 --out 'rest-%d' --force
reads_rest group lines.txt "$peneira" group -k 1 --count
reads_rest "sort --type" items.bin sort_items - -o rest.bin
reads_rest "sort --type --check" sorted.bin sort_items - --check
reads_rest reduce items.bin sum -
reads_rest "split --type" items.bin "$peneira" split - --type u32 -n 3 -o rest.bin --force
check "sort begins where others stopped" same "$({ read -r _; psort; } <lines.txt | tr '\n' ' ')" "a b c d "
check "sort -m does" same "$({ read -r _; psort -m; } <ascending.txt)" b
check "group does" same "$({ read -r _; "$peneira" group -k 1 --count; } <ascending.txt | tail -n 1 | cut -c 1)" b
{ read -r _; "$peneira" split -n 1 --out 'begun-%d' --quiet; } <lines.txt
check "split does" same "$(tr '\n' ' ' <begun-0)" "d b c a "
# skip BYTES: reads as many from standard input, and no more.
skip_bytes() { dd bs="$1" count=1 of=/dev/null status=none; }
for skipped in 4 4096 8192 12004; do
  tail -c +$((skipped + 1)) items.bin >rest.bin
  check "reduce does, behind $skipped" same "$({ skip_bytes $skipped; sum -; } <items.bin)" "$(sum rest.bin)"
  check "sort --type does, behind $skipped" cmp <({ skip_bytes $skipped; sort_items -; } <items.bin) <(sort_items rest.bin)
  { skip_bytes $skipped; "$peneira" split - --type u32 -n 7 -o have.bin --force --quiet; } <items.bin
  "$peneira" split rest.bin --type u32 -n 7 -o want.bin --force --quiet
  check "split --type does, behind $skipped" cmp have.bin want.bin
done
{ printf abc; cat items.bin; } >shifted.bin
check "items at odd places are summed" same "$({ skip_bytes 3; sum -; } <shifted.bin)" "$total"
check "and sorted" cmp <({ skip_bytes 3; sort_items -; } <shifted.bin) sorted.bin
check "nothing is left of standard input" same "$({ cat >/dev/null; sum - --op count; } <items.bin)" 0
check "a sort of nothing" same "$({ cat >/dev/null; sort_items - | wc -c; } <items.bin)" 0

# What has no size: pipes, devices, files of /proc.
check "a pipe is summed" same "$(cat items.bin | sum -)" "$total"
check "a pipe is sorted" cmp <(cat items.bin | sort_items -) sorted.bin
check_exit 0 sort_items <(cat sorted.bin) --check
"$peneira" split <(cat items.bin) --type u32 -n 7 -o have.bin --force --quiet
"$peneira" split items.bin --type u32 -n 7 -o want.bin --force --quiet
check "a pipe is split" cmp have.bin want.bin
check "/dev/null holds nothing" same "$(sum /dev/null --op count)" 0
check "/dev/stdin" same "$(sum /dev/stdin <items.bin)" "$total"
check_error 1 "holds 5 bytes, not a multiple of u32 items: 1 left over" sum - < <(printf 12345)
check_error 2 "holds 5 bytes, not a multiple of u32 items: 1 left over" sort_items - < <(printf 12345)
if [ -r /proc/self/environ ]; then
  bytes=$(wc -c </proc/$$/environ)
  check "a file of /proc is counted" same "$("$peneira" reduce /proc/$$/environ --type u8 --op count)" "$bytes"
  check "and sorted" same "$("$peneira" sort /proc/$$/environ --type u8 --quiet | wc -c)" "$bytes"
  check "as text, too" cmp <(sort /proc/$$/environ) <(psort /proc/$$/environ)
fi
for command in "sort --type u32" "reduce --type u32" "split --type u32 -n 2 -o never" "group -k 1 --count" "split -n 2 --out never-%d"; do
  for input in . missing; do
    status=0
    "$peneira" $command $input >/dev/null 2>stderr.txt || status=$?
    check "$command $input fails" test $status -eq $(case $command in sort*) echo 2 ;; *) echo 1 ;; esac)
    check "$command $input says why" grep -Eq 'Is a directory|No such file' stderr.txt
  done
done
check "no output of any" test ! -e never -a ! -e never-0
check_error 2 "cannot open missing" sort_items missing --check
check_error 1 "is not sorted" sort_items items.bin --check
check_error 1 "Is a directory" "$peneira" split items.bin --type u32 --splitters @. -o never

# Descriptors that are closed.
foreign() { env LC_ALL=en_US.UTF-8 "$peneira" "$@"; }
check "a note on a full disk" cmp <(foreign sort lines.txt 2>/dev/full) <(sort lines.txt)
if [ "${PENEIRA_CHECK:-}" != msan ]; then # valgrind does not start without standard error
  check "a note that nobody can read" cmp <(foreign sort lines.txt 2>&-) <(sort lines.txt)
  foreign sort lines.txt -o closed.txt <&- >&- 2>&- || true
  check "a file that is opened with all three closed" cmp closed.txt <(sort lines.txt)
  status=0
  "$peneira" sort missing 2>&- || status=$?
  check "an error that nobody can read" same $status 2
fi
check_exit 0 bash -c "'$peneira' sort lines.txt -o closed.txt <&- >&-"
check_exit 2 bash -c "'$peneira' sort lines.txt >&-"
check_exit 2 bash -c "'$peneira' sort <&-"
check_exit 1 bash -c "'$peneira' reduce - --type u32 <&-"
check_exit 2 bash -c "'$peneira' sort - --type u32 <&-"
check_exit 1 bash -c "'$peneira' gen --lines 3 >&-"

# Outputs: links, descriptors, rights, full disks.
mkdir real links
echo old >real/there.txt
chmod 640 real/there.txt
ln -s ../real/there.txt links/there
ln -s ../real/new.txt links/dangling
ln -s nowhere/at/all links/broken
ln -s loop links/loop
psort lines.txt -o links/there
check "a link stays a link" test -L links/there
check "what it leads to is written" cmp real/there.txt <(sort lines.txt)
check "with its rights" same "$(stat -c %a real/there.txt)" 640
psort lines.txt -o links/dangling
check "a link to nothing stays a link" test -L links/dangling
check "and leads to something" cmp real/new.txt <(sort lines.txt)
rm real/new.txt
sort_items items.bin -o links/dangling
check "of items, too" cmp real/new.txt sorted.bin
check_exit 2 psort lines.txt -o links/broken
check_exit 2 psort lines.txt -o links/loop
check_error 2 "it is a folder" sort_items items.bin -o real
ln real/there.txt real/twin.txt
psort -r lines.txt -o real/there.txt
check "both names of a file" cmp real/twin.txt <(sort -r lines.txt)
psort -u numbers.txt -o real/twin.txt
check "a longer one" cmp real/there.txt numbers.txt
psort lines.txt -o real/twin.txt
check "a shorter one" cmp real/there.txt <(sort lines.txt)
cp items.bin real/twins.bin
ln real/twins.bin real/twin.bin
check_exit 0 sort_items real/twin.bin -o real/twin.bin --check
check "both names of a file of items" cmp real/twins.bin sorted.bin
{ echo head; psort lines.txt -o /dev/stdout; echo tail; } >around.txt
check "/dev/stdout goes on where others stopped" cmp around.txt <(echo head; sort lines.txt; echo tail)
echo head >around.bin
"$peneira" gen --type u32 --n 5000 -o /dev/stdout --force >>around.bin
check "and appends" cmp around.bin <(echo head; cat items.bin)
{ psort lines.txt -o /dev/fd/5; } 5>five.txt
check "/dev/fd/5" cmp five.txt <(sort lines.txt)
cp lines.txt self.txt
check_exit 0 psort self.txt -o self.txt
check "the output may be the input" cmp self.txt <(sort lines.txt)
cp items.bin self.bin
check_exit 0 sort_items self.bin -o self.bin
check "of items, too" cmp self.bin sorted.bin
cp lines.txt shard-0
check_exit 0 "$peneira" split -n 2 --out 'shard-%d' --force --quiet shard-0
check "a shard may be the input" cmp <(sort shard-0 shard-1) <(sort lines.txt)
for command in "sort" "sort --type u8" "reduce --type u8 --force" "gen --lines 9 --force" "group -k 1 --count --force"; do
  input=lines.txt
  [ "${command%% *}" != gen ] || input=
  if [ -w /dev/full ]; then
    status=0
    "$peneira" $command $input -o /dev/full >/dev/null 2>stderr.txt || status=$?
    check "$command to a full disk: $status" test $status -eq $(case $command in sort*) echo 2 ;; *) echo 1 ;; esac)
    check "says so" grep -q 'No space left' stderr.txt
    status=0
    "$peneira" $command $input >/dev/full 2>stderr.txt || status=$?
    check "$command to standard output that is one: $status" test $status -ne 0
    check "says so, too" grep -q 'No space left' stderr.txt
  fi
done
# Rights, which root has all of.
chmod 755 .
cp "$peneira" program
as_user() { "$@"; }
if [ "$(id -u)" -eq 0 ]; then as_user() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }; fi
if as_user ./program --version >/dev/null 2>&1; then
  mkdir closed_folder
  cp lines.txt closed_folder/lines.txt
  cp items.bin closed_folder/items.bin
  cp lines.txt locked.txt
  chmod 666 closed_folder/*
  chmod 000 locked.txt
  chmod 555 closed_folder
  check_exit 0 as_user ./program sort --quiet closed_folder/lines.txt -o closed_folder/lines.txt
  check "a file in a folder that takes no other" cmp closed_folder/lines.txt <(sort lines.txt)
  check_exit 0 as_user ./program sort --quiet --type u32 closed_folder/items.bin -o closed_folder/items.bin
  check "of items, too" cmp closed_folder/items.bin sorted.bin
  check_exit 2 as_user ./program sort lines.txt -o closed_folder/new
  check_error 2 "cannot create closed_folder/new" as_user ./program sort --type u32 items.bin -o closed_folder/new
  check_error 1 "cannot create closed_folder/new-0" as_user ./program split -n 2 --out closed_folder/new-%d lines.txt
  check_exit 2 as_user ./program sort locked.txt
  check_error 2 "cannot open locked.txt: Permission denied" as_user ./program sort --type u8 locked.txt --check
  check_error 1 "cannot open locked.txt: Permission denied" as_user ./program reduce --type u8 locked.txt
  mkdir open_folder
  cp sorted.bin open_folder/protected
  chmod 777 open_folder
  chmod 444 open_folder/protected
  check_exit 2 as_user ./program sort lines.txt -o open_folder/protected
  check_error 2 "cannot open open_folder/protected: Permission denied" \
    as_user ./program sort --type u32 items.bin -o open_folder/protected
  check "what is protected stays" cmp open_folder/protected sorted.bin
  chmod 755 closed_folder
else
  skip "rights: nobody else to be"
fi

status=0
(limit_files 8 && sort_items items.bin -o limited.bin 2>stderr.txt) || status=$?
check "more than a file may hold" same $status 2
check "is an error" grep -q 'File too large' stderr.txt
check "and no file" test ! -e limited.bin
check "nothing left" nothing_left
finish
