# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH address
"""octuple check: a server's own test of its configuration, and a handshake, without and with."""
from __future__ import annotations

import shutil
import subprocess

import pytest

FIPS = "openssl_conf = i\n[i]\nproviders = p\n[p]\nbase = b\n[b]\nactivate = 1\n"


def nginx_conf(served, more=""):
    text = f"daemon on; pid {served.work}/pid; error_log {served.work}/log;\n{more}\nevents {{}}\n"
    return served.write("nginx.conf", text)


@pytest.mark.skipif(not shutil.which("nginx", path="/usr/sbin:/usr/bin"), reason="nginx is not installed")
def test_nginx(served):
    """The test says that it is as it was, whether that is good or not, and no server is left."""
    nginx = shutil.which("nginx", path="/usr/sbin:/usr/bin")
    for more in ("", "nonsense;"):
        result = served.call("check", "--", nginx, "-p", served.work, "-c", nginx_conf(served, more))
        assert result.returncode == 0 and len(result.stdout.splitlines()) == 1, result
        assert "its configuration test and a handshake end as without Octuple (TLSv1.3 " in result.stdout
        assert "times as often by RSA-2048" in result.stdout
    assert not (served.work / "pid").exists() or (served.work / "pid").read_text() == ""  # made by the test itself


def test_a_test_that_ends_otherwise(served):
    """A program of that name that bears no preload."""
    program = served.write("haproxy", '#!/bin/sh\n[ "$1" = -c ] || exit 9\n[ -z "$LD_PRELOAD" ] && exit 0\n'
                           "echo does not bear it; exit 3\n", 0o755)
    result = served.call("check", "--", program)
    assert result.returncode == 4 and "its configuration test ends otherwise with Octuple" in result.stdout
    assert "does not bear it" in result.stderr


def test_a_command_without_a_test_is_not_started(served):
    program = served.write("server", f"#!/bin/sh\ntouch {served.work}/started\n", 0o755)
    result = served.call("check", "--", program)
    assert result.returncode == 0 and "a handshake ends as without" in result.stdout
    assert "a handshake alone is tried" in result.stderr and not (served.work / "started").exists()


def test_a_configuration_that_keeps_it_out(served):
    own = served.write("own.cnf", "openssl_conf = i\n[i]\nalg_section = a\nproviders = p\n[p]\noctuple = o\n"
                       "[o]\nmodule = /no/such.so\n[a]\n")
    result = served.call("check", "--", "/bin/true", env={"OPENSSL_CONF": own})
    assert result.returncode == 4 and "nothing would be gained" in result.stdout
    result = served.call("check", "--", "/bin/true", env={"OPENSSL_CONF": served.write("base.cnf", FIPS)})
    assert result.returncode == 4 and "nothing would be gained" in result.stdout


def test_one_that_cannot_be_served(served):
    source = served.write("static.c", "int main(void) { return 0; }\n")
    program = served.work / "static"
    if subprocess.run(["cc", "-static", "-o", program, source], check=False, capture_output=True).returncode:
        pytest.skip("no static C library here")
    program.chmod(0o755)
    result = served.call("check", "--", program)
    assert result.returncode == 4 and "nothing would be gained: it is statically linked" in result.stdout
    result = served.call("check", "--", "/bin/true", env={"OCTUPLE_TABLE": "off"})
    assert result.returncode == 4 and "nothing would be gained" in result.stdout


def test_commands_that_are_none(place):
    assert place.call("check", "--", "/no/such").returncode == 127
    assert place.call("check").returncode == 2
    assert place.call("check", "--nonsense", "x").returncode == 2
