#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
#
# The container bundle in images as servers have them: stock Debian 12 and 13 in a folder, read-only, without /run, as
# uid 10001, with nothing that can be written to but /tmp. nginx must serve in lanes by two variables alone and write
# nothing but its own files; `octuple doctor` must say so. And where the bundle does not fit, each program must print,
# and end, as without it.
#
# For root, with debootstrap and iproute2 installed; musl-tools, golang and a JDK for some of the misfits, which are
# skipped without. Some minutes and 1 GB in a temporary folder. All of it happens in namespaces of its own.
#
# usage: tests/places/run container [--bundle DIR] [--build DIR] [--folder DIR] [--keep] [RELEASE...]
#   RELEASE       bookworm, trixie, bullseye; without it all three. Debian 11 has OpenSSL 1.1: misfits only. And
#                 experimental, whose command openssl is on OpenSSL 4 while nginx is on 3: the bundle serves both
#   --bundle DIR  the bundle is DIR/octuple, made by packaging/container/build; without it, it is made
#   --build DIR   a build folder that has octuple-load (build/dev)
#   --folder DIR  the systems are, or will be, in folders of DIR (with --keep: a second run goes on from there)
#   --keep        leave the folder where it is
set -eu
here=$(cd "$(dirname "$0")/../../.." && pwd)
user=10001

say() {
    printf 'container: %s\n' "$*" >&2
}

fail() {
    say "$*"
    exit 2
}

. "$here/tools/debian-root.sh"
. "$here/tests/places/container/misfits/run.sh"

# enter ROOT COMMAND...: becomes it, in the root, as the user of a pod. pod waits for it.
enter() {
    local root=$1
    shift
    exec chroot --userspec=$user:$user "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/nonexistent \
        TMPDIR=/tmp "$@"
}

pod() {
    (enter "$@")
}

# What a manifest sets.
variables=('LD_PRELOAD=/octuple/$LIB/liboctuple-async.so')

# make_pod BASE BUNDLE PLACE: $root is the base as a container has it. It may still be written to.
make_pod() {
    local place=$3
    mount -t tmpfs -o mode=755 tmpfs "$place"
    mkdir -p "$place/files" "$place/work" "$place/root"
    mount -t overlay -o "lowerdir=$1,upperdir=$place/files,workdir=$place/work" overlay "$place/root"
    root=$place/root
    rm -rf "$root/run" "$root/var/run" "$root/etc/ssl/private"
    mkdir -p "$root/octuple" "$root/try"
    mount --bind "$2/octuple" "$root/octuple"
    mount -o remount,bind,ro "$root/octuple"
    mount -t proc proc "$root/proc"
}

close_pod() {
    mount -o remount,ro "$root"
    mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
}

set_up_nginx() {
    openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=try -days 2 -keyout "$root/try/key" -out "$root/try/crt" \
        2>/dev/null
    chmod 644 "$root/try/key"
    cat >"$root/try/nginx.conf" <<'END'
daemon off;
worker_processes 1;
pid /tmp/nginx.pid;
error_log stderr;
events {}
http {
    access_log off;
    client_body_temp_path /tmp/nginx.1; proxy_temp_path /tmp/nginx.2; fastcgi_temp_path /tmp/nginx.3;
    uwsgi_temp_path /tmp/nginx.4; scgi_temp_path /tmp/nginx.5;
    server {
        listen 127.0.0.1:8443 ssl;
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_certificate /try/crt;
        ssl_certificate_key /try/key;
        location / { return 200 served; }
    }
}
END
}

# start_nginx VARIABLE...: $nginx is its process as this namespace sees it, which is what the pod sees too.
start_nginx() {
    local i
    enter "$root" "$@" /usr/sbin/nginx -p /tmp -c /try/nginx.conf &
    nginx=$!
    for i in $(seq 100); do
        ! pod "$root" openssl s_client -connect 127.0.0.1:8443 -brief </dev/null >/dev/null 2>&1 || return 0
        sleep 0.1
    done
    fail "in vain waited until nginx answers"
}

