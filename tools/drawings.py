# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What the pictures of the documents show, and which code they are held against: see check-pictures."""
import re

from checklib import strip_comments
from svg import WIDTH, Picture

# ---- A handshake's way -------------------------------------------------------------------------------------------

SERVER, SHIM, QUEUE = 52, 176, 306
# What the picture names, and where it has to be.
NAMED = (("SSL_do_handshake", "shim/ssl.c"), ("oct_queue_poll", "shim/events/events.c"),
         ("epoll_wait", "shim/events/epoll.c"),
         ('"TWSCV"', "shim/handshake/points.c"), ("OCT_DO_RESUME", "shim/handshake/handshake.c"),
         ("OCT_DO_SAY_WAIT", "shim/handshake/handshake.c"))


def message(picture, y, start, end, text):
    """An arrow from one life line to another, with words above it."""
    side = 1 if end > start else -1
    picture.words((start + end) / 2, y - 5, text, anchor="middle")
    picture.arrow((start + 4 * side, y), (end - 4 * side, y))
    return y + 25


def lanes(picture, y, filled):
    for lane in range(8):
        x = QUEUE - 44 + 11 * lane
        picture.rect(x, y, 11, 20, "strong" if lane < len(filled) else "empty")
        picture.words(x + 5.5, y + 14, filled[lane] if lane < len(filled) else "", anchor="middle")


def way(root, report):
    for name, file in NAMED:
        path = root / file
        if not path.is_file() or name not in path.read_text(encoding="utf-8"):
            report.add(file, f"has no {name}, of which the picture of a handshake's way speaks")
    title = "A handshake's way: three handshakes pause, share one batch of lanes, and go on"
    picture = Picture(title, "the shim's code")
    for x, width, text in ((SERVER, 92, "server\nunmodified"), (SHIM, 124, "shim, libssl\nand provider"),
                           (QUEUE, 92, "queue\nof the thread")):
        picture.box(x - width / 2, 10, width, text)
    lines = len(picture.parts)
    y = message(picture, 76, SHIM, SERVER, "three events")
    for name in "ABC":
        y = message(picture, y, SERVER, SHIM, f"handshake {name}")
        picture.box(SHIM - 17, y - 21, 34, name, "strong", 21)
        y = message(picture, y + 5, SHIM + 15, QUEUE, f"signature {name}")
        y = message(picture, y - 5, SHIM, SERVER, f"{name}: want read")
    y = message(picture, y + 6, SERVER, SHIM, "epoll_wait")
    picture.words(SHIM + 6, y - 9, "it would sleep,", "quiet")
    y = message(picture, y + 21, SHIM, QUEUE, "so run it")
    lanes(picture, y - 13, "ABC")
    picture.words(QUEUE - 54, y + 2, "one batch", "quiet", anchor="end")
    y = message(picture, y + 32, QUEUE, SHIM, "three results")
    y = message(picture, y - 7, SHIM, SERVER, "three events")
    for name in "ABC":
        y = message(picture, y, SERVER, SHIM, f"handshake {name}")
        picture.box(SHIM - 17, y - 21, 34, name, "strong", 21)
        picture.words(SHIM + 24, y - 6, "goes on", "quiet")
        y += 16
    for x in (SERVER, SHIM, QUEUE):
        picture.parts.insert(lines, f'<line x1="{x}" y1="49" x2="{x}" y2="{y:g}" class="panel"/>')
    picture.bottom = y
    return picture


# ---- The rooms ---------------------------------------------------------------------------------------------------

PANELS = (("shim", "shim: liboctuple-async.so, preloaded"), ("provider", "provider: octuple.so"),
          ("src", "src: liboctuple.so"), ("cli", "cli: the command octuple"))


def used_rooms(rooms):
    """room -> the rooms that it uses, of some perhaps one header alone; public headers count as none."""
    def home(name):
        return max((room for room in rooms if name == room or name.startswith(room + "/")), key=len)
    return {room: {home(name) for name in rules.uses} - {room} for room, rules in rooms.items()}


