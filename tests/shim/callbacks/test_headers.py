# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""Every function and macro of the installed OpenSSL that takes a callback is a row of test_callbacks.c's table."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.servers.common import rig
from tests.shim.callbacks import headers

PROGRAM = "octuple_test_callbacks"


def listed() -> dict[str, str]:
    """Each name of the table, and why no handshake reaches it, which is empty for those that are tested."""
    program = next(rig.build_from_environment().folder.glob(f"**/{PROGRAM}"))
    done = subprocess.run([program, "--list"], env=rig.clean_environment(), capture_output=True, text=True, check=True)
    rows = [line.partition(": ") for line in done.stdout.splitlines()]
    assert len({name for name, _, _ in rows}) == len(rows), "a name is there twice"
    return {name: reason for name, _, reason in rows}


def test_no_callback_is_missing():
    found = headers.in_headers(headers.folders(os.environ.get("CC", "cc")))
    rows = listed()
    missing = {name: header for name, header in found.items() if name not in rows}
    assert not missing, f"without a row in tests/shim/callbacks: {missing}"


def test_reader_finds_what_is_known():
    """One of each way to write a callback down: in place, as a typedef, behind a macro, and as a type of function."""
    found = headers.in_headers(headers.folders())
    assert {"SSL_CTX_sess_set_new_cb", "SSL_CTX_set_alpn_select_cb", "SSL_CTX_set_tlsext_servername_callback",
            "SSL_get_ex_new_index", "SSL_CTX_set_default_passwd_cb", "X509_STORE_set_get_issuer",
            "SSL_CTX_set_verify"} <= set(found)
    assert not {"SSL_CTX_get_info_callback", "SSL_CTX_sess_get_new_cb", "SSL_read", "SSL_CTX_set_timeout"} & set(found)


def test_reader_sees_a_new_one(tmp_path):
    """A header of a release to come."""
    header: Path = tmp_path / "openssl" / "ssl.h"
    header.parent.mkdir()
    header.write_text("typedef int (*SSL_new_cb_fn)(SSL *s,\n    void *arg);\n"
                      "__owur int SSL_CTX_set_new_things_cb(SSL_CTX *ctx, SSL_new_cb_fn cb,\n void *arg);\n"
                      "# define SSL_set_other_things_callback(s, cb) \\\n"
                      "    SSL_callback_ctrl(s, 7, (void (*)(void))cb)\n"
                      "int (*SSL_CTX_get_new_things_cb(SSL_CTX *ctx))(SSL *s, void *arg);\n"
                      "int SSL_CTX_set_plain_things(SSL_CTX *ctx, long n);\n")
    assert set(headers.in_headers([header.parent])) == {"SSL_CTX_set_new_things_cb",
                                                                "SSL_set_other_things_callback"}


def test_reasons_are_given():
    """Rows are tested, or say why not; most of them are tested."""
    reasons = list(listed().values())
    assert sum(not reason for reason in reasons) > 2 * sum(bool(reason) for reason in reasons)
