// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//! The C API as the headers declare it; `tests/header.rs` holds every line here against them.
#![allow(non_camel_case_types)]

use std::ffi::{c_char, c_int};
use std::marker::{PhantomData, PhantomPinned};

/// A type that C knows and Rust does not: behind pointers only, not to be moved, and for whoever wraps it to say which
/// threads may use it.
macro_rules! opaque {
    ($name:ident) => {
        #[repr(C)]
        pub struct $name {
            _data: [u8; 0],
            _marker: PhantomData<(*mut u8, PhantomPinned)>,
        }
    };
}

opaque!(oct_aead_key);
opaque!(oct_quic_header_key);

pub const OCT_OK: c_int = 0;
pub const OCT_ERR_LENGTH: c_int = 2;
pub const OCT_ERR_UNSUPPORTED: c_int = 4;
pub const OCT_ERR_AUTH: c_int = 10;

pub const OCT_AEAD_NONCE_BYTES: usize = 12;
pub const OCT_AEAD_TAG_BYTES: usize = 16;
pub const OCT_QUIC_SAMPLE_BYTES: usize = 16;
pub const OCT_QUIC_MASK_BYTES: usize = 5;

unsafe extern "C" {
    pub fn oct_status_text(status: c_int) -> *const c_char;

    pub fn oct_aead_find(name: *const c_char) -> c_int;
    pub fn oct_aead_key_len(aead: c_int) -> usize;
    pub fn oct_aead_is_on(aead: c_int) -> c_int;
    pub fn oct_aead_tier(aead: c_int) -> *const c_char;
    pub fn oct_aead_key_new(key: *mut *mut oct_aead_key, aead: c_int, bytes: *const u8, len: usize) -> c_int;
    pub fn oct_aead_key_free(key: *mut oct_aead_key);
    pub fn oct_aead_seal(
        key: *const oct_aead_key,
        nonce: *const u8,
        aad: *const u8,
        aad_len: usize,
        r#in: *const u8,
        len: usize,
        out: *mut u8,
        tag: *mut u8,
    ) -> c_int;
    pub fn oct_aead_open(
        key: *const oct_aead_key,
        nonce: *const u8,
        aad: *const u8,
        aad_len: usize,
        r#in: *const u8,
        len: usize,
        out: *mut u8,
        tag: *const u8,
    ) -> c_int;

    pub fn oct_quic_header_key_new(key: *mut *mut oct_quic_header_key, aead: c_int, hp: *const u8, len: usize)
    -> c_int;
    pub fn oct_quic_header_key_free(key: *mut oct_quic_header_key);
    pub fn oct_quic_header_mask(
        key: *const oct_quic_header_key,
        mask: *mut [u8; OCT_QUIC_MASK_BYTES],
        sample: *const *const u8,
        count: usize,
    ) -> c_int;
}
