# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""packaging/nginx/build with an archive that names sources which its mirror lacks: which one it takes, and says so."""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NEWEST, OLDER = "1.30.6-2", "1.30.4-1"
APT_CACHE = f"""#!/bin/sh
printf 'Version: %s\\n' {OLDER} {NEWEST}
"""
APT_GET = """#!/bin/sh
for last; do :; done
[ "$last" = update ] || { [ "$last" = "nginx=$MIRRORED" ] && touch nginx.dsc; }
"""


def build(folder: pathlib.Path, mirrored: str, *options: str) -> list[str]:
    """What it says until it has a source, which this system does not unpack."""
    programs = folder / "bin"
    programs.mkdir()
    for name, text in {"apt-cache": APT_CACHE, "apt-get": APT_GET, "dpkg-source": "#!/bin/sh\nexit 1\n"}.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    done = subprocess.run([ROOT / "packaging/nginx/build", *options, folder / "packages"], capture_output=True,
                          text=True, check=False,
                          env={**os.environ, "PATH": f"{programs}:/usr/bin:/bin", "MIRRORED": mirrored})
    assert done.returncode
    return done.stderr.splitlines()


def test_older(tmp_path):
    said = build(tmp_path, OLDER)
    assert [line for line in said if NEWEST in line and f"takes {OLDER}" in line], said


@pytest.mark.parametrize("mirrored, options", [(NEWEST, ()), (OLDER, ("--version", OLDER))])
def test_wanted(tmp_path, mirrored, options):
    assert build(tmp_path, mirrored, *options) == []


def test_none(tmp_path):
    said = build(tmp_path, "none", "--version", NEWEST)
    assert f"no source of nginx {NEWEST}" in said[-1] and not any("takes" in line for line in said)
