# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# peneira sort on text: every option beside GNU sort, and what it does when things go wrong.
source "$(dirname "$0")/check.sh"

psort() { "$peneira" sort --quiet "$@"; }

# alike OPTION... FILE...: peneira sort and GNU sort write the same bytes and exit with the same code.
alike() {
  local want=0 have=0
  sort "$@" >want.out 2>want.err || want=$?
  "$peneira" sort "$@" >have.out 2>have.err || have=$?
  check "the same bytes: sort $*" cmp want.out have.out
  check "exit code $have, not $want: sort $* ($(cat have.err))" test $have = $want
}
# refused TEXT OPTION...: both refuse it; ours says the text.
refused() {
  local text=$1 have=0 want=0
  shift
  sort "$@" >want.out 2>want.err </dev/null || want=$?
  "$peneira" sort "$@" >have.out 2>have.err </dev/null || have=$?
  check "GNU sort refuses $*" test $want != 0
  check "exit code $have, not 2: sort $*" test $have = 2
  check "\"$text\" instead of: $(cat have.err)" grep -qF -- "$text" have.err
  check "peneira sort: first: $(cat have.err)" grep -q '^peneira sort: ' have.err
}

"$peneira" gen --lines 8K --text csv --seed 1 -o table.csv
"$peneira" gen --lines 4K --text numbers --seed 2 -o numbers.txt
"$peneira" gen --lines 4K --text url --seed 3 -o urls.txt
"$peneira" gen --lines 4K --text random --seed 4 -o random.txt
printf '%s\n' 1K 900 1M 2.5G -3K -3M 0K 1.5M 1k 7 '' x ' 12T' >sizes.txt
printf '%s\n' jan Feb 'MAR ' ' apr' xyz december '' May >months.txt
printf '%s\n' a-1.9 a-1.10 a-1.10~rc1 a-1.10.tar.gz a-1.10.tar .hidden . .. '' a01 a1 b~ b >versions.txt
printf '%s\n' 1e3 999 -inf nan inf -nan x 0x10 1e-3 '' .5 -2 1e400 >reals.txt
printf '%s\n' b A a B ' c' 'a-b' ab 'a b' '-a' '
' $'a\001b' >words.txt

# Orders, alone and together.
orders=("" -r -u -ru -n -nr -nu -s -f -fu -d -df -i -b -M -bf)
words=(month numeric n)
if gnu_sort_is_ours; then
  orders+=(-h -V -Vr)
  words+=(human-numeric version v)
else
  echo "not compared, since GNU sort is not that of coreutils 9.1: -g -h -V"
fi
if gnu_sort_is_ours && long_doubles_are_long; then
  orders+=(-g)
  words+=(general-numeric)
fi
for file in table.csv numbers.txt urls.txt random.txt sizes.txt months.txt versions.txt reals.txt words.txt; do
  for options in "${orders[@]}"; do alike $options $file; done
done
for word in "${words[@]}"; do alike --sort=$word random.txt; done

# Keys.
for options in "-t, -k2,2" "-t, -k2,2 -k1n" "-t, -k3n" "-t, -k3nr,3 -k2" "-t, -k4,4 -k2.4,2.6r -s" "-t, -k4,4 -u" "-t, -k2,2 -n" \
  "-t, -k4 -r" "-t, -k4,4r -s" "-t, -k9" "-t, -k9 -s" "-t, -k2.3b,2.5b" "-k1.5,1.9" "-t, -k4,4 -k3,3g -k1,1V" "-t, -k 1,1n --key=2" "-t7 -k2"; do
  alike $options table.csv
done
alike -k2,2b -k1 words.txt
alike -k1,1f -s words.txt
printf 'a\0z\nb\0y\n' >nuls.txt
alike -t '\0' -k2 nuls.txt
printf 'a\t10\nb\t9\n' >tabs.txt
alike -t "$(printf '\t')" -k2n tabs.txt
alike -k1.2,1.0 random.txt
alike -k2,1 words.txt
alike -k99999999999999999999 words.txt
alike -k ' +1,1' words.txt

