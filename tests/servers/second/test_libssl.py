# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Processes with another TLS library than the system's, beside it or instead of it,
do with the shim what they do without."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
from functools import cache
from pathlib import Path

import pytest

from lab.programs import SYSTEM_LIBRARIES
from tests.servers.common import rig

each = pytest.mark.parametrize
SOURCES = Path(__file__).parent
SUFFIX = "-0a1b2c3d"
WAYS = {"on": {}, "off": {"OCTUPLE_TABLE": "off"}}


def tool(*command: str | Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=rig.clean_environment())
    assert done.returncode == 0, done.stderr


def compile_to(output: Path, *more: str | Path) -> Path:
    tool(os.environ.get("CC", "cc"), "-g", "-O1", "-D_GNU_SOURCE", "-o", output, *more)
    return output


def private_copy(where: Path) -> Path:
    """OpenSSL's libraries under other names, as those have that come inside of a Python wheel."""
    where.mkdir()
    names = {name: name.replace(".so", f"{SUFFIX}.so") for name in ("libcrypto.so.3", "libssl.so.3")}
    for name, private in names.items():
        shutil.copy(SYSTEM_LIBRARIES / name, where / private)
        tool("patchelf", "--set-soname", private, where / private)
        tool("patchelf", "--set-rpath", "$ORIGIN", where / private)
    tool("patchelf", "--replace-needed", "libcrypto.so.3", names["libcrypto.so.3"], where / names["libssl.so.3"])
    return where


def loose_copy(where: Path) -> Path:
    """OpenSSL's libraries as those built `no-pinshared`: dlclose() unloads them, and they end there."""
    where.mkdir()
    flags_1, nodelete = 0x6ffffffb, 0x8
    for name in ("libcrypto.so.3", "libssl.so.3"):
        image = bytearray((SYSTEM_LIBRARIES / name).read_bytes())
        headers, = struct.unpack_from("<Q", image, 32)
        size, count = struct.unpack_from("<HH", image, 54)
        segments = (struct.unpack_from("<IIQQQQ", image, headers + i * size) for i in range(count))
        at, length = next((at, length) for kind, _, at, _, _, length in segments if kind == 2)  # PT_DYNAMIC
        for entry in range(at, at + length, 16):
            tag, value = struct.unpack_from("<QQ", image, entry)
            if tag == flags_1:
                struct.pack_into("<Q", image, entry + 8, value & ~nodelete)
        (where / name).write_bytes(image)
    return where


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Programs and plug-ins: `mine` has the private copy, `theirs` the system's library."""
    if shutil.which("patchelf") is None:
        pytest.skip("patchelf is not installed")
    where = tmp_path_factory.mktemp("second")
    copies, loose = private_copy(where / "copies"), loose_copy(where / "loose")
    work, host = SOURCES / "work.c", SOURCES / "host.c"
    compile_to(where / "theirs.so", "-shared", "-fPIC", work, "-lssl", "-lcrypto")
    compile_to(where / "mine.so", "-shared", "-fPIC", work, copies / f"libssl{SUFFIX}.so.3",
               copies / f"libcrypto{SUFFIX}.so.3", f"-Wl,-rpath,{copies}")
    compile_to(where / "loose.so", "-shared", "-fPIC", work, "-lssl", "-lcrypto", f"-Wl,-rpath,{loose}")
    compile_to(where / "lookup", SOURCES / "lookup.c")
    compile_to(where / "bare", host, "-lpthread")
    compile_to(where / "linked", "-DWITH_TLS", host, work, "-lssl", "-lcrypto", "-lpthread")
    compile_to(where / "private", "-DWITH_TLS", host, work, copies / f"libssl{SUFFIX}.so.3",
               copies / f"libcrypto{SUFFIX}.so.3", f"-Wl,-rpath,{copies}", "-lpthread")
    return where


def run(command: list, env: dict[str, str]) -> tuple[int, str, str]:
    done = subprocess.run([str(word) for word in command], env=env, capture_output=True, text=True, timeout=120,
                          check=False)
    return done.returncode, done.stdout, done.stderr


@cache
def run_stock(*command: str) -> tuple[int, str, str]:
    return run(list(command), rig.clean_environment())


