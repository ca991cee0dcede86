# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH address
"""What `octuple doctor` says of what confines a process. /proc tells it of labels and of AT_SECURE, so here it tells
what it would on a system with SELinux or AppArmor."""
from __future__ import annotations

import json
import os
import pathlib
import struct
import subprocess

import pytest

from tests.cli.test_doctor import certificate, idle, pair, running  # noqa: F401 pylint: disable=unused-import

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can change what /proc tells")
AT_SECURE = 23
HTTPD = "system_u:system_r:httpd_t:s0"
INIT = "system_u:system_r:init_t:s0"
CASES = [
    ({"current": HTTPD, "prev": INIT}, False, {"confinement": ("ok", "its domain is httpd_t")}),
    ({"current": HTTPD, "prev": INIT}, True, {"privileges": ("problem", "from the domain init_t to httpd_t without "
                                                             "noatsecure"), "confinement": ("ok", "httpd_t")}),
    ({"current": HTTPD, "prev": HTTPD}, True, {"privileges": ("problem", "raised privileges")}),
    ({"current": "nginx (enforce)", "prev": ""}, False, {"confinement": ("note", "its profile is nginx (enforce)")}),
    ({"current": "nginx (enforce)", "prev": ""}, True, {"privileges": ("problem", "AppArmor profile nginx (enforce)")}),
    ({"current": "unconfined", "prev": "unconfined"}, False, {}),
    ({"current": "unconfined", "prev": ""}, True, {"privileges": ("problem", "raised privileges")}),
]


def auxv(pid: int) -> bytes:
    words = list(struct.iter_unpack("QQ", pathlib.Path(f"/proc/{pid}/auxv").read_bytes()))
    return b"".join(struct.pack("QQ", kind, 1 if kind == AT_SECURE else value) for kind, value in words)


@pytest.mark.parametrize(("labels", "secure", "expected"), CASES)
def test_what_confines(served, idle, labels, secure, expected):  # noqa: F811
    with running(served, *idle) as pid:
        files = {}
        for name, label in labels.items():
            files[f"/proc/{pid}/attr/{name}"] = served.write(f"label-{name}", label + "\n")
        if secure:
            files[f"/proc/{pid}/auxv"] = served.work / "auxv"
            files[f"/proc/{pid}/auxv"].write_bytes(auxv(pid))
        binds = " && ".join(f"mount --bind {mine} {theirs}" for theirs, mine in files.items())
        command = ["unshare", "-m", "sh", "-c", f'{binds} && exec "$0" doctor --json --no-handshake "$1"',
                   served.folder / "bin/octuple", str(pid)]
        done = subprocess.run(command, env=served.env, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 4), done.stderr
    found = {one["name"]: (one["level"], one["text"]) for one in json.loads(done.stdout)["findings"]}
    for name, (level, text) in expected.items():
        assert found[name][0] == level and text in found[name][1]
    assert {"privileges", "confinement"} & set(found) <= set(expected) | {"confinement"}
    assert ("confinement" in found) == (labels["current"] != "unconfined")
