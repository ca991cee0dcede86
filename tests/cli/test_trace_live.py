# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH address LONG
"""`octuple trace` for real, on nginx as it is and under Octuple: what it counts is what the load generator counted, and
the server serves on. Needs root, bpftrace and a kernel with uprobes."""
import contextlib
import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import psutil
import pytest
from bench.measure import trace
from lab import depth, devices, load, machine, schemas, tracefs
from lab.programs import Build, free_ports
from lab.servers.nginx import Nginx, make_keys
from tests.cli.conftest import build_folder


BUILD = Build(build_folder())
HANDSHAKE = load.named("tls13-rsa2048")
CONNECTIONS = 64
OBSTACLE = tracefs.obstacle()
pytestmark = pytest.mark.skipif(OBSTACLE is not None, reason=str(OBSTACLE))
# bpftrace compiles each of its programs anew.
exhaustive_only = pytest.mark.skipif(not depth.EXHAUSTIVE, reason=f"bpftrace takes its time: {depth.EXHAUSTIVE_ONLY}")


def has_probes(library):
    return "stapsdt" in subprocess.run(["readelf", "-n", library], capture_output=True, text=True, check=True).stdout


def lanes():
    """Octuple serves on this machine."""
    told = subprocess.run([BUILD.octuple, "info", "--json"], capture_output=True, text=True, check=True).stdout
    return json.loads(told)["table"]["name"] != "none"


@pytest.fixture
def where(tmp_path_factory):
    """A folder with keys that any user may enter: nginx's worker is another one."""
    folder = tmp_path_factory.mktemp("trace")
    for path in (folder, *folder.parents):
        if path.owner() == "root" and path != Path("/"):
            path.chmod(path.stat().st_mode | 0o055)
    make_keys(folder / "keys", [HANDSHAKE.key])
    return folder


@pytest.fixture
def start(where):
    running = []

    def start(variant):
        """nginx with libraries that it shares with nobody:
        what else runs on the machine neither meets the probes nor forbids any."""
        server = Nginx(variant, where / variant, where / "keys", [HANDSHAKE.key], machine.place().server,
                       BUILD if variant == "octuple" else None)
        server.settings["LD_LIBRARY_PATH"] = str(trace.copy_libraries(where / variant / "libraries"))
        server.start()
        running.append(server)
        return server

    yield start
    for server in running:
        server.stop()


def run(server, seconds, connections=CONNECTIONS):
    report = load.run(BUILD.load, server.ports[HANDSHAKE.key], machine.place().client,
                      HANDSHAKE, connections=connections,
                      seconds=seconds)
    assert report["failed_total"] == 0, report["first_failure"]
    return report["completed"]


@contextlib.contextmanager
def tracer(tool, server, *options):
    with trace.Tracer(BUILD, tool, server.master.pid, server.folder, *options) as tracing:
        yield tracing
    if tracing.lines:  # none where it ended early
        schemas.check("trace", *tracing.lines)


def as_many(traced, completed):
    """But for what is on its way where one of them begins or ends, on a machine that may be busy."""
    return abs(traced - completed) <= completed / 100 + CONNECTIONS


def rows(line):
    return {(row["function"], row.get("operation")): row for row in line["functions"]}


def check_sums(line):
    for row in line["functions"]:
        for half in (row["ok"], row["failed"]):
            assert sum(bucket["count"] for bucket in half["histogram"]) == half["count"]
            assert all(bucket["from_us"] < bucket["to_us"] for bucket in half["histogram"])
            assert abs(half["average_us"] * half["count"] - half["total_us"]) <= 1e-6 * half["total_us"]


def test_latency_of_stock_nginx(start):
    server = start("stock")
    with tracer("latency", server, "--interval", "1") as tracing:
        completed = run(server, 1.5)
    assert "begin only" not in tracing.err.read_text()
    total = tracing.lines[-1]
    assert total["total"] is True and [line["interval"]
                                       for line in tracing.lines[:-1]] == list(range(1, len(tracing.lines)))
    assert as_many(tracing.handshakes(), completed)
    sums = rows(total)
    nothing = {"ok": {"count": 0}}
    parts = [rows(line).get(("SSL_do_handshake", None), nothing)["ok"]["count"] for line in tracing.lines[:-1]]
    assert sum(parts) <= tracing.handshakes()
    assert as_many(sums["EVP_DigestSign", None]["ok"]["count"], completed)
    check_sums(total)


