# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Configurations of nginx and HAProxy: the one text of each that measurements and tests have."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

NGINX = """\
{main}
daemon off;
worker_processes {workers};
pid {folder}/nginx.pid;
error_log {folder}/error.log {log};
events {{ worker_connections {connections}; {events} }}
"""
HTTP = """\
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {http}
"""
SERVER = """\
    server {{
        {text}
    }}
"""
TLS = "ssl_protocols TLSv1.2 TLSv1.3;"
HAPROXY = """\
global
    {main}
defaults
    mode http
    timeout connect {seconds}s
    timeout client {seconds}s
    timeout server {seconds}s
"""
FRONTEND = """\
frontend {name}
    {text}
"""
ANSWER = 'return 200 "ok\\n";'
HAPROXY_ANSWER = 'http-request return status 200 content-type text/plain string "ok\\n"'


def certificate(keys: Path | str, key: str) -> str:
    return f"ssl_certificate {keys}/{key}.crt; ssl_certificate_key {keys}/{key}.key;"


def server(*lines: str) -> str:
    """A block of nginx's."""
    return SERVER.format(text="\n        ".join(filter(None, lines)))


def nginx_alone(folder: Path | str, *, main: str = "", workers: int | str = 1, log: str = "warn",
                connections: int = 8192, events: str = "") -> str:
    """What stands outside of `http` and `stream`. `main` stands first, `events` in that block."""
    return NGINX.format(folder=folder, main=main, workers=workers, log=log, connections=connections, events=events)


def nginx(folder: Path | str, servers: Iterable[str], *, http: str = TLS, **words) -> str:
    """All of it, with these blocks behind the lines `http`; `words` as above."""
    return nginx_alone(folder, **words) + HTTP.format(folder=folder, http=http) + "".join(servers) + "}\n"


def frontend(name: str, *lines: str) -> str:
    """A part of HAProxy's."""
    return FRONTEND.format(name=name, text="\n    ".join(filter(None, lines)))


def haproxy(*parts: str, main: str = "nbthread 1\n    maxconn 4000", seconds: int = 10) -> str:
    return HAPROXY.format(main=main, seconds=seconds) + "".join(parts)


def template(text: str) -> str:
    """The text for str.format(): only {words} like this one stand for something."""
    return re.sub(r"\{[a-z]+\}|[{}]", lambda found: found[0] if len(found[0]) > 1 else 2 * found[0], text)
