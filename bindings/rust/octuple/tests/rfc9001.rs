// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//! The packets of RFC 9001, appendix A, through rustls's traits, as a QUIC stack uses them.

use rustls::crypto::cipher::{AeadKey, Iv};
use rustls::quic::{DirectionalKeys, Keys, Version};
use rustls::{CipherSuite, Side, Tls13CipherSuite};

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    digits.chunks(2).map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap()).collect()
}

fn bytes<const N: usize>(text: &str) -> [u8; N] {
    unhex(text).try_into().unwrap()
}

fn suite(name: CipherSuite) -> &'static Tls13CipherSuite {
    let suites = octuple::rustls::provider().cipher_suites;
    suites.into_iter().find(|suite| suite.suite() == name).unwrap().tls13().unwrap()
}

/// The keys of A.1, made from the connection ID.
fn initial_keys(side: Side) -> Keys {
    let suite = suite(CipherSuite::TLS13_AES_128_GCM_SHA256);
    Keys::initial(Version::V1, suite, suite.quic.unwrap(), &unhex("8394c8f03e515708"), side)
}

/// The header ends with the packet number.
fn sealed(keys: &DirectionalKeys, number: u64, header: &[u8], payload: &[u8]) -> Vec<u8> {
    let number_at = header.len() - usize::from(header[0] & 3) - 1;
    let mut text = payload.to_vec();
    let tag = keys.packet.encrypt_in_place(number, header, &mut text).unwrap();
    let mut packet = [header, &text, tag.as_ref()].concat();
    let (head, sample) = packet.split_at_mut(number_at + 4);
    let (first, rest) = head.split_first_mut().unwrap();
    keys.header.encrypt_in_place(&sample[..keys.header.sample_len()], first, &mut rest[number_at - 1..]).unwrap();
    packet
}

/// Header and payload again.
fn opened(keys: &DirectionalKeys, number: u64, number_at: usize, mut packet: Vec<u8>) -> Option<(Vec<u8>, Vec<u8>)> {
    let (head, sample) = packet.split_at_mut(number_at + 4);
    let (first, rest) = head.split_first_mut().unwrap();
    keys.header.decrypt_in_place(&sample[..keys.header.sample_len()], first, &mut rest[number_at - 1..]).unwrap();
    let header_len = number_at + usize::from(packet[0] & 3) + 1;
    let (header, payload) = packet.split_at_mut(header_len);
    let plain = keys.packet.decrypt_in_place(number, header, payload).ok()?;
    Some((header.to_vec(), plain.to_vec()))
}

#[test]
fn a2_client_initial() {
    let mut payload = unhex(
        "060040f1010000ed0303ebf8fa56f12939b9584a3896472ec40bb863cfd3e86804fe3a47f06a2b69484c
         00000413011302010000c000000010000e00000b6578616d706c652e636f6dff01000100000a00080006
         001d0017001800100007000504616c706e000500050100000000003300260024001d00209370b2c9caa4
         7fbabaf4559fedba753de171fa71f50f1ce15d43e994ec74d748002b0003020304000d0010000e040305
         0306030203080408050806002d00020101001c00024001003900320408ffffffffffffffff05048000ff
         ff07048000ffff0801100104800075300901100f088394c8f03e51570806048000ffff",
    );
    payload.resize(1162, 0);
    let header = unhex("c300000001088394c8f03e5157080000449e00000002");
    let packet = sealed(&initial_keys(Side::Client).local, 2, &header, &payload);
    assert_eq!(packet[..38], unhex("c000000001088394c8f03e5157080000449e7b9aec34d1b1c98dd7689fb8ec11d242b123dc9b"));
    assert_eq!(packet[1184..], unhex("e221af44860018ab0856972e194cd934"));
    assert_eq!(opened(&initial_keys(Side::Server).remote, 2, 18, packet), Some((header, payload)));
}

#[test]
fn a3_server_initial() {
    let payload = unhex(
        "02000000000600405a020000560303eefce7f7b37ba1d1632e96677825ddf73988cfc79825df566dc543
         0b9a045a1200130100002e00330024001d00209d3c940d89690b84d08a60993c144eca684d1081287c83
         4d5311bcf32bb9da1a002b00020304",
    );
    let header = unhex("c1000000010008f067a5502a4262b50040750001");
    let packet = sealed(&initial_keys(Side::Server).local, 1, &header, &payload);
    assert_eq!(packet[..36], unhex("cf000000010008f067a5502a4262b5004075c0d95a482cd0991cd25b0aac406a5816b639"));
    assert_eq!(packet[packet.len() - 14..], unhex("398c276456cbc42158407dd074ee"));
    assert_eq!(opened(&initial_keys(Side::Client).remote, 1, 18, packet), Some((header, payload)));
}

/// A.5, whose sample begins behind a packet number that has three bytes.
fn chacha20_keys() -> DirectionalKeys {
    let key = AeadKey::from(bytes("c6d98ff3441c3fe1b2182094f69caa2ed4b716b65488960a7a984979fb23e1c8"));
    let hp = AeadKey::from(bytes("25a282b9e82f06f21f488917a4fc8f1b73573685608597d0efcb076b0ab7a7a4"));
    let iv = Iv::from(bytes::<12>("e0459b3474bdd0e44a41c144"));
    let quic = suite(CipherSuite::TLS13_CHACHA20_POLY1305_SHA256).quic.unwrap();
    DirectionalKeys { header: quic.header_protection_key(hp), packet: quic.packet_key(key, iv) }
}

#[test]
fn a5_chacha20_short_header() {
    let packet = sealed(&chacha20_keys(), 654360564, &unhex("4200bff4"), &[1]);
    assert_eq!(packet, unhex("4cfe4189655e5cd55c41f69080575d7999c25a5bfb"));
    assert_eq!(opened(&chacha20_keys(), 654360564, 1, packet), Some((unhex("4200bff4"), vec![1])));
}

#[test]
fn every_turned_bit_is_found() {
    let good = unhex("4cfe4189655e5cd55c41f69080575d7999c25a5bfb");
    for bit in 0..8 * good.len() {
        let mut packet = good.clone();
        packet[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(opened(&chacha20_keys(), 654360564, 1, packet), None, "bit {bit}");
    }
}

#[test]
fn a_forged_payload_is_zeroed() {
    let mut payload = [7; 40];
    assert!(chacha20_keys().packet.decrypt_in_place(1, b"header", &mut payload).is_err());
    assert_eq!(payload[..24], [0; 24]);
    assert!(chacha20_keys().packet.decrypt_in_place(1, b"header", &mut [0; 15]).is_err(), "shorter than a tag");
}

#[test]
fn bad_samples_change_nothing() {
    let keys = chacha20_keys().header;
    let (mut first, mut number) = (0x42, [1, 2, 3, 4, 5]);
    assert!(keys.encrypt_in_place(&[0; 15], &mut first, &mut number[..4]).is_err());
    assert!(keys.decrypt_in_place(&[0; 17], &mut first, &mut number[..4]).is_err());
    assert!(keys.encrypt_in_place(&[0; 16], &mut first, &mut number).is_err());
    assert_eq!((first, number), (0x42, [1, 2, 3, 4, 5]));
}

#[test]
fn limits_are_those_of_section_6_6() {
    let keys = initial_keys(Side::Client).local.packet;
    assert_eq!((keys.confidentiality_limit(), keys.integrity_limit()), (1 << 23, 1 << 52));
    let keys = chacha20_keys().packet;
    assert_eq!((keys.confidentiality_limit(), keys.integrity_limit()), (u64::MAX, 1 << 36));
}
