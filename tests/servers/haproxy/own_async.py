# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""A HAProxy that is asynchronous itself (`ssl-mode-async`), with Octuple's provider and without its shim, and the same
HAProxy under the shim without that mode: honest handshakes, and many that clients leave by RST while their operation
waits.

Debian's HAProxy is built without that mode. Its source has it:

    apt-get source haproxy && make -C haproxy-2.* -j2 TARGET=linux-glibc USE_OPENSSL=1 USE_ENGINE=1

Prints what the process holds after each step. Fails on an honest handshake that did not complete, on descriptors left,
where the provider's operations did not wait for others, and if memory grows under the shim. That it grows without, as
HAProxy's issue 3453 says, is what there is to see.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import psutil

from tests.servers.common import clients, credentials, haproxy, rig
from tests.servers.common.command import Failure

HERD = 16
GROWTH_KB = 1024


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests/servers/run own_async", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("haproxy", type=Path, help="the program, built as above")
    parser.add_argument("--build", default="build/dev", help="the build folder")
    parser.add_argument("--abandoned", type=int, default=2000, help="connections that are left; default 2000")
    parser.add_argument("--seed", type=int, default=1, help="of what is random")
    return parser.parse_args()


class Subject:
    def __init__(self, name: str, server: haproxy.HAProxy, build: rig.Build):
        self.name, self.server, self.build = name, server, build
        self.process = psutil.Process(server.worker_pids()[0])
        self.idle = server.idle_fds()

    def settle(self, step: str) -> int:
        rig.wait_until(lambda: self.process.num_fds() <= self.idle, "all connections are closed", 60)
        memory = self.process.memory_info().rss // 1024
        print(f"{self.name}: {step}: {memory} KB, {self.process.num_fds()} descriptors", flush=True)
        return memory

    def honest(self, version: str) -> None:
        done = subprocess.run([str(self.build.load), "127.0.0.1", str(self.server.port), "--handshakes", "2000",
                               "--tls", version, "--timeout", "30", "--json"],
                              capture_output=True, text=True, check=False)
        result = json.loads(done.stdout)
        if result["failed_total"]:
            raise Failure(f"{self.name}: {result['failed_total']} of 2000 failed: {result['first_failure']}; "
                          f"{self.server.said()}")

    def abandon(self, count: int, chance: random.Random) -> None:
        """Herds that leave when the server has begun with them."""
        context = rig.client_context()
        for _ in range(count // HERD):
            herd = clients.herd(self.process.pid, self.server.port, context, HERD)
            time.sleep(chance.uniform(0.0005, 0.006))
            with clients.stopped(self.process.pid):
                for client in herd:
                    client.reset()


def run(subject: Subject, args: argparse.Namespace) -> int:
    """By how much it has grown through connections that were left."""
    subject.honest("1.2")
    subject.honest("1.3")
    before = subject.settle("4000 handshakes")
    subject.abandon(args.abandoned, random.Random(args.seed))
    subject.honest("1.3")
    growth = subject.settle(f"{args.abandoned} left, 2000 handshakes") - before
    count = subject.server.counters()["rsa2048-private"]
    print(f"{subject.name}: {growth:+d} KB; rsa2048-private: {count}")
    if count.failed or count.done < 4000:
        raise Failure(f"{subject.name}: operations did not wait for others")
    return growth


def serve(name: str, mode: str, args: argparse.Namespace, keys: Path, build: rig.Build) -> int:
    server = haproxy.HAProxy(keys, build, main=f"nbthread 1\n    maxconn 2000\n    {mode}")
    if mode:
        del server.env["LD_PRELOAD"]
    with server:
        return run(Subject(name, server, build), args)


def main() -> int:
    args = options()
    build, where = rig.Build(Path(args.build).resolve()), rig.folder("async")
    haproxy.program = lambda: str(args.haproxy.resolve())
    try:
        keys = credentials.make_keys(where / "keys", credentials.KINDS[:1])
        native = serve("ssl-mode-async", "ssl-mode-async", args, keys, build)
        shim = serve("shim", "", args, keys, build)
        if shim > GROWTH_KB:
            raise Failure(f"under the shim it grew by {shim} KB")
    except (Failure, rig.LabError, credentials.CredentialsError) as failure:
        print(f"own_async: {failure}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(where, ignore_errors=True)
    print(f"own_async: good; {args.abandoned} connections that were left cost {native} KB with ssl-mode-async, "
          f"{shim} KB under the shim")
    return 0


if __name__ == "__main__":
    sys.exit(main())
