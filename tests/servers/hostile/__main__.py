# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Runs hostile clients against stock and accelerated servers and says what each was told: JSON, and verdicts.tsv."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from pathlib import Path

from tests.servers.common import credentials, rig
from . import library


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests/servers/run hostile",
                                     description="Hostile clients against stock and accelerated servers.")
    parser.add_argument("--build", default="build/dev", help="the build folder")
    parser.add_argument("--server", choices=("nginx", "haproxy"), action="append", help="all by default")
    parser.add_argument("--only", default="", help="kinds whose name has this in it")
    parser.add_argument("--copies", type=int, default=1, help="of each kind")
    parser.add_argument("--seed", type=int, default=1, help="of the order")
    parser.add_argument("--json", type=Path, help="write all verdicts")
    parser.add_argument("--table", type=Path, help="write them as verdicts.tsv has them")
    return parser.parse_args()


def main() -> int:
    args = options()
    build = rig.Build(Path(args.build).resolve())
    library.use(build.folder)
    from . import compare, report  # pylint: disable=import-outside-toplevel
    where = rig.folder("hostile")
    try:
        keys = credentials.make_keys(where / "keys")
        found = [compare.compare(server, keys, build, lambda kind: args.only in kind.name, args.copies, args.seed)
                 for server in args.server or ("nginx", "haproxy")]
    finally:
        shutil.rmtree(where, ignore_errors=True)
    if args.json:
        args.json.write_text(json.dumps(report.as_json(found), indent=1) + "\n")
    if args.table:
        args.table.write_text(report.as_table(found))
    wrong = [f"{it.server}: {text}" for it in found for text in it.differences() + it.unserved() + it.talkative()]
    print("\n".join(wrong + [report.summary(it) for it in found]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
