# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What servers do that a paused handshake bears least, each kind as a small piece of a plan.

A kind takes the words of a plan that has been drawn, changes them where they would not go together, and returns the
rules that it adds. It says None if this plan cannot have it.
"""

from __future__ import annotations

from collections.abc import Callable

from tests.servers.random.draw import Draw, Words, rule

CALLBACKS = ["hello", "servername", "alpn", "certificate", "verify", "keylog", "ticket", "unticket", "session", "info",
             "message", "padding", "security", "bio"]
BAD_CLIENTS = ["revoked", "expired", "stranger", "nobody"]
BY_NUMBER = ("fd", "two", "own", "buffer", "ssl", "door")  # BIOs that read the socket themselves
LEAVERS = ("drop", "victim", "clear")
NESTED = (":loop:", ":turn:", ":yield:")  # callbacks that call other connections


def threads(words: Words) -> int:
    return int(words.get("threads", "1"))


def processes(words: Words, rules: list[str]) -> bool:
    return "workers" in words or "fork" in words or any("fork" in one for one in rules)


def replace_guests(d: Draw, words: Words, percent: int, ways: list[str]) -> None:
    """Some of the plain ones."""
    for key in ("guests1", "guests2"):
        if key in words:
            words[key] = ",".join(d.choice(ways) if way == "plain" and d.often(percent) else way
                                  for way in words[key].split(","))


def never(words: Words, *ways: str) -> None:
    """Guests whose silence would hold up a thread that waits for them alone, or whose end is a matter of time."""
    for key in ("guests1", "guests2"):
        if key in words:
            words[key] = ",".join("plain" if way in ways else way for way in words[key].split(","))


def verifies(d: Draw, words: Words, rules: list[str]) -> list[str]:
    """Clients' certificates by a store, with lists of what has been revoked."""
    words["verify"] = d.one(store=2, crl=4, crls=2)
    if d.often(60):
        words["need"] = "1"
    words["guests-key"] = d.choice(["client-rsa2048", "client-rsa2048", "client-ecdsa-p256"])
    forged = ["forged"] * 2 if words["tls"] != "2" else []
    replace_guests(d, words, 40, BAD_CLIENTS + forged)
    return []


def inner(d: Draw, words: Words, rules: list[str]) -> list[str] | None:
    """BIO_f_ssl: libssl is called by libssl."""
    if processes(words, rules):
        return None
    words["bio"] = d.one(ssl=3, door=1)
    words["call"] = d.one(accept=1, read=1, write=1, careless=2, greets=3)
    words["end"] = d.choice(["free-close", "shutdown", "close-later"])
    words.pop("reuse", None)
    return verifies(d, words, rules) if d.often(60) else []


def careless(d: Draw, words: Words, rules: list[str]) -> list[str]:
    """Goes on whatever a call has come to."""
    words["call"] = d.one(careless=1, greets=1)
    return []


def spins(d: Draw, words: Words, rules: list[str]) -> list[str]:
    """Calls again at once until it is done."""
    never(words, "silent")
    if d.often(40):
        words["call"] = "read"
    mod = d.choice([1, 2, 3])
    return [rule("wait", "spin", mod, d.randrange(mod), d.choice([0, 0, 50, 500]), 1)]


def blocks(d: Draw, words: Words, rules: list[str]) -> list[str] | None:
    """A socket blocks for the next call, which may come at once."""
    if words["bio"] not in BY_NUMBER:
        return None
    never(words, "silent")
    words.pop("ticks", None)
    ways = [0, 1, 2, 3] + ([] if threads(words) > 1 else [4])
    mod = d.choice([1, 2, 3])
    rest = d.randrange(mod)
    more = [rule("wait", "block", mod, rest, d.choice(ways), d.choice([1, 2]))]
    return more + ([rule("wait", "spin", mod, rest, 0, 1)] if d.often(50) else [])


