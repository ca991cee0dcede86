# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH address
"""CMS and PKCS #7 for several RSA recipients: whoever has one of the keys reads the message, whatever place its
recipient has, as without Octuple. Before OpenSSL 3.2 libcrypto goes by the error of a key that is not the right one."""
from __future__ import annotations

import subprocess

import pytest

TEXT = "a message of some length, for several to read\n"
RECIPIENTS = 5
FORMS = {"cms": ["cms"], "smime": ["smime"],
         "cms oaep": ["cms", "-keyopt", "rsa_padding_mode:oaep"],
         "cms oaep sha256": ["cms", "-keyopt", "rsa_padding_mode:oaep", "-keyopt", "rsa_oaep_md:sha256"]}


def openssl(served, *words, preload=True, **env):
    env = {name: str(value) for name, value in {**served.env, "LD_PRELOAD": served.shim if preload else "",
                                                **env}.items()}
    return subprocess.run(["openssl", *map(str, words)], env=env, capture_output=True, check=False, cwd=served.work,
                          timeout=60, **served.user())


@pytest.fixture(name="made", scope="module")
def keys_and_certificates(tmp_path_factory):
    where = tmp_path_factory.mktemp("cms")
    for i in range(RECIPIENTS + 1):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{i}.key", "-out",
                        f"{i}.crt", "-subj", f"/CN={i}"], cwd=where, check=True, capture_output=True)
    return where


@pytest.fixture(name="folder")
def folder_with_keys(served, made):
    for file in made.iterdir():
        served.write(file.name, file.read_text())
    served.write("text", TEXT)
    return served


def encrypt(served, form, recipients, preload):
    command, *options = FORMS[form]
    words = []
    for i in recipients:
        words += [*(["-recip", f"{i}.crt"] if command == "cms" else []), *options,
                  *([] if command == "cms" else [f"{i}.crt"])]
    done = openssl(served, command, "-encrypt", "-binary", "-in", "text", "-aes-256-cbc", "-out", "message", *words,
                   preload=preload)
    assert done.returncode == 0, done.stderr


def decrypt(served, form, who, *more, preload=True):
    done = openssl(served, FORMS[form][0], "-decrypt", "-in", "message", "-inkey", f"{who}.key", *more, preload=preload)
    return done.returncode, done.stdout.replace(b"\r", b"")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("count", range(1, RECIPIENTS + 1))
def test_every_place(folder, form, count):
    """By the key alone, which is tried on each; and with the certificate, which says the place. OpenSSL 3.5 itself does
    not always find the place by the key alone."""
    for first in range(count):
        encrypt(folder, form, [(first + i) % count for i in range(count)], preload=first % 2 == 0)
        stock = decrypt(folder, form, 0, preload=False) == (0, TEXT.encode())
        assert (decrypt(folder, form, 0) == (0, TEXT.encode())) == stock
        assert stock or openssl(folder, "version").stdout >= b"OpenSSL 3.2"
        assert decrypt(folder, form, 0, "-recip", "0.crt") == (0, TEXT.encode())


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("more", [[], ["-recip", "5.crt"]], ids=["key", "certificate"])
def test_somebody_else(folder, form, more):
    """Against attacks with many messages libcrypto goes on with a random key. What comes out is that one's."""
    encrypt(folder, form, range(3), preload=False)
    for preload in (False, True):
        assert TEXT.encode() not in decrypt(folder, form, RECIPIENTS, *more, preload=preload)[1]


@pytest.mark.parametrize("mode", ["pkcs1", "oaep", "none"])
def test_a_block_that_is_bad(folder, mode):
    """One key's ciphertext under another key: the same end as without."""
    folder.write("block", "x" * (256 if mode == "none" else 40))
    pad = ["-pkeyopt", f"rsa_padding_mode:{mode}"]
    assert openssl(folder, "pkeyutl", "-encrypt", "-inkey", "0.key", *pad, "-in", "block", "-out", "c").returncode == 0
    for who in (0, 1):
        ends = []
        for preload in (False, True):
            done = openssl(folder, "pkeyutl", "-decrypt", "-inkey", f"{who}.key", *pad, "-in", "c", preload=preload)
            ends.append((done.returncode, done.stdout))
        assert ends[0] == ends[1]
