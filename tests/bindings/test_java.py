# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: LOCK maven COST 60
"""The Java binding's own tests (bindings/java): on each table, without a library, and with the JVM's checks of JNI; and
Tomcat under load."""
import json
import os
import pathlib
import re
import subprocess

import pytest
from lab import counters, depth, java, load
from lab.programs import Build, clean_environment
from lab.servers import tomcat
from lab.servers.nginx import KEYS, make_keys

# A JVM that ends after seconds gets nothing back for the second compiler's time.
SHORT_LIVED = ("-XX:+UseSerialGC", *(() if depth.EXHAUSTIVE else ("-XX:TieredStopAtLevel=1",)))
HANDSHAKES = {handshake.key: handshake for handshake in load.HANDSHAKES + load.MORE_HANDSHAKES
              if handshake.group == "X25519" and not handshake.hybrid}


@pytest.fixture(scope="module")
def module(build) -> pathlib.Path:
    """The folder where binding and tests have been built."""
    if java.why_not():
        pytest.skip(java.why_not())
    done = java.maven(build, "package", "-DskipTests")
    if java.cannot_fetch(done):
        pytest.skip("Maven's repository cannot be reached, and not all is here")
    assert done.returncode == 0, done.stdout
    return java.folder(build)


def has_lanes(build, table: str) -> bool:
    """What `octuple info` says, so that the binding cannot fail to find lanes unnoticed."""
    said = subprocess.run([build / "bin/octuple", "info", "--json"], capture_output=True, text=True, check=True,
                          env=clean_environment() | {"OCTUPLE_TABLE": table}).stdout
    return json.loads(said)["table"]["name"] != "none"


def run_tests(build, module, *options: str, lanes: bool, tests: tuple[str, ...] = (), **settings: str) -> str:
    """All tests, or those classes."""
    chosen = [f"--select-class=octuple.{name}" for name in tests] or [f"--scan-classpath={module}/test-classes"]
    done = subprocess.run(
        ["java", *options, *SHORT_LIVED, "-cp",
         f"{module}/test-classes:{module}/classes:{module}/libraries/*",
         "org.junit.platform.console.ConsoleLauncher", "execute", "--details=summary", "--disable-banner", *chosen],
        cwd=java.MODULE, env=java.environment(build) | {"OCTUPLE_TEST_LANES": "yes" if lanes else "no"} | settings,
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.search(r"(\d+) tests successful", done.stdout)
    assert passed and int(passed[1]) >= (20 if not tests else len(tests)), done.stdout
    return done.stdout + done.stderr


def test_lanes(build, module):
    run_tests(build, module, lanes=has_lanes(build, "auto"))


def test_without_lanes(build, module):
    run_tests(build, module, lanes=False, tests=() if depth.EXHAUSTIVE else ("AgreementTest", "TlsTest"),
              OCTUPLE_TABLE="off")


def test_without_the_library(build, module, tmp_path):
    run_tests(build, module, lanes=False, tests=() if depth.EXHAUSTIVE else ("MeetingTest",),
              LD_LIBRARY_PATH=str(tmp_path))


def test_portable_table(build, module):
    if not depth.EXHAUSTIVE:
        pytest.skip(f"the portable table is slow: {depth.EXHAUSTIVE_ONLY}")
    run_tests(build, module, lanes=True, tests=("SignaturesTest", "AgreementTest", "TlsTest"), OCTUPLE_TABLE="c")


def test_native_calls_are_correct(build, module):
    said = run_tests(build, module, "-Xcheck:jni", lanes=has_lanes(build, "auto"),
                     tests=() if depth.EXHAUSTIVE else ("ThreadsTest", "MeetingTest"))
    ours = [line for line in said.splitlines() if re.search(r"WARNING.*JNI|FATAL ERROR", line)]
    assert not ours, said


def test_maven(build, module):
    """`mvn test` and the jar, as a user types it."""
    if not depth.EXHAUSTIVE:
        pytest.skip(f"the same tests once more: {depth.EXHAUSTIVE_ONLY}")
    done = java.maven(build, "package")
    assert done.returncode == 0, done.stdout


def test_agent(build, module, tmp_path):
    """The jar in front of a program that knows nothing of it."""
    jar = next(module.glob("octuple-jca-*.jar"))
    (tmp_path / "Say.java").write_text(
        'class Say { public static void main(String[] a) throws Exception {\n'
        'System.out.println(java.security.Security.getProviders()[0].getName() + " "\n'
        '+ java.security.KeyPairGenerator.getInstance("X25519").getProvider().getName()); } }\n')
    done = subprocess.run(["java", f"-javaagent:{jar}", tmp_path / "Say.java"], env=java.environment(build),
                          capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["Octuple", "Octuple"], done.stdout + done.stderr


@pytest.mark.parametrize("side", ("stock", "octuple"))
def test_tomcat(build, module, tmp_path, side):
    """Handshakes with each kind of key."""
    if not depth.EXHAUSTIVE:
        pytest.skip(f"Tomcat takes half a minute: {depth.EXHAUSTIVE_ONLY}")
    kinds = [kind for kind in KEYS if kind != "ed25519"]  # which Tomcat does not read from PEM
    make_keys(tmp_path / "keys", kinds)
    program = tomcat.build(build)
    with tomcat.Tomcat(program, tomcat.options(side, java.jar(build)), tmp_path / "server", tmp_path / "keys", kinds,
                       os.sched_getaffinity(0), Build(build)) as server:
        for kind, port in server.ports.items():
            report = load.run(Build(build).load, port, min(os.sched_getaffinity(0)), HANDSHAKES[kind],
                              connections=16, seconds=2)
            assert report["completed"] and not report["failed_total"], (kind, report["first_failure"], server.said())
            used = server.counters().get(HANDSHAKES[kind].operation, counters.Operation())
            if side == "octuple" and has_lanes(build, "auto"):
                assert used.done >= report["completed"] and not used.failed, kind
            else:
                assert not used.done, kind


@pytest.mark.parametrize("said, wrong", (("javac 17.0.15", ""), ("javac 25", ""), ("javac 11.0.2", "javac is 11"),
                                         ("", "not its version")))
def test_versions(said, wrong):
    found = java.too_old(said)
    assert wrong in found if wrong else not found
