# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""An nginx that was built with the patches of packaging/nginx, with `ssl_async on` and without the shim.

What is shown, each by a part of its own that --only names:

    lanes    handshakes of http, stream and mail servers meet in lanes, by each method of events
    early    TLS 1.3 with early data, and a regular expression as server_name
    verify   clients whose certificate's signature is wrong, where nginx does not mind: OpenSSL's error stays behind
    abuse    clients that end early, and reloads meanwhile: nothing is lost or left
    slow     a provider whose signatures take 5 ms: one worker has many of them at a time, and serves others
    hang     clients are given up while their key hangs, and what they held goes when it works again
    without  no provider that pauses: as with `ssl_async off`

With an nginx under AddressSanitizer, what a worker leaves when it ends is an error too. --rounds makes `abuse` longer.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import ssl
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.servers.common import clients, credentials, rig, tardy
from tests.servers.common.command import Failure

DEVICE_US = 5000
HERD = 32
ABUSED = 4000  # connections in a round
GROWTH_KB = 1024
METHODS = ("poll", "select")  # only where configure was told so
OTHERS = {"stream": 'return "200 OK\\n";', "mail": "protocol imap; auth_http 127.0.0.1:1;"}
OTHER = """\
%(kind)s {
    server {
        listen 127.0.0.1:%(port)d ssl;
        ssl_async on;
        ssl_certificate %(keys)s/rsa2048.crt;
        ssl_certificate_key %(keys)s/rsa2048.key;
        %(text)s
    }
}
"""


@dataclass
class Subject:
    program: Path
    build: rig.Build
    keys: Path
    where: Path
    rounds: int

    @contextmanager
    def nginx(self, provider: str = "octuple", servers: list[rig.Server] | None = None, **settings):
        """One with that provider, or with none."""
        env = {"OCTUPLE_COUNTERS": str(self.where / "counters"),
               "ASAN_OPTIONS": f"exitcode=0:log_path={self.where}/said",
               "LSAN_OPTIONS": f"suppressions={self.where}/known"}
        (self.where / "counters").mkdir(exist_ok=True)
        if provider == "octuple":
            env["OPENSSL_CONF"] = str(rig.write_openssl_conf(self.where, self.build))
        elif provider == "tardy":
            tardy.put_into(env, self.build, "pauses", 0, DEVICE_US)
            env["OCTUPLE_TEST_DEVICE_HANG"] = str(self.where / "hang")
        settings["http"] = "ssl_async on; " + settings.get("http", "")
        # A worker that gave up its privileges could not look at itself for what it leaves.
        main = settings.pop("main", "") + ("user root;" if os.geteuid() == 0 else "")
        server = rig.Nginx(self.keys, None, servers or [rig.Server()], env=env, main=main, **settings)
        server.may_say = ("ignoring stale global SSL error",)  # stock nginx says so too, of what `verify` leaves
        with server:
            yield server
            server.stop()
        self.nothing_found(server)

    def nothing_found(self, server: rig.Nginx) -> None:
        """By the sanitizer in workers. A master takes no connection, and the test's provider leaves something there."""
        for path in self.where.glob("said.*"):
            if path.suffix != f".{server.process.pid}" and "ERROR: " in (said := path.read_text()):
                raise Failure(said)
            path.unlink()

    def load(self, port: int, *options: str) -> dict:
        done = subprocess.run([str(self.build.load), "127.0.0.1", str(port), "--timeout", str(rig.PATIENCE), "--json",
                               *options], capture_output=True, text=True, check=False)
        result = json.loads(done.stdout)
        if result["failed_total"]:
            raise Failure(f"{result['failed_total']} handshakes failed: {result['first_failure']}")
        return result

    def crowd(self, nginx: rig.Nginx, port: int, version: str) -> None:
        """Clients each flight of which arrives with those of all others."""
        pid = nginx.worker_pids()[0]
        answers = clients.in_step(pid, clients.herd(pid, port, rig.client_context(version), HERD))
        if not all(b"200 OK" in answer for answer in answers):
            raise Failure("a client got no answer")

    def doctor(self, pid: int) -> None:
        """It knows that such a server needs no preload."""
        done = subprocess.run([str(self.build.octuple), "doctor", "--no-handshake", "--json", str(pid)],
                              capture_output=True, text=True, check=False)
        said = json.loads(done.stdout)
        found = {one["name"]: one["level"] for one in said["findings"]}
        if said["verdict"] != "ok" or found["preload"] != "ok":
            raise Failure(f"the doctor says {said}")

    def counted(self) -> dict[str, rig.Counts]:
        return rig.read_counters(self.where / "counters")

    def reset_counters(self) -> None:
        shutil.rmtree(self.where / "counters", ignore_errors=True)


