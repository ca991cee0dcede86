# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Which file of a room calls which, found by the names that start with oct_: for tools/check-layers.

A prototype may stand in a header that a room may include, and its function in a room that it may not use. So the calls
in the shim are followed to the file that defines what they name.
"""
import re
from pathlib import Path

from checklib import strip_comments

SHIM = "shim"
DEFINED = re.compile(r"^(?!static\b|extern\b|typedef\b|#)[A-Za-z_][\w \*]*?[ \*](oct_\w+)\s*([(;=\[])", re.MULTILINE)


def is_definition(text, match):
    """Of a function the name is followed by its parameters and a body, of an object by its end or its value."""
    if match.group(2) != "(":
        return True
    depth, at = 1, match.end()
    while depth and at < len(text):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return text[at:].lstrip().startswith("{")


def arrows(root):
    """(file, file, names): what a file of the shim uses of another one's."""
    top = Path(root) / SHIM
    texts = {path: strip_comments(path.read_text(encoding="utf-8"), keep_strings=False) for path in top.rglob("*.[ch]")}
    home = {match.group(1): path for path, text in texts.items() if path.suffix == ".c"
            for match in DEFINED.finditer(text) if is_definition(text, match)}
    for path, text in sorted(texts.items()):
        own = set(re.findall(r"\b(oct_\w+)\([^;{}]*\);", text)) if path.suffix == ".h" else set()
        used = {}
        for name in set(re.findall(r"(?<!struct )\boct_\w+", text)) - own:
            if home.get(name, path) != path:
                used.setdefault(home[name], []).append(name)
        for other, names in sorted(used.items()):
            yield path, other, sorted(names)
