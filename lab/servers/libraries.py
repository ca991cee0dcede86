# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""One HAProxy and one nginx on OpenSSL 3.0, 3.5 and 3.6 and on AWS-LC, each as it is and by `octuple run`.

`bench/beside/libraries` builds them from Debian's sources, in a Debian of their own. All of one server run all the
time, on one CPU, with a port for each kind of key."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from lab import ROOT, aws_lc, load
from lab.debian import ENTER, as_root, cache, run
from lab.programs import Build, answers, free_ports
from lab.servers.http3 import Sides
from lab.servers import conf
from lab.servers.nginx import ServerError

RELEASE = "forky"
PACKAGES = ("g++ gcc libc6-dev libcrypt-dev make cmake ninja-build dpkg-dev patch libpcre2-dev zlib1g-dev libjansson4 "
            "openssl ca-certificates")
OPENSSL, AWS_LC = ("3.0", "3.5", "3.6"), "awslc"

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
    """AWS-LC sends its ticket with the first data: a GET, and not the ticket, shows the end of a TLS 1.3 handshake, and
    without one no session is resumed there."""
    if handshake == load.named("tls13-resumed"):
        return load.named("tls13-resumed-get")
    full_13 = "1.3" in handshake.options and handshake not in load.RESUMED
    return replace(handshake, options=(*handshake.options, "--proof", "get")) if full_13 else handshake


class All(Sides):
    """A server on each side, with a port for each kind of key."""

    def __init__(self, name: str, kinds: list[str], keys: Path, where: Path, build: Build, cpu: int,
                 sides: tuple[Side, ...]):
        super().__init__(name, keys, where, build, cpu, sides)
        ports = iter(free_ports(len(kinds) * len(sides)))  # at once: two sides could get the same one
        self.ports = {side: {kind: next(ports) for kind in kinds} for side in sides}

    def sees(self) -> tuple[Path, ...]:
        return (built(), *super().sees())

    def are_ready(self) -> bool:
        return all(answers(port) for ports in self.ports.values() for port in ports.values())

    def debians(self) -> Path:
        return folder()

    def configuration(self, side: Side) -> str:
        groups = ("X25519MLKEM768:" if side.hybrid else "") + "X25519:P-256:P-384"
        ports = self.ports[side].items()
        if self.name == "haproxy":
            return conf.haproxy(*(conf.frontend(
                key, f"bind 127.0.0.1:{port} backlog 4096 ssl crt {self.keys}/{key}.pem curves {groups}",
                conf.HAPROXY_ANSWER) for key, port in ports))
        return conf.nginx(self.conf(side).parent, [conf.server(
            f"listen 127.0.0.1:{port} ssl backlog=4096;", conf.certificate(self.keys, key), conf.ANSWER)
            for key, port in ports], main="user root;", http=f"{conf.TLS} ssl_ecdh_curve {groups};")

    def command(self, side: Side) -> str:
        path = self.conf(side)
        path.write_text(self.configuration(side))
        program = built() / "bin" / f"{self.name}-{AWS_LC if side.library == AWS_LC else 'openssl'}"
        started = f"{program} {ARGUMENTS[self.name].format(folder=path.parent, conf=path)}"
        launched = f"{self.build.octuple} run -- {started}" if side.octuple else started
        asked = " OCTUPLE_LOOPS=auto,awslc=on" if side.library == AWS_LC else ""
        return f"env LD_LIBRARY_PATH={built()}/lib/{side.library}{asked} {launched}"

    def microseconds(self, side: Side, handshake: load.Handshake, client: int, **options) -> float:
        """CPU of a handshake under this load, from that CPU."""
        asked = asking(handshake if side.hybrid else handshake.served_by(()))
        before = self.cpu_seconds(side)
        report = load.run(self.build.load, self.ports[side][asked.key], client, asked, **options)
        if report["failed_total"] or not report["completed"]:
            raise ServerError(f"{self.name} {side}: {report['first_failure'] or 'no handshake was completed'}")
        return 1e6 * (self.cpu_seconds(side) - before) / report["completed"]