@exhaustive_only
def test_snoop_of_stock_nginx(start):
    server = start("stock")
    with tracer("snoop", server) as tracing:
        completed = run(server, 0.5, connections=4)
    assert "lost" not in tracing.err.read_text()
    assert as_many(tracing.handshakes(), completed)
    times = [line["time_us"] for line in tracing.lines]
    assert times == sorted(times)
    assert {line["command"]
            for line in tracing.lines} == {"nginx"} and {line["pid"] for line in tracing.lines} == {server.worker}
    sign = next(line for line in tracing.lines if line["function"] == "RSA_private_encrypt")
    assert sign["result"] == 256 and sign["latency_us"] > 0 and sign["connection"].startswith("0x")


def sniffed(server, *options):
    with tracer("sniff", server, *options) as tracing:
        subprocess.run(["curl", "-qskf", f"https://127.0.0.1:{server.ports[HANDSHAKE.key]}/x"],
                       stdout=subprocess.DEVNULL, check=True)
    (read,) = [line for line in tracing.lines if line["function"] == "SSL_read" and line["length"] > 0]
    (write,) = [line for line in tracing.lines if line["function"] == "SSL_write"]
    assert read["length"] == read["result"] and write["result"] == write["length"]
    assert read["connection"] == write["connection"]
    return tracing.lines, read, write


@exhaustive_only
def test_sniff_of_stock_nginx(start):
    server = start("stock")
    lines, _, _ = sniffed(server)
    assert not any("data" in line for line in lines)
    _, read, write = sniffed(server, "--show-plaintext")
    assert bytes.fromhex(read["data"]).startswith(b"GET /x HTTP/1.1\r\n")
    assert bytes.fromhex(write["data"]).startswith(b"HTTP/1.1 200 OK\r\n")


def test_nginx_under_octuple(start):
    """Pausing handshakes, and not harmed by it: the same worker serves before, meanwhile and afterwards."""
    for library in (BUILD.shim, BUILD.provider, BUILD.folder / "lib/liboctuple.so"):
        if not has_probes(library):
            pytest.skip(f"{library.name} was built without systemtap-sdt-dev")
    server = start("octuple")
    run(server, 0.3)
    worker = server.worker
    with tracer("latency", server) as tracing:
        completed = run(server, 1.5)
    assert as_many(tracing.handshakes(), completed)
    sums = rows(tracing.lines[-1])
    check_sums(tracing.lines[-1])
    assert as_many(sums["octuple:operation", "rsa2048-private"]["ok"]["count"], completed)
    _, read, _ = sniffed(server, "--show-plaintext")
    assert bytes.fromhex(read["data"]).startswith(b"GET /x HTTP/1.1\r\n")
    with tracer("snoop", server) as tracing:
        completed = run(server, 0.5)
    assert as_many(tracing.handshakes(), completed) or "lost" in tracing.err.read_text()
    if lanes():
        flushes = [line for line in tracing.lines if line["function"] == "octuple:flush"
                   and line["operation"] == "rsa2048-private"]
        # How full they are is what the queue has measured, on a machine that may be busy.
        assert max(line["lanes"] for line in flushes) > 1
        assert {line["reason"] for line in flushes} <= {"full", "poll", "now"}
    run(server, 0.3)
    assert server.said() == "" and Path(f"/proc/{worker}").exists()


@exhaustive_only
def test_a_paused_neighbour_is_not_harmed(start, tmp_path):
    """Stock nginx is traced while nginx under Octuple serves from the same library files."""
    stock = start("stock")
    neighbour = Nginx("neighbour", tmp_path / "neighbour", stock.keys, [HANDSHAKE.key], machine.place().server, BUILD)
    neighbour.settings = stock.settings
    for path in (tmp_path, *tmp_path.parents):
        if path.owner() == "root" and path != Path("/"):
            path.chmod(path.stat().st_mode | 0o055)
    with neighbour:
        worker = neighbour.worker
        with tracer("latency", stock) as tracing:
            run(neighbour, 0.5)
            completed = run(stock, 0.5)
            run(neighbour, 0.5)
        assert "pauses handshakes" in tracing.err.read_text() and tracing.child.returncode == 0
        assert as_many(tracing.handshakes(), completed)
        assert ("EVP_DigestSign", None) not in rows(tracing.lines[-1])
        assert neighbour.said() == "" and Path(f"/proc/{worker}").exists()
        with trace.Tracer(BUILD, "latency", neighbour.master.pid, tmp_path):
            run(neighbour, 0.3)
    with tracer("latency", stock) as tracing, neighbour:
        tracing.child.wait(30)
    assert tracing.child.returncode == 1 and "ended early" in tracing.err.read_text()


