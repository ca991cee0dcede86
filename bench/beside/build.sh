#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
#
# Builds the program that measures Octuple beside a peer, where the peer's headers are, perhaps in a Debian of another
# release: with that system's compiler, and with the liboctuple that was built elsewhere.
#
# usage: bench/beside/build PEER FOLDER-OF-liboctuple PROGRAM
#   PEER  crypto_mb or ipsec_mb: the files that begin so, and their library
set -eu
cd "$(dirname "$0")"
case ${1:-} in
crypto_mb) libraries='-lcrypto_mb -lcrypto' ;;
ipsec_mb) libraries=-lIPSec_MB ;;
*) echo "usage: build crypto_mb|ipsec_mb FOLDER-OF-liboctuple PROGRAM" >&2; exit 2 ;;
esac
# shellcheck disable=SC2086  # libraries are words
exec cc -std=gnu11 -O2 -Wall -Wextra -Werror -I../../include -o "$3" main.c turns.c "$1"*.c \
    -L"$2" -Wl,-rpath,"$2" -loctuple $libraries
