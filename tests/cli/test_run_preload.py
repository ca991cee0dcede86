# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH address
"""What a program under `octuple run` starts: of 32 bits, or on another C library, it runs as without."""
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import pytest
from tests.cli.conftest import build_folder

SAYS = '#include <stdio.h>\nint main(void) { puts("out"); fputs("err\\n", stderr); return 3; }\n'
MAPS = "print(open('/proc/self/maps').read())"
OBJECT = "import ssl; ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname='a'); "
OTHERS = [("32 bits", ["gcc", "-m32"], "gcc-multilib"), ("musl", ["musl-gcc"], "musl-tools")]


@pytest.fixture(params=["lib", "lib/x86_64-linux-gnu"])
def installed(served, request):
    """A place with the folder that installations have, beside the shim."""
    libraries = served.folder / request.param
    if request.param != "lib":
        libraries.mkdir()
        for file in (served.folder / "lib").glob("*.so*"):
            file.rename(libraries / file.name)
            file.symlink_to(libraries / file.name)
    shutil.copytree(build_folder() / "preload/octuple", libraries / "octuple", symlinks=True)
    served.libraries = libraries
    served.named = f"{libraries}/octuple/$LIB/liboctuple-async.so"
    return served


def compiled(place, name, compiler, package):
    source, program = place.write("says.c", SAYS), place.work / "says"
    if shutil.which(compiler[0]) is None or subprocess.run([*compiler, "-o", program, source], check=False,
                                                           capture_output=True).returncode != 0:
        pytest.skip(f"nothing here makes programs of {name}: apt-get install {package}")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize("name, compiler, package", OTHERS)
def test_child_runs_as_without(installed, name, compiler, package):
    program = compiled(installed, name, compiler, package)
    if name == "32 bits" and not any(installed.libraries.glob("octuple/lib/i386-*")):
        pytest.skip("the compiler of this build made no library of 32 bits")
    script = f"{program}; echo $?; exec {program}"
    plain = subprocess.run(["sh", "-c", script], env=installed.env, capture_output=True, text=True, check=False)
    served = installed.call("run", "--", "sh", "-c", script)
    assert plain.returncode == 3 and plain.stdout == "out\n3\nout\n" and plain.stderr == "err\nerr\n"
    assert (served.returncode, served.stdout, served.stderr) == (plain.returncode, plain.stdout, plain.stderr)


def loaded(installed, *command):
    """What of ours is in a child of the program that was started."""
    maps = installed.call("run", "--", "sh", "-c", f"{shlex.join(command)}; exit 0")
    assert maps.returncode == 0 and maps.stderr == ""
    paths = {line.split()[-1] for line in maps.stdout.splitlines() if "liboctuple" in line}
    names = {re.sub(r"so\.0\..*", "so.0", pathlib.Path(path).name) for path in paths}
    assert paths == {str((installed.libraries / name).resolve()) for name in names}
    return names


def test_child_of_the_same_kind_is_served(installed):
    env, result = installed.run_env()
    assert result.returncode == 0 and result.stderr == "" and env["LD_PRELOAD"] == installed.named
    both = {"liboctuple-async.so", "liboctuple.so.0"}
    assert loaded(installed, "cat", "/proc/self/maps") == {"liboctuple-async.so"}, "a process without TLS needs no more"
    assert loaded(installed, sys.executable, "-c", OBJECT + MAPS) == both
    assert loaded(installed, sys.executable, "-c", MAPS) == {"liboctuple-async.so"}


def test_either_name_counts(installed):
    shim = str(installed.libraries / "liboctuple-async.so")
    for named in (installed.named, shim):
        env, result = installed.run_env(env={"LD_PRELOAD": named})
        assert result.returncode == 0 and env["LD_PRELOAD"] == named
    nested = installed.call("run", "--", installed.folder / "bin/octuple", "run", "--", "/usr/bin/env")
    assert f"LD_PRELOAD={installed.named}\n" in nested.stdout


def test_folder_that_is_not_of_this_c_library(installed):
    """Then the path is named, which serves programs of the same kind."""
    for place in ("lib/x86_64-linux-gnu", "lib64"):
        shutil.rmtree(installed.libraries / "octuple" / place)
    env, result = installed.run_env()
    assert result.returncode == 0 and env["LD_PRELOAD"] == str(installed.libraries / "liboctuple-async.so")
