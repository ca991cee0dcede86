# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Installs what is missing of Debian's packages, saying which. To be sourced; whoever does has a function say().
# shellcheck shell=bash
. "$(dirname "${BASH_SOURCE[0]}")/progress.sh"

has_package() {
    # Another package may provide one (pkgconf provides pkg-config).
    [ "$(dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null | head -n 1)" = installed ] ||
        dpkg-query -W -f='${db:Status-Status} ${Provides}\n' 2>/dev/null | grep -Eq "^installed .*\b$1( |,|\$)"
}

# apt_get WORD...: by root, with messages that can be read here. The lists of a fresh system are fetched without a word,
# and a mirror out of reach is a failure.
apt_get() {
    "${become[@]}" env LC_ALL=C DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get -y -o APT::Update::Error-Mode=any "$@"
}

# sizes_of PACKAGE...: "77 packages, 85.2 MB to fetch, 335 MB on disk", of all that would come with them.
sizes_of() {
    local said
    said=$(LC_ALL=C apt-get -o Debug::NoLocking=1 --assume-no --no-install-recommends install "$@" 2>&1)
    sed -n -e 's/.* \([0-9]*\) newly installed.*/\1 packages/p' -e 's/^Need to get \(.*\) of archives.*/\1 to fetch/p' \
        -e 's/^After this operation, \(.*\) of additional disk.*/\1 on disk/p' <<<"$said" | paste -sd, | sed 's/,/, /g'
}

# why_not LOG: what apt says of a failure, in a line.
why_not() {
    local line kind
    while read -r kind line; do
        if line=$(grep -m 1 -E "$line" "$1" | sed 's/^ *//' | grep .); then
            printf '%s: %s\n' "${kind//_/ }" "$line"
            return 0
        fi
    done <<'END'
the_disk_is_full No space left on device|have enough free space
another_program_installs_packages Could not get lock|is held by process
no_network Temporary failure|Could not (resolve|connect)|Cannot initiate|[Uu]nreachable|timed out|Connection refused
it_says ^(E|dpkg|sudo): |rror
END
    tail -n 1 "$1"
}

# Servers are installed, but not started as services: RUNLEVEL=1, and a policy for as long as it takes, unless there is
# one. What a killed run leaves behind says nothing any more, bears our mark, and is ours to replace and to remove.
policy=/usr/sbin/policy-rc.d
policy_mark='# of Octuple, only while it installs packages'
install_quietly() {
    if [ ! -e $policy ] || grep -qxF "$policy_mark" $policy; then
        trap '"${become[@]}" rm -f $policy' EXIT
        printf '#!/bin/sh\n%s\nkill -0 %s 2>/dev/null && exit 101\nexit 0\n' "$policy_mark" $$ |
            "${become[@]}" install -m 755 /dev/stdin $policy || return
    fi
    apt_get install --no-install-recommends "$@"
}

# install_packages PACKAGE...: ends the program with status 2 if it cannot.
install_packages() {
    local missing=() package become=() sizes log
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
    log=$(mktemp "${TMPDIR:-/tmp}/octuple-packages.XXXXXX") || { say "no file can be made in ${TMPDIR:-/tmp}"; exit 2; }
    say "installing ${missing[*]}"
    # Old package lists, or none, are the usual cause of a failure.
    sizes=$(sizes_of "${missing[@]}")
    [ -n "$sizes" ] || ! (apt_get update) >"$log" 2>&1 || sizes=$(sizes_of "${missing[@]}")
    [ -z "$sizes" ] || say "with all that these need: $sizes (messages in $log)"
    # Each package is fetched, unpacked and set up.
    while_told "$log" '^\(Get:\|Unpacking \|Setting up \)' "${sizes:+$((3 * ${sizes%% *}))}" \
        install_quietly "${missing[@]}" ||
        (apt_get update && install_quietly "${missing[@]}") >>"$log" 2>&1 || {
        say "the packages could not be installed, $(why_not "$log")"
        say "all messages are in $log"
        exit 2
    }
    rm -f "$log"
}
