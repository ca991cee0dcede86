// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//! What is transferred: a block of pseudo-random bytes, over and over. It is made beforehand and sent without a copy,
//! so that what a server is seen to spend is spent on QUIC; and longer than what QUIC has in flight, so that whatever
//! comes twice, not at all or in another order changes the digest.

use bytes::Bytes;
use ring::digest::{Context, SHA256};

/// The same numbers from the same seed: splitmix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Between 0 and 1.
    pub fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Why a client closes that has all it wants.
pub const DONE: &[u8] = b"done";

const BLOCK: usize = 16 << 20;

pub struct Stream {
    block: Bytes,
}

impl Stream {
    pub fn new() -> Self {
        let mut random = Random(1);
        Self { block: (0..BLOCK / 8).flat_map(|_| random.next().to_le_bytes()).collect() }
    }

    /// Up to `most` bytes at a place of the stream.
    pub fn at(&self, place: u64, most: u64) -> Bytes {
        let from = (place % BLOCK as u64) as usize;
        let len = most.min((BLOCK - from) as u64) as usize;
        self.block.slice(from..from + len)
    }

    /// The digest of its first `len` bytes.
    pub fn digest(&self, len: u64) -> Vec<u8> {
        let (mut context, mut place) = (Context::new(&SHA256), 0);
        while place < len {
            let part = self.at(place, len - place);
            context.update(&part);
            place += part.len() as u64;
        }
        context.finish().as_ref().to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of splitmix64 from seed 0, as published with it.
    #[test]
    fn random_numbers_are_those_of_splitmix64() {
        let mut random = Random(0);
        assert_eq!([random.next(), random.next()], [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]);
    }

    #[test]
    fn pieces_make_the_stream() {
        let stream = Stream::new();
        let (len, mut place, mut context) = (BLOCK as u64 + 1000, 0, Context::new(&SHA256));
        while place < len {
            let piece = stream.at(place, (len - place).min(99_991));
            context.update(&piece);
            place += piece.len() as u64;
        }
        assert_eq!(context.finish().as_ref(), stream.digest(len));
        assert_ne!(stream.digest(len), stream.digest(len - 1));
        assert_ne!(stream.at(0, 1000), stream.at(1000, 1000));
    }
}