# The command line.
alike -rnu numbers.txt
alike --reverse --numeric-sort --uniq numbers.txt
alike --rev --stab words.txt
alike -t, -k2,2 -o have.txt table.csv
check "-o after the file" cmp <(sort -r words.txt) <(psort words.txt -r)
check "--" cmp <(cd / && sort "$work/words.txt") <(psort -- words.txt)
cp words.txt ./-n
check "a file that looks like an option" cmp <(sort words.txt) <(psort -- -n)
check "options in clusters" cmp <(sort -t, -k2 -o /dev/stdout table.csv) <(psort -t, -rnk2 -o /dev/stdout table.csv | psort -t, -k2)
check "-S, --parallel, -T, --batch-size, -y" cmp <(sort words.txt) <(psort -S 50% --parallel=3 -T . --batch-size=5 -y0 words.txt)
check "sizes" cmp <(sort words.txt) <(psort -S 1000000b -S 10 -S 1m words.txt)
check "--threads and --place" cmp <(sort words.txt) <(psort --threads 2 --place auto words.txt)
for bad in "-k0" "-k1.0" "-k" "-kx" "-k1x" "-k1,0" "-k1," "-k1." "-k-1" "-nM" "-dn" "-gh" "-k1nM" "-Mf -n" "-t ab" "-t a -t b" "-S x" "-S 1X" \
  "-S 5%%" "--parallel=0" "--parallel=x" "--batch-size=1" "--sort=x" "--check=x" "-cC" "-c a b" "-c -o x" "--s" "--nonsense" "-j" "--reverse=1" "-Rn" "-c --debug" "-o x --debug" "-1" \
  "-o a -o b" "--compress-program=a --compress-program=b"; do
  refused "" $bad
done
refused "empty" -t ''
refused "options '-Mn' are incompatible" -nM
refused "-k: \"0\": fields count from 1" -k0
refused 'could be any of: sort stable' --s
for old in "+1" "+1 -2" "+0.2" "+1.1n -1.3" "+1b -2.0b" "+0 -1 +2nr" "+1 -0"; do alike -t, $old table.csv; done
cp words.txt ./+x
check "a file that looks like an old key" cmp <(sort words.txt) <(psort +x)
for bad in "--place=moon:cpu gpu auto" "--revers-:did you mean --reverse?" "--hedaer:did you mean --header?" "-kname:--header" \
  "-z --csv:-z" "--tsv -t,:tab" "--top=1 --sample=1:exclude" "--top=1 -c:--top" "--sample=1 -m:-m" "--top=x:--top" "--csv --debug:--debug"; do
  check_exit 2 "$peneira" sort ${bad%%:*} words.txt
  check "$bad" grep -qF -- "${bad#*:}" stderr.txt
done
printf 'a\tz\nb\ty\n' >tabbed.txt
check "-t '\\t'" cmp <(sort -t "$(printf '\t')" -k2 tabbed.txt) <(psort -t '\t' -k2 tabbed.txt)
check "-q" test -z "$(LC_ALL=xx_YY.UTF-8 "$peneira" sort -q words.txt 2>&1 >/dev/null)"
check "-S 1MiB" cmp <(sort words.txt) <(psort -S 1MiB words.txt)

# Random orders.
head -c 16 /dev/urandom >salt
for options in "-R" "-R -u" "-k1,1R -s" "-Rr" "-Rf" "--sort=random -t, -k2,2 -k1n"; do
  alike --random-source=salt $options table.csv words.txt words.txt
done
check "-R is another order each time" bash -c "! cmp -s <('$peneira' sort -R numbers.txt) <('$peneira' sort -R numbers.txt)"
check "but of the same lines" cmp <(sort numbers.txt) <(psort -R numbers.txt | sort)
refused "has 0 bytes" -R --random-source=/dev/null

# --debug.
for options in "" "-k2" "-k2n" "-k2,2bn -k1.2,1.3" "+1 -2" "-M" "-h -k3" "-g" "-k2,1" "-rs -k2" "-r -k1b" "-bn -k2d" "-t- -k1n" "-t. -k1g" "-z"; do
  alike --debug $options words.txt tabs.txt
  check "what --debug $options tells" cmp want.err <(sed 's/^peneira //' have.err)
done

