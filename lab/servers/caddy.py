# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Caddy with the Go binding in it (bindings/go/caddy), as it is and with the global option `octuple`."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from lab import counters, golang
from lab.process import PATIENCE
from lab.programs import Build, answers, free_ports
from .nginx import Running, ServerError
from .web import cpu_seconds

MODULE = golang.MODULE / "caddy"
HEAD = """\
{{
    admin off
    auto_https off
    persist_config off
    storage file_system {folder}/storage
    log {{
        level ERROR
    }}
    default_sni localhost
    servers {{
        protocols h1 h2
    }}
    {option}
}}
"""
SITE = """\
https://localhost:{port} {{
    bind 127.0.0.1
    tls {keys}/{kind}.crt {keys}/{kind}.key
    respond "ok"
}}
"""


def build(folder: Path) -> Path:
    """The program, made in a build folder by Go's own cache."""
    program = folder / "bin/octuple-caddy"
    done = golang.run(folder, "build", "-o", str(program), "./cmd/caddy", module=MODULE)
    if done.returncode:
        raise ServerError(f"go cannot build Caddy: {done.stderr.strip()}")
    return program


class Caddy(Running):
    """One running Caddy with a port for each kind of key. Use it in a `with` statement: it ends there."""

    def __init__(self, program: Path, folder: Path, keys: Path, kinds: list[str], cpus: set[int], built: Build,
                 octuple: bool, processors: int = 0):
        self.program, self.folder, self.cpus, self.built = program, folder, cpus, built
        self.processors = processors or len(cpus)
        self.ports = dict(zip(kinds, free_ports(len(kinds))))
        self.child: subprocess.Popen | None = None
        folder.mkdir(parents=True)
        sites = (SITE.format(port=port, keys=keys, kind=kind) for kind, port in self.ports.items())
        (folder / "Caddyfile").write_text(HEAD.format(folder=folder, option="octuple" * octuple) + "".join(sites))

    def start(self) -> None:
        environment = golang.environment(self.built.folder) | {
            "GOMAXPROCS": str(self.processors), "OCTUPLE_COUNTERS": str(self.folder), "HOME": str(self.folder)}
        with open(self.folder / "output", "wb") as output:
            self.child = subprocess.Popen([self.program, "run", "--config", self.folder / "Caddyfile"],
                                          stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment,
                                          preexec_fn=lambda: os.sched_setaffinity(0, self.cpus))
        deadline = time.monotonic() + PATIENCE
        while not all(answers(port) for port in self.ports.values()):
            if time.monotonic() > deadline or self.child.poll() is not None:
                raise ServerError(f"Caddy does not answer: {self.said()}")
            time.sleep(0.02)

    def said(self) -> str:
        return (self.folder / "output").read_text(errors="replace").strip()

    def cpu_seconds(self) -> float:
        return cpu_seconds(self.child.pid)

    def counters(self) -> dict[str, counters.Operation]:
        """None where nothing was wrapped."""
        return counters.read(self.folder / f"{self.child.pid}.octuple")

    def stop(self) -> None:
        if self.child is None or self.child.poll() is not None:
            return
        self.child.terminate()
        try:
            self.child.wait(10)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
