# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""More servers, each of which takes a package that nothing else here needs: brokers, databases, DNS, proxies.

`tests/servers/run` tests them, `bench/servers --more` measures them. All that is known about a server stands in its
row. The servers themselves run as those of others.py do.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from . import dialogue, others, process
from .others import REQUEST, Other
from .programs import Build
from .server import ServerError

MOSQUITTO = """\
listener {port} 127.0.0.1
certfile {folder}/both.pem
keyfile {folder}/both.pem
allow_anonymous true
persistence false
user {user}
max_connections -1
log_dest none
"""
UNBOUND = """\
server:
    interface: 127.0.0.1@{port}
    tls-port: {port}
    tls-service-key: "{folder}/both.pem"
    tls-service-pem: "{folder}/both.pem"
    num-threads: 1
    incoming-num-tcp: 1000
    do-daemonize: no
    use-syslog: no
    chroot: ""
    directory: "{folder}"
    pidfile: ""
    username: ""
    local-zone: "test." static
    local-data: "octuple.test. A 192.0.2.1"
remote-control:
    control-enable: no
"""
DNSDIST = """\
setLocal("127.0.0.2:{port}")
addTLSLocal("127.0.0.1:{port}", "{folder}/both.pem", "{folder}/both.pem", {{ provider="openssl" }})
setMaxTCPClientThreads(1)
newServer({{address="127.0.0.1:{backend}", healthCheckMode="up"}})
addAction(AllRule(), SpoofAction("192.0.2.1"))
"""
POSTGRESQL = """\
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = ''
max_connections = 300
ssl = on
ssl_cert_file = '{folder}/both.pem'
ssl_key_file = '{folder}/both.pem'
data_directory = '{folder}/data'
hba_file = '{folder}/hba'
ident_file = '{folder}/ident'
fsync = off
"""
MARIADB = """\
[mariadbd]
bind-address = 127.0.0.1
port = {port}
datadir = {folder}/data
socket = {folder}/socket
pid-file = {folder}/pid
ssl-cert = {folder}/both.pem
ssl-key = {folder}/both.pem
skip-grant-tables
skip-networking = 0
max-connections = 1000
max-connect-errors = 1000000
back-log = 4096
skip-name-resolve
"""
TRAFFIC_RECORDS = """\
CONFIG proxy.config.http.server_ports STRING {port}:ipv4:ssl
CONFIG proxy.config.admin.user_id STRING {user}
CONFIG proxy.config.exec_thread.autoconfig INT 0
CONFIG proxy.config.exec_thread.limit INT 1
CONFIG proxy.config.accept_threads INT 0
CONFIG proxy.config.ssl.server.cert.path STRING {folder}
CONFIG proxy.config.ssl.server.private_key.path STRING {folder}
CONFIG proxy.config.url_remap.remap_required INT 1
CONFIG proxy.config.http.cache.http INT 0
CONFIG proxy.config.log.logging_enabled INT 0
CONFIG proxy.config.diags.output.error STRING E
CONFIG proxy.config.ssl.async.handshake.enabled INT {native}
"""
RUN_ROOT = """\
prefix: {folder}
exec_prefix: {folder}
bindir: /usr/bin
sbindir: /usr/bin
sysconfdir: {folder}
datadir: {folder}/ts
libexecdir: {folder}/ts
localstatedir: {folder}/ts
runtimedir: {folder}/ts
logdir: {folder}/ts
cachedir: {folder}/ts
"""
NGINX = """\
daemon off;
worker_processes 1;
pid {folder}/pid;
error_log {folder}/error.log warn;
events {{ worker_connections 8192; }}
"""
NGINX_LUA = """\
load_module modules/ndk_http_module.so;
load_module modules/ngx_http_lua_module.so;
""" + NGINX + """\
http {{
    access_log off;
    server {{
        listen 127.0.0.1:{port} ssl backlog=4096;
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_certificate {folder}/both.pem;
        ssl_certificate_key {folder}/both.pem;
        ssl_certificate_by_lua_block {{ ngx.ctx.seen = true }}
        location / {{ content_by_lua_block {{ ngx.say("ok") }} }}
    }}
}}
"""
NGINX_STREAM = """\
load_module modules/ngx_stream_module.so;
""" + NGINX + """\
stream {{
    server {{
        listen 127.0.0.1:{port} ssl backlog=4096;
        ssl_protocols TLSv1.2 TLSv1.3;
        ssl_certificate {folder}/both.pem;
        ssl_certificate_key {folder}/both.pem;
        proxy_pass 127.0.0.1:{backend};
    }}
}}
"""


