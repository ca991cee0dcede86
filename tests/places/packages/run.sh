#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
#
# Debian packages, from the source to their removal, each step in a fresh Debian in a folder: builds them in the current
# version and in an older one, asks lintian, builds a project on liboctuple-dev (CMake and pkg-config), and then, in a
# second root without compilers, installs the older ones, upgrades, puts nginx under Octuple by the drop-in that is
# among the examples, asks `octuple doctor` and loads it, takes all of it away,
# and compares the list of files with that of before.
#
# For root, with debootstrap and iproute2 installed. Packages come from the mirror, and by the proxy, that this system's
# apt uses. Some ten minutes and 2 GB for each release, in a temporary folder, which is removed at the end. All of it
# happens in namespaces of its own for mounts, processes and (where servers run) the network.
#
# usage: tests/places/run packages [--release bookworm|trixie]... [--folder DIR] [--keep]
#   --release NAME  which Debian, 12 or 13; without it both, one after the other
#   --folder DIR    the roots are, or will be, in DIR (with --keep: a second run goes on from there)
#   --keep          leave the folder where it is; the packages are in DIR/RELEASE/packages
set -eu
here=$(cd "$(dirname "$0")/../../.." && pwd)
old_version=0.0.9

say() {
    printf 'packages: %s\n' "$*" >&2
}

fail() {
    say "$*"
    exit 2
}

. "$here/tools/debian-root.sh"

# layer FOLDER NAME: a root FOLDER/NAME that begins as FOLDER/base does; what changes in it stays in FOLDER/NAME.layer.
layer() {
    mkdir -p "$1/$2" "$1/$2.layer/files" "$1/$2.layer/work"
    mount -t overlay -o "lowerdir=$1/base,upperdir=$1/$2.layer/files,workdir=$1/$2.layer/work" overlay "$1/$2"
    mount_in "$1/$2"
    mkdir -p "$1/$2/packages" "$1/packages"
    mount --bind "$1/packages" "$1/$2/packages"
}

# The source as it stands in this folder, committed or not.
copy_source() {
    mkdir -p "$1/octuple"
    tar -C "$here" --exclude=./build --exclude=./.git -cf - . | tar -C "$1/octuple" --no-same-owner -xf -
}

# In the new namespaces.
inside() {
    local folder=$1 release=$2
    mount --make-rprivate /
    find_mirror
    install_base "$folder/base" "$release"
    set_up_apt "$folder/base" "$release"
    chroot "$folder/base" apt-get update -qq
    layer "$folder" build
    install_in "$folder/build" build-essential debhelper lintian cmake ninja-build pkg-config libssl-dev \
        default-jdk-headless libjansson-dev systemtap-sdt-dev python3
    copy_source "$folder/build"
    chroot "$folder/build" bash /octuple/tests/places/packages/build.sh "$old_version"
    # A clean one every time: what an earlier run left in it would be in both lists of files.
    rm -rf --one-file-system "$folder/try.layer"
    layer "$folder" try
    install_in "$folder/try" nginx haproxy openssl libjansson4
    cp "$here/tests/places/packages/try.sh" "$folder/packages/try"
    unshare --net sh -c 'ip link set lo up && exec chroot "$1" bash /packages/try "$2"' sh "$folder/try" "$old_version"
}

if [ "${1:-}" = --inside ]; then
    inside "$2" "$3"
    exit
fi

folder='' keep=0 releases=()
while [ $# -gt 0 ]; do
    case $1 in
    --release) [ $# -ge 2 ] || fail "--release takes a name"; releases+=("$2"); shift ;;
    --folder) [ $# -ge 2 ] || fail "--folder takes a folder"; folder=$2; shift ;;
    --keep) keep=1 ;;
    -h | --help) sed -n 's/^# \?//; 4,/^set/ { /^set/ d; p }' "$0"; exit 0 ;;
    *) fail "unknown argument $1; see --help" ;;
    esac
    shift
done
[ ${#releases[@]} -gt 0 ] || releases=(bookworm trixie)
need_root_tools
command -v ip >/dev/null || fail "ip is not installed: apt-get install iproute2"

[ -n "$folder" ] || folder=$(mktemp -d "${TMPDIR:-/tmp}/octuple-packages.XXXXXX")
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
chmod 755 "$folder"  # other users live in it: nginx's workers, apt's
clean_up() {
    end_namespaces
    # Its mounts went with their namespace; should one be left, nothing beyond it is touched.
    [ "$keep" -eq 1 ] || rm -rf --one-file-system "$folder"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP
status=0
for release in "${releases[@]}"; do
    mkdir -p "$folder/$release/base"
    chmod 755 "$folder/$release" "$folder/$release/base"
    log=$folder/$release/log
    if in_namespaces bash "$0" --inside "$folder/$release" "$release" >"$log" 2>&1; then
        grep '^packages: ' "$log" >&2
        say "$release: good"
    else
        tail -n 40 "$log" >&2
        say "$release: FAILED"
        status=1
    fi
done
exit "$status"
