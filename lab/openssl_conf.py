# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""openssl.cnf with providers and engines: the one text of it that measurements and tests have."""

from __future__ import annotations

from pathlib import Path


def text(providers: dict[str, str | Path], *, default: bool = True, properties: str = "", engine: str = "") -> str:
    """These providers, each with the lines of its section, or with its module alone, which is activated. `default` is
    one of them, and activated, unless it must not be. And an engine, with the lines of its section."""
    found = {"default": "activate = 1"} if default else {}
    for name, lines in providers.items():
        found[name] = f"module = {lines}\nactivate = 1" if isinstance(lines, Path) else lines
    init, parts = [], {}
    if found:
        init.append("providers = providers")
        parts["providers"] = "\n".join(f"{name} = {name}_section" for name in found)
        parts |= {f"{name}_section": lines for name, lines in found.items()}
    if properties:
        init.append("alg_section = algorithms")
        parts["algorithms"] = f"default_properties = {properties}"
    if engine:
        init.append("engines = engines")
        parts |= {"engines": "device = engine_section", "engine_section": engine}
    parts = {"init": "\n".join(init)} | parts
    return "openssl_conf = init\n" + "".join(f"[{name}]\n{lines}\n" for name, lines in parts.items())


def engine(name: str, path: Path | str, *more: str) -> str:
    """The lines of an engine's section."""
    return "\n".join((f"engine_id = {name}", f"dynamic_path = {path}", *more))


def served(provider: Path) -> str:
    """Octuple by a configuration, for what has no shim."""
    return text({"octuple": provider}, properties="?octuple.serves=yes")
