# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH address
"""The examples, built as their first lines say and on an installed library, and run."""
import re
import shutil
import signal
import socket
import subprocess

import pytest
from tests.cli.conftest import ROOT, table_here

FOLDER = ROOT / "examples"
NAMES = sorted(path.stem for path in FOLDER.glob("*.c"))
STRICT = "-std=c17 -D_DEFAULT_SOURCE -Wall -Wextra -Wpedantic -Werror"


@pytest.fixture(scope="module")
def folder(building, tmp_path_factory):
    """The examples, built there."""
    made = tmp_path_factory.mktemp("examples")
    for name in NAMES:
        shutil.copy(FOLDER / f"{name}.c", made)
        build = command(name)[0].replace("cc ", f"cc {STRICT} ", 1)
        done = subprocess.run(build, shell=True, cwd=made, env=building, capture_output=True, text=True, check=False)
        assert done.returncode == 0 and done.stderr == "", done.stderr
    return made


def command(name):
    """How the file says that it is built, and run."""
    return re.search(r"^ \*     (cc .*) && (\./.*)$", (FOLDER / f"{name}.c").read_text(), re.MULTILINE).groups()


def said(name, folder, building, **env):
    return subprocess.run(command(name)[1].split(), cwd=folder, env={**building, **env}, capture_output=True, text=True,
                          check=False)


def test_each_is_tried_here():
    assert NAMES == ["aead", "batch", "queue", "quic"]


def test_batch(folder, building):
    if table_here() == "none":
        pytest.skip("this CPU has no AVX2")
    assert said("batch", folder, building).stdout == "agreed\n" * 4


def test_aead(folder, building):
    """What RFC 8439 says in 2.8.2."""
    assert said("aead", folder, building).stdout.splitlines() == [
        "tag: 1ae10b594f09e26a7e902ecbd0600691", "opened: the same", "with another tag: not authentic"]


def test_quic(folder, building):
    """What RFC 9001 says in A.5."""
    assert said("quic", folder, building).stdout.splitlines() == [
        "4cfe4189655e5cd55c41f69080575d7999c25a5bfb", "packet 654360564, frame 01"]


@pytest.mark.parametrize("name", ("batch", "queue"))
def test_without_lanes_they_say_why(name, folder, building):
    done = said(name, folder, building, OCTUPLE_TABLE="off")
    assert done.returncode == 1 and done.stderr == "no lanes here: OCTUPLE_TABLE=off\n"


@pytest.fixture
def signer(folder, building):
    """The server of queue.c, its port and its public key."""
    if table_here() == "none":
        pytest.skip("this CPU has no AVX2")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    server = subprocess.Popen([folder / "queue", str(port)], env=building, stdout=subprocess.PIPE, text=True)
    yield server, port, bytes.fromhex(server.stdout.readline().removeprefix("public key: "))
    server.kill()
    server.wait()
    server.stdout.close()


def verify(public, message, signature, folder):
    """By the openssl command."""
    (folder / "key.der").write_bytes(bytes.fromhex("302a300506032b6570032100") + public)
    (folder / "message").write_bytes(message)
    (folder / "signature").write_bytes(signature)
    subprocess.run("openssl pkeyutl -verify -pubin -keyform DER -inkey key.der -rawin -in message -sigfile signature",
                   shell=True, cwd=folder, check=True, capture_output=True)


def test_queue_signs_together_what_comes_together(signer, folder):
    """The server is stopped while eleven clients write: the first eight run at once, the others before it sleeps."""
    server, port, public = signer
    server.send_signal(signal.SIGSTOP)
    clients = [socket.create_connection(("127.0.0.1", port)) for _ in range(11)]
    messages = [bytes([i]) * 32 for i in range(11)]
    for client, message in zip(clients, messages):
        client.sendall(message)
    server.send_signal(signal.SIGCONT)
    for client, message in zip(clients, messages):
        with client, client.makefile("rb") as answer:
            verify(public, message, answer.read(), folder)
    assert server.stdout.readline() == "signed together: 11\n"


def test_queue_serves_one_that_is_alone_and_bears_one_that_leaves(signer, folder):
    server, port, public = signer
    with socket.create_connection(("127.0.0.1", port)) as leaves:
        leaves.sendall(b"too short")
    with socket.create_connection(("127.0.0.1", port)) as alone:
        alone.sendall(b"a" * 32)
        with alone.makefile("rb") as answer:
            verify(public, b"a" * 32, answer.read(), folder)
    assert server.stdout.readline() == "signed together: 1\n"