# The first lines, without sorting all.
for options in "" "-n" "-nr" "-u" "-t, -k2,2" "-t, -k4,4 -u" "-t, -k4,4 -s" "-t, -k2,2 -r"; do
  sort $options table.csv numbers.txt >want.txt
  for top in 0 1 7 4000 1000000; do
    check "$options --top $top" cmp <(head -n $top want.txt) <(psort $options --top $top table.csv numbers.txt)
    check "$options --top $top, little memory" cmp <(head -n $top want.txt) <(psort -S 1K $options --top=$top table.csv numbers.txt)
  done
done
sort -n numbers.txt >sorted.txt
check "--top of a merge" cmp <(sort -m sorted.txt sorted.txt -n | head -n 5) <(psort -m -n --top 5 sorted.txt sorted.txt)
check "--sample is of the input" same "$(psort --sample 50 numbers.txt | comm -13 <(sort numbers.txt) -)" ""
check "--sample draws so many" same "$(psort --sample 50 table.csv | wc -l)" 50
check "and no line twice" same "$(psort --sample 8000 table.csv | uniq -d)" "$(sort table.csv | uniq -d)"
check "all where there are fewer" cmp <(sort words.txt) <(psort --sample 1000 words.txt)
check "the same with the same random bytes" cmp <(psort --random-source=salt --sample 20 table.csv) <(psort -S 1M --threads 1 --random-source=salt --sample 20 table.csv)
check "in order" sort -c <(psort --sample 100 table.csv)
check_says "sort -t, -k2,2 -k1n" "$peneira" sort --help
check "help fits a terminal of 120 columns" test "$(awk '{ if (length > m) m = length } END { print m }' stdout.txt)" -le 120
check_says "peneira" "$peneira" sort --version

# Inputs.
split -n l/3 table.csv part-
alike part-aa part-ab part-ac
check "standard input among them" cmp <(sort table.csv) <(psort part-aa - part-ac <part-ab)
check "standard input alone" cmp <(sort table.csv) <(cat table.csv | psort)
check "from where it stands" cmp <(tail -n +2 words.txt | sort) <({ IFS= read -r _ && psort; } <words.txt)
mkfifo pipe
cat table.csv >pipe &
check "a named pipe" cmp <(sort table.csv) <(psort pipe)
printf 'part-aa\0part-ab\0part-ac' >names
check "--files0-from" cmp <(sort table.csv) <(psort --files0-from=names)
check "--files0-from=-" cmp <(sort table.csv) <(psort --files0-from=- <names)
refused "there can be no other files" --files0-from=names words.txt
refused "no names" --files0-from=/dev/null
printf 'a\0\0b' >names
refused "name 2 is empty" --files0-from=names
for text in '' '\n' 'b\na' 'b\r\na\r\n' 'a\0b\na\nb\0' '\xff\xfe\n\xc3\n\xc3\xa9\n' '\n\n\na\n\n' 'b'; do
  printf "$text" >odd.txt
  alike odd.txt
  alike -z odd.txt
  alike -u odd.txt
  alike -k1n odd.txt
  alike odd.txt odd.txt
done

# Checks.
sort -t, -k2,2 -k1n table.csv >sorted.csv
alike -c -t, -k2,2 -k1n sorted.csv
alike -c -t, -k2,2 -k1nr sorted.csv
check "the message" cmp <(sed 's/^sort/peneira sort/' want.err) have.err
alike -C -t, -k2,2 -k1nr sorted.csv
check "no message" test ! -s have.err
alike -cu -t, -k4,4 sorted.csv
alike -c /dev/null
alike --check=silent words.txt
alike -c words.txt

# Merges.
for part in part-aa part-ab part-ac; do sort -t, -k2,2 -s $part >$part.sorted; done
alike -m -t, -k2,2 -s part-*.sorted
alike -m -t, -k2,2 -u part-*.sorted
alike -m part-*.sorted
alike -m part-aa.sorted
check "a merge of standard input" cmp <(sort -m part-aa.sorted part-ab.sorted) <(psort -m part-aa.sorted - <part-ab.sorted)
for i in $(seq 40); do awk -v i="$i" 'BEGIN { for (n = 0; n < 300; ++n) print i * n "," i }' | sort -t, -k1,1n >"many-$i"; done
alike -m -t, -k1,1n -s many-*
check "few at a time" cmp <(sort -m -t, -k1,1n -s many-*) <(psort -m -t, -k1,1n -s --batch-size=3 many-*)
check "and compressed" cmp <(sort -m -t, -k1,1n -s many-*) <(psort -m -t, -k1,1n -s --batch-size=7 --compress-program=gzip many-*)

