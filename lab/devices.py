# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""nginx and HAProxy with their RSA key in a device of the test (bench/programs/devices).

`token` is SoftHSM2 behind a PKCS#11 module that sleeps first, `card` an engine that pauses on a timer, `slow` one that
sleeps. `provider` is a provider that sleeps, and `pausing` the same one when it pauses as a card's does. HAProxy 2.6
takes its keys from files, so the latter two are for it. They are set up by hand: `octuple run` leaves a program alone
whose configuration prefers a provider.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from .programs import Build
from .servers.nginx import CONFIG_HEAD, Nginx, ServerError

ENGINE = "/usr/lib/x86_64-linux-gnu/engines-3/pkcs11.so"
SOFTHSM = "/usr/lib/softhsm/libsofthsm2.so"
PIN = "1234"
URI = f"pkcs11:token=octuple;object=k;type=private;pin-value={PIN}"

OPENSSL_CONF = """\
openssl_conf = init
[init]
engines = engine_list
[engine_list]
device = device_engine
[device_engine]
engine_id = {engine}
dynamic_path = {path}
{more}
init = 1
"""
SERVERS = """\
    server {{
        listen 127.0.0.1:{tls} ssl backlog=4096;
        listen 127.0.0.1:{plain};
        ssl_certificate {keys}/rsa2048.crt;
        ssl_certificate_key "{key}";
        return 200 "ok\\n";
    }}
"""
PROVIDER_CONF = """\
openssl_conf = init
[init]
providers = provider_list
alg_section = algorithms
[provider_list]
default = default_provider
device = device_provider
{listed}[default_provider]
activate = 1
[device_provider]
module = {module}
activate = 1
{ours}[algorithms]
default_properties = {preferred}?provider=tardy
"""
OURS = """\
[octuple_provider]
module = {module}
rsa = off
activate = 1
"""
HAPROXY = """\
global
    nbthread 1
    maxconn 4000
defaults
    mode http
    timeout connect 10s
    timeout client 60s
    timeout server 60s
frontend f
    bind 127.0.0.1:{plain}
    bind 127.0.0.1:{tls} backlog 4096 ssl crt {folder}/both.pem
    http-request return status 200 content-type text/plain string ok
"""
PROVIDERS = ("provider", "pausing")


def missing() -> list[str]:
    wanted = {"softhsm2": SOFTHSM, "libengine-pkcs11-openssl": ENGINE, "haproxy": "/usr/sbin/haproxy"}
    return [package for package, path in wanted.items() if not Path(path).exists()]


def make_token(folder: Path, keys: Path) -> dict[str, str]:
    """A token of SoftHSM2 with the key in it; the environment that finds it. nginx's worker is another user."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokens").mkdir(exist_ok=True)
    conf = folder / "softhsm2.conf"
    conf.write_text(f"directories.tokendir = {folder}/tokens\nobjectstore.backend = file\nlog.level = ERROR\n")
    environment = {"SOFTHSM2_CONF": str(conf)}
    pkcs8 = folder / "k.p8"
    for command in (["openssl", "pkcs8", "-topk8", "-nocrypt", "-in", f"{keys}/rsa2048.key", "-out", str(pkcs8)],
                    ["softhsm2-util", "--init-token", "--free", "--label", "octuple", "--pin", PIN, "--so-pin", PIN],
                    ["softhsm2-util", "--import", str(pkcs8), "--token", "octuple", "--label", "k", "--id", "01",
                     "--pin", PIN]):
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | environment)
        if done.returncode:
            raise ServerError(f"{' '.join(command)}: {done.stderr.strip()}")
    pkcs8.unlink()
    for path in (folder / "tokens").rglob("*"):
        path.chmod(0o777 if path.is_dir() else 0o666)
    (folder / "tokens").chmod(0o777)
    return environment


class DeviceNginx(Nginx):
    """One nginx; `threads` 0: stock."""

    def __init__(self, name: str, folder: Path, keys: Path, cpus: set[int], build: Build, *, device: str, micros: int,
                 threads: int):
        super().__init__(name, folder, keys, ["tls", "plain"], min(cpus), build if threads else None)
        self.device, self.cpus, self.modules = device, cpus, build.folder / "lib"
        self.settings["OCTUPLE_TEST_DEVICE_US"] = str(micros)
        if threads:
            self.settings["OCTUPLE_KEYS"] = str(threads)
        if device == "token":
            self.settings["OCTUPLE_TEST_DEVICE_MODULE"] = SOFTHSM
            self.settings |= make_token(folder / "token", keys)
        elif device != "slow":
            self.settings["OCTUPLE_TEST_CARD_IDLE"] = "1"
        if device == "pausing":
            self.settings["OCTUPLE_TEST_DEVICE_PAUSES"] = "1"

    def prepare_child(self) -> None:
        super().prepare_child()
        os.sched_setaffinity(0, self.cpus)

    def launcher(self) -> list[str]:
        return [] if self.device in PROVIDERS else super().launcher()

    def engine(self) -> str:
        return "pkcs11" if self.device == "token" else self.device

    def openssl_conf(self) -> str:
        if self.device in PROVIDERS:
            ours = OURS.format(module=self.build.provider) if self.build else ""
            return PROVIDER_CONF.format(module=self.modules / "tardy.so", ours=ours,
                                        listed="octuple = octuple_provider\n" if ours else "",
                                        preferred="?octuple.serves=yes," if ours else "")
        token = self.device == "token"
        return OPENSSL_CONF.format(engine=self.engine(),
                                   path=ENGINE if token else str(self.modules / f"{self.device}.so"),
                                   more=f"MODULE_PATH = {self.modules}/token.so" if token else "")

    def write_config(self) -> None:
        self.folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        self.counters_folder.mkdir(exist_ok=True)
        self.counters_folder.chmod(0o1777)
        conf = self.folder / "openssl.cnf"
        conf.write_text(self.openssl_conf())
        self.settings["OPENSSL_CONF"] = str(conf)
        if self.build and self.device in PROVIDERS:
            self.settings["LD_PRELOAD"] = str(self.build.shim)
        self.write_server_config()

    def write_server_config(self) -> None:
        """nginx's own."""
        key = URI if self.device == "token" else f"{self.keys}/rsa2048.key"
        name = key if self.device in PROVIDERS else f"engine:{self.engine()}:{key}"
        text = CONFIG_HEAD.format(folder=self.folder) + SERVERS.format(
            tls=self.ports["tls"], plain=self.ports["plain"], keys=self.keys, key=name) + "}\n"
        # SoftHSM2 has to be found where nginx loads the key, and where its worker signs.
        kept = "".join(f"env {name};\n" for name in self.settings)
        (self.folder / "nginx.conf").write_text(kept + text)

    def stop(self) -> None:
        super().stop()
        shutil.rmtree(self.folder / "token", ignore_errors=True)


class DeviceHAProxy(DeviceNginx):
    """The same with HAProxy, which also has a master and a worker."""

    program = "HAProxy"

    def command(self) -> list[str]:
        return [*self.launcher(), "/usr/sbin/haproxy", "-W", "-db", "-f", str(self.folder / "haproxy.cfg")]

    def write_server_config(self) -> None:
        if self.device not in PROVIDERS:
            raise ServerError(f"HAProxy takes no key of the device {self.device}, but of {' and '.join(PROVIDERS)}")
        both = "".join((self.keys / f"rsa2048.{part}").read_text() for part in ("crt", "key"))
        (self.folder / "both.pem").write_text(both)
        (self.folder / "haproxy.cfg").write_text(HAPROXY.format(folder=self.folder, **self.ports))
