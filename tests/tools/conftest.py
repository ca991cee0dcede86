# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Small planted trees and builds, and the tools run on them as a user runs them."""
import json
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEADER = "/* SPDX-License-Identifier: Apache-2.0\n * Copyright The Octuple Authors */\n"


class Result:
    def __init__(self, done):
        self.status = done.returncode
        self.out = done.stdout + done.stderr

    def finds(self, *words):
        return self.status == 1 and any(all(w in line for w in words) for line in self.out.splitlines())


def run_tool(name, *arguments):
    command = ["/usr/bin/python3", "-B", str(ROOT / "tools" / name), *map(str, arguments)]
    return Result(subprocess.run(command, capture_output=True, text=True, check=False))


class Tree:
    """A source tree in a temporary folder."""

    def __init__(self, path):
        self.path = path

    def write(self, name, text, header=True):
        target = self.path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text((HEADER if header else "") + text, encoding="utf-8")
        return target

    def compile(self, name, *flags, compiler="gcc"):
        """Compiles one file as CMake would, and writes it down in compile_commands.json."""
        build = self.path / "build"
        build.mkdir(exist_ok=True)
        out = build / (name.replace("/", "_") + ".o")
        command = [compiler, "-O2", "-fPIC", *flags, "-I" + str(self.path / "src"), "-o", str(out), "-c",
                   str(self.path / name)]
        subprocess.run(command, check=True)
        book = build / "compile_commands.json"
        entries = json.loads(book.read_text(encoding="utf-8")) if book.exists() else []
        entries.append({"directory": str(build), "file": str(self.path / name), "arguments": command})
        book.write_text(json.dumps(entries), encoding="utf-8")
        return out

    def link(self, name, *arguments):
        build = self.path / "build"
        build.mkdir(exist_ok=True)
        subprocess.run(["gcc", "-shared", "-o", str(build / name), *map(str, arguments)], check=True)


@pytest.fixture
def tree(tmp_path):
    return Tree(tmp_path)
