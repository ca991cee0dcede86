# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: LONG
"""octuple speed: forms, results and exit codes; no time is asserted."""
import json
import os
import pathlib
import re

import pytest
from lab import depth
from tests.cli.conftest import table_here

ROOT = pathlib.Path(__file__).parents[2]
OPERATION = re.compile(r'^OCT_\w*OPERATION\(\w+, "([^"]+)", (\w+),', re.MULTILINE)
FAMILY_OF = dict(OPERATION.findall((ROOT / "src/ops/ops.def").read_text(encoding="utf-8")))
MEMBERS = ["op", "octuple_per_s", "openssl_per_s", "ratio", "unit"]


def listed(place, start=""):
    """The operations of --help, in the order of the output."""
    names = place.call("speed", "--help").stdout.split("named):\n")[1].split("\n\n")[0].split()
    return [name for name in names if name.startswith(start)]


def is_cipher(name):
    return name not in FAMILY_OF


def speed(place, *args, **env):
    result = place.call("speed", "--json", *args, env=env)
    return [json.loads(line) for line in result.stdout.splitlines()], result


def test_quick_measurement(place):
    table = "c" if table_here() == "none" else "auto"
    rows, result = speed(place, "--seconds", "0.2", "rsa2048-private", "rsa2048-public", OCTUPLE_TABLE=table)
    assert result.returncode == 0 and result.stderr == ""
    assert [row["op"] for row in rows] == ["rsa2048-private", "rsa2048-public"]
    for row in rows:
        assert list(row) == MEMBERS and row["unit"] == "op/s"
        assert row["octuple_per_s"] > 0 and row["openssl_per_s"] > 0
        assert row["ratio"] > 0


def test_every_family_is_measured(place):
    """But the client's side of hybrid groups, which is a decapsulation and a derivation, and these are; and SM3, whose
    rows, like those of ciphers, are called by their size."""
    measured = {FAMILY_OF[name] for name in listed(place) if not is_cipher(name)}
    assert set(FAMILY_OF.values()) - measured == {"hybrid_client", "sm3"}
    assert {name.split("-")[0] for name in listed(place) if is_cipher(name)} == \
        {"aes128gcm", "aes256gcm", "chacha20poly1305", "sm4gcm", "sm4ccm", "sm4ctr", "sm4cbc", "quic", "sm3"}


def test_all_operations_by_default(place):
    """All keys are made, every operation agrees with OpenSSL and is timed, in the documented order. OpenSSL takes ten
    seconds for a few large keys, so these are left to the exhaustive run, which names none."""
    data = place.json("info", "--json")
    served = data["table"]["name"] != "none"
    ciphers = all(cipher["on"] for cipher in data["ciphers"])
    expected, named = listed(place), []
    if not depth.EXHAUSTIVE:
        expected = named = [name for name in expected if name not in ("rsa3072-keygen", "rsa4096-keygen")]
    rows, result = speed(place, "--seconds", "0.02", *named, OCTUPLE_TABLE="auto" if served else "c")
    assert result.returncode == (0 if ciphers else 3) and (result.stderr == "" or not ciphers)
    assert [row["op"] for row in rows] == expected
    # By the names of block ciphers: SM4's other modes are off with these two.
    off = {re.sub("-?([gc]cm)?", "", cipher["name"]) for cipher in data["ciphers"] if not cipher["on"]}
    assert all(row["octuple_per_s"] > 0 for row in rows if not any(name in row["op"] for name in off))


def test_curves_on_the_portable_table(place):
    names = listed(place, ("p256-", "p384-", "sm2-", "sm3-", "ed25519-"))
    rows, result = speed(place, "--seconds", "0.05", *names, OCTUPLE_TABLE="c")
    assert result.returncode == 0 and result.stderr == "" and names
    assert [row["op"] for row in rows] == names
    assert all(row["octuple_per_s"] > 0 and row["openssl_per_s"] > 0 for row in rows)


