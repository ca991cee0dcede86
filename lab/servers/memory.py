# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Servers that read their sockets themselves and feed libssl through memory: asyncio, uvloop, Twisted, Node.js. Their
configuration is the program, which answers each request with the same bytes."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass

from lab.servers import web

ASYNCIO = """\
import asyncio, ssl
{loop}

ANSWER = b"HTTP/1.1 200 OK\\r\\nContent-Length: 3\\r\\nConnection: close\\r\\n\\r\\nok\\n"


async def serve(reader, writer):
    try:
        await reader.readuntil(b"\\r\\n\\r\\n")
        writer.write(ANSWER)
        await writer.drain()
    except (OSError, EOFError):
        pass
    writer.close()


async def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("{{folder}}/both.pem")
    server = await asyncio.start_server(serve, "127.0.0.1", {{port}}, ssl=context, backlog=4096)
    await server.serve_forever()


asyncio.run(main())
"""
TWISTED = """\
from OpenSSL import SSL
from twisted.internet import epollreactor

epollreactor.install()
from twisted.internet import protocol, reactor, ssl

ANSWER = b"HTTP/1.1 200 OK\\r\\nContent-Length: 3\\r\\nConnection: close\\r\\n\\r\\nok\\n"


class Answer(protocol.Protocol):
    def dataReceived(self, data):
        self.transport.write(ANSWER)
        self.transport.loseConnection()


context = ssl.DefaultOpenSSLContextFactory("{folder}/both.pem", "{folder}/both.pem", sslmethod=SSL.TLS_METHOD)
reactor.listenSSL({port}, protocol.Factory.forProtocol(Answer), context, backlog=4096, interface="127.0.0.1")
reactor.run()
"""
AIOHTTP = """\
import ssl
from aiohttp import web


async def answer(request):
    return web.Response(text="ok\\n", headers={{"Connection": "close"}})


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("{folder}/both.pem")
application = web.Application()
application.router.add_get("/answer", answer)
web.run_app(application, host="127.0.0.1", port={port}, ssl_context=context, backlog=4096, access_log=None, print=None)
"""
# An application of ASGI, which uvicorn runs by itself or gunicorn's worker does. Debian's uvicorn takes uvloop.
APPLICATION = """\
async def answer(scope, receive, send):
    if scope["type"] == "http":
        await send({{"type": "http.response.start", "status": 200,
                    "headers": [(b"content-length", b"3"), (b"connection", b"close")]}})
        await send({{"type": "http.response.body", "body": b"ok\\n"}})


FILES = dict(keyfile="{folder}/both.pem", certfile="{folder}/both.pem")
"""
UVICORN = APPLICATION + """\
import uvicorn

uvicorn.run(answer, host="127.0.0.1", port={port}, backlog=4096, log_level="error", lifespan="off",
            **{{f"ssl_{{name}}": path for name, path in FILES.items()}})
"""
GUNICORN = APPLICATION + """\
from gunicorn.app.base import BaseApplication


class Application(BaseApplication):
    def load_config(self):
        for name, value in (dict(bind="127.0.0.1:{port}", workers=1, backlog=4096,
                                 worker_class="uvicorn.workers.UvicornWorker") | FILES).items():
            self.cfg.set(name, value)

    def load(self):
        return answer


Application().run()
"""
NODE = """\
const pem = require('fs').readFileSync('{folder}/both.pem');
const answer = 'HTTP/1.1 200 OK\\r\\nContent-Length: 3\\r\\nConnection: close\\r\\n\\r\\nok\\n';
const server = require('tls').createServer({{ cert: pem, key: pem }}, (socket) => {{
  socket.on('error', () => {{}});
  socket.once('data', () => socket.end(answer));
}});
server.on('tlsClientError', () => {{}});
server.listen({{ port: {port}, host: '127.0.0.1', backlog: 4096 }});
process.on('SIGTERM', () => process.exit(0));
"""
PYTHON = "/usr/bin/python3"  # Debian's own, whose ssl module has the system's libssl
SHARED = "process.config.variables.node_shared_openssl && process.versions.openssl[0] === '3'"


@dataclass(frozen=True)
class Fed(web.Kind):
    """A server, and what to ask whether it can be used: a program's arguments, and what it has to say."""

    asks: tuple[str, ...] = ()
    says: str = ""

    def path(self) -> str | None:
        found = os.environ.get("OCTUPLE_TEST_NODE") if self.name == "node" else None
        found = found or shutil.which(self.program)
        if found is None:
            return None
        done = subprocess.run([found, *self.asks], capture_output=True, text=True, check=False)
        return found if done.returncode == 0 and self.says in done.stdout else None


def of_python(name: str, package: str, module: str, text: str) -> Fed:
    return Fed(name, PYTHON, package, text, lambda conf: ["-B", str(conf)], asks=("-c", f"import {module}"))


# What many put on asyncio and uvloop.
FRAMEWORKS = (
    of_python("aiohttp", "python3-aiohttp", "aiohttp", AIOHTTP),
    of_python("uvicorn", "python3-uvicorn", "uvicorn, uvloop", UVICORN),
    of_python("gunicorn", "gunicorn", "gunicorn.app.base, uvicorn.workers", GUNICORN),
)
KINDS = (
    of_python("asyncio", "python3", "ssl", ASYNCIO.format(loop="")),
    of_python("uvloop", "python3-uvloop", "uvloop",
              ASYNCIO.format(loop="import uvloop\n\nuvloop.install()")),
    of_python("twisted", "python3-twisted", "twisted.internet.ssl", TWISTED),
    Fed("node", "node", "nodejs", NODE, lambda conf: [str(conf)], asks=("-p", SHARED), says="true"),
)
