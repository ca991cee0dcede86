# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Runs octuple-load and reads its report."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable

from .programs import clean_environment


class LoadError(Exception):
    """The load generator could not run."""


@dataclass(frozen=True)
class Handshake:
    """A kind of handshake: its name in reports, the group of its key exchange, the server's key, and what the client
    has to offer for it. If it needs a hybrid group, the classical one stands for it with a server that lacks it."""

    name: str
    title: str
    group: str
    key: str
    options: tuple[str, ...]
    hybrid: str = ""
    classical: str = ""

    @property
    def operation(self) -> str:
        """The counted operation by which the server uses its key."""
        return SIGNED_BY[self.key]

    def served_by(self, hybrids: Iterable[str]) -> Handshake:
        """What a server with these hybrid groups can do of it."""
        return named(self.classical) if self.hybrid and self.hybrid not in hybrids else self

    def describe(self) -> dict:
        """What a result says of it."""
        return {"handshake": self.name, "title": self.title, "group": self.group}


SIGNED_BY = {"rsa2048": "rsa2048-private", "rsa3072": "rsa3072-private", "rsa4096": "rsa4096-private",
             "ecdsa-p256": "p256-sign", "ecdsa-p384": "p384-sign", "ed25519": "ed25519-sign"}

HANDSHAKES = (
    Handshake("tls12-rsa-kx-rsa2048", "TLS 1.2, RSA key exchange, RSA-2048", "none", "rsa2048",
              ("--tls", "1.2", "--kx", "rsa")),
    Handshake("tls12-ecdhe-rsa2048", "TLS 1.2, P-256, RSA-2048", "P-256",
              "rsa2048", ("--tls", "1.2", "--group", "p256")),
    Handshake("tls13-rsa2048", "TLS 1.3, X25519, RSA-2048", "X25519", "rsa2048", ("--tls", "1.3")),
    Handshake("tls13-rsa3072", "TLS 1.3, X25519, RSA-3072", "X25519", "rsa3072", ("--tls", "1.3")),
    Handshake("tls13-rsa4096", "TLS 1.3, X25519, RSA-4096", "X25519", "rsa4096", ("--tls", "1.3")),
    Handshake("tls13-ecdsa-p256", "TLS 1.3, X25519, ECDSA P-256", "X25519", "ecdsa-p256", ("--tls", "1.3")),
    Handshake("tls13-ecdsa-p384", "TLS 1.3, P-384, ECDSA P-384", "P-384", "ecdsa-p384",
              ("--tls", "1.3", "--group", "p384")),
    Handshake("tls13-ed25519", "TLS 1.3, X25519, Ed25519", "X25519", "ed25519", ("--tls", "1.3")),
    Handshake("tls13-rsa2048-x25519mlkem768", "TLS 1.3, X25519MLKEM768, RSA-2048", "X25519MLKEM768", "rsa2048",
              ("--tls", "1.3", "--group", "x25519mlkem768"), "X25519MLKEM768", "tls13-rsa2048"),
    Handshake("tls13-ecdsa-p256-x25519mlkem768", "TLS 1.3, X25519MLKEM768, ECDSA P-256", "X25519MLKEM768", "ecdsa-p256",
              ("--tls", "1.3", "--group", "x25519mlkem768"), "X25519MLKEM768", "tls13-ecdsa-p256"),
)

# Those that the demo has no time for.
MORE_HANDSHAKES = (
    Handshake("tls13-ecdsa-p384-x25519", "TLS 1.3, X25519, ECDSA P-384", "X25519", "ecdsa-p384", ("--tls", "1.3")),
    Handshake("tls12-ecdhe-ecdsa-p256", "TLS 1.2, P-256, ECDSA P-256",
              "P-256", "ecdsa-p256", ("--tls", "1.2", "--group", "p256")),
    Handshake("tls13-rsa2048-half-hybrid", "TLS 1.3, X25519MLKEM768 and X25519 by turns, RSA-2048",
              "X25519MLKEM768, X25519", "rsa2048", ("--tls", "1.3", "--group", "x25519mlkem768,x25519"),
              "X25519MLKEM768", "tls13-rsa2048"),
    Handshake("tls13-ecdsa-p256-half-hybrid", "TLS 1.3, X25519MLKEM768 and X25519 by turns, ECDSA P-256",
              "X25519MLKEM768, X25519", "ecdsa-p256", ("--tls", "1.3", "--group", "x25519mlkem768,x25519"),
              "X25519MLKEM768", "tls13-ecdsa-p256"),
)


# Those of another client, octuple-resume.
RESUMED = (
    Handshake("tls13-resumed", "TLS 1.3, X25519, session resumed", "X25519", "rsa2048", ("--tls", "1.3")),
    Handshake("tls13-resumed-get", "TLS 1.3, X25519, session resumed, and a small GET", "X25519", "rsa2048",
              ("--tls", "1.3", "--get")),
    Handshake("tls12-resumed", "TLS 1.2, session resumed", "none", "rsa2048", ("--tls", "1.2")),
)


def named(name: str) -> Handshake:
    return next(handshake for handshake in HANDSHAKES + MORE_HANDSHAKES + RESUMED if handshake.name == name)


def run(program: Path, port: int, cpu: int, handshake: Handshake, *, connections: int, seconds: float,
        rate: float | None = None, seed: int = 1, host: str = "127.0.0.1", prefix: tuple[str, ...] = (),
        more: tuple[str, ...] = ()) -> dict:
    """One run; returns the program's report. Failed handshakes are in it and no error here. The client has lanes
    whatever the server is told to do without: it has to be the quicker of the two. `prefix` stands before the command,
    `more` are options of it."""
    client = [str(program)]
    if handshake in RESUMED:
        client = [str(program.with_name("octuple")), "run", "--keep-groups", "--",
                  str(program.with_name("octuple-resume"))]
    command = [*prefix, *client, host, str(port), *handshake.options, "--connections", str(connections),
               "--seconds", f"{seconds:.3f}", "--seed", str(seed), "--cpu", str(cpu), "--json", *more]
    if rate:
        command += ["--rate", f"{rate:.2f}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 60, check=False,
                          env=clean_environment())
    if done.returncode not in (0, 1):
        raise LoadError(f"{' '.join(command)} ended with status {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)
