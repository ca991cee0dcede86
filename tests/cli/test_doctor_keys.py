# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH address
"""octuple doctor on keys that live elsewhere: where it finds their names, what it says of each state, and no PIN."""
import json
import re
import subprocess

import pytest
from tests.cli.counters_file import RSA, content, key_counters
from tests.cli.test_doctor import (as_root, certificate, configuration, examine, idle, nginx, pair,  # noqa: F401
                                   port, running)

PIN = "pin-value=4711"


def said(place, pid, **options):
    """Level and text on keys; nothing that doctor says has the PIN in it."""
    result = place.call("doctor", "--no-handshake", pid, **options)
    assert "4711" not in result.stdout + result.stderr
    return examine(place, "--no-handshake", pid, **options)[1].get("keys")


def names(finding):
    """What is in sight where the setting is not there."""
    level, text = finding
    assert level == "note" and "OCTUPLE_KEYS is not set: operations with such keys block it" in text
    return re.search(r"its keys may be in devices \((.*)\), and", text)[1].split(", ")


NGINX_CONF = f"""
# ssl_certificate_key engine:commented:k;
http {{
    server {{ ssl_certificate x; ssl_certificate_key "engine:first:pkcs11:token=t;{PIN}"; }}
    server {{
        ssl_certificate_key\tengine:first:another;  # ssl_certificate_key engine:behind:k;
        ssl_certificate_key 'store:second:object=k;{PIN}';
        ssl_certificate_key /etc/engine:file:k;
        ssl_certificate_keys engine:longer:k;
        ssl_certificate_key /file; ssl_certificate_key engine:after:k; }}server{{ssl_certificate_key engine:last:k;
    }}
    include more/*.conf;
    include "one.conf";
    include /no/such/file;
}}
"""


def test_keys_of_nginx(served, nginx, port):  # noqa: F811
    """It has started with keys that are files, and is judged by what is there afterwards."""
    with running(served, *nginx, port=port) as pid:
        assert said(served, pid) is None
        (served.work / "more").mkdir()
        served.write("more/a.conf", f"server {{ ssl_certificate_key engine:third:{PIN}; }}\n")
        served.write("more/b.conf", "server { ssl_certificate_key store:fourth:k; }\ninclude nginx.conf;\n")
        served.write("one.conf", "include one.conf; ssl_certificate_key store:fifth;\n")  # it includes itself
        served.write("nginx.conf", NGINX_CONF)
        assert names(said(served, pid)) == [f"nginx's {name}" for name in (
            "engine first", "store second", "engine after", "engine last", "engine third", "store fourth",
            "store fifth")]
        served.write("nginx.conf", "ssl_certificate_key store:" + 200 * "n" + ":k;\n")
        (name,) = names(said(served, pid))
        assert name == "nginx's store " + 48 * "n"


OPENSSL_CONF = f"""
openssl_conf = init
[init]
providers = list
engines = engines
[list]
default = default_one
legacy = default_one
called = other
hardware = third
[default_one]
activate = 1
[other]
identity = pkcs11
pkcs11-module-token-pin = {PIN}
[third]
activate = 1
[engines]
four = fourth
[fourth]
engine_id = qatengine
PIN = {PIN}
"""


def test_providers_and_engines_of_a_configuration(served, idle):  # noqa: F811
    own = served.write("own.cnf", "")
    for setting in (None, "0"):
        with running(served, *idle, env={"OPENSSL_CONF": own, "OCTUPLE_KEYS": setting}) as pid:
            assert said(served, pid) is None
            own.write_text(OPENSSL_CONF)
            assert names(said(served, pid)) == ["provider pkcs11", "provider hardware", "engine qatengine"]
            own.write_text("")
    with running(served, *idle, env={"OPENSSL_CONF": own, "OCTUPLE_KEYS": "16"}) as pid:
        assert said(served, pid) == ("ok", "OCTUPLE_KEYS=16 is set; such keys: none in its configuration")
        own.write_text(OPENSSL_CONF)
        assert said(served, pid)[1].endswith("such keys: provider pkcs11, provider hardware, engine qatengine")


@pytest.mark.parametrize(("ours", "expected"), [
    ("module = /no/such.so", ("note", "cannot serve keys in this process: it is not at work there")),
    (None, ("note", "no operation has come with a key that lives elsewhere; such keys: none in"))])
