#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
#
# Which functions of two libraries some objects call: REACHED(NAME), a line for each.
#
# usage: reached.sh NM OUTPUT LIBRARY LIBRARY OBJECT...
set -eu
nm=$1 output=$2
one=$3 other=$4
shift 4
"$nm" -D --defined-only "$one" "$other" | sed -n 's/.* T \([A-Za-z0-9_]*\)@.*/\1/p' | sort -u >"$output.defined"
"$nm" -u "$@" | sed -n 's/^ *U //p' | sort -u | comm -12 - "$output.defined" | sed 's/.*/REACHED(&)/' >"$output"
