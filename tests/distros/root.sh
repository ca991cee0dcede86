# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# shellcheck shell=bash
#
# A Debian in a folder, made by debootstrap and this system's own mirror. To be sourced, by a script that has say() and
# fail(); its functions run in namespaces of their own for mounts.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
to_build=(gcc libc6-dev ninja-build pkg-config libssl-dev libjansson-dev libcmocka-dev systemtap-sdt-dev)
to_test=(cmake nginx openssl curl procps ca-certificates python3 python3-pytest python3-psutil libcmocka0 libjansson4)

# The mirror that this system's own packages come from: the first entry of its release that is not a part of it.
mirror_of_host() {
    local codename
    codename=$(. /etc/os-release && printf %s "${VERSION_CODENAME:?}")
    apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
        awk -v release="$codename" '$2 == release { print $1; exit }'
}

# debootstrap fetches by wget, which takes its proxy from the environment: what apt would use.
proxy_for_wget() {
    local scheme proxy
    for scheme in http https; do
        eval "$(apt-config shell proxy "Acquire::$scheme::Proxy")"
        [ -z "${proxy:-}" ] || export "${scheme}_proxy=$proxy"
    done
}

# What dpkg need not do for a root that is thrown away: wait for the disk, unpack documentation.
set_up_dpkg() {
    mkdir -p "$1/etc/dpkg/dpkg.cfg.d"
    printf '%s\n' force-unsafe-io 'path-exclude=/usr/share/doc/*' 'path-exclude=/usr/share/man/*' \
        'path-exclude=/usr/share/locale/*' >"$1/etc/dpkg/dpkg.cfg.d/octuple"
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

# The system itself, without what the tests need.
install_base() {
    local root=$1 suite=$2
    [ ! -e "$root/var/lib/octuple-base" ] || return 0
    set_up_dpkg "$root"
    # The script is the same for all releases of these years; an older debootstrap does not know the youngest names.
    debootstrap --variant=minbase --include=ca-certificates --keyring="$keyring" "$suite" "$root" "$mirror" \
        /usr/share/debootstrap/scripts/sid
    touch "$root/var/lib/octuple-base"
}

# install_root ROOT RELEASE PACKAGE...: with these packages, unless they are there already. A release is a suite; `experimental` is
# unstable with experimental's OpenSSL.
install_root() {
    local root=$1 suite=$2 suites=("$2")
    shift 2
    if [ "$suite" = experimental ]; then
        suite=sid suites=(sid experimental)
        set -- "$@" openssl/experimental libssl-dev/experimental
    fi
    install_base "$root" "$suite"
    set_up_apt "$root" "${suites[@]}"
    mount_in "$root"
    [ "$(cat "$root/var/lib/octuple-ready" 2>/dev/null)" != "$*" ] || return 0
    chroot "$root" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get install -y -q --no-install-recommends "$@"
    printf '%s\n' "$*" >"$root/var/lib/octuple-ready"
}
