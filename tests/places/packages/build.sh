#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
#
# Inside of a Debian with compilers, for `tests/places/run packages`: /octuple to /packages, first in the version OLD,
# then as it is; lintian; and a project on liboctuple-dev.
#
# usage: tests/places/packages/build.sh OLD
set -eu
old=$1
cd /octuple
version=$(dpkg-parsechangelog -S Version)

say() {
    printf 'packages: %s\n' "$*"
}

[ "$(packaging/version)" = "$version" ] || {
    say "debian/changelog says $version, CMakeLists.txt does not"
    exit 1
}

# make_packages FOLDER: without `clean`, since both versions have all objects in common that do not name it.
make_packages() {
    dh_clean
    rm -f ../*.deb ../*.changes ../*.buildinfo
    DEB_BUILD_OPTIONS="noautodbgsym parallel=$(nproc)" dpkg-buildpackage -b -nc -us -uc
    mkdir -p "$1"
    rm -f "$1"/*
    cp ../*.deb ../*.changes ../*.buildinfo "$1"
}

# Before anything else: what builds on liboctuple-dev must not find the source.
consume() {
    apt-get install -y -qq "/packages/new/liboctuple0_${version}_amd64.deb" \
        "/packages/new/liboctuple-dev_${version}_amd64.deb"
    rm -rf /consumer
    cp -r tests/places/packages/consumer /consumer
    cmake -S /consumer -B /consumer/build
    cmake --build /consumer/build
    [ "$(/consumer/build/consumer)" = "$version" ]
    # shellcheck disable=SC2046
    cc -std=c17 -Wall -Werror -o /consumer/plain /consumer/main.c $(pkg-config --cflags --libs octuple)
    [ "$(/consumer/plain)" = "$version" ]
    [ "$(pkg-config --modversion octuple)" = "$version" ]
    say "a project on liboctuple-dev builds and runs, by CMake and by pkg-config"
}

cp CMakeLists.txt debian/changelog /tmp/
sed -i "s/^project(octuple VERSION $version /project(octuple VERSION $old /" CMakeLists.txt
sed -i "1s/($version)/($old)/" debian/changelog
make_packages /packages/old
cp /tmp/CMakeLists.txt .
cp /tmp/changelog debian/
make_packages /packages/new
cp obj-*/bin/octuple-load /packages/
lintian --fail-on error --allow-root --display-level '>=warning' /packages/new/*.changes
say "lintian has no error"
consume
for package in /packages/new/*.deb; do
    say "$(basename "$package"), $(stat -c %s "$package") bytes, installed $(dpkg-deb -f "$package" Installed-Size) KB"
done
