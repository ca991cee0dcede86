# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH address
"""octuple run: what the program gets, and every way in which it can go wrong."""
import glob
import os
import pathlib
import shutil
import signal
import subprocess

import pytest


def test_environment_of_the_program(served):
    env, result = served.run_env()
    assert result.returncode == 0 and result.stderr == ""
    assert env["LD_PRELOAD"] == str(served.shim)
    before = {**served.env}
    changed = {name for name in env if env[name] != before.get(name)} | (set(before) - set(env))
    assert changed <= {"LD_PRELOAD", "_"} and not any(served.runtime.iterdir())


WRONG = [("OCTUPLE_KEYS_NICE=3", "OCTUPLE_KEYS_NICE is nothing that Octuple reads: is OCTUPLE_KEYS meant?"),
         ("OCTUPLE_WIDTH=1024", "OCTUPLE_WIDTH=1024: it takes auto, 512, 256, 128, off"),
         ("OCTUPLE_COMBINE=1024", "OCTUPLE_COMBINE=1024: it takes auto, off"),
         ("OCTUPLE_CIPHERS=aes", "OCTUPLE_CIPHERS=aes: it takes auto, on, off"),
         ("OCTUPLE_LOOPS=foo", "OCTUPLE_LOOPS=foo: it takes auto, stay"),
         ("OCTUPLE_LOOPS=auto,quic=on", "OCTUPLE_LOOPS has quic=on, but quic= takes off, wait, socket"),
         ("OCTUPLE_LOOPS=auto,foo=on", "OCTUPLE_LOOPS has no option 'foo=on'; there are quic= memory= dlsym="),
         ("OCTUPLE_GROUPS=off", "OCTUPLE_GROUPS=off: it takes auto, keep"),
         ("OCTUPLE_KEYS=abc", "OCTUPLE_KEYS=abc: it takes a number up to 64, with options behind it"),
         ("OCTUPLE_KEYS=65", "OCTUPLE_KEYS=65: it takes a number up to 64"),
         ("OCTUPLE_KEYS=-1", "OCTUPLE_KEYS=-1: it takes a number up to 64"),
         ("OCTUPLE_KEYS=2,nice=20", "OCTUPLE_KEYS has nice=20, but nice= takes a number up to 19"),
         ("OCTUPLE_KEYS=2,except=", "OCTUPLE_KEYS has except=, but except= takes a name"),
         ("OCTUPLE_COUNTERS=/nonexistent", "OCTUPLE_COUNTERS=/nonexistent: No such file or directory"),
         ("OCTUPLE_COUNTERS=/dev/null", "OCTUPLE_COUNTERS=/dev/null: Not a directory"),
         ("OCTUPLE_TALBE=off", "OCTUPLE_TALBE is nothing that Octuple reads: is OCTUPLE_TABLE meant?"),
         ("OCTUPLE_COUNTER=/tmp", "OCTUPLE_COUNTER is nothing that Octuple reads: is OCTUPLE_COUNTERS meant?"),
         ("OCTUPLE_WITH=512", "OCTUPLE_WITH is nothing that Octuple reads: is OCTUPLE_WIDTH meant?")]
RIGHT = ["OCTUPLE_WIDTH=256", "OCTUPLE_CIPHERS=ON", "OCTUPLE_CIPHERS=yes", "OCTUPLE_COMBINE=off", "OCTUPLE_COMBINE=No",
         "OCTUPLE_LOOPS=stay,quic=wait,memory=on,dlsym=off", "OCTUPLE_GROUPS=keep", "OCTUPLE_COUNTERS=/tmp",
         "OCTUPLE_KEYS=64,nice=0,timeout=100,except=a,except=b", "OCTUPLE_WIDTH=", "OCTUPLE_BUILD=x",
         "OCTUPLE_SERVICE_HOST=10.0.0.1"]


@pytest.mark.parametrize("setting, said", WRONG, ids=[setting for setting, _ in WRONG])
def test_wrong_settings_are_told_once(served, setting, said):
    """As the program will read them; it starts as it would."""
    result = served.call("run", "--", "/bin/true", env=dict([setting.split("=", 1)]))
    assert result.returncode == 0
    line, = result.stderr.splitlines()
    assert line.startswith(f"octuple run: warning: {said}")


@pytest.mark.parametrize("setting", RIGHT)
def test_right_settings_are_not_told(served, setting):
    assert served.call("run", "--", "/bin/true", env=dict([setting.split("=", 1)])).stderr == ""


