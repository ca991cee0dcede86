# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Servers that feed libssl through memory, and clients that make it hard for them."""

from __future__ import annotations

import os
import random
import shutil
import ssl
import subprocess
from pathlib import Path

from tests.servers.common import crowd, rig

HERE = Path(__file__).parent
PYTHON = "/usr/bin/python3"
RECORD = b"\x14\x03\x03\x00\x01\x01"  # a ChangeCipherSpec
MODULES = {"asyncio": "asyncio", "uvloop": "uvloop", "twisted": "twisted.internet.ssl"}


def node() -> str | None:
    """Debian's own, which has a shared libssl: OCTUPLE_TEST_NODE says where, if it is not in its place."""
    path = os.environ.get("OCTUPLE_TEST_NODE") or shutil.which("node")
    if path is None:
        return None
    asks = "process.config.variables.node_shared_openssl && parseInt(process.versions.openssl)"
    said = subprocess.run([path, "-p", asks], capture_output=True, text=True, check=False).stdout.strip()
    return path if said == "3" else None


def missing(kind: str) -> str:
    """What the kind of server lacks here; "" if nothing."""
    if kind == "node":
        return "" if node() else "Debian's nodejs is not installed"
    done = subprocess.run([PYTHON, "-c", f"import {MODULES[kind]}"], capture_output=True, check=False)
    return "" if done.returncode == 0 else f"python3-{kind} is not installed"


def command(kind: str, *ports: int) -> list[str]:
    """Without port and keys, which crowd.Program gives."""
    more = [str(port) for port in ports]
    if kind == "node":
        return [str(node()), str(HERE / "memory_server.js"), *more]
    return [PYTHON, "-B", str(HERE / "memory_server.py"), kind, *more]


class Halves(crowd.Guest):
    """Its hello comes in two parts, between which others come. `at`: the length of the first part."""

    at = 200

    def greet(self) -> None:
        try:
            self.tls.do_handshake()
        except ssl.SSLWantReadError:
            pass
        hello = self.outgoing.read()
        self.sock.sendall(hello[:self.at])
        self.rest = hello[self.at:]

    def after(self) -> None:
        if self.sock is not None and not self.outcome:
            self.sock.sendall(self.rest)


class Quarter(Halves):
    """Its random comes in two parts."""

    at = 30


class Specs(crowd.Guest):
    """It sends records that a server drops behind its hello, in one piece with it and alone."""

    def greet(self) -> None:
        try:
            self.tls.do_handshake()
        except ssl.SSLWantReadError:
            pass
        self.sock.sendall(self.outgoing.read() + RECORD)

    def after(self) -> None:
        if self.sock is not None and not self.outcome:
            self.sock.sendall(RECORD * 3)


class HalfSpec(Specs):
    """Behind its hello is a part of a record, and the rest comes when others have come."""

    def greet(self) -> None:
        try:
            self.tls.do_handshake()
        except ssl.SSLWantReadError:
            pass
        self.sock.sendall(self.outgoing.read() + RECORD[:3])

    def after(self) -> None:
        if self.sock is not None and not self.outcome:
            self.sock.sendall(RECORD[3:])


class Leaves(crowd.Guest):
    """It ends the connection somewhere, and nobody waits for it."""

    waits = False

    def __init__(self, kind: str, context: ssl.SSLContext, chance: random.Random):
        super().__init__(kind, context)
        self.stage, self.chance = chance.randrange(4), chance

    def greet(self) -> None:
        if self.stage == 0:
            self.gone()
            return
        try:
            self.tls.do_handshake()
        except ssl.SSLWantReadError:
            pass
        hello = self.outgoing.read()
        self.sock.sendall(hello[:self.chance.randrange(1, len(hello))] if self.stage == 1 else hello)
        if self.stage == 1:
            self.gone()

    def after(self) -> None:
        if self.stage == 2 and not self.outcome:
            self.gone()

    def receive(self) -> None:
        self.gone()

    def gone(self) -> None:
        self.outcome = "left"
        self.sock.close()


def contexts(keys: Path) -> dict[str, ssl.SSLContext]:
    """By what they have to offer."""
    made = {version: rig.client_context(version) for version in ("1.2", "1.3")}
    made["p384"] = rig.client_context("1.3")
    made["p384"].set_ecdh_curve("secp384r1")
    made["certificate"] = rig.client_context("1.3")
    made["certificate"].load_cert_chain(keys / "client-rsa2048.crt", keys / "client-rsa2048.key")
    return made
