# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# What takes minutes tells on a terminal how far it is. To be sourced.
# shellcheck shell=bash

# while_told LOG PATTERN TOTAL COMMAND...: runs it with its messages in LOG, in which a line with PATTERN is one part of
# TOTAL, or where TOTAL is empty says so itself, as [PART/TOTAL]. Ends as COMMAND does.
while_told() {
    local log=$1 pattern=$2 total=$3 watcher='' status=0
    shift 3
    if [ -t 2 ]; then
        tell_parts "$log" "$pattern" "$total" &
        watcher=$!
    fi
    ("$@") >>"$log" 2>&1 </dev/null || status=$?
    if [ -n "$watcher" ]; then
        { kill "$watcher" && wait "$watcher"; } 2>/dev/null || :
        printf '\r\033[K' >&2
    fi
    return $status
}

tell_parts() {
    local log=$1 pattern=$2 all=$3 began=$SECONDS done line left
    while sleep 1 && kill -0 $$; do
        if [ -n "$3" ]; then
            done=$(grep -c "$pattern" "$log") || :
            [ "$done" -le "$all" ] || done=$all  # apt unpacks some twice
        else
            line=$(tail -n 3 "$log" | grep -o "$pattern" | tail -n 1) || :
            [ -n "$line" ] || continue  # of a build, CMake comes first
            line=${line#[} line=${line%]}
            done=${line%/*} all=${line#*/}
        fi
        left=''
        [ "$done" -lt 5 ] || left=", about $(((SECONDS - began) * (all - done) / done)) s left"
        printf '\r\033[K%s: %s of %s%s' "${name:-$0}" "$done" "$all" "$left" >&2
    done
}