def test_a_wrong_table_is_told_once(served):
    line, = served.call("run", "--", "/bin/true", env={"OCTUPLE_TABLE": "avx"}).stderr.splitlines()
    assert "OCTUPLE_TABLE=avx: it takes auto, avx512" in line


def test_parts_reach_the_program(served):
    maps = served.call("run", "--", "/bin/cat", "/proc/self/maps")
    assert str(served.shim) in maps.stdout and str(served.provider) not in maps.stdout
    made = "import ssl; ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); print(open('/proc/self/maps').read())"
    assert str(served.provider) in served.call("run", "--", "/usr/bin/python3", "-c", made).stdout


def test_no_provider_without_a_use_of_it(served):
    listed = served.call("run", "--", "openssl", "list", "-providers")
    assert listed.returncode == 0 and "octuple" not in listed.stdout


def test_preload_that_is_there_stays(served):
    other = str(served.folder / "lib/liboctuple.so.0")
    env, result = served.run_env(env={"LD_PRELOAD": other})
    assert result.returncode == 0
    assert env["LD_PRELOAD"] == f"{served.shim}:{other}"
    env, _ = served.run_env(env={"LD_PRELOAD": f"{other}:{served.shim}"})
    assert env["LD_PRELOAD"] == f"{other}:{served.shim}"


def test_run_inside_run_changes_nothing(served):
    once, _ = served.run_env()
    result = served.call("run", "--", served.folder / "bin/octuple", "run", "--", "/usr/bin/env", "-0")
    twice = dict(line.split("=", 1) for line in result.stdout.split("\0") if line)
    assert twice["LD_PRELOAD"] == once["LD_PRELOAD"]


def test_arguments_arrive_as_they_are(place):
    words = ["-c", 'printf "%s|" "$@"', "sh", "--verbose", "a b", "", "--help", "-x"]
    for prefix in (["--"], []):
        assert place.call("run", *prefix, "/bin/sh", *words).stdout == "--verbose|a b||--help|-x|"


@pytest.mark.parametrize("table", ["off", None])
def test_exit_status_and_signals_are_the_program_s(place, table):
    env = {"OCTUPLE_TABLE": table}
    for code in (0, 1, 77, 255):
        assert place.call("run", "--", "/bin/sh", "-c", f"exit {code}", env=env).returncode == code
    assert place.call("run", "--", "/bin/sh", "-c", "kill -TERM $$", env=env).returncode == -signal.SIGTERM


@pytest.mark.parametrize("table", ["off", None])
def test_no_process_stays_between(place, table):
    env = {k: str(v) for k, v in {**place.env, "OCTUPLE_TABLE": table}.items() if v is not None}
    with subprocess.Popen([place.folder / "bin/octuple", "run", "--", "/bin/sh", "-c", "echo $$"], env=env,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, **place.user()) as child:
        assert int(child.stdout.read()) == child.pid


def test_off_runs_plainly_and_says_why(place):
    env, result = place.run_env(env={"OCTUPLE_TABLE": "off"})
    reason = place.json("info", "--json", env={"OCTUPLE_TABLE": "off"})["table"]["reason"]
    assert result.returncode == 0
    assert result.stderr == f"octuple run: /usr/bin/env runs plainly, without Octuple: {reason}\n"
    assert "LD_PRELOAD" not in env


@pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed: its CPU has no AVX-512")
def test_other_cpus_get_groups_where_openssl_has_none(place):
    """The command on a CPU that cannot run the table, and a server whose configuration names a post-quantum group."""
    version = place.json("info", "--json")["openssl"]["version"].split()[1].split(".")
    result = place.call("-q", place.folder / "bin/octuple", "run", "--", "/usr/bin/env", command="/usr/bin/valgrind",
                        env={"OCTUPLE_TABLE": "avx512"})
    env = dict(line.split("=", 1) for line in result.stdout.splitlines() if "=" in line)
    if (int(version[0]), int(version[1])) >= (3, 5):
        assert str(place.shim) not in env.get("LD_PRELOAD", "") and "runs plainly" in result.stderr
        return
    assert result.returncode == 0 and str(place.shim) in env["LD_PRELOAD"]
    said = "/usr/bin/env gets post-quantum TLS groups and nothing else of Octuple: OCTUPLE_TABLE asks for avx512, and"
    assert f"{said} this CPU has no" in result.stderr
    assert hellos(place, LD_PRELOAD=place.shim, OCTUPLE_TABLE="off")[1] == "not by itself"


