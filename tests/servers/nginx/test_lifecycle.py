# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""An nginx that is reloaded, restarted, upgraded and killed, under load: clients notice no more than with stock."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import psutil

from lab import openssl_conf
from tests.servers.common import clients, rig


def total(nginx: rig.Nginx) -> int:
    counts = [count for name, count in nginx.counters().items() if name.endswith("private")]
    return sum(count.done + count.fallback for count in counts)


def test_reload_under_load(build, keys):
    with rig.Nginx(keys, build, [rig.Server()], workers=2) as nginx, \
            clients.load(nginx.port, rig.client_context()) as result:
        for _ in range(5):
            good = result["good"]
            nginx.reload()
            rig.wait_until(lambda: result["good"] > good + 50, "new workers answer")
        assert result["bad"] == []
        assert nginx.uses_shim()
    assert result["bad"] == []


def test_old_workers_finish_what_they_began(build, keys):
    """A reload comes while a herd is half-way through its handshakes."""
    with rig.Nginx(keys, build, [rig.Server()]) as nginx:
        old = nginx.worker()
        herd = [clients.Client(nginx.port, rig.client_context("1.2", "kRSA")) for _ in range(12)]
        for client in herd:
            client.hello()
            assert client.receive()
        nginx.reload()
        assert all(b"200 OK" in answer for answer in clients.finish(herd))
        old.wait(20)
        assert len(nginx.worker_pids()) == 1


def test_quit_and_terminate_while_paused(build, keys):
    """The worker ends with handshakes at every stage: no crash (the log is looked at when nginx has ended)."""
    for number in (signal.SIGTERM, signal.SIGQUIT, signal.SIGINT):
        with rig.Nginx(keys, build, [rig.Server()], main="worker_shutdown_timeout 2s;") as nginx:
            with clients.stopped(nginx.worker_pids()[0]):
                herd = [clients.Client(nginx.port, rig.client_context()) for _ in range(30)]
                for client in herd:
                    client.hello()
                nginx.signal(number)
            for client in herd:
                client.close()
            assert nginx.process.wait(20) == 0


def test_killed_worker(build, keys):
    """The master starts another, and the connections of the dead one are all that is lost."""
    with rig.Nginx(keys, build, [rig.Server()]) as nginx:
        nginx.may_say = ("exited on signal 9",)
        with clients.load(nginx.port, rig.client_context(), threads=6) as result:
            for _ in range(3):
                good, pid = result["good"], nginx.worker_pids()[0]
                os.kill(pid, signal.SIGKILL)
                rig.wait_until(lambda: nginx.worker_pids() not in ([], [pid]), "a new worker starts")
                rig.wait_until(lambda: result["good"] > good + 30, "it answers")
        assert len(result["bad"]) <= 3 * 12, result["bad"]
        assert nginx.uses_shim()


def test_restart(build, keys):
    servers = [rig.Server()]
    for _ in range(2):
        with rig.Nginx(keys, build, servers) as nginx:
            herd = clients.herd(nginx.worker_pids()[0], nginx.port, rig.client_context(), 10)
            assert len(clients.finish(herd)) == 10
            assert total(nginx) == 10


ENV_LINES = "env LD_PRELOAD; env OCTUPLE_COUNTERS; env OCTUPLE_TABLE;"


def pid_in(file: rig.Path) -> str:
    """Empty while there is none: nginx moves the old master's file away, and the new one writes its own."""
    try:
        return file.read_text().strip()
    except FileNotFoundError:
        return ""


def second_master(nginx: rig.Nginx) -> psutil.Process:
    """Started from the first one (USR2): both have workers that serve."""
    nginx.signal(signal.SIGUSR2)
    pid_file = nginx.folder / "nginx.pid"
    old = f"{nginx.process.pid}"
    rig.wait_until(lambda: pid_in(pid_file) not in ("", old), "a new master starts")
    new = psutil.Process(int(pid_in(pid_file)))
    rig.wait_until(lambda: any("worker process" in rig.name_of(child) for child in new.children()), "it has a worker")
    return new


