#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
#
# Builds this source in a fresh Debian of each release that is named, and runs there, against its OpenSSL and its nginx,
# the tests of provider and shim, handshakes with the hybrid group X25519MLKEM768, and OpenSSL's own tests (`inside`).
#
# For root, with debootstrap installed. Packages come from the mirror, and by the proxy, that this system's apt uses.
# Some minutes and 1.5 GB for each in a temporary folder, which is removed at the end. All of it happens in namespaces
# of its own for mounts and processes: what is mounted and started there ends with them, however this ends.
#
# usage: tests/places/run distros [--build DIR] [--quick] [--openssl] [--folder DIR] [--prepare] [--keep]
#                          [--command COMMAND] [--with PACKAGE]... RELEASE...
#   RELEASE            a suite of Debian's archive (bookworm, trixie, forky ...), or experimental: unstable with that
#                      OpenSSL
#   --build DIR        builds nothing there: runs what was built here, in this folder of the source. A release whose
#                      OpenSSL has another major version cannot run that
#   --quick            the tests on the widest vectors only that this CPU has, of servers nginx alone, without hostile
#                      clients and without OpenSSL's own tests, whose source takes ten minutes to fetch and build
#   --openssl          these too (tests/places/run openssl); with --quick, a part of them
#   --folder DIR       the systems are, or will be, in folders of DIR that have the release's name
#   --prepare          installs the systems in --folder for such a run, which finds them there, and runs nothing; the
#                      folder of --build need not be built yet
#   --keep             leave them where they are; a later run with the same folder goes on from there
#   --command COMMAND  this instead of the tests, in the copy of the source: bash for a shell
#   --with PACKAGE     installs this too (valgrind: then tests run under it as well)
set -eu
here=$(cd "$(dirname "$0")/../../.." && pwd)

say() {
    printf 'distros: %s\n' "$*" >&2
}

fail() {
    say "$*"
    exit 2
}

. "$here/tools/debian-root.sh"

to_build=(gcc libc6-dev ninja-build pkg-config libssl-dev libjansson-dev libcmocka-dev systemtap-sdt-dev)
to_test=(cmake nginx openssl curl procps ca-certificates python3 python3-pytest python3-psutil python3-cryptography
         python3-jsonschema libcmocka0 libjansson4)

to_test_openssl=(gcc libc6-dev make perl dpkg-dev)

# The source as it stands in this folder, committed or not; what an earlier run has built stays.
copy_source() {
    mkdir -p "$1/octuple"
    find "$1/octuple" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
    tar -C "$here" --exclude=./build --exclude=./.git -cf - . | tar -C "$1/octuple" --no-same-owner -xf -
}

# In the new namespaces: inside ROOT RELEASE BUILD COMMAND PACKAGE...
inside() {
    local root=$1 release=$2 build=$3 command=$4 place=/octuple status
    shift 4
    mount --make-rprivate /
    find_mirror
    [ -e "$root/var/lib/octuple-ready" ] || say "$release: installing it in $root"
    set +e  # as a part of `||` it would go on after an error
    (set -e; install_root "$root" "$release" "$@") >"$root.log" 2>&1
    status=$?
    set -e
    if [ $status -ne 0 ]; then
        tail -n 20 "$root.log" >&2
        fail "$release could not be installed from $mirror"
    fi
    if [ -n "$build" ]; then
        place=$here
        show_in "$root" "$here"
    else
        copy_source "$root"
    fi
    say "$release: $(chroot "$root" openssl version)"
    chroot "$root" /bin/bash -c "cd '$place' && $command"
}

if [ "${1:-}" = --inside ]; then
    shift
    inside "$@"
    exit
fi

folder='' keep=0 prepare=0 build='' quick='' openssl='' command='' releases=() with=()
while [ $# -gt 0 ]; do
    case $1 in
    --build) [ $# -ge 2 ] || fail "--build takes a folder"; build=$2; shift ;;
    --quick) quick=--quick ;;
    --openssl) openssl=--openssl ;;
    --folder) [ $# -ge 2 ] || fail "--folder takes a folder"; folder=$2; shift ;;
    --prepare) prepare=1 keep=1 ;;
    --keep) keep=1 ;;
    --command) [ $# -ge 2 ] || fail "--command takes a command"; command=$2; shift ;;
    --with) [ $# -ge 2 ] || fail "--with takes a package"; with+=("$2"); shift ;;
    -h | --help) sed -n 's/^# \?//; 4,/^set/ { /^set/ d; p }' "$0"; exit 0 ;;
    -*) fail "unknown argument $1; see --help" ;;
    *) releases+=("$1") ;;
    esac
    shift
done
[ ${#releases[@]} -gt 0 ] || fail "which release? See --help"
[ $prepare -eq 0 ] || [ -n "$folder" ] || fail "--prepare needs a --folder"
need_root_tools

if [ -n "$build" ]; then
    [ $prepare -eq 1 ] || [ -e "$here/$build/CMakeCache.txt" ] || fail "$build is no build folder in $here"
    with+=("${to_test[@]}")
else
    with+=("${to_build[@]}" "${to_test[@]}")
fi
[ -n "$quick" ] || [ -n "$command" ] || openssl=--openssl
[ -z "$openssl" ] || with+=("${to_test_openssl[@]}")
[ -n "$command" ] || command="bash tests/places/distros/inside.sh $quick $openssl $build"
[ $prepare -eq 0 ] || command=true

[ -n "$folder" ] || folder=$(mktemp -d "${TMPDIR:-/tmp}/octuple-distros.XXXXXX")
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
chmod 755 "$folder"  # other users live in it: nginx's workers, apt's
clean_up() {
    end_namespaces
    [ "$keep" -eq 0 ] || return 0
    # Their mounts went with their namespaces; should one be left, nothing beyond it is touched.
    for release in "${releases[@]}"; do
        rm -rf --one-file-system "${folder:?}/$release" "$folder/$release.log"
    done
    rmdir --ignore-fail-on-non-empty "$folder"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP

bad=()
for release in "${releases[@]}"; do
    mkdir -p "$folder/$release"
    status=0
    in_namespaces bash "$0" --inside "$folder/$release" "$release" "$build" "$command" "${with[@]}" || status=$?
    [ "$status" -eq 0 ] && say "$release: good" || { say "$release: FAILED"; bad+=("$release"); }
done
[ ${#bad[@]} -eq 0 ]
