# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Installs what is missing of Debian's packages, saying which. To be sourced; whoever does has a function say().
# shellcheck shell=bash

has_package() {
    # Another package may provide one (pkgconf provides pkg-config).
    [ "$(dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null | head -n 1)" = installed ] ||
        dpkg-query -W -f='${db:Status-Status} ${Provides}\n' 2>/dev/null | grep -Eq "^installed .*\b$1( |,|\$)"
}

# install_packages PACKAGE...: ends the program with status 2 if it cannot.
install_packages() {
    local missing=() package become=()
    command -v dpkg-query >/dev/null || {
        say "this is not Debian or a relative of it: the packages are not checked; needed are $*"
        return 0
    }
    for package in "$@"; do
        has_package "$package" || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || {
            say "these packages are missing, and installing them takes root: apt-get install ${missing[*]}"
            exit 2
        }
        become=(sudo)
    fi
    say "installing ${missing[*]}"
    # RUNLEVEL=1, and a policy for as long as it takes, unless there is one: servers are installed, but not started as
    # services. Old package lists are the usual cause of a failure.
    local policy=/usr/sbin/policy-rc.d
    local apt=("${become[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
               apt-get install -y -qq --no-install-recommends "${missing[@]}")
    (
        if [ ! -e $policy ]; then
            trap '"${become[@]}" rm -f $policy' EXIT
            printf '#!/bin/sh\nexit 101\n' | "${become[@]}" install -m 755 /dev/stdin $policy
        fi
        "${apt[@]}" >&2 2>/dev/null || {
            "${become[@]}" apt-get update -qq >&2
            "${apt[@]}" >&2
        }
    ) || { say "the packages could not be installed"; exit 2; }
}