def nearest(uses):
    """The same without what is used by way of another room too."""
    def below(room):
        return uses[room].union(*(below(other) for other in uses[room]))
    return {room: {one for one in of if not any(one in below(other) for other in of - {one})}
            for room, of in uses.items()}


def shown(room):
    folder, _, rest = room.partition("/")
    return "a folder for each family" if rest == "*" else rest or f"{folder}/"


def levels(members, uses):
    """Lists of rooms: the first use those behind. Rooms that use and serve the same ones are one box."""
    depth = {}

    def depth_of(room):
        if room not in depth:
            depth[room] = 1 + max((depth_of(other) for other in uses[room] if other in members), default=-1)
        return depth[room]
    alike = {}
    for room in members:
        users = frozenset(other for other in members if room in uses[other])
        alike.setdefault((depth_of(room), frozenset(uses[room]), users), []).append(room)
    found = [[] for _ in range(1 + max(depth.values()))]
    for (level, *_), group in alike.items():
        found[level].append(group)
    return found[::-1]


def panel(picture, y, title, members, uses):
    """The rooms of one folder, those that use others above these."""
    top, places, under = y, {}, len(picture.parts)
    picture.words(16, y + 17, title, "bold")
    y += 28
    near = nearest(uses)
    for level in levels(members, uses):
        width = (WIDTH - 32 - 10 * (len(level) - 1)) / len(level)
        width = min(width, 210)
        x, height = (WIDTH - width * len(level) - 10 * (len(level) - 1)) / 2, 0
        for group in level:
            tall = picture.box(x, y, width, ", ".join(map(shown, group)), "strong" if len(group) == 1 else "box")
            places.update({room: (x + width / 2, y, tall) for room in group})
            x, height = x + width + 10, max(height, tall)
        y += height + 24
    drawn = set()
    for room in members:
        for other in (one for one in members if one in near[room]):
            (ax, ay, tall), (bx, by, _) = places[room], places[other]
            if (ax, ay, bx, by) not in drawn:
                drawn.add((ax, ay, bx, by))
                picture.arrow((ax, ay + tall), (bx, by))
                picture.parts.insert(under, picture.parts.pop(-2))  # a line passes behind boxes
    outside = sorted({other for room in members for other in uses[room]} - set(members))
    y -= 16
    if outside:
        y = picture.block(16, y + 11, "uses also " + ", ".join(outside), WIDTH - 40, "quiet") - 4
    picture.rect(8, top, WIDTH - 16, y - top, "panel")
    return y


def rooms(table):
    picture = Picture("The rooms: which library has which folder, and which folder uses which", "ROOMS")
    uses = used_rooms(table)
    picture.box(WIDTH / 2 - 80, 10, 160, "server, unmodified", "empty")
    y = 34
    for folder, title in PANELS:
        members = [room for room in table if room.split("/")[0] == folder]
        if folder == "provider":
            picture.arrow((WIDTH / 2, y), (WIDTH / 2, y + 18))
            picture.box(WIDTH / 2 - 80, y + 18, 160, "libssl, stock", "empty")
            y += 42
        if folder != "cli":
            picture.arrow((WIDTH / 2, y), (WIDTH / 2, y + 18))
        y = panel(picture, y + 18, title, members, uses)
    return picture


# ---- The life of a paused connection -----------------------------------------------------------------------------

STATES = "shim/handshake/states.c"
# State: its place, and what it means.
PLACED = {"RUNNING": (22, 12, "in handshake"), "LEFT": (236, 12, "never pauses"),
          "PAUSED": (22, 118, "in the queue"), "READY": (22, 268, "has its result"),
          "ENDING": (236, 193, "run to its end"), "ENDED": (236, 310, "result is kept")}
