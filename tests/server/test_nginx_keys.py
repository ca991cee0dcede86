# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Keys in a device: nginx with an engine of the test that sleeps, its operations on helper threads (docs/keys.md)."""

from __future__ import annotations

from pathlib import Path

import pytest

import clients
import lab

LATENCY_US = 20_000
THREADS = 4
ENGINE = """
[engine_sect]
slow = slow_sect
[slow_sect]
engine_id = slow
dynamic_path = {module}
"""


@pytest.fixture(name="device")
def make_device(build, keys, place):
    """Makes an nginx whose key is the device's; what tells the device to hang or to fail is in the folder."""

    def make(threads: int = THREADS, **more: str) -> lab.Nginx:
        key = f"ssl_certificate {keys}/rsa2048.crt; ssl_certificate_key engine:slow:{keys}/rsa2048.key;"
        nginx = lab.Nginx(keys, build, [lab.Server(text=key)], own_certificate=False, multi_accept="on",
                          log_level="info")
        conf = Path(nginx.env["OPENSSL_CONF"])
        text = conf.read_text().replace("[init]", "[init]\nengines = engine_sect", 1)
        conf.write_text(text + ENGINE.format(module=build.folder / "lib/slow.so"))
        nginx.env.update(OCTUPLE_KEYS=str(threads), OCTUPLE_TEST_DEVICE_US=str(LATENCY_US),
                         OCTUPLE_TEST_DEVICE_HANG=str(place / "hang"),
                         OCTUPLE_TEST_DEVICE_FAIL=str(place / "fail"), **more)
        return nginx

    return make


def herd(nginx: lab.Nginx, size: int = 12, version: str = "1.3", ciphers: str = "ALL") -> list[bytes]:
    context = lab.client_context(version, ciphers)
    return clients.finish(clients.herd(nginx.worker_pids()[0], nginx.port, context, size))


@pytest.mark.parametrize(("version", "ciphers"), [("1.2", "ECDHE+aRSA"), ("1.3", "ALL")])
def test_more_handshakes_than_threads(device, version, ciphers):
    with device() as nginx:
        assert all(b"200 OK" in answer for answer in herd(nginx, 12, version, ciphers))
        assert nginx.worker().num_threads() == 1 + THREADS


def test_off_unless_asked_for(device):
    with device(threads=0) as nginx:
        assert all(b"200 OK" in answer for answer in herd(nginx, 6))
        assert nginx.worker().num_threads() == 1


def test_an_exception_is_left_alone(device):
    with device(OCTUPLE_KEYS_EXCEPT="other,slow device of the test") as nginx:
        assert all(b"200 OK" in answer for answer in herd(nginx, 6))
        assert nginx.worker().num_threads() == 1


def test_connections_that_end_while_the_device_works(device):
    with device() as nginx:
        herd(nginx)
        idle = max(nginx.fd_counts())
        for by_reset in (False, True):
            for client in clients.herd(nginx.worker_pids()[0], nginx.port, lab.client_context(), 12):
                client.reset() if by_reset else client.close()
            assert all(b"200 OK" in answer for answer in herd(nginx))
        lab.wait_until(lambda: max(nginx.fd_counts()) <= idle, "the connections are closed")


def test_device_that_fails(device, place):
    with device() as nginx:
        nginx.may_say = ("SSL_do_handshake() failed",)
        herd(nginx)
        (place / "fail").touch()
        for client in clients.herd(nginx.worker_pids()[0], nginx.port, lab.client_context(), 6):
            with pytest.raises((OSError, EOFError)):
                clients.finish([client])
        (place / "fail").unlink()
        assert "the test's device is gone" in nginx.log
        assert all(b"200 OK" in answer for answer in herd(nginx))


def test_device_that_hangs(device, place):
    """Each handshake fails in time, those in line too; when the device is back, all is well."""
    with device(OCTUPLE_KEYS_TIMEOUT="300") as nginx:
        nginx.may_say = ("SSL_do_handshake() failed",)
        herd(nginx)
        (place / "hang").touch()
        for client in clients.herd(nginx.worker_pids()[0], nginx.port, lab.client_context(), 2 * THREADS):
            with pytest.raises((OSError, EOFError)):
                clients.finish([client])
        said = (nginx.folder / "output").read_text() + nginx.log
        assert "the device of a private key has not answered" in said
        (place / "hang").unlink()
        assert all(b"200 OK" in answer for answer in herd(nginx))


def test_reload_while_the_device_works(device):
    with device() as nginx:
        herd(nginx)
        waiting = clients.herd(nginx.worker_pids()[0], nginx.port, lab.client_context(), 12)
        nginx.reload()
        assert all(b"200 OK" in answer for answer in clients.finish(waiting))
        assert all(b"200 OK" in answer for answer in herd(nginx))
