#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
#
# RPM packages, from the source to their removal: builds them from packaging/rpm/octuple.spec, puts them into an empty
# root, compares the list of files with what it must be, upgrades, and removes them. There is no system of RPM packages
# in it, so that dependencies are not looked at, and nothing is started.
#
# For root (rpm changes its root), with Debian's packages rpm and busybox-static installed.
#
# usage: tests/places/run rpm [--folder DIR] [--keep]
#   --folder DIR    packages and root are, or will be, in DIR; a second run goes on from there
#   --keep          leave the folder where it is; the packages are in DIR/RPMS
set -eu
here=$(cd "$(dirname "$0")/../../.." && pwd)
spec=$here/packaging/rpm/octuple.spec
packages=(octuple octuple-libs octuple-devel octuple-provider octuple-shim)

say() {
    printf 'rpm: %s\n' "$*" >&2
}

fail() {
    say "$*"
    exit 1
}

skip() {
    say "SKIPPED: $*"
    exit 77
}

folder='' keep=0
while [ $# -gt 0 ]; do
    case $1 in
    --folder) [ $# -ge 2 ] || fail "--folder takes a folder"; folder=$2; shift ;;
    --keep) keep=1 ;;
    -h | --help) sed -n 's/^# \?//; 4,/^set/ { /^set/ d; p }' "$0"; exit 0 ;;
    *) fail "unknown argument $1; see --help" ;;
    esac
    shift
done
[ "$(id -u)" -eq 0 ] || skip "only root may install into another root"
command -v rpmbuild >/dev/null || skip "rpmbuild is not installed: apt-get install rpm"
[ -x /bin/busybox ] && ! ldd /bin/busybox >/dev/null 2>&1 ||
    skip "no static busybox: apt-get install busybox-static"
[ -n "$folder" ] || folder=$(mktemp -d "${TMPDIR:-/tmp}/octuple-rpm.XXXXXX")
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
root=$folder/root
trap '[ "$keep" -eq 1 ] || rm -rf --one-file-system "$folder"' EXIT

version=$("$here/packaging/version")
[ "$(sed -n 's/^Version: *//p' "$spec")" = "$version" ] || fail "octuple.spec has not the version of CMakeLists.txt"

# build OPTION...: the names of Fedora's folders, whatever this system has.
build() {
    rpmbuild --nodeps "$@" --define "_topdir $folder" --define "_libdir /usr/lib64" \
        --define "modules /usr/lib64/ossl-modules" "$spec" >"$folder/log" 2>&1 ||
        { tail -n 30 "$folder/log" >&2; fail "rpmbuild failed"; }
}

make_packages() {
    mkdir -p "$folder/SOURCES"
    tar -C "$here" --exclude=./build --exclude=./.git --transform "s|^\.|octuple-$version|" \
        -czf "$folder/SOURCES/octuple-$version.tar.gz" .
    rm -rf "$folder/RPMS"
    build -bb
    build -bb --define "dist .later"
    for package in "${packages[@]}"; do
        [ -e "$(file_of "$package" 1)" ] && [ -e "$(file_of "$package" 1.later)" ] || fail "$package was not made"
    done
    say "built ${#packages[@]} packages in two releases"
}

file_of() {
    printf '%s/RPMS/x86_64/%s-%s-%s.x86_64.rpm\n' "$folder" "$1" "$version" "$2"
}

# rpm_in ARGUMENT...: what a scriptlet says is a failure too. Debian's rpm wants to be told that it is meant.
rpm_in() {
    rpm --force-debian --root "$root" --dbpath /rpmdb --nodeps --nosignature "$@" >"$folder/said" 2>&1 ||
        { cat "$folder/said" >&2; fail "rpm $1 failed"; }
    # That a changed file is saved is no fault: the scriptlet puts it back.
    ! grep -v rpmsave "$folder/said" | grep -E 'scriptlet failed|warning' >&2 || fail "rpm $1 warned"
}

