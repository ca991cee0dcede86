# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH address
"""octuple doctor: servers that are served and such that are not, each reason, and what cannot be looked into."""
import contextlib
import glob
import json
import os
import pathlib
import shutil
import socket
import subprocess
import time

import pytest
from lab.servers import conf
from tests.cli.conftest import build_folder
from tests.cli.counters_file import MAGIC
from tests.cli.test_run import compile_one_each, compile_static

CERTIFICATE = "ssl_certificate {work}/crt; ssl_certificate_key {work}/key;"
CONF = """
openssl_conf = init
[init]
providers = providers
alg_section = algorithms
[providers]
{providers}
[default_one]
{default}
[ours]
module = {module}
{ours}
[algorithms]
{algorithms}
"""


def examine(place, *args, **options):
    """What it says: exit code, and level and text of each finding; nothing but JSON is on stdout."""
    result = place.call("doctor", "--json", *args, **options)
    assert result.stdout, (result.returncode, result.stderr)
    data = json.loads(result.stdout)
    assert (data["verdict"] == "problem") == (result.returncode != 0)
    return result.returncode, {one["name"]: (one["level"], one["text"]) for one in data["findings"]}, data


def levels(findings, *names):
    return [findings[name][0] for name in names]


def until_open(port):
    for _ in range(400):
        with socket.socket() as sock:
            if sock.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise AssertionError(f"port {port} stays closed")


def until_said(stream, said):
    """Before the line ends: `openssl speed` ends it when it has measured."""
    text = ""
    while said not in text:
        read = stream.read(1)
        assert read, f"it has ended: {text}"
        text += read


@contextlib.contextmanager
def running(place, *command, port=None, env=None, user=None, said="ACCEPT"):
    """A process of the unprivileged user, ended by its pid; ready when its port is open, or when it says so."""
    merged = {k: str(v) for k, v in {**place.env, **(env or {})}.items() if v is not None}
    with subprocess.Popen([*map(str, command)], env=merged, cwd=place.work, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **(place.user() if user is None else user)) as child:
        try:
            if port is not None:
                until_open(port)
            else:
                until_said(child.stdout, said)
            yield child.pid
        finally:
            child.terminate()


@pytest.fixture
def port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    where = tmp_path_factory.mktemp("pair")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=try", "-days", "2",
                    "-keyout", where / "key", "-out", where / "crt"], check=True, capture_output=True)
    return where


@pytest.fixture
def certificate(place, pair):
    place.write("key", (pair / "key").read_text())
    return place.write("crt", (pair / "crt").read_text())


@pytest.fixture
def nginx(place, port, certificate):
    return nginx_with(place, port)


def nginx_with(place, port, more=""):
    """The command of an nginx with that port and blocks more."""
    one = conf.server(f"listen 127.0.0.1:{port} ssl;", CERTIFICATE.format(work=place.work))
    place.write("nginx.conf", conf.nginx(place.work, [one, more]))
    program = shutil.which("nginx", path="/usr/sbin:/usr/bin")
    return [program, "-c", place.work / "nginx.conf", "-e", place.work / "error.log"]


@pytest.fixture
def idle(certificate):
    """A process with libssl in it."""
    return ["openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", certificate.parent / "key"]


def as_root():
    """Counters in memory are for those who may trace."""
    return {"user": 0, "group": 0} if os.geteuid() == 0 else {}


def test_nginx_is_served(served, nginx, port):
    with running(served, served.folder / "bin/octuple", "run", "--", *nginx, port=port) as pid:
        code, found, _ = examine(served, pid, **as_root())
        assert code == 0, found
        names = ("cpu", "tls-library", "openssl-version", "preload", "configuration", "provider")
        assert levels(found, *names) == ["ok"] * 6
        load = [build_folder() / "bin/octuple-load", "127.0.0.1", str(port), "--handshakes", "300"]
        subprocess.run(load, env=served.env, check=True, capture_output=True)
        code, found, data = examine(served, pid, **as_root())
        assert code == 0 and data["program"].endswith("/nginx") and data["pid"] == pid
        # nginx writes its title over its environment: the library knows that there was no name.
        assert found["configuration"][1].startswith("/usr/lib/ssl/openssl.cnf keeps nothing out")
        assert found["lanes"][0] == "ok" and data["lanes"]["done"] >= 300 and data["lanes"]["processes"] == 2
        text = served.call("doctor", pid, **as_root()).stdout
        assert "nothing stands in the way" in text and "operations went through lanes" in text


