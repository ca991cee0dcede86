# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The configurations of OpenSSL in the documents that load the provider do so."""
import os
import re
import subprocess

import pytest

from lab import ROOT

BLOCK = re.compile(r"^ {4}openssl_conf = .*\n(?:(?: {4}.*)?\n)*", re.MULTILINE)
MODULE = re.compile(r"(?<=^module = )/.*/octuple\.so$", re.MULTILINE)


def documented():
    for path in sorted((ROOT / "docs").glob("*.md")):
        for block in BLOCK.findall(path.read_text(encoding="utf-8")):
            text = re.sub("^ {4}", "", block, flags=re.MULTILINE)
            if MODULE.search(text) and "default_properties" in text:
                yield text


def test_there_is_one():
    assert list(documented())


@pytest.mark.parametrize("text", documented())
def test_it_loads_the_provider(text, build, tmp_path):
    configuration = tmp_path / "openssl.cnf"
    configuration.write_text(MODULE.sub(str(build / "lib/octuple.so"), text))
    done = subprocess.run(["openssl", "list", "-kem-algorithms", "-signature-algorithms"], capture_output=True,
                          text=True, check=False, env=dict(os.environ, OPENSSL_CONF=str(configuration)))
    assert "@ octuple" in done.stdout and "@ default" in done.stdout, done.stderr
