# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Early data that OpenSSL's own client sends to nginx, stock and with Octuple: taken, replayed, and refused for one
reason or another. What clients are told and answered must be the same."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.servers.common import clients, rig

HERD = 4
EARLY = "ssl_early_data on; ssl_session_cache shared:it:1m; ssl_ecdh_curve X25519;"
ANSWER = 'return 200 "early=$ssl_early_data;$ssl_session_reused;$request_uri\\n";'
ASK = b"GET /%s HTTP/1.1\r\nHost: localhost\r\n%s\r\n"
FIRST, LAST = ASK % (b"first", b""), ASK % (b"last", b"Connection: close\r\n")
LIMIT = 16384  # of nginx, in bytes


class Scene:
    """An nginx and the sessions that its clients keep, each in a file."""

    def __init__(self, nginx: rig.Nginx, place: Path):
        self.nginx, self.place, self.seen = nginx, place, {}
        (place / "first").write_bytes(FIRST)
        (place / "nothing").touch()
        (place / "headers").write_bytes(ASK % (b"first", b"X: " + b"x" * 4000 + b"\r\n"))
        head = ASK % (b"first", b"Content-Length: 16000\r\n")
        (place / "much").write_bytes((head + bytes(16000))[:LIMIT])

    def come(self, kind: str, more: Callable[[int], list[str]], then: bytes = LAST) -> None:
        """A herd whose hellos arrive at the same time, with full handshakes among them."""
        with clients.stopped(self.nginx.worker_pids()[0]):
            runs = {kind: [clients.s_client(self.nginx.port, "-tls1_3", *more(i)) for i in range(HERD)]}
            runs["beside " + kind] = [clients.s_client(self.nginx.port, "-tls1_3") for _ in range(HERD // 2)]
            clients.arrived(self.nginx.port, HERD + HERD // 2)
        for name, herd in runs.items():
            self.seen[name] = Counter(outcome(run, then if name == kind else LAST) for run in herd)

    def full(self, kind: str) -> None:
        self.come(kind, lambda i: ["-sess_out", f"{self.place}/{i}"])

    def early(self, kind: str, name: str = "first", *more: str) -> None:
        self.come(kind, lambda i: ["-sess_in", f"{self.place}/{i}", "-early_data", f"{self.place}/{name}", *more])


def outcome(run: subprocess.Popen[bytes], then: bytes) -> str:
    """What the client says of the handshake, and the answers to its requests."""
    try:
        said = run.communicate(then, timeout=rig.PATIENCE)[0].decode(errors="replace")
    except subprocess.TimeoutExpired:
        run.kill()
        run.communicate()
        return "hangs"
    words = re.findall(r"Early data was ([a-z ]+)|^(New|Reused), |(early=.*)|(alert [a-z ]+)|(HTTP/1.1 [45]\d\d)", said,
                       re.M)
    # Whether nginx still is in the handshake when it answers a first request depends on when the client's end comes.
    words = ["".join(word).strip().replace("early=1;r;/first", "early=;r;/first") for word in words]
    return f"{run.returncode}: {', '.join(words)}"


def restart(scene: Scene) -> None:
    """Another process on the same port, which knows none of the sessions."""
    assert scene.nginx.stop() == 0
    scene.nginx.start()


def play(which, keys: Path, place: Path) -> dict[str, Counter]:
    place.mkdir(mode=0o755)
    with rig.Nginx(keys, which, [rig.Server(text=EARLY, location=ANSWER)]) as nginx:
        nginx.may_say = ("SSL_read_early_data() failed", "SSL_do_handshake() failed", "SSL_read() failed")
        scene = Scene(nginx, place)
        scene.full("full")
        scene.early("taken")
        scene.early("replayed")
        for kind, name in (("headers of 4000 bytes", "headers"), ("nothing", "nothing"),
                           ("all that is allowed", "much")):
            scene.full(f"before {kind}")
            scene.early(kind, name)
        scene.full("before another suite")
        scene.early("another suite", "first", "-ciphersuites", "TLS_AES_128_GCM_SHA256")
        scene.full("before a second hello")
        scene.early("a second hello", "first", "-groups", "P-384:X25519")
        scene.full("before a reload")
        nginx.reload()
        rig.wait_until(lambda: len(nginx.master().children()) == 1, "the old worker ends")
        scene.early("after a reload")
        scene.full("before a restart")
        restart(scene)
        scene.early("after a restart")
        scene.full("at last")
        if which:
            count = nginx.counters()["rsa2048-private"]
            assert count.done > 0 and count.failed == 0, count
        return scene.seen


def test_early_data(build, keys, place):
    stock, under = play(None, keys, place / "stock"), play(build, keys, place / "octuple")
    assert under == stock
    taken, refused = "0: Reused, accepted, early=;r;/first, early=;r;/last", "0: New, rejected, early=;.;/last"
    assert stock["taken"] == stock["all that is allowed"] == {taken: HERD}, stock
    assert stock["after a restart"] == {refused: HERD}, stock  # newer releases take it after a reload
    assert stock["a second hello"] == {"0: Reused, rejected, early=;r;/last": HERD}, stock
