// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

use std::ffi::CStr;

use crate::ffi;

/// The AEADs of TLS 1.3 and QUIC that Octuple serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aead {
    /// AES-GCM (NIST SP 800-38D) with a key of 128 bits.
    Aes128Gcm,
    /// AES-GCM with a key of 256 bits.
    Aes256Gcm,
    /// RFC 8439.
    ChaCha20Poly1305,
}

impl Aead {
    /// The bytes of a key.
    pub fn key_len(self) -> usize {
        ffi::key_len(self)
    }

    /// Whether it is served in this process. The first call runs its known-answer test (microseconds).
    pub fn is_on(self) -> bool {
        ffi::is_on(self)
    }

    /// The width of vector that serves it: "zmm", "ymm", "xmm", "c", or "none".
    pub fn tier(self) -> &'static str {
        ffi::tier(self)
    }

    /// How many QUIC packets may be sealed by one key (RFC 9001, 6.6).
    pub const fn confidentiality_limit(self) -> u64 {
        match self {
            Self::Aes128Gcm | Self::Aes256Gcm => 1 << 23,
            Self::ChaCha20Poly1305 => u64::MAX,
        }
    }

    /// After how many forged QUIC packets a connection has to end (RFC 9001, 6.6).
    pub const fn integrity_limit(self) -> u64 {
        match self {
            Self::Aes128Gcm | Self::Aes256Gcm => 1 << 52,
            Self::ChaCha20Poly1305 => 1 << 36,
        }
    }

    /// The library's name of it.
    pub(crate) const fn name(self) -> &'static CStr {
        match self {
            Self::Aes128Gcm => c"aes-128-gcm",
            Self::Aes256Gcm => c"aes-256-gcm",
            Self::ChaCha20Poly1305 => c"chacha20-poly1305",
        }
    }
}
