# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH address
"""An installation that was put somewhere else than it was configured for: everything is found all the same."""
import json
import subprocess

import pytest
from tests.cli.conftest import CLEAN, ROOT


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


def test_foreign_project_builds(prefix, building, tmp_path):
    source = ROOT / "tests/places/packages/consumer"
    build = ["cmake", "-G", "Ninja", "-S", source, "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}"]
    subprocess.run(build, check=True, capture_output=True)
    subprocess.run(["cmake", "--build", tmp_path], check=True, capture_output=True)
    version = octuple(prefix, "--version").stdout.split()[1]
    by_cmake = subprocess.run([tmp_path / "consumer"], env=CLEAN, capture_output=True, text=True, check=True)
    assert by_cmake.stdout.strip() == version

    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "octuple"],
                           env=building, capture_output=True, text=True, check=True)
    subprocess.run(["cc", "-o", tmp_path / "plain", source / "main.c", *flags.stdout.split()], check=True)
    plain = subprocess.run([tmp_path / "plain"], env=building, capture_output=True, text=True, check=True)
    assert plain.stdout.strip() == version
