# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Our side: nginx under `octuple run`, a server for each group, and a client with each group of another stack's server.

nginx says which group it negotiated, and its counters say whether Octuple served that group.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.servers.common import clients, credentials, rig

# The groups that the provider serves, and their numbers in TLS.
GROUPS = {"X25519MLKEM768": 0x11EC, "SecP256r1MLKEM768": 0x11EB, "SecP384r1MLKEM1024": 0x11ED,
          "MLKEM768": 0x0201, "MLKEM1024": 0x0202}
PROXY = ("proxy_pass https://127.0.0.1:{peer}; proxy_ssl_conf_command Groups {group}; proxy_ssl_protocols TLSv1.3; "
         "proxy_ssl_session_reuse off; proxy_ssl_name localhost; proxy_ssl_verify on; "
         "proxy_ssl_trusted_certificate {certificate};")


class Missing(Exception):
    """This machine lacks what the stack needs; the text says what."""


class Failure(Exception):
    """A handshake that was not as it should be; the text says why."""


def reason(text: str) -> str:
    """The last line that speaks of an error, else the last one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or ["no output"])[-1][:200]


def output(command: list[str], env: dict[str, str], text: str = "") -> str:
    """What the command says, both streams, if it succeeds."""
    try:
        done = subprocess.run(command, env=env, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", timeout=120, check=False)
    except subprocess.TimeoutExpired as error:
        raise Failure(f"{command[0]} did not end") from error
    if done.returncode:
        raise Failure(reason(done.stdout))
    return done.stdout


def make_keys(where: Path) -> Path:
    """One certificate that is its own authority, as strict clients accept it: for a server, not for an authority."""
    where.mkdir()
    credentials.self_signed(where, "localhost", ("rsa:2048",), "localhost",
                            "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                            "-addext", "basicConstraints=critical,CA:FALSE")
    return where


class Site:
    """nginx, and where everything is. Use it in a `with` statement."""

    def __init__(self, build: rig.Build, where: Path):
        self.build, self.where = build, where
        self.keys = make_keys(where / "keys")
        self.certificate, self.key = self.keys / "localhost.crt", self.keys / "localhost.key"
        *ports, self.peer = rig.free_ports(2 * len(GROUPS) + 1)
        self.fronts = dict(zip(GROUPS, ports))
        self.proxies = dict(zip(GROUPS, ports[len(GROUPS):]))
        servers = [rig.Server("localhost", text=f"ssl_ecdh_curve {group};",
                              location='return 200 "nginx $ssl_curve\\n";') for group in GROUPS]
        servers += [rig.Server("localhost", location=PROXY.format(peer=self.peer, group=group,
                                                                  certificate=self.certificate)) for group in GROUPS]
        self.nginx = rig.Nginx(self.keys, build, servers, ports=ports, by_command=True)

    def __enter__(self) -> "Site":
        self.nginx.start()
        if not self.nginx.uses_shim():
            self.nginx.stop()
            raise Failure("`octuple run` has not preloaded the shim")
        return self

    def __exit__(self, *error: object) -> None:
        self.nginx.__exit__(*error)

    def counted(self, group: str) -> int:
        """The operations of this group that came to Octuple, in lanes or not."""
        return sum(count.all for name, count in self.nginx.counters().items() if name.startswith(group.lower() + "-"))

    def fetch_through(self, group: str) -> str:
        """What the other stack's server answers to nginx as its client; the fetch itself is classical."""
        said = clients.fetch(self.proxies[group], rig.client_context()).decode(errors="replace")
        if not re.match(r"HTTP/1\.\d 200 ", said):
            raise Failure(reason(self.nginx.log))
        return said


def check_nginx(said: str, group: str) -> None:
    """nginx names a group that its OpenSSL knows, and has the number of one that a provider brought."""
    found = re.search(r"nginx (\w+)", said)
    if not found or found[1].lower() not in (group.lower(), f"{GROUPS[group]:#06x}"):
        raise Failure(f"nginx answered with {found[1] if found else 'no group'}")