def lanes(subject: Subject) -> str:
    """Most signatures of a crowd share a vector, as there is always another."""
    shares = []
    program = subject.program.read_bytes()
    for method in ("epoll", *(name for name in METHODS if b"ngx_%s_module" % name.encode() in program)):
        subject.reset_counters()
        with subject.nginx(events=f"use {method};", connections=512) as nginx:
            for version in ("1.2", "1.3") * 6:
                subject.crowd(nginx, nginx.port, version)
            # It says of a sanitized program first that this bears no preload.
            if method == "epoll" and not sanitized(subject.program):
                subject.doctor(nginx.process.pid)
        count = subject.counted()["rsa2048-private"]
        shares.append(f"{method} {count.done} of {12 * HERD}")
        if count.done < 6 * HERD or count.failed:
            raise Failure(f"{method}: {count}")
    for kind in OTHERS:
        other(subject, kind)
    return ", ".join(shares) + f" in lanes; {' and '.join(OTHERS)} too"


def other(subject: Subject, kind: str) -> None:
    port = rig.free_ports(1)[0]
    subject.reset_counters()
    with subject.nginx() as nginx:
        nginx.stop()
        more = OTHER % {"kind": kind, "port": port, "keys": subject.keys, "text": OTHERS[kind]}
        nginx.conf.write_text(nginx.conf.read_text() + more)
        nginx.start()
        rig.wait_port(port, nginx.process)
        for _ in range(4):
            pid = nginx.worker_pids()[0]
            herd = pending = clients.herd(pid, port, rig.client_context("1.2"), HERD)
            while pending:
                for client in pending:
                    client.receive()
                with clients.stopped(pid):
                    for client in pending:
                        client.hello()
                pending = [client for client in pending if not client.done]
            for client in herd:
                client.close()
    count = subject.counted()["rsa2048-private"]
    if count.done < 2 * HERD or count.failed:
        raise Failure(f"{kind}: {count}")


def early(subject: Subject) -> str:
    """A request in the first flight; and a name that PCRE matches on the job's stack."""
    server = rig.Server(text="ssl_early_data on; ssl_session_cache shared:it:1m; server_name ~^(?<name>local.*)$;",
                        location='return 200 "early=$ssl_early_data $name 200 OK\\n";')
    request = subject.where / "request"
    request.write_bytes(clients.REQUEST)
    ticket = f"{subject.where}/ticket"
    name = ["-tls1_3", "-servername", "localhost"]
    taken = 0
    with subject.nginx(servers=[server], main="pcre_jit on;") as nginx:
        for _ in range(8):
            clients.s_client(nginx.port, *name, "-sess_out", ticket).communicate(clients.REQUEST, timeout=30)
            with clients.stopped(nginx.worker_pids()[0]):
                runs = [clients.s_client(nginx.port, *name, "-sess_in", ticket, "-early_data", str(request))]
                runs += [clients.s_client(nginx.port, *name) for _ in range(6)]
                clients.arrived(nginx.port, len(runs))
            said = [run.communicate(b"" if run is runs[0] else clients.REQUEST, timeout=30)[0] for run in runs]
            if not all(b"200 OK" in text for text in said):
                raise Failure(f"no answer: {said}")
            taken += b"early=1 local" in said[0]
    if not taken:
        raise Failure("no early data was taken")
    return f"early data taken {taken} times of 8"