def hellos(place, **env):
    """A program whose own settings name the group, and one that leaves groups to OpenSSL."""
    client = ["/usr/bin/openssl", "s_client", "-connect", "127.0.0.1:1"]
    env = {name: str(value) for name, value in {**place.env, **env}.items()}
    named = subprocess.run([*client, "-groups", "X25519MLKEM768"], env=env, capture_output=True, text=True, check=False,
                           **place.user()).stderr
    assert "SSL_CONF_cmd" not in named and "Connection refused" in named
    asked = ("import ssl, socket\nc = ssl.create_default_context()\ni, o = ssl.MemoryBIO(), ssl.MemoryBIO()\n"
             "s = c.wrap_bio(i, o, server_hostname='x')\n"
             "try: s.do_handshake()\nexcept ssl.SSLWantReadError: print(len(o.read()) > 1200)\n")
    said = subprocess.run(["/usr/bin/python3", "-c", asked], env=env, capture_output=True, text=True, check=True,
                          **place.user()).stdout
    return ["a server that names it starts", "by itself" if said == "True\n" else "not by itself"]


def test_hybrid_group_comes_first_unless_kept(served):
    version = served.json("info", "--json")["openssl"]["version"].split()[1].split(".")
    if (int(version[0]), int(version[1])) < (3, 5):
        assert hellos(served, LD_PRELOAD=served.shim)[1] == "by itself"
        assert hellos(served, LD_PRELOAD=served.shim, OCTUPLE_GROUPS="keep")[1] == "not by itself"
    for option in ("-k", "--keep-groups"):
        env, _ = served.run_env(option)
        assert env["OCTUPLE_GROUPS"] == "keep"


def test_off_needs_no_parts(place):
    place.shim.unlink()
    place.provider.unlink()
    assert place.run_env(env={"OCTUPLE_TABLE": "off"})[1].returncode == 0


def test_program_in_path(served):
    assert served.call("run", "--", "env").returncode == 0
    script = served.write("mine", "#!/bin/sh\necho found\n", 0o755)
    result = served.call("run", "--", "mine", env={"PATH": f"/nowhere:{served.work}:{served.env['PATH']}"})
    assert (result.returncode, result.stdout) == (0, "found\n")
    script.write_text("echo no interpreter line\n")
    assert served.call("run", "--", script).stdout == "no interpreter line\n"


@pytest.mark.parametrize("table", ["off", None])
@pytest.mark.parametrize("command", ["no-such-command", "/no/such/command", "./none", ""])
def test_command_not_found(place, table, command):
    result = place.call("run", "--", command, env={"OCTUPLE_TABLE": table})
    assert result.returncode == 127 and result.stdout == ""
    assert f"command not found: '{command}'" in result.stderr and "PATH" in result.stderr


@pytest.mark.parametrize("table", ["off", None])
def test_command_not_executable(place, table):
    plain = place.write("plain", "text", 0o644)
    for command in (plain, place.work, "/root/x/y" if os.geteuid() == 0 else plain):
        result = place.call("run", "--", command, env={"OCTUPLE_TABLE": table})
        assert result.returncode == 126, result.stderr
        assert f"{command} is not a program that you may execute" in result.stderr
    result = place.call("run", "--", "plain", env={"PATH": str(place.work), "OCTUPLE_TABLE": table})
    assert result.returncode == 126


@pytest.mark.parametrize("table", ["off", None])
def test_damaged_program(place, table):
    broken = place.write("broken", "#!/no/such/interpreter\n", 0o755)
    result = place.call("run", "--", broken, env={"OCTUPLE_TABLE": table})
    assert result.returncode == 127 and f"cannot start {broken}" in result.stderr


@pytest.mark.parametrize("part", ["shim", "provider"])
def test_missing_part(served, part):
    path = getattr(served, part)
    path.unlink()
    if served.json("info", "--json")[part]["path"] is not None:
        pytest.skip("Octuple is installed on this machine as well, and found there")
    result = served.call("run", "--", "/bin/true")
    assert result.returncode == 125
    assert f"{path.name} is not installed; it was looked for as\n  {path}\n" in result.stderr
    assert "Install Octuple's libraries" in result.stderr


def test_provider_that_does_not_load(served):
    served.provider.write_text("not a module")
    result = served.call("run", "--", "/bin/true")
    assert result.returncode == 125
    assert f"{served.provider} does not load: " in result.stderr and "Install Octuple again" in result.stderr


