# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# Man pages and completions.
source "$(dirname "$0")/check.sh"

check_exit 0 "$peneira" man --all pages
commands=$("$peneira" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z_]*\) .*/\1/p')
check "all commands are found: $commands" grep -q 'sort' <<<"$commands"
for command in $commands; do
  check "a page of $command" test -s "pages/peneira-$command.1"
  check "man $command prints the same" cmp "pages/peneira-$command.1" <("$peneira" man "$command")
done
check "no page but those" same "$(ls pages | wc -l)" "$(($(wc -w <<<"$commands") + 1))"
check_error 2 'no command "srot"; did you mean sort?' "$peneira" man srot
check_error 2 "--all is for all commands" "$peneira" man sort --all pages
if command -v man >/dev/null && command -v groff >/dev/null; then
  for page in pages/*.1; do
    MANROFFOPT=-ww MANWIDTH=100 man --warnings -l "$page" >shown.txt 2>warnings.txt || true
    check "$page: $(head -n 3 warnings.txt)" test ! -s warnings.txt
    check "$page is not empty" grep -q SYNOPSIS shown.txt
  done
  man -l pages/peneira-sort.1 2>/dev/null | col -b >shown.txt
  for text in '-k, --key KEY' '--header' '-n, --numeric-sort' 'EXAMPLES' "peneira sort --csv --header -k city -k price:nr"; do
    check "peneira-sort.1 has $text" grep -qF -- "$text" shown.txt
  done
else
  skip "man pages as man shows them: no man, or no groff"
fi

# completed WORD...: what bash offers for the last word, in one line.
"$peneira" completions bash >peneira.bash
check "bash reads the completions" bash -n peneira.bash
cat >complete.sh <<'TEXT'
source ./peneira.bash
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_peneira
printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd ' '
TEXT
completed() { bash complete.sh peneira "$@"; }
check "commands" same "$(completed gr)" group
check "help of a command" same "$(completed help sp)" split
check "options of a command" same "$(completed sort --ran)" "--random-sort --random-source"
check "behind files" same "$(completed sort in.csv -t, --head)" "--header"
check "of another" same "$(completed split --spl)" "--splitters"
check "what an option takes" same "$(completed reduce x --op arg)" "argmax argmin"
check "behind =" same "$(completed sort --place = g)" gpu
check "commands below a command" same "$(completed explain sort_)" sort_strings
check "and their options" same "$(completed explain sort --val)" --value-bytes
check "files else" same "$(completed sort --output pa)" ""
"$peneira" completions zsh -o _peneira
check "zsh: a function for peneira" grep -qx '#compdef peneira' _peneira
check "zsh: words of an option" grep -qF "*--place[" _peneira
"$peneira" completions fish >peneira.fish
check "fish: an option of sort" grep -q "__fish_seen_subcommand_from sort' -l header -d " peneira.fish
check "fish: a line each" same "$(grep -vc '^complete -c peneira -n\|^#' peneira.fish)" 0
for shell in zsh fish; do
  if command -v $shell >/dev/null; then
    check "$shell reads its completions" $shell -n "$(ls _peneira peneira.$shell 2>/dev/null | head -n 1)"
  else
    skip "$shell reads its completions: no $shell"
  fi
done
check_error 2 '"tcsh" is none of bash, zsh and fish' "$peneira" completions tcsh
finish
