# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Counters files made by hand (include/octuple/counters.h), of a process that runs, or of one that never did."""
import os
import pathlib
import re
import struct

HEADER = (pathlib.Path(__file__).parents[2] / "include/octuple/counters.h").read_text(encoding="utf-8")
DEFINED = dict(re.findall(r"^#define OCT_COUNTERS_(\w+) +(\w+?)(?:ull)?$", HEADER, re.MULTILINE))
MAGIC, OPERATIONS, THREADS = (int(DEFINED[name], 0) for name in ("MAGIC", "OPS", "THREADS"))
RSA, X25519, KNOWN = 0, 6, 18
ALIVE, ENDED, OTHERS = 2, 3, 4
KEYS_QUIC_MEMORY = 1216 + 128 + 256


def start_ticks(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[19])


def operations(counts):
    """counts: by operation a dict of the fields that are not zero; batches: how many, by the jobs in them."""
    data = b""
    for op in range(OPERATIONS):
        n = counts.get(op, {})
        batches = [n.get("batches", {}).get(jobs, 0) for jobs in range(1, 9)]
        data += struct.pack("=17Q", n.get("submitted", 0), n.get("done", 0), n.get("failed", 0), n.get("fallback", 0),
                            0, n.get("recomputed", 0), *batches, n.get("nanoseconds", 0), n.get("waiting", 0), 0)
    return data


def key_counters(numbers, inside=(), line=(), device=(), owners=()):
    """numbers: the words from the state on; owners: (name, way, operations, nanoseconds)."""
    data = struct.pack("=18Q", *numbers) + struct.pack("=14Q", *inside, *[0] * (14 - len(inside)))
    for times in (line, device):
        data += struct.pack("=32Q", *times, *[0] * (32 - len(times)))
    for name, *rest in owners:
        data += struct.pack("=24s3Q", name, *rest)
    return data


def stay_counters(paused, resumed, stayed, keys=b""):
    """What stands behind all threads: stayed is by the number of the reason."""
    return keys.ljust(KEYS_QUIC_MEMORY, b"\0") + struct.pack(
        "=32Q", 1, paused, resumed, *(stayed.get(reason, 0) for reason in range(27)), 0, 0)


def hello_counters(gone, refused, milliseconds, waited, keys=b""):
    """What stands behind those of handshakes: waited is by bucket."""
    return keys.ljust(KEYS_QUIC_MEMORY + 256, b"\0") + struct.pack(
        "=32Q", 1, gone, refused, milliseconds, *waited, *[0] * (28 - len(waited)))


def content(pid, counts, threads=(), ticks=0, magic=MAGIC, command=b"made", started=1, keys=b""):
    """threads: (state, tid, counts) in the order of the slots, the first of which is everybody's."""
    data = struct.pack("=6Q16s", magic, pid, KNOWN, max(1, len(threads)), started, ticks, command) + operations(counts)
    for state, tid, of_thread in threads or [(OTHERS, 0, {})]:
        data += struct.pack("=8Q", state, tid, 0 if state == OTHERS else 1, *[0] * 5) + operations(of_thread)
    size = (1 + THREADS) * (64 + OPERATIONS * 17 * 8)
    return data.ljust(size, b"\0") + keys


class Kept:
    """A folder with the file of a process; its numbers may be changed while somebody looks."""

    def __init__(self, folder, pid, running=True):
        self.folder, self.pid, self.running = folder, pid, running
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)

    def keep(self, counts, threads=(), keys=b""):
        new = self.folder / "new"
        new.write_bytes(content(self.pid, counts, threads, start_ticks(self.pid) if self.running else 1,
                                keys=keys))
        os.rename(new, self.folder / f"{self.pid}.octuple")
