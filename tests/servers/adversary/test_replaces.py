# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Servers that replace stores, keys, certificates, contexts or BIOs in mid-handshake: all clients end as stock's."""

from __future__ import annotations

import ssl

import pytest

from tests.servers.common import credentials, crowd, rig

each = pytest.mark.parametrize
ROUNDS = crowd.amount(4, 2)
CLIENTS = ("none", "client", "expired", "stranger")  # by the certificate that they have
THINGS = ("store", "context", "key", "certificate", "all", "bio")


class Witness(crowd.Guest):
    """Its outcome says whose certificate it has seen as well. A refusal is one, in whichever way it is heard: the reset
    of a connection may come before the alert is read."""

    def __init__(self, kind: str, context: ssl.SSLContext, names: dict[bytes, str]):
        super().__init__(kind, context)
        self.names = names

    def receive(self) -> None:
        super().receive()
        if self.outcome == "good":
            self.outcome = f"good, of {self.names[self.tls.getpeercert(True)]}"
        elif self.outcome:
            self.outcome = "refused"


def contexts(version, keys) -> dict[str, ssl.SSLContext]:
    made = {"none": rig.client_context(version)}
    for name in CLIENTS[1:]:
        made[name] = rig.client_context(version, "ALL", keys / f"{name}-rsa2048.crt", keys / "client-rsa2048.key")
    return made


def make_crl(keys, place) -> str:
    """Of the authority, with nobody on it."""
    crl, conf = place / "ca.crl", place / "authority.cnf"
    conf.write_text(credentials.AUTHORITY_CONF.format(where=place))
    (place / "index.txt").touch()
    credentials.openssl("ca", "-gencrl", "-crldays", "2", "-config", str(conf), "-cert", f"{keys}/ca.crt",
                        "-keyfile", f"{keys}/ca.key", "-out", str(crl))
    return str(crl)


def verdict(arguments, version, keys, build, place, program) -> crowd.Verdict:
    names = {ssl.PEM_cert_to_DER_cert((keys / f"{name}.crt").read_text()): name for name in ("rsa2048", "rsa3072")}
    made = contexts(version, keys)
    # What is freed is overwritten.
    with crowd.Program([program, *arguments], keys, build, place, MALLOC_PERTURB_="165") as server:
        for _ in range(ROUNDS):
            server.receive([Witness(name, made[name], names) for name in CLIENTS * (crowd.SIZE // len(CLIENTS))])
        said = server.verdict()
        assert build is None or server.paused()
        return said


@each("version", ["1.2", "1.3"])
@each("when", ["at-once", "round", "before"])
@each("what", THINGS)
def test_replaces(build, keys, place, what, when, version):
    program = crowd.program("replaces", build, "libssl-dev")
    arguments = [what, when, make_crl(keys, place)]
    stock = verdict(arguments, version, keys, None, place, program)
    served = {"good, of rsa2048": ROUNDS * crowd.SIZE // len(CLIENTS)}
    assert stock.guests["none"] == stock.guests["client"] == served, stock
    assert (stock.said, stock.status) == ({"some": True, "refused": 0}, 0), stock
    crowd.compare(verdict(arguments, version, keys, build, place, program), stock)
