# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# shellcheck shell=bash
#
# A Debian in a folder, made by debootstrap and this system's own mirror. To be sourced, by a script that runs as root,
# has say() and fail(), and calls these functions in a mount namespace of its own.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
mirror=''

# The mirror that this system's own packages come from, the first entry of its release that is not a part of it; and its
# proxy for debootstrap, which fetches by wget and takes that from the environment.
find_mirror() {
    local codename scheme proxy
    codename=$(. /etc/os-release && printf %s "${VERSION_CODENAME:?}")
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
        awk -v release="$codename" '$2 == release { print $1; exit }')
    [ -n "$mirror" ] || fail "apt names no mirror of its own release"
    for scheme in http https; do
        eval "$(apt-config shell proxy "Acquire::$scheme::Proxy")"
        [ -z "${proxy:-}" ] || export "${scheme}_proxy=$proxy"
    done
}

# set_up_apt ROOT SUITE...: apt as it is here, with these suites as its sources.
set_up_apt() {
    local root=$1 suite
    shift
    for suite in "$@"; do
        printf 'deb [signed-by=%s] %s %s main\n' "$keyring" "$mirror" "$suite"
    done >"$root/etc/apt/sources.list"
    apt-config dump --no-empty Acquire >"$root/etc/apt/apt.conf.d/90host"
    printf 'Acquire::Languages "none";\n' >"$root/etc/apt/apt.conf.d/91octuple"
    # Services are installed, not started.
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod 755 "$root/usr/sbin/policy-rc.d"
    cp /etc/resolv.conf /etc/hosts "$root/etc/"
}

mount_in() {
    mount -t proc proc "$1/proc"
    mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm"
}

# install_base ROOT SUITE: the system itself, if it is not there yet.
install_base() {
    local root=$1 suite=$2
    [ ! -e "$root/var/lib/octuple-base" ] || return 0
    # The script is the same for all releases of these years; an older debootstrap does not know the youngest names.
    debootstrap --variant=minbase --include=ca-certificates --keyring="$keyring" "$suite" "$root" "$mirror" \
        /usr/share/debootstrap/scripts/sid
    touch "$root/var/lib/octuple-base"
}

# install_in ROOT PACKAGE...
install_in() {
    local root=$1
    shift
    DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get install -y -q --no-install-recommends "$@"
}
