# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""A large file from an accelerated nginx with its ciphers switched on, by every AEAD of TLS 1.2 and 1.3, to curl on
OpenSSL alone: what arrives is the file."""

from __future__ import annotations

import hashlib
import random
import subprocess
from collections.abc import Iterator

import pytest

from tests.servers.common import rig

SIZE = 5 << 20
SUITES_13 = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"]
SUITES_12 = ["ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-CHACHA20-POLY1305"]
# Of RSA key exchange and of finite fields too: the record layer is the same, the keys come another way.
SUITES_12 += ["AES128-GCM-SHA256", "AES256-GCM-SHA384"]


@pytest.fixture(scope="module")
def site(build, keys) -> Iterator[tuple[rig.Nginx, str]]:
    where = rig.folder("site")
    data = random.Random(5).randbytes(SIZE)
    (where / "file").write_bytes(data)
    (where / "file").chmod(0o644)
    server = rig.Server("rsa2048", location=f"root {where};")
    switches = "aes-gcm = on\nchacha20-poly1305 = on"  # also where they do not pay
    with rig.Nginx(keys, build, [server], switches=switches, workers=2) as nginx:
        yield nginx, hashlib.sha256(data).hexdigest()
    (where / "file").unlink()
    where.rmdir()


def fetch(nginx: rig.Nginx, *options: str) -> tuple[bytes, str]:
    """The body, and what curl says about the connection."""
    command = ["curl", "-q", "-sSvk", "--max-time", "120", *options, f"https://127.0.0.1:{nginx.port}/file"]
    done = subprocess.run(command, env=rig.clean_environment(), capture_output=True, check=True)
    return done.stdout, done.stderr.decode(errors="replace")


@pytest.mark.parametrize("suite", SUITES_13 + SUITES_12)
def test_file(site, suite):
    nginx, wanted = site
    if suite in SUITES_13:
        options = ["--tlsv1.3", "--tls13-ciphers", suite]
    else:
        options = ["--tls-max", "1.2", "--ciphers", suite]
    body, said = fetch(nginx, *options)
    assert suite in said
    assert hashlib.sha256(body).hexdigest() == wanted


def test_many_at_once(site):
    """Connections of all suites side by side in the same workers, and ranges, so that records are of all sizes."""
    nginx, wanted = site
    commands = []
    for suite in SUITES_13 * 3:
        for first, last in ((0, 0), (1, 16383), (16384, 100000), (100001, SIZE - 1)):
            commands.append(["curl", "-q", "-sSk", "--max-time", "120", "--tlsv1.3", "--tls13-ciphers", suite, "-r",
                             f"{first}-{last}", f"https://127.0.0.1:{nginx.port}/file"])
    running = [subprocess.Popen(command, env=rig.clean_environment(), stdout=subprocess.PIPE) for command in commands]
    parts = [process.communicate()[0] for process in running]
    assert all(process.returncode == 0 for process in running)
    for at in range(0, len(parts), 4):
        assert hashlib.sha256(b"".join(parts[at:at + 4])).hexdigest() == wanted


def test_provider_is_in_use(site):
    nginx, _ = site
    assert nginx.uses_shim()
    assert all("/octuple.so" in rig.Path(f"/proc/{pid}/maps").read_text() for pid in nginx.worker_pids())
