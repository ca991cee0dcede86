# SPDX-License-Identifier: Apache-2.0
# Copyright The Octuple Authors
"""A TLS client that knows how it is done and leaves it to its steps whether to do it.

It follows the server (keys, transcript, alerts) as an honest client does, and never sends anything of its own accord.
Records are protected by tlslite-ng's record layer, the key schedule is of its functions; messages are put together in
steps.py.
"""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass, field
from pathlib import Path

from tlslite.handshakehashes import HandshakeHashes
from tlslite.keyexchange import ECDHKeyExchange
from tlslite.mathtls import calc_key
from tlslite.messages import Message
from tlslite.recordlayer import RecordLayer
from tlslite.utils.cryptomath import HKDF_expand_label, derive_secret, secureHMAC
from tlslite.utils.keyfactory import parsePEMKey
from tlslite.x509 import X509

from . import native, wire
from tests.servers.hostile.wire import Reader

HASH = "sha256"  # of every suite that is offered
ZEROS = bytearray(32)
native.use()


@dataclass
class Resumable:
    """A session that the server has given a ticket for."""

    ticket: bytes
    secret: bytes  # of TLS 1.3 the pre-shared key, of TLS 1.2 the master secret
    age_add: int = 0


@dataclass
class Material:
    """What all clients of a run have in common. Their key exchange keys are the same ones:
    that saves time, not safety."""

    keys: Path
    tickets: dict[str, Resumable] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.exchanges = {group: ECDHKeyExchange(group, (3, 4)) for group in (wire.X25519, wire.P256, wire.P384)}
        self.private = {group: exchange.get_random_private_key() for group, exchange in self.exchanges.items()}
        self.public = {group: bytes(exchange.calc_public_value(self.private[group]))
                       for group, exchange in self.exchanges.items()}
        server = self.certificate("rsa2048").publicKey
        self.modulus, self.exponent = server.n, server.e
        self.client_key = parsePEMKey((self.keys / "client-rsa2048.key").read_text(), private=True,
                                      implementations=["python"])

    def certificate(self, name: str) -> X509:
        return X509().parse((self.keys / f"{name}.crt").read_text())

    def shared(self, group: int, theirs: bytes) -> bytes:
        if group == wire.X25519:
            return native.x25519(self.private[group], theirs)
        return self.exchanges[group].calc_shared_key(self.private[group], bytearray(theirs))


class Pipe:
    """What the record layer takes for a socket."""

    def __init__(self) -> None:
        self.incoming, self.outgoing = bytearray(), bytearray()

    def send(self, data: bytes) -> int:
        self.outgoing += data
        return len(data)

    def recv(self, size: int) -> bytes:
        got = bytes(self.incoming[:size])
        del self.incoming[:size]
        return got

    def sent(self) -> bytes:
        data = bytes(self.outgoing)
        self.outgoing.clear()
        return data


