# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Tomcat with the JDK's TLS (maven/tomcat): as it is, with the Java binding, or with Amazon Corretto's provider."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from lab import counters, java
from lab.programs import Build, answers, free_ports
from .nginx import Running, ServerError
from .web import cpu_seconds

MODULE = Path(__file__).parent / "maven/tomcat"
SIDES = ("stock", "octuple", "corretto")


def build(folder: Path) -> str:
    """Compiles it and fetches Tomcat; returns its class path."""
    done = java.maven(folder, "process-classes", module=MODULE)
    if done.returncode:
        raise java.JavaError(f"Maven cannot build Tomcat's launcher: {done.stdout.strip()}")
    made = java.folder(folder, MODULE)
    return f"{made}/classes:{made}/libraries/*"


def options(side: str, jar: Path) -> list[str]:
    """What makes a Java program that side of a comparison."""
    return {"stock": [], "octuple": [f"-javaagent:{jar}"], "corretto": ["-Doctuple.corretto=true"]}[side]


class Tomcat(Running):
    """One running Tomcat with a port for each kind of key. Use it in a `with` statement: it ends there."""

    def __init__(self, class_path: str, jvm: list[str], folder: Path, keys: Path, kinds: list[str], cpus: set[int],
                 built: Build, program: str = "java"):
        self.command = [program, "-Xms256m", "-Xmx256m", *jvm, "-cp", class_path, "octuple.bench.Tomcat"]
        self.folder, self.keys, self.cpus, self.built = folder, keys, cpus, built
        self.ports = dict(zip(kinds, free_ports(len(kinds))))
        self.child: subprocess.Popen | None = None
        folder.mkdir(parents=True)

    def start(self) -> None:
        environment = java.environment(self.built.folder) | {"OCTUPLE_COUNTERS": str(self.folder)}
        places = [f"{kind}={port}" for kind, port in self.ports.items()]
        with open(self.folder / "output", "wb") as output:
            self.child = subprocess.Popen([*self.command, str(self.folder), str(self.keys), *places],
                                          stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment,
                                          preexec_fn=lambda: os.sched_setaffinity(0, self.cpus))
        deadline = time.monotonic() + 60
        while not all(answers(port) for port in self.ports.values()):
            if time.monotonic() > deadline or self.child.poll() is not None:
                raise ServerError(f"Tomcat does not answer: {self.said()}")
            time.sleep(0.05)

    def said(self) -> str:
        return (self.folder / "output").read_text(errors="replace").strip()[-2000:]

    def cpu_seconds(self) -> float:
        return cpu_seconds(self.child.pid)

    def counters(self) -> dict[str, counters.Operation]:
        """None where no operation ran in lanes."""
        path = self.folder / f"{self.child.pid}.octuple"
        return counters.read(path) if path.exists() else {}

    def stop(self) -> None:
        if self.child is None or self.child.poll() is not None:
            return
        self.child.terminate()
        try:
            self.child.wait(10)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
