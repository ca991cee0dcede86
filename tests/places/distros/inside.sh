#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
#
# What `run` runs in the root of a release, at the top of this source: builds provider, shim and their tests with
# warnings as errors, and runs them.
#
# usage: tests/places/distros/inside.sh [--quick] [--openssl] [BUILD]
#   BUILD      runs what was built in this folder, and builds nothing
#   --openssl  OpenSSL's own tests too
#   --quick    what runs on several tables of operations or widths of vectors runs on one: they are the same with every
#              OpenSSL; of servers nginx alone, without hostile clients
set -eu
cd "$(dirname "$0")/../../.."
export PYTHONDONTWRITEBYTECODE=1
quick=0 openssl=0
[ "${1:-}" != --quick ] || { quick=1; shift; }
[ "${1:-}" != --openssl ] || { openssl=1; shift; }
build=${1:-}

say() {
    printf 'distros: %s\n' "$*"
}

make_build() {
    local log=/octuple-build.log
    say "$(gcc --version | head -n 1)"
    cmake --preset dev -DOCT_TESTS=ON "-DOCT_TEST_KINDS=kat;provider;shim;servers" >"$log" &&
        cmake --build --preset dev >>"$log" || { tail -n 40 "$log"; exit 1; }
}

version=$(openssl version)
say "$version, $(/usr/sbin/nginx -v 2>&1)"
from_elsewhere=$build
[ -n "$build" ] || { build=build/dev; make_build; }

without='^$'
# Programs that are linked with another major version have no part in this.
major=${version#OpenSSL }
major=${major%%.*}
programs=1
ldd /usr/sbin/nginx | grep -q "libssl\.so\.$major " || programs=0
[ $programs -eq 1 ] || without+='|^servers\.(nginx|soak|programs\.processes)'
# A build from elsewhere knows of tests under valgrind whether it is installed here or not.
command -v valgrind >/dev/null || without+='|_valgrind$'
command -v haproxy >/dev/null || without+='|^servers\.(haproxy|hostile)'
# What was built elsewhere may need a library that is not installed here, and these tests need packages,
# headers or the network.
with() {
    /sbin/ldconfig -p | grep -q "$1"
}
with libtsan.so || without+='|_tsan$'
with libgc.so || without+='|^servers\.programs\.boehm'
without+='|^servers\.interop'
# Loops of others are held to what the release has in which the build was made: later ones of libuv go by io_uring. And
# AWS-LC is there.
[ -z "${from_elsewhere:-}" ] || without+='|^shim\.(loop|method)_'
[ -e /usr/include/openssl/ssl.h ] || without+='|^shim\.callbacks_headers'
command -v patchelf >/dev/null && command -v gcc >/dev/null || without+='|^servers\.second\.'
[ -d /usr/share/nginx/modules-available ] && command -v haproxy >/dev/null || without+='|^servers\.programs\.callbacks'
if [ $quick -eq 1 ]; then
    without+='|^servers\.(haproxy|hostile\.(hostile|abuse)|others\.others)'
    ! grep -q avx512ifma /proc/cpuinfo || without+='|[./](avx2|c|128|256)$'
fi

# What fails runs once more, alone, as in ./check: servers and processes may fail for what else the machine does.
failed=0 failures="$build/Testing/Temporary/LastTestsFailed.log"
rm -f "$failures"
if ! ctest --test-dir "$build" -R '^(provider/|kat\.provider|shim\.|servers\.)' -E "$without" -j$((2 * $(nproc))) \
    --output-on-failure --no-tests=error; then
    [ -s "$failures" ] && sed 's/^[0-9]*:/distros: once more: /' "$failures" &&
        ctest --test-dir "$build" --rerun-failed --output-on-failure || failed=1
fi
[ $programs -eq 1 ] || say "SKIPPED: nginx and Python here are linked with another OpenSSL than $version"
case $openssl$version in
0*) ;;
"1OpenSSL 3."[05].*) tests/places/run openssl --build "$build" $([ $quick -eq 0 ] || echo --quick) || failed=1 ;;
*) say "SKIPPED: which of OpenSSL's own tests run is known for 3.0 and 3.5, not for $version" ;;
esac
exit $failed
