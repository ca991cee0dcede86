# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The two sides: OpenSSL as it is, and the same with the provider preferred and the shim preloaded; and running on
them.

What a run printed stays in the folder of its version, beside a script that starts it again.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from lab import counters as counter_files
from lab.programs import Build, clean_environment
from tests.places.openssl.programs import Run
from tests.places.openssl.source import SourceError, Tree


SECONDS = 900  # for one program

CONFIGURATION = """\
openssl_conf = openssl_init
config_diagnostics = 1
[openssl_init]
providers = provider_sect
{section}
[provider_sect]
default = default_sect
{more}
[default_sect]
activate = 1
[legacy_sect]
activate = 1
"""
OURS = """\
[octuple_sect]
module = {module}
activate = 1
[algorithms]
default_properties = ?provider=octuple
"""


@dataclass
class Result:
    """What came of one run on one side."""

    stdout: str
    stderr: str
    end: str          # "exit 0", "signal 11", "timeout"
    operations: int   # those that the provider counted, in lanes or not


@dataclass
class Side:
    name: str
    tree: Tree
    build: Build | None  # None: without Octuple

    @property
    def folder(self) -> Path:
        return self.tree.folder / "runs" / self.name

    def configuration(self, legacy: bool) -> Path:
        return self.folder / ("legacy.cnf" if legacy else "default.cnf")

    def write_configurations(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        for legacy in (False, True):
            more = (["legacy = legacy_sect"] if legacy else []) + (["octuple = octuple_sect"] if self.build else [])
            text = CONFIGURATION.format(section="alg_section = algorithms" if self.build else "", more="\n".join(more))
            if self.build:
                text += OURS.format(module=self.build.provider)
            self.configuration(legacy).write_text(text)

    def environment(self, folder: Path, run: Run) -> dict[str, str]:
        """What differs from this process's. Both sides bind to the libraries that were built with the programs."""
        source, built = self.tree.source, self.tree.built
        conf = source / "apps/openssl.cnf" if run.alone else self.configuration(run.legacy)
        env = {"LD_LIBRARY_PATH": str(built), "OPENSSL_CONF": str(conf), "OPENSSL_MODULES": str(built / "providers"),
               "OPENSSL_ENGINES": str(built / "engines"), "OPENSSL_CONF_INCLUDE": str(built / "test"),
               "CTLOG_FILE": str(source / "test/ct/log_list.cnf"), "TEST_CERTS_DIR": str(source / "test/certs"),
               "LC_ALL": "C"}
        if self.build:
            # The ciphers also where OpenSSL's own are as fast: this is about results.
            env.update(LD_PRELOAD=str(self.build.shim), OCTUPLE_COUNTERS=str(folder), OCTUPLE_CIPHERS="on")
            if " avx2 " not in Path("/proc/cpuinfo").read_text():
                env["OCTUPLE_TABLE"] = "c"
        return env

    def command(self, run: Run, folder: Path) -> list[str]:
        places = {"source": self.tree.source, "folder": folder, "conf": self.configuration(run.legacy)}
        program = (self.tree.static if run.static else self.tree.built) / "test" / run.program
        return [str(program), *(word.format_map(places) for word in run.arguments)]

    def folder_of(self, run: Run) -> Path:
        return self.folder / re.sub(r"[^\w.-]+", "_", run.name).strip("_")

    def start(self, run: Run) -> Result:
        folder = self.folder_of(run)
        folder.mkdir()
        command, env = self.command(run, folder), self.environment(folder, run)
        write_script(folder / "again", command, env, folder)
        return finish(command, env, folder)


def write_script(path: Path, command: list[str], env: dict[str, str], folder: Path) -> None:
    settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in env.items())
    path.write_text(f'#!/bin/sh\ncd {shlex.quote(str(folder))} && exec env {settings} {shlex.join(command)} "$@"\n')
    path.chmod(0o755)


def wait_for(child: subprocess.Popen) -> str:
    """How it ended. A group of its own: what it has started ends with it."""
    try:
        status = child.wait(SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        return "timeout"
    return f"exit {status}" if status >= 0 else f"signal {-status}"


def finish(command: list[str], env: dict[str, str], folder: Path) -> Result:
    files = folder / "stdout", folder / "stderr"
    with files[0].open("wb") as out, files[1].open("wb") as err:
        child = subprocess.Popen(command, cwd=folder, env={**clean_environment(), **env}, stdin=subprocess.DEVNULL,
                                 stdout=out, stderr=err, start_new_session=True)
        end = wait_for(child)
    operations = sum(count.all for path in folder.glob("*.octuple") for count in counter_files.read(path).values())
    stdout, stderr = (path.read_text(errors="replace") for path in files)
    return Result(stdout, stderr, end, operations)


def compile_probe(tree: Tree) -> None:
    source, target = Path(__file__).with_name("probe.c"), tree.built / "test/octuple_probe"
    command = ["gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{tree.built}/include", f"-I{tree.source}/include",
               "-o", str(target), str(source), f"-L{tree.built}", "-lssl", "-lcrypto"]
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise SourceError(f"the probe does not compile:\n{done.stdout}")


def probe(side: Side) -> tuple[dict[str, set[str]], Result]:
    """Who serves each algorithm on this side, in the contexts that the programs use; and which files are mapped."""
    result = side.start(Run("probe", "octuple_probe", ["{conf}"], legacy=True))
    if result.end != "exit 0":
        raise SourceError(f"the probe failed on the side {side.name}: {result.end}, {result.stderr.strip()}")
    served: dict[str, set[str]] = {}
    for line in result.stdout.splitlines():
        key, _, value = line.partition(" ")
        served.setdefault(key, set()).add(value)
    return served, result


def check_sides(stock: Side, ours: Side) -> dict[str, set[str]]:
    """That each side is what it is called; otherwise equal verdicts would mean nothing.
    Returns who serves what on ours."""
    served, result = probe(ours)
    plain, other = probe(stock)
    assert ours.build
    for file in (ours.build.shim, ours.build.provider):
        if str(file.resolve()) not in served["mapped"]:
            raise SourceError(f"{file} is not in the programs of the side {ours.name}")
    for mapped in (served["mapped"], plain["mapped"]):
        own = [path for path in mapped if Path(path).name.startswith(("libcrypto.so", "libssl.so"))]
        if len(own) != 2 or any(Path(path).parent != ours.tree.built.resolve() for path in own):
            raise SourceError(f"the programs do not run on the libraries in {ours.tree.built}: {own}")
    for name in ("keymgmt:RSA", "keymgmt:EC", "keymgmt:X25519", "keymgmt:ED25519", "signature:RSA", "signature:ECDSA"):
        if served[name] != {"octuple"} or plain[name] != {"default"}:
            raise SourceError(f"{name} is served by {served[name]} with Octuple, by {plain[name]} without")
    if result.operations == 0 or other.operations != 0 or any("octuple" in path for path in plain["mapped"]
                                                              if Path(path).suffix == ".so"):
        raise SourceError("the probe's signature did not go to the provider, or did so on both sides")
    return served