def same_as_stock(build: rig.Build, place: Path, way: str, command: list) -> str:
    """What it says, which is what it says without us, however it is started."""
    stock = run_stock(*(str(word) for word in command))
    assert stock[0] == 0, stock
    assert run(command, rig.shim_environment(place, build, **WAYS[way])) == stock
    if way == "on" and rig.has_lanes():
        assert run([build.octuple, "run", "--", *command], rig.clean_environment()) == stock
    return stock[1]


PROGRAMS = {"no TLS of its own": "bare", "the system's": "linked", "the private copy": "private"}
PLUGINS = [("mine",), ("mine", "theirs"), ("theirs", "mine")]


@each("way", WAYS)
@each("scope", ["local", "global"])
@each("when", ["lazy", "now"])
@each("program", PROGRAMS)
def test_plugin_with_a_copy(build, made, place, program, when, scope, way):
    """Which library the dynamic linker binds the plug-in to depends on all of that; it is the same one with us."""
    for plugins in PLUGINS:
        command = [made / PROGRAMS[program], scope, when, 1, 0, *(made / f"{name}.so" for name in plugins)]
        said = same_as_stock(build, place, way, command)
        assert said.count("6 good") == len(plugins) + (program != "no TLS of its own")


@each("way", WAYS)
@each("program", PROGRAMS)
def test_unloaded_and_loaded_again(build, made, place, program, way):
    said = same_as_stock(build, place, way,
                         [made / PROGRAMS[program], "local", "now", 3, 0, made / "mine.so", made / "theirs.so"])
    assert said.count("6 good") == 3 * (2 + (program != "no TLS of its own"))


@each("way", WAYS)
@each("threads", [0, 4])
def test_a_library_that_is_really_unloaded(build, made, place, threads, way):
    """Nothing of the shim's leads into what is gone."""
    said = same_as_stock(build, place, way, [made / "bare", "local", "now", 3, threads, made / "loose.so"])
    assert said.count("6 good") == 3 * max(threads, 1)


@each("way", WAYS)
@each("program", PROGRAMS)
def test_threads(build, made, place, program, way):
    said = same_as_stock(build, place, way,
                         [made / PROGRAMS[program], "local", "lazy", 2, 4, made / "mine.so", made / "theirs.so"])
    assert said.count("6 good") == 8 * (2 + (program != "no TLS of its own"))


def test_both_copies_are_used(build, made, place):
    """The tests above mean something: there are two libraries, and each does its own part."""
    command = [made / "bare", "local", "now", 1, 0, made / "mine.so", made / "theirs.so"]
    said = same_as_stock(build, place, "on", command)
    assert f"mine.so: 6 good, by libssl{SUFFIX}.so.3" in said and "theirs.so: 6 good, by libssl.so.3" in said


@each("way", WAYS)
def test_functions_without_versions(build, place, way):
    """A program that is linked to another TLS library with the same names calls that one, whatever else is there."""
    library = compile_to(place / "libforeign.so", "-DLIBRARY", "-shared", "-fPIC", SOURCES / "foreign.c")
    source = (SOURCES / "foreign.c", library, f"-Wl,-rpath,{place}")
    alone = compile_to(place / "alone", *source)
    beside = compile_to(place / "beside", *source, "-Wl,--no-as-needed", "-lssl", "-lcrypto")
    for command in ([alone], [beside], [alone, SYSTEM_LIBRARIES / "libssl.so.3"]):
        said = same_as_stock(build, place, way, command)
        assert said.count(" 10") == len(said.splitlines()) == 20


@each("way", WAYS)
@each("how", ["default", "handle"])
def test_functions_looked_up_by_name(build, made, place, how, way):
    system, private = SYSTEM_LIBRARIES / "libssl.so.3", made / "copies" / f"libssl{SUFFIX}.so.3"
    for libraries in ((system,), (private,), (system, private), (private, system)):
        said = same_as_stock(build, place, way, [made / "lookup", how, *libraries])
        assert said == 2 * len(libraries) * "a handshake\n"


@each("way", WAYS)
def test_no_library_at_all(build, place, way):
    program = compile_to(place / "weak", SOURCES / "weak.c")
    said = same_as_stock(build, place, way, [program])
    assert said.splitlines() == ["no object", "no handshake", "no bytes", "not written", "no context"]
