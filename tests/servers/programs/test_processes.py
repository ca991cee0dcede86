# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The shim in all kinds of programs: whatever they are, they run as without it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time

import pytest

from tests.servers.common import clients, rig


def run(command: list[str], env: dict[str, str], given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command, env=env, input=given, capture_output=True, timeout=120, check=False)


COMMANDS = [
    ["true"],
    ["sh", "-c", "exec 5>&1; echo one | cat >&5; exec 5>&-; kill -0 $$"],
    ["bash", "-c", "for i in 1 2 3; do (echo $i) & done; wait; exec 3<>/dev/null; exec 3>&-"],
    ["/usr/bin/python3", "-c",
     "import os, subprocess; print(subprocess.run(['true'], close_fds=True).returncode); os.closerange(3, 99)"],
    ["/usr/bin/python3", "-c", "import ssl, hashlib; print(ssl.OPENSSL_VERSION, hashlib.sha256(b'x').hexdigest())"],
    ["openssl", "version"],
    ["curl", "--version"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: os.path.basename(command[0]))
def test_runs_as_without(build, place, command):
    stock = run(command, rig.clean_environment())
    under = run(command, rig.shim_environment(place, build))
    assert sorted(under.stdout.splitlines()) == sorted(stock.stdout.splitlines())
    assert (under.returncode, under.stderr) == (stock.returncode, stock.stderr)


ASYNCIO = """
import asyncio, ssl, sys
keys = sys.argv[1]
server_context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
server_context.load_cert_chain(keys + "/rsa2048.crt", keys + "/rsa2048.key")
client_context = ssl.create_default_context(cafile=keys + "/rsa2048.crt")
async def serve(reader, writer):
    writer.write(await reader.readline())
    writer.close()
async def one(port):
    reader, writer = await asyncio.open_connection("localhost", port, ssl=client_context)
    writer.write(b"hello\\n")
    assert await reader.readline() == b"hello\\n"
    writer.close()
async def main():
    server = await asyncio.start_server(serve, "localhost", 0, ssl=server_context)
    await asyncio.gather(*[one(server.sockets[0].getsockname()[1]) for _ in range(30)])
asyncio.run(main())
print("good")
"""

# Non-blocking sockets in an epoll instance, each end driven by hand, in one thread.
EPOLL = """
import select, socket, ssl, sys
keys = sys.argv[1]
server_context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
server_context.load_cert_chain(keys + "/rsa2048.crt", keys + "/rsa2048.key")
client_context = ssl.create_default_context(cafile=keys + "/rsa2048.crt")
poller, ends, done = select.epoll(), {}, set()
poller.poll(0)
for _ in range(20):
    for sock, context, side in zip(socket.socketpair(), (server_context, client_context), (True, False)):
        sock.setblocking(False)
        tls = context.wrap_socket(sock, server_side=side, do_handshake_on_connect=False,
                                  server_hostname=None if side else "localhost")
        ends[tls.fileno()] = tls
        poller.register(tls.fileno(), select.EPOLLIN)
def turn(fd):
    try:
        ends[fd].do_handshake()
        done.add(fd)
    except ssl.SSLWantReadError:
        pass
for fd in ends:
    turn(fd)
while len(done) < 40:
    ready = poller.poll(10)
    assert ready
    for fd, _ in ready:
        if fd not in done:
            turn(fd)
        elif ends[fd].server_side is False:
            try:
                ends[fd].recv(1)
            except ssl.SSLWantReadError:
                pass
print("good")
"""

# Blocking sockets with a timeout, served by threads: Python waits in poll().
THREADS = """
import socket, ssl, sys, threading
keys = sys.argv[1]
server_context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
server_context.load_cert_chain(keys + "/rsa2048.crt", keys + "/rsa2048.key")
client_context = ssl.create_default_context(cafile=keys + "/rsa2048.crt")
def side(sock, context, name):
    sock.settimeout(20)
    with context.wrap_socket(sock, server_side=name is None, server_hostname=name) as tls:
        tls.sendall(b"x")
        assert tls.recv(1) == b"x"
threads = []
for _ in range(12):
    a, b = socket.socketpair()
    threads += [threading.Thread(target=side, args=(a, server_context, None)),
                threading.Thread(target=side, args=(b, client_context, "localhost"))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("good")
"""


@pytest.mark.parametrize("program", [ASYNCIO, EPOLL, THREADS], ids=["asyncio", "epoll", "threads"])
def test_python_servers(build, keys, place, program):
    done = run(["/usr/bin/python3", "-c", program, str(keys)], rig.shim_environment(place, build))
    assert done.stdout == b"good\n" and done.stderr == b"", done
    count = rig.read_counters(place / "counters")["rsa2048-private"]
    if program is EPOLL:
        assert count.done > 0, "a server of its own that uses epoll is accelerated too"
    else:
        assert count.all > 0 and count.failed == 0, "what meets may run together"


@pytest.mark.parametrize("more", [[], ["-async"]], ids=["select", "async"])
def test_openssl_s_server(build, keys, place, more):
    """A server with select(), and one that handles asynchronous handshakes itself."""
    if more and not rig.has_async_jobs():
        pytest.skip("this OpenSSL has no asynchronous mode")
    port = rig.free_ports(1)[0]
    command = ["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-cert", f"{keys}/rsa2048.crt", "-key",
               f"{keys}/rsa2048.key", "-www", "-quiet", *more]
    server = subprocess.Popen(command, env=rig.shim_environment(place, build), stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        rig.wait_port(port, server)
        for version, ciphers in (("1.2", "kRSA"), ("1.3", "ALL")):
            assert b"200 ok" in clients.fetch(port, rig.client_context(version, ciphers))
    finally:
        server.kill()
        server.wait()


def instructions(command: list[str], env: dict[str, str]) -> int:
    """What a command executes, as callgrind counts it: the same number on a busy machine as on a quiet one."""
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
                          env=env | {"PYTHONHASHSEED": "0"}, check=True, capture_output=True, text=True)
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind, which counts instructions, is not installed")
def test_costs_next_to_nothing(build, place):
    """A process without libssl, and a program that opens and closes all the time."""
    closes = 500
    stock, under = rig.clean_environment(), rig.shim_environment(place, build)

    def more(*command: str) -> int:
        return instructions([*command], under) - instructions([*command], stock)

    def closing(times: int) -> int:
        return more(sys.executable, "-S", "-c", f"import os\nfor i in range({times}): os.close(os.dup(0))")

    assert more("/bin/true") < 130_000
    assert (closing(closes) - closing(0)) / closes < 200


def test_a_start_writes_to_two_pages(build, place):
    """Of the shim's: one for what the linker seals, and one for all variables that a process without libssl has."""
    maps = run(["cat", "/proc/self/smaps"], rig.shim_environment(place, build)).stdout.decode()
    areas = re.findall(rf"(?m)^\S+ (\S+) .* {re.escape(str(build.shim.resolve()))}$(?s:.*?)^Anonymous: +(\d+) kB", maps)
    assert len(areas) >= 4 and [int(size) for access, size in areas if access.startswith("r") and size != "0"] == [4, 4]


BEHIND = """
#include <sys/syscall.h>
#include <unistd.h>
static int mine(int fd)
{
    if (fd == 77)
        (void)!write(1, "mine\\n", 5);
    return (int)syscall(SYS_close, fd);
}
static __attribute__((unused)) int (*choose(void))(int) { return mine; }
#ifdef CHOOSES
int close(int) __attribute__((ifunc("choose")));
#else
int close(int fd) { return mine(fd); }
#endif
"""


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no compiler here")
@pytest.mark.parametrize("options", [["-Wl,--hash-style=gnu"], ["-Wl,--hash-style=sysv"], ["-DCHOOSES"]])
def test_library_behind_the_shim(build, place, options):
    """Another preload's function is called as the linker would have found it, by whatever table it has."""
    (place / "behind.c").write_text(BEHIND)
    subprocess.run(["cc", "-shared", "-fPIC", *options, "-o", place / "behind.so", place / "behind.c"], check=True)
    env = rig.shim_environment(place, build)
    env["LD_PRELOAD"] += f":{place}/behind.so"
    done = run(["bash", "-c", "exec 77>&1 77>&-; exec 77>&1; exec 77>&-"], env)
    assert done.stdout == b"mine\nmine\n" and done.returncode == 0 and done.stderr == b"", done
