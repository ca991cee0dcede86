# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""What a hostile client does, one step after the other. A step is a function of the peer; a Wait lets the server run.

Steps that send a part of a handshake take what is to be wrong with it as arguments; without arguments they are what an
honest client does.
"""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass

from tlslite.utils.cryptomath import HKDF_expand_label, derive_secret, secureHMAC

from . import wire
from tests.servers.hostile.peer import HASH, Peer, ZEROS
from tests.servers.hostile.wire import many16, u16, u8, v16, v24, v8

Step = Callable[[Peer], None]
REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


@dataclass(frozen=True)
class Wait:
    """Until the server has said this (an entry of Peer.heard), as often; with no text, for one turn of the server's."""

    text: str = ""
    times: int = 1

    def over(self, peer: Peer) -> bool:
        return not self.text or peer.heard.count(self.text) >= self.times


TURN = Wait()
RETRY, DONE, SERVED = Wait("retry"), Wait(str(wire.SERVER_DONE)), Wait(str(wire.FINISHED))
TICKETS = Wait(str(wire.TICKET), 2)  # both of a TLS 1.3 server's
TICKET = Wait(str(wire.TICKET))

# ClientHello.

SUITES_12 = many16(wire.ECDHE_GCM, wire.RSA_GCM)
SIGNATURES = v16(many16(0x0804, 0x0805, 0x0806, 0x0403, 0x0401, 0x0501, 0x0601))
NAME = v16(u8(0) + v16(b"localhost"))


def honest(peer: Peer, tls13: bool) -> dict[int, bytes]:
    """The extensions of an honest hello. After a retry the share is of the group that was asked for."""
    found = {wire.SNI: NAME, wire.GROUPS: v16(many16(wire.X25519, wire.P256, wire.P384)), wire.SIGNATURES: SIGNATURES}
    if not tls13:
        return found | {wire.FORMATS: v8(b"\0"), wire.EMS: b""}
    public = wire.share(peer.group, peer.material.public.get(peer.group, b""))
    return found | {wire.VERSIONS: v8(u16(0x0304)), wire.PSK_MODES: v8(b"\1"), wire.SHARES: v16(public)}


def hello_body(peer: Peer, tls13: bool, ext: dict | None = None, tail: bytes = b"", raw: bytes | None = None,
               version: int = 0x0303, session: bytes | None = None, suites: bytes | None = None,
               compressions: bytes = b"\0") -> bytes:
    """`ext` changes extensions (None: leave it out; a function of the peer: call it), `tail` goes behind them into
    their list, `raw` is everything after the compression methods."""
    extensions = honest(peer, tls13)
    for kind, body in (ext or {}).items():
        extensions.pop(kind, None)
        if body is not None:
            extensions[kind] = body(peer) if callable(body) else body
    listed = b"".join(wire.extension(kind, body) for kind, body in extensions.items()) + tail
    if session is None:
        session = peer.session if tls13 else b""
    if suites is None:
        suites = many16(wire.AES_13) if tls13 else SUITES_12
    return (u16(version) + peer.random + v8(session) + v16(suites) + v8(compressions)
            + (v16(listed) if raw is None else raw))


def whole(peer: Peer, message: bytes) -> None:
    """As an honest client sends it."""
    peer.send(wire.HANDSHAKE, message)


def hello(tls13: bool, edit: Callable[[bytes], bytes] | None = None,
          send: Callable[[Peer, bytes], None] = whole, binder: Callable[[bytes], bytes] | None = None,
          **settings) -> Step:
    """`edit` changes the body, `send` sends the message;
    `binder`, for one that ends in a pre-shared key, changes that."""
    def step(peer: Peer) -> None:
        body = hello_body(peer, tls13, **settings)
        if edit:
            body = edit(body)
        message = wire.message(wire.CLIENT_HELLO, body)
        if binder:
            message = message[:-32] + binder(binder_of(peer, message[:-35]))
        peer.transcript.update(message)
        send(peer, message)
    return step


def hello12(**settings) -> Step:
    return hello(False, **settings)


def hello13(**settings) -> Step:
    return hello(True, **settings)


def identity(peer: Peer, change: Callable[[bytes], bytes] = bytes) -> bytes:
    """A pre_shared_key extension with the run's ticket and room for a binder of 32 bytes."""
    ticket = peer.material.tickets["1.3"]
    peer.psk = ticket.secret
    offered = v16(change(ticket.ticket)) + ((ticket.age_add + 1000) % (1 << 32)).to_bytes(4, "big")
    return v16(offered) + v16(v8(bytes(32)))


def binder_of(peer: Peer, truncated: bytes) -> bytes:
    early = secureHMAC(ZEROS, peer.psk, HASH)
    key = HKDF_expand_label(derive_secret(early, b"res binder", None, HASH), b"finished", b"", 32, HASH)
    so_far = peer.transcript.copy()
    so_far.update(truncated)
    return bytes(secureHMAC(key, so_far.digest(HASH), HASH))


# Records and messages.

