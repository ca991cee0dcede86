# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: LONG
"""docs/schemas: what the commands write as JSON is as these say, and has nothing that they do not have."""
import json
import pathlib

import pytest
from jsonschema import Draft7Validator, ValidationError

SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "docs/schemas"


def strict(schema):
    """The same without members that it does not name."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: strict(part) for name, part in schema.items()}
    return ({"additionalProperties": False} if "properties" in found else {}) | found


def check(name, text):
    schema = json.loads((SCHEMAS / f"{name}.json").read_text())
    Draft7Validator.check_schema(schema)
    lines = text.splitlines()
    assert lines
    for line in lines:
        Draft7Validator(strict(schema)).validate(json.loads(line))


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
