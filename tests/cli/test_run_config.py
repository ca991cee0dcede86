# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH address
"""How octuple run extends a user's OpenSSL configuration, asked of the real openssl and of Python's ssl module."""
import json
import struct
import textwrap

import pytest

OPERATION_WORDS = 17  # struct oct_op_counters
INIT = "openssl_conf = init\n[init]\n"


def config(text):
    return textwrap.dedent(text).lstrip()


def providers(place, env):
    """Names of the active providers under `octuple run`."""
    result = place.call("run", "--", "openssl", "list", "-providers", env=env)
    assert result.returncode == 0, result.stderr
    return {line.strip() for line in result.stdout.splitlines() if line.startswith("  ") and line[2] != " "}


def served_operations(place, env):
    """How many operations octuple was asked for when a certificate is signed: it is preferred or it is not."""
    folder = place.work / "counters"
    folder.mkdir()
    folder.chmod(0o777)
    result = place.call("run", "--", "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "/dev/null",
                        "-subj", "/CN=x", "-config", "/usr/lib/ssl/openssl.cnf", "-out", place.work / "cert.pem",
                        env={**env, "OCTUPLE_COUNTERS": folder})
    assert result.returncode == 0, result.stderr
    total = 0
    for file in folder.iterdir():
        words = struct.unpack(f"={file.stat().st_size // 8}Q", file.read_bytes())
        for op in range(words[2]):
            at = 8 + op * OPERATION_WORDS
            total += words[at] + words[at + 3]
    return total


def python_ssl(place, env, expression):
    result = place.call("run", "--", "/usr/bin/python3", "-c", f"import ssl, json; print(json.dumps({expression}))",
                        env=env)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


GOOD = {
    "empty": ("", {"default", "octuple"}),
    "no newline at the end": (INIT + "ssl_conf = s\n[s]\nx = y\n[y]\nMinProtocol = TLSv1.2", {"default", "octuple"}),
    "init section is empty": (INIT, {"default", "octuple"}),
    "init section is missing": ("openssl_conf = init\n", {"default", "octuple"}),
    "default listed, not activated": (INIT + "providers = p\n[p]\ndefault = d\n[d]\n# activate = 1\n",
                                      {"default", "octuple"}),
    "default activated": (INIT + "providers = p\n[p]\ndefault = d\n[d]\nactivate = 1\n", {"default", "octuple"}),
    "default and legacy": (INIT + "providers = p\n[p]\ndefault = d\nlegacy = l\n[d]\nactivate = 1\n[l]\nactivate = 1\n",
                           {"default", "legacy", "octuple"}),
    "legacy listed, not activated": (INIT + "providers = p\n[p]\nlegacy = l\n[l]\n", {"default", "octuple"}),
    "numbered names": (INIT + "providers.7 = p\n[p]\n1.default = d\n2.legacy = l\n[d]\nactivate = 1\n[l]\n"
                              "activate = 1\n",
                       {"default", "legacy", "octuple"}),
    "other name by identity": (INIT + "providers = p\n[p]\ndefault = d\nmine = l\n[d]\nactivate = 1\n[l]\n"
                               "identity = legacy\nactivate = 1\n", {"default", "legacy", "octuple"}),
    "two providers modules": (INIT + "providers.1 = p\nproviders.2 = q\n[p]\ndefault = d\n[q]\nlegacy = l\n[d]\n"
                              "activate = 1\n[l]\nactivate = 1\n", {"default", "legacy", "octuple"}),
    "providers before the end": ("openssl_conf = init\n[p]\ndefault = d\n[d]\nactivate = 1\n[init]\nproviders = p\n"
                                 "[x]\ny = z\n",
                                 {"default", "octuple"}),
    "sections with other characters": ("openssl_conf = my-init.1\n[ my-init.1 ]\nproviders = my provs\n[ my provs ]\n"
                                       "default = d\n[d]\nactivate = 1\n", {"default", "octuple"}),
    "empty default_properties": (INIT + "alg_section = a\n[a]\ndefault_properties =\n", {"default", "octuple"}),
    "dollars are names": (".pragma = dollarid:on\n" + INIT, {"default", "octuple"}),
    "absolute includes only": (".pragma = abspath:true\n" + INIT, {"default", "octuple"}),
    "diagnostics": ("config_diagnostics = 1\n" + INIT, {"default", "octuple"}),
}