@dataclass(frozen=True)
class More(others.Kind):
    """A server and what else it takes: files, an account, a dialogue, and whether it sends a ticket by itself."""

    dialogue: dialogue.Dialogue = dialogue.Dialogue(REQUEST, b"200 OK")
    files: tuple[tuple[str, str], ...] = ()  # besides the configuration; filled in like it
    account: str = ""  # whose it is if root starts it
    prepare: Callable[["MoreServer"], None] | None = None
    ticket: bool = True
    needs: str = ""  # a file that its package has, if its program alone is not enough
    why: str = ""  # why there are no lanes

    def path(self) -> str | None:
        if self.needs and not next(Path("/").glob(self.needs.lstrip("/")), None):
            return None
        found = next(Path("/").glob(self.program.lstrip("/")), None) if "/" in self.program else None
        return str(found) if found else super().path()


ONE_EACH = "a process for each connection: no two handshakes meet in one process"
HIDDEN = "none ran in lanes without its own asynchronous mode"


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


def traffic_server(name: str, native: int) -> More:
    return More(name, "traffic_server", "trafficserver", TRAFFIC_RECORDS.replace("{native}", str(native)),
                lambda conf: [f"--run-root={conf.parent}"], prepare=make_traffic_server, why="" if native else HIDDEN,
                files=(("records.config", TRAFFIC_RECORDS.replace("{native}", str(native))),
                       ("remap.config", "map / http://127.0.0.1:{backend}/\n"),
                       ("ssl_multicert.config", "dest_ip=* ssl_cert_name=both.pem ssl_key_name=both.pem\n"),
                       ("storage.config", ""),
                       ("ip_allow.yaml", "ip_allow:\n  - {{apply: in, ip_addrs: 127.0.0.1, action: allow}}\n"),
                       ("runroot.yaml", RUN_ROOT)))


KINDS = (
    More("mosquitto", "mosquitto", "mosquitto", MOSQUITTO, lambda conf: ["-c", str(conf)],
         dialogue=dialogue.Dialogue(dialogue.MQTT_REQUEST, b"\x20\x02\x00\x00")),
    More("unbound", "unbound", "unbound", UNBOUND, lambda conf: ["-d", "-c", str(conf)],
         dialogue=dialogue.Dialogue(dialogue.DNS_REQUEST, bytes((192, 0, 2, 1)))),
    More("dnsdist", "dnsdist", "dnsdist", DNSDIST, lambda conf: ["--supervised", "--disable-syslog", "-C", str(conf)],
         dialogue=dialogue.Dialogue(dialogue.DNS_REQUEST, bytes((192, 0, 2, 1)))),
    More("postgresql", "/usr/lib/postgresql/*/bin/postgres", "postgresql", POSTGRESQL,
         lambda conf: [f"--config-file={conf}"], account="postgres", prepare=make_postgresql, ticket=False,
         files=(("hba", "hostssl all all 127.0.0.1/32 trust\n"), ("ident", "")), why=ONE_EACH,
         dialogue=dialogue.Dialogue(dialogue.POSTGRESQL_REQUEST, b"Z\0\0\0\5I", dialogue.ask_postgresql)),
    More("mariadb", "mariadbd", "mariadb-server", MARIADB, lambda conf: [f"--defaults-file={conf}"],
         account="mysql", prepare=make_mariadb, ticket=False,
         dialogue=dialogue.Dialogue(dialogue.MARIADB_REQUEST, b"\0\0\2\0", dialogue.ask_mariadb)),
    traffic_server("traffic server", 0),
    traffic_server("traffic server, native", 1),
    More("haproxy", "haproxy", "haproxy", others.HAPROXY, lambda conf: ["-db", "-f", str(conf)]),
    More("nginx, lua", "nginx", "libnginx-mod-http-lua", NGINX_LUA, lambda conf: ["-c", str(conf)],
         needs="/usr/lib/nginx/modules/ngx_http_lua_module.so"),
    More("nginx, stream", "nginx", "libnginx-mod-stream", NGINX_STREAM, lambda conf: ["-c", str(conf)],
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
                                                   user=others.unprivileged()))
        if kind.account and os.geteuid() == 0:
            shutil.chown(folder, kind.account)
        if kind.prepare:
            kind.prepare(self)

    def give(self, name: str) -> None:
        """A file to whom the server runs as."""
        if os.geteuid() == 0:
            shutil.chown(self.folder / name, self.kind.account or others.unprivileged())

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
