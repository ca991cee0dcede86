# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""One HAProxy and one nginx on OpenSSL 3.0, 3.5 and 3.6 and on AWS-LC, each as it is and by `octuple run`.

`bench/beside/libraries` builds them from Debian's sources, in a Debian of their own. All of one server run all the
time, on one CPU, with a port for each kind of key."""

from __future__ import annotations

import signal
import subprocess
import time
from dataclasses import dataclass, replace
from pathlib import Path

from lab import ROOT, aws_lc, load, process
from lab.debian import ENTER, as_root, cache, run
from lab.programs import Build, clean_environment, free_ports
from lab.servers.http3 import server_below
from lab.servers.nginx import CONFIG_HEAD, CONFIG_SERVER, SHORT_ANSWER, Running, ServerError

RELEASE = "forky"
PACKAGES = ("g++ gcc libc6-dev libcrypt-dev make cmake ninja-build dpkg-dev patch libpcre2-dev zlib1g-dev libjansson4 "
            "openssl ca-certificates")
OPENSSL, AWS_LC = ("3.0", "3.5", "3.6"), "awslc"
STARTS_WITHIN = 60  # seconds

NGINX = "user root;\n" + CONFIG_HEAD + "    ssl_ecdh_curve {groups};\n{each}}}\n"
HAPROXY = """\
global
    nbthread 1
    maxconn 4000
defaults
    mode http
    timeout connect 5s
    timeout client 10s
    timeout server 10s
{each}"""
HAPROXY_EACH = """\
frontend {key}
    bind 127.0.0.1:{port} backlog 4096 ssl crt {keys}/{key}.pem curves {groups}
    http-request return status 200 content-type text/plain string "ok\\n"
"""
TEXTS = {"nginx": (NGINX, CONFIG_SERVER), "haproxy": (HAPROXY, HAPROXY_EACH)}
ARGUMENTS = {"nginx": "-p {folder} -e {folder}/error.log -c {conf}", "haproxy": "-db -f {conf}"}


def folder() -> Path:
    return cache().parent / "libraries"


def built() -> Path:
    return folder() / "built"


def pem(keys: Path, kinds: list[str]) -> None:
    """Keys as HAProxy reads them."""
    for kind in kinds:
        (keys / f"{kind}.pem").write_text((keys / f"{kind}.crt").read_text() + (keys / f"{kind}.key").read_text())


def install() -> None:
    """Takes a quarter of an hour the first time."""
    source = aws_lc.source()
    built().mkdir(parents=True, exist_ok=True)
    run([*as_root(), str(ENTER), "--install", PACKAGES, str(folder()), RELEASE, "true"])
    run([*as_root(), str(ENTER), "--see", str(built()), "--see", str(source.parent), str(folder()), RELEASE,
         str(ROOT / "bench/beside/libraries"), str(source), str(built())])


@dataclass(frozen=True)
class Side:
    """A library, and whether Octuple stands before it."""

    library: str
    octuple: bool

    def __str__(self) -> str:
        return self.library + (" octuple" if self.octuple else "")

    @property
    def hybrid(self) -> bool:
        """Whether it has X25519MLKEM768."""
        return self.octuple or self.library != OPENSSL[0]


def asking(handshake: load.Handshake) -> load.Handshake:
    """AWS-LC sends its ticket with the first data: a GET, and not the ticket, shows the end of a TLS 1.3 handshake."""
    full_13 = "1.3" in handshake.options and handshake not in load.RESUMED
    return replace(handshake, options=(*handshake.options, "--proof", "get")) if full_13 else handshake


class All(Running):
    """A server on each side."""

    def __init__(self, name: str, kinds: list[str], keys: Path, where: Path, build: Build, cpu: int,
                 sides: tuple[Side, ...]):
        self.name, self.kinds, self.keys, self.where, self.build, self.cpu = name, kinds, keys, where, build, cpu
        self.ports = {side: dict(zip(kinds, free_ports(len(kinds)))) for side in sides}
        self.process: subprocess.Popen | None = None
        self.workers: dict[Side, int] = {}

    def conf(self, side: Side) -> Path:
        return self.where / str(side).replace(" ", "-") / "conf"

    def command(self, side: Side) -> str:
        place = self.conf(side).parent
        place.mkdir(mode=0o755, parents=True, exist_ok=True)
        whole, each = TEXTS[self.name]
        groups = ("X25519MLKEM768:" if side.hybrid else "") + "X25519:P-256:P-384"
        rows = "".join(each.format(key=key, address="127.0.0.1", port=port, keys=self.keys, groups=groups,
                                   content=SHORT_ANSWER)
                       for key, port in self.ports[side].items())
        self.conf(side).write_text(whole.format(folder=place, groups=groups, each=rows))
        program = built() / "bin" / f"{self.name}-{AWS_LC if side.library == AWS_LC else 'openssl'}"
        started = f"{program} {ARGUMENTS[self.name].format(folder=place, conf=self.conf(side))}"
        launched = f"{self.build.octuple} run -- {started}" if side.octuple else started
        return f"LD_LIBRARY_PATH={built()}/lib/{side.library} taskset -c {self.cpu} {launched}"

    def start(self) -> None:
        together = " & ".join(self.command(side) for side in self.ports)
        command = [*as_root(), str(ENTER)]
        for seen in (built(), self.build.folder, self.where, self.keys):
            command += ["--see", str(seen)]
        self.process = subprocess.Popen([*command, str(folder()), RELEASE, "/bin/sh", "-c", f"{together} & wait"],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=(self.where / "said").open("w"), env=clean_environment())
        deadline = time.monotonic() + STARTS_WITHIN
        while len(self.workers) < len(self.ports):
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise ServerError(f"{self.name} did not start in the Debian {RELEASE}: "
                                  f"{(self.where / 'said').read_text().strip()}")
            time.sleep(0.2)
            found = {side: server_below(self.process.pid, self.name, self.conf(side)) for side in self.ports}
            self.workers = {side: pid for side, pid in found.items() if pid}

    def cpu_seconds(self, side: Side) -> float:
        return process.cpu_times(self.workers[side])[0]

    def microseconds(self, side: Side, handshake: load.Handshake, client: int, **options) -> float:
        """CPU of a handshake under this load, from that CPU."""
        asked = asking(handshake if side.hybrid else handshake.served_by(()))
        before = self.cpu_seconds(side)
        report = load.run(self.build.load, self.ports[side][asked.key], client, asked, **options)
        if report["failed_total"] or not report["completed"]:
            raise ServerError(f"{self.name} {side}: {report['first_failure'] or 'no handshake was completed'}")
        return 1e6 * (self.cpu_seconds(side) - before) / report["completed"]

    def stop(self) -> None:
        if self.process is None:
            return
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
