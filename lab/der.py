# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""DER and PEM, for keys that no program here writes: those that stand for one elsewhere."""

from __future__ import annotations

import base64

UTF8_STRING, VISIBLE_STRING, INTEGER, SEQUENCE = 0x0C, 0x1A, 0x02, 0x30


def value(tag: int, content: bytes) -> bytes:
    size = len(content)
    octets = size.to_bytes((size.bit_length() + 7) // 8)
    return bytes([tag]) + (octets.rjust(1, b"\0") if size < 128 else bytes([0x80 + len(octets)]) + octets) + content


def integer(number: int) -> bytes:
    """Of a number that is not negative."""
    return value(INTEGER, number.to_bytes(number.bit_length() // 8 + 1))


def pem(label: str, *parts: bytes) -> str:
    """A sequence of these."""
    body = base64.encodebytes(value(SEQUENCE, b"".join(parts))).decode()
    return f"-----BEGIN {label}-----\n{body}-----END {label}-----\n"
