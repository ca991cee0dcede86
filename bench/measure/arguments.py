# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""The command line of ./demo. Python's own modules only: --help works before anything is installed."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from lab import machine
from lab.load import HANDSHAKES

# Tables of Octuple, and what OpenSSL may not use (OPENSSL_ia32cap) to be as on a CPU where that table is the best one:
# AVX-512, VAES and VPCLMULQDQ; for avx512f what came after the first AVX-512. No CPU that Octuple serves has the
# portable table as its best: it is for tests, and OpenSSL uses what there is.
PORTABLE = "c"
TABLES = {"avx512": "", "avx512s": "", "avx512f": ":~0x5e4200200000", "ifma256": ":~0x5e42d0230000",
          "avx2": ":~0x5e42d0230000", PORTABLE: ""}


def mask_of(table: str) -> str:
    """Empty on a CPU without AVX-512 too: that is such a CPU, with all that it has."""
    return TABLES[table] if machine.has_avx512() else ""


def asked_table() -> str:
    """The one that our environment names, if it has a name."""
    table = os.environ.get("OCTUPLE_TABLE", "")
    return table if table in TABLES else ""


def table_option() -> dict:
    """How each measurement that has --table reads it."""
    return {"choices": list(TABLES), "default": asked_table(),
            "help": "as on a CPU whose best table this is: Octuple takes it, and OpenSSL does without newer "
                    "instructions on both sides; OCTUPLE_TABLE in the environment does the same"}


def be_another_cpu(table: str) -> None:
    """All that is started, and the questions to Octuple, get it from this program's environment."""
    os.environ["OCTUPLE_TABLE"] = table
    if mask := mask_of(table):
        os.environ["OPENSSL_ia32cap"] = mask


def new_file(name: str) -> Path:
    """A file for results, refused before anything is measured if it could not be written."""
    path = Path(name)
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"{name} is a folder")
    if path.exists() and not os.access(path, os.W_OK):
        raise argparse.ArgumentTypeError(f"{name} may not be written")
    if not path.exists() and not os.access(path.parent, os.W_OK | os.X_OK):
        why = "may not be written" if path.parent.is_dir() else "is no folder"
        raise argparse.ArgumentTypeError(f"{path.parent.absolute()} {why}")
    return path


def new_folder(name: str) -> Path:
    """The same for a folder with results."""
    path = Path(name)
    there = next(part for part in (path, *path.absolute().parents) if part.exists())
    if not there.is_dir():
        raise argparse.ArgumentTypeError(f"{there} is no folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise argparse.ArgumentTypeError(f"{there.absolute()} may not be written")
    return path


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="./demo", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Compares nginx as it is with the same nginx under Octuple, on this machine: full TLS handshakes,\n"
                    "one worker on one CPU, the client on another. Takes less than three minutes after the build.",
        epilog="Examples:\n"
               "  ./demo                            ten lines, demo-report/index.html and demo-report/results.json\n"
               "  ./demo --quick --json out.json    in less than 90 seconds, numbers only\n"
               "  ./demo --handshake tls13-rsa2048  only this kind (may be repeated)\n"
               "  ./demo --table avx2               as on a CPU without AVX-512: neither side uses it\n")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds: less than 90 seconds")
    parser.add_argument("--json", metavar="FILE", type=new_file,
                        help="write the numbers to FILE; no HTML unless --report is given")
    parser.add_argument("--report", metavar="DIR", type=new_folder,
                        help="write index.html and results.json there (default: demo-report)")
    parser.add_argument("--handshake", action="append", choices=[handshake.name for handshake in HANDSHAKES],
                        metavar="NAME", help="measure only this kind of handshake; may be repeated. Kinds: %(choices)s")
    parser.add_argument("--table", **table_option())
    parser.add_argument("--details", action="store_true",
                        help="print all tables too, which the report has; --table is about the CPU")
    parser.add_argument("--build-dir", metavar="DIR", type=Path, default=Path("build/release"),
                        help="the build to measure (default: build/release, which ./demo builds)")
    parser.add_argument("--keep", action="store_true", help="keep the servers' configuration, keys and logs")
    options = parser.parse_args(argv)
    if options.report is None and options.json is None:
        try:
            options.report = new_folder("demo-report")
        except argparse.ArgumentTypeError as error:
            parser.error(str(error))
    return options
