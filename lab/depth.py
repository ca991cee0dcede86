# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""How much tests do, by OCT_TEST_DEPTH: `quick`, `full` (also without it) or `exhaustive`. tests/support/depth.h has it
for C."""
import os

WORDS = ("quick", "full", "exhaustive")
WORD = os.environ.get("OCT_TEST_DEPTH") or "full"
if WORD not in WORDS:
    raise ValueError(f"OCT_TEST_DEPTH is one of {', '.join(WORDS)}, not {WORD}")
EXHAUSTIVE = WORD == "exhaustive"
EXHAUSTIVE_ONLY = "OCT_TEST_DEPTH=exhaustive"  # why else a test is skipped
