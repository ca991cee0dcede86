# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# shellcheck shell=bash
#
# A Debian in a folder, made by debootstrap and this system's own mirror. To be sourced, by a script that runs as root,
# has say() and fail(). What mounts is to be called by in_namespaces(), in namespaces of its own.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
mirror='' child=''

need_root_tools() {
    [ "$(id -u)" -eq 0 ] || fail "only root may make a Debian in a folder"
    unshare --mount --pid --fork true 2>/dev/null ||
        fail "no namespaces for mounts and processes: a container without CAP_SYS_ADMIN?"
    command -v debootstrap >/dev/null || fail "debootstrap is not installed: apt-get install debootstrap"
}

# in_namespaces COMMAND...: in namespaces of its own for mounts and processes, which end with it and take along what is
# mounted and started there, however this ends, even by SIGKILL. In the background, so that a signal is answered at
# once: the first process of the namespace takes all others with it. end_namespaces() belongs in the trap of EXIT.
in_namespaces() {
    local status=0
    { : <&0; } 2>/dev/null || exec </dev/null  # no input at all is no reason to fail
    setpriv --pdeathsig KILL unshare --mount --pid --fork --kill-child "$@" <&0 &
    child=$!
    wait "$child" || status=$?
    child=''
    return $status
}

end_namespaces() {
    [ -z "$child" ] || { kill -KILL "$child" && wait "$child"; } 2>/dev/null || :
}

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

# What dpkg need not do for a root that is thrown away: wait for the disk, unpack documentation.
set_up_dpkg() {
    mkdir -p "$1/etc/dpkg/dpkg.cfg.d"
    printf '%s\n' force-unsafe-io 'path-exclude=/usr/share/doc/*' 'path-exclude=/usr/share/man/*' \
        'path-exclude=/usr/share/locale/*' >"$1/etc/dpkg/dpkg.cfg.d/octuple"
}

# install_root ROOT RELEASE PACKAGE...: with these packages, unless they are there already. A release is a suite;
# `experimental` is unstable with experimental's OpenSSL.
install_root() {
    local root=$1 suite=$2 suites=("$2")
    shift 2
    if [ "$suite" = experimental ]; then
        suite=sid suites=(sid experimental)
        set -- "$@" openssl/experimental libssl-dev/experimental
    fi
    # debootstrap cannot go on with one that was cut off.
    [ ! -e "$root/debootstrap" ] || rm -rf --one-file-system "${root:?}"/*
    set_up_dpkg "$root"
    install_base "$root" "$suite"
    set_up_apt "$root" "${suites[@]}"
    mount_in "$root"
    [ "$(cat "$root/var/lib/octuple-ready" 2>/dev/null)" != "$*" ] || return 0
    chroot "$root" apt-get update -qq
    install_in "$root" "$@"
    printf '%s\n' "$*" >"$root/var/lib/octuple-ready"
}

# show_in ROOT FOLDER: this folder as it is, at the same place in the root: build folders hold absolute paths.
show_in() {
    mkdir -p "$1$2"
    mount --rbind "$2" "$1$2"
}
