# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Fixtures for the tests of the command `octuple`.

The command is tested from a copy of bin/ and lib/ of the build tree, as an unprivileged user even when the tests run as
root, so that nothing of the system (/run/octuple) is touched and parts can be taken away or broken. Each test has its
own, so the copies do without what debuggers read, which is most of the bytes.
"""
import atexit
import contextlib
import functools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOBODY = 65534
CLEARED = ("OPENSSL_CONF", "OPENSSL_MODULES", "LD_PRELOAD", "OCTUPLE_TABLE", "OCTUPLE_COUNTERS", "XDG_RUNTIME_DIR")
CLEAN = {k: v for k, v in os.environ.items() if k not in CLEARED}


def build_folder():
    folder = os.environ.get("OCTUPLE_BUILD")
    if not folder:
        pytest.exit("set OCTUPLE_BUILD to the build folder, or run this by ctest", returncode=2)
    return pathlib.Path(folder)


@functools.cache
def stripped() -> pathlib.Path:
    """What all copies are made from."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="octuple-cli-"))
    atexit.register(shutil.rmtree, folder)
    for part, names in (("bin", "octuple"), ("lib", "*.so*")):
        (folder / part).mkdir()
        for file in (build_folder() / part).glob(names):
            shutil.copy2(file, folder / part, follow_symlinks=False)
            if shutil.which("strip") and not file.is_symlink():
                subprocess.run(["strip", "--strip-debug", folder / part / file.name], check=True)
    return folder


@pytest.fixture(scope="module")
def root():
    """An installation, below a folder that it was not configured for."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="octuple-install-"))
    subprocess.run(["cmake", "--install", build_folder()], env={**CLEAN, "DESTDIR": str(folder)}, check=True,
                   stdout=subprocess.DEVNULL)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def prefix(root):
    return next(root.rglob("bin/octuple")).parents[1]


@pytest.fixture(scope="module")
def building(prefix):
    """The environment of somebody who builds on the installed library. The file for pkg-config finds its prefix by
    itself, which is another one than was configured."""
    library = next(prefix.rglob("liboctuple.so")).parent
    return {**CLEAN, "PKG_CONFIG_PATH": str(library / "pkgconfig"), "LD_LIBRARY_PATH": str(library)}


class Place:
    """A copy of the built command with its libraries, and how to call it."""

    def __init__(self, folder):
        self.folder = folder
        self.as_root = os.geteuid() == 0
        for part in ("bin", "lib"):
            shutil.copytree(stripped() / part, folder / part, symlinks=True)
        for part in ("runtime", "work"):
            (folder / part).mkdir()
        self.work = folder / "work"
        self.runtime = folder / "runtime"
        self.env = {k: v for k, v in os.environ.items() if k not in CLEARED}
        # Behind ours, another OpenSSL than the system's: tests/places/versions.
        libraries = [str(folder / "lib"), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
        self.env |= {"LD_LIBRARY_PATH": ":".join(libraries), "XDG_RUNTIME_DIR": str(self.runtime)}
        self.runtime.chmod(0o700)
        if self.as_root:
            for path in [folder, *folder.rglob("*")]:
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)

    @property
    def shim(self):
        return self.folder / "lib/liboctuple-async.so"

    @property
    def provider(self):
        return self.folder / "lib/octuple.so"

    def write(self, name, text, mode=0o644):
        path = self.work / name
        path.write_text(text)
        path.chmod(mode)
        if self.as_root:
            os.chown(path, NOBODY, NOBODY)
        return path

    def user(self):
        return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if self.as_root else {}

    def call(self, *args, env=None, command="bin/octuple", **options):
        """Calls octuple ARGS; env adds to the environment, None takes a variable out."""
        merged = {**self.env, **(env or {})}
        merged = {k: str(v) for k, v in merged.items() if v is not None}
        options = {"cwd": self.work, "timeout": 120, "stdout": subprocess.PIPE, **self.user(), **options}
        return subprocess.run([self.folder / command, *map(str, args)], env=merged, text=True,
                              stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, check=False, **options)

    def json(self, *args, **options):
        result = self.call(*args, **options)
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    def run_env(self, *args, env=None):
        """The environment that a command under `octuple run` gets, and the finished call."""
        result = self.call("run", *args, "--", "/usr/bin/env", "-0", env=env)
        pairs = [line.split("=", 1) for line in result.stdout.split("\0") if line]
        return dict(pairs), result


@contextlib.contextmanager
def new_place():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="octuple-cli-"))
    folder.chmod(0o755)
    yield Place(folder)
    shutil.rmtree(folder)


@pytest.fixture
def place():
    with new_place() as made:
        yield made


@functools.cache
def table_here() -> str:
    """Asked once: `octuple info` runs every known-answer test."""
    with new_place() as place:
        return place.json("info", "--json")["table"]["name"]


@pytest.fixture
def served(place):
    """A place on a machine where a table is on and all parts are built."""
    if table_here() == "none":
        pytest.skip("this CPU has no AVX2: octuple run starts everything plainly")
    assert place.shim.exists(), "the shim is not built"
    assert place.provider.exists(), "the provider is not built"
    return place