stop_nginx() {
    kill -QUIT "$nginx"
    wait "$nginx" || :
}

serve() {
    local said
    set_up_nginx
    close_pod
    mkdir "$root/tmp/counters"
    chown $user "$root/tmp/counters"
    start_nginx "${variables[@]}" OCTUPLE_COUNTERS=/tmp/counters
    "$load" --seconds 2 127.0.0.1 8443 >"$root/tmp/load" || fail "octuple-load failed"
    grep -E '^(completed|failed)' "$root/tmp/load" >&2
    said=$(pod "$root" /octuple/bin/octuple doctor --no-handshake "$nginx") || :
    printf '%s\n' "$said"
    for finding in preload configuration provider lanes; do
        printf '%s\n' "$said" | grep -q "^ok  *$finding" || fail "octuple doctor does not say that $finding is good"
    done
    pod "$root" /octuple/bin/octuple top --once /tmp/counters/ >"$root/tmp/top"
    sed -n 2p "$root/tmp/top" >&2
    grep -Eq '^[0-9]{3,} operations, (100|[89][0-9])% in lanes' "$root/tmp/top" || fail "nginx did not serve in lanes"
    doctor_without_proc
    stop_nginx
    written=$(cd "$root/tmp" && find . -mindepth 1 ! -path './nginx.*' ! -path './counters*' ! -name load ! -name top)
    [ -z "$written" ] || fail "files were written: $written"
    say "$release: nginx serves in lanes, as uid $user, read-only, without /run; doctor says so"
}

# A manifest of the release before also names the bundle's configuration.
serve_former() {
    start_nginx "${variables[@]}" OPENSSL_CONF=/octuple/etc/openssl.cnf OCTUPLE_COUNTERS=/tmp/counters
    in_lanes "nginx with the former configuration" "$nginx"
}

# Processes of others are hidden (hidepid), then all of /proc is: a message and an exit code, and no crash.
doctor_without_proc() {
    local code=0
    mount -o remount,hidepid=2 "$root/proc"
    pod "$root" /octuple/bin/octuple doctor --no-handshake "$nginx" | grep -q '^ok  *lanes' ||
        fail "octuple doctor cannot see its own user's nginx with hidepid"
    umount "$root/proc"
    pod "$root" /octuple/bin/octuple doctor "$nginx" >"$root/tmp/top" 2>&1 || code=$?
    [ "$code" -gt 0 ] && [ "$code" -lt 126 ] || fail "octuple doctor without /proc ended with $code"
    say "$release: without /proc doctor ends with $code: $(head -n 1 "$root/tmp/top")"
    mount -t proc proc "$root/proc"
}

# The bundle's own command: a copy for an init container, and a start where no OpenSSL can be served.
try_command() {
    local code=0 said
    mkdir "$root/tmp/copy"
    chown $user "$root/tmp/copy"
    pod "$root" /octuple/bin/octuple copy-to /tmp/copy
    diff -r --no-dereference "$root/octuple" "$root/tmp/copy" || fail "the copy of the bundle differs"
    said=$(pod "$root" /octuple/bin/octuple run -- /bin/sh -c 'echo started; exit 11' 2>"$root/tmp/said") || code=$?
    [ "$code $said" = "11 started" ] || fail "octuple run ended with $code: $said"
    [ "$release" != bullseye ] || grep -q 'runs plainly, without Octuple' "$root/tmp/said" ||
        fail "octuple run does not say that it found no OpenSSL"
    say "$release: octuple run starts programs; copy-to copies the bundle"
}

