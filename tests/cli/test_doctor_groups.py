# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH address
"""octuple doctor's handshakes: the groups a port takes, why a post-quantum one is missing, and what is no TLS."""
import contextlib
import os
import re
import socket
import subprocess
import threading

import pytest
from tests.cli.test_doctor import as_root, certificate, configuration, examine, idle, nginx_with, pair, port, running

CURVES = ["X25519", "P-256", "P-384"]
PATIENT = 8
HYBRID = ["X25519MLKEM768", "SecP256r1MLKEM768", "SecP384r1MLKEM1024"]
VERSION = tuple(map(int, re.search(r"OpenSSL (\d+)\.(\d+)\.(\d+)",
                                   subprocess.check_output(["openssl", "version"], text=True)).groups()))
# OpenSSL that takes groups from the provider, and has none of its own.
needs_us = pytest.mark.skipif(not (3, 0, 10) <= VERSION < (3, 5), reason="OpenSSL takes no groups, or has its own")


def ask(place, *args, tries=PATIENT, **options):
    """Exit code, findings and ports. It waits a second for each port: on a busy machine one may be late."""
    for _ in range(tries):
        code, found, data = examine(place, *args, **options)
        if not any(one["answer"] in ("silent", "unreachable") for one in data["ports"]):
            break
    assert all(set(one["taken"] + one["refused"] + one["not_offered"]) <= {*CURVES, *HYBRID} for one in data["ports"])
    assert all(one["post_quantum"] == bool({*HYBRID} & {*one["taken"]}) for one in data["ports"])
    return code, found, data["ports"]


def advice_of(place, pid):
    return {one["name"]: one["advice"] for one in place.json("doctor", "--json", pid)["findings"]}


def under_run(served, *command):
    return [served.folder / "bin/octuple", "run", "--", *command]


@needs_us
def test_server_without_the_provider(served, idle):
    with running(served, *idle) as pid:
        code, found, ports = ask(served, pid)
        assert code == 4 and len(ports) == 1
        assert ports[0]["answer"] == "tls1.3" and ports[0]["taken"] == CURVES and ports[0]["refused"] == HYBRID
        level, text = found["groups"]
        assert level == "note" and text.startswith(f"{ports[0]['address']} takes X25519, P-256, P-384;")
        level, text = found["post-quantum"]
        assert level == "note" and "the provider is not in the process" in text and ports[0]["address"] in text
        said = served.call("doctor", pid).stdout
        assert "note       post-quantum: none at" in said and "solve what is said above of the provider" in said


def test_server_with_the_provider(served, idle):
    with running(served, *under_run(served, *idle)) as pid:
        code, found, ports = ask(served, pid)
        assert code == 0 and ports[0]["post_quantum"] and {*CURVES, HYBRID[0]} <= {*ports[0]["taken"]}
        assert found["groups"][0] == "ok" and "post-quantum" not in found
        assert "Verdict    no load seen yet" in served.call("doctor", "--no-handshake", pid).stdout


@needs_us
def test_every_hybrid_group(served, idle):
    with running(served, *under_run(served, *idle, "-groups", ":".join(HYBRID))) as pid:
        _, found, ports = ask(served, pid)
        assert ports[0]["taken"] == HYBRID and ports[0]["refused"] == CURVES and found["groups"][0] == "ok"
    with running(served, *under_run(served, *idle, "-groups", ":".join([*HYBRID, *CURVES]))) as pid:
        _, found, ports = ask(served, pid)
        assert ports[0]["refused"] == [] and found["groups"][1].endswith(HYBRID[-1]), found


def test_server_that_names_its_own(served, idle):
    with running(served, *under_run(served, *idle, "-groups", "X25519:P-384")) as pid:
        code, found, ports = ask(served, pid)
        assert code == 0 and ports[0]["taken"] == ["X25519", "P-384"] and found["post-quantum"][0] == "note"
        assert "the server names its own groups" in found["post-quantum"][1]
        assert "X25519MLKEM768" in advice_of(served, pid)["post-quantum"]