def test_nginx_without_octuple(served, nginx, port):
    with running(served, *nginx, port=port) as pid:
        code, found, _ = examine(served, pid)
        assert code == 4
        assert levels(found, "cpu", "tls-library", "openssl-version") == ["ok"] * 3
        assert levels(found, "preload", "provider", "lanes") == ["problem"] * 3
        # nginx writes its title over its environment.
        assert found["configuration"][0] == "ok" and "overwritten" in found["configuration"][1]
        text = served.call("doctor", pid).stdout
        assert "What to do: start it by 'octuple run" in text and "3 problems" in text


def test_counters_are_found_under_their_file(served, idle):
    command = [served.folder / "bin/octuple", "run", "--", *idle]
    with running(served, *command, env={"OCTUPLE_COUNTERS": served.work}) as pid:
        assert (served.work / f"{pid}.octuple").exists()
        assert examine(served, pid, **as_root())[2]["lanes"]["processes"] == 1


def test_command_is_run_and_watched(served):
    code, found, data = examine(served, "--", "openssl", "speed", "-async_jobs", "8", "-seconds", "1", "rsa2048")
    assert code == 0, found
    assert found["lanes"][0] == "ok" and data["lanes"]["done"] > 0 and data["pid"] is not None
    assert "settings" not in found  # the folder for counters is the doctor's own


def test_command_that_ends_before_the_next_look(served):
    """What it loads right before is not seen in the process; its counters tell."""
    script = "import os, ssl, time; time.sleep(1); ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); os._exit(0)"
    code, found, _ = examine(served, "--", "/usr/bin/python3", "-c", script)
    assert code == 0 and levels(found, "tls-library", "preload", "provider") == ["ok"] * 3, found
    assert "no operation has come yet" in found["lanes"][1], found


def test_command_that_is_over_soon(served):
    script = "import ssl, time; ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); time.sleep(0.1)"
    code, found, _ = examine(served, "--", "/usr/bin/python3", "-c", script)
    assert code == 0 and "libssl" in found["tls-library"][1] and "lanes" in found, found


def test_program_that_is_asynchronous_itself(served):
    command = ["openssl", "speed", "-provider-path", served.provider.parent,
               "-provider", "octuple", "-provider", "default",
               "-propquery", "?provider=octuple", "-async_jobs", "8", "-seconds", "20", "rsa2048"]
    with running(served, *command, said="Doing") as pid:
        time.sleep(1)
        code, found, _ = examine(served, pid, **as_root())
        assert code == 0 and levels(found, "preload", "configuration", "lanes") == ["ok"] * 3, found
        assert "need not be" in found["preload"][1]


def test_what_a_script_starts_is_found(served, idle):
    script = served.write("script", f"#!/bin/sh\ntrap 'kill $!' TERM\n{' '.join(map(str, idle))} &\nwait\n", 0o755)
    code, found, data = examine(served, "--seconds", "3", "--", script)
    assert code == 0 and data["program"].endswith("/openssl") and found["tls-library"][0] == "ok", found


def test_status_of_a_command_is_told(served):
    for _ in range(24):  # the process is octuple itself at first, with OpenSSL in it
        code, found, _ = examine(served, "--", "/bin/sh", "-c", "exit 7")
        assert code == 0 and found["command"] == ("note", "it ended with status 7"), found
        assert found["tls-library"][0] == "note", found
    for command, expected in (("/no/such", 127), (served.write("plain", ""), 126)):
        assert served.call("doctor", "--", command).returncode == expected


def test_static_program_is_not_started(served):
    code, found, _ = examine(served, "--", compile_static(served))
    assert code == 4 and found["preload"][0] == "problem" and "statically linked" in found["preload"][1]
    assert "command" not in found


def test_program_that_is_left_as_it_is(served):
    """What PostgreSQL exports; before it runs, and while it does."""
    program = compile_one_each(served, "-DSTAYS")
    code, found, _ = examine(served, "--", program)
    assert code == 4 and "a process for each connection" in found["run"][1]
    with running(served, program, env={"LD_PRELOAD": served.shim}, said="none 0") as pid:
        code, found, _ = examine(served, pid)
        assert code == 4 and "a process for each connection" in found["program"][1], found


