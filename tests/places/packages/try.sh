#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
#
# Inside of a Debian with nginx and HAProxy and a network of its own, for `tests/places/run packages`: install, upgrade,
# switch the servers over and back, remove. No systemd runs here: the command line of a service is taken out of its unit
# and drop-in.
#
# usage: tests/places/packages/try.sh OLD
set -eu
old=$1
packages=(liboctuple0 liboctuple-dev octuple-provider octuple-shim octuple)
dropins=/usr/share/doc/octuple/examples/systemd
export LC_ALL=C DEBIAN_FRONTEND=noninteractive

say() {
    printf 'packages: %s\n' "$*"
}

fail() {
    say "$*"
    exit 1
}

# Every name there is, with kind, mode, owner and target, and what the files in /etc hold.
# Not what dpkg and apt keep for themselves.
list_files() {
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /packages \
        -o -path /var/lib/dpkg -o -path /var/lib/apt \
        -o -path /var/cache/apt -o -path /var/cache/debconf -o -path /var/log/apt -o -path /var/log/dpkg.log \
        -o -path /root/lists \) -prune -o -printf '%y %m %u:%g %p %l\n' | sort
    find /etc -type f ! -name ld.so.cache -exec sha256sum {} + | sort
}

# command_of UNIT: its last ExecStart, as systemd reads unit and drop-ins: an empty one takes back those before.
command_of() {
    local unit=/lib/systemd/system/$1 dropin=/etc/systemd/system/$1.d/octuple.conf
    [ -e "$dropin" ] || dropin=/dev/null
    awk '/^ExecStart=/ { line = substr($0, 11); if (line == "") n = 0; else command[++n] = line }
         END { if (n != 1) exit 1; print command[1] }' "$unit" "$dropin"
}

# environment_of UNIT: what its drop-in sets, as systemd takes it: a dollar sign is one.
environment_of() {
    local dropin=/etc/systemd/system/$1.d/octuple.conf
    [ ! -e "$dropin" ] || sed -n 's/^Environment=//p' "$dropin"
}

# until_true WHAT COMMAND...
until_true() {
    local what=$1 i
    shift
    for i in $(seq 100); do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.1
    done
    fail "in vain waited until $what"
}

handshake() {
    openssl s_client -connect 127.0.0.1:8443 -brief </dev/null 2>&1 | grep -q '^Verification error: self'
}

gone() {
    ! kill -0 "$1" 2>/dev/null
}

# start_nginx: by the unit's own command line; $nginx is its pid.
start_nginx() {
    # shellcheck disable=SC2046
    env $(environment_of nginx.service) sh -c "exec $(command_of nginx.service)"
    until_true "nginx answers" handshake
    nginx=$(cat /run/nginx.pid)
}

stop_nginx() {
    kill -QUIT "$nginx"
    until_true "nginx has ended" gone "$nginx"
}

# $haproxy: a child of this shell, since -Ws stays in the foreground. The variables are those of Debian's unit.
start_haproxy() {
    # shellcheck disable=SC2046
    CONFIG=/etc/haproxy/haproxy.cfg PIDFILE=/run/haproxy.pid EXTRAOPTS='' env $(environment_of haproxy.service) \
        sh -c "exec $(command_of haproxy.service)" &
    haproxy=$!
    until_true "HAProxy answers" handshake
}

stop_haproxy() {
    kill -TERM "$haproxy"
    wait "$haproxy" || :
}

# doctor PID CODE [FINDING LEVEL]...: what it says goes to the log, and must be this.
doctor() {
    local pid=$1 code=$2 said=0 json
    shift 2
    octuple doctor "$pid" || said=$?
    [ "$said" -eq "$code" ] || fail "octuple doctor ended with $said instead of $code"
    json=$(octuple doctor --json "$pid" || :)
    while [ $# -gt 0 ]; do
        case $json in
        *"\"name\":\"$1\",\"level\":\"$2\""*) ;;
        *) fail "octuple doctor does not say $2 of $1: $json" ;;
        esac
        shift 2
    done
}

switch_over() {
    install -D -m 644 "$dropins/octuple.conf" "/etc/systemd/system/$1.service.d/octuple.conf"
}

switch_back() {
    rm "/etc/systemd/system/$1.service.d/octuple.conf"
    rmdir "/etc/systemd/system/$1.service.d"
}

