#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
#
# Octuple on musl: builds OpenSSL, Jansson, cmocka, nginx, HAProxy and lighttpd against musl from Debian's sources, then
# library, provider, shim and command by the preset `musl`. It runs there the unit tests, the known answers, and the
# tests of the provider and of the shim; then those of stock servers on the servers of musl, whose clients are this
# system's own. At last `octuple run` starts that OpenSSL's server and that nginx, and a client must get through.
#
# Debian's packages musl-tools, gcc, make, perl, cmake, ninja-build and python3-pytest must be there, and the network
# for the sources. Some fifteen minutes; what is built stays below build/, and a second run goes on from there.
#
# usage: tests/places/run musl [--prefix DIR] [--no-tests]
#   --prefix DIR  OpenSSL and the others are, or will be, there (build/musl-prefix)
#   --no-tests    only the servers
set -eu
here=$(cd "$(dirname "$0")/../../.." && pwd)
prefix=$here/build/musl-prefix sources=$here/build/musl-sources build=$here/build/musl tests=1 missing=()

say() {
    printf 'musl: %s\n' "$*" >&2
}

fail() {
    say "$*"
    exit 1
}

while [ $# -gt 0 ]; do
    case $1 in
    --prefix) [ $# -ge 2 ] || fail "--prefix takes a folder"; prefix=$2; shift ;;
    --no-tests) tests=0 ;;
    -h | --help) sed -n 's/^# \?//; 4,/^set/ { /^set/ d; p }' "$0"; exit 0 ;;
    *) fail "unknown argument $1; see --help" ;;
    esac
    shift
done
for tool in musl-gcc make perl cmake ninja apt-get; do
    command -v $tool >/dev/null || { say "SKIPPED: $tool is not installed"; exit 77; }
done
[ "$(uname -m)" = x86_64 ] || { say "SKIPPED: not an x86-64 machine"; exit 77; }
mkdir -p "$prefix" "$sources" "$build"
prefix=$(cd "$prefix" && pwd)
keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# The kernel's headers without those of glibc, which lie in the same folder.
kernel=$sources/kernel
mkdir -p "$kernel"
ln -sfn /usr/include/linux "$kernel/linux"
ln -sfn /usr/include/asm-generic "$kernel/asm-generic"
ln -sfn /usr/include/x86_64-linux-gnu/asm "$kernel/asm"
# musl has no sys/queue.h; the one here is macros only.
mkdir -p "$kernel/sys"
ln -sfn /usr/include/x86_64-linux-gnu/sys/queue.h "$kernel/sys/queue.h"

# fetch PACKAGE...: sources from the archive that this system's own packages come from, with lists of apt's own.
fetch() {
    local mirror codename settings
    codename=$(. /etc/os-release && printf %s "${VERSION_CODENAME:?}")
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
        awk -v release="$codename" '$2 == release { print $1; exit }')
    [ -n "$mirror" ] || fail "apt names no mirror of its own release"
    mkdir -p "$sources/lists/partial" "$sources/cache/archives/partial"
    echo "deb-src [signed-by=$keyring] $mirror $codename main" >"$sources/sources.list"
    settings=(-o "Dir::Etc::sourcelist=$sources/sources.list" -o Dir::Etc::sourceparts=-
        -o "Dir::State::lists=$sources/lists" -o "Dir::Cache=$sources/cache" -o APT::Sandbox::User=root)
    (cd "$sources" && apt-get "${settings[@]}" update -qq &&
        apt-get "${settings[@]}" source -qq --download-only "$@") || fail "no sources of $* could be had"
}

# unpack NAME: $source is the folder.
unpack() {
    local archive
    archive=$(ls "$sources/$1"_*.orig.tar.* | grep -v '\.asc$' | tail -n 1)
    source=$sources/$1
    rm -rf "$source"
    mkdir "$source"
    tar -C "$source" --strip-components=1 -xf "$archive"
}

make_openssl() {
    [ ! -e "$prefix/lib/libssl.so.3" ] || return 0
    unpack openssl
    (cd "$source" && CC="musl-gcc -idirafter $kernel" LDFLAGS=-Wl,--eh-frame-hdr ./Configure linux-x86_64 \
        "--prefix=$prefix" \
        --openssldir=/etc/ssl --libdir=lib no-tests && make -j"$(nproc)" build_sw && make install_sw) \
        >"$sources/openssl.log" 2>&1 || { tail -n 20 "$sources/openssl.log" >&2; fail "OpenSSL was not built"; }
}

