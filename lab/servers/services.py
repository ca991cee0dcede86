# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""More servers, each of which takes a package that nothing else here needs: brokers, databases, DNS, proxies.

`tests/servers/run more` tests them, `bench/run servers --more` measures them. All that is known about a server is
in its row. The servers themselves run as those of web.py do.
"""

from __future__ import annotations

import grp
import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from lab import ROOT, java, process
from lab.programs import Build
from . import dialogue, service_texts as texts, web
from .nginx import ServerError
from .web import Other, REQUEST

@dataclass(frozen=True)
class More(web.Kind):
    """A server and what else it takes: files, an account, a dialogue, and whether it sends a ticket by itself."""

    dialogue: dialogue.Dialogue = dialogue.Dialogue(REQUEST, b"200 OK")
    versions: tuple[str, ...] = ("1.2", "1.3")  # of TLS; of none other than 1.3: by QUIC
    files: tuple[tuple[str, str], ...] = ()  # besides the configuration; filled in like it
    account: str = ""  # whose it is if root starts it
    prepare: Callable[["MoreServer"], None] | None = None
    ticket: bool = True
    needs: str = ""  # a file that its package has, if its program alone is not enough
    says: tuple[str, str] = ("", "")  # an argument, and what the program has to say to it
    why: str = ""  # why there are no lanes
    plainly: bool = False  # Octuple leaves it as it is

    @property
    def quic(self) -> bool:
        return "1.2" not in self.versions

    def path(self) -> str | None:
        found = self.found()
        if not found or not self.says[0]:
            return found
        done = subprocess.run([found, self.says[0]], capture_output=True, text=True, check=False)
        return found if self.says[1] in done.stdout + done.stderr else None

    def found(self) -> str | None:
        if self.needs and not next(Path("/").glob(self.needs.lstrip("/")), None):
            return None
        found = next(Path("/").glob(self.program.lstrip("/")), None) if "/" in self.program else None
        return str(found) if found else super().path()


ONE_EACH = "a process for each connection: no two handshakes meet in one process"
IN_MEMORY = "TLS goes through memory: handshakes of TLS 1.3 wait for one another, those of TLS 1.2 do not"


def make_postgresql(server: MoreServer) -> None:
    """A cluster of its own, whose owner also owns the key, as PostgreSQL demands."""
    (server.folder / "both.pem").chmod(0o600)
    server.give("both.pem")
    server.command("/usr/lib/postgresql/*/bin/initdb", "-D", f"{server.folder}/data", "-U", "postgres", "-A", "trust",
                   "--no-sync", "--no-instructions")


def make_mariadb(server: MoreServer) -> None:
    server.command("/usr/bin/mariadb-install-db", "--no-defaults", f"--datadir={server.folder}/data",
                   "--auth-root-authentication-method=normal", "--skip-test-db")


def make_traffic_server(server: MoreServer) -> None:
    """It wants its own folder, and the tables of its bodies' texts."""
    (server.folder / "ts").mkdir()
    server.give("ts")


def make_postfix(server: MoreServer) -> None:
    """Folders of its own, with the owners that it demands."""
    for name in ("queue", "data"):
        (server.folder / name).mkdir()
    shutil.chown(server.folder / "data", "postfix")
    shutil.copy(server.conf, server.folder / "main.cf")
    server.command("/usr/sbin/postfix", "-c", str(server.folder), "set-permissions")


def make_own(server: MoreServer) -> None:
    """The folder is whose the server becomes: it writes there after that."""
    server.give(".")


def make_dovecot(server: MoreServer) -> None:
    """Mailboxes, whose owner is not root."""
    (server.folder / "mail").mkdir()
    server.give("mail")


TOMCAT_MODULE = Path(__file__).parent / "maven/tomcat-native"
TOMCAT_BUILT = ROOT / "build/servers"


def make_tomcat(_server: MoreServer) -> None:
    done = java.maven(TOMCAT_BUILT, "process-classes", module=TOMCAT_MODULE)
    if done.returncode:
        raise ServerError(f"Maven cannot build Tomcat's launcher: {done.stdout.strip()}")


