# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""How bench/run starts a measurement: `python3 -m bench.command [--parse] NAME MODULE [ARGUMENT...]`.

With --parse it reads the arguments and does nothing else. That is before packages are installed, so whatever is not
there yet is stood in for. Without, whatever ends a measurement from outside is told in one line: Ctrl-C and SIGTERM,
a full disk, a file that may not be written, a server or a tool that fails.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import signal
import subprocess
import sys
from types import ModuleType

DONE, FAILED, INTERRUPTED = 0, 1, 130
PARSE = "--parse"
# What modules import of Debian's packages at their beginning. A test parses without any.
PACKAGES = ("brotli", "jinja2", "markupsafe", "rich")


class Absent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds of PACKAGES what nobody else has found: modules, all of whose names are classes that do nothing."""

    def find_spec(self, name: str, _path: object, _target: object = None) -> importlib.machinery.ModuleSpec | None:
        absent = name.partition(".")[0] in PACKAGES
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if absent else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        def nothing(name: str) -> type:
            if name.startswith("__"):
                raise AttributeError(name)
            return type(name, (), {"__init__": lambda self, *_args, **_named: None})

        module.__getattr__ = nothing  # type: ignore[method-assign]


def module_of(name: str) -> ModuleType:
    """A package's is its __main__."""
    spec = importlib.util.find_spec(name)
    return importlib.import_module(f"{name}.__main__" if spec and spec.submodule_search_locations else name)


def stop(_signal: int, _frame: object) -> None:
    """Once: what is cleared away then is not stopped too."""
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt


def told(name: str, error: Exception) -> int:
    if isinstance(error, OSError) and error.strerror:
        said = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    else:
        said = " ".join(str(error).split("\n"))
    print(f"{name}: {said}", file=sys.stderr)
    return FAILED


def run(name: str, module: str, argv: list[str]) -> int:
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, stop)
    try:
        from bench.measure.arguments import asked_table, be_another_cpu
        from lab.load import LoadError
        from lab.servers.nginx import ServerError

        if asked_table() and not any(word.startswith("--table") for word in argv):
            be_another_cpu(asked_table())
        try:
            return module_of(module).main(argv)
        except (OSError, ServerError, LoadError, subprocess.SubprocessError) as error:
            return told(name, error)
    except KeyboardInterrupt:
        print(f"{name}: stopped", file=sys.stderr)
        return INTERRUPTED


def main(argv: list[str]) -> int:
    parse = argv[0] == PARSE
    name, module, *rest = argv[parse:]
    if not parse:
        return run(name, module, rest)
    sys.meta_path.append(Absent())
    try:
        module_of(module).arguments(rest)
    except OSError as error:  # where the help was to go
        return told(name, error)
    return DONE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
