#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""nginx with OpenSSL 3.5 or later under `octuple run`: the hybrid group X25519MLKEM768 next to X25519 and P-256.

For each group a herd of clients that offer nothing else: all must be answered, by stock and by the accelerated nginx.
Says which operations of the handshakes the lanes have served. Run by tests/distros/run, where there is such an OpenSSL.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import clients
import credentials
import lab

# What of the group is counted (of the hybrid one, its X25519), and how a client says that it was used.
GROUPS = {"X25519MLKEM768": ("x25519", "Negotiated TLS1.3 group: X25519MLKEM768"),
          "X25519": ("x25519", "Temp Key: X25519"), "P-256": ("p256", "Temp Key: ECDH, prime256v1")}
KINDS = [kind for kind in credentials.ALGORITHMS if kind.name in ("rsa2048", "ecdsa-p256")]
HERD = 16


class Failure(Exception):
    """What the run was to show is not so."""


def knows_hybrid() -> bool:
    said = subprocess.run(["openssl", "list", "-tls-groups"], capture_output=True, text=True, check=False)
    return "X25519MLKEM768" in said.stdout


def served(nginx: lab.Nginx, port: int, group: str) -> dict[str, lab.Counts]:
    """What a herd of this group made the server do."""
    before = nginx.counters()
    offered = ["-tls1_3", "-groups", group]
    for said in clients.s_clients(nginx.worker_pids()[0], port, [offered] * HERD):
        if GROUPS[group][1] not in said:
            raise Failure(f"{group} was not negotiated: {said}")
    return {name: count - before[name] for name, count in nginx.counters().items()}


def share(count: lab.Counts) -> str:
    return f"{count.done} of {count.all} in lanes" if count.all else "not ours"


def judge(nginx: lab.Nginx, kind: credentials.Kind, port: int) -> None:
    for group, (name, _) in GROUPS.items():
        counts = served(nginx, port, group)
        sign, derive, made = counts[kind.operation], counts[f"{name}-derive"], counts[f"{name}-keygen"]
        print(f"{kind.name}, {group}: {HERD} handshakes; {kind.operation} {share(sign)}; "
              f"{name}-derive {share(derive)}; {name}-keygen {share(made)}", flush=True)
        if any(count.failed or count.recomputed for count in counts.values()):
            raise Failure(f"{group}: operations failed: {counts}")
        if sign.all != HERD or sign.done == 0:
            raise Failure(f"{group}: the signatures were not ours: {sign}")
        if group != "X25519MLKEM768" and (derive.all != HERD or derive.done == 0):
            raise Failure(f"{group}: the key exchanges were not ours: {derive}")


def run(build: lab.Build, keys: Path) -> None:
    servers = [lab.Server(kind.name, text="ssl_ecdh_curve X25519MLKEM768:X25519:P-256;") for kind in KINDS]
    with lab.Nginx(keys, None, servers) as stock:
        for server in servers:
            for group in GROUPS:
                clients.s_clients(stock.worker_pids()[0], server.port, [["-tls1_3", "-groups", group]] * HERD)
    with lab.Nginx(keys, build, servers, by_command=True) as nginx:
        if not nginx.uses_shim():
            raise Failure("`octuple run` has not preloaded the shim")
        for kind, server in zip(KINDS, servers):
            judge(nginx, kind, server.port)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/dev", help="the build folder")
    build = lab.Build(Path(parser.parse_args().build).resolve())
    if not knows_hybrid():
        print("hybrid: this OpenSSL has no X25519MLKEM768", file=sys.stderr)
        return 2
    where = lab.folder("hybrid")
    try:
        run(build, credentials.make_keys(where / "keys", KINDS))
    except (Failure, ConnectionError, lab.LabError, credentials.CredentialsError) as failure:
        print(f"hybrid: {failure}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(where, ignore_errors=True)
    print("hybrid: good")
    return 0


if __name__ == "__main__":
    sys.exit(main())
