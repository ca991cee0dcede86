# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Plans of servers made at random: a seed becomes words, which the server (random/server.h) and its guests follow.

Words that begin with `guests` are the guests' own: `guests1=plain,slow,...` come first, `guests2=...` after them.
"""

from __future__ import annotations

from pathlib import Path

from tests.servers.random import kinds
from tests.servers.random.draw import Draw, rule
from tests.servers.random.kinds import CALLBACKS

SECOND = 100  # the number of the first guest that comes second

REFUSERS = ["hello", "servername", "alpn", "certificate", "verify", "ticket"]
RETRIERS = ["hello", "certificate"]
WAYS = ["plain"] * 12 + ["slow", "slow", "reset", "half", "silent", "garbage", "cut", "leaves", "split"]


def _loop(d: Draw) -> dict[str, str]:
    words = {"loop": d.one(epoll=12, nested_epoll=2, nested_poll=1, nested_select=1, poll=2, ppoll=1, select=2,
                           pselect=1)}
    if words["loop"].startswith(("epoll", "nested")):
        words["mode"] = d.one(level=5, et=5, oneshot=1, exclusive=1)
        words["wait"] = d.choice(["epoll_wait", "epoll_wait", "epoll_pwait", "epoll_pwait2"])
        if words["loop"].startswith("nested") and d.often(30):
            words["outer"] = "et"
        if words["mode"] == "et" and d.often(30):
            words["out"] = "1"
        if words["mode"] in ("et", "level") and d.often(30):
            words["rdhup"] = "1"
    if d.often(30):
        words["timeout"] = d.choice(["5", "50", "1"])
    if d.often(20):
        words["batch"] = d.choice(["1", "3", "8"])
    for word, percent in (("reverse", 20), ("eager", 30)):
        if d.often(percent):
            words[word] = "1"
    if d.often(20):
        words["multi"] = "0"
    return words


def _arrangement(d: Draw, loop: dict[str, str]) -> dict[str, str]:
    kind = d.one(one=11, each=2, first=3, shared=1, workers=2, fork=1, host=1)
    if kind == "shared" and loop["loop"] == "epoll" and loop["mode"] in ("level", "oneshot"):
        return {"threads": d.choice("23"), "share": "1", "mode": "oneshot"}
    if kind in ("each", "first"):
        return {"threads": d.choice("223"), "accept": kind}
    if kind == "workers":
        return {"workers": d.choice("123")}
    return {kind: "1"} if kind in ("fork", "host") else {}


def _tls(d: Draw) -> dict[str, str]:
    words = {"key": d.choice(["rsa2048"] * 6 + ["ecdsa-p256"] * 3 + ["rsa3072", "ed25519"])}
    words["tls"] = d.one(both=5, **{"3": 2, "2": 2})
    if d.often(20):
        words["sni"] = "1"
        words["second"] = d.choice(["rsa2048", "ecdsa-p256"])
    if words["key"] == "rsa2048":
        if words["tls"] == "2" and d.often(30):
            words["suites"] = "rsa"
            words.pop("sni", None)
        elif d.often(15):
            words["also"] = "ecdsa-p256"
    for word, percent in (("ticketkey", 15), ("verify", 15), ("ahead", 10), ("release", 10)):
        if d.often(percent):
            words[word] = "1"
    return words


def _connection(d: Draw) -> dict[str, str]:
    words = {"call": d.one(accept=5, do=4, read=2, write=1, peek=1, early=1, mix=2),
             "bio": d.one(fd=10, two=1, own=2, buffer=1, memory=1, pair=1),
             "end": d.choice(["free-close", "close-free", "free-later", "close-later", "shutdown", "mix"])}
    if d.often(20):
        words["gate"] = d.choice(["peek", "recvfrom", "fionread"])
    if d.often(15) and words["call"] != "early":  # SSL_clear() does not forget that there was none
        words["reuse"] = "1"
    if d.often(15):
        words["reload"] = str(d.choice([3, 5, SECOND + 3]))
    elif d.often(15) and "workers" not in words:
        words["tickets"] = "0"
    if d.often(10):
        words["leak"] = "1"
    return words


def _callback_acts(d: Draw, words: dict[str, str]) -> list[str]:
    acts = ["none", "deep", "deep", "wide", "alloc", "client", "signal", "altsignal", "sigclient", "thread", "jump",
            "sign", "round", "observe", "sleep", "error", "errno"]
    if "share" not in words:
        acts += ["loop", "loop", "turn", "turn"]
    if int(words.get("threads", "1")) == 1:
        acts += ["fork"]
    if "co" in words or "host" in words:
        acts += ["yield"] * 4
    return acts


AMOUNTS = {"deep": [1, 30, 200, 2000], "wide": [1, 60, 600, 3000], "alloc": [1, 10, 100], "signal": [1, 30, 500],
           "altsignal": [1, 30], "loop": [0, 0, 1], "thread": [10, 500], "sleep": [100, 1000], "park": [1, 3, 8],
           "victim": [0, 1]}


def _rules(d: Draw, words: dict[str, str]) -> list[str]:
    rules, acts = [], _callback_acts(d, words)
    for _ in range(d.choice([0, 1, 1, 2, 3])):
        point = d.choice(CALLBACKS)
        here = acts + (["refuse"] if point in REFUSERS else []) + (["retry"] * 3 if point in RETRIERS else [])
        act = d.choice(here)
        times = d.choice([1, 2, 3]) if point in ("security", "bio", "padding", "info", "message") or act == "retry" \
            else d.choice([0, 1])
        if act in ("client", "sigclient", "fork", "thread", "sign", "sleep", "loop"):
            times = times or 1
        mod = d.choice([1, 2, 3, 4]) if act not in ("jump", "refuse") else d.choice([2, 3, 5])
        rules.append(rule(point, act, mod, d.randrange(mod), d.choice(AMOUNTS.get(act, [0])), times))
    return rules


def _waits(d: Draw, words: dict[str, str]) -> list[str]:
    acts = ["drop", "observe", "deep", "alloc", "client", "signal", "sigclient", "rearm", "sign"]
    if "share" not in words:
        acts += ["dup", "dup2", "dup3", "dupfd", "ctl", "ctl", "park", "park", "loop", "turn", "victim", "victim"]
    if words.get("threads") == "2" and "share" not in words:
        acts += ["move"] * 12
    if int(words.get("threads", "1")) == 1:
        acts += ["fork"]
        if "co" not in words and "host" not in words:
            acts += ["forkserve"]
    rules = []
    for _ in range(d.choice([0, 0, 1, 1, 2])):
        act = d.choice(acts)
        mod = d.choice([3, 4, 5]) if act in ("drop", "victim", "fork", "forkserve") else d.choice([1, 2, 3])
        times = 1 if act in ("drop", "victim", "fork", "forkserve", "client", "sigclient") else d.choice([1, 2, 3])
        rules.append(rule("wait", act, mod, d.randrange(mod), d.choice(AMOUNTS.get(act, [0])), times))
        if act == "victim":
            point = d.choice(["servername", "alpn", "hello", "certificate", "wait", "message"])
            rules.append(rule(point, "free", d.choice([1, 2]), 0, 0, 2))
    return rules


def _guests(d: Draw) -> dict[str, str]:
    strict = d.often(60)  # no rough ones
    words = {}
    for number in ("1", "2")[:d.choice([1, 2])]:
        ways = ["plain"] if strict else WAYS
        words[f"guests{number}"] = ",".join(d.choice(ways) for _ in range(d.randint(4, 18)))
    if "guests2" in words and d.often(50):
        words["guests2"] = words["guests2"].replace("plain", "resumes")
    return words


def _leave_nothing_unsaid(words: dict[str, str]) -> None:
    """One thread may end the call of a connection that another has. If it has read all that there was, the socket says
    nothing to the other's loop (docs/limits.md). Here the client always has more to say."""
    for word in ("gate", "ahead"):
        words.pop(word, None)
    if words["call"] == "write":
        words["call"] = "accept"
    for word in ("guests1", "guests2"):
        if word in words:
            words[word] = words[word].replace("half", "plain")