def test_states_of_a_server(served, idle, port, ours, expected):  # noqa: F811
    """A section that does not activate the provider names its module, here one that is not there."""
    change = {"ours": ours} if ours else {"providers": "default = default_one"}
    conf = served.write("own.cnf", configuration(served, **change))
    env = {"LD_PRELOAD": served.shim, "OPENSSL_CONF": conf, "OCTUPLE_KEYS": "4"}
    address = f"127.0.0.1:{port}"
    with running(served, *idle, "-accept", address, env=env) as pid:
        level, text = said(served, pid, **as_root())
        assert level == "note" and "no TLS handshake has come yet" in text
        subprocess.run(["openssl", "s_client", "-connect", address], stdin=subprocess.DEVNULL, capture_output=True,
                       check=True)
        level, text = said(served, pid, **as_root())
        assert level == expected[0] and expected[1] in text, text


# Has OpenSSL, and the counters of the file, which are its own, in the library's place.
MAPS = """
import mmap, os, ssl, struct, sys, time
data = bytearray(open(sys.argv[1], "rb").read())
struct.pack_into("=Q", data, 8, os.getpid())
with open(sys.argv[2], "w+b") as file:
    file.write(data)
    file.flush()
    kept = mmap.mmap(file.fileno(), 0)
print("ACCEPT", flush=True)
time.sleep(60)
"""


def judged(place, numbers, inside=(), owners=()):
    """What doctor says of a process with these counters."""
    keys = key_counters(numbers, inside=inside, owners=owners)
    made = place.work / "made"
    made.write_bytes(content(0, {RSA: {"done": 1}}, keys=keys.ljust(8192, b"\0")))
    made.chmod(0o644)
    with running(place, "/usr/bin/python3", "-c", MAPS, made, place.work / "liboctuple.so") as pid:
        findings = place.call("doctor", "--no-handshake", "--json", pid, **as_root())
        (one,) = [one for one in json.loads(findings.stdout)["findings"] if one["name"] == "keys"]
        return one["level"], one["text"], one["advice"]


def numbers(state, begun=0, timed_out=0, threads=0, pausing=0):
    """The words of struct oct_key_counters from its state on."""
    return [state, 4, 10**9, begun, begun - timed_out, 0, timed_out, 0, threads, pausing, *[0] * 8]


SERVED, NO_CALLS = 2, 5


def test_states_that_no_openssl_here_brings_about(served):
    level, text, advice = judged(served, numbers(NO_CALLS))
    assert level == "note" and text.endswith("this process: its OpenSSL lacks what is needed") and "above" in advice


@pytest.mark.parametrize(("reason", "says", "advises"), [
    (0, "50 on threads that do not wait by epoll", "only event loops on epoll are served"),
    (1, "50 in handshakes that cannot be paused", "look again under load"),
    (3, "50 in handshakes that no event", "not one on epoll with a socket"),
    (6, "50 without a helper thread", "TasksMax"),
    (7, "50 for lack of memory", "more memory"),
    (8, "50 excepted by OCTUPLE_KEYS", "take except=NAME out"),
    (9, "50 of a provider that may not bear several threads", None)])
def test_most_inside_the_call(served, reason, says, advises):
    inside = [0] * 12
    inside[reason] = 50
    level, text, advice = judged(served, numbers(SERVED, begun=60, threads=10), inside)
    assert "60 operations with keys in devices: 10 in helper threads, 0 paused by themselves, 50 inside" in text
    assert says in text and level == ("note" if advises else "ok")
    assert advice is None if advises is None else advises in advice


def test_what_is_served(served):
    owners = [(b"pkcs11", 1, 40, 80 * 10**6), (b"card\x1b", 2, 10, 10**6)]
    level, text, advice = judged(served, numbers(SERVED, begun=50, threads=40, pausing=10), owners=owners)
    assert level == "ok" and advice is None
    assert "pkcs11: in helper threads, 2.00 ms each; card?: pauses by itself, 0.10 ms each" in text
    level, text, advice = judged(served, numbers(SERVED, begun=50, timed_out=3, threads=50))
    assert level == "note" and "3 timed out" in text and "timeout=MILLISECONDS in OCTUPLE_KEYS" in advice
