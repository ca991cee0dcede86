# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Some thousand handshakes of every kind with an accelerated nginx, one in ten by a client that abuses it, under
AddressSanitizer with leak detection: `cmake --preset asan`, then this with --build build/asan.

nginx itself is Debian's, so it is not instrumented, but what it, OpenSSL and Octuple allocate is followed. Its worker
ends as it always does, and must have had nothing left then: connections, fibres, keys. Fails on whatever the sanitizer
says, and on an honest handshake that did not complete.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from tests.servers.common import credentials, rig
from tests.servers.soak import endurance, soak

# The sanitizer says once, without harm, that it does not know the stacks of fibres; what it finds is an error.
SAYS_FOUND = "ERROR: "


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests/servers/run leaks", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/asan", help="a build folder of the preset asan")
    parser.add_argument("--round", type=int, default=400, help="handshakes of each kind; default 400")
    parser.add_argument("--dear", type=int, default=16, help="and of a kind that costs much; default 16")
    args = parser.parse_args()
    args.handshakes = args.round  # endurance.size_of()
    return args


def sanitized(keys: Path, build: rig.Build, where: Path) -> rig.Nginx:
    runtime = subprocess.run(["cc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True).stdout
    # A worker that gave up its privileges could not look at itself.
    servers = [rig.Server(kind.name, text=f"ssl_ecdh_curve {soak.TAKES};") for kind in credentials.KINDS]
    server = rig.Nginx(keys, build, servers, multi_accept="on", main="user root;",
                       env={"LD_PRELOAD": f"{runtime.strip()}:{build.shim}", "OCTUPLE_TABLE": "c",
                            "ASAN_OPTIONS": f"detect_leaks=1:log_path={where}/said"})
    server.may_say = endurance.SAYS_NONSENSE
    return server


def load(server: rig.Nginx, args: argparse.Namespace) -> endurance.Progress:
    ports, progress = {s.key: s.port for s in server.servers}, endurance.Progress("nginx", 1)
    subject = endurance.Subject(lambda: server.worker_pids()[0], ports, server.counters)
    for mix in soak.mixes(rsa_only=False):
        endurance.round_of(subject, server.build, mix, endurance.size_of(mix, args), progress)
    return progress


def main() -> int:
    args = options()
    build, where = rig.Build(Path(args.build).resolve()), rig.folder("leaks")
    try:
        keys = credentials.make_keys(where / "keys", credentials.KINDS)
        with sanitized(keys, build, where) as server:
            progress = load(server, args)
            endurance.report(server, progress)
        said = "".join(path.read_text() for path in where.glob("said.*"))
        if SAYS_FOUND in said:
            raise soak.Failure(said)
    except (soak.Failure, rig.LabError, credentials.CredentialsError) as failure:
        print(f"leaks: {failure}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(where, ignore_errors=True)
    print(f"leaks: none: {progress.completed} completed, {progress.abusers} abusers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
