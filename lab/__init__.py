# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What measurements (bench) and tests share: servers, their counters, keys, devices and processes.

Whoever imports it has the top of the source in PYTHONPATH: tools/python.sh sets it for commands, tests/CMakeLists.txt
for tests, and pytest finds it by itself.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
