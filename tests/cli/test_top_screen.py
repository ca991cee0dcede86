# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
# ctest: NOT_WITH address LONG
"""octuple top on a terminal, which pyte is: what is on the screen, its size, keys and signals,
and how it is left behind."""
import contextlib
import fcntl
import os
import select
import signal
import struct
import subprocess
import termios

import pyte
import pytest
from tests.cli.counters_file import ALIVE, Kept, OTHERS, RSA, X25519

BEFORE = {RSA: {"submitted": 1000, "done": 990, "fallback": 10, "batches": {8: 100, 4: 50}, "nanoseconds": 10**9}}
LATER = {RSA: {"submitted": 3000, "done": 2990, "fallback": 10, "batches": {8: 350, 4: 50}, "nanoseconds": 2 * 10**9}}
THREADS = [(OTHERS, 0, {X25519: {"fallback": 1}}), (ALIVE, 4711, {RSA: {"done": 990, "waiting": 3}})]


class Terminal:
    """The program with a terminal of its own, whose other side this is."""

    def __init__(self, place, *args, term="xterm", locale="C.UTF-8"):
        self.ours, self.theirs = os.openpty()
        self.screen = pyte.Screen(80, 24)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.resize(80, 24)
        self.before = termios.tcgetattr(self.theirs)
        environment = {**place.env, "TERM": term, "LC_ALL": locale}
        self.child = subprocess.Popen([place.folder / "bin/octuple", "top", *args], env=environment, cwd=place.work,
                                      stdin=self.theirs, stdout=self.theirs, stderr=self.theirs, start_new_session=True,
                                      preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), **place.user())

    def resize(self, columns, lines):
        self.screen.resize(lines, columns)
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def read(self, seconds=0.1):
        while select.select([self.ours], [], [], seconds)[0]:
            piece = os.read(self.ours, 65536)
            self.raw += piece
            self.stream.feed(piece)
            seconds = 0.02

    def until(self, condition):
        """Reads on until the screen is as it should be; what it shows otherwise is told."""
        for _ in range(200):
            self.read()
            if condition(self.screen.display):
                return
        raise AssertionError("\n".join(self.screen.display))

    def shows(self, *words):
        self.until(lambda lines: all(any(word in line for line in lines) for word in words))

    def press(self, keys):
        os.write(self.ours, keys)

    def ended(self):
        """Its exit status, and that it left the terminal as it was."""
        status = self.child.wait(timeout=20)
        self.read()
        assert termios.tcgetattr(self.theirs) == self.before
        assert self.raw.count(b"\x1b[?1049h") == self.raw.count(b"\x1b[?1049l") > 0
        assert self.raw.rindex(b"\x1b[?25h") > self.raw.rindex(b"\x1b[?25l")
        return status

    def close(self):
        if self.child.poll() is None:
            self.child.kill()
            self.child.wait()
        os.close(self.ours)
        os.close(self.theirs)


@pytest.fixture
def sleeper():
    with subprocess.Popen(["sleep", "600"]) as child:
        yield child
        child.kill()


@pytest.fixture
def kept(place, sleeper):
    counters = Kept(place.work / "kept", sleeper.pid)
    counters.keep(BEFORE, THREADS)
    return counters


@contextlib.contextmanager
def terminal(place, *args, **options):
    opened = Terminal(place, *args, **options)
    try:
        yield opened
    finally:
        opened.close()


def test_tables_and_looks(place, kept):
    with terminal(place, "--interval", "60", "kept/") as t:
        t.shows("since the start", "1000 operations, 99% in lanes", "q: quit  t: threads", "rsa2048-private")
        (row,) = [line for line in t.screen.display if line.startswith("rsa2048-private")]
        assert row.split() == ["rsa2048-private", "1000", "6.7", "...▄...█", "10", "3", "1.0", "0", "0"]
        t.press(b"q")
        assert t.ended() == 0
    with terminal(place, "--interval", "0.2", "kept/") as t:
        t.shows(", last ", "0 operations/s")
        kept.keep(LATER, THREADS)
        t.until(lambda lines: any(line.startswith("rsa2048-private") and ".......█" in line for line in lines))
        kept.keep(BEFORE, THREADS)  # not that it could: but nothing breaks
        t.shows("operations/s")
        t.press(b"q")
        assert t.ended() == 0


