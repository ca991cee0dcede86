#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
#
# What bench/fleet runs, in namespaces of its own, for root. QUIC needs python3-aioquic and an nginx with HTTP/3, and
# Debian 12 has neither; this runs it in a Debian 13:
#
#   bench/beside/in-debian --install "$(bench/fleet --packages)" ~/.cache/octuple/debian trixie bench/fleet
#
# Everything is in namespaces for network, mounts and processes, which end with this script, even by SIGKILL.
set -eu
cd "$(dirname "$0")/../../.."
. tools/python.sh

child=''
end() {
    [ -z "$child" ] || { kill -KILL "$child" && wait "$child"; } 2>/dev/null || :
}

module=(bench.command fleet bench.measure.fleet)
case " $* " in *' --rules '*) python_module "${module[@]}" "$@" ;; esac
[ "$(id -u)" -eq 0 ] || { echo 'fleet: only root may make network namespaces' >&2; exit 2; }
trap end EXIT
trap 'exit 130' INT TERM HUP
# A network namespace's name is a mount. On a file system of our own neither names nor keys outlive us.
inside='
    mount --make-rprivate /
    mount -t proc proc /proc
    mkdir -p /run/netns
    mount -t tmpfs -o mode=755 tmpfs /run/netns
    cd "$0"
    TMPDIR=/run/netns exec /usr/bin/python3 -m "$@"'
# ip needs a root that is a mount, and that of a chroot is none.
setpriv --pdeathsig KILL unshare --net --mount --pid --fork --kill-child --propagation unchanged sh -ec '
    if mountpoint -q /; then root=/; else root=/mnt; mount --rbind / "$root"; fi
    exec chroot "$root" sh -ec "$@"' sh "$inside" "$PWD" "${module[@]}" "$@" &
child=$!
status=0
wait "$child" || status=$?
child=''
exit $status
