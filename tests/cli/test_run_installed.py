# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH address
"""The configuration that comes with an installation: used where it does, and never in the way of the system's own."""
import os
import pathlib
import subprocess

import pytest
from tests.cli.conftest import NOBODY, build_folder

SYSTEM = "/usr/lib/ssl/openssl.cnf"
# A system that allows nothing below TLS 1.3; and how a program tells.
STRICT = "openssl_conf = {root}\n[{root}]\nssl_conf = s\n{more}[s]\nsystem_default = d\n[d]\nMinProtocol = TLSv1.3\n"
MINIMUM = "import ssl; print(ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).minimum_version.name)"


@pytest.fixture
def installed(served):
    """A place with the file, as the build has it, for the copies in that place."""
    text = (build_folder() / "etc/octuple/openssl.cnf").read_text()
    served.config = served.folder / "etc/octuple/openssl.cnf"
    served.config.parent.mkdir(parents=True)
    served.config.write_text(text.replace(str(build_folder() / "lib/octuple.so"), str(served.provider)))
    for path in (served.config, served.config.parent):
        path.chmod(0o755 if path.is_dir() else 0o644)
        if served.as_root:
            os.chown(path, NOBODY, NOBODY)
    return served


def chosen(place, **env):
    found, result = place.run_env(env=env)
    assert result.returncode == 0 and result.stderr == ""
    return found["OPENSSL_CONF"]


def test_it_is_used_and_nothing_is_written(installed):
    assert chosen(installed) == str(installed.config)
    assert chosen(installed, XDG_RUNTIME_DIR=None) == str(installed.config)
    assert not any(installed.runtime.iterdir())
    listed = installed.call("run", "--", "openssl", "list", "-providers").stdout
    assert "default" in listed and "octuple" in listed


def test_another_configuration_is_extended_as_ever(installed):
    own = installed.write("own.cnf", "a = b\n")
    path = chosen(installed, OPENSSL_CONF=own)
    assert path.startswith(str(installed.runtime)) and str(own) in pathlib.Path(path).read_text()
    assert chosen(installed, OPENSSL_CONF="").startswith(str(installed.runtime))


@pytest.mark.parametrize("old, new", [
    ("activate = 1", "activatE = 1"), ("?octuple.serves=yes", "?provider=octuple"), ("octuple.so", "another.so"),
    (f".include {SYSTEM}", ".include /etc/hosts"), (f".include {SYSTEM}", ""), ("[default]", "[")])
def test_changed_so_that_it_does_not_do(installed, old, new):
    text = installed.config.read_text()
    assert old in text
    installed.config.write_text(text.replace(old, new))
    assert chosen(installed).startswith(str(installed.runtime))


@pytest.mark.parametrize("mode", [0o666, 0o664])
def test_that_others_can_write_is_not_used(installed, mode):
    installed.config.chmod(mode)
    assert chosen(installed).startswith(str(installed.runtime))
    installed.config.chmod(0o644)
    installed.config.parent.chmod(0o777)
    assert chosen(installed).startswith(str(installed.runtime))


def test_of_somebody_else_is_not_used(installed):
    if not installed.as_root:
        pytest.skip("only root can give a file away")
    os.chown(installed.config, 10001, 10001)
    assert chosen(installed).startswith(str(installed.runtime))


def on_system(place, text, script):
    """Runs it as the user, in a shell, where this is the system's configuration."""
    if not place.as_root:
        pytest.skip("only root can make a mount namespace")
    system = place.write("system.cnf", text)
    run = ["unshare", "--mount", "sh", "-c", 'mount --bind "$1" "$2" || exit 99; shift 2; exec setpriv --reuid 65534 '
           '--regid 65534 --clear-groups sh -c "$@"', "sh", system,
           os.path.realpath(SYSTEM), script, place.folder / "bin/octuple"]
    result = subprocess.run(run, env=place.env, cwd=place.work, capture_output=True,
                            text=True, check=False, timeout=120)
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


def python(*prefix):
    return " ".join([*prefix, f"python3 -c '{MINIMUM}'"])


def test_the_system_s_settings_outlast_what_can_be_cleaned_away(installed):
    """A child of the child, which begins when temporary files, and then the provider too, are gone."""
    runtime, lib = installed.runtime, installed.folder / "lib"
    asks = installed.write("asks", f"#!/bin/sh\n{python()}\nopenssl list -providers | grep -c 'name: Octuple'\n"
                                   "exit 0\n", 0o755)
    child = installed.write("child", f"#!/bin/sh\nrm -rf {runtime}/* /tmp/octuple-65534*\n{asks}\nrm {lib}/octuple.so\n"
                                     f"{asks}\n",
                            0o755)
    said = on_system(installed, STRICT.format(root="openssl_init", more=""), f'"$0" run -- {child}')
    assert said == ["TLSv1_3", "1", "TLSv1_3", "0"]


