# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Which of OpenSSL's tests run, with the arguments that its own recipes (test/recipes) give them.

Where a recipe hands over a configuration, `{conf}` stands for it: that is what makes the two sides different. An
argument that a release does not know is ignored by it.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.places.openssl.source import SourceError, Tree

LANES = "lanes"      # the provider's counters must say that it worked
NOTHING = "nothing"  # a test of other things, which must not be disturbed


@dataclass
class Run:
    """One start of a program."""

    name: str
    program: str
    arguments: list[str] = field(default_factory=list)
    # What shows that the provider took part: its counters, or that these algorithms come from it.
    proof: str = LANES
    legacy: bool = False  # whether the configuration activates that provider as well
    alone: bool = False  # the context of the process must be without providers: the program makes its own
    slow: bool = False
    # Linked with a libcrypto of its own, so that there are two of them once the provider is loaded.
    static: bool = False


CIPHERS = "cipher:AES-128-GCM cipher:ChaCha20-Poly1305"
EC = "keymgmt:EC keyexch:ECDH signature:ECDSA"
DERIVATIONS = "kdf:TLS1-PRF kdf:TLS13-KDF kdf:HKDF"
# The files of evp_test for what the provider serves.
EVP_FILES = {
    "evppkey_rsa.txt": LANES, "evppkey_rsa_common.txt": LANES, "evppkey_ecdh.txt": LANES, "evppkey_ecdsa.txt": LANES,
    "evppkey_ecx.txt": LANES, "evppkey_ecc.txt": EC, "evppkey_kas.txt": EC,
    "evppkey_mismatch.txt": f"keymgmt:RSA {EC}", "evpciph_aes_common.txt": CIPHERS, "evpciph_chacha.txt": CIPHERS,
    "evpkdf_tls11_prf.txt": DERIVATIONS, "evpkdf_tls12_prf.txt": DERIVATIONS, "evpkdf_tls13_kdf.txt": DERIVATIONS,
}
# The recipes leave these out as well, in a build without the compression or the protocol that they are about.
LEFT_OUT = ("22-compression.cnf", "29-dtls-sctp-label-bug.cnf")
SERVER = ["{source}/apps/server.pem", "{source}/apps/server.pem"]
SIMPLE = (
    Run("asynciotest", "asynciotest", SERVER),
    Run("clienthellotest", "clienthellotest", ["{source}/test/session.pem"]),
    Run("servername_test", "servername_test", SERVER),
    Run("dtlstest", "dtlstest", SERVER),
    Run("sslbuffertest", "sslbuffertest", SERVER),
    Run("sslcorrupttest", "sslcorrupttest", SERVER),
    Run("fatalerrtest", "fatalerrtest", SERVER),
    Run("recordlentest", "recordlentest", SERVER),
    Run("tls13ccstest", "tls13ccstest", SERVER),
    Run("ssl_ctx_test", "ssl_ctx_test", proof=NOTHING),
    Run("threadstest", "threadstest", ["-config", "{conf}", "{source}/test/recipes/90-test_threads_data"]),
    Run("evp_extra_test", "evp_extra_test"),
    Run("evp_extra_test -context", "evp_extra_test", ["-context"], proof=EC),
    Run("ecdsatest", "ecdsatest"),
    Run("ectest", "ectest"),
    Run("rsa_test", "rsa_test"),
    Run("provfetchtest", "provfetchtest", proof=NOTHING),
    Run("sslapitest", "sslapitest",
        ["{source}/test/certs", "{source}/test/recipes/90-test_sslapi_data/passwd.txt", "{folder}/keylog", "default",
         "{conf}", "{source}/test/recipes/90-test_sslapi_data/dhparams.pem",
         "{source}/test/recipes/90-test_sslapi_data"],
        alone=True, slow=True),
)


def evp_runs(tree: Tree) -> list[Run]:
    runs = []
    for file, proof in EVP_FILES.items():
        if not (tree.source / "test/recipes/30-test_evp_data" / file).exists():
            raise SourceError(f"OpenSSL {tree.version} has no {file}: the list in {__file__} is out of date")
        runs.append(Run(f"evp_test {file}", "evp_test",
                        ["-config", "{conf}", "{source}/test/recipes/30-test_evp_data/" + file], proof, legacy=True))
    return runs


def generate(tree: Tree, template: Path, provider: str) -> Path:
    """A configuration of ssl_test, as its recipe makes it."""
    target = tree.folder / "ssl-tests" / f"{template.stem}.{provider}"
    target.parent.mkdir(exist_ok=True)
    env = {**os.environ, "SRCTOP": str(tree.source), "BLDTOP": str(tree.built), "PERL_HASH_SEED": "0"}
    perl = ["perl", f"-I{tree.source}/util/perl", f"-I{tree.built}", str(tree.source / "test/generate_ssl_tests.pl")]
    done = subprocess.run([*perl, str(template), provider], cwd=tree.folder, env=env, text=True, timeout=120,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0 or "num_tests" not in done.stdout:
        raise SourceError(f"{template.name} gave no configuration: {done.stderr.strip()}")
    target.write_text(done.stdout)
    return target


def ssl_runs(tree: Tree, providers: tuple[str, ...]) -> list[Run]:
    """`none` is the context of the process, `default` one that the program makes from a configuration."""
    runs = []
    for template in sorted((tree.source / "test/ssl-tests").glob("*.cnf.in")):
        if template.stem in LEFT_OUT:
            continue
        for provider in providers:
            config = generate(tree, template, provider)
            more = [] if provider == "none" else ["{conf}"]
            runs.append(Run(f"ssl_test {template.stem} {provider}", "ssl_test", [str(config), provider, *more]))
    return runs


def programs() -> list[str]:
    return sorted({run.program for run in SIMPLE} | {"evp_test", "ssl_test"})


def static_runs(names: list[str]) -> list[Run]:
    """The same once more of programs with static libraries."""
    return [replace(run, name=f"{run.name} (static)", static=True) for run in SIMPLE if run.program in names]


def all_runs(tree: Tree, quick: bool, static: list[str]) -> list[Run]:
    """The long ones first, so that none is left alone at the end."""
    providers = ("default",) if quick else ("none", "default")
    runs = [*SIMPLE, *static_runs(static), *evp_runs(tree), *ssl_runs(tree, providers)]
    return sorted((run for run in runs if not (quick and run.slow)), key=lambda run: not run.slow)
