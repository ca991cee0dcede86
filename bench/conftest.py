# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What the tests share: the load generator, keys, servers. OCT_LOAD is the load generator's path (ctest sets it)."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.measure.common import server_folder
from lab import schemas
from lab.programs import Build, answers, clean_environment
from lab.servers import nginx as server


@pytest.fixture(scope="session")
def load_program() -> Path:
    path = os.environ.get("OCT_LOAD")
    if not path:
        pytest.skip("OCT_LOAD does not name octuple-load: run by ctest, or set it")
    return Path(path)


@pytest.fixture(scope="session")
def keys() -> Iterator[Path]:
    with server_folder("bench") as folder:
        server.make_keys(folder / "keys", list(server.KEYS))
        yield folder / "keys"


@pytest.fixture(scope="session")
def nginx(keys):
    with server.Nginx("stock", keys.parent / "nginx", keys, list(server.KEYS), min(os.sched_getaffinity(0))) as running:
        yield running


@pytest.fixture(scope="session")
def load(load_program):
    """Runs the load generator and returns its report; a status other than 0 or 1 (a crash, a sanitizer) is an error."""

    def run(port: int, *options: object) -> dict:
        command = [load_program, "127.0.0.1", port, "--json", *options]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode in (0, 1), f"status {done.returncode}\n{done.stderr}"
        report = json.loads(done.stdout)
        schemas.check("load", report)
        settled = report["completed"] + report["aborted"] + report["left"] + report["failed_total"]
        assert settled == report["begun"], "each connection has exactly one verdict"
        assert report["failed_total"] == sum(report["failed"].values())
        assert (done.returncode == 0) == (report["failed_total"] == 0)
        return report

    return run


@pytest.fixture
def s_server(keys):
    """Starts `openssl s_server` with options, and with variables in its environment; it ends with the test."""
    started = []

    def start(key: str, *options: str, **variables: str) -> int:
        port = server.free_ports(1)[0]
        command = ["openssl", "s_server", "-accept", f"127.0.0.1:{port}", "-cert", keys / f"{key}.crt", "-key",
                   keys / f"{key}.key", "-www", "-quiet", *options]
        started.append(subprocess.Popen([str(part) for part in command], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        env=clean_environment() | variables))
        deadline = time.monotonic() + 10
        while not answers(port):
            assert started[-1].poll() is None and time.monotonic() < deadline, "openssl s_server does not answer"
            time.sleep(0.02)
        return port

    yield start
    for process in started:
        process.terminate()
        process.wait(10)


@pytest.fixture
def fake_build(tmp_path) -> Build:
    """A build folder whose octuple runs what it is given as it is, and traces what a file says."""
    for name in ("bin/octuple-load", "bin/octuple-evp", "bin/octuple-threads", "lib/liboctuple.so", "lib/octuple.so",
                 "lib/liboctuple-async.so"):
        (tmp_path / "build" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "build" / name).touch()
    program = tmp_path / "build/bin/octuple"
    program.write_text('#!/bin/sh\ncase "$1" in\n'
                       'info) echo \'{"version":"9.9","table":{"name":"none"},"width":{"bits":512}}\';;\n'
                       f'run) shift 2; exec "$@";;\ntrace) cd {tmp_path}\n'
                       '  [ -e trace ] || { echo "no uprobes here" >&2; exit $(cat status); }\n  cat trace;;\nesac\n')
    program.chmod(0o755)
    return Build(tmp_path / "build")