# make_by_cmake NAME FILE OPTION...: FILE says that it is there already.
make_by_cmake() {
    local name=$1 file=$2
    shift 2
    [ ! -e "$prefix/$file" ] || return 0
    unpack "$name"
    { cmake -S "$source" -B "$source/b" -G Ninja -DCMAKE_C_COMPILER=musl-gcc "-DCMAKE_INSTALL_PREFIX=$prefix" \
        -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_BUILD_TYPE=Release -DCMAKE_POSITION_INDEPENDENT_CODE=ON "$@" &&
        ninja -C "$source/b" install; } >"$sources/$name.log" 2>&1 || fail "$name was not built: $sources/$name.log"
}

make_nginx() {
    [ ! -e "$prefix/sbin/nginx" ] || return 0
    unpack nginx
    # Debian's musl has no crypt(), which only passwords would need.
    [ -e /usr/include/x86_64-linux-musl/crypt.h ] || cat >"$kernel/crypt.h" <<'END'
struct crypt_data {
    int initialized;
    char buffer[256];
};
char *crypt_r(const char *key, const char *salt, struct crypt_data *data);
END
    (cd "$source" && ./configure "--prefix=$prefix" "--sbin-path=$prefix/sbin/nginx" --with-cc=musl-gcc \
        "--with-cc-opt=-idirafter $kernel -I$prefix/include" \
        "--with-ld-opt=-Wl,--eh-frame-hdr -L$prefix/lib -Wl,-rpath,$prefix/lib" \
        --with-http_ssl_module --with-http_v2_module --with-stream --with-stream_ssl_module \
        --without-http_gzip_module --without-http_auth_basic_module && make -j"$(nproc)" && make install) \
        >"$sources/nginx.log" 2>&1 || { tail -n 20 "$sources/nginx.log" >&2; fail "nginx was not built"; }
}

# Without crypt() as above, and without what else Debian has no musl build of.
make_haproxy() {
    [ ! -e "$prefix/sbin/haproxy" ] || return 0
    unpack haproxy
    (cd "$source" && make -j"$(nproc)" TARGET=linux-musl "CC=musl-gcc -idirafter $kernel" USE_LIBCRYPT= USE_CRYPT_H= \
        USE_OPENSSL=1 "SSL_INC=$prefix/include" "SSL_LIB=$prefix/lib" \
        "LDFLAGS=-Wl,--eh-frame-hdr -Wl,-rpath,$prefix/lib" haproxy && install -D haproxy "$prefix/sbin/haproxy") \
        >"$sources/haproxy.log" 2>&1 || { tail -n 20 "$sources/haproxy.log" >&2; fail "HAProxy was not built"; }
}

make_lighttpd() {
    [ ! -e "$prefix/sbin/lighttpd" ] || return 0
    unpack lighttpd
    (cd "$source" && ./configure "--prefix=$prefix" "--libdir=$prefix/lib/lighttpd" "CC=musl-gcc -idirafter $kernel" \
        "LDFLAGS=-Wl,--eh-frame-hdr -Wl,-rpath,$prefix/lib" "--with-openssl=$prefix" \
        --without-pcre2 --without-zlib --without-bzip2 --without-brotli --without-zstd &&
        make -j"$(nproc)" && make install) \
        >"$sources/lighttpd.log" 2>&1 || { tail -n 20 "$sources/lighttpd.log" >&2; fail "lighttpd was not built"; }
}

make_octuple() {
    (cd "$here" && cmake --preset musl "-DOCT_MUSL_PREFIX=$prefix" && cmake --build --preset musl) \
        >"$sources/octuple.log" 2>&1 || { tail -n 30 "$sources/octuple.log" >&2; fail "Octuple was not built"; }
    for file in "$build/lib/liboctuple.so" "$build/lib/octuple.so" "$build/lib/liboctuple-async.so"; do
        ! objdump -T "$file" | grep GLIBC_ >&2 || fail "$file wants glibc"
    done
}

# What cannot run: gcc has no ThreadSanitizer for musl, OpenSSL has no fibres without makecontext(), and musl does not
# take back a pthread_once() that a fork in another thread has cut off. Programs tell by the functions that they call.
without() {
    local fibres=0
    ! nm -D "$prefix/lib/libcrypto.so.3" | grep -q ' U makecontext' || fibres=1
    ctest --test-dir "$build" --show-only=json-v1 | FIBRES=$fibres python3 -c '
import json, os, re, subprocess, sys
names, seen = ["unit.test_fork_first"], {}
def asks(program):
    if program not in seen:
        text = subprocess.run(["nm", "-D", "--undefined-only", program], text=True, capture_output=True).stdout
        fibre = os.environ["FIBRES"] == "0" and re.search(r"\bASYNC_start_job\b", text)
        seen[program] = bool(fibre or "__tsan_init" in text)
    return seen[program]
for test in json.load(sys.stdin)["tests"]:
    if any(asks(word) for word in test.get("command", []) if os.access(word, os.X_OK) and os.path.isfile(word)):
        names.append(re.escape(test["name"]) + "$")
print("^(" + "|".join(names) + ")")'
}