def swaps(d: Draw, words: Words, rules: list[str]) -> list[str] | None:
    """The context, its store, certificates, keys and BIOs are replaced between two calls."""
    whats = [0, 0, 3, 4]
    words["other"] = words["key"] if words.get("suites") == "rsa" else d.choice([words["key"], "rsa3072", "ecdsa-p256"])
    if threads(words) == 1:
        whats.append(2)
        if words.get("verify", "1") != "1" and not any(nested in one for one in rules for nested in NESTED):
            whats += [1] * 4
    if words["bio"] == "fd":
        whats.append(5)
    if "also" in words or "sni" in words:  # another certificate may be in use, and this one's key is no key of it
        whats = [what for what in whats if what in (0, 1, 5)]
    mod = d.choice([1, 2, 3])
    return [rule("wait", "swap", mod, d.randrange(mod), d.choice(whats), d.choice([1, 2, 3]))]


def copies(d: Draw, words: Words, rules: list[str]) -> list[str]:
    """SSL_dup(), whose copy ends at once or with the connection."""
    mod = d.choice([1, 2, 3])
    return [rule("wait", "copy", mod, d.randrange(mod), d.choice([0, 1]), d.choice([1, 2]))]


def quits(d: Draw, words: Words, rules: list[str]) -> list[str] | None:
    """Threads that end in the midst of handshakes; their connections are another's then."""
    if "share" in words or "host" in words or "co" in words or processes(words, rules):
        return None
    words["threads"] = str(max(2, threads(words)))
    words.setdefault("accept", d.choice(["each", "first"]))
    words["quits"] = str(d.randint(1, 8))
    words["quits-in"] = d.choice(["return", "end"])
    words["quits-from"] = d.choice(["begin", "callback", "wait"])
    return []


def asks(d: Draw, words: Words, rules: list[str]) -> list[str]:
    """Reads errno, flags of BIOs, errors and the error queue after each call."""
    words["asks"] = "1"
    return []


def resets(d: Draw, words: Words, rules: list[str]) -> list[str]:
    """Clients that reset anywhere, and servers that give a connection up as soon as they are told."""
    replace_guests(d, words, 50, ["aborts"])
    if words["loop"] == "epoll" and d.often(70):
        words["gone"] = "1"
        never(words, "half")
    if d.often(60):
        verifies(d, words, rules)
    return []


def sessions(d: Draw, words: Words, rules: list[str]) -> list[str]:
    """Sessions that the program holds, and a cache of its own: by identifier or by ticket."""
    if not processes(words, rules) and d.often(60):
        words["cache"] = "own"
        if d.often(60):
            words["tickets"] = "0"
        else:
            words.pop("tickets", None)
        words.setdefault("guests2", ",".join(["plain"] * d.randint(4, 12)))
        words["guests2"] = words["guests2"].replace("plain", "resumes")
    mod = d.choice([1, 2])
    return [rule("wait", "hold", mod, d.randrange(mod), 1, d.choice([1, 2]))]


def clears(d: Draw, words: Words, rules: list[str]) -> list[str]:
    """SSL_clear() and SSL_free() in the middle."""
    mod = d.choice([2, 3, 4])
    return [rule("wait", d.choice(["clear", "drop"]), mod, d.randrange(mod), 0, 1)]


def looks(d: Draw, words: Words, rules: list[str]) -> list[str]:
    """At the socket, between two calls."""
    mod = d.choice([1, 2, 3])
    return [rule("wait", "look", mod, d.randrange(mod), d.choice([0, 1, 2, 3]), d.choice([1, 2, 3]))]


def doors(d: Draw, words: Words, rules: list[str]) -> list[str]:
    """Other functions of libssl than the one that wants to read, at once."""
    if words["call"] == "early":  # it is not to be called behind others
        return None
    mod, door = d.choice([1, 2, 3]), d.choice([1, 2, 3, 4])
    if door == 3:  # the end of such a BIO writes
        if processes(words, rules):
            return None
        words["end"] = "free-close"
        words.pop("reuse", None)
    return [rule("wait", "door", mod, d.randrange(mod), door, d.choice([1, 2, 3]))]


def jumps(d: Draw, words: Words, rules: list[str]) -> list[str]:
    """A callback leaves libssl by longjmp()."""
    mod = d.choice([2, 3, 5])
    return [rule(d.choice(CALLBACKS), "jump", mod, d.randrange(mod), 0, d.choice([1, 2]))]


