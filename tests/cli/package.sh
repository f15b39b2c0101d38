# SPDX-FileCopyrightText: The peneira authors
# SPDX-License-Identifier: Apache-2.0
#
# The Debian package of this build, unpacked into a folder. Use: package.sh PENEIRA BUILD-FOLDER CPACK
build=$(realpath "$2")
cpack=$3
source "$(dirname "$0")/check.sh"

if ! command -v dpkg-deb >/dev/null; then
  skip "no dpkg-deb"
  check "there is a program" test -x "$peneira"
  finish
  exit
fi
"$cpack" -G DEB --config "$build/CPackConfig.cmake" -B packed >log.txt 2>&1 || cat log.txt
check "one package" same "$(ls packed/*.deb | wc -l)" 1
check "which tells what it is" grep -q '^ Package: peneira$' <(dpkg-deb -I packed/*.deb)
mkdir root
dpkg-deb -x packed/*.deb root
installed=root/usr/bin/peneira
check "the program" same "$("$installed" --version)" "$("$peneira" --version)"
check "which sorts" same "$(printf 'b\na\n' | "$installed" sort -q | paste -sd ' ')" "a b"
for file in include/peneira/sort.hpp share/man/man1/peneira.1 share/man/man1/peneira-sort.1 \
  share/bash-completion/completions/peneira share/zsh/site-functions/_peneira share/fish/vendor_completions.d/peneira.fish \
  share/doc/peneira/copyright; do
  check "$file" test -s "root/usr/$file"
done
check "CMake files" test -n "$(find root/usr -name peneiraConfig.cmake)"
check "no other program, but peneira-mpi where there is MPI" same "$(ls root/usr/bin | grep -vx peneira-mpi)" peneira
finish
