# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The set-ups: what each writes into openssl.cnf, and how its key and certificate come about.

Each has a folder of its own. start() makes the key, and leaves `certificate`, `key` (files for nginx), `conf` (a file
for OPENSSL_CONF) and `environment`.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from pathlib import Path

from lab import der, devices, openssl_conf
from lab.programs import Build, answers, clean_environment, free_ports
from lab.servers.nginx import ServerError, make_keys

MODULES = "/usr/lib/x86_64-linux-gnu"
QAT = openssl_conf.engine("qatengine", f"{MODULES}/engines-3/qatengine.so", "default_algorithms = RSA,EC", "init = 1")


def uri_pem(uri: str) -> str:
    """What pkcs11-provider reads for a key: its uri2pem writes the same."""
    return der.pem("PKCS#11 PROVIDER URI", der.value(der.VISIBLE_STRING, b"PKCS#11 Provider URI v1.0"),
                   der.value(der.UTF8_STRING, uri.encode()))


def two_ports() -> int:
    """The first of two in a row: tpm2-tss takes the second for the control channel."""
    while True:
        port = free_ports(1)[0]
        with socket.socket() as sock:
            try:
                sock.bind(("127.0.0.1", port + 1))
                return port
            except OSError:
                continue


def wait_for(port: int) -> None:
    end = time.monotonic() + 10
    while not answers(port):
        if time.monotonic() > end:
            raise ServerError(f"nothing listens on port {port}")
        time.sleep(0.1)


class Setup:
    """`packages`: of Debian. `module`: what nginx must have loaded. `way`: how operations go with OCTUPLE_KEYS,
    `threads`, `pausing` or `alone`; empty if there are no keys that live elsewhere. `reloads`: a reload comes amid the
    load. `by_hand`: not by `octuple run`, but with the shim and the provider in nginx's environment. `switches`: of the
    provider then. `preload`: a library of the build, for all sides. `flag`: of the processor, without which it is
    skipped."""

    packages: tuple[str, ...] = ()
    module = ""
    way = ""
    reloads = True
    by_hand = False
    switches = ""
    preload = ""
    flag = ""

    def __init__(self, folder: Path):
        self.folder, self.environment = folder, {}
        folder.mkdir(mode=0o755, parents=True)
        self.certificate, self.conf = folder / "rsa2048.crt", folder / "openssl.cnf"
        self.key: Path | str = folder / "rsa2048.key"

    def start(self) -> None:
        raise NotImplementedError

    def with_octuple(self, build: Build) -> dict[str, str]:
        """nginx's environment where `octuple run` does not make it."""
        conf = self.folder / "by-hand.cnf"
        list_and_octuple = "[provider_list]\noctuple = octuple_provider\n"
        ours = f"[octuple_provider]\nmodule = {build.provider}\nactivate = 1\n{self.switches}"
        conf.write_text(self.conf.read_text().replace("[provider_list]\n", list_and_octuple) + ours)
        return {"LD_PRELOAD": str(build.shim), "OPENSSL_CONF": str(conf)}

    def stop(self) -> None:
        """What start() left running ends."""


class SoftHsm(Setup):
    """By pkcs11-provider."""

    packages = ("softhsm2", "pkcs11-provider")
    module = "ossl-modules/pkcs11.so"
    way = "threads"

    def make_token(self) -> None:
        make_keys(self.folder, ["rsa2048"])
        self.environment = devices.make_token(self.folder / "token", self.folder)
        (self.folder / "rsa2048.key").unlink()  # it is nowhere but in the token

    def start(self) -> None:
        self.make_token()
        self.key = self.folder / "key.pem"
        self.key.write_text(uri_pem(devices.URI))
        lines = (f"module = {MODULES}/ossl-modules/pkcs11.so\n"
                 f"pkcs11-module-path = {devices.SOFTHSM}\n"
                 # Without the quirks nginx crashes where it ends; without the PIN a worker asks for it.
                 f"pkcs11-module-quirks = no-deinit no-operation-state\npkcs11-module-token-pin = {devices.PIN}\n"
                 "activate = 1")
        self.conf.write_text(openssl_conf.text({"pkcs11": lines}))


