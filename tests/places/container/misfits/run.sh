# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# shellcheck shell=bash
#
# Programs that the bundle does not fit, for tests/places/run container: each is run without the two variables
# and with them, and must print the same on both outputs and end the same.

misfits=$here/tests/places/container/misfits
tried=0 skipped=()

# What cannot be made here is skipped with the reason when its turn comes.
make_misfits() {
    local to=$root/try
    if [ "$release" != bullseye ]; then
        gcc -O1 -o "$to/sandbox" "$misfits/sandbox.c" -lssl -lcrypto
    fi
    if command -v musl-gcc >/dev/null; then
        musl-gcc -O1 -o "$to/hello-musl" "$misfits/hello.c"
        cp -L /lib/ld-musl-x86_64.so.1 "$root/lib/"
    fi
    [ ! -e "$root/lib32/libc.so.6" ] || gcc -m32 -O1 -nostdlib -nostartfiles -fno-stack-protector -fno-pic -no-pie \
        -o "$to/hello-32" "$misfits/hello32.c" "$root/lib32/libc.so.6" -Wl,-dynamic-linker,/lib/ld-linux.so.2
    ! command -v go >/dev/null || CGO_ENABLED=0 go build -o "$to/hello-go" "$misfits/hello.go"
    cp -L "$root/usr/bin/id" "$to/id-setuid"
    chmod 4755 "$to/id-setuid"
    make_java "$to"
}

# This system's JDK, where the root is the same Debian.
make_java() {
    local jvm
    jvm=$(readlink -f "$(command -v java || :)") || return 0
    case $jvm in /usr/lib/jvm/*) ;; *) return 0 ;; esac
    [ "$release" = "$(. /etc/os-release && echo "$VERSION_CODENAME")" ] || return 0
    javac -d "$1" "$misfits/Hello.java" || return 0
    mkdir -p "$root/usr/lib/jvm"
    mount --rbind /usr/lib/jvm "$root/usr/lib/jvm"
    for folder in /etc/java-*; do
        cp -a "$folder" "$root/etc/"
    done
    java=$jvm
}

# A wheel that has its own libssl inside. This needs the network.
make_python() {
    [ ! -e "$1/python" ] || return 0
    mkdir -p "$1"
    [ "$release" = "$(. /etc/os-release && echo "$VERSION_CODENAME")" ] || return 0
    python3 -m pip download -q --no-deps --only-binary :all: -d "$1/wheels" cryptography cffi >/dev/null 2>&1 ||
        return 0
    for wheel in "$1"/wheels/*.whl; do
        (cd "$1" && mkdir -p python && cd python && python3 -m zipfile -e "$wheel" .)
    done
}

# misfit NAME COMMAND...: both times, and compared.
misfit() {
    local name=$1 side code
    shift
    for side in without with; do
        code=0
        if [ $side = without ]; then
            pod "$root" "$@" >"$root/tmp/$side.out" 2>"$root/tmp/$side.err" </dev/null || code=$?
        else
            pod "$root" "${variables[@]}" "${more[@]}" "$@" >"$root/tmp/$side.out" 2>"$root/tmp/$side.err" \
                </dev/null || code=$?
        fi
        [ "$code" -lt 126 ] || fail "$release: $name did not start: $code"
        echo "exit $code" >>"$root/tmp/$side.out"
    done
    for stream in out err; do
        cmp -s "$root/tmp/without.$stream" "$root/tmp/with.$stream" || {
            diff "$root/tmp/without.$stream" "$root/tmp/with.$stream" >&2 || :
            fail "$release: $name is not as without the bundle"
        }
    done
    tried=$((tried + 1))
    say "$release: $name: as without ($(tail -n 1 "$root/tmp/with.out"), $(wc -c <"$root/tmp/with.out") bytes)"
}

skip_misfit() {
    skipped+=("$1")
    say "$release: SKIPPED: $1"
}

# if_there FILE NAME WHY COMMAND...
if_there() {
    local file=$1 name=$2 why=$3
    shift 3
    if [ -e "$root$file" ]; then
        misfit "$name" "$@"
    else
        skip_misfit "$name: $why"
    fi
}

# RSA's signature by PKCS #1 is the same each time.
sign='printf text | openssl dgst -sha256 -sign /try/key | openssl base64'
versions='openssl version -a; openssl list -digest-algorithms | sort; openssl ciphers -s'

try_misfits() {
    more=()
    misfit "a program without OpenSSL" /bin/cat /etc/debian_version /nonexistent
    misfit "coreutils" /bin/ls -l /etc
    misfit "a setuid program" /try/id-setuid -u
    misfit "bash, with a child" /bin/bash -c 'echo $((6 * 7)); /bin/cat /nonexistent; exit 9'
    if_there /bin/busybox "busybox, static" "only in bookworm" /bin/busybox sh -c 'echo static; exit 3'
    if_there /try/hello-go "a static program in Go" "no go here" /try/hello-go
    if_there /try/hello-musl "a program on musl" "no musl-gcc here" /try/hello-musl musl
    if_there /try/hello-32 "a program of 32 bits" "no C library of 32 bits in this root" /try/hello-32
    if_there /try/sandbox "a sandbox without executable mappings" "no OpenSSL 3 in this root" /try/sandbox
    misfit "openssl, 64 MB of address space" /usr/bin/prlimit --as=67108864 /bin/sh -c "$sign"
    if_there /try/Hello.class "Java" "no JDK of this Debian here" "${java:-java}" -Xint -Xshare:off -cp /try Hello
    if_there /try/python "Python with a libssl of its own" "no wheel could be had" /usr/bin/python3 -c \
        'import sys; sys.path.insert(0, "/try/python")
from cryptography.hazmat.bindings.openssl.binding import Binding
from cryptography.hazmat.primitives import hashes
digest = hashes.Hash(hashes.SHA256()); digest.update(b"text"); print(digest.finalize().hex())
import ssl; print(ssl.OPENSSL_VERSION)'
    misfit "nginx, asked for its version" /usr/sbin/nginx -V
    if [ "$release" = bullseye ]; then
        misfit "OpenSSL 1.1" /bin/sh -c "$versions"
    else
        more=(OCTUPLE_TABLE=off)
        misfit "an old CPU" /bin/sh -c "openssl version; $sign"
        more=()
    fi
    say "$release: $tried misfits as without the bundle, ${#skipped[@]} skipped"
}