def raw(data: bytes) -> Step:
    return lambda peer: peer.raw(data)


def plain(kind: int, payload: bytes, **settings) -> Step:
    """A record without protection, whatever the state."""
    return lambda peer: peer.raw(wire.record(kind, payload, **settings))


def send(kind: int, payload: bytes) -> Step:
    """A record as protected as the state has it, whatever its length."""
    return lambda peer: peer.raw(peer.seal(kind, payload))


def bent(kind: int, payload: bytes, edit: Callable[[bytes], bytes]) -> Step:
    """A protected record that is changed on its way."""
    return lambda peer: peer.raw(edit(peer.seal(kind, payload)))


def say(kind: int, body: bytes) -> Step:
    return lambda peer: peer.say(kind, body)


def alert(level: int, description: int) -> Step:
    return send(wire.ALERT, u8(level) + u8(description))


def times(count: int, step: Step) -> Step:
    def repeated(peer: Peer) -> None:
        for _ in range(count):
            step(peer)
    return repeated


def ccs(body: bytes = b"\1") -> Step:
    """A ChangeCipherSpec; in TLS 1.2 it changes the keys, once there are any."""
    def step(peer: Peer) -> None:
        peer.raw(wire.record(wire.CCS, body))
        if not peer.tls13 and peer.master:
            peer.layer.changeWriteState()
    return step


def finished(edit: Callable[[bytes], bytes] = bytes) -> Step:
    def step(peer: Peer) -> None:
        peer.say(wire.FINISHED, edit(peer.finished()))
        if peer.tls13:
            peer.after_finished()
    return step


def request(peer: Peer) -> None:
    peer.send(wire.DATA, REQUEST)


# TLS 1.2: ClientKeyExchange.

def ecdhe(edit: Callable[[bytes], bytes] = bytes) -> Step:
    """`edit` changes the body: a length and our point."""
    def step(peer: Peer) -> None:
        peer.say(wire.CLIENT_KEY, edit(v8(peer.material.public[peer.group])))
        peer.keys_12(bytes(peer.material.shared(peer.group, peer.server_point)))
    return step


def padded(size: int, premaster: bytes) -> bytes:
    """PKCS #1 v1.5, type 2."""
    return b"\0\2" + bytes(1 + byte % 255 for byte in os.urandom(size - 3 - len(premaster))) + b"\0" + premaster


def rsa(block: Callable[[int, bytes], bytes] = padded, premaster: bytes = b"", offered: int = 0x0303,
        edit: Callable[[bytes, int], bytes] | None = None) -> Step:
    """`block` makes what is encrypted of the modulus's size and the pre-master secret;
    `edit` changes the body, knowing the modulus."""
    def step(peer: Peer) -> None:
        secret = premaster or u16(offered) + os.urandom(46)
        size = (peer.material.modulus.bit_length() + 7) // 8
        number = pow(int.from_bytes(block(size, secret), "big"), peer.material.exponent, peer.material.modulus)
        body = v16(number.to_bytes(size, "big"))
        peer.say(wire.CLIENT_KEY, edit(body, peer.material.modulus) if edit else body)
        peer.keys_12(secret)
    return step


def exchange(peer: Peer) -> None:
    """An honest one, of the kind that the server has chosen."""
    (ecdhe() if peer.server_point else rsa())(peer)


# Client authentication.

def certificate(name: str = "client-rsa2048", edit: Callable[[bytes], bytes] = bytes) -> Step:
    """No certificate if there is no name. `edit` changes DER."""
    def step(peer: Peer) -> None:
        entry = v24(edit(bytes(peer.material.certificate(name).bytes))) if name else b""
        if peer.tls13:
            peer.say(wire.CERTIFICATE, v8(b"") + v24(entry + v16(b"") if name else b""))
        else:
            peer.say(wire.CERTIFICATE, v24(entry))
    return step


def verify(edit: Callable[[bytes], bytes] = bytes, scheme: int | None = None) -> Step:
    def step(peer: Peer) -> None:
        named = scheme or (0x0804 if peer.tls13 else 0x0401)
        peer.say(wire.VERIFY, u16(named) + v16(edit(peer.signed())))
    return step


def key_update(body: bytes = b"\0", rekey: bool = True) -> Step:
    def step(peer: Peer) -> None:
        peer.send(wire.HANDSHAKE, wire.message(wire.KEY_UPDATE, body))
        if rekey:
            peer.update_write_key()
    return step


def keep(name: str) -> Step:
    """The ticket that came is for all to use."""
    def step(peer: Peer) -> None:
        if peer.ticket is None:
            raise ValueError("the server gave no ticket")
        peer.material.tickets[name] = peer.ticket
    return step


# TCP.

def half_close(peer: Peer) -> None:
    peer.flush()
    peer.sock.shutdown(socket.SHUT_WR)


def close(peer: Peer) -> None:
    peer.flush()
    peer.sock.close()


def reset(peer: Peer) -> None:
    peer.flush()
    peer.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.sock.close()
