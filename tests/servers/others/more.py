# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""More servers under `octuple run`: each is started, takes handshakes of TLS 1.2 and 1.3, and answers inside them.

A line says the server, and how many of its RSA signatures ran in lanes, or why none can. A server that is not
installed is SKIPPED, with its package. The exit status is 0 if all was good, 1 if not, 77 if nothing could run.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from lab.servers import dialogue, nginx, services, web
from tests.servers.common import clients, rig

CONNECTIONS, AT_ONCE = 48, 16


def talk(kind: services.More, port: int, version: str) -> None:
    if kind.quic:
        done = subprocess.run(["curl", "-qsSk", "--http3-only", "-w", "%{http_version}", f"https://127.0.0.1:{port}/"],
                              env=rig.clean_environment(), capture_output=True, text=True, timeout=60, check=False)
        if done.stdout != "ok\n3":
            raise rig.LabError(f"curl got {done.stdout!r} by HTTP/3: {done.stderr.strip()}")
        return
    with dialogue.converse(kind.dialogue, port, dialogue.client_context(version)) as sock:
        if sock.version() != f"TLSv{version}":
            raise rig.LabError(f"it speaks {sock.version()}, not TLS {version}")


def judge(kind: services.More, running: services.MoreServer) -> str:
    """What the counters say; raises LabError if that is wrong."""
    count = running.counters()["rsa2048-private"]
    lanes = f"{count.done} of {count.all} signatures in lanes"
    if count.failed:
        raise rig.LabError(f"{count.failed} operations failed")
    if running.child.poll() is not None:
        raise rig.LabError(f"it ended with status {running.child.returncode}: {running.said()[-500:]}")
    if count.all != (wanted := 0 if kind.plainly else len(kind.versions) * CONNECTIONS):
        raise rig.LabError(f"{count.all} signatures were counted for {wanted} connections")
    if not count.done and not kind.why:
        raise rig.LabError(f"{lanes}, without a reason")
    return f"{lanes}; {kind.why}" if kind.why else lanes


def try_server(kind: services.More, build: rig.Build, keys: Path, folder: Path, backend: int) -> str:
    with services.MoreServer(kind, folder, keys, "rsa2048", backend, build) as running:
        for version in kind.versions:
            failures = clients.many(CONNECTIONS, AT_ONCE, lambda: talk(kind, running.port, version))
            if failures:
                raise rig.LabError(f"TLS {version}: {len(failures)} failed, the first: {failures[0]}; "
                                   f"{running.said()[-3000:]}")
        return judge(kind, running)


def run(kinds: list[services.More], build: rig.Build, where: Path) -> list[bool]:
    """Whether each server that is installed was good."""
    results = []
    nginx.make_keys(where / "keys", ["rsa2048"])
    with web.Backend() as backend:
        for number, kind in enumerate(kinds):
            if kind.path() is None:
                print(f"SKIPPED [servers] {kind.name}: apt-get install {kind.package}", flush=True)
                continue
            try:
                said, good = try_server(kind, build, where / "keys", where / str(number), backend.port), True
            except (rig.LabError, nginx.ServerError, OSError) as failure:
                said, good = f"BAD: {failure}", False
            print(f"  {kind.name:24} {said}", flush=True)
            results.append(good)
    return results


def parse() -> argparse.Namespace:
    names = [kind.name for kind in services.KINDS]
    parser = argparse.ArgumentParser(prog="tests/servers/run more", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/dev", help="the build folder")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all, or of these: {'; '.join(names)}")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(names):
        parser.error(f"no such server: {', '.join(sorted(unknown))}")
    return arguments


def main() -> int:
    arguments = parse()
    if not rig.has_lanes():
        print("servers: SKIPPED, without AVX2 `octuple run` starts servers as they are")
        return 77
    kinds = [kind for kind in services.KINDS if not arguments.names or kind.name in arguments.names]
    where = Path(tempfile.mkdtemp(prefix="octuple-servers-"))
    where.chmod(0o755)
    try:
        results = run(kinds, rig.Build(Path(arguments.build).resolve()), where)
    finally:
        shutil.rmtree(where, ignore_errors=True)
    if not results:
        return 77
    print(f"servers: {'good' if all(results) else 'BAD'}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