TLS = "[init]\nssl_conf = tls\n[tls]\nsystem_default = tls_default\n[tls_default]\n"


@needs_us
@pytest.mark.parametrize("change, more, says", [
    ({}, "", None),
    ({"ours": "activate = 1\nhybrid-groups = off"}, TLS + "Groups = X25519MLKEM768:P-256", "hybrid-groups = off"),
    ({}, TLS + "Groups = X25519:P-256", "has Groups = X25519:P-256"),
    ({}, TLS + "Groups = X25519MLKEM768:P-256", None)], ids=["no-groups", "off", "others", "named"])
def test_configuration(served, idle, change, more, says):
    if "off" in change.get("ours", ""):
        more = more.replace("X25519MLKEM768:", "")  # a list with a group that is not there is no list
    own = served.write("own.cnf", configuration(served, **change) + more)
    with running(served, *idle, env={"LD_PRELOAD": served.shim, "OPENSSL_CONF": own}) as pid:
        code, found, ports = ask(served, pid)
        assert code == 0 and ports[0]["post_quantum"] == (says is None)
        assert ("post-quantum" in found) == (says is not None)
        assert says is None or (says in found["post-quantum"][1] and str(own) in found["post-quantum"][1])


# A process that has mapped files of these names, and started a server: nothing but the words in them counts.
STANDS_FOR = """
import ctypes, signal, subprocess, sys
files = sys.argv[1:sys.argv.index("--")]
for path in files:
    ctypes.CDLL(path)
child = subprocess.Popen(sys.argv[len(files) + 2:])
signal.signal(signal.SIGTERM, lambda *_: child.kill())
child.wait()
"""
CASES = [
    ("OpenSSL 3.0.9 30 May 2023", True, "", "takes no such group from a provider"),
    ("OpenSSL 3.4.2 1 Jul 2025", False, "", "has none of its own, and the provider is not in the process"),
    ("OpenSSL 3.4.2 1 Jul 2025", True, "", "the server names its own groups"),
    ("OpenSSL 3.5.1 1 Jul 2025", False, "", "the server names its own groups"),
    ("OpenSSL 3.5.1 1 Jul 2025", False, TLS + "Groups = X25519", "has Groups = X25519"),
    ("OpenSSL 3.5.1 1 Jul 2025", False, TLS + "Groups = DEFAULT", "the server names its own groups"),
    ("LibreSSL 3.9.0", False, "", "for the server's TLS library to decide")]


@pytest.mark.parametrize("words, ours, more, says", CASES)
def test_version_of_openssl(served, idle, words, ours, more, says):
    source = served.write("stub.c", f'const char words[] = "{words}";\n')
    folder = served.work / "stubs"
    folder.mkdir()
    stubs = [folder / name for name in ["libcrypto.so.3", "octuple.so"][:1 + ours]]
    for stub in stubs:
        subprocess.run(["cc", "-shared", "-fPIC", "-o", stub, source], check=True)
    own = served.write("own.cnf", "openssl_conf = init\n[init]\n" + more)
    child = ["/usr/bin/env", "-u", "OPENSSL_CONF", *idle, "-groups", "X25519"]
    command = ["/usr/bin/python3", "-c", STANDS_FOR, *stubs, "--", *child]
    with running(served, *command, env={"OPENSSL_CONF": own}) as pid:
        _, found, ports = ask(served, pid)
        assert [one["taken"] for one in ports] == [["X25519"]]
        assert found["post-quantum"][0] == "note" and says in found["post-quantum"][1], found


# Ports of all kinds: a name that must be given, TLS 1.2 alone, text, groups of its own, and both versions of IP.
MORE = """
    server {{ listen {0} ssl default_server; ssl_reject_handshake on; }}
    server {{ listen {0} ssl; server_name localhost; ssl_certificate {work}/crt; ssl_certificate_key {work}/key; }}
    server {{ listen {1} ssl; ssl_protocols TLSv1.2; ssl_certificate {work}/crt; ssl_certificate_key {work}/key; }}
    server {{ listen {2}; }}
    server {{ listen {3} ssl; ssl_ecdh_curve X25519; ssl_certificate {work}/crt; ssl_certificate_key {work}/key; }}
    server {{ listen {4} ssl; listen [::]:{4} ssl; ssl_certificate {work}/crt; ssl_certificate_key {work}/key; }}
"""


