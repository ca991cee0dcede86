// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//! A provider for rustls: the AEADs of TLS 1.3 and QUIC by Octuple, everything else by ring.

mod quic;
mod tls13;

use std::sync::LazyLock;

use ::rustls::crypto::{CipherSuiteCommon, CryptoProvider, ring};
use ::rustls::{CipherSuite, SupportedCipherSuite, Tls13CipherSuite};

use crate::Aead;

/// ring's provider, with the cipher suites of TLS 1.3 by Octuple where this process can serve their AEADs.
///
/// Order and choice of suites, key exchange, signatures, hashes and random numbers are ring's, and so is TLS 1.2. An
/// AEAD that the CPU has no instructions for stays ring's too: [`Aead::tier`] says who serves.
pub fn provider() -> CryptoProvider {
    CryptoProvider { cipher_suites: SUITES.clone(), ..ring::default_provider() }
}

/// Made once: rustls wants suites that live for ever.
static SUITES: LazyLock<Vec<SupportedCipherSuite>> =
    LazyLock::new(|| ring::default_provider().cipher_suites.into_iter().map(with_octuple).collect());

fn with_octuple(suite: SupportedCipherSuite) -> SupportedCipherSuite {
    let Some((plain, aead)) = suite.tls13().zip(aead_of(suite.suite())) else { return suite };
    if !aead.is_on() {
        return suite;
    }
    SupportedCipherSuite::Tls13(Box::leak(Box::new(Tls13CipherSuite {
        common: CipherSuiteCommon { ..plain.common },
        hkdf_provider: plain.hkdf_provider,
        aead_alg: aead,
        quic: Some(aead),
    })))
}

fn aead_of(suite: CipherSuite) -> Option<&'static Aead> {
    match suite {
        CipherSuite::TLS13_AES_128_GCM_SHA256 => Some(&Aead::Aes128Gcm),
        CipherSuite::TLS13_AES_256_GCM_SHA384 => Some(&Aead::Aes256Gcm),
        CipherSuite::TLS13_CHACHA20_POLY1305_SHA256 => Some(&Aead::ChaCha20Poly1305),
        _ => None,
    }
}

/// A key from what rustls has derived: of the right length, for an AEAD that is on. What is left to fail is memory.
fn made<K>(key: Result<K, crate::Error>) -> K {
    key.unwrap_or_else(|error| panic!("octuple: a key could not be made: {error}"))
}
