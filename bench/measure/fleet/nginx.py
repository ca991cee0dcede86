# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""One nginx in a server's namespace, under Octuple. Every server has the same certificate, the same key for session
tickets and the same key for QUIC's tokens: to a client they are one."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

from lab import counters, process
from lab.programs import Build, clean_environment
from lab.servers import conf
from lab.servers.nginx import find_nginx, make_keys
from .net import FleetError, PORT, inside

KEY = "rsa2048"
def has_quic() -> bool:
    done = subprocess.run([find_nginx(), "-V"], capture_output=True, text=True, check=False)
    return "--with-http_v3_module" in done.stderr


def share_keys(folder: Path) -> None:
    """What all servers have: a copy of these files is all that a fleet's servers need to agree on."""
    make_keys(folder, [KEY])
    for name, size in (("ticket.key", 80), ("quic.key", 32)):
        (folder / name).write_bytes(os.urandom(size))
        (folder / name).chmod(0o600)


class Server:
    """May be started again after it was stopped, as after an upgrade."""

    def __init__(self, name: str, folder: Path, keys: Path, build: Build | None, quic: bool, idle: int):
        self.name, self.folder, self.keys, self.build, self.quic, self.idle = name, folder, keys, build, quic, idle
        self.master: subprocess.Popen | None = None
        self.counters_folder = folder / "counters"

    def start(self) -> None:
        self.counters_folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "nginx.conf").write_text(self.configuration())
        launcher = [str(self.build.octuple), "run", "--"] if self.build else []
        command = [*launcher, find_nginx(), "-p", str(self.folder), "-c", str(self.folder / "nginx.conf")]
        environment = clean_environment() | {"OCTUPLE_COUNTERS": str(self.counters_folder)}
        with open(self.folder / "output", "ab") as output:
            self.master = subprocess.Popen(inside(self.name, command), stdin=subprocess.DEVNULL, stdout=output,
                                           stderr=output, env=environment)
        self.wait_until_it_serves(time.monotonic() + 20)

    def configuration(self) -> str:
        quic = [f"listen {PORT} quic reuseport; http3 on; quic_host_key {self.keys}/quic.key;"] if self.quic else []
        http = (conf.TLS, conf.certificate(self.keys, KEY), f"ssl_session_ticket_key {self.keys}/ticket.key;",
                f"keepalive_timeout {self.idle}s; keepalive_requests 100000;")
        return conf.nginx(self.folder, [conf.server(f"listen {PORT} ssl backlog=4096;", *quic,
                                                    f'return 200 "{self.name}\\n";')],
                          http="\n    ".join(http), main="user root;")

    def wait_until_it_serves(self, deadline: float) -> None:
        """A handshake at the server's own namespace: before that it gets no buckets."""
        probe = inside(self.name, ["openssl", "s_client", "-connect", f"127.0.0.1:{PORT}"])
        while time.monotonic() < deadline:
            if self.master.poll() is not None:
                raise FleetError(f"nginx of {self.name} ended with status {self.master.returncode}: {self.said()}")
            done = subprocess.run(probe, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=20,
                                  env=clean_environment())
            if done.returncode == 0:
                return
            time.sleep(0.05)
        raise FleetError(f"nginx of {self.name} makes no handshake: {self.said()}")

    def said(self) -> str:
        return "\n".join((self.folder / name).read_text(errors="replace").strip()
                         for name in ("output", "error.log") if (self.folder / name).exists())

    def quit(self) -> None:
        """As an administrator would: no connection is cut off."""
        self.master.send_signal(signal.SIGQUIT)
        self.master.wait(60)

    def stop(self) -> None:
        if self.master and self.master.poll() is None:
            for pid in (*process.children(self.master.pid), self.master.pid):
                os.kill(pid, signal.SIGKILL)
            self.master.wait()

    def counted(self) -> counters.Operation:
        """Private operations of its key so far, of all processes that it had: one for each full handshake."""
        files = [counters.read(path) for path in self.counters_folder.glob("*.octuple")]
        return counters.total(files)[f"{KEY}-private"]
