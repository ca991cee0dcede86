# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Which row a sample of perf counts for."""
import os

import pytest
from bench.measure import machinery
from lab import load

SAMPLES = """\
\t    7f01 __x64_sys_write+0x10 ([kernel.kallsyms])
\t    7f02 entry_SYSCALL_64_after_hwframe+0x5 ([kernel.kallsyms])
\t    7f03 write+0x14 (/usr/lib/x86_64-linux-gnu/libc.so.6)
\t    7f04 [unknown] (/usr/lib/x86_64-linux-gnu/libcrypto.so.3)
\t    7f05 BIO_ctrl+0x90 (/usr/lib/x86_64-linux-gnu/libcrypto.so.3)
\t    7f06 [unknown] (/usr/lib/x86_64-linux-gnu/libssl.so.3)
\t    7f07 SSL_do_handshake+0x30 (/usr/lib/x86_64-linux-gnu/libssl.so.3)
\t    7f08 ngx_ssl_handshake+0x42 (/usr/sbin/nginx)

\t    7f11 _int_malloc+0x10 (/usr/lib/x86_64-linux-gnu/libc.so.6)
\t    7f12 malloc+0x11 (/usr/lib/x86_64-linux-gnu/libc.so.6)
\t    7f13 ngx_alloc+0x10 (/usr/sbin/nginx)

\t    7f21 [unknown] (/usr/lib/x86_64-linux-gnu/libssl.so.3)

\t    7f31 oct_avx512_p256+0x8 (/opt/lib/liboctuple.so.0.1.0)
\t    7f32 [unknown] (/opt/lib/ossl-modules/octuple.so)
\t    7f33 [unknown] (/usr/lib/x86_64-linux-gnu/libssl.so.3)
"""


def test_each_sample_has_its_rows():
    samples, tables = machinery.read_samples(SAMPLES)
    assert samples == 4
    assert tables["library"] == {"kernel": 1, "libc": 1, "libssl": 1, "Octuple's lanes and ciphers": 1}
    assert tables["below libssl"] == {"BIO_ctrl": 1, "libssl's own code": 1, "oct_avx512_p256": 1}
    assert tables["system call"] == {"write": 1}
    assert tables["allocator"] == {"malloc": 1}


def test_text_keeps_every_microsecond():
    """Rows that are too small for a line of their own are in the last one."""
    side = {"cpu_us_per_handshake": 10.0, "us": {name: {"a": 9.0, "b": 0.25, "c": 0.15} for name in machinery.TABLES},
            "us_by_chance": {name: {"a": 0.5} for name in machinery.TABLES}}
    text = machinery.text({"title": "T", "stock": side, "octuple": side, "cpu_ratio": 1.0}, 0.5)
    assert "10.0 stock, 10.0 octuple. Stock over Octuple: 1.00." in text
    assert text.count("| a | 9.0 | 9.0 | 0.5 |") == text.count("| all others | 0.4 | 0.4 | |") == len(machinery.TABLES)


@pytest.mark.parametrize("name", [handshake.name for handshake in load.RESUMED])
def test_resuming_client(nginx, load_program, name):
    """Every handshake resumes, and a server that gives no tickets is told as such."""
    handshake = load.named(name)
    report = load.run(load_program, nginx.ports[handshake.key], min(os.sched_getaffinity(0)), handshake, connections=4,
                      seconds=0.3)
    assert report["completed"] > 4 and report["failed_total"] == 0 and report["first_failure"] == ""


def test_server_that_does_not_resume(s_server, load_program):
    port = s_server("rsa2048", "-no_ticket", "-no_cache", "-tls1_2")
    report = load.run(load_program, port, min(os.sched_getaffinity(0)), load.named("tls12-resumed"), connections=1,
                      seconds=0.2)
    assert report["completed"] == 0 and report["failed_total"] > 0
    assert report["first_failure"]
