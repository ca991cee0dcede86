# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Dovecot's login processes, stock and with Octuple. They read their sockets themselves, so handshakes of TLS 1.3 wait
for the record that leads them back, and those of TLS 1.2 do not; all the rest is as ever."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lab.servers import dialogue
from tests.servers.common import daemons, rig

BOTH = pytest.mark.parametrize("name", ["dovecot", "dovecot, STARTTLS"])
SESSION = b"a LOGIN u secret\r\nb SELECT INBOX\r\nc LOGOUT\r\n"


def login(pid: int) -> int:
    """The login process that is there from the start."""
    children = rig.psutil.Process(pid).children()
    return next(child.pid for child in children if "imap-login" in rig.name_of(child))


@BOTH
def test_all_sorts(build, keys, place, name):
    seen = daemons.compare(daemons.find(name), keys, build, place, worker=login)
    assert daemons.served(seen, "1.2 in a crowd") and daemons.served(seen, "1.3 again") and seen.verdict.status == 0
    last = seen.last["rsa2048-private"]
    assert last.all == 2 * daemons.HERD and seen.last["x25519-keygen"].done > 0
    # It calls again at once, with nothing new: so each operation runs at once too.
    assert last.done == 0


@BOTH
def test_mailboxes(build, keys, place, name):
    """The login process goes on with TLS for the mailbox's process."""
    kind = daemons.find(name)
    kind = replace(kind, dialogue=replace(kind.dialogue, request=SESSION, answer=b"c OK "))

    def act(host: daemons.Host) -> None:
        for version in kind.versions:
            host.ask(f"{version} to its mailbox", rig.client_context(version))

    seen = daemons.compare(kind, keys, build, place, act, login)
    assert daemons.served(seen, "1.2 to its mailbox") and daemons.served(seen, "1.3 to its mailbox")


def test_a_process_for_each_connection(build, keys, place):
    """Dovecot's default. The processes start in a chroot, when TLS is ready."""
    kind = daemons.find("dovecot")
    one_each = kind.conf.replace("service_count = 0", "service_count = 1")
    kind = replace(kind, conf=one_each.replace("process_limit = 1\n", "process_limit = 100\n"))

    def act(host: daemons.Host) -> None:
        for version in kind.versions:
            host.ask(version, rig.client_context(version))

    seen = daemons.compare(kind, keys, build, place, act, worker=None)
    assert daemons.served(seen, "1.2") and daemons.served(seen, "1.3")
    assert seen.counts["rsa2048-private"].fallback >= 4 * daemons.HERD


def test_client_certificates(build, keys, place):
    """Who has no good one does not get in."""
    kind = daemons.find("dovecot")
    kind = replace(kind, dialogue=dialogue.Dialogue(SESSION, b"a OK "),
                   conf=kind.conf + f"ssl_ca = <{keys}/ca.crt\nssl_require_crl = no\n"
                   "auth_ssl_require_client_cert = yes\nssl_verify_client_cert = yes\n")
    good = rig.client_context("1.3", "ALL", keys / "client-rsa2048.crt", keys / "client-rsa2048.key")
    seen = daemons.compare(kind, keys, build, place, daemons.with_certificates(keys), login, good)
    for version in kind.versions:
        assert daemons.served(seen, f"{version}, client, rsa2048")
        assert not daemons.served(seen, f"{version}, expired, rsa2048") and not daemons.served(seen, f"{version}, none")