run_tests() {
    local left
    left=$(without)
    say "$(printf '%s' "$left" | tr -cd '|' | wc -c) tests need OpenSSL's fibres or ThreadSanitizer and are left out"
    ctest --test-dir "$build" -j"$(nproc)" --output-on-failure --no-tests=error -E "$left"
}

# suite FILE [OPTION...]
suite() {
    say "on musl: $*"
    (cd "$here" && PATH="$prefix/sbin:$PATH" OCTUPLE_BUILD="$build" \
        /usr/bin/python3 -B -m pytest -q -rs -p no:cacheprovider "tests/servers/$1" "${@:2}")
}

# Those that start no program of this system's under the shim, which is for another C library.
run_suites() {
    local name
    { cmake -S "$here" -B "$build/client" -G Ninja -DCMAKE_BUILD_TYPE=Release -DOCT_TESTS=OFF &&
        cmake --build "$build/client" --target octuple-load; } >"$sources/client.log" 2>&1 ||
        { tail -n 20 "$sources/client.log" >&2; fail "the load generator was not built"; }
    ln -sf "$build/client/bin/octuple-load" "$build/bin/octuple-load"
    for name in nginx/test_{handshakes,matrix,aborts,clients} haproxy/test_{handshakes,features}; do
        suite "$name.py"
    done
    suite others/test_others.py -k "haproxy or lighttpd"
}

folder=$(mktemp -d "${TMPDIR:-/tmp}/octuple-musl.XXXXXX")
server=''
clean_up() {
    [ -z "$server" ] || { kill -TERM "$server" && wait "$server"; } 2>/dev/null || :
    rm -rf "$folder"
}
trap clean_up EXIT

set_up_server() {
    openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=try -days 2 -keyout "$folder/key" -out "$folder/crt" 2>/dev/null
    mkdir "$folder/logs" "$folder/counters"
    cat >"$folder/nginx.conf" <<END
daemon off;
user nobody nogroup;
worker_processes 1;
pid $folder/nginx.pid;
error_log stderr;
events {}
http {
    access_log off;
    server {
        listen 127.0.0.1:$1 ssl;
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_certificate $folder/crt;
        ssl_certificate_key $folder/key;
    }
}
END
}

# serve NAME PORT COMMAND...: under `octuple run`; clients of this system's own OpenSSL must get through, and the
# counters must have their operations.
serve() {
    local name=$1 port=$2 i good=0 said
    shift 2
    rm -f "$folder"/counters/*
    LD_LIBRARY_PATH=$prefix/lib "$build/bin/octuple" run --counters "$folder/counters" -- "$@" \
        >"$folder/$name.log" 2>&1 </dev/null &
    server=$!
    for i in $(seq 100); do
        ! openssl s_client -connect "127.0.0.1:$port" -brief </dev/null >/dev/null 2>&1 || break
        sleep 0.1
    done
    for i in $(seq 20); do
        ! openssl s_client -connect "127.0.0.1:$port" -brief </dev/null >/dev/null 2>&1 || good=$((good + 1))
    done
    kill -TERM "$server" 2>/dev/null || :
    wait "$server" || :
    server=''
    [ "$good" -eq 20 ] || { cat "$folder/$name.log" >&2; fail "$name served $good of 20 clients"; }
    said=$(LD_LIBRARY_PATH=$prefix/lib "$build/bin/octuple" top --once "$folder/counters/" | sed -n 2p)
    case $said in [1-9]*) ;; *) fail "$name left nothing to the provider: $said" ;; esac
    say "$name on musl serves 20 of 20 clients under octuple run: $said"
}

# What is there is not fetched, nor built again.
for part in openssl:lib/libssl.so.3 jansson:lib/libjansson.a cmocka:lib/libcmocka.so pcre2:lib/libpcre2-8.a \
    nginx:sbin/nginx haproxy:sbin/haproxy lighttpd:sbin/lighttpd; do
    [ -e "$prefix/${part#*:}" ] || missing+=("${part%%:*}")
done
[ ${#missing[@]} -eq 0 ] || fetch "${missing[@]}"
make_openssl
make_by_cmake jansson lib/libjansson.a -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF
make_by_cmake cmocka lib/libcmocka.so -DWITH_EXAMPLES=OFF
make_by_cmake pcre2 lib/libpcre2-8.a -DPCRE2_BUILD_PCRE2GREP=OFF -DPCRE2_BUILD_TESTS=OFF
make_nginx
make_haproxy
make_lighttpd
make_octuple
[ "$tests" -eq 0 ] || { run_tests; run_suites; }
set_up_server 18443
serve nginx 18443 "$prefix/sbin/nginx" -p "$folder" -c "$folder/nginx.conf"
serve s_server 18444 "$prefix/bin/openssl" s_server -accept 127.0.0.1:18444 -cert "$folder/crt" -key "$folder/key" \
    -quiet
say "good"
