# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# Python with the packages of this source: lab, bench and tests. To be sourced.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$root"

# False where it is not installed, or without the standard library, as by python3-minimal.
has_python() {
    /usr/bin/python3 -c 'import argparse, dataclasses' 2>/dev/null
}

# python_module MODULE ARGUMENT...: becomes it.
python_module() {
    exec /usr/bin/python3 -m "$@"
}