@pytest.mark.parametrize("name", GOOD)
def test_providers_stay_and_ours_comes(served, name):
    text, expected = GOOD[name]
    env = {"OPENSSL_CONF": served.write("own.cnf", text)}
    assert served.run_env(env=env)[1].stderr == ""
    assert providers(served, env) == expected
    assert served_operations(served, env) > 0


@pytest.mark.parametrize("query", ["?fips=yes", "fips=no", "-fips", "?provider_x=1", "?x.y=z, fips=no", "z!=w"])
def test_default_properties_are_kept(served, query):
    env = {"OPENSSL_CONF": served.write("own.cnf", INIT + f"alg_section = a\n[a]\ndefault_properties = {query}\n")}
    text = served.call("run", "--print-config", env=env).stdout
    lines = [line for line in text.splitlines() if line.startswith("default_properties")]
    assert [line.replace("\\", "") for line in lines] == [f"default_properties = {query},?octuple.serves=yes"]
    assert providers(served, env) == {"default", "octuple"}
    assert served_operations(served, env) > 0


CONFLICTS = {
    "fips by properties": (INIT + "alg_section = a\n[a]\ndefault_properties = fips=yes\n", "FIPS"),
    "fips by bare name": (INIT + "alg_section = a\n[a]\ndefault_properties = x!=y, fips\n", "FIPS"),
    "fips by mode": (INIT + "alg_section = a\n[a]\nfips_mode = yes\n", "FIPS"),
    "default shut out": (INIT + "providers = p\n[p]\nlegacy = l\n[l]\nactivate = 1\n", "not 'default'"),
    "base only": (INIT + "providers = p\n[p]\nbase = b\ndefault = d\n[b]\nactivate = 1\n[d]\n", "not 'default'"),
    "another preference": (INIT + "alg_section = a\n[a]\ndefault_properties = ?provider=legacy\n",
                           "default_properties"),
    "a requirement": (INIT + "alg_section = a\n[a]\ndefault_properties = provider=default\n", "default_properties"),
    "our preference alone": (INIT + "alg_section = a\n[a]\ndefault_properties = ?octuple.serves=yes\n",
                             "default_properties"),
    "sections with our names": (INIT + "providers = octuple_run_default\n[octuple_run_default]\ndefault = d\n[d]\n"
                                       "activate = 1\n",
                                "complete or remove them"),
    "no equal sign": ("nonsense\n", "line 1"),
    "unknown variable": ("a = $nowhere\n", "cannot be read"),
    "application shut out": ("nginx = n\n[n]\nproviders = p\n[p]\nlegacy = l\n[l]\nactivate = 1\n", "not 'default'"),
}


@pytest.mark.parametrize("name", CONFLICTS)
def test_conflict_runs_plainly_and_says_why(served, name):
    text, reason = CONFLICTS[name]
    own = served.write("own.cnf", text)
    env, result = served.run_env(env={"OPENSSL_CONF": own})
    assert result.returncode == 0
    assert result.stderr.startswith(f"octuple run: /usr/bin/env runs plainly, without Octuple: {own} ")
    assert reason in result.stderr and result.stderr.count("\n") == 1
    assert "LD_PRELOAD" not in env and env["OPENSSL_CONF"] == str(own)
    printed = served.call("run", "--print-config", env={"OPENSSL_CONF": own})
    assert printed.returncode == 125 and printed.stdout == "" and reason in printed.stderr


def test_system_configuration_by_default(served):
    text = served.call("run", "--print-config").stdout
    assert ".include /usr/lib/ssl/openssl.cnf\n" in text
    assert providers(served, {}) == {"default", "octuple"}
    assert served_operations(served, {}) > 0


@pytest.mark.parametrize("value", ["", "/dev/null"])
def test_no_configuration_wanted(served, value):
    assert ".include" not in served.call("run", "--print-config", env={"OPENSSL_CONF": value}).stdout
    assert providers(served, {"OPENSSL_CONF": value}) == {"default", "octuple"}


def test_missing_configuration_is_told(served):
    missing = served.work / "missing.cnf"
    env, result = served.run_env(env={"OPENSSL_CONF": missing})
    assert result.returncode == 0 and env["LD_PRELOAD"]
    assert result.stderr == f"octuple run: warning: no OpenSSL configuration {missing}: No such file or directory\n"


def test_folder_is_no_configuration(served):
    env, result = served.run_env(env={"OPENSSL_CONF": served.work})
    assert result.returncode == 0 and "is not a regular file" in result.stderr and "LD_PRELOAD" not in env


