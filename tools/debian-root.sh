# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# A Debian in a folder, made with the mirror and the proxy that this system's apt uses. To be sourced by a program that runs as root in
# a mount namespace of its own, and has functions say() and fail().
# shellcheck shell=bash

debian_keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# The mirror that this system's own packages come from: the first entry of its release that is not a part of it.
debian_mirror() {
    local codename
    codename=$(. /etc/os-release && printf %s "${VERSION_CODENAME:?}")
    apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
        awk -v release="$codename" '$2 == release { print $1; exit }'
}

# debootstrap fetches by wget, which takes its proxy from the environment: what apt would use.
debian_proxy_for_wget() {
    local scheme proxy
    for scheme in http https; do
        eval "$(apt-config shell proxy "Acquire::$scheme::Proxy")"
        [ -z "${proxy:-}" ] || export "${scheme}_proxy=$proxy"
    done
}

# debian_apt ROOT RELEASE MIRROR: in the root, apt as it is here, with that release's source.
debian_apt() {
    printf 'deb [signed-by=%s] %s %s main\n' "$debian_keyring" "$3" "$2" >"$1/etc/apt/sources.list"
    apt-config dump --no-empty Acquire >"$1/etc/apt/apt.conf.d/90host"
    # Services are installed, not started.
    printf '#!/bin/sh\nexit 101\n' >"$1/usr/sbin/policy-rc.d"
    chmod 755 "$1/usr/sbin/policy-rc.d"
    cp /etc/resolv.conf /etc/hosts "$1/etc/"
}

# debian_install ROOT PACKAGE...
debian_install() {
    local root=$1
    shift
    DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get install -y -qq --no-install-recommends "$@"
}

# debian_root ROOT RELEASE [PACKAGE...]: mounts included; where ROOT is ready from an earlier run, only these. Every step says
# itself that it failed: `set -e` does not hold where the caller asks for the status.
debian_root() {
    local root=$1 release=$2 mirror ready="$1/var/lib/octuple-ready"
    shift 2
    debian_proxy_for_wget
    mirror=$(debian_mirror)
    [ -n "$mirror" ] || fail "apt names no mirror of its own release"
    if [ -e "$ready" ]; then
        debian_mounts "$root"
        return
    fi
    say "installing Debian $release in $root"
    debootstrap --variant=minbase --include=ca-certificates --keyring="$debian_keyring" "$release" "$root" "$mirror" &&
        debian_apt "$root" "$release" "$mirror" && debian_mounts "$root" && chroot "$root" apt-get update -qq || return
    [ $# -eq 0 ] || debian_install "$root" "$@" || return
    touch "$ready"
}

debian_mounts() {
    mount -t proc proc "$1/proc" &&
        mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm"
}