# in_lanes NAME PID: what the process counts on port 8443, whose counters are in /tmp/counters.
in_lanes() {
    "$load" --seconds 2 127.0.0.1 8443 >"$root/tmp/load" || fail "octuple-load failed with $1"
    pod "$root" /octuple/bin/octuple top --once /tmp/counters/ >"$root/tmp/top"
    kill -TERM "$2"
    wait "$2" || :
    rm -f "$root"/tmp/counters/*
    say "$release: $1: $(sed -n 2p "$root/tmp/top")"
    grep -Eq '^[0-9]{3,} operations, (100|[89][0-9])% in lanes' "$root/tmp/top" || fail "$1 did not serve in lanes"
}

# start_server VARIABLE... COMMAND...: $server is its process.
start_server() {
    local i
    enter "$root" OCTUPLE_COUNTERS=/tmp/counters "$@" /try/server 8443 /try/key /try/crt 2>"$root/tmp/said" &
    server=$!
    for i in $(seq 100); do
        ! (: <"/dev/tcp/127.0.0.1/8443") 2>/dev/null || return 0
        sleep 0.1
    done
    fail "in vain waited until the server answers: $(cat "$root/tmp/said")"
}

# Which tree's shim a process has.
has_tree() {
    grep -q "/octuple/$2/lib/liboctuple-async.so" "$root/proc/$1/maps" || fail "$3 has not the shim of $2"
}

# The provider of one tree in a process of the other OpenSSL: a word, and a signature.
steps_aside() {
    local said
    printf '%s\n' 'openssl_conf = i' '[i]' 'providers = p' '[p]' 'default = d' 'octuple = o' '[d]' 'activate = 1' \
        '[o]' \
        "module = /octuple/$1/lib/ossl-modules/octuple.so" 'activate = 1' >"$root/tmp/other.cnf"
    said=$(pod "$root" OPENSSL_CONF=/tmp/other.cnf /bin/sh -c \
        'openssl dgst -sha256 -sign /try/key -out /tmp/sig /try/crt && echo signed' 2>&1)
    grep -qx signed <<<"$said" && grep -q "octuple: the provider is for OpenSSL" <<<"$said" ||
        fail "the provider of $1 under another OpenSSL: $said"
    say "$release: $(grep octuple: <<<"$said")"
}

# Two OpenSSLs in one image: by the variables, and by `octuple run`, each program has the tree that fits.
serve_two() {
    local both=('LD_PRELOAD=/octuple/$LIB/liboctuple-async.so:/octuple/$LIB/liboctuple-async-openssl4.so') nginx server
    set_up_nginx
    close_pod
    mkdir "$root/tmp/counters"
    chown $user "$root/tmp/counters"
    start_server "${both[@]}"
    has_tree "$server" glibc-openssl4 "the server"
    in_lanes "a server on OpenSSL 4" "$server"
    start_server /octuple/bin/octuple run --
    has_tree "$server" glibc-openssl4 "the server under octuple run"
    in_lanes "a server on OpenSSL 4 under octuple run" "$server"
    start_nginx OCTUPLE_COUNTERS=/tmp/counters "${both[@]}"
    in_lanes "nginx on OpenSSL 3" "$nginx"
    start_nginx OCTUPLE_COUNTERS=/tmp/counters /octuple/bin/octuple run --
    has_tree "$nginx" glibc-openssl3 "nginx under octuple run"
    in_lanes "nginx on OpenSSL 3 under octuple run" "$nginx"
    steps_aside glibc-openssl3
}

# The root's own headers and libraries, and this system's compiler.
make_server() {
    local to=$root/try
    mkdir -p "$to/include"
    cp -r "$root/usr/include/openssl" "$to/include/"
    cp -r "$root/usr/include/x86_64-linux-gnu/openssl" "$to/include/"
    gcc -D_GNU_SOURCE -O1 "-I$to/include" -o "$to/server" "$here/tests/places/container/server.c" \
        "$root/usr/lib/x86_64-linux-gnu/libssl.so.4" "$root/usr/lib/x86_64-linux-gnu/libcrypto.so.4" \
        -Wl,--allow-shlib-undefined
}

# In the new namespaces: inside FOLDER RELEASE BUNDLE.
inside() {
    local folder=$1 bundle=$3
    release=$2
    mount --make-rprivate /
    ip link set lo up
    mkdir -p "$folder/pod"
    make_pod "$folder/$release" "$bundle" "$folder/pod"
    if [ "$release" = experimental ]; then
        make_server
        serve_two
        return
    fi
    make_misfits
    if chroot "$root" openssl version | grep -q '^OpenSSL 3'; then
        serve
        serve_former
    else
        set_up_nginx
        close_pod
        start_nginx "${variables[@]}"
        stop_nginx
        say "$release: nginx serves on $(chroot "$root" openssl version) as without"
    fi
    try_misfits
    try_command
}

# Where the network is.
set_up() {
    local folder=$1 packages=(nginx openssl)
    mount --make-rprivate /
    find_mirror
    mkdir -p "$folder/$2"
    [ "$2" != bookworm ] || packages+=(busybox-static python3 libc6-i386)
    install_root "$folder/$2" "$2" "${packages[@]}"
    release=$2
    make_python "$folder/$2/try"
}

case ${1:-} in
--inside | --set-up)
    what=${1#--} what=${what/-/_}
    shift
    load=${4:-}
    "$what" "$@"
    exit
    ;;
esac

folder='' keep=0 bundle='' build=$here/build/dev releases=()
while [ $# -gt 0 ]; do
    case $1 in
    --bundle) [ $# -ge 2 ] || fail "--bundle takes a folder"; bundle=$(cd "$2" && pwd); shift ;;
    --build) [ $# -ge 2 ] || fail "--build takes a folder"; build=$(cd "$2" && pwd); shift ;;
    --folder) [ $# -ge 2 ] || fail "--folder takes a folder"; folder=$2; shift ;;
    --keep) keep=1 ;;
    -h | --help) sed -n 's/^# \?//; 4,/^set/ { /^set/ d; p }' "$0"; exit 0 ;;
    -*) fail "unknown argument $1; see --help" ;;
    *) releases+=("$1") ;;
    esac
    shift
done
[ ${#releases[@]} -gt 0 ] || releases=(bookworm trixie bullseye)
need_root_tools
[ -x "$build/bin/octuple-load" ] || fail "$build/bin/octuple-load is missing: build it, or name a folder with --build"
grep -q " avx2 " /proc/cpuinfo || fail "this CPU has no AVX2: nothing would run in lanes"
[ -n "$folder" ] || folder=$(mktemp -d "${TMPDIR:-/tmp}/octuple-container.XXXXXX")
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
chmod 755 "$folder"
clean_up() {
    end_namespaces
    [ "$keep" -eq 1 ] || rm -rf --one-file-system "$folder"
}
trap clean_up EXIT
trap 'exit 130' INT TERM HUP
if [ -z "$bundle" ]; then
    more=()
    if [[ " ${releases[*]} " = *" experimental "* ]]; then
        "$here/packaging/container/fetch-openssl" experimental "$folder/openssl4"
        more=(--openssl "$folder/openssl4")
    fi
    "$here/packaging/container/build" "${more[@]}" "$folder/bundle"
    bundle=$folder/bundle
fi
bad=()
for release in "${releases[@]}"; do
    log=$folder/$release.log
    [ -e "$folder/$release/var/lib/octuple-ready" ] || say "$release: installing it in $folder/$release"
    in_namespaces bash "$0" --set-up "$folder" "$release" >"$log" 2>&1 || { tail -n 20 "$log" >&2; fail "no $release"; }
    in_namespaces unshare --net bash "$0" --inside "$folder" "$release" "$bundle" "$build/bin/octuple-load" >>"$log" ||
        { tail -n 40 "$log" >&2; say "$release: FAILED"; bad+=("$release"); }
done
[ ${#bad[@]} -eq 0 ] && say "good"