@pytest.mark.parametrize("name", ["own.cnf", "with space.cnf", "a#b$c'd\"e`f\\g.cnf", " lead.cnf", "ü.cnf"])
def test_names_of_configurations(served, name):
    served.write(name, INIT + "providers = p\n[p]\nlegacy = l\ndefault = d\n[l]\nactivate = 1\n[d]\nactivate = 1\n")
    for path in (served.work / name, name):
        assert providers(served, {"OPENSSL_CONF": path}) == {"default", "legacy", "octuple"}


def test_relative_name_survives_a_change_of_folder(served):
    served.write("own.cnf", INIT + "providers = p\n[p]\nlegacy = l\ndefault = d\n[l]\nactivate = 1\n[d]\n"
                                   "activate = 1\n")
    result = served.call("run", "--", "/bin/sh", "-c", "cd / && openssl list -providers",
                         env={"OPENSSL_CONF": "own.cnf"})
    assert "legacy" in result.stdout and "octuple" in result.stdout


def test_configuration_stays_private(served):
    own = served.write("own.cnf", INIT + "password = secret-word\n", 0o600)
    env, result = served.run_env(env={"OPENSSL_CONF": own})
    with open(env["OPENSSL_CONF"], encoding="utf-8") as made:
        assert result.returncode == 0 and "secret-word" not in made.read()


def test_includes_of_the_original_work(served):
    served.write("part.cnf", "[p]\nlegacy = l\n[l]\nactivate = 1\n")
    text = INIT + f"providers = p\n[p]\ndefault = d\n[d]\nactivate = 1\n.include {served.work}/part.cnf\n"
    assert providers(served, {"OPENSSL_CONF": served.write("own.cnf", text)}) == {"default", "legacy", "octuple"}


def test_ssl_settings_stay(served):
    text = (INIT + "ssl_conf = s\n[s]\nsystem_default = sys\n[sys]\nMaxProtocol = TLSv1.2\n"
            "CipherString = AES256-GCM-SHA384\n")
    env = {"OPENSSL_CONF": served.write("own.cnf", text)}
    context = "ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)"
    assert python_ssl(served, env, f"{context}.maximum_version.name") == "TLSv1_2"
    assert python_ssl(served, {"OPENSSL_CONF": ""}, f"{context}.maximum_version.name") != "TLSv1_2"


def test_object_identifiers_and_request_sections_stay(served):
    text = config("""
        openssl_conf = init
        [init]
        oid_section = oids
        [oids]
        myOid = 1.2.3.4.5.6.7
        [req]
        prompt = no
        distinguished_name = dn
        [dn]
        CN = from the config
        myOid = mine
        """)
    own = served.write("own.cnf", text)
    made = served.call("run", "--", "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "/dev/null",
                       env={"OPENSSL_CONF": own})
    assert made.returncode == 0, made.stderr
    served.write("cert.pem", made.stdout)
    shown = served.call("run", "--", "openssl", "x509", "-in", served.work / "cert.pem", "-noout", "-subject",
                        env={"OPENSSL_CONF": own})
    assert "from the config" in shown.stdout and "myOid = mine" in shown.stdout


def test_configuration_of_an_application(served):
    """nginx since 1.29 looks for a section of its own name before openssl_conf."""
    text = ("openssl_conf = i\nnginx = n\n[i]\n[n]\nproviders = p\n[p]\ndefault = d\nlegacy = l\n[d]\nactivate = 1\n"
            "[l]\nactivate = 1\n")
    env = {"OPENSSL_CONF": served.write("own.cnf", text)}
    script = config("""
        import ctypes, sys
        crypto = ctypes.CDLL("libcrypto.so.3")
        crypto.OPENSSL_init_crypto(ctypes.c_uint64(0x80), None)
        crypto.CONF_modules_load_file(None, sys.argv[1].encode() or None, 0)
        for name in (b"default", b"legacy", b"octuple"):
            print(crypto.OSSL_PROVIDER_available(None, name), end=" ")
        """)
    for application, expected in (("nginx", "1 1 1 "), ("openssl_conf", "1 0 1 ")):
        result = served.call("run", "--", "/usr/bin/python3", "-c", script, application, env=env)
        assert (result.returncode, result.stdout) == (0, expected), result.stderr


