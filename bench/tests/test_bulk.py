# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH any
"""bench/run bulk runs, and its client counts only answers that came whole and were right.
OCTUPLE_BUILD is the build folder."""

from __future__ import annotations

import json
import os
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.measure import bulk, common, fetch
from lab import machine, schemas
from lab.servers import nginx

BODY = bytes(range(256)) * 300
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.fixture
def answering(keys):
    """A TLS server that gives the same bytes for each request, and then ends the connection if so told."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(keys / "ecdsa-p256.crt", keys / "ecdsa-p256.key")
    listener = socket.create_server(("127.0.0.1", 0))
    answer: list[bytes] = []

    def serve(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as tls:
            for data in answer:
                if not tls.recv(4096):
                    return
                tls.sendall(data)
            tls.unwrap()

    def run() -> None:
        try:
            serve(listener.accept()[0])
        except OSError:  # the client has gone, or the test is over
            pass

    thread = threading.Thread(target=run)
    thread.start()

    def start(*answers: bytes) -> int:
        answer.extend(answers)
        return listener.getsockname()[1]

    yield start
    listener.shutdown(socket.SHUT_RDWR)
    thread.join()
    listener.close()


def client(port: int) -> fetch.Client:
    asking = fetch.Client(port, b"GET /file HTTP/1.1\r\n\r\n", BODY)
    asking.run(float("inf"))
    return asking


RIGHT = HEAD % len(BODY) + BODY
IN_CHUNKS = CHUNKED + b"10\r\n" + BODY[:16] + b"\r\n" + b"%X\r\n" % (len(BODY) - 16) + BODY[16:] + b"\r\n0\r\n\r\n"


@pytest.mark.parametrize("last, failure", (
    (RIGHT[:-1] + b"x", "not the file"), (RIGHT[:-1], "ended after"), (HEAD % 3 + b"abc", "not the file"),
    (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "404"), (b"nothing", "no head"),
    (CHUNKED + b"10\r\n" + BODY[:16] + b"\r\n", "within a body"), (CHUNKED + b"1\r\nabc\r\n", "chunk"),
), ids=("byte", "short", "other length", "status", "no head", "end in chunks", "long chunk"))
def test_only_right_answers_count(answering, last, failure):
    asked = client(answering(RIGHT, IN_CHUNKS, RIGHT, last))
    assert (asked.completed, asked.failed) == (3, 1)
    assert failure in asked.failure


def test_nobody_there_is_a_failure():
    asked = client(nginx.free_ports(1)[0])
    assert (asked.completed, asked.failed) == (0, 1) and asked.failure


@pytest.fixture
def build() -> nginx.Build:
    return nginx.Build(Path(os.environ["OCTUPLE_BUILD"]))


@pytest.fixture
def folder() -> Iterator[Path]:
    """pytest's own folders are for root alone, and each further pytest that begins makes them so again."""
    with common.server_folder("bulk") as made:
        yield made


def test_wrong_file_ends_the_measurement(keys, folder):
    site, wanted, place = folder / "site", folder / "wanted", machine.place()
    site.mkdir()
    (folder / "keys").symlink_to(keys)
    (site / "file").write_bytes(BODY)
    with bulk.Site("stock", folder / "stock", site, place.server, None) as running:
        wanted.write_bytes(BODY)
        report = bulk.fetch({running.ports[bulk.CHACHA]: 2}, wanted, place.client, 0.1)
        assert report["bytes"] == report["completed"] * len(BODY) > 0 and report["ciphers"] == [bulk.CHACHA]
        wanted.write_bytes(BODY[:-1] + b"x")
        with pytest.raises(nginx.ServerError, match="not the file"):
            bulk.fetch({running.ports[bulk.CHACHA]: 2}, wanted, place.client, 0.1)


def test_whole_run(build, tmp_path, capsys):
    found = tmp_path / "found.json"
    assert bulk.main(["--build-dir", str(build.folder), "--size", "70000",
                      "--text", "3000", "--rounds", "1", "--seconds", "0.1",
                      "--json", str(found)]) == 0
    document = json.loads(found.read_text())
    schemas.check("bulk", document)
    assert [result["cipher"] for result in document["bulk"]] == list(bulk.SUITES)
    for result in document["bulk"]:
        assert all(result[name]["completed"] > 0 and result[name]["cpu_ms_per_gb"] > 0 for name in ("stock", "octuple"))
        assert result["cpu_ratio"] > 0
    assert {(result["chacha20_percent"], result["width"]) for result in document["mixed"]} == {
        (share, width) for share in bulk.SHARES for width in bulk.WIDTHS}
    assert all(result["requests_per_s"] > 0 for result in document["mixed"])
    assert "CPU ratio" in capsys.readouterr().out