def late(d: Draw, words: Words, rules: list[str]) -> list[str] | None:
    """Memory that is fed only when libssl has asked for more, as Puma does. Only behind that is anything sent."""
    if any(":retry:" in one for one in rules):  # nothing comes that it could send behind
        return None
    words["bio"] = d.one(memory=2, pair=1)
    words["feed"] = "late"
    words.pop("memory", None)
    return []


def numbers(d: Draw, words: Words, rules: list[str]) -> list[str]:
    """Extra data of SSL objects by numbers that nobody has reserved."""
    words["numbers"] = d.choice("36")
    return []


def reads(d: Draw, words: Words, rules: list[str]) -> list[str] | None:
    """Its own reads of its sockets, by each function that there is."""
    if words["bio"] not in ("own", "memory", "pair"):
        return None
    words["reads"] = d.choice(["recvfrom", "recvmsg", "recvmmsg", "read", "readv"])
    return []


def reaches(d: Draw, words: Words, rules: list[str]) -> list[str]:
    """libssl comes with a plug-in, or each of its functions from dlsym()."""
    words["libssl"] = d.one(plugin=1, handle=2, version=1, default=1)
    return []


def parts(d: Draw, words: Words, rules: list[str]) -> list[str] | None:
    """Threads with tables of descriptors of their own, and calls that give one to who has it already."""
    if threads(words) > 1:
        if "share" in words or "quits" in words or any(":move:" in one for one in rules):
            return None
        words["accept"] = "each"
        words["unshare"] = d.choice(["all", "others"])
        if words["end"] in ("close-later", "mix"):  # another thread would close its number
            words["end"] = d.choice(["free-close", "close-free", "free-later"])
    mod = d.choice([1, 2, 3])
    return [rule("wait", "unshare", mod, d.randrange(mod), d.choice([0, 1]), 1)] if d.often(50) else []


def selves(d: Draw, words: Words, rules: list[str]) -> list[str] | None:
    """A callback goes on with its own connection, if that seems idle: its call is run to its end by somebody else."""
    if any(":swap:" in one for one in rules):  # the object would be changed in the middle of libssl
        return None
    mod = d.choice([1, 2])
    return [rule(d.choice(CALLBACKS), "self", mod, d.randrange(mod), 0, d.choice([1, 2, 3]))]


def takes(d: Draw, words: Words, rules: list[str]) -> list[str] | None:
    """It takes a socket out of its instance for each call, as servers do whose events are for once."""
    if words.get("mode") not in ("level", "et") or "share" in words or \
            any(way in one for one in rules for way in (":dup", ":unshare:", ":hold:", ":drop:")):
        return None  # who has no socket in the instance cannot take it out
    words["takes"] = "1"
    return []


# Of a hundred plans, how many have it. Those that replace words of others come first.
KINDS: dict[str, tuple[int, Callable[[Draw, Words, list[str]], list[str] | None]]] = {
    "inner": (6, inner), "late": (4, late), "careless": (6, careless), "verifies": (12, verifies),
    "sessions": (8, sessions), "quits": (8, quits), "resets": (10, resets), "spins": (8, spins), "blocks": (8, blocks),
    "swaps": (10, swaps), "copies": (8, copies), "clears": (6, clears), "looks": (10, looks), "doors": (8, doors),
    "jumps": (5, jumps), "asks": (15, asks), "numbers": (5, numbers), "reads": (70, reads), "reaches": (20, reaches),
    "parts": (25, parts), "selves": (8, selves), "takes": (10, takes)}


def add(d: Draw, words: Words, rules: list[str], wanted: str = "") -> list[str]:
    """The rules of a plan with some kinds more. `wanted` is one of them, if the plan can have it."""
    for name, (percent, kind) in KINDS.items():
        if d.often(percent) or name == wanted:
            rules = rules + (kind(d, words, rules) or [])
    return sorted(rules, key=lambda one: one.split(":")[1] not in LEAVERS)  # whoever waits first
