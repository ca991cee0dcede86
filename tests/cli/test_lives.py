# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: TIMEOUT 600 NOT_WITH address LONG
"""Programs that come to OpenSSL in unusual ways do with LD_PRELOAD alone what they do without: lives.c."""
from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from tests.cli.conftest import ROOT

LIVES = {"cleanup": True, "cleanup-first": False, "forks": True, "threads": True, "forks-among-threads": True,
         "unloads": True, "other-default": True, "later": True, "no-config": True, "own-config": True, "queries": True,
         "properties-first": True, "fips-first": True, "recursion": True, "vforks": True, "sandbox": True,
         "sandbox-among-threads": False}


@pytest.fixture(name="program")
def compiled(served):
    program = served.work / "lives"
    subprocess.run(["cc", "-D_GNU_SOURCE", "-O1", "-g", "-o", program, ROOT / "tests/cli/lives.c", "-lssl", "-lcrypto",
                    "-lpthread"], check=True)
    program.chmod(0o755)
    return program


def live(served, program, *words, before=(), root=False, **env):
    env = {name: str(value) for name, value in {**served.env, **env}.items()}
    done = subprocess.run([*before, program, *map(str, words)], env=env, capture_output=True, text=True, check=False,
                          timeout=120, cwd=served.work, **({} if root else served.user()))
    lines = done.stdout.splitlines()
    return (done.returncode, lines[:-1], done.stderr), bool(lines) and lines[-1] == "ours 1"


@pytest.mark.parametrize("name", LIVES)
def test_as_without(served, program, name):
    def conf(version):
        return served.write(f"{version}.cnf", "openssl_conf = i\n[i]\nssl_conf = s\n[s]\nsystem_default = d\n[d]\n"
                            f"MinProtocol = {version}\n")

    env = {"OPENSSL_CONF": conf("TLSv1.3"), "OTHER_CONF": conf("TLSv1.1")} if "config" in name else {}
    for _ in range(5 if "threads" in name else 1):
        stock, _ = live(served, program, name, **env)
        assert stock[0] == 0 and stock[1], stock
        ours, is_ours = live(served, program, name, LD_PRELOAD=served.shim, **env)
        assert ours == stock and is_ours == LIVES[name]


EARLY = """
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <stdlib.h>
__attribute__((constructor)) static void first(void)
{
    EVP_PKEY_CTX *key = EVP_PKEY_CTX_new_id(EVP_PKEY_X25519, NULL);
    SSL_CTX *ctx = SSL_CTX_new(TLS_method());
    if (key == NULL || ctx == NULL)
        abort();
    EVP_PKEY_CTX_free(key);
    SSL_CTX_free(ctx);
}
"""


def test_a_library_that_comes_before_the_shim(served):
    """What a library does as it is loaded may come before the shim has begun."""
    subprocess.run(["cc", "-shared", "-fPIC", "-o", served.work / "libearly.so", served.write("early.c", EARLY),
                    "-lssl", "-lcrypto"], check=True)
    program = served.work / "lives"
    subprocess.run(["cc", "-D_GNU_SOURCE", "-o", program, ROOT / "tests/cli/lives.c", f"-L{served.work}",
                    "-Wl,--no-as-needed", "-learly", f"-Wl,-rpath,{served.work}", "-lssl", "-lcrypto", "-lpthread"],
                   check=True)
    for file in (program, served.work / "libearly.so"):
        file.chmod(0o755)
    stock, _ = live(served, program, "cleanup")
    assert stock[0] == 0 and stock[1], stock
    assert live(served, program, "cleanup", LD_PRELOAD=served.shim) == (stock, True)


@pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed")
@pytest.mark.parametrize("name", ["cleanup", "unloads", "later", "other-default"])
def test_no_memory_is_misused(served, program, name):
    checks = ("valgrind", "-q", "--error-exitcode=9", "--leak-check=no")
    env = {"LD_PRELOAD": served.shim, "OCTUPLE_TABLE": "c"}
    assert live(served, program, name, before=checks, **env)[0][0] == 0


TRAP = """
#include <stdlib.h>
__attribute__((constructor)) static void loaded(void)
{
    abort();
}
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can enter a jail")
@pytest.mark.parametrize("name", ["jail", "jail-before", "jail-among-threads"])
def test_a_jail(served, program, name, tmp_path):
    """What the program has brought with it is enough. A module of our name in there, which others may have put there,
    is not loaded."""
    trap = tmp_path / str(served.provider).lstrip("/")
    trap.parent.mkdir(parents=True)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", trap, served.write("trap.c", TRAP)], check=True)
    (trap.parent / served.shim.name).touch()
    stock, _ = live(served, program, name, tmp_path, root=True)
    assert stock[0] == 0, stock
    assert live(served, program, name, tmp_path, root=True,
                LD_PRELOAD=served.shim) == (stock, name != "jail-among-threads")


LATE = """
import os, ssl, sys, threading
maps, enter = open("/proc/self/maps"), {"jail": os.chroot, "folder": os.chdir}[sys.argv[2]]
if "thread" in sys.argv:
    threading.Thread(target=threading.Event().wait, daemon=True).start()
if "child" in sys.argv and os.fork() != 0:
    sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