def free_ports(count):
    with contextlib.ExitStack() as stack:
        socks = [stack.enter_context(socket.socket()) for _ in range(count)]
        for sock in socks:
            sock.bind(("127.0.0.1", 0))
        return [sock.getsockname()[1] for sock in socks]


@needs_us
def test_ports_of_nginx(served, certificate):
    first, *others = free_ports(6)
    nginx = nginx_with(served, first, MORE.format(*others, work=served.work))
    named, old, text, own, both = others
    with running(served, *under_run(served, *nginx), port=first) as pid:
        code, found, ports = ask(served, pid)
        by_number = {int(one["address"].rsplit(":", 1)[1]): one for one in ports}
        assert code == 0 and len(ports) == 6 and set(by_number) == {first, *others}, (found, ports)
        assert {number: one["answer"] for number, one in by_number.items()} == {
            first: "tls1.3", named: "alert", old: "alert", text: "no-tls", own: "tls1.3", both: "tls1.3"}
        assert by_number[first]["post_quantum"] and by_number[both]["post_quantum"]
        assert by_number[own]["taken"] == ["X25519"]
        assert f"none at {by_number[own]['address']}, but at another port" in found["post-quantum"][1]
        assert "ssl_ecdh_curve X25519MLKEM768:" in advice_of(served, pid)["post-quantum"]
        said = served.call("doctor", pid).stdout
        assert f":{text}: no TLS there" in said and f":{old} has TLS, but not TLS 1.3" in said
        assert f":{named} has TLS, but refuses every group" in said
        assert ask(served, "--connect", f"localhost:{named}")[2][0]["post_quantum"]
        assert (served.work / "error.log").read_text() == ""


def test_ports_that_are_too_many(served, certificate):
    first, *others = free_ports(11)
    nginx = nginx_with(served, first, "".join(f"server {{ listen 127.0.0.1:{one}; }}" for one in others))
    with running(served, *nginx, port=first) as pid:
        code, found, ports = ask(served, pid)
        assert code == 4 and len(ports) == 8 and found["groups"][1].startswith("3 ports more")


def test_no_handshake(served, idle):
    with running(served, *idle) as pid:
        for option in ("-n", "--no-handshake"):
            _, found, ports = ask(served, option, pid)
            assert ports == [] and "groups" not in found


def test_process_that_does_not_listen(served):
    with running(served, "openssl", "speed", "-seconds", "20", "sha256", said="Doing") as pid:
        _, found, ports = ask(served, pid)
        assert ports == [] and "it listens on no TCP port" in found["groups"][1]


def test_process_in_a_network_of_its_own(served, idle):
    apart = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", *idle]
    attempt = ["unshare", "--net", "ip", "link", "set", "lo", "up"]
    if os.geteuid() != 0 or subprocess.run(attempt, check=False).returncode:
        pytest.skip("only root can make a network namespace")
    with running(served, *apart, user={}) as pid:
        assert ask(served, pid, **as_root())[2][0]["taken"][:3] == CURVES
    drop = ["unshare", "--net", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *idle]
    with running(served, *drop, user={}) as pid:
        _, found, ports = ask(served, pid)
        assert ports == [] and found["groups"][0] == "note" and "network namespace" in found["groups"][1]


class Listener:
    """A port of ours that says `words`, and closes if it `ends`; what came is kept."""

    def __init__(self, words, ends, first):
        self.words, self.ends, self.first = words, ends, first
        self.came, self.open = [], []
        self.sock = socket.create_server(("127.0.0.1", 0))
        self.thread = threading.Thread(target=self.serve)

    def serve(self):
        while True:
            try:
                child, _ = self.sock.accept()
            except OSError:
                return
            self.open.append(child)
            if self.first:
                child.sendall(self.words)
            with contextlib.suppress(ConnectionError):
                self.came.append(child.recv(4096))
            if not self.first and self.words:
                child.sendall(self.words)
            if self.ends:
                child.close()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *args):
        self.sock.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        for child in (*self.open, self.sock):
            child.close()

    @property
    def address(self):
        return f"127.0.0.1:{self.sock.getsockname()[1]}"