def test_threads_are_a_key(place, kept):
    with terminal(place, "--interval", "60", "kept/") as t:
        t.shows("rsa2048-private")
        assert not any("PROCESS" in line for line in t.screen.display)
        t.press(b"t")
        t.shows("PROCESS, THREADS", " 4711 ", " others ")
        t.press(b"t")
        t.until(lambda lines: not any("4711" in line for line in lines))
        t.press(b"q")
        assert t.ended() == 0


def test_size(place, kept):
    """At once, though the next look is far off; as many columns and lines as fit."""
    with terminal(place, "--interval", "60", "--threads", "kept/") as t:
        t.shows("redone")
        for columns, lines, there, gone in ((40, 24, "batch", "waiting"),
                                            (20, 5, "OPERATION", "ops"), (120, 3, "", "redone"),
                                            (80, 24, "redone", "no such")):
            t.resize(columns, lines)
            os.kill(t.child.pid, signal.SIGWINCH)  # pyte keeps what is cut: only what is drawn anew counts
            t.raw = b"\x1b[?1049h\x1b[?1049l"
            t.until(lambda seen, there=there, gone=gone: t.raw.count(b"\x1b[J") > 0
                    and any(there in line for line in seen)
                    and not any(gone in line for line in seen))
            assert t.raw.rsplit(b"\x1b[H", 1)[1].count(b"\r\n") < lines
        t.raw = b"\x1b[?1049h\x1b[?25l"
        t.press(b"q")
        assert t.ended() == 0


@pytest.mark.parametrize("how", ["key", signal.SIGTERM, signal.SIGHUP])
def test_ends_by_signals(place, kept, how):
    with terminal(place, "--interval", "60", "kept/") as t:
        t.shows("rsa2048-private")
        assert termios.tcgetattr(t.theirs) != t.before
        if how == "key":
            t.press(b"\x03")
        else:
            os.kill(t.child.pid, how)
        assert t.ended() == 0


def test_crash_leaves_the_terminal(place, kept):
    with terminal(place, "--interval", "60", "kept/") as t:
        t.shows("rsa2048-private")
        os.kill(t.child.pid, signal.SIGSEGV)
        assert t.ended() == -signal.SIGSEGV


def test_is_stopped_and_goes_on(place, kept):
    with terminal(place, "--interval", "60", "kept/") as t:
        t.shows("rsa2048-private")
        t.press(b"\x1a")
        os.waitpid(t.child.pid, os.WUNTRACED)
        t.read()
        assert termios.tcgetattr(t.theirs) == t.before and t.raw.endswith(b"\x1b[?1049l")
        t.screen.reset()
        os.kill(t.child.pid, signal.SIGCONT)
        t.shows("rsa2048-private")
        t.press(b"q")
        assert t.ended() == 0


def test_end_of_the_process(place, kept, sleeper):
    """It is said on the screen that stays, with the last counters."""
    with terminal(place, "--interval", "0.2", "kept/") as t:
        t.shows("rsa2048-private")
        kept.keep(LATER, THREADS)
        sleeper.kill()
        sleeper.wait()
        assert t.ended() == 0
        after = t.raw.rsplit(b"\x1b[?1049l", 1)[1].decode()
        assert "made has ended; its last counters:" in after and "0 running, 1 ended" in after
        assert "rsa2048-private        3000" in after


def test_terminal_that_has_no_screen(place, kept):
    with terminal(place, "--count", "2", "--interval", "0.1", "kept/", term="dumb", locale="C") as t:
        assert t.child.wait(timeout=20) == 0
        t.read()
        assert b"\x1b" not in t.raw and t.raw.count(b"octuple top ") == 2 and b"...5...9" in t.raw


def test_terminal_that_goes_away(place, kept):
    with terminal(place, "--interval", "0.1", "kept/") as t:
        t.shows("rsa2048-private")
        os.close(t.ours)
        t.ours = os.dup(t.theirs)
        assert t.child.wait(timeout=20) is not None
