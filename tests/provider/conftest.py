# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The openssl command, with Octuple (loaded by a configuration file, as users do it) and without."""
import os
import pathlib
import socket
import subprocess
import time

import pytest

from lab import counters

CONFIGURATION = """
openssl_conf = init
[init]
providers = providers
alg_section = algorithms
[providers]
default = default_section
octuple = octuple_section
[default_section]
activate = 1
[octuple_section]
activate = 1
{settings}
[algorithms]
default_properties = ?octuple.serves=yes
[req]
distinguished_name = name
[name]
"""


class OpenSSL:
    """Runs `openssl ARGUMENTS` in a folder of its own; with_octuple chooses the configuration."""

    def __init__(self, folder, with_octuple, settings=""):
        self.folder = folder
        configuration = folder / ("octuple.cnf" if with_octuple else "plain.cnf")
        text = CONFIGURATION.format(settings=settings)
        if not with_octuple:
            text = text.replace("octuple = octuple_section\n", "").replace("?octuple.serves=yes", "?provider=default")
        configuration.write_text(text)
        self.environment = dict(os.environ, OPENSSL_CONF=str(configuration), HOME=str(folder))

    def popen(self, *arguments, **options):
        options.setdefault("env", self.environment)
        return subprocess.Popen(["openssl", *map(str, arguments)], cwd=self.folder, **options)

    def run(self, *arguments, check=True, timeout=120, **options):
        done = subprocess.run(["openssl", *map(str, arguments)], cwd=self.folder, env=self.environment,
                              capture_output=True, timeout=timeout, **options)
        if check:
            assert done.returncode == 0, (arguments, done.stderr.decode())
        return done

    def text(self, *arguments, **options):
        return self.run(*arguments, **options).stdout.decode()

    def counted(self, *arguments):
        """What it says, and its operations by name."""
        process = self.popen(*arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             env=dict(self.environment, OCTUPLE_COUNTERS=str(self.folder)))
        text, _ = process.communicate(timeout=300)
        assert process.returncode == 0, arguments
        return text.decode(), counters.read(self.folder / f"{process.pid}.octuple")


@pytest.fixture
def octuple(tmp_path):
    command = OpenSSL(tmp_path, True)
    if "octuple" not in command.text("list", "-signature-algorithms"):
        pytest.skip(f"no operation is on with OCTUPLE_TABLE={os.environ.get('OCTUPLE_TABLE')}")
    return command


@pytest.fixture
def plain(tmp_path):
    return OpenSSL(tmp_path, False)


@pytest.fixture
def make_command(tmp_path):
    return lambda settings: OpenSSL(tmp_path, True, settings)


@pytest.fixture
def keys():
    """The folder of make-keys."""
    return pathlib.Path(os.environ["OCT_TEST_KEYS"])


@pytest.fixture
def is_slow():
    return os.environ.get("OCTUPLE_TABLE") == "c"


def is_listening(port):
    """Without a connection, which would be one too many for the server. The kernel's table has ports in hexadecimal."""
    with open("/proc/net/tcp", encoding="ascii") as table:
        return any(f"0100007F:{port:04X} 00000000:0000 0A" in line for line in table)


@pytest.fixture
def wait_for():
    """wait_for(HAPPENED, PROCESS): until it has, which the process must live to see."""
    def wait(happened, process):
        deadline = time.monotonic() + 120
        while not happened():
            assert process.poll() is None and time.monotonic() < deadline, process.args
            time.sleep(0.02)
    return wait


@pytest.fixture
def s_server(wait_for):
    """s_server(COMMAND, OPTIONS...) starts `openssl s_server` on loopback and returns its port; it is ended after the
    test."""
    servers = []

    def start(command, *options, stdout=subprocess.DEVNULL):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        servers.append(command.popen("s_server", "-accept", f"127.0.0.1:{port}", *options, stdin=subprocess.PIPE,
                                     stdout=stdout, stderr=subprocess.DEVNULL))
        wait_for(lambda: is_listening(port), servers[-1])
        return port

    yield start
    for server in servers:
        server.kill()
        server.wait()
        server.stdin.close()
