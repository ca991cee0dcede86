# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH address
"""`octuple trace` where nothing needs to be traced: its options, whom it finds, what it says of the rest, and the
numbers that it shares with the library. test_trace_live.py traces for real."""
import os
import re
import shutil
import subprocess

import pytest
from tests.cli.conftest import ROOT

TOOLS = ("sniff", "snoop", "latency")
# Loads libssl if it is told to, says so, and waits.
WAITER = "import sys, time\nif len(sys.argv) > 1: import ssl\nprint('up', flush=True)\ntime.sleep(60)\n"
DEBIAN_PYTHON = "/usr/bin/python3"


@pytest.fixture
def started(place):
    """Starts commands as the user that octuple runs as; what is left is ended."""
    children = []

    def start(*command, **options):
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=place.work, **place.user(), **options)
        children.append(child)
        return child

    yield start
    for child in children:
        child.kill()
        child.wait()


def own_libraries(place, folder="libraries"):
    """OpenSSL's libraries as files that no other process of the machine has: what those do changes nothing here."""
    to = place.work / folder
    to.mkdir(mode=0o755)
    listed = subprocess.run([DEBIAN_PYTHON, "-c", "import ssl; print(open('/proc/self/maps').read())"],
                            capture_output=True, text=True,
                            check=True).stdout
    for path in {line.split()[-1] for line in listed.splitlines() if re.search(r"/lib(ssl|crypto)\.so", line)}:
        shutil.copy(path, to)
    return to


def with_libssl(started, libraries, program=DEBIAN_PYTHON):
    child = started(program, "-c", WAITER, "tls", env={"LD_LIBRARY_PATH": str(libraries)})
    assert child.stdout.readline() == "up\n"
    return child


BAD_OPTIONS = [
    ((), "--pid or --command"), (("--pid", "1", "--command", "x"), "--pid or --command"), (("--pid", "x"), "--pid"),
    (("--pid", "0"), "--pid"), (("--pid", "-1"), "--pid"), (("--pid", "99999999999"), "--pid"),
    (("--command", "a\"b"), "NAME"), (("--command", ""), "NAME"),
    (("--command", "longer-than-15-letters"), "15 letters"),
    (("--command", "x{}"), "NAME"), (("x{}",), "NAME"), (("",), "NAME"), (("longer-than-15-letters",), "15 letters"),
    (("--pid", "1", "--seconds", "0"), "--seconds"), (("--pid", "1", "extra"), "one target"),
    (("1", "--command", "x"), "one target"),
    (("1", "2"), "one target"), (("x", "--pid", "1"), "one target"), (("--pid", "1", "--nonsense"), "nonsense")]
NOT_TOGETHER = [
    ("snoop", "--show-plaintext"), ("latency", "--show-plaintext"),
    ("latency", "--connection", "0x1"), ("sniff", "--interval", "1"),
    ("sniff", "--hex"), ("sniff", "--connection", "0"), ("sniff", "--connection", "zz"),
    ("snoop", "--connection", "0x1z")]


def test_wrong_options(place):
    for number, (args, said) in enumerate(BAD_OPTIONS):
        tool = TOOLS[number % len(TOOLS)]
        result = place.call("trace", tool, *args)
        assert result.returncode == 2 and result.stdout == "" and said in result.stderr
        assert "Try 'octuple trace --help'." in result.stderr and f"octuple trace {tool}: " in result.stderr


def test_what_does_not_go_together(place):
    for args in NOT_TOGETHER:
        result = place.call("trace", *args, "--pid", "1")
        assert result.returncode == 2 and result.stdout == ""


def test_no_such_process(place):
    child = subprocess.Popen(["true"])
    child.wait()
    result = place.call("trace", "snoop", "--pid", child.pid)
    assert result.returncode == 1 and f"no process {child.pid}" in result.stderr
    assert place.call("trace", "snoop", child.pid).stderr == result.stderr
    for name in (("--command", "no-such-name"), ("no-such-name",)):
        result = place.call("trace", "snoop", *name)
        assert result.returncode == 1 and "no process is called 'no-such-name'" in result.stderr