WIDE, TALL = 100, 40
RIGHT = 22 + WIDE
# Ways that are drawn: from, to, what happens (OCT_ON_...), points, words, and where these stand.
DRAWN = (
    ("RUNNING", "PAUSED", "PAUSE", ((72, 52), (72, 118)), "comes to a point", (80, 90)),
    ("RUNNING", "LEFT", "STAYS ABANDON", ((RIGHT, 32), (236, 32)), "is not to pause", (128, 25)),
    ("PAUSED", "READY", "TOLD", ((72, 158), (72, 268)), "its batch", (80, 206)),
    ("READY", "RUNNING", "CALL GO_ON", ((22, 288), (9, 288), (9, 32), (22, 32)), "its call resumes it", (22, 324)),
    ("PAUSED", "ENDING", "CALL_AWRY LOOK ASKED LOOK_CLOSED FREE CLEAR", ((RIGHT, 142), (236, 203)),
     "somebody looks,", (134, 134)),
    ("READY", "ENDING", "CALL_AWRY LOOK ASKED LOOK_CLOSED FREE CLEAR UNHEARD CUT_OFF MOVED", ((RIGHT, 284), (236, 223)),
     "or nobody comes", (134, 296)),
    ("ENDING", "LEFT", "END_READ", ((296, 193), (296, 52)), "wants to read", (206, 100)),
    ("ENDING", "ENDED", "END", ((296, 233), (296, 310)), "has a result", (216, 278)),
    ("ENDED", "LEFT", "CALL", ((336, 330), (349, 330), (349, 32), (336, 32)), "the next call gets it", (222, 366)),
)
# The others: words, from, to, what happens.
ALSO = (
    ("its child after a fork", "PAUSED READY", "INHERITED", "FORKED"),
    ("its own call there", "INHERITED", "RUNNING", "CALL GO_ON"),
    ("is forced there", "INHERITED", "ENDING", "CALL_AWRY ASKED LOOK_CLOSED FREE CLEAR"),
    ("its device does not answer", "PAUSED", "LOST", "SILENT"),
    ("is given up", "LOST", "ENDING", "LOOK_CLOSED FREE CLEAR"),
    ("freed, and a device is at work", "PAUSED READY INHERITED LOST", "LINGERING", "LINGER"),
    ("the device has answered", "LINGERING", "ENDING", "FREE"),
    ("its thread has ended", "PAUSED READY INHERITED LOST ENDING", "STRANDED", "ABANDON"),
    ("no memory to go on", "ENDING", "READY", "STUCK"),
    ("was cancelled, and is cleared", "ENDING", "RUNNING", "CANCELLED"),
    ("has a result without a pause", "RUNNING", "ENDED", "END"),
    ("waits in another thread", "ENDED", "ENDING", "MOVED"),
)
# A state that the pictures show as another one: the same, but that its call goes on behind the result.
SAME = {"ENDED_AMID": "ENDED"}
SAME_EVENT = {"END_AMID": "END"}


def ways(text):
    """(from, to) -> what leads there, of the table in states.c."""
    code = strip_comments(text).replace("\\\n", " ")
    macros = dict(re.findall(r"^#define (\w+)(?:\(\w+\))?[ \t]+((?:ON|NO_PROMISE|CAN_).*)$", code, re.MULTILINE))
    table = code[code.index("oct_steps[OCT_CONN_STATES]"):]
    found = {}
    for state, row in re.findall(r"STATE\((\w+),(.*?)\)\s*(?=STATE\(|\};)", table, re.DOTALL):
        while True:
            wider = re.sub(r"\b(\w+)(?:\(\w+\))?", lambda m: macros.get(m[1], m[0]), row)
            if wider == row:
                break
            row = wider
        for event, to in re.findall(r"ON\((\w+), TO\(\w+, (\w+)\)\)", row):
            one = SAME.get(state, state), SAME.get(to, to)
            found.setdefault(one, set()).add(SAME_EVENT.get(event, event))
    return found


def hold_ways(root, report):
    path = root / STATES
    real = ways(path.read_text(encoding="utf-8")) if path.is_file() else {}
    told = {}
    for start, to, events, *_ in DRAWN:
        told.setdefault((start, to), set()).update(events.split())
    for _, starts, to, events in ALSO:
        for start in starts.split():
            told.setdefault((start, to), set()).update(events.split())
    for start, to in sorted(real.keys() | told.keys()):
        there, here = real.get((start, to), set()), told.get((start, to), set())
        if there != here:
            report.add(STATES, f"from {start} to {to} lead {', '.join(sorted(there)) or 'no events'}; "
                               f"tools/drawings.py has {', '.join(sorted(here)) or 'none'}")


