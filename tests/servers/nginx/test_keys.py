# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Keys in a device: nginx with engines of the test, one that sleeps and one that pauses (docs/keys.md)."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from lab import der, openssl_conf
from tests.servers.common import clients, rig

LATENCY_US = 20_000
THREADS = 4
BOTH = pytest.mark.parametrize("kind", ["slow", "card"])


@pytest.fixture(name="device")
def make_device(build, keys, place):
    """Makes an nginx whose key is the device's; what tells the device to hang or to fail is in the folder."""

    def make(kind: str = "slow", threads: int | str = THREADS, *, key_file: Path | None = None, engine: str = "",
             switches: str = "", **more: str) -> rig.Nginx:
        name = key_file or f"engine:{kind}:{keys}/rsa2048.key"
        key = f"ssl_certificate {keys}/rsa2048.crt; ssl_certificate_key {name};"
        nginx = rig.Nginx(keys, build, [rig.Server(text=key)], own_certificate=False, multi_accept="on",
                          log_level="info")
        conf = place / f"{kind}.cnf"
        conf.write_text(openssl_conf.text(
            {"octuple": f"module = {build.provider}\n{switches}"}, default=False,
            engine=openssl_conf.engine(kind, build.folder / f"lib/{kind}.so", engine)))
        nginx.env.update(OPENSSL_CONF=str(conf), OCTUPLE_KEYS=str(threads),
                         OCTUPLE_TEST_DEVICE_US=str(LATENCY_US),
                         OCTUPLE_TEST_DEVICE_HANG=str(place / "hang"),
                         OCTUPLE_TEST_DEVICE_FAIL=str(place / "fail"), **more)
        return nginx

    return make


def herd(nginx: rig.Nginx, size: int = 12, version: str = "1.3", ciphers: str = "ALL") -> list[bytes]:
    context = rig.client_context(version, ciphers)
    return clients.finish(clients.herd(nginx.worker_pids()[0], nginx.port, context, size))


@pytest.mark.parametrize(("version", "ciphers"), [("1.2", "ECDHE+aRSA"), ("1.3", "ALL")])
def test_more_handshakes_than_threads(device, version, ciphers):
    with device("slow") as nginx:
        assert all(b"200 OK" in answer for answer in herd(nginx, 12, version, ciphers))
        assert nginx.worker().num_threads() == 1 + THREADS


def descriptors(nginx: rig.Nginx, kind: str) -> int:
    """Of the worker: the card keeps a timer for each operation that it has had at a time."""
    return rig.descriptors(nginx.worker_pids()[0], kind)


@pytest.mark.parametrize(("version", "ciphers"), [("1.2", "ECDHE+aRSA"), ("1.3", "ALL")])
def test_a_card_has_many_at_a_time(device, version, ciphers):
    with device("card") as nginx:
        for _ in range(2):
            assert all(b"200 OK" in answer for answer in herd(nginx, 20, version, ciphers))
        assert nginx.worker().num_threads() == 1
        assert descriptors(nginx, "timerfd") > THREADS


def test_off_unless_asked_for(device):
    with device(threads=0) as nginx:
        assert all(b"200 OK" in answer for answer in herd(nginx, 6))
        assert nginx.worker().num_threads() == 1


def test_an_exception_is_left_alone(device):
    with device(threads=f"{THREADS},except=other,except=slow device of the test") as nginx:
        assert all(b"200 OK" in answer for answer in herd(nginx, 6))
        assert nginx.worker().num_threads() == 1


@BOTH
def test_connections_that_end_while_the_device_works(device, kind):
    with device(kind) as nginx:
        herd(nginx)
        idle = descriptors(nginx, "socket:")
        for by_reset in (False, True):
            for client in clients.herd(nginx.worker_pids()[0], nginx.port, rig.client_context(), 12):
                client.reset() if by_reset else client.close()
            assert all(b"200 OK" in answer for answer in herd(nginx))
        rig.wait_until(lambda: descriptors(nginx, "socket:") <= idle, "the connections are closed")


@BOTH
def test_device_that_fails(device, place, kind):
    with device(kind) as nginx:
        nginx.may_say = ("SSL_do_handshake() failed",)
        herd(nginx)
        (place / "fail").touch()
        for client in clients.herd(nginx.worker_pids()[0], nginx.port, rig.client_context(), 6):
            with pytest.raises((OSError, EOFError)):
                clients.finish([client])
        (place / "fail").unlink()
        assert re.search("the test's (device|card) is gone", nginx.log)
        assert all(b"200 OK" in answer for answer in herd(nginx))


@BOTH
def test_device_that_hangs(device, place, kind):
    """Each handshake fails in time, those in line too; when the device is back, all is well."""
    with device(kind, threads=f"{THREADS},timeout=300") as nginx:
        nginx.may_say = ("SSL_do_handshake() failed",)
        herd(nginx)
        (place / "hang").touch()
        for client in clients.herd(nginx.worker_pids()[0], nginx.port, rig.client_context(), 2 * THREADS):
            with pytest.raises((OSError, EOFError)):
                clients.finish([client])
        said = (nginx.folder / "output").read_text() + nginx.log
        assert "the device of a private key has not answered" in said
        (place / "hang").unlink()
        assert all(b"200 OK" in answer for answer in herd(nginx))


@BOTH
def test_reload_while_the_device_works(device, kind):
    with device(kind) as nginx:
        herd(nginx)
        waiting = clients.herd(nginx.worker_pids()[0], nginx.port, rig.client_context(), 12)
        nginx.reload()
        assert all(b"200 OK" in answer for answer in clients.finish(waiting))
        assert all(b"200 OK" in answer for answer in herd(nginx))


