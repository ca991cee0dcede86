// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//! What a packet costs a QUIC stack, by ring's provider and by Octuple's: AEAD and header protection together, called
//! as quinn calls them, measured in turns. One line of JSON for each kind; medians.

use std::hint::black_box;
use std::time::Instant;

use rustls::crypto::{CryptoProvider, ring};
use rustls::quic::{Keys, Version};
use rustls::{CipherSuite, Side};

const SUITES: [(&str, CipherSuite); 3] = [
    ("aes128", CipherSuite::TLS13_AES_128_GCM_SHA256),
    ("aes256", CipherSuite::TLS13_AES_256_GCM_SHA384),
    ("chacha20", CipherSuite::TLS13_CHACHA20_POLY1305_SHA256),
];
const HEADER: [u8; 11] = [0x41, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1];
const NUMBER_AT: usize = 9;
const TAG: usize = 16;
/// Many short rounds: far shorter than a slice of the scheduler's, so that most of them nobody has interrupted.
const ROUNDS: usize = 501;
const PACKETS: u64 = 200;

/// Both ends of a connection, and a packet of a size.
struct Bench {
    sender: Keys,
    receiver: Keys,
    sealed: Vec<u8>,
    buffer: Vec<u8>,
}

impl Bench {
    fn new(provider: &CryptoProvider, name: CipherSuite, len: usize) -> Self {
        let suite = provider.cipher_suites.iter().find(|suite| suite.suite() == name).and_then(|suite| suite.tls13());
        let suite = suite.expect("a suite of TLS 1.3");
        let keys = |side| Keys::initial(Version::V1, suite, suite.quic.expect("QUIC"), b"connection", side);
        let buffer = vec![0; HEADER.len() + len + TAG];
        let mut bench =
            Self { sender: keys(Side::Client), receiver: keys(Side::Server), sealed: buffer.clone(), buffer };
        bench.seal(1);
        bench.sealed.copy_from_slice(&bench.buffer);
        bench
    }

    fn seal(&mut self, number: u64) {
        let keys = &self.sender.local;
        self.buffer[..HEADER.len()].copy_from_slice(&HEADER);
        let (header, payload) = self.buffer.split_at_mut(HEADER.len());
        let (payload, tag) = payload.split_at_mut(payload.len() - TAG);
        tag.copy_from_slice(keys.packet.encrypt_in_place(number, header, payload).expect("sealed").as_ref());
        let (header, sample) = self.buffer.split_at_mut(NUMBER_AT + 4);
        let (first, rest) = header.split_first_mut().expect("a header");
        keys.header.encrypt_in_place(&sample[..16], first, &mut rest[NUMBER_AT - 1..]).expect("masked");
    }

    fn open(&mut self, _: u64) {
        let keys = &self.receiver.remote;
        self.buffer.copy_from_slice(&self.sealed);
        let (header, sample) = self.buffer.split_at_mut(NUMBER_AT + 4);
        let (first, rest) = header.split_first_mut().expect("a header");
        keys.header.decrypt_in_place(&sample[..16], first, &mut rest[NUMBER_AT - 1..]).expect("unmasked");
        let (header, payload) = self.buffer.split_at_mut(HEADER.len());
        black_box(keys.packet.decrypt_in_place(1, header, payload).expect("opened"));
    }
}

/// Nanoseconds for each packet.
fn time(bench: &mut Bench, operation: fn(&mut Bench, u64)) -> f64 {
    let began = Instant::now();
    (0..PACKETS).for_each(|number| operation(bench, number));
    began.elapsed().as_nanos() as f64 / PACKETS as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let (stock, octuple) = (ring::default_provider(), octuple::rustls::provider());
    for (suite, name) in SUITES {
        for len in [64, 1200, 1424] {
            for (what, operation) in [("seal", Bench::seal as fn(&mut Bench, u64)), ("open", Bench::open)] {
                let mut benches = [&stock, &octuple].map(|provider| Bench::new(provider, name, len));
                let rounds = (0..ROUNDS).map(|_| benches.each_mut().map(|bench| time(bench, operation)));
                let (ring_ns, octuple_ns): (Vec<_>, Vec<_>) = rounds.map(|[ring, octuple]| (ring, octuple)).unzip();
                let (ring_ns, octuple_ns) = (median(ring_ns), median(octuple_ns));
                println!(
                    concat!(
                        r#"{{"suite": "{}", "operation": "{}", "payload": {}, "#,
                        r#""ring_ns": {:.1}, "octuple_ns": {:.1}, "ratio": {:.2}}}"#
                    ),
                    suite,
                    what,
                    len,
                    ring_ns,
                    octuple_ns,
                    ring_ns / octuple_ns
                );
            }
        }
    }
}