@pytest.mark.parametrize("name", ["with space", "with:colon"])
def test_path_that_ld_so_cannot_take(served, name):
    moved = served.folder / name
    moved.mkdir()
    for part in ("bin", "lib"):
        shutil.copytree(served.folder / part, moved / part)
    result = served.call("run", "--", "/bin/true", command=f"{name}/bin/octuple")
    assert result.returncode == 125
    assert "cannot be preloaded" in result.stderr and "move the installation" in result.stderr


def compile_static(place):
    source = place.write("static.c", "int main(void) { return 42; }\n")
    program = place.work / "static"
    built = subprocess.run(["cc", "-static", "-o", program, source], check=False, capture_output=True)
    if built.returncode != 0:
        pytest.skip("no static C library here to build a static program with")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize("words, name", [
    ("BoringSSL", "BoringSSL"), ("OpenSSL 1.1.1 (compatible; AWS-LC 1.2) BoringSSL", "AWS-LC"),
    ("LibreSSL 3.8.2", "LibreSSL"), ("OPENSSLDIR: \\\"/", "a copy of OpenSSL"), ("rustls", "rustls"),
    ("crypto/tls.(*Conn).Read", "Go's crypto/tls")])
@pytest.mark.parametrize("how", [[], ["-static"]])
def test_library_inside_is_told(served, words, name, how):
    """The doctor says the same of it (test_doctor.py)."""
    source = served.write("inside.c", f'const char inside[] = "{words}"; int main(void) {{ return 42; }}\n')
    program = served.work / "inside"
    subprocess.run(["cc", *how, "-o", program, source], check=True)
    check_told(served, program, name)


def check_told(served, program, name):
    result = served.call("run", "--", program)
    assert result.returncode == 42
    assert result.stderr == (f"octuple run: warning: the TLS library of {program} is {name}, not a shared OpenSSL: "
                             "nothing of it is served\n")


def test_gnutls_is_told_unless_openssl_is_there_too(served):
    [gnutls] = sorted(glob.glob("/usr/lib/*/libgnutls.so.*[0-9].*[0-9].*[0-9]"))[:1]
    source, program = served.write("gnutls.c", "int main(void) { return 42; }\n"), served.work / "gnutls"
    build = ["cc", "-o", program, source, "-Wl,--no-as-needed", gnutls]
    subprocess.run(build, check=True)
    check_told(served, program, "GnuTLS")
    subprocess.run([*build, "-lssl", "-lcrypto"], check=True)
    result = served.call("run", "--", program)
    assert (result.returncode, result.stderr) == (42, "")


@pytest.mark.parametrize("how, processes", [([], 0), (["-Wl,-rpath,/nonexistent"], 1)])
def test_loader_is_asked_only_where_the_file_does_not_say(served, how, processes):
    """A process that the command has waited for, the program has waited for. The loader's may be led elsewhere."""
    source = served.write("needs.c", """
        #include <sys/resource.h>
        int main(void) { struct rusage u; getrusage(RUSAGE_CHILDREN, &u); return u.ru_minflt != 0; }
    """)
    program = served.work / "needs"
    subprocess.run(["cc", *how, "-o", program, source, "-Wl,--no-as-needed", "-lcrypto"], check=True)
    result = served.call("run", "--", program)
    assert (result.returncode, result.stderr) == (processes, "")


def test_static_program_is_warned_about(served):
    program = compile_static(served)
    result = served.call("run", "--", program)
    assert result.returncode == 42
    assert result.stderr == (f"octuple run: warning: {program} is statically linked: the preload cannot reach it, only "
                             "programs that it starts\n")


@pytest.mark.parametrize("compiler,sanitizer,name", [
    ("gcc", "address", "AddressSanitizer"), ("gcc", "thread", "ThreadSanitizer"),
    ("clang", "address", "AddressSanitizer"), ("clang", "thread", "ThreadSanitizer"),
    ("clang", "memory", "MemorySanitizer")])
def test_sanitized_program_runs_plainly(served, compiler, sanitizer, name):
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    source = served.write("sanitized.c", """
        #include <stdlib.h>
        int main(void) { return getenv("LD_PRELOAD") ? 1 : 42; }
    """)
    program = served.work / "sanitized"
    subprocess.run([compiler, f"-fsanitize={sanitizer}", "-o", program, source], check=True)
    program.chmod(0o755)
    result = served.call("run", "--", program, command="bin/octuple")
    assert result.returncode == 42, result.stderr
    assert result.stderr.startswith(f"octuple run: {program} runs plainly, without Octuple: it was built with {name}")
    assert result.stderr.count("\n") == 1