def test_null_where_openssl_has_no_such_operation(place):
    """ML-KEM and ML-DSA came with OpenSSL 3.5."""
    names = listed(place, "mlkem") + listed(place, "mldsa")
    rows, result = speed(place, "--seconds", "0.05", *names, OCTUPLE_TABLE="c")
    version = re.search(r"(\d+)\.(\d+)", place.json("info", "--json")["openssl"]["version"])
    has = (int(version[1]), int(version[2])) >= (3, 5)
    assert result.returncode == 0 and [row["op"] for row in rows] == names and names
    assert all(row["octuple_per_s"] > 0 and (row["openssl_per_s"] is not None) == has for row in rows)
    assert all((row["ratio"] is not None) == has for row in rows)


@pytest.mark.parametrize("width", ["512", "256", "128"])
def test_ciphers_of_each_width(place, width):
    """Where the CPU has less, what there is serves; results are compared in any case."""
    names = [name for name in listed(place) if is_cipher(name)]
    names = [name for name in names if "chacha" not in name and "sm4" not in name and name.endswith(("-256", "-1440"))]
    if not all(cipher["on"] for cipher in place.json("info", "--json")["ciphers"] if cipher["name"].startswith("aes")):
        pytest.skip("no AES instructions on this CPU")
    rows, result = speed(place, "--seconds", "0.05", *names, OCTUPLE_WIDTH=width)
    assert result.returncode == 0 and result.stderr == ""
    assert [row["op"] for row in rows] == names
    assert all(row["unit"] == "GB/s" and row["octuple_per_s"] > 0 and row["ratio"] > 0 for row in rows)


def test_off_measures_openssl_only(place):
    rows, result = speed(place, "--seconds", "0.1", "x25519-derive", OCTUPLE_TABLE="off")
    assert result.returncode == 3
    assert rows[0]["octuple_per_s"] is None and rows[0]["ratio"] is None and rows[0]["openssl_per_s"] > 0
    assert "x25519-derive is off: " in result.stderr
    text = place.call("speed", "--seconds", "0.1", "x25519-derive", env={"OCTUPLE_TABLE": "off"})
    assert text.returncode == 3 and re.search(r"^x25519-derive +off +\d+ op/s +-$", text.stdout, re.M)


def test_text_form(place):
    result = place.call("speed", "--seconds", "0.1", "x25519-derive", env={"OCTUPLE_TABLE": "c"})
    assert result.returncode == 0
    assert "table c, one thread on core" in result.stdout and "against OpenSSL 3" in result.stdout
    assert re.search(r"^x25519-derive +\d+ op/s +\d+ op/s +[\d.]+x$", result.stdout, re.M)


def test_unknown_operation_lists_the_names(place):
    result = place.call("speed", "rsa2048-private", "rsa1024-private")
    assert result.returncode == 2 and result.stdout == ""
    assert "no operation 'rsa1024-private'" in result.stderr
    assert result.stderr.split("one of:\n")[1].split() == listed(place)


@pytest.mark.parametrize("seconds", ["0", "-1", "x", "", "1x", "nan", "inf", "1e9"])
def test_bad_seconds(place, seconds):
    result = place.call("speed", "--seconds", seconds, "x25519-derive")
    assert result.returncode == 2 and result.stdout == ""
    assert f"--seconds '{seconds}' is not a number above 0" in result.stderr


@pytest.mark.parametrize("text", ["config_diagnostics = 1\nopenssl_conf = nowhere\n",
                                  "openssl_conf = i\n[i]\nalg_section = a\n[a]\ndefault_properties = fips=yes\n"])
def test_openssl_conf_does_not_matter(place, text):
    rows, result = speed(place, "--seconds", "0.05", "x25519-derive", OPENSSL_CONF=place.write("own.cnf", text),
                         OCTUPLE_TABLE="c")
    assert result.returncode == 0 and rows[0]["openssl_per_s"] > 0


def test_it_keeps_to_the_cores_it_was_given(place):
    core = min(os.sched_getaffinity(0))
    result = place.call("speed", "--seconds", "0.05", "x25519-derive", env={"OCTUPLE_TABLE": "off"},
                        preexec_fn=lambda: os.sched_setaffinity(0, {core}))
    assert f"on core {core}\n" in result.stdout