def run_tomcat(conf: Path) -> list[str]:
    made = java.folder(TOMCAT_BUILT, TOMCAT_MODULE)
    return ["-Xms256m", "-Xmx256m", "-Djava.library.path=/usr/lib/x86_64-linux-gnu",
            "-cp", f"{made}/classes:{made}/libraries/*", "octuple.bench.TomcatNative", str(conf)]


def traffic_server(name: str, native: int) -> More:
    return More(name, "traffic_server", "trafficserver", texts.TRAFFIC_RECORDS.replace("{native}", str(native)),
                lambda conf: [f"--run-root={conf.parent}"], prepare=make_traffic_server,
                files=(("records.config", texts.TRAFFIC_RECORDS.replace("{native}", str(native))),
                       ("remap.config", "map / http://127.0.0.1:{backend}/\n"),
                       ("ssl_multicert.config", "dest_ip=* ssl_cert_name=both.pem ssl_key_name=both.pem\n"),
                       ("storage.config", ""),
                       ("ip_allow.yaml", "ip_allow:\n  - {{apply: in, ip_addrs: 127.0.0.1, action: allow}}\n"),
                       ("runroot.yaml", texts.RUN_ROOT)))


def run_squid(conf: Path) -> list[str]:
    """Under a name of its own, since its shared memory has that name."""
    return ["-N", "-n", "".join(filter(str.isalnum, str(conf)))[-30:], "-f", str(conf)]


def own_group() -> str:
    try:
        return grp.getgrgid(os.getegid()).gr_name
    except KeyError:
        return str(os.getegid())


def dovecot(name: str, listener: str, talk: dialogue.Dialogue) -> More:
    ports = {"imap": "0", "imaps": "0"} | {listener: "{port}"}
    text = texts.DOVECOT
    for one, port in ports.items():
        text = text.replace("{%s}" % one, port)
    text += texts.DOVECOT_ROOTLESS if os.geteuid() != 0 else ""
    text = text.replace("{group}", own_group() if os.geteuid() != 0 else "{user}")
    return More(name, "dovecot", "dovecot-imapd", text, lambda conf: ["-F", "-c", str(conf)], prepare=make_dovecot,
                needs="/usr/lib/dovecot/imap-login", says=("--version", "2.3."), dialogue=talk, why=IN_MEMORY)