def verify(subject: Subject) -> str:
    certificate = bytearray(ssl.PEM_cert_to_DER_cert((subject.keys / "client-rsa2048.crt").read_text()))
    certificate[-1] ^= 1
    (subject.where / "wrong.crt").write_text(ssl.DER_cert_to_PEM_cert(bytes(certificate)))
    text = f"ssl_verify_client optional_no_ca; ssl_client_certificate {subject.keys}/ca.crt;"
    with subject.nginx(servers=[rig.Server(text=text)]) as nginx:
        for version in ("1.2", "1.3"):
            context = rig.client_context(version, certificate=subject.where / "wrong.crt",
                                         key=subject.keys / "client-rsa2048.key")
            herd = clients.herd(nginx.worker_pids()[0], nginx.port, context, HERD)
            answers = clients.in_step(nginx.worker_pids()[0], herd)
            if not all(b"HTTP/1.1 " in answer for answer in answers):
                raise Failure(f"TLS {version}: a client got no answer")
    return "answered"


def abuse(subject: Subject) -> str:
    """By RSA and P-256 in turns. While many clients end early, configurations are read anew."""
    servers = [rig.Server(), rig.Server("ecdsa-p256")]
    with subject.nginx(servers=servers, http="client_header_timeout 1h;") as nginx:
        ports = [server.port for server in nginx.servers]
        options = ("--handshakes", str(ABUSED // 2), "--abort", "30")

        def crowd(number: int) -> None:
            for port in ports:
                for version in ("1.3", "1.2"):
                    subject.load(port, *options, "--tls", version, "--seed", str(number))

        crowd(0)
        memory, fds = nginx.resident_kb(), nginx.fd_counts()
        for number in range(1, subject.rounds + 1):
            crowd(number)
        rig.wait_until(lambda: nginx.fd_counts() <= fds, "all connections are closed", rig.PATIENCE / 2)
        growth = nginx.resident_kb() - memory
        if growth > GROWTH_KB and not sanitized(subject.program):
            raise Failure(f"the worker has grown by {growth} KB")
        for number in range(subject.rounds):
            with ThreadPoolExecutor() as pool:
                loads = [pool.submit(subject.load, port, *options, "--seed", str(number)) for port in ports]
                time.sleep(0.2)
                nginx.reload()
            for load in loads:
                load.result()
            if number % 10 == 9:
                print(f"nginx_async: abuse: {number + 1} reloads", flush=True)
        rig.wait_until(lambda: len(nginx.master().children()) == 1, "workers of before end", rig.PATIENCE / 2)
    return f"{(3 * subject.rounds + 2) * ABUSED} connections, {subject.rounds} reloads, {growth:+d} KB"


def slow(subject: Subject) -> str:
    """While many keys are at work in the device, a handshake that needs none of them is served."""
    servers = [rig.Server(), rig.Server("ecdsa-p256")]
    with subject.nginx("tardy", servers=servers) as nginx:
        result = subject.load(nginx.port, "--handshakes", "1000", "--connections", "64")
        pid = nginx.worker_pids()[0]
        (subject.where / "hang").touch()
        herd = clients.herd(pid, nginx.port, rig.client_context(), HERD)
        rig.wait_until(lambda: rig.descriptors(pid, "timerfd") >= HERD, "all have paused")
        if b"200 OK" not in clients.fetch(servers[1].port, rig.client_context()):
            raise Failure("it serves nobody else meanwhile")
        (subject.where / "hang").unlink()
        if not all(b"200 OK" in answer for answer in clients.finish(herd)):
            raise Failure("a client got no answer")
    return (f"{HERD} signatures at a time and another client meanwhile; {result['handshakes_per_s']:.0f} handshakes a "
            f"second where one at a time were {1e6 / DEVICE_US:.0f}")


def hang(subject: Subject) -> str:
    """Connections are closed with their job paused. The key works again later, or never before the server quits."""
    file = subject.where / "hang"
    context = rig.client_context()
    # The load has a server that is patient: on a busy machine an honest client may be late by a second.
    servers = [rig.Server(text="client_header_timeout 1s;"), rig.Server()]
    with subject.nginx("tardy", servers=servers) as nginx:
        subject.load(servers[1].port, "--handshakes", "200")
        fds = nginx.fd_counts()
        for _ in range(3):
            file.touch()
            herd = clients.herd(nginx.worker_pids()[0], nginx.port, context, HERD)
            for client in herd[::4]:
                client.reset()
            for client in [client for i, client in enumerate(herd) if i % 4]:
                with suppress(ConnectionResetError):
                    while client.receive():  # until the server closes
                        pass
            held = nginx.fd_counts()
            file.unlink()
            rig.wait_until(lambda: nginx.fd_counts() <= fds, "nothing is held any more")
            subject.load(servers[1].port, "--handshakes", "100")
    with subject.nginx("tardy") as nginx:
        file.touch()
        herd = clients.herd(nginx.worker_pids()[0], nginx.port, context, HERD)
        pid = nginx.worker_pids()[0]
        rig.wait_until(lambda: rig.descriptors(pid, "timerfd") >= HERD, "all have paused")
        nginx.signal(rig.signal.SIGQUIT)
        rig.wait_until(lambda: not nginx.worker_pids(), "the worker is shutting down")
        file.unlink()
        answers = clients.finish(herd)
        if not all(b"200 OK" in answer for answer in answers):
            raise Failure("a handshake was lost when the server was asked to quit")
        for client in herd:
            client.close()
        nginx.process.wait(rig.PATIENCE)
    return f"held {held[0] - fds[0]} descriptors while it hung, none after"


def without(subject: Subject) -> str:
    with subject.nginx("none") as nginx:
        for version in ("1.2", "1.3"):
            subject.load(nginx.port, "--tls", version, "--handshakes", "1000", "--abort", "20")
    return "served"


PARTS: dict[str, Callable[[Subject], str]] = {part.__name__: part
                                              for part in (lanes, early, verify, abuse, slow, hang, without)}


def sanitized(program: Path) -> bool:
    return b"__asan_init" in program.read_bytes()


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests/servers/run nginx_async", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nginx", type=Path, help="the program, built with the patches")
    parser.add_argument("--build", default="build/dev", help="the build folder")
    parser.add_argument("--only", action="append", choices=PARTS, help="this part; may be repeated")
    parser.add_argument("--rounds", type=int, default=2, help="of `abuse`; default 2")
    parser.add_argument("--patience", type=float, default=rig.PATIENCE,
                        help="seconds until somebody who waits gives up; more, if all may be stopped meanwhile")
    return parser.parse_args()


def main() -> int:
    args = options()
    rig.PATIENCE = args.patience
    build, where = rig.Build(Path(args.build).resolve()), rig.folder("nginx-async")
    (where / "bin").mkdir()
    # nginx's own: what 1.22 leaves when it reads its configuration, and a worker's arrays of connections at its end.
    (where / "known").write_text("leak:ngx_http_regex_compile\nleak:ngx_event_process_init\n")
    (where / "bin/nginx").symlink_to(args.nginx.resolve())
    os.environ["PATH"] = f"{where}/bin:{os.environ['PATH']}"
    try:
        keys = credentials.make_keys(where / "keys")
        for name in args.only or PARTS:
            subject = Subject(args.nginx.resolve(), build, keys, where, args.rounds)
            print(f"nginx_async: {name}: {PARTS[name](subject)}", flush=True)
    except (Failure, ConnectionError, TimeoutError, rig.LabError, credentials.CredentialsError) as failure:
        print(f"nginx_async: {name}: {failure}", file=sys.stderr)
        return 1
    finally:
        shutil.rmtree(where, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
