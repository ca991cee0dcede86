# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Uses Python's own TLS and that of psycopg2, which has a libssl of its own with it.

usage: postgres_client.py ssl-first|psycopg2-first WHERE_PSYCOPG2_IS TLS_PORT POSTGRES_PORT
"""

import importlib
import socket
import sys
import threading

order, where, tls_port, postgres_port = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
sys.path.insert(0, where)
names = ["ssl", "psycopg2"] if order == "ssl-first" else ["psycopg2", "ssl"]
modules = {name: importlib.import_module(name) for name in names}
context = modules["ssl"].create_default_context()
context.check_hostname, context.verify_mode = False, modules["ssl"].CERT_NONE


def by_ssl() -> str:
    with socket.create_connection(("127.0.0.1", tls_port), timeout=30) as raw, context.wrap_socket(raw) as sock:
        sock.sendall(b"hello")
        return f"ssl: {sock.recv(5).decode()} {sock.version()}"


def by_psycopg2() -> str:
    connection = modules["psycopg2"].connect(host="127.0.0.1", port=postgres_port, user="it", dbname="it", password="",
                                             sslmode="require", gssencmode="disable", connect_timeout=30)
    said = f"psycopg2: {connection.info.ssl_in_use} {connection.info.ssl_attribute('protocol')}"
    connection.close()
    return said


def both() -> None:
    said = [work() for work in 3 * ([by_ssl, by_psycopg2] if order == "ssl-first" else [by_psycopg2, by_ssl])]
    with lock:
        print("\n".join(said))


lock = threading.Lock()
both()
threads = [threading.Thread(target=both) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
