# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""docs/schemas in the hands of tests: what programs write as JSON is as these say, and has nothing that they do not
have."""
import json

from jsonschema import Draft7Validator
from lab import ROOT

FOLDER = ROOT / "docs/schemas"


def read(name: str) -> dict:
    return json.loads((FOLDER / name).read_text())


def strict(schema):
    """The same without members that it does not name, and with other files in place of their names."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("$ref", "").endswith(".json"):
        return strict(read(schema["$ref"]))
    found = {name: strict(part) for name, part in schema.items()}
    return ({"additionalProperties": False} if "properties" in found else {}) | found


def check(name: str, *documents) -> None:
    schema = read(f"{name}.json")
    Draft7Validator.check_schema(schema)
    assert documents
    for document in documents:
        Draft7Validator(strict(schema)).validate(document)