def ask(build: rig.Build, nginx: rig.Nginx, *command: str) -> dict:
    """What octuple says of the server in JSON."""
    said = subprocess.run([build.folder / "bin/octuple", *command, "--json", str(nginx.master().pid)],
                          capture_output=True, text=True, check=False)
    if "not permitted" in said.stderr:
        pytest.skip(said.stderr.strip())
    return json.loads(said.stdout)


def counted(build: rig.Build, nginx: rig.Nginx) -> dict:
    """The counters of the worker, whose operations are all over."""
    def now() -> dict:
        return {one["pid"]: one["keys"] for one in
                ask(build, nginx, "top", "--once")["processes"]}[nginx.worker_pids()[0]]

    rig.wait_until(lambda: now()["in_flight"] + now()["threads_working"] == 0, "the device is done")
    return now()


def finding(build: rig.Build, nginx: rig.Nginx) -> dict:
    report = ask(build, nginx, "doctor", "--no-handshake")
    return next((one for one in report["findings"] if one["name"] == "keys"), {})


@BOTH
def test_it_is_seen_from_outside(device, build, kind):
    with device(kind) as nginx:
        assert "no TLS handshake has come yet; such keys: engine " + kind in finding(build, nginx)["text"]
        for _ in range(2):
            herd(nginx)
        keys = counted(build, nginx)
        assert keys["begun"] == keys["done"] == 24 == keys["by_threads"] + keys["by_pausing"] + sum(
            keys["inside"].values())
        assert (keys["by_threads"] if kind == "slow" else keys["by_pausing"]) >= 12
        assert keys["threads"] == (THREADS if kind == "slow" else 0) and keys["limit"] == THREADS
        assert sum(keys["device_us"]) == 24 and keys["device_nanoseconds"] >= 24 * LATENCY_US * 1000
        (owner,) = keys["owners"]
        assert owner["operations"] == 24 and owner["way"] == ("threads" if kind == "slow" else "pauses")
        said = finding(build, nginx)
        assert said["level"] == "ok" and f"{owner['name']}: " in said["text"]
        text = subprocess.run([build.folder / "bin/octuple", "top", "--once", str(nginx.master().pid)],
                              capture_output=True, text=True, check=True).stdout
        assert re.search(r"^keys in devices: 24, 0 in flight \(\d+ at most\), 0 in line", text, re.M), text


def test_why_it_is_not_served(device, build):
    with device(threads=0) as nginx:
        herd(nginx, 3)
        assert counted_off(build, nginx)
        assert "engine slow" in finding(build, nginx)["text"] and "not set" in finding(build, nginx)["text"]
    with device(threads=f"{THREADS},except=slow device of the test") as nginx:
        herd(nginx, 3)
        assert counted(build, nginx)["inside"]["excepted"] == 3
        said = finding(build, nginx)
        assert said["level"] == "note" and "3 excepted by OCTUPLE_KEYS" in said["text"]


def placeholder(keys: Path, where: Path) -> Path:
    """The key as some HSMs leave it in a file: its modulus, and nothing true in place of the private parts."""
    said = subprocess.run(["openssl", "rsa", "-in", keys / "rsa2048.key", "-noout", "-modulus"], capture_output=True,
                          text=True, check=True).stdout
    numbers = [0, int(said.split("=")[1], 16), 65537, 2**2040 + 1, *[2**1023 + 2 * n + 1 for n in range(5)]]
    path = where / "placeholder.key"
    path.write_text(der.pem("RSA PRIVATE KEY", *map(der.integer, numbers)))
    return path


DEFAULT = "default_algorithms = RSA\ninit = 1"


@BOTH
@pytest.mark.parametrize("threads", [0, THREADS])
def test_placeholder_of_a_default_engine(device, build, keys, place, kind, threads):
    """Octuple's provider finds that such a key is none for lanes, and OpenSSL's code comes to the engine. It blocks."""
    key = str(keys / "rsa2048.key")
    with device(kind, threads, key_file=placeholder(keys, place), engine=DEFAULT,
                OCTUPLE_TEST_DEVICE_KEY=key) as nginx:
        for version, ciphers in (("1.2", "ECDHE+aRSA"), ("1.3", "ALL")):
            assert all(b"200 OK" in answer for answer in herd(nginx, 6, version, ciphers))
        count = nginx.counters()["rsa2048-private"]
        assert count.fallback >= 12 and count.done == count.failed == 0
        assert nginx.worker().num_threads() == 1
        assert counted_off(build, nginx) if threads == 0 else counted(build, nginx)["begun"] == 0


@BOTH
@pytest.mark.parametrize("whole", [True, False])
def test_key_of_openssls_provider_beneath_which_is_an_engine(device, build, keys, place, kind, whole):
    """Where Octuple's leaves RSA alone the engine is seen. The key is a file as every other, or a placeholder."""
    key = keys / "rsa2048.key"
    with device(kind, key_file=key if whole else placeholder(keys, place), engine=DEFAULT,
                switches="rsa = off", OCTUPLE_TEST_DEVICE_KEY=str(key)) as nginx:
        for version, ciphers in (("1.2", "ECDHE+aRSA"), ("1.3", "ALL")):
            assert all(b"200 OK" in answer for answer in herd(nginx, 12, version, ciphers))
        assert nginx.worker().num_threads() == (1 + THREADS if kind == "slow" else 1)
        assert (descriptors(nginx, "timerfd") > THREADS) == (kind == "card")
        keys_counted = counted(build, nginx)
        assert keys_counted["begun"] == keys_counted["done"] == 24
        assert [owner["name"] for owner in keys_counted["owners"]] == [kind]


def counted_off(build: rig.Build, nginx: rig.Nginx) -> bool:
    return all(one["keys"] is None for one in ask(build, nginx, "top", "--once")["processes"])
