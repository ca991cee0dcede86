// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//! Octuple's provider against ring's, both ways: packets of QUIC, and whole connections of TLS 1.3.

use std::io::{Read, Write};
use std::sync::Arc;

use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{PrivatePkcs8KeyDer, ServerName};
use rustls::quic::{Keys, Version};
use rustls::version::TLS13;
use rustls::{
    CipherSuite, ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection, Side, Tls13CipherSuite,
};

const SUITES: [CipherSuite; 3] = [
    CipherSuite::TLS13_AES_128_GCM_SHA256,
    CipherSuite::TLS13_AES_256_GCM_SHA384,
    CipherSuite::TLS13_CHACHA20_POLY1305_SHA256,
];

/// A provider cut down to one suite.
fn only(mut provider: CryptoProvider, name: CipherSuite) -> CryptoProvider {
    provider.cipher_suites.retain(|suite| suite.suite() == name);
    provider
}

fn suite(provider: CryptoProvider, name: CipherSuite) -> &'static Tls13CipherSuite {
    only(provider, name).cipher_suites[0].tls13().unwrap()
}

fn text(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * i / 8) as u8).collect()
}

/// Both sides seal and open, with numbers and headers of all kinds.
fn exchange_packets(client: &'static Tls13CipherSuite, server: &'static Tls13CipherSuite) {
    let keys = |suite: &'static Tls13CipherSuite, side| {
        Keys::initial(Version::V1, suite, suite.quic.unwrap(), b"connection", side)
    };
    let (client, server) = (keys(client, Side::Client), keys(server, Side::Server));
    for (from, to) in [(&client.local, &server.remote), (&server.local, &client.remote)] {
        for len in [0, 1, 15, 16, 17, 64, 191, 192, 193, 1200, 1452, 16384] {
            let (number, header) = (len as u64 * 0x1_0001_0001, text(len % 60));
            let mut packet = text(len);
            let tag = from.packet.encrypt_in_place(number, &header, &mut packet).unwrap();
            packet.extend(tag.as_ref());
            let mut forged = packet.clone();
            forged[len / 2] ^= 0x10;
            assert!(to.packet.decrypt_in_place(number, &header, &mut forged).is_err());
            assert_eq!(to.packet.decrypt_in_place(number, &header, &mut packet).unwrap(), text(len));
        }
        for first in 0..=255 {
            let (mut masked, mut number) = (first, [first, 2, 3, 4]);
            from.header.encrypt_in_place(&[first; 16], &mut masked, &mut number).unwrap();
            to.header.decrypt_in_place(&[first; 16], &mut masked, &mut number).unwrap();
            assert_eq!((masked, number), (first, [first, 2, 3, 4]));
        }
    }
}

#[test]
fn quic_packets() {
    for name in SUITES {
        exchange_packets(suite(ring::default_provider(), name), suite(octuple::rustls::provider(), name));
        exchange_packets(suite(octuple::rustls::provider(), name), suite(ring::default_provider(), name));
    }
}

/// A client and a server that trust each other, with providers of one suite.
fn connect(client: CryptoProvider, server: CryptoProvider) -> (ClientConnection, ServerConnection) {
    let made = rcgen::generate_simple_self_signed(["localhost".into()]).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let client = ClientConfig::builder_with_provider(Arc::new(client))
        .with_protocol_versions(&[&TLS13])
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let server = ServerConfig::builder_with_provider(Arc::new(server))
        .with_protocol_versions(&[&TLS13])
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key.into())
        .unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    (ClientConnection::new(Arc::new(client), name).unwrap(), ServerConnection::new(Arc::new(server)).unwrap())
}

/// What one side wants to send becomes the other's to read.
macro_rules! carry {
    ($from:expr, $to:expr) => {{
        let mut wire = Vec::new();
        while $from.wants_write() {
            $from.write_tls(&mut wire).unwrap();
        }
        let mut rest = wire.as_slice();
        while !rest.is_empty() {
            $to.read_tls(&mut rest).unwrap();
            $to.process_new_packets().unwrap();
        }
    }};
}

/// `len` bytes from one side to the other, in records of all lengths on the way.
macro_rules! send {
    ($from:expr, $to:expr, $len:expr) => {{
        for piece in text($len).chunks(1 + $len / 7) {
            $from.writer().write_all(piece).unwrap();
            carry!($from, $to);
            let mut got = vec![0; piece.len()];
            $to.reader().read_exact(&mut got).unwrap();
            assert_eq!(got, piece);
        }
    }};
}

fn exchange_records(client: CryptoProvider, server: CryptoProvider, name: CipherSuite) {
    let (mut client, mut server) = connect(only(client, name), only(server, name));
    while client.is_handshaking() || server.is_handshaking() {
        carry!(client, server);
        carry!(server, client);
    }
    assert_eq!(server.negotiated_cipher_suite().unwrap().suite(), name);
    for len in [1, 100, 5000, 60000] {
        send!(client, server, len);
        send!(server, client, len);
    }
    client.writer().write_all(b"to be forged").unwrap();
    let mut wire = Vec::new();
    client.write_tls(&mut wire).unwrap();
    *wire.last_mut().unwrap() ^= 1;
    server.read_tls(&mut wire.as_slice()).unwrap();
    assert_eq!(server.process_new_packets().unwrap_err(), rustls::Error::DecryptError);
}

#[test]
fn tls_records() {
    for name in SUITES {
        exchange_records(ring::default_provider(), octuple::rustls::provider(), name);
        exchange_records(octuple::rustls::provider(), ring::default_provider(), name);
    }
}

/// Which AEADs are on is the machine's; a suite is Octuple's if and only if its AEAD is on.
#[test]
fn suites_are_served_by_whom_it_is_said() {
    use octuple::Aead::{Aes128Gcm, Aes256Gcm, ChaCha20Poly1305};
    for (name, aead) in SUITES.into_iter().zip([Aes128Gcm, Aes256Gcm, ChaCha20Poly1305]) {
        let ours = !std::ptr::eq(suite(octuple::rustls::provider(), name), suite(ring::default_provider(), name));
        assert_eq!(ours, aead.is_on(), "{aead:?} by {}", aead.tier());
    }
    assert_eq!(octuple::rustls::provider().cipher_suites.len(), ring::default_provider().cipher_suites.len());
}
