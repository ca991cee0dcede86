# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Keys and certificates, made for the occasion by the openssl command, and the kinds of them that the tests know."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import time
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path


KEPT_SECONDS = 6 * 3600  # certificates of clients are good for a day


class CredentialsError(Exception):
    """openssl could not do it; the text says what."""


@dataclass(frozen=True)
class Kind:
    """A kind of key: what `openssl req -newkey` takes for it, the counted operation by which it signs, and what a
    TLS 1.2 suite for it says."""

    name: str
    newkey: tuple[str, ...]
    operation: str
    auth: str = "aECDSA"


KINDS = [
    Kind("rsa2048", ("rsa:2048",), "rsa2048-private", "aRSA"),
    Kind("rsa3072", ("rsa:3072",), "rsa3072-private", "aRSA"),
    Kind("rsa4096", ("rsa:4096",), "rsa4096-private", "aRSA"),
    Kind("ecdsa-p256", ("ec", "-pkeyopt", "ec_paramgen_curve:P-256"), "p256-sign"),
    Kind("ecdsa-p384", ("ec", "-pkeyopt", "ec_paramgen_curve:P-384"), "p384-sign"),
    Kind("ed25519", ("ed25519",), "ed25519-sign"),
]
# One of each algorithm, where the size of an RSA key shows nothing new.
ALGORITHMS = [kind for kind in KINDS if kind.name not in ("rsa3072", "rsa4096")]


@dataclass(frozen=True)
class Group:
    """A group for the key exchange: its name in OpenSSL's lists, among Python's curves, and in counted operations;
    those without are not served by lanes."""

    name: str
    curve: str = ""
    operation: str = ""


GROUPS = [Group("X25519", "", "x25519"), Group("P-256", "prime256v1", "p256"), Group("P-384", "secp384r1", "p384")]
DECLINED = [Group("P-521", "secp521r1"), Group("X448"), Group("ffdhe2048")]


def openssl(*arguments: str) -> str:
    done = subprocess.run(["openssl", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise CredentialsError(f"openssl {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def self_signed(where: Path, name: str, newkey: tuple[str, ...], subject: str, *more: str) -> None:
    openssl("req", "-x509", "-nodes", "-days", "2", "-subj", f"/CN={subject}", *more, "-newkey", *newkey,
            "-keyout", f"{where}/{name}.key", "-out", f"{where}/{name}.crt")


# `openssl x509` cannot issue what has expired.
AUTHORITY_CONF = """\
[ca]
default_ca = it
[it]
database = {where}/index.txt
new_certs_dir = {where}
serial = {where}/serial
default_md = sha256
unique_subject = no
policy = policy
[policy]
commonName = supplied
"""


def issue(where: Path, name: str, key: str, authority: str, begin: datetime, end: datetime) -> None:
    """NAME.crt over KEY.key, by AUTHORITY."""
    (where / "authority.cnf").write_text(AUTHORITY_CONF.format(where=where))
    (where / "index.txt").touch()
    openssl("req", "-new", "-subj", "/CN=client", "-key", f"{where}/{key}.key", "-out", f"{where}/{name}.csr")
    openssl("ca", "-batch", "-notext", "-create_serial", "-config", f"{where}/authority.cnf",
            "-cert", f"{where}/{authority}.crt", "-keyfile", f"{where}/{authority}.key",
            "-startdate", f"{begin:%Y%m%d%H%M%SZ}", "-enddate", f"{end:%Y%m%d%H%M%SZ}",
            "-in", f"{where}/{name}.csr", "-out", f"{where}/{name}.crt")


def make_client(where: Path, kind: Kind) -> None:
    """client-KIND.key, and three certificates over it: client-KIND.crt is good, expired-KIND.crt and stranger-KIND.crt
    are not."""
    self_signed(where, f"client-{kind.name}", kind.newkey, "client")
    now, day = datetime.now(timezone.utc), timedelta(days=1)
    issue(where, f"client-{kind.name}", f"client-{kind.name}", "ca", now - day, now + day)
    issue(where, f"expired-{kind.name}", f"client-{kind.name}", "ca", now - 2 * day, now - day)
    issue(where, f"stranger-{kind.name}", f"client-{kind.name}", "stranger", now - day, now + day)


def make_keys(where: Path, kinds: list[Kind] | None = None) -> Path:
    """One self-signed server certificate per kind, an authority (and one that nobody knows) and client certificates."""
    where.mkdir(exist_ok=True)
    for kind in KINDS if kinds is None else kinds:
        self_signed(where, kind.name, kind.newkey, "localhost", "-addext",
                    "subjectAltName=DNS:localhost,IP:127.0.0.1")
    if kinds is None:
        for authority in ("ca", "stranger"):
            self_signed(where, authority, KINDS[0].newkey, f"test {authority}")
        for kind in ALGORITHMS:
            make_client(where, kind)
    for key in where.glob("*.key"):
        key.chmod(0o644)  # a worker that has dropped its privileges reads them in some tests
    return where


def revoke(where: Path) -> None:
    """revoked-KIND.crt over each client-KIND.key, and the authority's list with these on it: ca.crl."""
    now, day = datetime.now(timezone.utc), timedelta(days=1)
    authority = ("-config", f"{where}/authority.cnf", "-cert", f"{where}/ca.crt", "-keyfile", f"{where}/ca.key")
    for kind in ALGORITHMS:
        issue(where, f"revoked-{kind.name}", f"client-{kind.name}", "ca", now - day, now + day)
        openssl("ca", *authority, "-revoke", f"{where}/revoked-{kind.name}.crt")
    openssl("ca", *authority, "-gencrl", "-crldays", "2", "-out", f"{where}/ca.crl")


def kept_keys(kept: Path, where: Path) -> Path:
    """A copy of what make_keys() makes once for all test files of a build: RSA-4096 takes longer than most tests."""
    with open(f"{kept}.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists() or time.time() - kept.stat().st_mtime > KEPT_SECONDS:
            shutil.rmtree(kept, ignore_errors=True)
            made = kept.with_name(f"{kept.name}.new")
            shutil.rmtree(made, ignore_errors=True)
            make_keys(made).rename(kept)
        shutil.copytree(kept, where)
    return where
