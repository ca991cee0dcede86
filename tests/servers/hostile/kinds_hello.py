# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What can be wrong with a ClientHello."""

from __future__ import annotations

from . import wire
from tests.servers.hostile.engine import Kind
from tests.servers.hostile.kinds_good import END_12, END_13, FLIGHT_12, FLIGHT_13
from tests.servers.hostile.peer import Peer
from tests.servers.hostile.steps import RETRY, TURN, alert, ccs, hello12, hello13, identity, plain, raw
from tests.servers.hostile.wire import (ALPN, GROUPS, SHARES, SIGNATURES, SNI, VERSIONS, X25519, extension, flip,
                                        many16, message, record, share, u16, u8, v16, v8)

# Points of small order on Curve25519 and its twist, as their u in bytes: RFC 7748 has them all come to zero.
SMALL = {
    "0": bytes(32), "1": u8(1) + bytes(31),
    "of order 8": bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
    "of order 8, the other": bytes.fromhex("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
    "p - 1": b"\xec" + b"\xff" * 30 + b"\x7f", "p": b"\xed" + b"\xff" * 30 + b"\x7f",
    "p + 1": b"\xee" + b"\xff" * 30 + b"\x7f",
    "0 with the high bit": bytes(31) + b"\x80",
}
P256_PRIME = (1 << 256) - (1 << 224) + (1 << 192) + (1 << 96) - 1


def public(group: int):
    return lambda peer: peer.material.public[group]


def shares(group: int, edit=bytes, offered=None):
    """A key_share extension of our point of a group, changed."""
    return {SHARES: lambda peer: v16(share(offered or group, edit(peer.material.public[group])))}


def off_curve(point: bytes) -> bytes:
    return flip(point)


def too_long(name: str, size: int) -> Kind:
    return Kind(f"hello: {name}", "1.3",
                (hello13(tail=extension(wire.PADDING, bytes(size)), send=fragments(1 << 14)), FLIGHT_13[1:], END_13))


def fragments(size: int):
    """Sends a message as records of so many bytes."""
    def send(peer: Peer, whole: bytes) -> None:
        for start in range(0, len(whole), size):
            peer.raw(record(wire.HANDSHAKE, whole[start:start + size], 0x0301))
    return send


def one_hello(name: str, both: bool = False, **settings) -> list[Kind]:
    """With an honest handshake behind it, for those servers that take it."""
    found = [Kind(f"hello: {name}", "1.3", (hello13(**settings), FLIGHT_13[1:], END_13))]
    return found + ([Kind(f"hello: {name}", "1.2", (hello12(**settings), FLIGHT_12[1:], END_12))] if both else [])


def bad_12(name: str, **settings) -> Kind:
    return Kind(f"hello: {name}", "1.2", (hello12(**settings), FLIGHT_12[1:], END_12))


ENCODING = [
    *one_hello("empty body", True, edit=lambda body: b""),
    *one_hello("cut in the random", True, edit=lambda body: body[:20]),
    *one_hello("cut in the suites", True, edit=lambda body: body[:70] if body[34] else body[:38]),
    *one_hello("a byte behind it", True, edit=lambda body: body + b"\0"),
    *one_hello("session id of 33 bytes", True, session=bytes(33)),
    *one_hello("session id longer than the message", True, edit=lambda body: body[:34] + b"\xff" + body[35:]),
    *one_hello("odd suites", True, suites=b"\x13\x01\x13"),
    *one_hello("no suites", True, suites=b""),
    *one_hello("unknown suites", True, suites=many16(0xFAFA, 0x00FE)),
    *one_hello("no compression methods", True, compressions=b""),
    *one_hello("DEFLATE only", True, compressions=b"\1"),
    *one_hello("DEFLATE too", True, compressions=b"\1\0"),
    *one_hello("extensions: length too long", True, raw=b"\xff\xff\0\0"),
    *one_hello("extensions: length too short", True, raw=b"\0\4\0\x17\0\0\0\0"),
    *one_hello("extensions: one is longer than all", True, tail=b"\x12\x34\xff\xff"),
    *one_hello("extensions: half a header", True, tail=b"\x12\x34"),
    *one_hello("extensions: none", True, raw=b""),
    *one_hello("extensions: two of a kind", True, tail=extension(GROUPS, v16(u16(X25519)))),
    *one_hello("extensions: two unknown of a kind", True, tail=extension(0x1234, b"") * 2),
    *one_hello("extensions: 2000 unknown ones", True, tail=b"".join(extension(0x2000 + i, b"") for i in range(2000))),
    too_long("16 KB", 16000), too_long("60 KB", 60000),
    Kind("hello: 131 KB", "1.3", (raw(record(22, b"\1\2\0\0" + bytes(16000))), raw(record(22, bytes(16384)) * 7))),
    Kind("hello: 16 MB promised", "1.3", (plain(wire.HANDSHAKE, b"\1\xff\xff\xff" + bytes(100)),)),
]

VALUES = [
    bad_12("SSL 3.0", version=0x0300), bad_12("TLS 1.0", version=0x0301), bad_12("TLS 1.1", version=0x0302),
    bad_12("version 3.4 in the old field", version=0x0304), bad_12("version 127.127", version=0x7F7F),
    bad_12("version 0", version=0),
    *one_hello("supported_versions: empty", ext={VERSIONS: v8(b"")}),
    *one_hello("supported_versions: odd", ext={VERSIONS: v8(b"\3\4\3")}),
    *one_hello("supported_versions: unknown only", ext={VERSIONS: v8(many16(0x0305, 0x7A7A))}),
    *one_hello("supported_versions: TLS 1.1 only", ext={VERSIONS: v8(u16(0x0302))}),
    *one_hello("supported_versions: GREASE and 1.3", ext={VERSIONS: v8(many16(0x7A7A, 0x0304))}),
    *one_hello("supported_versions: 1.3, nothing else of 1.3", ext={wire.PSK_MODES: None, SHARES: None}),
    bad_12("fallback SCSV", suites=many16(wire.ECDHE_GCM, 0x5600)),
    bad_12("renegotiation SCSV twice", suites=many16(0xFF, wire.ECDHE_GCM, 0xFF)),
    bad_12("renegotiation_info is not empty", ext={wire.RENEGOTIATION: v8(bytes(12))}),
    bad_12("renegotiation_info has a wrong length", ext={wire.RENEGOTIATION: b"\5\0"}),
    *one_hello("groups: empty", True, ext={GROUPS: v16(b"")}),
    *one_hello("groups: odd", True, ext={GROUPS: v16(b"\0\x1d\0")}),
    *one_hello("groups: none", True, ext={GROUPS: None}),
    *one_hello("groups: length wrong", True, ext={GROUPS: b"\0\x09\0\x1d"}),
    *one_hello("groups: unknown only", True, ext={GROUPS: v16(many16(0x6A6A, 0x1111))}),
    *one_hello("groups: 500", True, ext={GROUPS: v16(u16(0x6A6A) * 500 + u16(X25519))}),
    bad_12("point formats: compressed only", ext={wire.FORMATS: v8(b"\1")}),
    bad_12("point formats: empty", ext={wire.FORMATS: v8(b"")}),
    *one_hello("signatures: none", True, ext={SIGNATURES: None}),
    *one_hello("signatures: empty", True, ext={SIGNATURES: v16(b"")}),
    *one_hello("signatures: unknown only", True, ext={SIGNATURES: v16(many16(0xFEFE))}),
    *one_hello("signatures: odd", True, ext={SIGNATURES: v16(b"\4\1\4")}),
    *one_hello("SNI: empty list", True, ext={SNI: v16(b"")}),
    *one_hello("SNI: empty name", True, ext={SNI: v16(u8(0) + v16(b""))}),
    *one_hello("SNI: not a host name", True, ext={SNI: v16(u8(1) + v16(b"localhost"))}),
    *one_hello("SNI: NUL within", True, ext={SNI: v16(u8(0) + v16(b"local\0host"))}),
    *one_hello("SNI: 300 bytes", True, ext={SNI: v16(u8(0) + v16(b"a" * 300))}),
    *one_hello("SNI: two names", True, ext={SNI: v16((u8(0) + v16(b"localhost")) * 2)}),
    *one_hello("SNI: cut", True, ext={SNI: b"\0\x0c\0\0\x09loc"}), *one_hello("SNI: no bytes", True, ext={SNI: b""}),
    *one_hello("ALPN: unknown only", True, ext={ALPN: v16(v8(b"smtp"))}),
    *one_hello("ALPN: empty list", True, ext={ALPN: v16(b"")}),
    *one_hello("ALPN: empty name", True, ext={ALPN: v16(v8(b""))}),
    *one_hello("ALPN: cut", True, ext={ALPN: v16(b"\x09http")}),
    *one_hello("ALPN: http/1.1 among unknown", True, ext={ALPN: v16(v8(b"zz") + v8(b"http/1.1"))}),
    *one_hello("max_fragment_length 9", True, ext={wire.MAX_FRAGMENT: b"\x09"}),
    *one_hello("max_fragment_length 512", True, ext={wire.MAX_FRAGMENT: b"\1"}),
    *one_hello("record_size_limit 10", True, ext={wire.RECORD_LIMIT: u16(10)}),
    *one_hello("status_request of nonsense", True, ext={wire.STATUS: b"\1\xff\xff"}),
    bad_12("extended_master_secret with contents", ext={wire.EMS: b"\0"}),
    bad_12("encrypt_then_mac with contents", ext={wire.ETM: b"\0"}),
    bad_12("no extended_master_secret", ext={wire.EMS: None}),
    *one_hello("heartbeat asked for", True, ext={wire.USE_HEARTBEAT: b"\1"}),
    *one_hello("compressed certificates asked for", True, ext={wire.COMPRESS: v8(many16(1, 2, 3))}),
    *one_hello("post_handshake_auth", ext={wire.POST_AUTH: b""}),
    *one_hello("post_handshake_auth with contents", ext={wire.POST_AUTH: b"\0"}),
    *one_hello("cookie that nobody gave", ext={wire.COOKIE: v16(b"cookie")}),
    bad_12("session ticket of nonsense", ext={wire.SESSION_TICKET: bytes(range(200))}),
    bad_12("unknown session id", session=bytes(range(32))),
]

KEY_SHARES = [
    *(kind for name, point in SMALL.items()
      for kind in one_hello(f"X25519 share: {name}", ext=shares(X25519, lambda _, point=point: point))),
    *one_hello("X25519 share: high bit set", ext=shares(X25519, lambda point: flip(point, 31, 0x80))),
    *(kind for size in (0, 1, 31, 33, 64)
      for kind in one_hello(f"X25519 share: {size} bytes",
                            ext=shares(X25519, lambda point, size=size: (point * 2)[:size]))),
    *(kind for name, group in (("P-256", wire.P256), ("P-384", wire.P384)) for kind in (
        *one_hello(f"{name} share", ext=shares(group)),
        *one_hello(f"{name} share: not on the curve", ext=shares(group, off_curve)),
        *one_hello(f"{name} share: 0, 0", ext=shares(group, lambda point: b"\4" + bytes(len(point) - 1))),
        *one_hello(f"{name} share: infinity", ext=shares(group, lambda point: b"\0")),
        *one_hello(f"{name} share: compressed",
                   ext=shares(group, lambda point: u8(2 + point[-1] % 2) + point[1:len(point) // 2 + 1])),
        *one_hello(f"{name} share: hybrid form", ext=shares(group, lambda point: u8(6 + point[-1] % 2) + point[1:])),
        *one_hello(f"{name} share: coordinates of all ones",
                   ext=shares(group, lambda point: b"\4" + b"\xff" * (len(point) - 1))),
        *one_hello(f"{name} share: a byte short", ext=shares(group, lambda point: point[:-1])),
        *one_hello(f"{name} share: a byte long", ext=shares(group, lambda point: point + b"\0")),
        *one_hello(f"{name} share: no bytes", ext=shares(group, lambda point: b"")))),
    *one_hello("P-256 share: x = p",
               ext=shares(wire.P256, lambda point: b"\4" + P256_PRIME.to_bytes(32, "big") + point[33:])),
    *one_hello("shares: of a group that is not offered", ext=shares(X25519, offered=wire.FFDHE2048)),
    *one_hello("shares: two of a group",
               ext={SHARES: lambda peer: v16(share(X25519, peer.material.public[X25519]) * 2)}),
    *one_hello("shares: cut", ext={SHARES: lambda peer: v16(share(X25519, peer.material.public[X25519]))[:-5]}),
    *one_hello("shares: length wrong", ext={SHARES: lambda peer: v16(u16(X25519) + b"\0\xff" + bytes(32))}),
    *one_hello("shares: no extension", ext={SHARES: None}),
    *one_hello("shares: unknown groups, then X25519",
               ext={SHARES: lambda peer: v16(share(0x6A6A, b"\0") + share(X25519, peer.material.public[X25519]))}),
]

NO_SHARE = {SHARES: v16(b"")}
ASKED = (hello13(ext=NO_SHARE), RETRY)
RETRIES = [
    Kind("retry: honest", "1.3", (ASKED, hello13(), FLIGHT_13[1:], END_13)),
    Kind("retry: to P-256, honest", "1.3", (hello13(ext=NO_SHARE | {GROUPS: v16(many16(wire.P256))}), RETRY,
                                           hello13(ext={GROUPS: v16(many16(wire.P256))}), FLIGHT_13[1:], END_13)),
    Kind("retry: the same hello again", "1.3", (ASKED, hello13(ext=NO_SHARE), TURN)),
    Kind("retry: another group's share", "1.3", (ASKED, hello13(ext=shares(wire.P384)), FLIGHT_13[1:], END_13)),
    Kind("retry: another suite", "1.3", (ASKED, hello13(suites=many16(wire.CHACHA_13)), FLIGHT_13[1:], END_13)),
    Kind("retry: another session id", "1.3", (ASKED, hello13(session=bytes(32)), FLIGHT_13[1:], END_13)),
    Kind("retry: another SNI", "1.3", (ASKED, hello13(ext={SNI: v16(u8(0) + v16(b"else"))}), FLIGHT_13[1:], END_13)),
    Kind("retry: no supported_versions", "1.3", (ASKED, hello13(ext={VERSIONS: None}), TURN)),
    Kind("retry: small share", "1.3", (ASKED, hello13(ext=shares(X25519, lambda _: bytes(32))), TURN)),
    Kind("retry: share of no bytes", "1.3", (ASKED, hello13(ext=shares(X25519, lambda _: b"")), TURN)),
    Kind("retry: a cookie that nobody gave", "1.3",
         (ASKED, hello13(ext={wire.COOKIE: v16(b"x")}), FLIGHT_13[1:], END_13)),
    Kind("retry: early data offered again", "1.3", (ASKED, hello13(ext={wire.EARLY: b""}), TURN)),
    Kind("retry: TLS 1.2 hello", "1.3", (ASKED, hello12(), TURN)),
    Kind("retry: a Finished instead", "1.3", (ASKED, plain(wire.HANDSHAKE, message(wire.FINISHED, bytes(32))))),
    Kind("retry: data instead", "1.3", (ASKED, plain(wire.DATA, bytes(40)))),
    Kind("retry: ChangeCipherSpec, then honest", "1.3", (ASKED, ccs(), hello13(), FLIGHT_13[1:], END_13)),
    Kind("retry: alert", "1.3", (ASKED, alert(2, 40))),
]


def offer(change=bytes, modes: bytes | None = b"\1", **more) -> dict:
    ext = {wire.PSK_MODES: None if modes is None else v8(modes), **more.pop("ext", {}),
           wire.PSK: lambda peer: identity(peer, change)}
    return {"ext": ext, "binder": bytes, **more}


SESSIONS = [
    Kind("psk: honest", "1.3", (hello13(**offer()), FLIGHT_13[1:], END_13)),
    Kind("psk: wrong binder", "1.3", (hello13(**offer(binder=flip)), FLIGHT_13[1:], END_13)),
    Kind("psk: binder of zeros", "1.3", (hello13(**offer(binder=lambda it: bytes(32))), FLIGHT_13[1:], END_13)),
    Kind("psk: ticket changed at its end", "1.3", (hello13(**offer(flip)), FLIGHT_13[1:], END_13)),
    Kind("psk: ticket changed at its beginning", "1.3",
         (hello13(**offer(lambda it: flip(it, 0))), FLIGHT_13[1:], END_13)),
    Kind("psk: ticket changed in the middle", "1.3",
         (hello13(**offer(lambda it: flip(it, 60))), FLIGHT_13[1:], END_13)),
    Kind("psk: ticket cut", "1.3", (hello13(**offer(lambda it: it[:50])), FLIGHT_13[1:], END_13)),
    Kind("psk: ticket of one byte", "1.3", (hello13(**offer(lambda it: it[:1])), FLIGHT_13[1:], END_13)),
    Kind("psk: ticket of no bytes", "1.3", (hello13(**offer(lambda it: b"")), FLIGHT_13[1:], END_13)),
    Kind("psk: no modes", "1.3", (hello13(**offer(modes=None)), FLIGHT_13[1:], END_13)),
    Kind("psk: mode without key exchange", "1.3", (hello13(**offer(modes=b"\0")), FLIGHT_13[1:], END_13)),
    Kind("psk: modes empty", "1.3", (hello13(**offer(modes=b"")), FLIGHT_13[1:], END_13)),
    Kind("psk: not the last extension", "1.3",
         (hello13(**offer(tail=extension(0x1234, bytes(40)), binder=None)), TURN)),
    Kind("psk: two identities, one binder", "1.3",
         (hello13(ext={wire.PSK: lambda peer: v16((v16(b"one") + bytes(4)) * 2) + v16(v8(bytes(32)))}), TURN)),
    Kind("psk: no identities", "1.3", (hello13(ext={wire.PSK: v16(b"") + v16(v8(bytes(32)))}), TURN)),
    Kind("psk: no binders", "1.3", (hello13(ext={wire.PSK: v16(v16(b"one") + bytes(4)) + v16(b"")}), TURN)),
    Kind("psk: binder of 8 bytes", "1.3",
         (hello13(ext={wire.PSK: v16(v16(b"one") + bytes(4)) + v16(v8(bytes(8)))}), TURN)),
    Kind("psk: cut", "1.3", (hello13(ext={wire.PSK: b"\0\x20"}), TURN)),
    Kind("psk: small share", "1.3", (hello13(**offer(ext=shares(X25519, lambda _: bytes(32)))), TURN)),
]

KINDS = ENCODING + VALUES + KEY_SHARES + RETRIES + SESSIONS
