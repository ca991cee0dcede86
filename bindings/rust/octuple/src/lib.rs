// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//! Octuple's symmetric cryptography for Rust: AEADs and QUIC header protection, as safe types over the C API of
//! `liboctuple.so`, and [`rustls::provider()`],
//! by which rustls and with it quinn run their records and packets over them.
//!
//! The C API is documented in `include/octuple/aead.h` and `include/octuple/quic.h`; what is said there of lengths,
//! nonces and secrets holds here too.

mod aead;
mod error;
mod ffi;
pub mod rustls;

pub use aead::Aead;
pub use error::Error;
pub use ffi::{AeadKey, HeaderKey, MASK_LEN, NONCE_LEN, SAMPLE_LEN, TAG_LEN};
