# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""FreeRADIUS with EAP-TLS: libssl through memory, in packets, with ex_data numbers that it never reserved."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
from collections import Counter
from pathlib import Path

import pytest

from tests.servers.common import clients, rig

each = pytest.mark.parametrize
SERVER = shutil.which("freeradius", path=os.environ.get("PATH", "") + ":/usr/sbin")
CLIENT = shutil.which("eapol_test")
CLIENTS, AT_ONCE, SECONDS = 24, 8, 10

pytestmark = pytest.mark.skipif(not SERVER or not CLIENT, reason="freeradius and eapoltest are not installed")

CONF = """\
prefix = /usr
libdir = /usr/lib/freeradius
logdir = {folder}
raddbdir = {folder}
run_dir = {folder}
log {{
    destination = stdout
}}
security {{
    allow_core_dumps = no
    reject_delay = 0
    status_server = no
}}
thread pool {{
    start_servers = 4
    max_servers = 4
    min_spare_servers = 1
    max_spare_servers = 4
}}
client localhost {{
    ipaddr = 127.0.0.1
    secret = shared
}}
modules {{
    eap {{
        default_eap_type = tls
        timer_expire = 60
        max_sessions = 4096
        tls-config common {{
            private_key_file = {keys}/rsa2048.key
            certificate_file = {keys}/rsa2048.crt
            ca_file = {keys}/ca.crt
            cipher_list = DEFAULT
            ecdh_curve = ""
            tls_min_version = "1.2"
            tls_max_version = "{version}"
            cache {{
                enable = no
            }}
        }}
        tls {{
            tls = common
        }}
    }}
}}
server default {{
    listen {{
        type = auth
        ipaddr = 127.0.0.1
        port = {port}
    }}
    authorize {{
        eap
    }}
    authenticate {{
        eap
    }}
}}
"""
NETWORK = """\
network={{
    key_mgmt=WPA-EAP
    eap=TLS
    identity="client"
    client_cert="{keys}/{name}-rsa2048.crt"
    private_key="{keys}/client-rsa2048.key"
    phase1="tls_disable_tlsv1_3={old}"
}}
"""


class Radius:
    """The server in the foreground. Use it in a `with` statement: it ends there."""

    def __init__(self, mode: list[str], version: str, keys: Path, build: rig.Build | None, folder: Path):
        folder.mkdir()
        self.port, self.output = rig.free_ports(1)[0], folder / "output"
        (folder / "radiusd.conf").write_text(CONF.format(folder=folder, keys=keys, port=self.port, version=version))
        for name in ("dictionary", "clients.conf"):
            (folder / name).touch()
        self.env = rig.shim_environment(folder, build) if build else rig.clean_environment()
        self.command = [str(SERVER), *mode, "-d", str(folder), "-n", "radiusd", "-l", "stdout"]
        self.status: int | None = None

    def __enter__(self) -> "Radius":
        with open(self.output, "wb") as output:
            self.process = subprocess.Popen(self.command, env=self.env, stdout=output, stderr=output)
        try:
            rig.wait_until(self.listens, "FreeRADIUS listens")
        except rig.LabError as error:
            self.__exit__()
            raise rig.LabError(f"{error}: {self.said()}") from error
        return self

    def listens(self) -> bool:
        """By UDP: the port is taken."""
        if self.process.poll() is not None:
            raise rig.LabError(f"FreeRADIUS ended with {self.process.returncode}")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            try:
                sock.bind(("127.0.0.1", self.port))
            except OSError:
                return True
        return False

    def said(self) -> str:
        return self.output.read_text(errors="replace")[-3000:]

    def __exit__(self, *unused: object) -> None:
        self.status = rig.end_process(self.process)


def outcomes(server: Radius, keys: Path, version: str, place: Path) -> dict[str, Counter[str]]:
    """What came of clients with a good certificate and of others, all mixed and several at a time."""
    found: dict[str, Counter[str]] = {"client": Counter(), "stranger": Counter()}
    names, lock = iter(["client", "client", "client", "stranger"] * (CLIENTS // 3)), threading.Lock()
    for name in found:
        (place / f"{name}.conf").write_text(NETWORK.format(keys=keys, name=name, old=int(version == "1.2")))

    def work() -> None:
        with lock:
            name = next(names)
        if server.process.poll() is not None:
            found[name]["without a server"] += 1
            return
        command = [str(CLIENT), "-c", str(place / f"{name}.conf"), "-a", "127.0.0.1", "-p", str(server.port),
                   "-s", "shared", "-t", str(SECONDS)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        with lock:
            found[name]["accepted" if done.returncode == 0 and "SUCCESS" in done.stdout else "refused"] += 1

    assert not clients.many(CLIENTS // 3 * 4, AT_ONCE, work)
    return found


def verdict(mode, version, keys, build, place) -> tuple[dict[str, Counter[str]], int | None]:
    with Radius(mode, version, keys, build, place / ("octuple" if build else "stock")) as server:
        assert ("liboctuple-async" in (rig.maps_of(server.process.pid) or "")) == (build is not None)
        found = outcomes(server, keys, version, place)
    return found, server.status


@each("version", ["1.2", "1.3"])
@each("mode", [["-f"], ["-fs"]], ids=["threads", "one thread"])
def test_freeradius(build, keys, place, mode, version):
    stock = verdict(mode, version, keys, None, place)
    assert stock[0] == {"client": {"accepted": CLIENTS}, "stranger": {"refused": CLIENTS // 3}}, stock
    assert stock[1] == 0, stock
    assert verdict(mode, version, keys, build, place) == stock
