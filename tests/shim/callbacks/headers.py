# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Which functions and macros of OpenSSL's installed headers take a callback, read from the headers themselves."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

# What a program that has TLS connections passes callbacks to; a release without one of them has it elsewhere.
HEADERS = ("ssl.h", "tls1.h", "ssl3.h", "dtls1.h", "srtp.h", "quic.h", "ech.h", "x509_vfy.h", "x509.h", "bio.h",
           "async.h", "crypto.h", "ct.h")
NO_TYPES = {"STACK_OF", "LHASH_OF", "ASN1_ITEM_EXP", "int", "long", "void", "char", "unsigned", "type"}
# What only hands out the callback that was set; an index for extra data is made, not looked up.
GETTER = re.compile(r"(?<!_set)_get\d?_(?!ex_new_index)")
# Lists of a type are no business of a connection's, and have functions for every type.
LISTS = re.compile(r"(sk|lh|SKM|OPENSSL_sk|OPENSSL_lh|OPENSSL_LH)_")


def folders(compiler: str = "cc") -> list[Path]:
    """Where the compiler looks for <openssl/...>; Debian has some of these headers in a folder for the architecture."""
    done = subprocess.run([compiler, "-E", "-v", "-xc", "/dev/null"], capture_output=True, text=True, check=True)
    listed = re.search(r"#include <\.\.\.>.*?\n(.*?)End of search", done.stderr, re.S)
    assert listed, done.stderr
    return [Path(line.strip()) / "openssl" for line in listed.group(1).splitlines()]


def plain_text(path: Path) -> str:
    """Without comments and continued lines."""
    text = path.read_text(encoding="utf-8", errors="replace").replace("\\\n", " ")
    return re.sub(r"/\*.*?\*/", " ", text, flags=re.S)


def function_types(text: str) -> set[str]:
    """typedef R (*NAME)(...) and typedef R NAME(...)."""
    statements = re.findall(r"\btypedef\b([^;{}]*);", text)
    found = set()
    for statement in statements:
        match = (re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", statement)
                 or re.match(r"(?:\s*(?:const|unsigned|struct)\b)*\s*\w+[\s*]+(\w+)\s*\(", statement))
        if match and match.group(1) not in NO_TYPES:
            found.add(match.group(1))
    return found


def declarations(text: str) -> dict[str, str]:
    """Name and arguments of each declared function. What returns a pointer to a function has its name inside of that
    pointer's declarator, and its own arguments behind it."""
    code = re.sub(r"^[ \t]*#.*$", "", text, flags=re.M)
    found = {}
    for statement in re.split(r"[;{}]", code):
        if "typedef" in statement:
            continue
        for match in re.finditer(r"\b([A-Za-z_]\w*)\s*\(", statement):
            name = match.group(1)
            if not re.match(r"(SSL|TLS|DTLS|X509|BIO|ASYNC|CRYPTO|OSSL|OPENSSL|SRP|CT|SCT|CTLOG)\w*_\w", name):
                continue
            if name.isupper() or name.startswith(("OSSL_DEPRECATED", "OPENSSL_DEPRECATED")):
                continue
            found.setdefault(name, enclosed(statement, match.end()))
            break
    return found


def enclosed(text: str, start: int) -> str:
    """From behind an opening parenthesis to its closing one."""
    depth = 1
    for end in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        if depth == 0:
            return text[start:end]
    return text[start:]


def macros(text: str) -> dict[str, tuple[str, str]]:
    """Name, parameters and body of each macro with parameters."""
    pattern = r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(([^)]*)\)([^\n]*)"
    return {name: (parameters, body) for name, parameters, body in re.findall(pattern, text, flags=re.M)}


def takes_callback(arguments: str, types: set[str]) -> bool:
    return bool(re.search(r"\(\s*\*\s*\w*\s*\)\s*\(", arguments)) or any(
        re.search(rf"\b{name}\b(?!\s*\()", arguments) for name in types if name in arguments)


def macro_takes_callback(parameters: str, body: str) -> bool:
    """By what it hands on, or by the name of a parameter: a macro has no types."""
    return "callback_ctrl" in body or "ex_new_index" in body or any(
        re.fullmatch(r"cb|.*_cb|cb_\w+|.*callback.*|.*func|newf|dupf|freef", name.strip())
        for name in parameters.split(","))


def in_headers(where: list[Path]) -> dict[str, str]:
    """Each that takes a callback, and the header that has it."""
    every = {path.name: path for place in reversed(where) if place.is_dir() for path in place.glob("*.h")}
    types = set().union(*(function_types(plain_text(path)) for path in every.values()))
    found: dict[str, str] = {}
    for header in (name for name in HEADERS if name in every):
        text = plain_text(every[header])
        for name, arguments in declarations(text).items():
            if takes_callback(arguments, types) and not GETTER.search(name):
                found[name] = header
        for name, (parameters, body) in macros(text).items():
            if not LISTS.match(name) and not GETTER.search(name) and macro_takes_callback(parameters, body):
                found[name] = header
    return found


if __name__ == "__main__":
    for callback, header in in_headers(folders()).items():
        print(f"{header} {callback}")
