# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: LONG
"""docs/schemas: what the commands write as JSON is as these say, and has nothing that they do not have."""
import json

import pytest
from jsonschema import ValidationError
from lab import ROOT, schemas


def check(name, text):
    schemas.check(name, *map(json.loads, text.splitlines()))


def test_every_command_has_one():
    """All that know the option --json: the sources are asked."""
    commands = {path.parent.name for path in (ROOT / "cli").glob("*/*.c") if "-j, --json " in path.read_text()}
    assert commands >= {"info", "doctor", "speed", "top", "trace"}
    assert not [name for name in commands if not (schemas.FOLDER / f"{name}.json").exists()]


@pytest.mark.parametrize("table", (None, "off", "avx"))
def test_info(place, table):
    check("info", place.call("info", "--json", env={"OCTUPLE_TABLE": table}).stdout)


def test_info_without_parts(place):
    place.provider.unlink()
    place.shim.unlink()
    check("info", place.call("info", "--json").stdout)


def test_doctor(served):
    made = "import ssl; ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)"
    for words in (["--", "/usr/bin/python3", "-c", made], ["--", "/bin/true"], ["--connect", "127.0.0.1:1"]):
        check("doctor", served.call("doctor", "--json", *words).stdout)


def test_speed(served):
    check("speed", served.call("speed", "--json", "--seconds", "0.01", "x25519-derive", "p256-sign").stdout)


def test_top(served):
    folder = served.work / "counters"
    folder.mkdir()
    folder.chmod(0o1777)
    made = "import ssl; ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)"
    served.call("run", "--counters", folder, "--", "/usr/bin/python3", "-c", made)
    for more in ([], ["--threads"]):
        result = served.call("top", "--json", "--count", "1", *more, f"{folder}/")
        assert json.loads(result.stdout.splitlines()[0])["processes"]
        check("top", result.stdout)


def test_a_member_that_is_not_documented_is_found():
    with pytest.raises(ValidationError, match="Additional properties"):
        check("speed", '{"op":"x","octuple_per_s":1,"openssl_per_s":1,"ratio":1,"unit":"op/s","new":1}')
    with pytest.raises(ValidationError, match="is a required property"):
        check("speed", '{"op":"x"}')
