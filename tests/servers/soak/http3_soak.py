#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Handshakes by QUIC with a server under Octuple, on a bad network, for as long as is asked: some datagrams are lost,
some handshakes are given up, whole clients are killed in the middle, and nginx reads its configuration anew. Each line
has the sums so far, failures by their reason, and the memory of the server's processes. A reload of nginx ends
handshakes with stock nginx too, and so do tokens of Retry on a bad network: run both, and compare.

The server is started by COMMAND, which stays in front (nginx: `daemon off`). The client is bindings/rust's `transfer`.
"""
import argparse
import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

RUN = 10  # seconds of load at a time
KILLED_EVERY, RELOADED_EVERY = 4, 7  # runs


def read(path):
    """Empty if its process has just ended."""
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def named(pid, name):
    """Its descendants of that name, and itself; nginx's master comes before its workers."""
    found = [pid]
    for parent in found:
        for task in Path(f"/proc/{parent}/task").glob("*/children"):
            found += [int(child) for child in read(task).split()]
    return [one for one in found if read(f"/proc/{one}/comm").strip() == name]


def resident(pid):
    lines = read(f"/proc/{pid}/status").splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith("VmRSS")), 0)


def load(options, number, **more):
    command = [options.transfer, "handshakes", "--port", str(options.port), "--connections", str(options.connections),
               "--seconds", str(RUN), "--give-up", str(options.give_up), "--seed", str(number)]
    if options.loss:
        command += ["--loss", str(options.loss)]
    if number % 2:
        command += ["--hybrid"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **more)


def vanish(client):
    """All of its handshakes end in the middle, and nobody says so to the server."""
    time.sleep(RUN * random.random())
    client.send_signal(signal.SIGKILL)
    client.communicate()


def reload_nginx(server):
    subprocess.run(["kill", "-HUP", str(named(server.pid, "nginx")[0])], check=True)


def soak(options, server):
    total = {"completed": 0, "given_up": 0, "misread": 0, "failed_total": 0}
    failures, at_reloads = Counter(), Counter()
    killed = reloads = number = 0
    began = time.monotonic()
    while time.monotonic() - began < options.seconds and total["completed"] < options.handshakes:
        number += 1
        client = load(options, number)
        if number % KILLED_EVERY == 0:
            vanish(client)
            killed += 1
            continue
        reloading = options.name == "nginx" and number % RELOADED_EVERY == 0
        if reloading:
            time.sleep(RUN / 2)
            reload_nginx(server)
            reloads += 1
        said = json.loads(client.communicate()[0] or "{}")
        for name in total:
            total[name] += said.get(name, 0)
        (at_reloads if reloading else failures).update(said.get("failures", {}))
        memory = {one: resident(one) for one in named(server.pid, options.name)}
        print(json.dumps({**total, "clients_killed": killed, "reloads": reloads,
                          "failures": failures, "failures_in_runs_with_a_reload": at_reloads,
                          "resident_kb": memory}), flush=True)
        if server.poll() is not None:
            print("the server has ended")
            return 1
    return int(total["failed_total"] != 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--transfer", required=True, help="the program of bindings/rust")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--name", default="nginx", help="of the server's process (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--handshakes", type=int, default=200_000, help="to end after (default: %(default)s)")
    parser.add_argument("--connections", type=int, default=32, help="at a time (default: %(default)s)")
    parser.add_argument("--loss", type=float, default=0.02, help="part of datagrams (default: %(default)s)")
    parser.add_argument("--give-up", type=float, default=0.2, help="part of handshakes (default: %(default)s)")
    parser.add_argument("command", nargs="+", help="starts the server")
    options = parser.parse_args()
    with subprocess.Popen(options.command) as server:
        time.sleep(2)
        try:
            return soak(options, server)
        finally:
            for one in named(server.pid, options.name):
                subprocess.run(["kill", "-TERM", str(one)], check=False)
            server.terminate()


if __name__ == "__main__":
    sys.exit(main())
