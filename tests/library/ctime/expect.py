# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Runs one constant-time program under its tool and holds the outcome against what is expected.

usage: expect clean|caught valgrind|msan PROGRAM [ARGUMENT...]

`caught` needs the tool's own report: a program that fails for another reason, or does not run, is not a catch.
"""
import os
import subprocess
import sys

REPORTED = 99
SIGNS = {
    "valgrind": ("depends on uninitialised value", "Use of uninitialised value"),
    "msan": ("MemorySanitizer: use-of-uninitialized-value",),
}


def run(tool, command):
    env = dict(os.environ)
    if tool == "valgrind":
        # Of the registers it need not know what they were at each access to memory: a fifth of the time.
        command = ["valgrind", "--quiet", "--track-origins=no", "--max-stackframe=20000000",
                   "--vex-iropt-register-updates=sp-at-mem-access",
                   f"--error-exitcode={REPORTED}", "--exit-on-first-error=no", *command]
    else:
        env["MSAN_OPTIONS"] = f"exitcode={REPORTED}:halt_on_error=1"
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def main():
    wanted, tool, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    done = run(tool, command)
    reported = done.returncode == REPORTED and any(sign in done.stderr for sign in SIGNS[tool])
    good = reported if wanted == "caught" else done.returncode == 0
    if not good:
        print(done.stdout + done.stderr[:20000])
        print(f"expected {wanted}; status {done.returncode}, report: {'yes' if reported else 'no'}")
    else:
        print(done.stdout.strip() if wanted == "clean" else "caught")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