def test_gnutls_program(served):
    library = sorted(glob.glob("/usr/lib/*/libgnutls.so.*"))[0]
    source = served.write("gnutls.c", "int main(void) { return 42; }\n")
    program = served.work / "gnutls"
    subprocess.run(["cc", "-o", program, source, "-Wl,--no-as-needed", library], check=True)
    code, found, _ = examine(served, "--", program)
    assert code == 4 and found["tls-library"][0] == "problem" and "GnuTLS" in found["tls-library"][1]


@pytest.mark.parametrize("words, name", [("OpenSSL 1.1.1 (compatible; AWS-LC 1.2) BoringSSL", "AWS-LC"),
                                         ("LibreSSL 3.8.2", "LibreSSL"), ("BoringSSL", "BoringSSL")])
def test_fork_under_the_system_s_names(served, words, name):
    """It is called by its name, and nothing else is said to be missing for it."""
    libraries = served.work / "fork"
    libraries.mkdir()
    source = served.write("fork.c", f'const char text[] = "{words}"; int fork_here(void) {{ return 1; }}\n')
    for library in ("libssl.so.3", "libcrypto.so.3"):
        subprocess.run(["cc", "-shared", "-fPIC", f"-Wl,-soname,{library}", "-o", libraries / library, source],
                       check=True)
    user = served.write("user.c", "int fork_here(void); int main(void) { return 42 + fork_here(); }\n")
    program = served.work / "user"
    subprocess.run(["cc", "-o", program, user, libraries / "libcrypto.so.3", f"-Wl,-rpath,{libraries}"], check=True)
    code, found, _ = examine(served, "--", program)
    assert code == 4 and f"its TLS library is {name}, not OpenSSL" in found["tls-library"][1], found
    assert not {"openssl-version", "provider", "configuration"} & set(found), found


def test_shared_aws_lc(served):
    """On request it is served, and nothing is said to be missing for it: no version of OpenSSL, no provider."""
    libraries = served.work / "awslc"
    libraries.mkdir()
    for name in ("ssl", "crypto"):
        text = f'const char {name}_text[] = "AWS-LC 5.12.0"; int {name}(void) {{ return 1; }}\n'
        source = served.write(f"{name}.c", text)
        subprocess.run(["cc", "-shared", "-fPIC", f"-Wl,-soname,lib{name}.so", "-o", libraries / f"lib{name}.so",
                        source], check=True)
    user = served.write("user.c", "int ssl(void), crypto(void); int main(void) { return ssl() + crypto(); }\n")
    program = served.work / "user"
    subprocess.run(["cc", "-o", program, user, *libraries.glob("*.so"), f"-Wl,-rpath,{libraries}"], check=True)
    _, found, _ = examine(served, "--", program)
    assert found["tls-library"][0] != "ok", found
    asks = {"OCTUPLE_LOOPS": "auto,awslc=on"}
    _, found, _ = examine(served, "--", program, env=asks)
    assert found["tls-library"][0] == "ok" and "AWS-LC, dynamically linked" in found["tls-library"][1], found
    assert not {"openssl-version", "provider", "configuration"} & set(found), found
    assert "TLS library" not in served.call("run", "--", program, env=asks).stderr


def test_own_openssl_says_what_its_file_does(served):
    """The system's is the command's own, whose file is not searched; a copy of that file is."""
    source, said = served.write("user.c", "int main(void) { return 42; }\n"), []
    [library] = [line.split()[2] for line in subprocess.run(
        ["ldd", served.folder / "bin/octuple"], capture_output=True, text=True, check=True).stdout.splitlines()
        if "libcrypto.so.3" in line]
    copies = served.work / "copies"
    copies.mkdir()
    shutil.copy(library, copies / "libcrypto.so.3")
    for how in ([], [f"-Wl,-rpath,{copies}"]):
        program = served.work / "user"
        subprocess.run(["cc", *how, "-o", program, source, "-Wl,--no-as-needed", "-lcrypto"], check=True)
        said.append(examine(served, "--", program)[1])
    assert said[0]["openssl-version"] == said[1]["openssl-version"]


