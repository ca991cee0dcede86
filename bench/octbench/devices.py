# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""nginx with its RSA key in a device of the test (bench/devices): `token` is SoftHSM2 behind a PKCS#11 module that
sleeps first, `slow` an engine that sleeps, `card` one that pauses on a timer."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from .programs import Build
from .server import CONFIG_HEAD, Nginx, ServerError

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
        ssl_certificate_key "engine:{engine}:{key}";
        return 200 "ok\\n";
    }}
"""


def missing() -> list[str]:
    wanted = {"softhsm2": SOFTHSM, "libengine-pkcs11-openssl": ENGINE}
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
        elif device == "card":
            self.settings["OCTUPLE_TEST_CARD_IDLE"] = "1"

    def prepare_child(self) -> None:
        super().prepare_child()
        os.sched_setaffinity(0, self.cpus)

    def write_config(self) -> None:
        self.folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        self.counters_folder.mkdir(exist_ok=True)
        self.counters_folder.chmod(0o1777)
        token = self.device == "token"
        engine, path = ("pkcs11", ENGINE) if token else (self.device, str(self.modules / f"{self.device}.so"))
        more = f"MODULE_PATH = {self.modules}/token.so" if token else ""
        conf = self.folder / "openssl.cnf"
        conf.write_text(OPENSSL_CONF.format(engine=engine, path=path, more=more))
        self.settings["OPENSSL_CONF"] = str(conf)
        key = URI if token else f"{self.keys}/rsa2048.key"
        text = CONFIG_HEAD.format(folder=self.folder) + SERVERS.format(
            tls=self.ports["tls"], plain=self.ports["plain"], keys=self.keys, engine=engine, key=key) + "}\n"
        # SoftHSM2 has to be found where nginx loads the key, and where its worker signs.
        kept = "".join(f"env {name};\n" for name in self.settings)
        (self.folder / "nginx.conf").write_text(kept + text)

    def stop(self) -> None:
        super().stop()
        shutil.rmtree(self.folder / "token", ignore_errors=True)
