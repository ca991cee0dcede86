# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Programs that sign in bulk, as they are and by `octuple run`: whole jobs, from start to end, on two CPUs."""

from __future__ import annotations

import shutil
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterator

from bench.measure import versus
from lab.programs import clean_environment
from lab.servers import memory
from lab.servers.nginx import ServerError, make_keys
from . import dnssec, frame
from .operations.openssl_speed import in_lanes

THREADS = 32
# Debian's module for tokens and certificates in Python, which gives up the interpreter's lock while it signs.
CRYPTOGRAPHY = f"""\
import sys
from concurrent.futures import ThreadPoolExecutor
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding

with open(sys.argv[1], "rb") as file:
    key = serialization.load_pem_private_key(file.read(), None)
how = (ec.ECDSA(hashes.SHA256()),) if "p256" in sys.argv[1] else (padding.PKCS1v15(), hashes.SHA256())
with ThreadPoolExecutor({THREADS}) as pool:
    signed = list(pool.map(lambda number: key.sign(b"%d" % number, *how), range(int(sys.argv[2]))))
for number, signature in list(enumerate(signed))[-50:]:
    key.public_key().verify(signature, b"%d" % number, *how)
"""
# Tokens signed by libuv's threads.
NODE = """\
const crypto = require('crypto');
const key = crypto.createPrivateKey(require('fs').readFileSync(process.argv[2]));
const count = Number(process.argv[3]);
let begun = 0, done = 0;
function next() {
  if (begun === count) return;
  const text = Buffer.from(String(begun++));
  crypto.sign('sha256', text, key, (error, signature) => {
    if (error) throw error;
    if (++done > count - 50 && !crypto.verify('sha256', text, crypto.createPublicKey(key), signature)) throw 'bad';
    next();
  });
}
for (let i = 0; i < 64; i++) next();
process.on('exit', () => { if (done !== count) process.exitCode = 1; });
"""
AUTHORITY = """\
[ca]
default_ca = own
[own]
dir = .
database = index
new_certs_dir = new
serial = serial
certificate = ca.crt
private_key = ca.key
default_md = sha256
default_days = 2
policy = any
unique_subject = no
[any]
commonName = supplied
"""


@dataclass(frozen=True)
class Job:
    """A program with so many signatures to make: `command(folder, key, count)` prepares the folder for any number of
    runs, and `check` looks at what the last one made."""

    name: str
    missing: Callable[[], str]  # what it takes and is not here; empty if all is
    command: Callable[[Path, str, int], list[str]]
    check: Callable[[Path, int], None] = lambda folder, count: None
    keys: tuple[str, ...] = ("rsa2048", "ecdsa-p256")
    settings: tuple[tuple[str, str], ...] = ()


def lacks(program: str, package: str) -> Callable[[], str]:
    return lambda: "" if shutil.which(program) else f"Debian's package {package}"


def own_key(folder: Path, key: str) -> Path:
    make_keys(folder, [key])
    return folder / f"{key}.key"


