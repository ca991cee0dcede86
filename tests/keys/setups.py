# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The set-ups: what each writes into openssl.cnf, and how its key and certificate come about.

Each has a folder of its own. start() makes the key, and leaves `certificate`, `key` (files for nginx), `conf` (a file
for OPENSSL_CONF) and `environment`.
"""

from __future__ import annotations

import base64
import os
import socket
import subprocess
import time
from pathlib import Path

from octbench import devices
from octbench.programs import clean_environment, free_ports
from octbench.server import Nginx, ServerError, make_keys

MODULES = "/usr/lib/x86_64-linux-gnu"
PROVIDERS = """\
openssl_conf = init
[init]
providers = provider_list
{more}
[provider_list]
default = default_provider
{name} = this_provider
[default_provider]
activate = 1
[this_provider]
{lines}
activate = 1
"""
ENGINE = """\
openssl_conf = init
[init]
engines = engine_list
[engine_list]
qat = qat_engine
[qat_engine]
engine_id = qatengine
dynamic_path = {modules}/engines-3/qatengine.so
default_algorithms = RSA,EC
init = 1
"""


def der(tag: int, content: bytes) -> bytes:
    """Of less than 256 bytes."""
    long = b"\x81" if len(content) > 127 else b""
    return bytes([tag]) + long + bytes([len(content)]) + content


def uri_pem(uri: str) -> str:
    """What pkcs11-provider reads for a key: its uri2pem writes the same."""
    inner = der(0x1A, b"PKCS#11 Provider URI v1.0") + der(0x0C, uri.encode())
    body = base64.encodebytes(der(0x30, inner)).decode()
    return f"-----BEGIN PKCS#11 PROVIDER URI-----\n{body}-----END PKCS#11 PROVIDER URI-----\n"


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
    while not Nginx.answers(port):
        if time.monotonic() > end:
            raise ServerError(f"nothing listens on port {port}")
        time.sleep(0.1)


class Setup:
    """`helpers`: whether OCTUPLE_KEYS is to bring helper threads. `reloads`: a reload comes amid the load."""

    helpers = False
    reloads = True

    def __init__(self, folder: Path):
        self.folder, self.environment = folder, {}
        folder.mkdir(mode=0o755, parents=True)
        self.certificate, self.key = folder / "rsa2048.crt", folder / "rsa2048.key"
        self.conf = folder / "openssl.cnf"

    def start(self) -> None:
        raise NotImplementedError

    def stop(self) -> None:
        """What start() left running ends."""


class SoftHsm(Setup):
    helpers = True

    def start(self) -> None:
        make_keys(self.folder, ["rsa2048"])
        self.environment = devices.make_token(self.folder / "token", self.folder)
        self.key.unlink()  # it is nowhere but in the token
        self.key = self.folder / "key.pem"
        self.key.write_text(uri_pem(devices.URI))
        lines = (f"module = {MODULES}/ossl-modules/pkcs11.so\n"
                 f"pkcs11-module-path = {devices.SOFTHSM}\n"
                 # Without the quirks nginx crashes where it ends; without the PIN a worker asks for it.
                 f"pkcs11-module-quirks = no-deinit no-operation-state\npkcs11-module-token-pin = {devices.PIN}")
        self.conf.write_text(PROVIDERS.format(name="pkcs11", lines=lines, more=""))


class Tpm(Setup):
    """Without a resource manager the master and its workers share one connection to the TPM. A worker that goes takes
    the keys of the others along, with Octuple or without, so there is no reload."""

    reloads = False
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
        # Keys of the default provider, as those of key exchanges, stay there.
        more = "alg_section = algorithms\n[algorithms]\ndefault_properties = ?provider!=tpm2"
        self.conf.write_text(PROVIDERS.format(name="tpm2", lines=f"module = {MODULES}/ossl-modules/tpm2.so",
                                              more=more))

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


class Qat(Setup):
    def start(self) -> None:
        make_keys(self.folder, ["rsa2048"])
        self.conf.write_text(ENGINE.format(modules=MODULES))


SETUPS = {"softhsm": SoftHsm, "tpm": Tpm, "qat": Qat}
