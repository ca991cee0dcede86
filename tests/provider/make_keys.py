# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Makes the RSA keys of the provider tests, with the openssl command, in the folder given. Keys that exist stay."""
import os
import pathlib
import subprocess
import sys

KEYS = {
    "2048a": [2048],
    "2048b": [2048],
    "2048c": [2048],
    "2048e3": [2048, "rsa_keygen_pubexp:3"],
    "3072a": [3072],
    "3072b": [3072],
    "4096a": [4096],
    "4096b": [4096],
    "1024": [1024],
    "2047": [2047],
    "1025": [1025],
    "2048x3": [2048, "rsa_keygen_primes:3"],
}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    # Neither the system's nor the caller's configuration: these are OpenSSL's own keys.
    environment = dict(os.environ, OPENSSL_CONF="/dev/null")
    for name, (bits, *options) in KEYS.items():
        private, public = folder / f"{name}.pem", folder / f"{name}.pub.pem"
        if private.exists() and public.exists():
            continue
        command = ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", f"rsa_keygen_bits:{bits}", "-out", private]
        for option in options:
            command += ["-pkeyopt", option]
        subprocess.run(command, check=True, env=environment, stderr=subprocess.DEVNULL)
        subprocess.run(["openssl", "pkey", "-in", private, "-pubout", "-out", public], check=True, env=environment)


if __name__ == "__main__":
    main()