install_version() {
    apt-get install -y -qq --no-install-recommends "/packages/$1"/*.deb
}

set_up_servers() {
    mkdir -p /root/lists /etc/octuple-try
    openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=try -days 2 \
        -keyout /etc/octuple-try/key -out /etc/octuple-try/crt 2>/dev/null
    cat /etc/octuple-try/crt /etc/octuple-try/key >/etc/octuple-try/both
    rm -f /etc/nginx/sites-enabled/default
    cat >/etc/nginx/conf.d/try.conf <<'END'
server { listen 127.0.0.1:8443 ssl; ssl_certificate /etc/octuple-try/crt; ssl_certificate_key /etc/octuple-try/key; }
END
    cat >/etc/haproxy/haproxy.cfg <<'END'
global
    user haproxy
    group haproxy
defaults
    mode http
    timeout connect 5s
    timeout client 5s
    timeout server 5s
frontend try
    bind 127.0.0.1:8443 ssl crt /etc/octuple-try/both
    http-request return status 200
END
    # Once as they are: the files that they make for themselves are not ours.
    start_nginx
    stop_nginx
    start_haproxy
    stop_haproxy
}

try_upgrade() {
    install_version old
    [ "$(octuple --version | head -n 1)" = "octuple $old" ] || fail "the older version is not there"
    install_version new
    new=$(dpkg-query -W -f '${Version}' octuple)
    [ "$(octuple --version | head -n 1)" = "octuple $new" ] || fail "octuple has another version than its package"
    [ -z "$(find /usr -name "*octuple*$old*")" ] || fail "the upgrade left files of the older version"
    say "installed $old and upgraded to $new"
}

try_nginx() {
    start_nginx
    doctor "$nginx" 4 tls-library ok preload problem configuration ok provider problem lanes problem
    stop_nginx
    switch_over nginx
    start_nginx
    doctor "$nginx" 0 tls-library ok openssl-version ok preload ok configuration ok provider ok
    /packages/octuple-load --seconds 3 127.0.0.1 8443 || fail "octuple-load failed"
    doctor "$nginx" 0 preload ok lanes ok
    stop_nginx
    switch_back nginx
    start_nginx
    doctor "$nginx" 4 preload problem
    stop_nginx
    say "nginx was switched over by its drop-in, served, and switched back"
}

# The drop-in of the release before started it by `octuple run`; others named its configuration by hand.
try_former() {
    local dropin=/etc/systemd/system/nginx.service.d/octuple.conf command
    command=$(command_of nginx.service)
    mkdir -p "${dropin%/*}"
    printf '%s\n' '[Service]' 'Environment=OPENSSL_CONF=/etc/octuple/openssl.cnf' 'ExecStart=' \
        "ExecStart=/usr/bin/octuple run -- $command" >"$dropin"
    start_nginx
    /packages/octuple-load --seconds 3 127.0.0.1 8443 || fail "octuple-load failed"
    doctor "$nginx" 0 preload ok provider ok lanes ok
    stop_nginx
    switch_back nginx
    say "a drop-in of the release before keeps working"
}

try_haproxy() {
    switch_over haproxy
    start_haproxy
    doctor "$haproxy" 0 tls-library ok preload ok configuration ok provider ok
    stop_haproxy
    switch_back haproxy
    say "HAProxy was switched over by its drop-in and switched back"
}

# The system allows one cipher of TLS 1.2: a program that names the configuration of the release before keeps to that,
# also when the packages are removed while it runs.
ciphers() {
    openssl ciphers -s -v | awk '$2 == "TLSv1.2" { print $1 }'
}

try_removal() {
    local openssl_conf=/etc/octuple/openssl.cnf
    cp /etc/ssl/openssl.cnf /root/openssl.cnf
    printf '%s\n' '[openssl_init]' 'ssl_conf = try_ssl' '[try_ssl]' 'system_default = try' \
        '[try]' 'CipherString = ECDHE-RSA-AES256-GCM-SHA384' >>/etc/ssl/openssl.cnf
    [ "$(OPENSSL_CONF=$openssl_conf ciphers)" = ECDHE-RSA-AES256-GCM-SHA384 ] || fail "the system's settings are lost"
    apt-get remove -y -qq "${packages[@]}"
    [ "$(OPENSSL_CONF=$openssl_conf ciphers)" = ECDHE-RSA-AES256-GCM-SHA384 ] ||
        fail "the removal took the system's settings"
    cp /root/openssl.cnf /etc/ssl/openssl.cnf
    rm /root/openssl.cnf
    say "the removal leaves the system's settings to programs that run"
}

set_up_servers
list_files >/root/lists/before
try_upgrade
try_nginx
try_former
try_haproxy
try_removal
# apt has forgotten them already: what is left is what a removal leaves.
dpkg --purge "${packages[@]}"
list_files >/root/lists/after
diff /root/lists/before /root/lists/after || fail "the removal left or took something"
say "removed: $(wc -l </root/lists/after) lines about files are as before"
