# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""nginx of Debian with its key in SoftHSM2, in a TPM or behind qatengine: stock, under `octuple run`, and with
OCTUPLE_KEYS=16.

`softhsm` is SoftHSM2 behind pkcs11-provider, or behind libengine-pkcs11-openssl on Debian 12. `tpm` is a software TPM
behind tpm2-openssl. On Debian 13 alone, `qat` is qatengine without a card, and `qat-buffers` the same with its
multi-buffer code on any processor with AVX512-IFMA: that pauses, as it does with a card.
Each side makes handshakes of TLS 1.2 and 1.3 whose certificate is verified. Then it has a load with clients that go in
mid-handshake, is reloaded in between (not `tpm`), and makes handshakes again. None may fail, no worker may die, and the
error log may say nothing that the stock one's does not. With OCTUPLE_KEYS=16 the counters must say how operations went:
on helper threads, left alone, or that there was none with a key that lives elsewhere. Handshakes a second are printed,
not judged.

For root, with debootstrap installed. It makes a Debian in --folder, which stays, and installs the packages there.
The exit status is 0 if all was well, 1 if not.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from lab import ROOT, debian
from lab.programs import Build
from tests.places.keys.setups import SETUPS

ALWAYS = ["openssl", "nginx", "python3", "libjansson4"]


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests/places/run keys", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("setup", nargs="*", metavar="softhsm|tpm|qat|qat-buffers",
                        help="default: all that the release has")
    parser.add_argument("--release", choices=SETUPS, default=debian.RELEASE, help="of Debian (default: %(default)s)")
    parser.add_argument("--build", type=Path, default=Path("build/dev"), help="the build folder, of Debian 12 or 13")
    parser.add_argument("--folder", type=Path, default=debian.cache().parent / "keys",
                        help="the Debian is, or will be, in its folder of the release's name (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each load")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.setup = options.setup or list(SETUPS[options.release])
    unknown = set(options.setup) - set(SETUPS[options.release])
    if unknown:
        parser.error(f"no such set-up on {options.release}: {', '.join(sorted(unknown))}")
    return options


def run_in_debian(options: argparse.Namespace) -> int:
    setups = SETUPS[options.release].values()
    packages = ALWAYS + sorted({package for setup in setups for package in setup.packages})
    print(f"keys: in the Debian in {options.folder}/{options.release}, with {' '.join(packages)}", flush=True)
    command = [*debian.as_root(), str(debian.ENTER), "--install", " ".join(packages), "--see", str(options.build),
               str(options.folder), options.release,
               "env", "PYTHONDONTWRITEBYTECODE=1", f"PYTHONPATH={ROOT}", "python3", "-m", "tests.places.keys",
               "--inside", "--release", options.release, "--build", str(options.build),
               "--seconds", str(options.seconds), *options.setup]
    options.folder.mkdir(parents=True, exist_ok=True)
    status = os.spawnvp(os.P_WAIT, command[0], command)
    return 0 if status == 0 else 1


def main() -> int:
    options = parse()
    options.build = options.build.resolve()
    lacking = Build(options.build).missing()
    if lacking:
        print(f"keys: not built: {', '.join(map(str, lacking))}", file=sys.stderr)
        return 1
    if not options.inside:
        return run_in_debian(options)
    from tests.places.keys import sides  # the Debian has what it needs
    results = [sides.run(SETUPS[options.release][name], name, Build(options.build), options.seconds)
               for name in options.setup]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