def upgrade(nginx: rig.Nginx) -> psutil.Process:
    """Starts a new master, has the old one end gracefully, and returns the new one."""
    new = second_master(nginx)
    nginx.signal(signal.SIGQUIT)
    assert nginx.process.wait(30) == 0
    return new


def end(master: psutil.Process) -> None:
    master.send_signal(signal.SIGTERM)
    rig.wait_until(lambda: rig.has_ended(master), "the new master ends")


def maps(process: psutil.Process) -> str:
    return Path(f"/proc/{process.pid}/maps").read_text()


def test_binary_upgrade_under_load(build, keys):
    """With `env` lines nginx hands on what accelerates it."""
    with rig.Nginx(keys, build, [rig.Server()], main=ENV_LINES, detached=True) as nginx:
        with clients.load(nginx.port, rig.client_context()) as result:
            rig.wait_until(lambda: result["good"] > 50, "the old one answers")
            new = upgrade(nginx)
            try:
                good = result["good"]
                rig.wait_until(lambda: result["good"] > good + 50, "the new one answers")
                assert all("liboctuple-async" in maps(child) for child in new.children())
                pids = [child.pid for child in new.children()]
                herd = clients.herd(pids[0], nginx.port, rig.client_context(), 10)
                assert len(clients.finish(herd)) == 10
            except BaseException:
                end(new)
                raise
        end(new)
        assert result["bad"] == []
        assert (nginx.folder / f"counters/{pids[0]}.octuple").exists()


def test_binary_upgrade_called_off(build, keys):
    """Both masters' workers serve, until the new one is sent away. (WINCH, which sends the old workers away alone, is
    for daemons.)"""
    with rig.Nginx(keys, build, [rig.Server()], main=ENV_LINES, detached=True) as nginx:
        with clients.load(nginx.port, rig.client_context()) as result:
            new = second_master(nginx)
            try:
                rig.wait_until(lambda: result["good"] > 50, "they answer")
            finally:
                new.send_signal(signal.SIGQUIT)
            rig.wait_until(lambda: rig.has_ended(new), "the new one ends")
            good = result["good"]
            rig.wait_until(lambda: result["good"] > good + 50, "the old one answers")
        assert result["bad"] == []
        assert nginx.uses_shim()


def test_binary_upgrade_without_env_lines(build, keys):
    """Without them the new nginx is a stock one, and serves."""
    with rig.Nginx(keys, build, [rig.Server()], detached=True) as nginx:
        new = upgrade(nginx)
        try:
            assert b"200 OK" in clients.fetch(nginx.port, rig.client_context())
            assert "liboctuple" not in maps(new)
        finally:
            end(new)


def test_single_process(build, keys):
    """`master_process off`: the process that was started serves itself."""
    with rig.Nginx(keys, build, [rig.Server()], main="master_process off;", workers=0) as nginx:
        herd = clients.herd(nginx.process.pid, nginx.port, rig.client_context(), 16)
        assert len(clients.finish(herd)) == 16
        assert nginx.counters()["rsa2048-private"].done > 0


def test_switches(build, keys, place):
    """OCTUPLE_TABLE=off, and a process without the provider: stock, both of them."""
    (place / "openssl.cnf").write_text(openssl_conf.text({"octuple": "module = /no/such/octuple.so"}, default=False))
    for extra in ({"OCTUPLE_TABLE": "off"}, {"OPENSSL_CONF": str(place / "openssl.cnf")}):
        with rig.Nginx(keys, build, [rig.Server()], env=extra) as nginx:
            herd = clients.herd(nginx.worker_pids()[0], nginx.port, rig.client_context(), 10)
            assert len(clients.finish(herd)) == 10
            assert nginx.counters()["rsa2048-private"].submitted == 0


def test_provider_without_shim(build, keys, place):
    """The provider alone in an nginx that knows nothing of asynchronous handshakes."""
    alone = {"LD_PRELOAD": "", "OPENSSL_CONF": str(rig.write_openssl_conf(place, build))}
    with rig.Nginx(keys, build, [rig.Server()], env=alone) as nginx:
        herd = clients.herd(nginx.worker_pids()[0], nginx.port, rig.client_context(), 10)
        assert len(clients.finish(herd)) == 10
        assert nginx.counters()["rsa2048-private"].submitted == 0
