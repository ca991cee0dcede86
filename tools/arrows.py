# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Which file of a room calls which, found by the names that start with oct_: for tools/check-layers.

An arrow leads from a file to another one that defines what it uses. It runs back up if it leads to a room that stands
above its own: there is one order, and each arrow against it is one more thing that a reader has to keep in mind.
"""
import re
from pathlib import Path

from checklib import strip_comments

SHIM = "shim"
# The lowest first; "" is what lies in the folder itself.
ORDER = ("libssl", "handshake", "memory", "events", "quic", "keys", "savings", "")
MOST = 20
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


def room_of(path, top):
    inside = path.relative_to(top).parts
    return inside[0] if len(inside) > 1 else ""


def arrows(root):
    """(file, file, names) of each arrow in the shim, as paths."""
    top = Path(root) / SHIM
    texts = {path: strip_comments(path.read_text(encoding="utf-8"), keep_strings=False) for path in top.rglob("*.c")}
    home = {match.group(1): path for path, text in texts.items() for match in DEFINED.finditer(text)
            if is_definition(text, match)}
    for path, text in sorted(texts.items()):
        used = {}
        for name in set(re.findall(r"\boct_\w+", text)):
            if home.get(name, path) != path:
                used.setdefault(home[name], []).append(name)
        for other, names in sorted(used.items()):
            yield path, other, sorted(names)


def upward(root):
    """Those that run back up."""
    top = Path(root) / SHIM
    height = {room: at for at, room in enumerate(ORDER)}
    return [arrow for arrow in arrows(root) if height[room_of(arrow[0], top)] < height[room_of(arrow[1], top)]]


def findings(root):
    """What is wrong: (place, text) each."""
    top = Path(root) / SHIM
    rooms = {room_of(path, top) for path in top.rglob("*.c")} if top.is_dir() else set()
    unknown = sorted(rooms - set(ORDER))
    if unknown:
        return [(SHIM, f"{', '.join(unknown)}: no place in the order of tools/arrows.py")]
    up = upward(root)
    if len(up) <= MOST:
        return []
    return [(SHIM, f"{len(up)} arrows run back up, more than {MOST}")] + [
        (path.relative_to(root).as_posix(), f"uses {', '.join(names)} of {other.relative_to(root).as_posix()}")
        for path, other, names in up]