# Larger than the memory.
mkdir spill
for i in 1 2 3 4 5 6 7 8; do cat table.csv random.txt numbers.txt urls.txt; done >large.txt
for options in "" "-u" "-r" "-n" "-nu" "-s -t, -k2,2" "-t, -k2,2 -k1n" "-t, -k4,4 -u" "-f"; do
  sort $options large.txt >want.txt
  for more in "-S 1M" "-S 2M --threads 3" "-S 1M --batch-size=2" "-S 4M --compress-program=gzip -T spill"; do
    check "$options $more" cmp want.txt <(psort $options $more large.txt)
  done
done
sort large.txt >want.txt
check "from a pipe" cmp want.txt <(cat large.txt | psort -S 1M -T spill)
check "two folders" cmp want.txt <(psort -S 1M -T spill -T . large.txt)
check "leave nothing" same "$(find spill -mindepth 1)" ""
for program in false nonsense-program; do
  check_exit 2 "$peneira" sort -S 1M --compress-program=$program large.txt
  check "a message that names $program" grep -q "$program" stderr.txt
done
check_exit 2 "$peneira" sort -S 1M -T nowhere large.txt
check "a message that names the folder" grep -q 'peneira sort: cannot create a temporary file in nowhere: No such file' stderr.txt
head -c 20000000 /dev/zero | tr '\0' x >long.txt
{ echo b; cat long.txt; echo; echo a; cat long.txt; } >lines.txt
check "long lines, little memory" cmp <(sort lines.txt) <(psort -S 1M lines.txt)
check "with keys" cmp <(sort -f lines.txt) <(psort -f -S 1M lines.txt)
head -c 1000000 /dev/zero | tr '\0' '\n' >empty.txt
for options in "" "-u" "-n" "-S 1M" "-k2"; do check "a million empty lines $options" cmp <(sort $options empty.txt) <(psort $options empty.txt); done

# Outputs.
cp words.txt copy.txt
chmod 640 copy.txt
check_exit 0 "$peneira" sort copy.txt -o copy.txt
check "-o onto the input" cmp copy.txt <(sort words.txt)
check "keeps its rights" same "$(stat -c %a copy.txt)" 640
cp words.txt copy.txt
ln copy.txt other-name.txt
check_exit 0 "$peneira" sort copy.txt -o copy.txt
check "-o onto the input, which has two names" cmp other-name.txt <(sort words.txt)
cp words.txt copy.txt
ln -s copy.txt link.txt
check_exit 0 "$peneira" sort copy.txt -o link.txt
check "a link stays a link" test -L link.txt
check "and its file is sorted" cmp copy.txt <(sort words.txt)
cp part-aa.sorted merged.txt
check_exit 0 "$peneira" sort -m -t, -k2,2 -o merged.txt merged.txt part-ab.sorted
check "-m -o onto an input" cmp merged.txt <(sort -m -t, -k2,2 part-aa.sorted part-ab.sorted)
check_exit 0 "$peneira" sort words.txt -o -
check "-o - is a file" cmp ./- <(sort words.txt)
check_exit 0 "$peneira" sort words.txt -o /dev/null
check_exit 2 "$peneira" sort words.txt -o nowhere/out
check "a message that names the output" grep -q 'nowhere' stderr.txt
check_exit 2 "$peneira" sort words.txt -o spill
if [ -w /dev/full ]; then
  check_exit 2 "$peneira" sort words.txt -o /dev/full
  check "a full disk" grep -q '^peneira sort: cannot write /dev/full: No space left on device' stderr.txt
  status=0
  psort large.txt >/dev/full 2>stderr.txt || status=$?
  check "a full disk behind standard output" same $status 2
fi

