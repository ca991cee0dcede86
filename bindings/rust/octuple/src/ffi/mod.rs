// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//! The only place with unsafe code: safe types over the C API.
#![allow(unsafe_code)]

pub(crate) mod sys;

use std::ffi::{CStr, c_char, c_int};
use std::ptr::{self, NonNull};

use crate::{Aead, Error};

/// The bytes of a nonce.
pub const NONCE_LEN: usize = sys::OCT_AEAD_NONCE_BYTES;
/// The bytes of a tag.
pub const TAG_LEN: usize = sys::OCT_AEAD_TAG_BYTES;
/// The bytes of ciphertext that a header's mask is made from.
pub const SAMPLE_LEN: usize = sys::OCT_QUIC_SAMPLE_BYTES;
/// The bytes of a header's mask: one for its first byte, four for the packet number.
pub const MASK_LEN: usize = sys::OCT_QUIC_MASK_BYTES;

/// # Safety
/// `text` is a string of the library's that ends in 0 and is never freed.
unsafe fn static_text(text: *const c_char) -> &'static str {
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap_or("")
}

fn check(status: c_int) -> Result<(), Error> {
    if status == sys::OCT_OK { Ok(()) } else { Err(Error(status)) }
}

pub(crate) fn status_text(status: c_int) -> &'static str {
    // SAFETY: takes any number; never NULL.
    unsafe { static_text(sys::oct_status_text(status)) }
}

/// What the C API calls it by.
fn number(aead: Aead) -> c_int {
    // SAFETY: a string that ends in 0, and is not kept.
    unsafe { sys::oct_aead_find(aead.name().as_ptr()) }
}

pub(crate) fn key_len(aead: Aead) -> usize {
    // SAFETY: takes any number.
    unsafe { sys::oct_aead_key_len(number(aead)) }
}

pub(crate) fn is_on(aead: Aead) -> bool {
    // SAFETY: takes any number.
    unsafe { sys::oct_aead_is_on(number(aead)) != 0 }
}

pub(crate) fn tier(aead: Aead) -> &'static str {
    // SAFETY: takes any number; never NULL.
    unsafe { static_text(sys::oct_aead_tier(number(aead))) }
}

/// A key of an AEAD, expanded. Wiped when it is dropped.
///
/// No nonce may be used twice with one key to seal: that gives the texts away.
pub struct AeadKey(NonNull<sys::oct_aead_key>);

// SAFETY: a key has no owner among the threads, and after it was made it is only read (aead.h).
unsafe impl Send for AeadKey {}
// SAFETY: as above.
unsafe impl Sync for AeadKey {}

impl AeadKey {
    /// From its bytes, [`Aead::key_len`] of them, which are not kept.
    pub fn new(aead: Aead, bytes: &[u8]) -> Result<Self, Error> {
        let mut key = ptr::null_mut();
        // SAFETY: `bytes` is valid for its length; `key` is written if and only if the call succeeds.
        check(unsafe { sys::oct_aead_key_new(&mut key, number(aead), bytes.as_ptr(), bytes.len()) })?;
        Ok(Self(NonNull::new(key).expect("a key that was made")))
    }

    /// Seals `text` in place and returns its tag.
    pub fn seal_in_place(&self, nonce: &[u8; NONCE_LEN], aad: &[u8], text: &mut [u8]) -> Result<[u8; TAG_LEN], Error> {
        let (text, len) = (text.as_mut_ptr(), text.len());
        let mut tag = [0; TAG_LEN];
        // SAFETY: all pointers are valid for their lengths; in place is allowed, `aad` and `tag` overlap nothing.
        check(unsafe {
            sys::oct_aead_seal(
                self.0.as_ptr(),
                nonce.as_ptr(),
                aad.as_ptr(),
                aad.len(),
                text,
                len,
                text,
                tag.as_mut_ptr(),
            )
        })?;
        Ok(tag)
    }

    /// Opens `text` in place. [`Error::AUTH`]: it is not what was sealed; it is zeros now.
    pub fn open_in_place(
        &self,
        nonce: &[u8; NONCE_LEN],
        aad: &[u8],
        text: &mut [u8],
        tag: &[u8; TAG_LEN],
    ) -> Result<(), Error> {
        let (text, len) = (text.as_mut_ptr(), text.len());
        // SAFETY: as in seal_in_place(); `tag` is only read.
        check(unsafe {
            sys::oct_aead_open(self.0.as_ptr(), nonce.as_ptr(), aad.as_ptr(), aad.len(), text, len, text, tag.as_ptr())
        })
    }
}

impl Drop for AeadKey {
    fn drop(&mut self) {
        // SAFETY: made by oct_aead_key_new(), and nobody can use it any more.
        unsafe { sys::oct_aead_key_free(self.0.as_ptr()) }
    }
}

/// A key that protects QUIC's headers (RFC 9001, 5.4). Wiped when it is dropped.
pub struct HeaderKey(NonNull<sys::oct_quic_header_key>);

// SAFETY: a key has no owner among the threads, and after it was made it is only read (quic.h).
unsafe impl Send for HeaderKey {}
// SAFETY: as above.
unsafe impl Sync for HeaderKey {}

impl HeaderKey {
    /// From the bytes of "quic hp", as many as the AEAD's key has.
    pub fn new(aead: Aead, bytes: &[u8]) -> Result<Self, Error> {
        let mut key = ptr::null_mut();
        // SAFETY: `bytes` is valid for its length; `key` is written if and only if the call succeeds.
        check(unsafe { sys::oct_quic_header_key_new(&mut key, number(aead), bytes.as_ptr(), bytes.len()) })?;
        Ok(Self(NonNull::new(key).expect("a key that was made")))
    }

    /// The mask for the packet that the sample is from.
    pub fn mask(&self, sample: &[u8; SAMPLE_LEN]) -> [u8; MASK_LEN] {
        let mut mask = [0; MASK_LEN];
        // SAFETY: one sample of 16 bytes, one mask of 5.
        let status = unsafe { sys::oct_quic_header_mask(self.0.as_ptr(), &mut mask, &sample.as_ptr(), 1) };
        assert_eq!(status, sys::OCT_OK, "a mask cannot fail");
        mask
    }
}

impl Drop for HeaderKey {
    fn drop(&mut self) {
        // SAFETY: made by oct_quic_header_key_new(), and nobody can use it any more.
        unsafe { sys::oct_quic_header_key_free(self.0.as_ptr()) }
    }
}
