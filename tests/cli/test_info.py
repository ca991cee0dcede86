# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: LONG
"""octuple info: its JSON form, and that it tells the truth about this machine."""
import json
import pathlib
import re
import shutil
import subprocess

import pytest

from lab import depth
from lab.testing import said_on_terminal
from tests.cli.conftest import new_place

OPS_DEF = pathlib.Path(__file__).parents[2] / "src/ops/ops.def"
OPERATIONS = re.findall(r'^OCT_\w*OPERATION\(\w+, "([^"]+)"', OPS_DEF.read_text(encoding="utf-8"), re.M)
NEEDS = ["avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512ifma"]
SHOWN = [*NEEDS, "bmi2", "avx2"]
AVX2 = ["avx2", "fma"]


def cpu_says(field):
    """The kernel's text on the first CPU."""
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as cpuinfo:
        return re.search(rf"^{field}\s*: (.*)$", cpuinfo.read(), re.M)[1]


def cpu_flags():
    return set(cpu_says("flags").split())


def best_table():
    """The table that serves if nobody names one: avx512s where the CPU is Intel's."""
    flags = cpu_flags()
    if "bmi2" not in flags:
        return "none"
    widest = "avx512s" if cpu_says("vendor_id") == "GenuineIntel" else "avx512"
    tables = ((widest, NEEDS), ("avx512f", NEEDS[:4]), ("avx2", AVX2))
    return next((table for table, needs in tables if set(needs) <= flags), "none")


def info(place, **env):
    return place.json("info", "--json", env=env)


@pytest.fixture(scope="module")
def portable():
    """What it says with the portable table, whose known answers take seconds: asked once."""
    with new_place() as place:
        return info(place, OCTUPLE_TABLE="c")


def test_members_and_types(place):
    data = info(place)
    assert set(data) == {"version", "cpu", "table", "operations", "width", "ciphers", "provider", "shim", "openssl",
                         "keys"}
    assert set(data["cpu"]) == {"brand", "family", "model", "stepping", "features", "missing"}
    assert set(data["table"]) == {"name", "reason", "setting"}
    assert set(data["provider"]) == {"path", "loads", "error"} and set(data["shim"]) == {"path"}
    assert set(data["openssl"]) == {"version", "modules", "config"}
    assert all(isinstance(data["cpu"][number], int) for number in ("family", "model", "stepping"))
    assert all(isinstance(present, bool) for present in data["cpu"]["features"].values())
    assert [operation["name"] for operation in data["operations"]] == OPERATIONS
    for operation in data["operations"]:
        assert set(operation) == {"name", "on", "reason"} and isinstance(operation["on"], bool) and operation["reason"]


def test_json_is_one_line(place):
    assert place.call("info", "--json").stdout.count("\n") == 1


def test_features_are_those_of_the_kernel(place):
    cpu = info(place)["cpu"]
    flags = cpu_flags()
    assert set(NEEDS) <= set(cpu["features"])
    for need in NEEDS:
        assert cpu["features"][need] == (need in flags), need
    assert [missing["name"] for missing in cpu["missing"]] == [need for need in SHOWN if need not in flags]


def test_brand_is_that_of_the_kernel(place):
    assert info(place)["cpu"]["brand"].split() == cpu_says("model name").split()


def test_table_follows_the_cpu(place):
    data = info(place)
    assert data["table"]["name"] == best_table()
    assert data["table"]["setting"] is None and data["table"]["reason"]
    served = best_table() != "none"
    assert all(operation["on"] == served for operation in data["operations"])


@pytest.mark.parametrize("table, needs",
                         [("avx512", NEEDS), ("avx512s", NEEDS), ("avx512f", NEEDS[:4]), ("avx2", AVX2)])
def test_named_table(place, table, needs):
    """Where the CPU can run it, it serves all operations; else it says what is missing."""
    data = info(place, OCTUPLE_TABLE=table)
    served = set(needs) | {"bmi2"} <= cpu_flags()
    assert data["table"]["name"] == (table if served else "none")
    assert data["table"]["reason"] == f"OCTUPLE_TABLE={table}" if served else "missing" in data["table"]["reason"]
    assert all(operation["on"] == served for operation in data["operations"])


@pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed: it rounds FMA to nearest")
@pytest.mark.skipif(not set(AVX2) | {"bmi2"} <= cpu_flags(), reason="this CPU has no AVX2, and so has valgrind's")
def test_emulator_that_rounds_otherwise(place):
    """Its CPU has AVX2 and FMA. Known answers notice, and OpenSSL serves what comes from products."""
    operations = ["x25519-derive", "p256-sign", "ed25519-verify", "sm2-verify"]
    if depth.EXHAUSTIVE:  # OpenSSL takes a minute there for the keys
        operations.append("rsa2048-public")
    call = ["-q", "--tool=none", place.folder / "bin/octuple", "speed", *operations, "--seconds", "0.02", "--json"]
    result = place.call(*call, command="/usr/bin/valgrind", env={"OCTUPLE_TABLE": "avx2"})
    assert result.returncode == 3 and "is off: its known-answer test failed" in result.stderr
    for line, operation in zip(result.stdout.splitlines(), operations, strict=True):
        row = json.loads(line)
        assert row["op"] == operation and row["octuple_per_s"] is None and row["openssl_per_s"] > 0


def test_unknown_table(place):
    data = info(place, OCTUPLE_TABLE="avx")
    assert data["table"]["name"] == "none" and "none of auto" in data["table"]["reason"]


def test_portable_table(portable):
    assert portable["table"]["name"] == "c" and portable["table"]["setting"] == "c"
    assert all(operation["on"] for operation in portable["operations"])


def test_off(place):
    data = info(place, OCTUPLE_TABLE="off")
    assert data["table"]["name"] == "none" and data["table"]["setting"] == "off"
    for operation in data["operations"]:
        assert not operation["on"] and operation["reason"] not in ("", "on")


def test_openssl_is_the_one_in_use(place):
    data = info(place)["openssl"]
    version = subprocess.run(["openssl", "version"], capture_output=True, text=True, check=True).stdout
    modules = subprocess.run(["openssl", "version", "-m"], capture_output=True, text=True, check=True).stdout
    assert data["version"] in version
    assert data["modules"] == modules.split('"')[1]
    assert info(place, OPENSSL_CONF="/some/where.cnf")["openssl"]["config"] == "/some/where.cnf"


def test_places_beside_the_executable(place):
    data = info(place)
    assert data["provider"]["path"] == str(place.provider) and data["shim"]["path"] == str(place.shim)
    assert data["provider"]["loads"] is True and data["provider"]["error"] is None


def test_provider_that_does_not_load(place):
    place.provider.write_text("not a module")
    data = info(place)
    assert data["provider"]["loads"] is False and data["provider"]["error"]
    assert f"does not load: {data['provider']['error']}" in place.call("info").stdout


def test_missing_parts(place):
    place.provider.unlink()
    place.shim.unlink()
    data = info(place)
    if data["provider"]["path"] is not None or data["shim"]["path"] is not None:
        pytest.skip("Octuple is installed on this machine as well, and found there")
    assert data["provider"]["loads"] is None
    text = place.call("info").stdout
    assert "octuple.so is not installed" in text and "liboctuple-async.so is not installed" in text


@pytest.mark.parametrize("table", [None, "c", "off"])
def test_text_says_the_same(place, portable, table):
    env = {"OCTUPLE_TABLE": table}
    data, text = portable if table == "c" else info(place, **env), place.call("info", env=env).stdout
    assert data["cpu"]["brand"] in text and data["table"]["reason"] in text and data["openssl"]["version"] in text
    on = sum(operation["on"] for operation in data["operations"])
    by = f", by the table {data['table']['name']} ({data['table']['reason']})" if on else f": {data['table']['reason']}"
    assert text.splitlines()[0] == f"Served     {on} of {len(OPERATIONS)} operations{by}"
    missing = [one["name"] for one in data["cpu"]["missing"]]
    assert (f"Missing    {' '.join(missing)}\n" in text) == bool(missing)
    assert str(place.provider) in text and str(place.shim) in text