@pytest.mark.parametrize("word, name", [
    ("BoringSSL", "BoringSSL"), ("AWS-LC 1.2", "AWS-LC"), ("OPENSSLDIR: \\\"/", "a copy of OpenSSL")])
def test_library_inside_of_the_program(served, word, name):
    source = served.write("inside.c", f'const char inside[] = "{word}"; int main(void) {{ return 42; }}\n')
    program = served.work / "inside"
    subprocess.run(["cc", "-o", program, source], check=True)
    code, found, _ = examine(served, "--", program)
    assert code == 4 and found["tls-library"][1].startswith(name + " is linked into the program")


def test_setuid_program(served, idle):
    if os.geteuid() != 0:
        pytest.skip("only root can make a program that raises privileges")
    program = served.work / "openssl"
    shutil.copy2(shutil.which("openssl"), program)
    program.chmod(0o4755)
    code, found, _ = examine(served, "--", program, "version")
    assert code == 4 and "raised privileges" in found["preload"][1]
    with running(served, program, *idle[1:], env={"LD_PRELOAD": served.shim}) as pid:
        assert served.call("doctor", pid).returncode == 1
        code, found, _ = examine(served, pid, **as_root())
        assert code == 4 and "its file is set-user-ID" in found["privileges"][1] and found["preload"][0] == "problem"


def test_mounts_that_hide_the_libraries(served, idle):
    if os.geteuid() != 0:
        pytest.skip("only root can make a mount namespace")
    hide = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', served.folder / "lib", *idle]
    with running(served, *hide, user={}, env={"LD_PRELOAD": served.shim}) as pid:
        code, found, _ = examine(served, pid, **as_root())
        assert code == 4 and levels(found, "sandbox", "preload") == ["problem"] * 2
        assert "mount namespace" in found["sandbox"][1]


# A seccomp filter that allows everything, and then the command.
FILTERED = """
import ctypes, os, struct, sys
class Program(ctypes.Structure):
    _fields_ = [("count", ctypes.c_ushort), ("filter", ctypes.c_char_p)]
libc = ctypes.CDLL(None)
allow = Program(1, struct.pack("HBBI", 6, 0, 0, 0x7fff0000))
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.byref(allow), 0, 0) == 0
os.execvp(sys.argv[1], sys.argv[1:])
"""


def test_seccomp_is_a_note(served, idle):
    with running(served, served.folder / "bin/octuple", "run", "--", "python3", "-c", FILTERED, *idle) as pid:
        code, found, _ = examine(served, pid)
        assert code == 0 and found["sandbox"][0] == "note" and "seccomp" in found["sandbox"][1]


CONFIGURATIONS = [
    ({}, "ok", "prefers octuple"),
    ({"ours": ""}, "ok", "keeps nothing out"),
    ({"providers": "legacy = default_one"}, "problem", "Octuple stays out"),
    ({"default": ""}, "problem", "does not load that by itself"),
    ({"module": "/no/such/octuple.so"}, "problem", "cannot read"),
    ({"algorithms": ""}, "problem", "does not prefer it (default_properties = none)"),
    ({"algorithms": "default_properties = provider=octuple"}, "problem", "demands the provider octuple"),
    ({"algorithms": "default_properties = octuple.serves=yes"}, "problem", "demands the provider octuple"),
    ({"algorithms": "default_properties = fips=yes"}, "problem", "FIPS"),
    ({"providers": "default = default_one", "algorithms": "default_properties = fips=yes"}, "problem", "FIPS"),
    ({"algorithms": "default_properties"}, "note", "cannot be read")]


def configuration(served, **change):
    parts = {"providers": "default = default_one\noctuple = ours", "default": "activate = 1", "module": served.provider,
             "ours": "activate = 1", "algorithms": "default_properties = ?octuple.serves=yes"}
    return CONF.format(**{**parts, **change})


def judged(served, pid):
    code, found, _ = examine(served, pid)
    level, text = found["configuration"]
    assert code == (4 if level == "problem" else 0), found
    return level, text


def test_configuration(served, idle):
    """The process starts with one under which s_server runs, and is judged by what is there afterwards."""
    own = served.write("own.cnf", configuration(served))
    with running(served, *idle, env={"LD_PRELOAD": served.shim, "OPENSSL_CONF": own}) as pid:
        for change, expected, says in CONFIGURATIONS:
            own.write_text(configuration(served, **change))
            level, text = judged(served, pid)
            assert level == expected and says in text
        own.unlink()
        assert "No such file" in judged(served, pid)[1]