enter(sys.argv[1])
ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
print("ours", int("octuple.so" in maps.read()))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can enter a jail")
@pytest.mark.parametrize(("how", "expected"), [((), True), (("thread",), False), (("child",), False)])
def test_a_jail_of_who_brings_libssl_late(served, tmp_path, how, expected):
    """Nor is liboctuple loaded from there, which comes with libssl."""
    library = next(served.shim.parent.glob("liboctuple.so.*"))
    trap = tmp_path / "trap"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", trap, served.write("trap.c", TRAP)], check=True)
    for name in (served.provider, library, served.shim):
        there = tmp_path / str(name).lstrip("/")
        there.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(trap, there)
    done, ours = live(served, "/usr/bin/python3", "-c", LATE, tmp_path, "jail", *how, root=True, LD_PRELOAD=served.shim)
    assert done == (0, [], "") and ours == expected


VFORKS = """
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **arguments)
{
    char line[4096];
    int status = 0, ours = 0;
    if (count > 1 && fork() != 0)
        return wait(&status) < 0 || status != 0;
    if (vfork() == 0)
        _exit(arguments[0] == NULL || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0);
    if (wait(&status) < 0 || status != 0)
        return 3;
    void *libssl = dlopen("libssl.so.3", RTLD_NOW), *(*method)(void) = dlsym(libssl, "TLS_server_method");
    void *(*make)(void *) = dlsym(libssl, "SSL_CTX_new");
    if (make(method()) == NULL)
        return 4;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps) != NULL)
        ours |= strstr(line, "octuple.so") != NULL;
    printf("ours %d\\n", ours);
    return 0;
}
"""


@pytest.mark.parametrize("words", [(), ("fork",)])
def test_a_child_that_has_the_memory_of_its_parent(served, words):
    """It may confine itself, before it starts another program. That says nothing of its parent, which brings libssl
    only later."""
    program = served.work / "vforks"
    subprocess.run(["cc", "-D_GNU_SOURCE", "-o", program, served.write("vforks.c", VFORKS)], check=True)
    program.chmod(0o755)
    done, ours = live(served, program, *words, LD_PRELOAD=served.shim)
    assert done == (0, [], "") and ours


def test_a_module_of_the_folder_that_a_program_has_changed_to(served, program):
    """A preload by a relative name says nothing of where the module is."""
    lib = served.work / "lib"
    lib.mkdir()
    (lib / served.shim.name).symlink_to(served.shim)
    there = served.work / "there"
    (there / "lib").mkdir(parents=True)
    (there / "lib" / served.shim.name).write_text("")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", there / "lib/octuple.so", served.write("trap.c", TRAP)], check=True)
    stock, _ = live(served, program, "moves", there)
    ours, _ = live(served, program, "moves", there, LD_PRELOAD=f"lib/{served.shim.name}")
    assert stock[0] == 0 and ours == stock
    shutil.copy(there / "lib/octuple.so", there / "lib" / next(served.shim.parent.glob("liboctuple.so.*")).name)
    env = {"LD_PRELOAD": f"lib/{served.shim.name}", "LD_LIBRARY_PATH": ""}
    assert live(served, "/usr/bin/python3", "-c", LATE, there, "folder", **env)[0] == (0, [], "")


def unshared(script, *words):
    return ("unshare", "-m", "sh", "-c", f'{script} && exec setpriv --reuid 65534 --regid 65534 --clear-groups "$@"',
            "sh", *words)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can change what a program sees")
@pytest.mark.parametrize("script", ["mount -o bind,ro / / && mount -o remount,bind,ro /",
                                    "chmod 700 /etc/ssl && mount -t tmpfs none /usr/lib/ssl",
                                    "mount -t tmpfs -o mode=700 none /etc", "umount -l /proc"],
                         ids=["read-only", "no configuration", "no /etc", "no /proc"])
def test_confined(served, program, script, tmp_path):
    """A read-only root, an unprivileged user, and what cannot be read."""
    del tmp_path
    script = script.replace("chmod 700 /etc/ssl && ", "")
    stock, _ = live(served, program, "unloads", before=unshared(script), root=True)
    if stock[0] != 0:
        pytest.skip(f"mounts cannot be changed here: {stock[2]}")
    # What starts it is preloaded too, and reads no OpenSSL.
    assert live(served, program, "unloads", before=unshared(script), root=True, LD_PRELOAD=served.shim) == (stock, True)


def test_a_former_configuration_that_is_gone(served):
    """OpenSSL would read none at all, not even the system's."""
    strict = served.write("strict.cnf", "openssl_conf = i\n[i]\nssl_conf = s\n[s]\nsystem_default = d\n[d]\n"
                          "MinProtocol = TLSv1.3\n")
    asks = "import ssl; print(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).minimum_version.name)"

    def minimum(**env):
        env = {name: str(value) for name, value in {**served.env, "LD_PRELOAD": served.shim, **env}.items()}
        return subprocess.run(["/usr/bin/python3", "-c", asks], env=env, capture_output=True, text=True, check=True,
                              **served.user()).stdout.strip()

    plain = minimum()
    for gone in ("/run/octuple/openssl-0123456789abcdef01234567.cnf", "/etc/octuple/nowhere/openssl.cnf",
                 "/tmp/octuple-0-XqzAbc/openssl-0123456789abcdef01234567.cnf", "/octuple/etc/openssl.cnf"):
        assert minimum(OPENSSL_CONF=gone, OPENSSL_CONF_BEFORE_OCTUPLE=strict) == "TLSv1_3"
        assert minimum(OPENSSL_CONF=gone) == plain
    assert minimum(OPENSSL_CONF="/nowhere/openssl.cnf", OPENSSL_CONF_BEFORE_OCTUPLE=strict) != "TLSv1_3"