def test_text_says_a_reason_once(place):
    text = place.call("info", env={"OCTUPLE_TABLE": "off", "OCTUPLE_WIDTH": "512"}).stdout
    assert text.splitlines()[0].count("OCTUPLE_TABLE=off") == 1 and "known-answer" not in text


@pytest.mark.skipif(not shutil.which("valgrind"), reason="valgrind is not installed: its CPU has no AVX-512")
def test_text_of_a_cpu_with_less(place):
    """A table is named that this CPU cannot run: who named it is told, and what helps."""
    call = ["-q", "--tool=none", place.folder / "bin/octuple", "info"]
    first, *more = place.call(*call, command="/usr/bin/valgrind", env={"OCTUPLE_TABLE": "avx512"}).stdout.splitlines()
    assert first.startswith("Served     0 of 46 operations: OCTUPLE_TABLE asks for avx512, and this CPU has no")
    assert first.endswith("without it the best table that this CPU has serves")
    line = next(line for line in more if line.startswith("Missing"))
    assert {"avx512f", "avx512ifma"} <= set(line.split())


def test_a_table_that_is_named_is_why_vectors_are_narrower(place):
    """The CPU has wider ones, and is not said to lack any."""
    if info(place)["width"]["bits"] != 512:
        pytest.skip("this CPU has no vectors of 512 bits, or slow ones")
    text = place.call("info", env={"OCTUPLE_TABLE": "avx2"}).stdout
    assert "OCTUPLE_TABLE names a table" in text and "CPU lacks" not in text and "CPU has no AVX-512" not in text


@pytest.mark.parametrize("env, coloured", (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)))
def test_colours_on_a_terminal_that_wants_them(place, env, coloured):
    """The verdict is the first line all the same."""
    status, said = said_on_terminal([place.folder / "bin/octuple", "info"], "stdout", cwd=place.work,
                                    env=place.env | {"TERM": "xterm"} | env, **place.user())
    assert status == 0 and b"Served" in said.splitlines()[0] and (b"\033[" in said) == coloured
    assert "\033" not in place.call("info").stdout


def test_openssl_conf_does_not_matter(place):
    broken = place.write("broken.cnf", "config_diagnostics = 1\nopenssl_conf = nowhere\n")
    assert info(place, OPENSSL_CONF=str(broken))["provider"]["loads"] is True


CIPHERS = ["aes-128-gcm", "aes-192-gcm", "aes-256-gcm", "chacha20-poly1305", "sm4-gcm", "sm4-ccm"]


def test_ciphers(place):
    data = info(place)
    assert [cipher["name"] for cipher in data["ciphers"]] == CIPHERS
    assert data["width"]["bits"] in (0, 128, 256, 512) and data["width"]["setting"] is None
    for cipher in data["ciphers"]:
        assert set(cipher) == {"name", "on", "default", "vectors", "reason"} and cipher["reason"]
        assert cipher["default"] == (cipher["vectors"] == "zmm"
                                     or (cipher["vectors"] == "ymm" and "chacha" not in cipher["name"]))
        assert cipher["on"] == (cipher["vectors"] != "none")


@pytest.mark.parametrize("width,bits", [("512", 512), ("256", 256), ("128", 128), ("off", 0), ("wide", 0)])
def test_width_setting(place, width, bits):
    data = info(place, OCTUPLE_WIDTH=width)
    assert data["width"]["setting"] == width and data["width"]["bits"] <= bits
    tiers = {"zmm": 512, "ymm": 256, "xmm": 128, "none": 0}
    assert all(tiers[cipher["vectors"]] <= bits for cipher in data["ciphers"])
    if bits == 0:
        assert "OCTUPLE_WIDTH" in data["width"]["reason"]
    text = place.call("info", env={"OCTUPLE_WIDTH": width}).stdout
    assert f"Width      {data['width']['bits']} bits for ciphers: {data['width']['reason']}" in text


def test_portable_ciphers(portable):
    assert all(cipher["vectors"] == "c" for cipher in portable["ciphers"] if cipher["on"])