def test_former_switch(served, idle):
    own = served.write("own.cnf", configuration(served, ours="activate = 1\nec-pool = off"))
    with running(served, *idle, env={"LD_PRELOAD": served.shim, "OPENSSL_CONF": own}) as pid:
        level, text = judged(served, pid)
        assert level == "note" and "former switch ec-pool" in text and "now pools" in text


def test_preference_that_a_query_can_hide(served, idle):
    own = served.write("own.cnf", configuration(served, algorithms="default_properties = ?provider=octuple"))
    with running(served, *idle, env={"LD_PRELOAD": served.shim, "OPENSSL_CONF": own}) as pid:
        level, text = judged(served, pid)
        assert level == "note" and "provider!=fips" in text


def test_configuration_without_the_provider(served, idle):
    own = served.write("own.cnf", configuration(served, providers="default = default_one"))
    with running(served, *idle, env={"LD_PRELOAD": served.shim, "OPENSSL_CONF": own}) as pid:
        code, found, _ = examine(served, pid)
        assert code == 0 and levels(found, "preload", "configuration", "provider") == ["ok"] * 3
        assert "keeps nothing out" in found["configuration"][1]


def test_switched_off_in_its_environment(served, idle):
    with running(served, *idle, env={"OCTUPLE_TABLE": "off"}) as pid:
        code, found, _ = examine(served, pid)
        assert code == 4 and found["cpu"][0] == "problem" and "OCTUPLE_TABLE=off" in found["cpu"][1]


@pytest.mark.parametrize("value, said", [("avx", "OCTUPLE_TABLE=avx: it takes auto, avx512"), ("c", "table c")])
def test_table_of_the_process_counts(served, idle, value, said):
    """Not that of whoever asks."""
    with running(served, *idle, env={"OCTUPLE_TABLE": value}) as pid:
        found = examine(served, pid)[1]
        assert said in found["cpu"][1] and "settings" not in found
        assert (found["cpu"][0] == "problem") == (value == "avx")
    with running(served, *idle) as pid:
        assert examine(served, pid, env={"OCTUPLE_TABLE": "off"})[1]["cpu"][0] == "ok"


def test_table_of_a_server_that_hides_its_environment(served, nginx, port):
    command = [served.folder / "bin/octuple", "run", "--", *nginx]
    with running(served, *command, port=port, env={"OCTUPLE_TABLE": "c", "OCTUPLE_WIDTH": "1024"}) as pid:
        found = examine(served, pid, **as_root())[1]
        assert "table c" in found["cpu"][1], found
        assert found["settings"] == ("note", "OCTUPLE_WIDTH=1024: it takes auto, 512, 256, 128, off")


def test_wrong_settings_in_its_environment(served, idle):
    with running(served, *idle, env={"OCTUPLE_TALBE": "off"}) as pid:
        assert "is OCTUPLE_TABLE meant?" in examine(served, pid)[1]["settings"][1]
    with running(served, *idle, env={"OCTUPLE_COUNTERS": "/nonexistent"}) as pid:
        assert "No such file or directory" in examine(served, pid)[1]["settings"][1]


def test_process_by_its_name(served, certificate, tmp_path):
    """A server's master stands for its workers; several servers of a name are told apart by their numbers."""
    program = served.work / "octuple-named"
    shutil.copy(shutil.which("openssl"), program)
    program.chmod(0o755)
    server = [program, "s_server", "-accept", "127.0.0.1:0", "-cert", certificate, "-key", certificate.parent / "key"]
    with running(served, *server) as one:
        assert examine(served, "octuple-named")[2]["pid"] == one
        with running(served, *server) as other:
            result = served.call("doctor", "octuple-named")
            assert result.returncode == 1 and "several processes are called 'octuple-named'" in result.stderr
            assert str(one) in result.stderr and str(other) in result.stderr
    result = served.call("doctor", "octuple-named")
    assert result.returncode == 1 and "no process is called 'octuple-named'" in result.stderr