def test_configuration_that_has_octuple_is_left_alone(served):
    text = INIT + ("providers = p\nalg_section = a\n[p]\ndefault = d\noctuple = o\n[d]\nactivate = 1\n"
                   f"[o]\nmodule = {served.provider}\nactivate = 1\n[a]\ndefault_properties = ?provider=octuple\n")
    own = served.write("own.cnf", text)
    env, result = served.run_env("--verbose", env={"OPENSSL_CONF": own})
    assert env["OPENSSL_CONF"] == str(own) and env["LD_PRELOAD"] == str(served.shim)
    assert "has the provider already" in result.stderr
    assert served_operations(served, {"OPENSSL_CONF": own}) > 0


def test_switches_of_our_provider_stay(served):
    """A section for octuple that does not activate it is completed, not replaced."""
    text = INIT + "providers = p\n[p]\noctuple = o\n[o]\nrsa-keymgmt = off\n"
    env = {"OPENSSL_CONF": served.write("own.cnf", text)}
    assert providers(served, env) == {"default", "octuple"}
    assert served_operations(served, env) == 0


def test_printed_configuration_can_be_used(served):
    own = served.write("own.cnf", served.call("run", "--print-config").stdout)
    env, _ = served.run_env(env={"OPENSSL_CONF": own})
    assert env["OPENSSL_CONF"] == str(own)


def test_module_that_vanishes_does_no_harm(served):
    """A server that is upgraded in place after Octuple was removed starts all the same, on stock OpenSSL."""
    env, _ = served.run_env()
    served.provider.unlink()
    result = served.call("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "/dev/null", "-subj", "/CN=x",
                         command="/usr/bin/openssl", env={"OPENSSL_CONF": env["OPENSSL_CONF"]})
    assert result.returncode == 0 and "BEGIN CERTIFICATE" in result.stdout, result.stderr


HYBRID, X25519, P256, X448 = 0x11EC, 29, 23, 30
TLS = INIT + "ssl_conf = s\n[s]\n"
BY_DEFAULT = TLS + "system_default = d\n[d]\n"
# The extension supported_groups (10) of the hello that a client would send.
GROUPS = """
    import json, ssl
    out = ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), out, server_hostname="localhost")
    try:
        client.do_handshake()
    except ssl.SSLWantReadError:
        hello = out.read()
    at = 5 + 4 + 2 + 32
    at += 1 + hello[at]
    at += 2 + int.from_bytes(hello[at:at + 2])
    at += 1 + hello[at] + 2
    while int.from_bytes(hello[at:at + 2]) != 10:
        at += 4 + int.from_bytes(hello[at + 2:at + 4])
    end = at + 4 + int.from_bytes(hello[at + 2:at + 4])
    print(json.dumps([int.from_bytes(hello[i:i + 2]) for i in range(at + 6, end, 2)]))
    """


def groups(place, text, *options, under=True):
    """The groups that a program's libssl takes, in its order of preference."""
    env = {"OPENSSL_CONF": place.write("own.cnf", text)}
    run = ["run", *options, "--"] if under else []
    result = place.call(*run, "/usr/bin/python3", "-c", config(GROUPS), env=env,
                        command="bin/octuple" if under else "/usr/bin/env")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def has_own_hybrids(place):
    version = place.json("info", "--json")["openssl"]["version"].split()[1].split(".")
    return (int(version[0]), int(version[1])) >= (3, 5)


@pytest.mark.parametrize("text", ["", INIT, TLS, BY_DEFAULT, BY_DEFAULT + "MinProtocol = TLSv1.2\n",
                                  INIT + "ssl_conf = nowhere\n"])
def test_hybrid_group_comes_first(served, text):
    """In front of what OpenSSL takes by itself, of which nothing is lost; an OpenSSL that has its own is left alone."""
    stock, ours = groups(served, text, under=False), groups(served, text)
    if has_own_hybrids(served):
        assert ours == stock
    else:
        assert stock[:3] == [X25519, P256, X448]
        assert ours == [HYBRID, *stock]


@pytest.mark.parametrize("text", [BY_DEFAULT + "Groups = P-256\n", BY_DEFAULT + "Curves = P-256\n",
                                  BY_DEFAULT + "groups = P-256\n"])
def test_groups_of_the_administrator_stay(served, text):
    assert groups(served, text) == [P256]


def test_hybrid_group_of_the_administrator_is_there(served):
    text = BY_DEFAULT + "Groups = X25519:X25519MLKEM768\n"
    if not has_own_hybrids(served):
        assert groups(served, text) == [X25519, HYBRID]


@pytest.mark.parametrize("option", ["-k", "--keep-groups"])
def test_groups_are_kept(served, option):
    assert groups(served, BY_DEFAULT, option) == groups(served, BY_DEFAULT, under=False)