class Peer:
    """One connection from a loopback address of its own, by which the server's log knows it."""

    def __init__(self, port: int, source: str, material: Material):
        self.material, self.source = material, source
        self.sock = socket.socket()
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)  # the server stands still while we send
        self.sock.settimeout(30)
        self.sock.bind((source, 0))
        self.sock.connect(("127.0.0.1", port))
        self.pipe = Pipe()
        self.layer = RecordLayer(self.pipe)
        self.layer.version = (3, 3)
        self.outgoing = bytearray()
        self.transcript = HandshakeHashes()
        self.partial = b""  # of a handshake message
        self.random, self.session = os.urandom(32), os.urandom(32)
        self.tls13, self.suite, self.group = False, 0, wire.X25519
        self.server_random, self.server_point, self.peer_signatures = b"", b"", b""
        self.extended = self.retried = False
        self.psk: bytes | None = None
        self.master: bytearray = bytearray()
        self.app_write = None  # the keys that follow our Finished
        self.heard: list[str] = []  # every message of the server's, in order
        self.alerts: list[tuple[int, int]] = []
        self.answer = b""
        self.hello_settings: dict = {}
        self.ticket: Resumable | None = None

    # What goes out.

    def raw(self, data: bytes) -> None:
        self.outgoing += data

    def seal(self, kind: int, payload: bytes) -> bytes:
        """A record under the keys of now."""
        for _ in self.layer.sendRecord(Message(kind, bytearray(payload))):
            pass
        return self.pipe.sent()

    def send(self, kind: int, payload: bytes) -> None:
        for start in range(0, max(len(payload), 1), 1 << 14):
            self.raw(self.seal(kind, payload[start:start + (1 << 14)]))

    def say(self, kind: int, body: bytes) -> None:
        """A handshake message, which is part of the transcript."""
        whole = wire.message(kind, body)
        self.transcript.update(whole)
        self.send(wire.HANDSHAKE, whole)

    def flush(self) -> None:
        data = bytes(self.outgoing)
        self.outgoing.clear()
        if data:
            self.sock.sendall(data)

    # What comes in.

    def feed(self, data: bytes) -> None:
        self.pipe.incoming += data
        incoming = self.pipe.incoming
        if incoming[:1] == b"H":  # an answer without TLS
            self.answer += self.pipe.recv(len(incoming))
        while len(incoming) >= 5 and len(incoming) >= 5 + int.from_bytes(incoming[3:5], "big"):
            self.take_record()

    def take_record(self) -> None:
        rest = bytes(self.pipe.incoming[5 + int.from_bytes(self.pipe.incoming[3:5], "big"):])
        try:
            header, parser = next(self.layer.recvRecord())
        except Exception as error:  # whatever is wrong with it is a part of the verdict
            self.heard.append(type(error).__name__)
            self.pipe.incoming[:] = rest
            return
        payload = bytes(parser.bytes)
        if header.type == wire.ALERT:
            self.alerts.append((payload[0], payload[1]))
        elif header.type == wire.DATA:
            self.answer += payload
        elif header.type == wire.CCS:
            self.heard.append("ccs")
            if not self.tls13:
                self.layer.changeReadState()
        elif header.type == wire.HANDSHAKE:
            self.partial += payload
            while len(self.partial) >= 4 and len(self.partial) >= 4 + int.from_bytes(self.partial[1:4], "big"):
                end = 4 + int.from_bytes(self.partial[1:4], "big")
                whole, self.partial = self.partial[:end], self.partial[end:]
                self.take_message(whole)

    def take_message(self, whole: bytes) -> None:
        kind, reader = whole[0], Reader(whole[4:])
        if kind == wire.SERVER_HELLO:
            return self.take_hello(whole, reader)
        self.heard.append(str(kind))
        if kind == wire.TICKET:
            self.take_ticket(reader)
            if self.tls13:
                return None
        self.transcript.update(whole)
        if kind == wire.SERVER_KEY:
            reader.take(1)
            self.group = reader.number(2)
            self.server_point = reader.vector(1)
        elif kind == wire.FINISHED and self.tls13:
            self.application_keys()
        return None

    def take_hello(self, whole: bytes, reader: Reader) -> None:
        reader.take(2)
        self.server_random = reader.take(32)
        reader.vector(1)
        self.suite = reader.number(2)
        reader.take(1)
        extensions = reader.extensions()
        self.extended = wire.EMS in extensions
        self.layer.encryptThenMAC = wire.ETM in extensions
        if self.server_random == wire.RETRY_RANDOM:
            self.heard.append("retry")
            self.retried, self.group = True, int.from_bytes(extensions[wire.SHARES], "big")
            before, self.transcript = self.transcript.digest(HASH), HandshakeHashes()
            self.transcript.update(wire.message(wire.MESSAGE_HASH, bytes(before)))
            self.transcript.update(whole)
            return
        self.heard.append(str(wire.SERVER_HELLO))
        self.transcript.update(whole)
        if wire.VERSIONS in extensions:
            self.tls13 = True
            theirs = Reader(extensions[wire.SHARES])
            self.group = theirs.number(2)
            self.handshake_keys(theirs.vector(2), wire.PSK in extensions)

    def take_ticket(self, reader: Reader) -> None:
        reader.take(4)
        if not self.tls13:
            self.ticket = Resumable(reader.vector(2), bytes(self.master))
            return
        age_add, nonce, ticket = reader.number(4), reader.vector(1), reader.vector(2)
        secret = HKDF_expand_label(self.resumption, b"resumption", nonce, 32, HASH)
        self.ticket = Resumable(ticket, bytes(secret), age_add)

    # Keys.

    def handshake_keys(self, theirs: bytes, resumed: bool) -> None:
        early = secureHMAC(ZEROS, self.psk if resumed else ZEROS, HASH)
        shared = self.material.shared(self.group, theirs)
        secret = secureHMAC(derive_secret(early, b"derived", None, HASH), shared, HASH)
        self.secrets = [derive_secret(secret, side + b" hs traffic", self.transcript, HASH) for side in (b"c", b"s")]
        self.master = secureHMAC(derive_secret(secret, b"derived", None, HASH), ZEROS, HASH)
        self.layer.version, self.layer.tls13record = (3, 4), True
        self.layer.calcTLS1_3PendingState(self.suite, *self.secrets, ["python"])
        self.layer.changeReadState()
        self.layer.changeWriteState()

    def application_keys(self) -> None:
        secrets = [derive_secret(self.master, side + b" ap traffic", self.transcript, HASH) for side in (b"c", b"s")]
        self.layer.calcTLS1_3PendingState(self.suite, *secrets, ["python"])
        self.layer.changeReadState()
        self.app_secret = secrets[0]

    def finished(self) -> bytes:
        """Our Finished's contents, of the transcript as it is now."""
        if not self.tls13:
            return bytes(calc_key((3, 3), self.master, self.suite, b"client finished", handshake_hashes=self.transcript,
                                  output_length=12))
        key = HKDF_expand_label(self.secrets[0], b"finished", b"", 32, HASH)
        return bytes(secureHMAC(key, self.transcript.digest(HASH), HASH))

    def after_finished(self) -> None:
        """Of TLS 1.3: our records are under application keys now, and tickets can be used."""
        self.layer.changeWriteState()
        self.resumption = derive_secret(self.master, b"res master", self.transcript, HASH)

    def keys_12(self, premaster: bytes) -> None:
        """Of the transcript up to ClientKeyExchange."""
        if self.extended:
            self.master = calc_key((3, 3), premaster, self.suite, b"extended master secret",
                                   handshake_hashes=self.transcript, output_length=48)
        else:
            self.master = calc_key((3, 3), premaster, self.suite, b"master secret", client_random=self.random,
                                   server_random=self.server_random, output_length=48)
        self.pending_12()

    def pending_12(self) -> None:
        self.layer.calcPendingStates(self.suite, self.master, self.random, self.server_random, ["python"])

    def update_write_key(self) -> None:
        """What follows a KeyUpdate of ours."""
        self.app_secret, _ = self.layer.calcTLS1_3KeyUpdate_reciever(self.suite, self.app_secret, bytearray(32))

    def signed(self) -> bytes:
        """The signature of a CertificateVerify."""
        if self.tls13:
            text = b" " * 64 + b"TLS 1.3, client CertificateVerify\0" + bytes(self.transcript.digest(HASH))
            return bytes(self.material.client_key.hashAndSign(text, "PSS", HASH, 32))
        return bytes(self.material.client_key.hashAndSign(bytes(self.transcript.digest("intrinsic")), "PKCS1", HASH))