def test_program_that_calls_the_library_itself(served):
    """As those with a binding do: nothing of it needs the shim."""
    calls = ("import ctypes, time; ctypes.CDLL('liboctuple.so.0').oct_op_is_on(0)\n"
             "print('ACCEPT', flush=True); time.sleep(60)")
    with running(served, "/usr/bin/python3", "-S", "-c", calls) as pid:
        code, found, _ = examine(served, pid)
        assert code == 0 and found["tls-library"][0] == "ok", found
        assert "a binding of Octuple serves it" in found["tls-library"][1]
        assert "preload" not in found and "provider" not in found


@pytest.mark.skipif(os.geteuid() != 0, reason="a configuration of somebody else's")
def test_configuration_that_may_not_be_read(served, idle):
    own = served.write("own.cnf", "", 0o600)
    os.chown(own, 0, 0)
    with running(served, *idle, env={"OPENSSL_CONF": own}) as pid:
        level, text = examine(served, pid)[1]["configuration"]
        assert level == "note" and "Permission denied" in text


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a right away")
def test_root_without_the_right_to_look(served, idle):
    with running(served, served.folder / "bin/octuple", "run", "--", *idle) as pid:
        drop = ["--bounding-set=-sys_ptrace", "--", served.folder / "bin/octuple"]
        for command in (["doctor", pid], ["top", "--once", pid], ["trace", "snoop", pid]):
            result = served.call(*drop, *command, command="/usr/bin/setpriv", user=0, group=0)
            assert result.returncode != 0 and "this root lacks CAP_SYS_PTRACE" in result.stderr, result.stderr


def test_program_of_32_bits(served):
    """Its header is all that is looked at."""
    header = bytearray(pathlib.Path("/bin/true").read_bytes()[:64])
    header[4] = 1  # ELFCLASS32
    program = served.work / "old"
    program.write_bytes(header)
    program.chmod(0o755)
    result = served.call("doctor", "--", program)
    assert result.returncode == 4
    assert "is not a 64-bit x86 program" in result.stdout and "use its build for 64-bit x86 (amd64)" in result.stdout


def test_bound_program_that_has_not_used_it_yet(served):
    """A server with a binding before its first handshake: nothing is forbidden, and nothing was done."""
    library = served.folder / "lib/liboctuple.so.0"
    load = f"import ctypes; ctypes.CDLL('{library}'); print('ACCEPT', flush=True); input()"
    with running(served, "/usr/bin/python3", "-c", load) as pid:
        found = examine(served, pid)[1]
        assert found["lanes"] == ("note", "no operation has come yet (1 processes)")


def test_counters_of_another_version(served):
    """As after an upgrade, when a process still has the former library."""
    change = f"""
import ctypes
ctypes.CDLL("liboctuple.so.0").oct_start()
mappings = [line.split() for line in open("/proc/self/maps")]
first = next(i for i, line in enumerate(mappings) if "liboctuple.so" in line[-1])
with open("/proc/self/mem", "r+b", 0) as memory:
    for where, rights in ((line[0].split("-"), line[1]) for line in mappings[first:first + 8]):
        begin, end = (int(address, 16) for address in where)
        memory.seek(begin)
        at = memory.read(end - begin).find(({MAGIC}).to_bytes(8, "little")) if rights == "rw-p" else -1
        if at >= 0:
            memory.seek(begin + at + 7)
            memory.write(b"2")
            print("ACCEPT", flush=True)
input()
"""
    with running(served, "/usr/bin/python3", "-S", "-c", change) as pid:
        _, found, data = examine(served, pid, **as_root())
        assert found["lanes"] == ("note", "its counters are of another version of Octuple, and cannot be read here")
        assert "permitted" not in str(data) and data["lanes"]["unreadable"] == 1


def test_running_program_of_32_bits(served):
    """Its auxiliary vector has other sizes: read as ours, it said that the program had raised privileges."""
    says = "#include <stdio.h>\nint main(void) { puts(\"ACCEPT\"); return fflush(stdout) + getchar(); }\n"
    source, program = served.write("says.c", says), served.work / "old"
    if subprocess.run(["gcc", "-m32", "-o", program, source], check=False, capture_output=True).returncode != 0:
        pytest.skip("nothing here makes programs of 32 bits: apt-get install gcc-multilib")
    program.chmod(0o755)
    with running(served, program) as pid:
        found = examine(served, pid)[1]
        assert "is not a 64-bit x86 program" in found["preload"][1] and "privileges" not in found


