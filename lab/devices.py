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

from . import openssl_conf
from .programs import Build
from .servers import conf
from .servers.nginx import Nginx, ServerError

ENGINE = "/usr/lib/x86_64-linux-gnu/engines-3/pkcs11.so"
SOFTHSM = "/usr/lib/softhsm/libsofthsm2.so"
PIN = "1234"
URI = f"pkcs11:token=octuple;object=k;type=private;pin-value={PIN}"

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
            ours = {"octuple": f"module = {self.build.provider}\nrsa = off\nactivate = 1"} if self.build else {}
            return openssl_conf.text({"device": self.modules / "tardy.so"} | ours,
                                     properties="?octuple.serves=yes," * bool(ours) + "?provider=tardy")
        if self.device == "token":
            one = openssl_conf.engine("pkcs11", ENGINE, f"MODULE_PATH = {self.modules}/token.so", "init = 1")
        else:
            one = openssl_conf.engine(self.device, self.modules / f"{self.device}.so", "init = 1")
        return openssl_conf.text({}, default=False, engine=one)

    def write_config(self) -> None:
        self.folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        self.counters_folder.mkdir(exist_ok=True)
        self.counters_folder.chmod(0o1777)
        path = self.folder / "openssl.cnf"
        path.write_text(self.openssl_conf())
        self.settings["OPENSSL_CONF"] = str(path)
        if self.build and self.device in PROVIDERS:
            self.settings["LD_PRELOAD"] = str(self.build.shim)
        self.write_server_config()

    def write_server_config(self) -> None:
        """nginx's own."""
        key = URI if self.device == "token" else f"{self.keys}/rsa2048.key"
        name = key if self.device in PROVIDERS else f"engine:{self.engine()}:{key}"
        # SoftHSM2 has to be found where nginx loads the key, and where its worker signs.
        kept = "".join(f"env {setting};\n" for setting in self.settings)
        both = conf.server(f"listen 127.0.0.1:{self.ports['tls']} ssl backlog=4096;",
                           f"listen 127.0.0.1:{self.ports['plain']};", f"ssl_certificate {self.keys}/rsa2048.crt;",
                           f'ssl_certificate_key "{name}";', conf.ANSWER)
        (self.folder / "nginx.conf").write_text(conf.nginx(self.folder, [both], main=kept))

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
        binds = (f"bind 127.0.0.1:{self.ports['plain']}",
                 f"bind 127.0.0.1:{self.ports['tls']} backlog 4096 ssl crt {self.folder}/both.pem")
        text = conf.haproxy(conf.frontend("f", *binds, conf.HAPROXY_ANSWER), seconds=60)
        (self.folder / "haproxy.cfg").write_text(text)