def plan(seed: int, kind: str = "") -> list[str]:
    """`kind`: one of kinds.py that it has, if it can."""
    d = Draw(seed)
    words = {"seed": str(seed)} | _loop(d)
    words |= _arrangement(d, words)
    words |= _tls(d) | _connection(d)
    if "share" not in words and "fork" not in words and d.often(15):
        words["co"] = d.choice(["1:0", "2:0", "3:1"])
    if d.often(10):
        words["ticks"] = d.choice(["500", "2000"])
        words["restart"] = d.choice("01")
    if "workers" in words or "fork" in words:
        words.pop("tickets", None)
    if "verify" in words or d.often(20):
        words["guests-key"] = "client-ecdsa-p256"
    words |= _guests(d)
    rules = kinds.add(Draw(f"kinds of {seed}"), words, _rules(d, words) + _waits(d, words), kind)
    _go_together(d, words, rules)
    return [f"{key}={value}" for key, value in words.items()] + rules


def _go_together(d: Draw, words: dict[str, str], rules: list[str]) -> None:
    if "quits" in words or any(":move:" in one for one in rules):
        _leave_nothing_unsaid(words)
    if any(word in words for word in ("workers", "fork")) or any("fork" in one for one in rules):
        words.pop("ticks", None)  # a fork() that takes longer than a tick never ends
    # A session lives until its connection has ended: a matter of time.
    if "tickets" in words and "cache" not in words and "guests2" in words:
        words["guests2"] = words["guests2"].replace("resumes", "plain")
    if words["bio"] == "memory" and words["loop"] == "epoll" and words["mode"] != "oneshot" and "feed" not in words \
            and not any(":dup" in one for one in rules) and d.often(60):
        words["memory"] = "on"


def text(words: list[str], key: str, otherwise: str = "") -> str:
    for word in words:
        if word.startswith(f"{key}="):
            return word[len(key) + 1:]
    return otherwise


def ways(words: list[str], key: str) -> list[str]:
    """How each guest of a crowd behaves: `plain*3,slow` are four."""
    parts = [part.split("*") for part in text(words, key).split(",") if part]
    return [way for way, *count in parts for _ in range(int(count[0]) if count else 1)]


def leaves(words: list[str], number: int) -> bool:
    """The server leaves this guest between two calls: how many calls there were before is a matter of time."""
    rules = [word.split(":") for word in words if word.startswith("at=wait:")]
    return any(act in kinds.LEAVERS and number % int(mod) == int(rest) for _, act, mod, rest, _, _ in rules)


def kept() -> list[list[str]]:
    """Those that have shown a fault once: blocks of lines, the first of which says why."""
    blocks = (Path(__file__).parent / "kept").read_text().split("\n\n")[1:]
    return [" ".join(line for line in block.splitlines() if not line.startswith("#")).split() for block in blocks]