def test_the_verdict_is_the_first_line(served, idle):
    with running(served, *idle) as pid:
        assert served.call("doctor", pid).stdout.startswith("Verdict    3 problems")


# Stubs, of which the names, and words in their constants, are all that counts:
# name, own name, needed, words, what is said.
COPIES = [
    ("libcrypto-9f8e7d6c.so.3", "libcrypto-9f8e7d6c.so.3", None, "", None),
    ("libssl-1a2b3c4d.so.3", "libssl-1a2b3c4d.so.3", "libcrypto-9f8e7d6c.so.3", "",
     "is a copy that the program brings along, named libssl-1a2b3c4d.so.3 instead of libssl.so.3: not served"),
    ("libssl.so.3", "libssl.so.3", "libcrypto-9f8e7d6c.so.3", "",
     "is a copy with a libcrypto of its own, libcrypto-9f8e7d6c.so.3 instead of libcrypto.so.3: not served"),
    ("libssl.so.55", "libssl.so.55", None, "LibreSSL 3.9.0", "is LibreSSL: not served"),
    ("module.so", None, None, "OPENSSLDIR: \\\"/x\\\" ../ssl/ssl_lib.c", "has OpenSSL linked into it: not served"),
    ("grpc.so", None, None, "BoringSSL ssl/ssl_lib.cc", "has BoringSSL linked into it: not served"),
    ("innocent.so", None, None, "OPENSSLDIR: \\\"/x\\\"", None)]
LOADS = """
import ctypes, sys, time
for path in sys.argv[1:]:
    ctypes.CDLL(path)
print("ACCEPT", flush=True)
time.sleep(60)
"""


def make_copies(place):
    folder = place.work / "copies"
    folder.mkdir()
    for name, soname, needed, words, _ in COPIES:
        source = place.write("copy.c", f'const char copy_words[] = "{words}";\n')
        options = ([f"-Wl,-soname,{soname}"] if soname
                   else []) + (["-Wl,--no-as-needed", folder / needed] if needed else [])
        subprocess.run(["cc", "-shared", "-fPIC", "-o", folder / name, source, *options], check=True)
    return folder


def copies_of(served, pid):
    """What is said of each file; and of the whole."""
    result = served.call("doctor", "--json", pid)
    findings = json.loads(result.stdout)["findings"]
    lines = [one["text"] for one in findings if one["name"] == "libssl"]
    return dict(line.split(" ", 1) for line in lines), {one["name"]: one for one in findings}


def test_copies_of_libssl(served):
    folder = make_copies(served)
    paths = [folder / name for name, *_ in COPIES]
    python = ["/usr/bin/python3", "-c", "import ssl\n" + LOADS, *paths]
    with running(served, served.folder / "bin/octuple", "run", "--", *python) as pid:
        said, found = copies_of(served, pid)
        served_one = [path for path, text in said.items() if text == "is the copy that Octuple serves"]
        assert len(served_one) == 1 and served_one[0].endswith("/libssl.so.3") and str(folder) not in served_one[0]
        expected = {str(folder / name): text for name, *_, text in COPIES if text}
        assert {path: text.split("; ")[0] for path, text in said.items() if path not in served_one} == expected
        assert found["tls-library"]["level"] == "ok" and served_one[0] in found["tls-library"]["text"]
        # For people, each on a line.
        text = served.call("doctor", pid).stdout
        assert all(f"note       libssl: {path} {line}" in text for path, line in expected.items())


def test_only_copies_of_its_own(served):
    folder = make_copies(served)
    with running(served, "/usr/bin/python3", "-c", LOADS, folder / COPIES[0][0],
                 folder / "libssl-1a2b3c4d.so.3") as pid:
        said, found = copies_of(served, pid)
        assert list(said) == [str(folder / "libssl-1a2b3c4d.so.3")]
        assert found["tls-library"]["level"] == "problem" and "brings along" in found["tls-library"]["text"]


