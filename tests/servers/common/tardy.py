# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The provider of the test whose RSA keys are in a device (devices/tardy.c of bench), in a server's environment."""

from __future__ import annotations

from pathlib import Path

from lab import counters, openssl_conf
from tests.servers.common import rig

KINDS = ("blocks", "pauses")




def put_into(env: dict[str, str], build: rig.Build, kind: str, threads: int, micros: int) -> None:
    """env is that of rig.shim_environment(): any PEM file with an RSA key becomes a key in the device. threads: of
    OCTUPLE_KEYS."""
    conf = Path(env["OCTUPLE_COUNTERS"]).parent / "tardy.cnf"
    conf.write_text(openssl_conf.text({"tardy": build.folder / "lib/tardy.so"}, properties="?provider=tardy"))
    env["OPENSSL_CONF"] = str(conf)
    env.update(OCTUPLE_KEYS=str(threads), OCTUPLE_TEST_DEVICE_US=str(micros))
    if kind == "pauses":
        env["OCTUPLE_TEST_DEVICE_PAUSES"] = "1"


def settled(build: rig.Build, folder: Path) -> list[dict]:
    """What is counted of keys in devices (lab), when all operations are over."""
    def over() -> bool:
        return not any(keys["in_flight"] + keys["threads_working"] for keys in counters.of_keys(build.octuple, folder))

    rig.wait_until(over, "the device is done")
    return counters.of_keys(build.octuple, folder)
