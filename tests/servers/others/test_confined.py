# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Debian's servers with LD_PRELOAD alone, each as a user without privileges: as a unit of systemd's starts them, in a
root that is read-only, as a container's is, and where /etc cannot be read. They serve in lanes in all of them."""

from __future__ import annotations

import os
import pwd
import signal
import socket
import subprocess

import pytest

from lab.programs import Build
from lab.servers import conf, web
from lab.servers.nginx import ServerError
from tests.servers.common import clients, rig
from tests.servers.others.test_others import ACCELERATED

USER = "nobody"
NGINX = web.Kind("nginx", "nginx", "nginx", conf.template(conf.nginx("{folder}", [conf.server(
    "listen 127.0.0.1:{port} ssl;", "ssl_certificate {folder}/both.pem; ssl_certificate_key {folder}/both.pem;",
    "root {folder}/site;")], log="error")), lambda conf: ["-c", str(conf)])
KINDS = (NGINX, *web.KINDS)
# In a namespace of its own, where {folder} is the only place that can be written to.
READ_ONLY = ("mount -o bind / / && mount -o remount,bind,ro / && mount -o bind {folder} {folder} && "
             "mount -o remount,bind,rw {folder}")
PLACES = {"variable": "true", "read-only": READ_ONLY, "no etc": "mount -t tmpfs -o mode=700 none /etc"}


class Confined(web.Other):
    """As somebody else, behind the shell commands of a place."""

    def __init__(self, kind: web.Kind, folder, script: str, *more):
        super().__init__(kind, folder, *more)
        uid = pwd.getpwnam(USER).pw_uid
        for path in (folder, *folder.iterdir()):
            os.chown(path, uid, uid)
        # Whom they are to become: who is nobody already cannot, and where /etc cannot be read there are no names.
        self.conf.write_text("\n".join(line.replace(f"User {web.unprivileged()}", f"User #{uid}")
                                       for line in self.conf.read_text().splitlines()
                                       if not line.startswith("user = ")) + "\n")
        enter = f'{script.format(folder=folder)} && exec setpriv --reuid {uid} --regid {uid} --clear-groups "$@"'
        self.before = ["unshare", "-m", "sh", "-c", enter, "sh"]


def can_confine() -> bool:
    """Not who is not root, and not in a root whose own folder is no mount, as behind chroot()."""
    return os.geteuid() == 0 and subprocess.run(["unshare", "-m", "true"], capture_output=True,
                                                check=False).returncode == 0


@pytest.mark.skipif(not can_confine(), reason="what a program sees cannot be changed here")
@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_serves(build: Build, keys, place, kind, where):
    if kind.path() is None:
        pytest.skip(f"{kind.name} is not installed ({kind.package})")
    with web.Backend() as backend:
        for name, settings in (("stock", {}), ("ours", rig.shim_environment(place, build))):
            server = Confined(kind, place / name, PLACES[where], keys, "rsa2048", backend.port)
            server.settings = settings | ({"OCTUPLE_COUNTERS": str(server.counters_folder)} if settings else {})
            with server:
                good(server)
            # lighttpd's is 1 where a client has not gone yet.
            assert server.child.returncode in (0, 1, -signal.SIGTERM), server.said()
    count = server.counters()["rsa2048-private"]
    assert count.all == 96 and count.failed == 0
    assert count.done > 0 or kind.name not in (NGINX.name, *ACCELERATED), count


def good(server: web.Other) -> None:
    for version in ("1.2", "1.3"):
        context = rig.client_context(version)

        def one():
            with socket.create_connection(("127.0.0.1", server.port), timeout=30) as raw, \
                    context.wrap_socket(raw) as sock:
                sock.sendall(server.kind.request)
                got = b""
                while more := sock.recv(65536):
                    got += more
                assert got.endswith(server.kind.answer), got

        assert clients.many(48, 16, one) == []
    if server.child.poll() is not None:
        raise ServerError(f"{server.kind.name} has ended: {server.said()}")
