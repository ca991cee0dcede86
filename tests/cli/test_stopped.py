# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""octuple stopped: a service that dies again and again under Octuple starts without it."""
from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.cli.conftest import ROOT

SHIM = "/usr/lib/x86_64-linux-gnu/octuple/$LIB/liboctuple-async.so"
DIED = {"SERVICE_RESULT": "core-dump", "EXIT_CODE": "dumped", "EXIT_STATUS": "SEGV"}
STOPPED = {"SERVICE_RESULT": "success", "EXIT_CODE": "exited", "EXIT_STATUS": "0"}
HARMLESS = [{"SERVICE_RESULT": "signal", "EXIT_CODE": "killed", "EXIT_STATUS": "KILL"},
            {"SERVICE_RESULT": "exit-code", "EXIT_CODE": "exited", "EXIT_STATUS": "1"},
            {"SERVICE_RESULT": "timeout", "EXIT_CODE": "killed", "EXIT_STATUS": "TERM"},
            {"SERVICE_RESULT": "oom-kill", "EXIT_CODE": "killed", "EXIT_STATUS": "KILL"}]


def stop(place, how, unit="nginx.service", preload=SHIM):
    # What is preloaded into the command itself does not matter, and is not there.
    return place.call("stopped", "--folder", place.work / "run", unit, env={**how, "LD_PRELOAD": preload})


def off(place, unit="nginx.service"):
    path = place.work / f"run/{unit}.off"
    return path.read_text() if path.exists() else None


def test_twice_within_a_minute(place):
    first = stop(place, DIED)
    assert first.returncode == 0 and off(place) is None and "octuple:" not in first.stderr
    second = stop(place, DIED)
    assert second.returncode == 0 and off(place) == "LD_PRELOAD=\n"
    assert "nginx.service has died twice within a minute (SEGV): it starts without Octuple" in second.stderr
    third = stop(place, DIED)
    assert third.returncode == 0 and off(place) == "LD_PRELOAD=\n" and "octuple:" not in third.stderr
    again = stop(place, STOPPED)
    assert off(place) is None and "starts with Octuple again" in again.stderr
    assert not any((place.work / "run").iterdir())


def test_once_and_then_later(place):
    stop(place, DIED)
    died = place.work / "run/nginx.service.died"
    died.write_text(f"{int(died.read_text()) - 61}\n")
    stop(place, DIED)
    assert off(place) is None
    stop(place, DIED)
    assert off(place) is not None


@pytest.mark.parametrize("how", HARMLESS, ids=lambda how: how["SERVICE_RESULT"])
def test_what_is_no_fault(place, how):
    for _ in range(3):
        assert stop(place, how).returncode == 0
    assert off(place) is None


def test_a_supervisor_that_tells_of_its_worker(place):
    """HAProxy's master ends with 128 and the signal of its worker."""
    for _ in range(2):
        stop(place, {"SERVICE_RESULT": "exit-code", "EXIT_CODE": "exited", "EXIT_STATUS": "139"})
    assert off(place) == "LD_PRELOAD=\n"


def test_other_preloads_stay(place):
    for _ in range(2):
        stop(place, DIED, preload=f"{SHIM}:/usr/lib/libjemalloc.so.2 /opt/more.so")
    assert off(place) == "LD_PRELOAD=/usr/lib/libjemalloc.so.2:/opt/more.so\n"


def test_services_do_not_disturb_each_other(place):
    stop(place, DIED, "a@1.service")
    stop(place, DIED, "a@2.service")
    assert off(place, "a@1.service") is None and off(place, "a@2.service") is None


def test_names_and_folders_that_do_not_do(place):
    assert stop(place, DIED, "../nginx").returncode == 2
    assert place.call("stopped").returncode == 2
    (place.work / "file").write_text("")
    done = place.call("stopped", "--folder", place.work / "file/x", "nginx.service", env=DIED)
    assert done.returncode == 1 and "cannot make" in done.stderr


def test_the_drop_in_has_it():
    """One variable, and the two lines that an operator may take out."""
    lines = [line for line in (ROOT / "packaging/systemd/octuple.conf.in").read_text().splitlines()
             if line and not line.startswith("#")]
    assert [line.split("=")[0] for line in lines] == ["[Service]", "Environment", "ExecStopPost", "EnvironmentFile"]
    assert lines[1].endswith("/octuple/$LIB/liboctuple-async.so") and lines[2].endswith("/octuple stopped %n")
    assert lines[3] == "EnvironmentFile=-/run/octuple/%n.off"


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
def test_systemd_understands_it(tmp_path):
    (tmp_path / "try.service.d").mkdir()
    (tmp_path / "try.service").write_text("[Service]\nExecStart=/bin/true\n")
    text = (ROOT / "packaging/systemd/octuple.conf.in").read_text()
    text = text.replace("@CMAKE_INSTALL_FULL_LIBDIR@", "/usr/lib")
    (tmp_path / "try.service.d/octuple.conf").write_text(
        text.replace("@CMAKE_INSTALL_FULL_BINDIR@/octuple", "/bin/true"))
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", tmp_path / "try.service"], capture_output=True,
                          text=True, check=False)
    assert "octuple" not in done.stderr, done.stderr