def test_copies_that_are_too_many(served):
    folder = make_copies(served)
    more = []
    for i in range(12):
        more.append(folder / f"libssl-{i}.so.3")
        shutil.copy2(folder / "libssl-1a2b3c4d.so.3", more[-1])
    with running(served, "/usr/bin/python3", "-c", LOADS, folder / COPIES[0][0], *more) as pid:
        lines = [line for line in served.call("doctor", pid).stdout.splitlines() if " libssl: " in line]
        assert len(lines) == 9 and lines[-1].endswith("libssl: 4 copies more")


def test_two_copies_with_the_system_s_names(served):
    folder = served.work / "copies"
    folder.mkdir()
    source = served.write("copy.c", "const char copy_words[1];\n")
    crypto = sorted(glob.glob("/usr/lib/*/libcrypto.so.3"))[0]
    subprocess.run(["cc", "-shared", "-o", folder / "libssl.so.3", source,
                    "-Wl,-soname,libssl.so.3", "-Wl,--no-as-needed", crypto],
                   check=True)
    with running(served, "/usr/bin/python3", "-c", "import ssl\n" + LOADS, folder / "libssl.so.3") as pid:
        said, _ = copies_of(served, pid)
        assert len(said) == 2 and all("is one of several copies named libssl.so.3" in text for text in said.values())


# Two kinds of control sequences, a byte that is no character, and what turns the direction of writing;
# but an umlaut is a letter.
EVIL = b"a\x1b]0;x\x07\xc2\x9b2J\xff\xe2\x80\xae\r\x7f\xc3\xbc"
CLEANED = "a?]0;x???2J??????\u00fc"


def test_words_of_strangers_reach_no_terminal(served):
    """Whoever starts a process chooses its path and its environment."""
    folder = os.fsencode(served.work) + b"/" + EVIL
    os.mkdir(folder)
    shutil.copy2("/bin/sleep", folder + b"/sleep")
    env = {**os.environb, b"LD_PRELOAD": b"", b"OPENSSL_CONF": EVIL}
    with subprocess.Popen([folder + b"/sleep", b"60"], env=env, **served.user()) as child:
        try:
            said = served.call("doctor", child.pid).stdout
            assert f"{CLEANED}/sleep (process" in said and said.replace("\n", "").isprintable()
            data = json.loads(served.call("doctor", "--json", child.pid).stdout)
            assert data["program"].endswith(f"{CLEANED}/sleep")
        finally:
            child.kill()
    openssl = ["openssl", "s_server", "-accept", "127.0.0.1:0", "-nocert"]
    with subprocess.Popen(openssl, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **served.user()) as child:
        try:
            assert any(b"ACCEPT" in line for line in child.stdout)
            said = served.call("doctor", child.pid).stdout
            assert CLEANED in said and said.replace("\n", "").isprintable()
            for command in (["doctor", "--", folder + b"/sleep", "0"], ["run", "-v", "--", folder + b"/sleep", "0"],
                            ["run", "--", EVIL]):
                result = subprocess.run([served.folder / "bin/octuple", *command],
                                        env={**served.env, "OPENSSL_CONF": ""},
                                        capture_output=True, check=False, **served.user())
                said = (result.stdout + result.stderr).decode()
                assert CLEANED in said and said.replace("\n", "").isprintable(), said
        finally:
            child.kill()


def test_process_that_has_ended(place):
    with subprocess.Popen(["/bin/true"], **place.user()) as child:
        for wait in (lambda: time.sleep(0.2), child.wait):
            wait()
            result = place.call("doctor", child.pid)
            assert result.returncode == 1 and f"there is no process {child.pid}" in result.stderr and not result.stdout


def test_process_of_somebody_else(place):
    result = place.call("doctor", 1)
    assert result.returncode == 1 and "not permitted" in result.stderr and not result.stdout


def test_replaced_library(served, idle):
    with running(served, served.folder / "bin/octuple", "run", "--", *idle) as pid:
        copy = served.provider.read_bytes()
        served.provider.unlink()
        served.provider.write_bytes(copy)
        code, found, _ = examine(served, pid)
        assert code == 0 and found["tls-library"][0] == "note"
        assert found["tls-library"][1] == f"{served.provider} has been replaced on disk since it started"


def test_off_machine(place):
    code, found, _ = examine(place, "--", "openssl", "version", env={"OCTUPLE_TABLE": "off"})
    assert code == 4 and found["cpu"][0] == "problem" and found["run"][0] == "problem"
