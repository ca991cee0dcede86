# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: LOCK go
"""docs/quick-start.md as it is typed: the servers are those of their packages, and the last command finds no problem,
and operations in lanes. How many are alone is for the machine's load to decide. A section is skipped where its package
is not installed, or Java's or Go's tools are not."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from lab import ROOT, golang, java
from lab.programs import clean_environment
from tests.servers.common import rig

HERE = Path(__file__).parent
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", (ROOT / "docs/quick-start.md").read_text(), re.M | re.S))
PROGRAMS = {"nginx": "nginx", "HAProxy": "haproxy", "Apache": "a2enmod", "Node.js": "node", "Go": "go",
            "Java": "java"}
COMMAND = r"((?:^    .*\n)+)"


def why_not(build, name: str) -> str:
    if not rig.has_lanes():
        return "this CPU has no AVX2"
    if os.geteuid() != 0:
        return "only root has namespaces here"
    if shutil.which(PROGRAMS[name], path="/usr/sbin:" + os.environ["PATH"]) is None:
        return f"{PROGRAMS[name]} is not installed"
    if subprocess.run(["unshare", "-mnpf", "--mount-proc", "ip", "link", "set", "lo", "up"], check=False,
                      capture_output=True).returncode:
        return "no namespaces for mounts, processes and networks here"
    if name == "Node.js" and "libssl.so.3" not in subprocess.run(
            ["ldd", str(shutil.which("node"))], capture_output=True, text=True, check=False).stdout:
        return "this Node.js brings an OpenSSL of its own"
    if name == "Go":
        return golang.why_not(build.folder)
    return java.why_not() if name == "Java" else ""


def write_blocks(place: Path, section: str) -> None:
    """Commands as 1.sh, 2.sh, ..., and what a section calls a file as that file."""
    for name, text in re.findall(r"`([\w.]+)` does:\n\n```\w+\n(.*?)```", section, re.S):
        (place / name).write_text(text)
    blocks = re.findall(r"^(.*)\n\n" + COMMAND, "\n" + re.sub(r"```.*?```", "", section, flags=re.S), re.M)
    assert blocks
    for number, (before, block) in enumerate(blocks, 1):
        first = "# one terminal\n" if before.endswith("In one terminal:") else ""
        (place / f"{number}.sh").write_text(first + re.sub("^    ", "", block, flags=re.M))


def write_server(place: Path, build, name: str) -> None:
    """What the reader has: an installation, certificates, a server."""
    subprocess.run(["cmake", "--install", build.folder, "--prefix", "/usr/local"], check=True, capture_output=True,
                   env=os.environ | {"DESTDIR": str(place / "root")})
    (place / "bin").mkdir()
    shutil.copy(HERE / "systemctl", place / "bin")
    (place / "octuple").symlink_to(ROOT)
    subprocess.run("""openssl req -x509 -newkey rsa:2048 -noenc -keyout server.key -out server.crt -subj /CN=localhost
        cat server.crt server.key >both.pem""", shell=True, cwd=place, check=True, capture_output=True)
    if name == "Node.js":
        shutil.copy(HERE / "server.js", place)
    if name == "Java":
        (place / "jars").mkdir()
        shutil.copy(java.jar(build.folder), place / "jars/octuple-jca.jar")
        subprocess.run(f"""openssl pkcs12 -export -in server.crt -inkey server.key -out server.p12 -passout pass:secret
            javac -d . {HERE}/Server.java
            jar --create --file server.jar --main-class Server Server.class""", shell=True, cwd=place, check=True,
                       capture_output=True)


def test_each_server_is_tried():
    assert SECTIONS.keys() == PROGRAMS.keys()


@pytest.mark.parametrize("name", SECTIONS)
def test_as_typed(build, place, name):
    reason = why_not(build, name)
    if reason:
        pytest.skip(reason)
    write_server(place, build, name)
    write_blocks(place, SECTIONS[name])
    kept = {key: subprocess.run(["go", "env", key], capture_output=True, text=True, check=True).stdout.strip()
            for key in ("GOCACHE", "GOMODCACHE") if name == "Go"}
    done = subprocess.run(["unshare", "-mnpf", "--mount-proc", "bash", HERE / "inside.sh", place,
                           name.lower().replace(".", "")], text=True, capture_output=True, check=False, timeout=300,
                          env=clean_environment() | kept | {"GOTOOLCHAIN": "local"}, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stdout + done.stderr
    load = re.search(r"^ok +load: .* (\d+) operations went through lanes", done.stdout, re.M)
    assert load and int(load[1]) > 0, done.stdout