KINDS = (
    More("mosquitto", "mosquitto", "mosquitto", texts.MOSQUITTO, lambda conf: ["-c", str(conf)],
         dialogue=dialogue.Dialogue(dialogue.MQTT_REQUEST, b"\x20\x02\x00\x00")),
    More("unbound", "unbound", "unbound", texts.UNBOUND, lambda conf: ["-d", "-c", str(conf)],
         dialogue=dialogue.Dialogue(dialogue.DNS_REQUEST, bytes((192, 0, 2, 1)))),
    More("dnsdist", "dnsdist", "dnsdist", texts.DNSDIST,
         lambda conf: ["--supervised", "--disable-syslog", "-C", str(conf)],
         dialogue=dialogue.Dialogue(dialogue.DNS_REQUEST, bytes((192, 0, 2, 1)))),
    More("postgresql", "/usr/lib/postgresql/*/bin/postgres", "postgresql", texts.POSTGRESQL,
         lambda conf: [f"--config-file={conf}"], account="postgres", prepare=make_postgresql, ticket=False,
         files=(("hba", "hostssl all all 127.0.0.1/32 trust\n"), ("ident", "")), why=ONE_EACH, plainly=True,
         dialogue=dialogue.Dialogue(dialogue.POSTGRESQL_REQUEST, b"Z\0\0\0\5I", dialogue.ask_postgresql)),
    More("pgbouncer", "pgbouncer", "pgbouncer", texts.PGBOUNCER, lambda conf: ["-q", str(conf)], account="postgres",
         prepare=make_own, ticket=False,
         dialogue=dialogue.Dialogue(dialogue.PGBOUNCER_REQUEST, b"Z\0\0\0\5I", dialogue.ask_postgresql)),
    More("mariadb", "mariadbd", "mariadb-server", texts.MARIADB, lambda conf: [f"--defaults-file={conf}"],
         account="mysql", prepare=make_mariadb, ticket=False,
         dialogue=dialogue.Dialogue(dialogue.MARIADB_REQUEST, b"\0\0\2\0", dialogue.ask_mariadb)),
    traffic_server("traffic server", 0),
    traffic_server("traffic server, native", 1),
    More("haproxy", "haproxy", "haproxy", web.HAPROXY, lambda conf: ["-db", "-f", str(conf)]),
    More("postfix", "/usr/lib/postfix/sbin/master", "postfix", texts.POSTFIX,
         lambda conf: ["-c", str(conf.parent), "-d"], prepare=make_postfix, ticket=False, why=ONE_EACH,
         files=(("master.cf", texts.POSTFIX_MASTER),),
         dialogue=dialogue.Dialogue(b"QUIT\r\n", b"221 ", dialogue.ask_smtp)),
    More("squid", "squid", "squid-openssl", texts.SQUID, run_squid, prepare=make_own, says=("-v", "--with-openssl")),
    dovecot("dovecot", "imaps", dialogue.Dialogue(b"a CAPABILITY\r\n", b"a OK ")),
    dovecot("dovecot, STARTTLS", "imap", dialogue.Dialogue(b"a CAPABILITY\r\n", b"a OK ", dialogue.ask_imap)),
    More("coturn", "turnserver", "coturn", texts.COTURN, lambda conf: ["-c", str(conf)], prepare=make_own,
         versions=("1.2",), dialogue=dialogue.Dialogue(dialogue.STUN_REQUEST, dialogue.STUN_ANSWER)),
    More("tomcat, native", "java", "libtcnative-1 openjdk-17-jdk-headless maven", texts.TOMCAT, run_tomcat,
         prepare=make_tomcat, needs="/usr/lib/*/libtcnative-1.so*",
         dialogue=dialogue.Dialogue(REQUEST, b"200 ")),
    More("nginx, http3", "nginx", "nginx curl (Debian forky)", texts.NGINX_HTTP3, lambda conf: ["-c", str(conf)],
         says=("-V", "http_v3_module"), versions=("1.3",)),
    More("nginx, lua", "nginx", "libnginx-mod-http-lua", texts.NGINX_LUA, lambda conf: ["-c", str(conf)],
         needs="/usr/lib/nginx/modules/ngx_http_lua_module.so"),
    More("nginx, stream", "nginx", "libnginx-mod-stream", texts.NGINX_STREAM, lambda conf: ["-c", str(conf)],
         needs="/usr/lib/nginx/modules/ngx_stream_module.so"),
)


def ended_seconds(pid: int) -> float:
    """CPU time of the children that a process, and those that it has started, have waited for."""
    fields = process.stat_fields((process.PROC / str(pid) / "stat").read_text())
    ended = (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")
    return ended + sum(ended_seconds(child) for child in process.children(pid))


class MoreServer(Other):
    """One running server. Its CPU time includes processes that ended, in the kernel's ticks of 10 ms."""

    kind: More

    def __init__(self, kind: More, folder: Path, keys: Path, key: str, backend: int, build: Build | None = None,
                 cpus: set[int] | None = None):
        super().__init__(kind, folder, keys, key, backend, build, cpus)
        for name, text in kind.files:
            (folder / name).write_text(text.format(folder=folder, port=self.port, backend=backend,
                                                   user=web.unprivileged()))
        if kind.account and os.geteuid() == 0:
            shutil.chown(folder, kind.account)
        if kind.prepare:
            kind.prepare(self)

    def give(self, name: str) -> None:
        """A file to whom the server runs as."""
        if os.geteuid() == 0:
            shutil.chown(self.folder / name, self.kind.account or web.unprivileged())

    def account(self) -> dict:
        """How subprocess becomes the server's owner."""
        if not self.kind.account or os.geteuid() != 0:
            return {}
        found = pwd.getpwnam(self.kind.account)
        return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}

    def cpu_seconds(self) -> float:
        return super().cpu_seconds() + ended_seconds(self.child.pid)

    def command(self, program: str, *arguments: str) -> None:
        found = [str(path) for path in Path("/").glob(program.lstrip("/"))][-1]
        done = subprocess.run([found, *arguments], capture_output=True, text=True, check=False, cwd=self.folder,
                              **self.account())
        if done.returncode:
            raise ServerError(f"{program} ended with status {done.returncode}: {done.stderr.strip()[-500:]}")
