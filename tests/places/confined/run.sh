#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
#
# SELinux and AppArmor: what Debian's policy does with a service that has the preload, and whether our files compile.
#
# Nothing is installed or enforced here: policy and profiles are read. The policy is that of Debian's package
# selinux-policy-default, put together in a folder of its own, once as it is and once without its module `unconfined`.
# Needs setools, checkpolicy, semodule-utils, policycoreutils and apparmor.
#
# usage: tests/places/run confined [FOLDER]
set -eu
here=$(cd "$(dirname "$0")/../../.." && pwd)

say() {
    printf 'confined: %s\n' "$*"
}

case ${1:-} in
-h | --help) sed -n 's/^# \?//; 4,/^set/ { /^set/ d; p }' "$0"; exit 0 ;;
-*) say "unknown argument $1; see --help"; exit 2 ;;
esac
folder=${1:-$(mktemp -d "${TMPDIR:-/tmp}/octuple-confined.XXXXXX")}

fail() {
    say "$*"
    exit 1
}

for tool in sesearch seinfo checkmodule semodule_package semodule apparmor_parser; do
    PATH=$PATH:/usr/sbin command -v "$tool" >/dev/null || { say "$tool is not installed"; exit 2; }
done
PATH=$PATH:/usr/sbin
mkdir -p "$folder"
cd "$folder"

# make_policy: $root has the policy of Debian's package.
make_policy() {
    root=$folder/root
    [ -e "$root/usr/share/selinux/default" ] || {
        apt-get download -qq selinux-policy-default 2>/dev/null || fail "no package selinux-policy-default"
        dpkg-deb -x selinux-policy-default_*.deb "$root"
    }
    rm -rf "$root/var/lib/selinux" "$root"/etc/selinux/default/policy
    mkdir -p "$root/var/lib/selinux"
    semodule -p "$root" -s default -n -i "$root"/usr/share/selinux/default/*.pp.bz2 2>/dev/null
    policy=$(ls "$root"/etc/selinux/default/policy/policy.*)
}

# becomes FROM FILE TO: what a process of the domain FROM becomes by a program of the type FILE.
becomes() {
    local rule
    rule=$(sesearch "$policy" -T -s "$1" -t "$2" -c process)
    [ "$rule" = "type_transition $1 $2:process $3;" ] || fail "$1 by $2: ${rule:-no transition} instead of $3"
}

# allows FROM TO: the preload passes the change from one domain to the other.
allows() {
    [ -n "$(sesearch "$policy" -A -s "$1" -t "$2" -c process -p noatsecure)" ]
}

try_selinux() {
    make_policy
    grep -q '^/usr/sbin/nginx.*:httpd_exec_t:' "$root/etc/selinux/default/contexts/files/file_contexts" ||
        fail "nginx is no httpd_exec_t"
    becomes init_t httpd_exec_t httpd_t
    say "SELinux: a unit that starts nginx itself: init_t, and by httpd_exec_t httpd_t"
    becomes init_t bin_t initrc_t
    becomes initrc_t httpd_exec_t httpd_t
    say "SELinux: a unit that starts it by a wrapper: init_t, by bin_t initrc_t, and then by httpd_exec_t httpd_t"
    allows init_t httpd_t || fail "init_t may not hand the preload to httpd_t"
    say "SELinux: the preload passes from init_t to httpd_t"
    [ -n "$(sesearch "$policy" -A -s httpd_t -t lib_t -c file -p map,execute)" ] || fail "httpd_t may not map a library"
    say "SELinux: httpd_t may map libraries"

    checkmodule -M -m -o octuple.mod "$here/packaging/selinux/octuple.te" >/dev/null
    semodule_package -o octuple.pp -m octuple.mod
    semodule -p "$root" -s default -n -d unconfined 2>/dev/null
    ! allows init_t httpd_t || fail "without the module unconfined the preload passes all the same"
    say "SELinux: without the policy's module unconfined it does not pass"
    semodule -p "$root" -s default -n -i octuple.pp 2>/dev/null
    allows init_t httpd_t || fail "octuple.te does not let the preload pass"
    say "SELinux: with octuple.te it passes"
    [ "$(sesearch "$policy" -A -s httpd_t | sort | sha256sum)" = "$(
        semodule -p "$root" -s default -n -r octuple >/dev/null 2>&1
        sesearch "$policy" -A -s httpd_t | sort | sha256sum
    )" ] || fail "octuple.te changes what httpd_t may do"
    say "SELinux: what httpd_t may do is the same with octuple.te and without"
}

# compiles ABSTRACTION: into a profile that includes it, and nothing is loaded.
compiles() {
    mkdir -p profiles/abstractions
    cp "$1" profiles/abstractions/octuple
    printf '%s\n' 'abi <abi/3.0>,' 'include <tunables/global>' 'profile nginx /usr/sbin/nginx {' \
        '  include <abstractions/base>' '  include <abstractions/octuple>' '}' >nginx.profile
    apparmor_parser -Q -K -I "$folder/profiles" nginx.profile >/dev/null 2>&1
}

try_apparmor() {
    compiles "$here/packaging/apparmor/octuple" || fail "AppArmor does not take the abstraction"
    sed 's/ mr,$/ mr/' "$here/packaging/apparmor/octuple" >broken
    ! compiles broken || fail "AppArmor takes a broken abstraction too"
    say "AppArmor: a profile that includes the abstraction compiles"
}

try_apparmor
try_selinux
say "no kernel has enforced any of it here"