# A shell and ldconfig for scriptlets, and nothing else.
make_root() {
    local name
    rm -rf "$root"
    mkdir -p "$root/bin" "$root/sbin" "$root/etc" "$root/rpmdb" "$root/usr/lib64" "$root/var/tmp"
    cp /bin/busybox "$root/bin/"
    for name in sh cp mv mkdir rm; do
        ln -s busybox "$root/bin/$name"
    done
    cp /sbin/ldconfig "$root/sbin/"
    rpm --root "$root" --dbpath /rpmdb --initdb
}

list_files() {
    (cd "$root" && find . -path ./rpmdb -prune -o ! -name 'ld.so.cache*' -printf '%y %m %p %l\n' | sort)
}

# What debian/ installs, in the folders of RPM.
expected() {
    local major=${version%%.*}
    cat <<END
usr/bin/octuple
usr/lib64/liboctuple.so.$major
usr/lib64/liboctuple.so.$version
usr/lib64/liboctuple.so
usr/lib64/liboctuple-async.so
usr/lib64/octuple/lib64/liboctuple-async.so
usr/lib64/octuple/lib/liboctuple-async.so
usr/lib64/ossl-modules/octuple.so
usr/lib64/pkgconfig/octuple.pc
usr/lib64/cmake/octuple/octuple-config.cmake
usr/include/octuple/octuple.h
etc/octuple/openssl.cnf
etc/apparmor.d/abstractions/octuple
usr/share/man/man1/octuple-run.1*
usr/share/doc/octuple/examples/systemd/octuple.conf
usr/share/doc/octuple/examples/selinux/octuple.te
usr/share/doc/octuple/schemas/doctor.json
usr/share/bash-completion/completions/octuple
usr/share/zsh/site-functions/_octuple
END
}

check_files() {
    local file found
    while read -r file; do
        # shellcheck disable=SC2086
        found=$(cd "$root" && ls $file 2>/dev/null) || fail "$file was not installed"
        [ -n "$found" ] || fail "$file was not installed"
    done < <(expected)
    find "$root/usr/share/licenses" -name LICENSE | grep -q . || fail "the licence was not installed"
    ! find "$root/usr" "$root/etc/octuple" \( -perm /022 -o ! -user root \) ! -type l | grep . ||
        fail "others may write to what was installed"
    say "$(rpm --root "$root" --dbpath /rpmdb -qal | wc -l) names installed, and what must be there is"
}

# What a package owns must be all that came.
check_owned() {
    local path
    while read -r path; do
        rpm --root "$root" --dbpath /rpmdb -qf "$path" >/dev/null 2>&1 || fail "$path belongs to no package"
    done < <(cd "$root" && find usr etc/octuple -type f -printf '/%p\n')
}

try() {
    local before after configuration=$root/etc/octuple/openssl.cnf
    make_root
    before=$(list_files)
    rpm_in -i $(for package in "${packages[@]}"; do file_of "$package" 1; done)
    check_files
    check_owned
    echo '# changed by its owner' >>"$configuration"
    rpm_in -U $(for package in "${packages[@]}"; do file_of "$package" 1.later; done)
    [ "$(rpm --root "$root" --dbpath /rpmdb -q --qf '%{release}' octuple)" = 1.later ] || fail "it was not upgraded"
    tail -n 1 "$configuration" | grep -q changed || fail "the upgrade took the owner's changes"
    [ ! -e "$configuration.kept" ] || fail "the upgrade left a copy of the configuration"
    say "an upgrade keeps the configuration as its owner has changed it"
    rpm_in -e "${packages[@]}"
    tail -n 1 "$configuration" | grep -q changed || fail "the removal took the configuration of programs that run"
    rm -r "$root/etc/octuple"
    # Folders that a system has anyway belong to no package.
    after=$(list_files | grep -v '^d [0-9]* \./usr')
    before=$(printf '%s\n' "$before" | grep -v '^d [0-9]* \./usr')
    diff <(printf '%s\n' "$before") <(printf '%s\n' "$after") >&2 || fail "the removal left files"
    ! find "$root/usr" ! -type d | grep . || fail "the removal left files"
    say "the removal leaves the configuration, for programs that run, and nothing else"
}

make_packages
try
say "good"
