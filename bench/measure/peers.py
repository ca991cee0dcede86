# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""`bench/peers`: installs the libraries that Octuple is held against, and measures it beside them.

It is `bench/experiment peers` with an installation before it, and always begins anew. The table is on the terminal, the
rest in the run's folder: report.html, ratios.svg, results.json and points.jsonl. The peers are packages of Debian 13.
Where the system is Debian 12, they go into a Debian 13 in a folder of ~/.cache/octuple, which takes root, debootstrap,
a minute and 600 MB the first time. AWS-LC comes with its crate, by cargo, and is built beside that folder; without
cargo it is left out.

Exit status: 0 all was measured; 1 something failed; 2 wrong usage, nothing built, or the peers could not be installed;
3 some of it could not be measured here, and the output says why; 130 interrupted.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from bench.experiments import ALL, __main__ as command
from bench.experiments.operations import peers
from bench.measure.arguments import new_file, table_option
from lab import aws_lc, debian
from lab.debian import InstallError


def arguments(argv: list[str] | None) -> tuple[argparse.Namespace, list[str]]:
    """Ours, and those of bench/experiment."""
    parser = argparse.ArgumentParser(prog="bench/peers", formatter_class=argparse.RawDescriptionHelpFormatter,
                                     description=__doc__.split("\n")[0].replace("`bench/peers`: i", "I"),
                                     epilog="\n".join(__doc__.split("\n")[2:]))
    parser.add_argument("--quick", action="store_true", help="shorter: less than 120 seconds after the installation")
    parser.add_argument("--json", type=new_file, metavar="FILE", help="write results.json there too")
    parser.add_argument("--peer", action="append", choices=list(peers.PEERS), metavar="NAME",
                        help="only this one; may be repeated: %(choices)s")
    parser.add_argument("--operation", default="", metavar="TEXT", help="only operations with this in their name")
    parser.add_argument("--table", **table_option())
    parser.add_argument("--rounds", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, help=argparse.SUPPRESS)
    parser.add_argument("--no-install", action="store_true", help="what is not installed is not measured")
    parser.add_argument("--folder", type=Path,
                        help="keep the run in a folder in this one (default: build/experiments; with --peer or "
                             "--operation it is not kept)")
    parser.add_argument("--build-dir", type=Path, default=Path("build/release"),
                        help="the build to measure (default: build/release)")
    options = parser.parse_args(argv)
    given = ["peers", "--again", "--build-dir", str(options.build_dir)]
    given += ["--quick"] * options.quick
    for name in ("json", "table", "rounds", "seconds"):
        given += [f"--{name}", str(getattr(options, name))] if getattr(options, name) else []
    return options, given


def install_aws_lc(wanted: list[str] | None) -> None:
    """Where it cannot be had, it is not measured; who names it is told why."""
    try:
        if "aws-lc" in (wanted or peers.PEERS):
            aws_lc.install()
    except InstallError as error:
        if wanted:
            raise
        print(f"bench/peers: aws-lc is not measured: {error}", file=sys.stderr)


def main(argv: list[str] | None = None) -> int:
    options, given = arguments(argv)
    signal.signal(signal.SIGTERM, command.stop)
    try:
        if not options.no_install:
            debian.place().install()
            install_aws_lc(options.peer)
    except (InstallError, OSError) as error:
        print(f"bench/peers: {error}; --no-install measures what is there", file=sys.stderr)
        return command.USAGE
    except KeyboardInterrupt:
        return command.INTERRUPTED
    with ExitStack() as stack:
        if options.peer or options.operation:
            ALL["peers"] = peers.Peers(options.operation, tuple(options.peer or ()))
            if not options.folder:
                options.folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
                given += ["--forget"]
        return command.main(given + (["--folder", str(options.folder)] if options.folder else []))


if __name__ == "__main__":
    sys.exit(main())
