# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
#
# A section of the quick start as it is typed, in namespaces of its own: an installation over /usr/local, a systemctl,
# and the server's packages with a certificate where their configuration wants one.
#
# usage: inside.sh FOLDER SERVER
#   FOLDER  has root/ with the installation, jars/, the server's files, and the blocks of the section as 1.sh, 2.sh, ...
set -eu
folder=$1 server=$2
ip link set lo up
mount -t tmpfs none /etc/systemd/system
mount -t tmpfs none /run
mkdir -p /run/haproxy /run/lock/apache2 /run/apache2
mount -t overlay -o "lowerdir=$folder/root/usr/local:/usr/local" none /usr/local
ldconfig -n /usr/local/lib
export PATH=$folder/bin:$PATH HOME=$folder LD_LIBRARY_PATH=/usr/local/lib
[ -z "${LD_PRELOAD:-}" ]

copy_of() {
    mkdir -p "$folder/etc"
    cp -r "$1" "$folder/etc/"
    mount --bind "$folder/etc/$(basename "$1")" "$1"
}

case $server in
nginx)
    copy_of /etc/nginx
    rm -f /etc/nginx/sites-enabled/*
    printf 'server { listen 443 ssl; ssl_certificate %s; ssl_certificate_key %s; return 200; }\n' \
        "$folder/server.crt" "$folder/server.key" >/etc/nginx/conf.d/tls.conf
    ;;
haproxy)
    copy_of /etc/haproxy
    printf 'frontend tls\n    bind :443 ssl crt %s\n    http-request return status 200\n' "$folder/both.pem" \
        >>/etc/haproxy/haproxy.cfg
    ;;
apache)
    copy_of /etc/apache2
    a2enmod -q ssl
    a2ensite -q default-ssl
    printf 'ServerName localhost\n' >/etc/apache2/conf-enabled/name.conf
    sed -i "s|/etc/ssl/certs/ssl-cert-snakeoil.pem|$folder/server.crt|
            s|/etc/ssl/private/ssl-cert-snakeoil.key|$folder/server.key|" \
        /etc/apache2/sites-available/default-ssl.conf
    ;;
java)
    mkdir -p /usr/share/java
    mount --bind "$folder/jars" /usr/share/java
    ;;
esac

cd "$folder"
for block in [0-9].sh; do
    if grep -q '^# one terminal' "$block"; then
        bash -e "$block" &
        until (exec 3<>/dev/tcp/127.0.0.1/8443) 2>/dev/null; do
            kill -0 $!
            sleep 0.1
        done
    else
        bash -e "$block"
    fi
done