@pytest.mark.parametrize("text, used", [
    ("", True),
    (STRICT.format(root="openssl_init", more=""), True),
    (STRICT.format(root="openssl_init",
                   more="providers = provider_sect\n[provider_sect]\ndefault = default_sect\n[default_sect]\n"
                   "activate = 1\n"), True),
    (STRICT.format(root="other", more=""), False),
    (STRICT.format(root="openssl_init", more="providers = p\n[p]\ndefault = d1\nlegacy = l\n[d1]\nactivate = 1\n[l]\n"
                   "activate = 1\n"), False),
    (STRICT.format(root="openssl_init", more="alg_section = a\n[a]\ndefault_properties = ?x.y=z\n"), False),
])
def test_systems(installed, text, used):
    said = on_system(installed, text, f'"$0" run -- printenv OPENSSL_CONF; "$0" run -- openssl list -providers; '
                     + python('"$0" run --'))
    assert (said[0] == str(installed.config)) is used
    assert {"default", "octuple"} <= set(said) and ("legacy" in said) is ("legacy" in text)
    assert (said[-1] == "TLSv1_3") is ("MinProtocol" in text)


def test_change_of_the_system_while_a_server_runs(installed):
    """It comes behind ours: what an administrator takes away or shuts out later is out."""
    text = STRICT.format(root="openssl_init", more="providers = p\n[p]\nlegacy = l\n[l]\nactivate = 1\n")
    later = installed.write("later.cnf", text)
    child = installed.write("child", f"#!/bin/sh\ncat {later} > {installed.work}/system.cnf\nopenssl list -providers\n",
                            0o755)
    said = on_system(installed, "", f'"$0" run -- {child}')
    assert "legacy" in said and "octuple" not in said and "default" not in said


def test_a_build_has_its_own(served):
    result = subprocess.run([build_folder() / "bin/octuple", "run", "--", "printenv", "OPENSSL_CONF"], env=served.env,
                            capture_output=True, text=True, check=False)
    assert result.stdout.strip() == str(build_folder().resolve() / "etc/octuple/openssl.cnf"), result.stderr


# Enters a jail if there is one to enter, and only then begins with OpenSSL.
JAILED = """
#include <openssl/ssl.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    if (argc > 1 && (chroot(argv[1]) != 0 || chdir("/") != 0))
        return 1;
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
    printf("%lx", ctx != NULL ? (long)SSL_CTX_get_min_proto_version(ctx) : -1);
    return 0;
}
"""


@pytest.fixture(name="jailed")
def jailed_program(installed):
    if os.geteuid() != 0:
        pytest.skip("only root enters a jail")
    program = installed.work / "jailed"
    subprocess.run(["cc", "-o", program, installed.write("jailed.c", JAILED), "-lssl", "-lcrypto"], check=True)
    program.chmod(0o755)
    installed.jail = installed.work / "jail"
    return installed


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def minimum(place, *command, user=False, **env):
    """The minimum of a program, with Octuple and without."""
    options = {} if user else {"user": 0, "group": 0}
    result = place.call("run", "--", *command, env=env, **options)
    assert result.returncode == 0 and result.stderr == "", result.stderr
    return result.stdout


def test_a_jail_keeps_its_own_settings(jailed):
    put(jailed.jail / SYSTEM[1:], STRICT.format(root="r", more=""))
    assert minimum(jailed, jailed.work / "jailed", jailed.jail) == "304"
    theirs = jailed.write("theirs.cnf", pathlib.Path(SYSTEM).read_text())
    put(jailed.jail / str(theirs)[1:], STRICT.format(root="q", more=""))
    (jailed.jail / SYSTEM[1:]).unlink()
    assert minimum(jailed, jailed.work / "jailed", jailed.jail, OPENSSL_CONF=theirs) == "304"


def test_a_jail_that_has_our_file_too(jailed):
    put(jailed.jail / SYSTEM[1:], STRICT.format(root="r", more=""))
    put(jailed.jail / str(jailed.config)[1:], jailed.config.read_text())
    assert minimum(jailed, jailed.work / "jailed", jailed.jail) == "304"


def test_a_jail_where_the_file_was_named_by_hand(jailed):
    put(jailed.jail / SYSTEM[1:], STRICT.format(root="r", more=""))
    env = {**jailed.env, "LD_PRELOAD": str(jailed.shim), "OPENSSL_CONF": str(jailed.config)}
    made = subprocess.run([jailed.work / "jailed", jailed.jail], env=env, check=True, capture_output=True, text=True)
    assert made.stdout == "304"


def test_a_file_that_goes_before_the_program_starts(jailed):
    theirs = jailed.write("theirs.cnf", STRICT.format(root="q", more=""))
    gone = ["sh", "-c", 'rm "$OPENSSL_CONF" && exec "$0"', jailed.work / "jailed"]
    assert minimum(jailed, *gone, OPENSSL_CONF=theirs) == "304"
    assert minimum(jailed, jailed.work / "jailed", OPENSSL_CONF=theirs) == "304"


def test_a_program_that_chroot_starts(jailed):
    source = jailed.write("env.c", """
        #include <stdio.h>
        #include <stdlib.h>
        int main(void) { printf("%s", getenv("OPENSSL_CONF") ? getenv("OPENSSL_CONF") : "none"); }
    """)
    jailed.jail.mkdir()
    if subprocess.run(["cc", "-static", "-o", jailed.jail / "env", source], check=False).returncode != 0:
        pytest.skip("no static C library here")
    assert minimum(jailed, "chroot", jailed.jail, "/env") == "none"
    assert minimum(jailed, "chroot", jailed.jail, "/env", OPENSSL_CONF=SYSTEM) == SYSTEM