def states(root, report):
    hold_ways(root, report)
    picture = Picture("The life of a paused connection: states, and what leads from one to another", STATES)
    for _, _, _, points, text, (x, y) in DRAWN:
        picture.arrow(*points)
        picture.words(x, y, text)
    for name, (x, y, text) in PLACED.items():
        picture.box(x, y, WIDE, f"{name}\n{text}", "strong" if name in ("PAUSED", "READY") else "box", TALL)
    y = 402
    picture.words(10, y, "Rarer ways", "bold")
    for text, starts, to, _ in ALSO:
        y = picture.block(10, y + 19, f"{starts.replace(' ', ', ')} → {to}", 0.8 * WIDTH)
        picture.words(24, y, text, "quiet")
    picture.bottom = y + 6
    return picture


# ---- What decides ------------------------------------------------------------------------------------------------

TASK = "provider/async/task.c"
# A condition of decide() in its order, the question in words, and what "yes" means.
QUESTIONS = (
    ("task->op >= 0 && !task->lanes_only && oct_aside_take()", "ASIDE",
     "Is this a child that was just forked, with one handshake?", "OpenSSL's code"),
    ("pausable && oct_thread_is_draining()", "GIVE_UP",
     "May it pause, and its connection is being given up?", "fails"),
    ("task->op < 0", "FALLBACK", "Is its kind or size one that no lanes serve?", "OpenSSL's code"),
    ("pausable && oct_queue_thread() != NULL && !is_alone(oct_queue_thread(), task, at) && !is_cheap(task, at)",
     "PAUSE",
     "May it pause, with others in flight, and is it worth that?", "pauses, and runs in lanes"),
    ("!has_lanes(task)", "FALLBACK", "Has its key nothing for lanes?", "OpenSSL's code"),
    ("!pausable && may_block(task)", "TOGETHER",
     "May it block, with other threads beside it?", "meets theirs in lanes"),
    ("may_be_alone(task)", "LANES", "May a vector for one pay?", "lanes, if measured so"),
)
LAST = "FALLBACK"


def conditions(text):
    """(condition, outcome) of decide(), in their order; the last has both outcomes of a `?:`."""
    body = re.search(r"^static enum way decide\(.*?^\}", strip_comments(text), re.DOTALL | re.MULTILINE)
    body = re.sub(r"\s+", " ", body[0]) if body else ""
    found = re.findall(r"if \((.*?)\) return (\w+);", body)
    return found + re.findall(r"return (\w+\(\w+\)) \? (\w+ : \w+);", body)


def decides(root, report):
    path = root / TASK
    real = conditions(path.read_text(encoding="utf-8")) if path.is_file() else []
    told = [(code, outcome) for code, outcome, *_ in QUESTIONS[:-1]]
    told.append((QUESTIONS[-1][0], f"{QUESTIONS[-1][1]} : {LAST}"))
    if real != told:
        report.add(TASK, f"decide() is not what tools/drawings.py says: {[one for one in real if one not in told]} "
                         f"against {[one for one in told if one not in real]}")
    picture = Picture("What decides: the questions of decide(), in their order", f"decide() in {TASK}")
    picture.box(10, 10, 200, "An operation comes", "empty")
    y = 34
    for number, (_, outcome, question, answer) in enumerate(QUESTIONS):
        picture.arrow((110, y), (110, y + 20))
        if number:
            picture.words(117, y + 14, "no", "quiet")
        y += 20
        tall = picture.box(10, y, 200, question, height=39)
        picture.arrow((210, y + tall / 2), (240, y + tall / 2))
        picture.words(213, y + tall / 2 - 5, "yes", "quiet")
        kind = "strong" if outcome in ("PAUSE", "TOGETHER", "LANES") else "box"
        picture.box(240, y, 108, answer, kind, tall)
        y += tall
    picture.arrow((110, y), (110, y + 20))
    picture.words(117, y + 14, "no", "quiet")
    picture.box(10, y + 20, 200, "OpenSSL's code", "box")
    return picture
