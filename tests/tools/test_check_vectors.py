# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The importer on a small made-up source, and the committed vectors against what they say of themselves."""
import json

import pytest
from tests.tools.conftest import ROOT, run_tool


def source(**changes):
    group = {"sha": "SHA-256", "publicKey": {"modulus": "00c5", "publicExponent": "000003"},
             "tests": [{"tcId": 1, "msg": "AB", "sig": "01", "result": "valid", "flags": []},
                       {"tcId": 2, "msg": "", "sig": "", "result": "invalid", "flags": ["One", "Two"]}]}
    return {"numberOfTests": 2, "testGroups": [group, {**group, "tests": []}], **changes}


def put(folder, data, name="rsa_signature_8_sha256_test.json"):
    (folder / name).write_text(json.dumps(data))


def test_import(tmp_path):
    put(tmp_path, source())
    put(tmp_path, {"anything": 1}, "hmac_test.json")
    result = run_tool("import-wycheproof", tmp_path, tmp_path)
    assert result.status == 0, result.out
    first = (tmp_path / "rsa_signature_8_sha256.txt").read_text()
    assert [line for line in first.splitlines() if not line.startswith("#")] == [
        "file kind=rsa-pkcs1-verify cases=2",
        "key id=1 n=c5 e=03",
        "group key=1 sha=sha-256",
        "case id=1 result=valid flags=none msg=ab sig=01",
        "case id=2 result=invalid flags=One,Two msg= sig=",
        "group key=1 sha=sha-256",
    ]
    assert run_tool("import-wycheproof", tmp_path, tmp_path).status == 0
    assert (tmp_path / "rsa_signature_8_sha256.txt").read_text() == first


def test_a_case_is_missing(tmp_path):
    put(tmp_path, source(numberOfTests=3))
    assert run_tool("import-wycheproof", tmp_path, tmp_path).status == 1


def test_no_source(tmp_path):
    assert run_tool("import-wycheproof", tmp_path, tmp_path).status == 1


@pytest.mark.parametrize("path", sorted((ROOT / "tests/library/vectors").glob("*.txt")), ids=lambda p: p.name)
def test_committed(path):
    lines = path.read_text(encoding="ascii").splitlines()
    origins = ("(Project Wycheproof, Apache-2.0)", "as submitted to NIST.")
    assert any(line.endswith(origins) for line in lines if line.startswith("#"))
    records = [line.split(" ") for line in lines if not line.startswith("#")]
    announced = int(dict(f.split("=") for f in records[0][1:])["cases"])
    assert sum(r[0] == "case" for r in records) == announced > 0


def test_all_rsa_vectors_are_here():
    total = sum(line.startswith("case ") for path in (ROOT / "tests/library/vectors").glob("rsa_*.txt")
                for line in path.read_text().splitlines())
    assert total == 1298