def test_process_without_tls(place, started):
    child = started(DEBIAN_PYTHON, "-c", WAITER)
    child.stdout.readline()
    result = place.call("trace", "snoop", "--pid", child.pid)
    assert result.returncode == 5 and "no libssl" in result.stderr


@pytest.mark.parametrize("mark, said", [("OPENSSLDIR: \\\"/etc/ssl\\\"", "a copy of OpenSSL linked into it"),
                                        ("BoringSSL", "BoringSSL linked into it")])
def test_process_with_a_library_inside(place, started, mark, said):
    source = place.write("inside.c", f'#include <unistd.h>\nconst char *volatile mark = "{mark}";\n'
                                     'int main(void) { return write(1, "up\\n", 3) != 3 || !mark[0] || sleep(60); }\n')
    program = place.work / "inside"
    subprocess.run(["cc", "-o", program, source], check=True)
    child = started(program)
    child.stdout.readline()
    result = place.call("trace", "latency", "--pid", child.pid)
    assert result.returncode == 5 and said in result.stderr


def test_gnutls(place, started):
    library = next((path for path in ("/usr/lib/x86_64-linux-gnu/libgnutls.so.30",) if os.path.exists(path)), None)
    if library is None:
        pytest.skip("libgnutls30 is not installed")
    child = started(DEBIAN_PYTHON, "-c", f"import ctypes, time\nctypes.CDLL('{library}')\nprint('up', flush=True)\n"
                                         "time.sleep(60)\n")
    child.stdout.readline()
    result = place.call("trace", "sniff", "--pid", child.pid)
    assert result.returncode == 5 and "GnuTLS" in result.stderr


@pytest.mark.parametrize("tool", TOOLS)
def test_program_is_for_the_target(place, started, tool):
    libraries = own_libraries(place)
    child = with_libssl(started, libraries)
    result = place.call("trace", tool, "--pid", child.pid, "--print-program")
    assert result.returncode == 0
    libssl = next(libraries.glob("libssl.so.*"))
    notes = subprocess.run(["readelf", "-n", libssl], capture_output=True, text=True, check=True).stdout
    build_id = re.search(r"Build ID: (\w+)", notes)[1]
    assert result.stdout.startswith(f"// libssl: {libssl}, build-id {build_id}\n")
    assert f"@traced[(uint64){child.pid}] = 1;" in result.stdout
    assert f"uprobe:{libssl}:SSL_do_handshake /" in result.stdout
    assert ("EVP_KDF_derive" in result.stdout) == (tool == "snoop")
    assert ("EVP_DigestSign" in result.stdout) == (tool != "sniff")
    assert "buf(" not in result.stdout


def test_plaintext_is_read_only_if_asked_for(place, started):
    child = with_libssl(started, own_libraries(place))
    result = place.call("trace", "sniff", "--pid", child.pid, "--print-program", "--show-plaintext")
    assert result.returncode == 0 and "buf(" in result.stdout


def test_by_name_and_connection(place, started):
    name = "octuple-tr-test"
    shutil.copy(os.path.realpath(DEBIAN_PYTHON), place.work / name)
    child = with_libssl(started, own_libraries(place), place.work / name)
    result = place.call("trace", "snoop", "--command", name, "--connection", "0xabc0", "--print-program")
    assert result.returncode == 0
    assert "@traced[(uint64)pid] && arg0 == 0xabc0" in result.stdout and f"(uint64){child.pid}]" in result.stdout
    for words in ((name, "--connection", "0xabc0", "--print-program"),
                  ("-nC", "0xabc0", name), ("-nC", "0xabc0", child.pid)):
        assert place.call("trace", "snoop", *words).stdout == result.stdout