# Failures.
check_exit 2 "$peneira" sort words.txt missing.txt
check "a missing file" grep -qx 'peneira sort: cannot read: missing.txt: No such file or directory' stderr.txt
check "before any output" test ! -s stdout.txt
check_exit 2 "$peneira" sort .
check "a folder" grep -qx 'peneira sort: cannot read: .: Is a directory' stderr.txt
check_exit 2 "$peneira" sort missing.txt -o never.txt
check "no file after an error" test ! -e never.txt
if [ "$(id -u)" != 0 ]; then
  cp words.txt secret.txt
  chmod 0 secret.txt
  check_exit 2 "$peneira" sort secret.txt
  check "an unreadable file" grep -qx 'peneira sort: cannot read: secret.txt: Permission denied' stderr.txt
fi
status=0
psort large.txt 2>stderr.txt | head -n 1 >/dev/null || status=$?
check "a reader that has enough: no word" test ! -s stderr.txt
check "and the exit code of SIGPIPE" same $status 141
status=0
(limit_files 100 && psort -S 1M -T spill large.txt 2>stderr.txt >/dev/null) || status=$?
check "a temporary disk too full" same $status 2
check "which names the folder" grep -q 'cannot write a temporary file in spill: File too large' stderr.txt
for signal in INT:130 TERM:143 HUP:129; do
  status=0
  timeout --preserve-status -s "${signal%:*}" 0.5 bash -c \
    "exec '$peneira' sort --quiet -S 2M -T spill -o spill/out < <('$peneira' gen --lines 1T --text csv 2>/dev/null)" 2>stderr.txt || status=$?
  check "$signal" same "$status" "${signal#*:}"
  check "$signal: no word" test ! -s stderr.txt
  check "$signal: no file" same "$(find spill -mindepth 1)" ""
done
status=0
timeout --preserve-status -s TERM 0.5 bash -c \
  "exec '$peneira' sort --quiet -S 2M -T spill --compress-program=gzip < <('$peneira' gen --lines 1T --text csv 2>/dev/null)" 2>stderr.txt || status=$?
check "TERM while a program compresses" same $status 143
check "and no file" same "$(find spill -mindepth 1)" ""
for try in 1 2 3 4 5; do
  cp large.txt shrinks.txt
  (truncate -s 1000 shrinks.txt) &
  status=0
  psort shrinks.txt >out.txt 2>stderr.txt || status=$?
  wait $!
  check "a file that shrinks is sorted as far as it was read ($status)" test $status = 0
  check "and sorted it is" sort -c out.txt
done

# Other locales are in sort_locale.sh.
for locale in C POSIX; do
  LC_ALL=$locale "$peneira" sort words.txt >/dev/null 2>have.err
  check "no word about $locale" test ! -s have.err
done
LC_ALL= LC_COLLATE= LANG=xx_YY "$peneira" sort words.txt >have.out 2>have.err
check "LANG" grep -q 'LANG=xx_YY is no locale' have.err
check "bytes where there is no such locale" cmp have.out <(sort words.txt)
LC_ALL=xx_YY.UTF-8 "$peneira" sort --quiet words.txt >/dev/null 2>have.err
check "--quiet" test ! -s have.err

if can_measure_memory; then
  "$peneira" gen --lines 1M --text random -o random.txt --force
  bytes=$(($(stat -c %s random.txt) / 1024))
  check_exit 0 /usr/bin/time -f %M -o used.txt "$peneira" sort random.txt --threads 2 -o out.txt
  check "memory: $(cat used.txt) KiB for $bytes KiB" test "$(cat used.txt)" -lt $((bytes * 22 / 10 + 8000))
  check_exit 0 /usr/bin/time -f %M -o used.txt "$peneira" sort random.txt -S 16M --threads 2 -o out.txt
  check_exit 0 /usr/bin/time -f %M -o nothing.txt "$peneira" --version  # a program with GPU code is larger
  check "memory: $(cat used.txt) KiB with -S 16M" test "$(cat used.txt)" -lt $((16384 * 12 / 10 + $(cat nothing.txt) + 2000))
else
  skip "bounded memory: no /usr/bin/time, or a sanitizer in the way"
fi
check "nothing left" nothing_left
finish