def compile_one_each(served, *more):
    """A program that says by a symbol that it has a process for each connection, as PostgreSQL does."""
    source = served.write("one_each.c", """
        #include <dlfcn.h>
        #include <openssl/provider.h>
        #include <openssl/ssl.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <unistd.h>
        int PostmasterMain(void);
        int PostmasterMain(void)
        {
            const char *preload = getenv("LD_PRELOAD"), *error = dlerror();
            printf("%s %s ", preload != NULL ? preload : "none", error != NULL ? error : "none");
            SSL_CTX_free(SSL_CTX_new(TLS_method()));
            printf("%d\\n", OSSL_PROVIDER_available(NULL, "octuple"));
            fflush(stdout);
        #ifdef STAYS
            pause();
        #endif
            return 0;
        }
        #ifdef NAMED
        char *SSLCipherList;
        #endif
        int main(void) { return PostmasterMain(); }
    """)
    program = served.work / "one_each"
    subprocess.run(["cc", "-rdynamic", "-Wl,--no-as-needed", *more, "-o", program, source, "-lssl", "-lcrypto"],
                   check=True)
    program.chmod(0o755)
    return program


def test_a_process_for_each_connection_runs_plainly(served):
    """By itself, where it is the command; and out of a script or a unit, where the shim is in it already."""
    program = compile_one_each(served)
    direct = served.call("run", "--", program)
    assert direct.stdout == "none none 0\n", direct
    assert direct.stderr == (f"octuple run: {program} runs plainly, without Octuple: PostgreSQL has a process for each "
                             "connection, so no two handshakes meet\n")
    indirect = served.call("run", "--", "sh", "-c", f"{program}; {served.work}/other")
    assert indirect.stdout == f"{served.shim} none 0\n"


def test_one_that_may_name_our_groups_is_served(served):
    """Before OpenSSL 3.5 such a group is the provider's: without it the server would not start."""
    program = compile_one_each(served, "-DNAMED")
    version = served.json("info", "--json")["openssl"]["version"].split()[1].split(".")
    ours = (int(version[0]), int(version[1])) < (3, 5)
    for command in ([program], ["sh", "-c", program]):
        said = served.call("run", "--", *command)
        assert said.stdout.endswith("1\n" if ours else "0\n"), said


def test_a_broken_program_is_no_sanitized_one(served):
    whole = pathlib.Path("/bin/true").read_bytes()
    for size in (4, 63, 64, 100, 300, 600, 1000):
        (served.work / "cut").write_bytes(whole[:size])
        (served.work / "cut").chmod(0o755)
        assert "built with" not in served.call("run", "--", served.work / "cut").stderr


def test_without_proc(served):
    if os.geteuid() != 0:
        pytest.skip("only root can take /proc away")
    command = ["unshare", "-m", "sh", "-c", 'umount -l /proc && exec "$0" "$@"', served.folder / "bin/octuple"]
    result = subprocess.run([*command, "run", "--verbose", "--", "/bin/true"], env=served.env, text=True,
                            capture_output=True, check=False)
    if "umount" in result.stderr or "unshare" in result.stderr:
        pytest.skip("/proc cannot be taken away here")
    assert result.returncode == 0 and f"shim         {served.shim}" in result.stderr, result.stderr


def test_setuid_program_is_warned_about(served):
    if os.geteuid() != 0:
        pytest.skip("only root can make a program that raises privileges")
    program = served.work / "env"
    shutil.copy2("/usr/bin/env", program)
    program.chmod(0o4755)
    result = served.call("run", "--", program, "-0")
    assert result.returncode == 0
    assert f"warning: {program} runs with raised privileges" in result.stderr


def test_ordinary_program_is_not_warned_about(served):
    for command in ("/bin/true", shutil.which("openssl") + " version"):
        result = served.call("run", "--", *command.split())
        assert result.returncode == 0 and result.stderr == ""


def test_verbose_names_everything(served):
    result = served.call("run", "--verbose", "--", "true")
    assert result.returncode == 0
    for what in (shutil.which("true"), served.shim, f"{served.provider}, which the shim loads",
                 f"LD_PRELOAD   {served.shim}"):
        assert str(what) in result.stderr


@pytest.mark.parametrize("mode, warned", [(0o777, True), (0o1777, False), (0o755, False)])
def test_counters_that_anybody_could_replace(served, mode, warned):
    folder = served.work / "kept"
    folder.mkdir()
    if served.as_root:
        os.chown(folder, 65534, 65534)
    folder.chmod(mode)
    result = served.call("run", "--counters", folder, "--", "/bin/true")
    assert result.returncode == 0 and ("anybody can put other counters" in result.stderr) is warned