def test_digits_are_a_process_unless_they_are_called_a_name(place, started):
    name = "20221122"
    shutil.copy(os.path.realpath(DEBIAN_PYTHON), place.work / name)
    child = with_libssl(started, own_libraries(place), place.work / name)
    result = place.call("trace", "snoop", name, "--print-program")
    assert result.returncode == 1 and f"no process {name}" in result.stderr
    result = place.call("trace", "snoop", "--command", name, "--print-program")
    assert result.returncode == 0 and f"(uint64){child.pid}]" in result.stdout


def test_odd_paths_are_refused(place, started):
    child = with_libssl(started, own_libraries(place, "odd {name}"))
    result = place.call("trace", "latency", "--pid", child.pid, "--print-program")
    assert result.returncode == 5 and "cannot be given the path" in result.stderr


def test_returns_are_left_alone_where_fibres_may_be_paused(place, started):
    """The provider in a process is enough: handshakes may be paused in all that share its libcrypto."""
    if not place.provider.exists():
        pytest.skip("the provider is not built")
    libraries = own_libraries(place)
    stock = with_libssl(started, libraries)
    result = place.call("trace", "latency", "--pid", stock.pid, "--print-program")
    assert "uretprobe:" in result.stdout and ":EVP_DigestSign" in result.stdout and result.stderr == ""
    loads = f"import ctypes, ssl, time\nctypes.CDLL('{place.provider}')\nprint('up', flush=True)\ntime.sleep(60)\n"
    served = started(DEBIAN_PYTHON, "-c", loads,
                     env={"LD_LIBRARY_PATH": f"{libraries}:{place.folder / 'lib'}"})
    served.stdout.readline()
    result = place.call("trace", "latency", "--pid", stock.pid, "--print-program")
    assert f"process {served.pid}: " in result.stderr and "pauses handshakes" in result.stderr
    assert "SSL_do_handshake" in result.stdout and ":EVP_DigestSign" not in result.stdout
    result = place.call("trace", "snoop", "--pid", stock.pid, "--print-program")
    assert "\nuprobe:" in result.stdout and not re.search("^uretprobe:.*:EVP_DigestSign", result.stdout, re.M)


def test_what_the_machine_lacks(place, started):
    child = with_libssl(started, own_libraries(place))
    result = place.call("trace", "snoop", "--pid", child.pid, env={"PATH": "/nonexistent"})
    assert result.returncode == 6 and "apt-get install bpftrace" in result.stderr
    fake = place.write("bpftrace", "#!/bin/sh\nexit 1\n", mode=0o755)
    if place.as_root or os.geteuid() != 0:  # the command runs as nobody, or we are nobody ourselves
        result = place.call("trace", "snoop", "--pid", child.pid, env={"PATH": f"{fake.parent}:/usr/bin:/bin"})
        assert result.returncode == 6 and "root" in result.stderr


def enum_of(text, name):
    body = re.search(rf"enum {name} {{(.*?)}};", text, re.S)[1]
    return {int(number): word.lower() for word, number in re.findall(r"OCT_[A-Z]+?_([A-Z_]+) = (\d+)", body)}


def test_numbers_are_the_library_s():
    """The command uses public headers only, so what the probes say in numbers stands there a second time."""
    probes, timed = ((ROOT / f"src/trace/{name}.h").read_text() for name in ("probes", "timed"))
    events, functions = ((ROOT / f"cli/trace/{name}.c").read_text() for name in ("event_read", "functions"))
    for name in ("flush", "fallback"):
        listed = re.search(rf'\b{name}\[\] = {{(.*?)}}', events)[1].replace('"', "").split(", ")
        assert dict(enumerate(listed, 1)) == enum_of(probes, f"oct_{name}_reason")
    listed = [name.removeprefix("SSL_").lower() for name in re.findall(r'{"(\w+)", TRACE', functions)]
    calls = enum_of(timed, "oct_call")
    assert dict(enumerate(listed[:len(calls)], 1)) == calls
    assert f"#define TRACE_CALLS {len(calls)}\n" in (ROOT / "cli/trace/trace.h").read_text()
