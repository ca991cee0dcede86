# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH any
"""docs/schemas: every program here that knows --json has one, and writes what it says. Other tests hold their own runs
against them: of octuple-load, `./demo`, experiments, peers, and in test_runs.py of other measurements."""
import json
import os
import subprocess
from pathlib import Path

import pytest
from lab import ROOT, load, schemas

SHORT = {"evp": ("--turns", "1", "--algorithm", "AES-128-GCM"),
         "threads": ("--threads", "6", "--turns", "1", "--milliseconds", "5", "--op", "p256-sign")}


def test_every_program_has_one(load_program):
    programs = [path for path in load_program.parent.glob("octuple-*") if b"[--json" in path.read_bytes()]
    assert {path.name.removeprefix("octuple-") for path in programs} >= {"evp", "threads", "resume"}
    for path in [load_program, *programs]:
        assert (schemas.FOLDER / f"{path.name.removeprefix('octuple-')}.json").exists()


WRITES_JSON = 'add_argument("--json"'
# Those that are not named like their program.
NAMED = {"arguments": "demo", "experiments": "experiment", "peers": "experiment", "trace": "bench-trace"}


def measurements() -> list[Path]:
    """All programs in Python that know --json: the sources are asked."""
    return [path for folder in ("bench/measure", "bench/experiments", "tests/servers")
            for path in (ROOT / folder).rglob("*.py") if WRITES_JSON in path.read_text()]


def test_every_measurement_has_one():
    names = {path.parent.name if path.stem == "__main__" else path.stem for path in measurements()}
    assert names >= {"apache", "arguments", "bulk", "curves", "experiments", "fleet", "hostile", "keys", "machinery",
                     "official", "peers", "plan", "quic", "servers", "tokio", "trace"}
    assert not [name for name in names if not (schemas.FOLDER / f"{NAMED.get(name, name)}.json").exists()]


def test_no_schema_is_loose():
    """Each member has a type, so that an empty schema cannot take everything."""
    def parts(schema: dict):
        yield schema
        below = [*schema.get("properties", {}).values(), *schema.get("definitions", {}).values(),
                 *schema.get("oneOf", ()), schema.get("items"), schema.get("additionalProperties")]
        for part in below:
            if isinstance(part, dict):
                yield from parts(part)

    for path in schemas.FOLDER.glob("*.json"):
        for part in parts(json.loads(path.read_text())):
            assert part.keys() & {"type", "enum", "const", "oneOf", "$ref"}, (path.name, part)


@pytest.mark.parametrize("name", SHORT)
def test_programs_on_the_provider(load_program, name):
    program, provider = load_program.with_name(f"octuple-{name}"), load_program.parents[1] / "lib/octuple.so"
    if not program.exists() or not provider.exists():
        pytest.skip(f"{program.name} or the provider is not built")
    done = subprocess.run([program, "--json", *SHORT[name], provider.parent], capture_output=True, text=True,
                          check=False, env=os.environ | {"OPENSSL_CONF": "/dev/null"})
    assert done.returncode == 0, done.stderr
    schemas.check(name, json.loads(done.stdout))


def test_resumed(load_program, nginx):
    handshake = load.RESUMED[0]
    report = load.run(load_program, nginx.ports[handshake.key], min(os.sched_getaffinity(0)), handshake, connections=2,
                      seconds=0.2)
    schemas.check("resume", report)
    assert report["completed"] > 0, report


def test_kept_results():
    """Those of experiments; other files have forms of their own, which the pages read that show them."""
    found = [json.loads(path.read_text()) for path in (ROOT / "docs/results").rglob("*.json")]
    schemas.check("kept", *[document for document in found if "points" in document and "sessions" in document])