@pytest.mark.parametrize("words, ends, answer, says", [
    (b"HTTP/1.1 400 Bad Request\r\n\r\n", True, "no-tls", "no TLS there"), (b"", True, "no-tls", "no TLS there"),
    (b"\x15\x03\x01\x00", True, "no-tls", "no TLS there"), (b"", False, "silent", "no answer within 1000 ms")],
    ids=["text", "closes", "half", "silent"])
def test_port_without_tls(place, words, ends, answer, says):
    with Listener(words, ends, first=False) as listener:
        code, found, ports = ask(place, "--connect", listener.address, tries=1)
        assert code == 4 and found["groups"][0] == "problem" and says in found["groups"][1]
        assert [one["answer"] for one in ports] == [answer] and ports[0]["taken"] == []
    assert len(listener.came) == 1 and listener.came[0][:1] == b"\x16"


def test_server_that_speaks_first_is_sent_nothing(place):
    with Listener(b"220 mail ESMTP\r\n", False, first=True) as listener:
        assert ask(place, "--connect", listener.address)[2][0]["answer"] == "no-tls"
    assert listener.came in ([], [b""])


def test_port_that_refuses(place, port):
    code, found, ports = ask(place, "--connect", f"127.0.0.1:{port}", tries=1)
    assert code == 4 and found["groups"] == ("problem", f"127.0.0.1:{port} cannot be reached: Connection refused")
    assert ports[0]["answer"] == "unreachable"


def test_address_alone(served, idle):
    """Without a process there is nothing to say of a program; what this command's own environment says has no say."""
    own = served.write("own.cnf", "openssl_conf = init\n" + TLS + "MaxProtocol = TLSv1.2\n")
    number, = free_ports(1)
    idle[idle.index("127.0.0.1:0")] = f"127.0.0.1:{number}"
    with running(served, *idle, "-groups", "P-256"):
        code, found, data = examine(served, "-c", f"127.0.0.1:{number}", env={"OPENSSL_CONF": own})
        assert code == 0 and data["program"] is None and data["pid"] is None
        assert data["ports"][0]["taken"] == ["P-256"] and list(found) == ["groups", "post-quantum"]
        said = served.call("doctor", "--connect", f"127.0.0.1:{number}").stdout
        assert said.startswith("note       groups: ") and "Verdict" not in said


def test_address_instead_of_the_process_s_own(served, idle):
    with Listener(b"", True, first=False) as listener, running(served, *idle) as pid:
        _, found, ports = ask(served, "--connect", listener.address, pid)
        assert [one["address"] for one in ports] == [listener.address] and found["groups"][0] == "problem"


@needs_us
def test_command_that_has_no_groups_to_offer(served, idle):
    number, = free_ports(1)
    idle[idle.index("127.0.0.1:0")] = f"127.0.0.1:{number}"
    with running(served, *idle):
        served.provider.unlink()
        _, found, ports = ask(served, "--connect", f"127.0.0.1:{number}")
        assert ports[0]["not_offered"] == HYBRID and ports[0]["taken"] == CURVES and "post-quantum" not in found
        assert "this command has no post-quantum groups to offer" in found["groups"][1]


@pytest.mark.parametrize("address", [
    "", "x", ":443", "x:", "x:0", "x:65536", "x:1x", "::1:443", "[]:443", "x" * 2000 + ":1"])
def test_no_address(place, address):
    result = place.call("doctor", "--connect", address)
    assert result.returncode == 2 and "HOST:PORT" in result.stderr and result.stdout == ""


def test_host_that_is_not_found(place):
    result = place.call("doctor", "--connect", "no-such-host.invalid:443")
    assert result.returncode == 1 and "cannot be looked up" in result.stderr
