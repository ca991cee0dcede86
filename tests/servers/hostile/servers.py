# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The servers that meet the hostile clients: nginx and HAProxy, stock or under `octuple run`, each with a port for
everybody and one that asks for a client certificate. Their logs say why they closed a connection, by the client's
address."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.servers.common import rig
from tests.servers.common.haproxy import ANSWER, HAProxy

# Seconds that a client may keep a server waiting; more on a machine that is busy with other things.
LIMIT = round(8 * min(max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1) / 2), 5))

HAPROXY_MAIN = """nbthread 1
    log stdout format raw daemon
    ssl-default-bind-ciphers ALL"""
HAPROXY_ALL = """log global
    error-log-format "client: %ci said: %[ssl_fc_err_str]"
    timeout client {limit}s
    timeout http-request {limit}s
    """
HAPROXY_AUTH = """frontend auth
    bind 127.0.0.1:{port} backlog 4096 ssl crt {{folder}}/rsa2048.pem ssl-min-ver TLSv1.2 {verified}
    {rest}
"""


@dataclass
class Target:
    """A server that runs."""

    name: str
    ports: dict[str, int]
    pid: Callable[[], int]
    log: Callable[[], str]
    pattern: re.Pattern[str]
    counters: Callable[[], dict[str, rig.Counts]]

    def sleeps(self) -> bool:
        """It has nothing to do."""
        return Path(f"/proc/{self.pid()}/stat").read_text().rpartition(")")[2].split()[0] == "S"

    def descriptors(self) -> int:
        return len(list(Path(f"/proc/{self.pid()}/fd").iterdir()))

    def reasons(self) -> dict[str, str]:
        """What the log says of each client, by its address."""
        found: dict[str, list[str]] = {}
        for match in self.pattern.finditer(self.log()):
            found.setdefault(match["client"], []).append(match["text"])
        return {client: "; ".join(texts) for client, texts in found.items()}


NGINX_SAYS = re.compile(r"\*\d+ (?P<text>[^\n]*?)(?: while [^\n]*?)?, client: (?P<client>[\d.]+)")
HAPROXY_SAYS = re.compile(r"client: (?P<client>[\d.]+) said: (?P<text>[^\n]*)")


# A client that half-closes behind its hello gets no flight once that has waited (docs/limits.md): where the machine is
# busy, that is. tests/shim/test_storm.c has those.
NO_STORM = {"OCTUPLE_HELLOS": "off"}


@contextmanager
def nginx(keys: Path, build: rig.Build | None) -> Iterator[Target]:
    wait = f"client_header_timeout {LIMIT}s;"
    asks = f"ssl_client_certificate {keys}/ca.crt; ssl_verify_client on;"
    servers = [rig.Server(text=wait), rig.Server(text=wait + asks)]
    with rig.Nginx(keys, build, servers, multi_accept="on", log_level="info", by_command=build is not None,
                   env=NO_STORM) as server:
        # To nginx what OpenSSL seldom says is critical.
        server.may_say = ("SSL_do_handshake() failed", "SSL_read() failed", "SSL_write() failed",
                          "ignoring stale global SSL error")
        pid = server.worker_pids()[0]
        yield Target("nginx", {"plain": servers[0].port, "auth": servers[1].port}, lambda: pid, lambda: server.log,
                     NGINX_SAYS, server.counters)
        if server.worker_pids() != [pid]:
            raise rig.LabError(f"the worker has not lived through it: {server.log}")


class HAProxyByCommand(HAProxy):
    """Under `octuple run`, which has to find shim and provider itself."""

    def command(self) -> list[str]:
        return [*self.prefix, *super().command()]

    def use(self, build: rig.Build | None) -> "HAProxyByCommand":
        self.prefix = [str(build.octuple), "run", "--"] if build else []
        if build:
            del self.env["LD_PRELOAD"]
        self.env.update(NO_STORM)
        return self


@contextmanager
def haproxy(keys: Path, build: rig.Build | None) -> Iterator[Target]:
    [auth], rest = rig.free_ports(1), HAPROXY_ALL.format(limit=LIMIT) + ANSWER
    server = HAProxyByCommand(keys, build, main=HAPROXY_MAIN, bind="alpn http/1.1", frontend=rest,
                              more=HAPROXY_AUTH.format(port=auth, verified=f"ca-file {keys}/ca.crt verify required",
                                                       rest=rest)).use(build)
    with server:
        [pid] = server.worker_pids()
        server.idle_fds()  # from here on it has all that it needs
        yield Target("haproxy", {"plain": server.port, "auth": auth}, lambda: pid, server.said, HAPROXY_SAYS,
                     server.counters)
        if server.process.poll() is not None:
            raise rig.LabError(f"HAProxy has not lived through it: {server.process.returncode}")


SERVERS = {"nginx": nginx, "haproxy": haproxy}