def ldns(folder: Path, key: str, count: int) -> list[str]:
    """Each name has two signatures, since NSEC has one."""
    (folder / "zone").write_text(dnssec.zone_text(count // 2))
    algorithm = {"rsa2048": ("-a", "RSASHA256", "-b", "2048"), "ecdsa-p256": ("-a", "ECDSAP256SHA256")}[key]
    made = subprocess.run(["ldns-keygen", *algorithm, dnssec.ZONE], cwd=folder, capture_output=True, text=True,
                          check=True)
    return ["ldns-signzone", "-o", dnssec.ZONE, "-f", str(folder / "signed"), str(folder / "zone"),
            str(folder / made.stdout.strip())]


def verify_zone(folder: Path, _count: int) -> None:
    frame.output_of(["ldns-verify-zone", str(folder / "signed")])


def cryptography(folder: Path, key: str, count: int) -> list[str]:
    (folder / "sign.py").write_text(CRYPTOGRAPHY)
    return [memory.PYTHON, "-B", str(folder / "sign.py"), str(own_key(folder, key)), str(count)]


def no_cryptography() -> str:
    done = subprocess.run([memory.PYTHON, "-c", "import cryptography"], capture_output=True, check=False)
    return "Debian's package python3-cryptography" if done.returncode else ""


def node_kind() -> memory.Fed:
    return next(kind for kind in memory.KINDS if kind.name == "node")


def node(folder: Path, key: str, count: int) -> list[str]:
    (folder / "sign.js").write_text(NODE)
    return [node_kind().path() or "node", str(folder / "sign.js"), str(own_key(folder, key)), str(count)]


def authority(folder: Path, key: str, count: int) -> list[str]:
    own_key(folder, key).rename(folder / "ca.key")
    (folder / f"{key}.crt").rename(folder / "ca.crt")
    (folder / "ca.cnf").write_text(AUTHORITY)
    (folder / "new").mkdir()
    subprocess.run(["openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-subj", "/CN=x", "-keyout", folder / "key.pem", "-out", folder / "request"], check=True,
                   capture_output=True)
    script = ('cd "$1" && : >index && echo 01 >serial && rm -f new/* && shift && '
              'exec openssl ca -config ca.cnf -batch -notext -out made -infiles "$@"')
    return ["/bin/sh", "-c", script, "sh", str(folder), *["request"] * count]


def certificates_made(folder: Path, count: int) -> None:
    found = len(list((folder / "new").iterdir()))
    if found != count:
        raise ServerError(f"openssl ca made {found} certificates of {count}")


JOBS = (
    Job("ldns-signzone", lacks("ldns-signzone", "ldnsutils"), ldns, verify_zone),
    Job("cryptography", no_cryptography, cryptography),
    Job("node", lambda: "" if node_kind().path() else "Debian's package nodejs, with the system's libssl", node,
        settings=(("UV_THREADPOOL_SIZE", str(THREADS)),)),
    Job("openssl-ca", lacks("openssl", "openssl"), authority, certificates_made),
)


class Signers(frame.Experiment):
    name = "signers"
    title = "Programs that sign in bulk"
    about = (f"Whole jobs, as they are and by `octuple run`, in turns, on two CPUs: a zone signed by ldns-signzone, "
             f"messages signed by {THREADS} threads of Python's cryptography and of Node.js, and certificates by "
             "`openssl ca`. Time of the clock, and CPU of all threads, from start to end.")
    full, quick = frame.Size(5, 5_000), frame.Size(3, 1_000)  # "seconds" are signatures
    pivots = ("key",)

    def points(self, size: frame.Size, quick: bool) -> list[frame.Point]:
        return [frame.Point({"program": job.name, "key": key}, 2 * size.rounds * (0.2 + size.seconds * 5e-4))
                for job in JOBS for key in job.keys]

    @contextmanager
    def opened(self, lab: frame.Lab) -> Iterator[frame.Measure]:
        yield lambda point: self.measure(lab, point.key)

    @staticmethod
    def measure(lab: frame.Lab, key: dict) -> dict:
        job = next(job for job in JOBS if job.name == key["program"])
        if job.missing():
            raise frame.Unavailable(f"{job.name} takes {job.missing()}")
        folder, count = lab.folder / f"{job.name}-{key['key']}", int(lab.size.seconds)
        folder.mkdir()
        command = job.command(folder, key["key"], count)

        def one(side: str, _number: int) -> dict[str, float]:
            env = clean_environment() | dict(job.settings)
            if side == "octuple":
                env["OCTUPLE_COUNTERS"] = str(folder)
            by = [str(lab.build.octuple), "run", "--"] if side == "octuple" else []
            found = dnssec.usage_of([*by, *command], {lab.place.server, lab.place.client}, env, folder / "log")
            job.check(folder, count)
            return found

        metrics = frame.in_turns(versus.VARIANTS, lab.size.rounds, dnssec.METRICS, one)
        return {"metrics": metrics, "notes": {"in_lanes_percent": in_lanes(folder), "signatures": count}}