@pytest.fixture
def contained(tmp_path):
    """`openssl s_server` in namespaces of its own for mounts and processes,
    with a root that holds nothing but it: (process, port)."""
    root, (port,) = tmp_path / "root", free_ports(1)
    root.mkdir()
    make_keys(root / "keys", [HANDSHAKE.key])
    program = shutil.which("openssl")
    libraries = re.findall(r"(/\S+) \(0x",
                           subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout)
    for path in (program, *libraries):
        (root / path[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, root / path[1:])
    command = ["unshare", "--mount", "--pid", "--fork", f"--root={root}", program, "s_server", "-quiet",
               "-accept", f"127.0.0.1:{port}", "-key", f"/keys/{HANDSHAKE.key}.key",
               "-cert", f"/keys/{HANDSHAKE.key}.crt"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as outside:
        try:
            deadline = time.monotonic() + 20
            while not (children := psutil.Process(outside.pid).children()) or not shake_hands(port):
                assert outside.poll() is None and time.monotonic() < deadline, outside.stderr.read()
                time.sleep(0.05)
            yield children[0], port
        finally:
            for child in psutil.Process(outside.pid).children():
                child.kill()


def shake_hands(port):
    return subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{port}"],
                          stdin=subprocess.DEVNULL, capture_output=True,
                          check=False).returncode == 0


@exhaustive_only
def test_a_server_in_a_container(contained, tmp_path):
    """Its libraries are found as it sees them: outside no file has these paths, or another one has."""
    server, port = contained
    with trace.Tracer(BUILD, "latency", server.pid, tmp_path) as tracing:
        assert all(shake_hands(port) for _ in range(5))
    sums = rows(tracing.lines[-1])
    assert sums["SSL_accept", None]["ok"]["count"] == 5, tracing.err.read_text()  # libssl, and libcrypto:
    assert sums["EVP_DigestSign", None]["ok"]["count"] == 5


@pytest.mark.parametrize(("device", "way"),
                         [("slow", "threads"), pytest.param("card", "pauses", marks=exhaustive_only)])
def test_keys_in_a_device(where, device, way):
    """Operations with such keys: each of those that the counters have, with its way and its times."""
    if not has_probes(BUILD.shim):
        pytest.skip("the shim was built without systemtap-sdt-dev")
    if not (BUILD.folder / f"lib/{device}.so").exists():
        pytest.skip("this OpenSSL has no engines")
    micros, cpu = 2000, machine.place().server
    server = devices.DeviceNginx("octuple", where / "nginx", where / "keys", {cpu}, BUILD, device=device,
                                 micros=micros, threads=4)
    server.settings["LD_LIBRARY_PATH"] = str(trace.copy_libraries(where / "libraries"))
    with server:
        server.ports[HANDSHAKE.key] = server.ports["tls"]
        with tracer("snoop", server) as tracing:
            completed = run(server, 0.3, connections=16)
        lines = [line for line in tracing.lines if line["function"] == "octuple:key"]
        assert "lost" not in tracing.err.read_text() and completed <= len(lines) <= completed + 16
        assert {line["reason"] for line in lines} <= {way, "inside"}
        served = [line for line in lines if line["reason"] == way]
        assert len(served) > len(lines) / 2 and all(line["pid"] == server.worker for line in lines)
        assert all(line["result"] == 1 and line["connection"].startswith("0x") for line in served)
        assert all(micros <= line["device_us"] <= line["latency_us"] for line in served)
        assert any(line["line_us"] > 0 for line in served) == (way == "threads")
        with tracer("latency", server) as tracing:
            completed = run(server, 0.3, connections=16)
        sums = rows(tracing.lines[-1])
        for part in ("in all", "line", "device"):
            assert completed <= sums["octuple:key", part]["ok"]["count"] <= completed + 16
        assert sums["octuple:key", "device"]["ok"]["average_us"] >= micros
