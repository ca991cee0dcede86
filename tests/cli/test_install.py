# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH address
"""An installation that was put somewhere else than it was configured for: everything is found all the same."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import pytest
from tests.cli.conftest import CLEARED, ROOT, build_folder

CLEAN = {k: v for k, v in os.environ.items() if k not in CLEARED}


@pytest.fixture(scope="module")
def root():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="octuple-install-"))
    subprocess.run(["cmake", "--install", build_folder()], env={**CLEAN, "DESTDIR": str(folder)}, check=True,
                   stdout=subprocess.DEVNULL)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def prefix(root):
    return next(root.rglob("bin/octuple")).parents[1]


def octuple(prefix, *args, **env):
    return subprocess.run([prefix / "bin/octuple", *args], env={**CLEAN, **env},
                          capture_output=True, text=True, check=False)


def test_manual_pages_are_installed(prefix):
    pages = {page.name for page in prefix.rglob("man1/octuple*.1")}
    assert pages == {"octuple.1", "octuple-doctor.1", "octuple-info.1", "octuple-run.1", "octuple-speed.1",
                     "octuple-check.1", "octuple-stopped.1", "octuple-unit.1", "octuple-top.1", "octuple-trace.1"}


def test_parts_are_found(prefix):
    data = json.loads(octuple(prefix, "info", "--json").stdout)
    assert data["shim"]["path"] == str(next(prefix.rglob("liboctuple-async.so")))
    assert data["provider"]["path"] == str(next(prefix.rglob("ossl-modules/octuple.so")))
    assert data["provider"]["loads"] is True, data["provider"]["error"]


def test_program_runs(prefix):
    if json.loads(octuple(prefix, "info", "--json").stdout)["table"]["name"] == "none":
        pytest.skip("this CPU has no AVX2: octuple run starts everything plainly")
    made = "import ssl; ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); print(open('/proc/self/maps').read())"
    maps = octuple(prefix, "run", "--", "/usr/bin/python3", "-c", made).stdout
    assert str(next(prefix.rglob("liboctuple-async.so"))) in maps
    assert str(next(prefix.rglob("ossl-modules/octuple.so"))) in maps


def test_configuration_of_the_release_before_is_the_system_s(root):
    config = next(root.rglob("etc/octuple/openssl.cnf"))
    lines = [line for line in config.read_text().splitlines() if not line.startswith("#")]
    assert lines == [".include /usr/lib/ssl/openssl.cnf"] and oct(config.stat().st_mode)[-3:] == "644"


def test_release_needs_nothing_that_only_tests_need(tmp_path):
    """What the README says, where cmocka is not installed: an empty name is a search that found nothing."""
    configured = subprocess.run(["cmake", "--preset", "release", "-B", tmp_path, "-DCMOCKA_LIBRARY="],
                                cwd=ROOT, env=CLEAN,
                                capture_output=True, text=True, check=False)
    assert configured.returncode == 0, configured.stderr
    listed = subprocess.run(["ctest", "--test-dir", tmp_path, "-N"],
                            env=CLEAN, capture_output=True, text=True, check=False)
    assert "Total Tests: 0" in listed.stdout + listed.stderr
    # Tests have to be asked for, as in ./check, or have a preset of their own.
    asked = subprocess.run(["cmake", "--preset", "release", "-B", tmp_path / "asked",
                            "-DOCT_TESTS=ON", "-DCMOCKA_LIBRARY="],
                           cwd=ROOT, env=CLEAN, capture_output=True, text=True, check=False)
    assert asked.returncode != 0 and "cmocka is missing" in asked.stderr


def test_foreign_project_builds(root, prefix, tmp_path):
    source = ROOT / "tests/places/packages/consumer"
    build = ["cmake", "-G", "Ninja", "-S", source, "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}"]
    subprocess.run(build, check=True, capture_output=True)
    subprocess.run(["cmake", "--build", tmp_path], check=True, capture_output=True)
    library = next(prefix.rglob("liboctuple.so")).parent
    version = octuple(prefix, "--version").stdout.split()[1]
    by_cmake = subprocess.run([tmp_path / "consumer"], env=CLEAN, capture_output=True, text=True, check=True)
    assert by_cmake.stdout.strip() == version

    # The file for pkg-config names the prefix that was configured: below DESTDIR, that is a sysroot's.
    env = {**CLEAN, "PKG_CONFIG_PATH": str(library / "pkgconfig"), "PKG_CONFIG_SYSROOT_DIR": str(root)}
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "octuple"],
                           env=env, capture_output=True, text=True, check=True)
    subprocess.run(["cc", "-o", tmp_path / "plain", source / "main.c", *flags.stdout.split()], check=True)
    plain = subprocess.run([tmp_path / "plain"], env={**CLEAN, "LD_LIBRARY_PATH": str(library)}, capture_output=True,
                           text=True, check=True)
    assert plain.stdout.strip() == version

    example = re.search(r"```c\n(.*?)```", (ROOT / "docs/operations.md").read_text(), re.DOTALL)[1]
    (tmp_path / "example.c").write_text(example)
    subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-o", tmp_path / "example", tmp_path / "example.c",
                    *flags.stdout.split()], check=True)
    said = subprocess.run([tmp_path / "example"], env={**CLEAN, "LD_LIBRARY_PATH": str(library)}, capture_output=True,
                          text=True, check=True).stdout
    # RFC 7748's function of 9 and the scalars 1 and 2, clamped: both are the same number then.
    assert said in ("2f... and 2f...\n", "this CPU has no AVX2\n")