class SoftHsmEngine(SoftHsm):
    """By libengine-pkcs11-openssl, where there is no pkcs11-provider yet."""

    packages = ("softhsm2", "libengine-pkcs11-openssl")
    module = "engines-3/pkcs11.so"

    def start(self) -> None:
        self.make_token()
        self.key = f"engine:pkcs11:{devices.URI}"
        one = openssl_conf.engine("pkcs11", devices.ENGINE, f"MODULE_PATH = {devices.SOFTHSM}", "init = 1")
        self.conf.write_text(openssl_conf.text({}, default=False, engine=one))


class Tpm(Setup):
    """Without a resource manager the master and its workers share one connection to the TPM. A worker that goes takes
    the keys of the others along, with Octuple or without, so there is no reload."""

    packages = ("swtpm", "tpm2-openssl")
    module = "ossl-modules/tpm2.so"
    way = "alone"
    reloads = False
    preference = ""  # a private key of the TPM's goes nowhere else
    process: subprocess.Popen | None = None

    def start(self) -> None:
        server = two_ports()
        state = self.folder / "state"
        state.mkdir()
        self.process = subprocess.Popen(
            ["swtpm", "socket", "--tpm2", "--tpmstate", f"dir={state}", "--server", f"type=tcp,port={server}",
             "--ctrl", f"type=tcp,port={server + 1}", "--flags", "not-need-init,startup-clear"])
        wait_for(server)
        self.environment = {"TPM2OPENSSL_TCTI": f"swtpm:port={server}"}
        self.make_key()
        self.conf.write_text(openssl_conf.text({"tpm2": Path(MODULES, "ossl-modules/tpm2.so")},
                                               properties=self.preference))

    def make_key(self) -> None:
        here = clean_environment() | self.environment
        subprocess.run(["openssl", "genpkey", "-provider", "tpm2", "-algorithm", "RSA", "-pkeyopt", "bits:2048", "-out",
                        str(self.key)], env=here, check=True)
        subprocess.run(["openssl", "req", "-provider", "tpm2", "-provider", "default", "-propquery", "?provider=tpm2",
                        "-x509", "-days", "2", "-subj", "/CN=localhost", "-key", str(self.key), "-out",
                        str(self.certificate)], env=here, check=True)
        os.chmod(self.key, 0o644)

    def stop(self) -> None:
        if self.process:
            self.process.terminate()
            self.process.wait()


class OldTpm(Tpm):
    """Of tpm2-openssl 1.1.1 on OpenSSL 3.0 libssl takes signatures to the preferred provider, with half a key."""

    by_hand = True
    preference = "?provider=tpm2,tpm2.digest!=yes,tpm2.cipher!=yes"


class Qat(Setup):
    """Keys are files. Octuple's provider has them where it runs, else the default provider, by the engine's methods."""

    packages = ("qatengine", "libqat4")
    module = "engines-3/qatengine.so"

    def start(self) -> None:
        make_keys(self.folder, ["rsa2048"])
        self.conf.write_text(openssl_conf.text({}, default=False, engine=QAT))


class QatBuffers(Qat):
    """Its multi-buffer code pauses jobs as a card does. It is there on Intel's processors, and wherever vendor.c says
    so. Octuple's provider leaves RSA and EC to the default one."""

    way = "pausing"
    by_hand = True
    switches = "rsa = off\nec = off\n"
    preload = "vendor.so"
    flag = "avx512ifma"

    def start(self) -> None:
        make_keys(self.folder, ["rsa2048"])
        self.conf.write_text(openssl_conf.text({}, engine=QAT))


SETUPS = {"trixie": {"softhsm": SoftHsm, "tpm": Tpm, "qat": Qat, "qat-buffers": QatBuffers},
          "bookworm": {"softhsm": SoftHsmEngine, "tpm": OldTpm}}
