// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//! Packets of QUIC (RFC 9001, 5). rustls and quinn call for the AEAD and for header protection one packet at a time,
//! and count packets themselves: the limits are for them to keep.

use ::rustls::Error;
use ::rustls::crypto::cipher::{AeadKey, Iv, Nonce};
use ::rustls::quic::{Algorithm, HeaderProtectionKey, PacketKey, Tag};

use super::made;
use crate::{Aead, HeaderKey, MASK_LEN, NONCE_LEN, SAMPLE_LEN, TAG_LEN};

impl Algorithm for Aead {
    fn packet_key(&self, key: AeadKey, iv: Iv) -> Box<dyn PacketKey> {
        Box::new(Packets { aead: *self, key: made(crate::AeadKey::new(*self, key.as_ref())), iv })
    }

    fn header_protection_key(&self, key: AeadKey) -> Box<dyn HeaderProtectionKey> {
        Box::new(made(HeaderKey::new(*self, key.as_ref())))
    }

    fn aead_key_len(&self) -> usize {
        (*self).key_len()
    }
}

/// The packets of one direction and key phase.
struct Packets {
    aead: Aead,
    key: crate::AeadKey,
    iv: Iv,
}

impl Packets {
    fn seal(&self, nonce: [u8; NONCE_LEN], header: &[u8], payload: &mut [u8]) -> Result<Tag, Error> {
        let tag = self.key.seal_in_place(&nonce, header, payload).map_err(|_| Error::EncryptError)?;
        Ok(Tag::from(tag.as_slice()))
    }

    fn open<'a>(&self, nonce: [u8; NONCE_LEN], header: &[u8], payload: &'a mut [u8]) -> Result<&'a [u8], Error> {
        let (text, tag) = payload.split_last_chunk_mut().ok_or(Error::DecryptError)?;
        self.key.open_in_place(&nonce, header, text, tag).map_err(|_| Error::DecryptError)?;
        Ok(text)
    }
}

impl PacketKey for Packets {
    fn encrypt_in_place(&self, number: u64, header: &[u8], payload: &mut [u8]) -> Result<Tag, Error> {
        self.seal(Nonce::new(&self.iv, number).0, header, payload)
    }

    fn encrypt_in_place_for_path(
        &self,
        path_id: u32,
        number: u64,
        header: &[u8],
        payload: &mut [u8],
    ) -> Result<Tag, Error> {
        self.seal(Nonce::for_path(path_id, &self.iv, number).0, header, payload)
    }

    fn decrypt_in_place<'a>(&self, number: u64, header: &[u8], payload: &'a mut [u8]) -> Result<&'a [u8], Error> {
        self.open(Nonce::new(&self.iv, number).0, header, payload)
    }

    fn decrypt_in_place_for_path<'a>(
        &self,
        path_id: u32,
        number: u64,
        header: &[u8],
        payload: &'a mut [u8],
    ) -> Result<&'a [u8], Error> {
        self.open(Nonce::for_path(path_id, &self.iv, number).0, header, payload)
    }

    fn tag_len(&self) -> usize {
        TAG_LEN
    }

    fn confidentiality_limit(&self) -> u64 {
        self.aead.confidentiality_limit()
    }

    fn integrity_limit(&self) -> u64 {
        self.aead.integrity_limit()
    }
}

const LONG_HEADER: u8 = 0x80;

/// How many bytes the packet number has, by the first byte without its mask.
fn number_len(first: u8) -> usize {
    usize::from(first & 3) + 1
}

impl HeaderKey {
    /// The mask of `sample`, cut for the form of the header; or an error, with nothing changed.
    fn mask_for(&self, sample: &[u8], first: u8, number: &[u8]) -> Result<[u8; MASK_LEN], Error> {
        let sample = sample.try_into().map_err(|_| Error::General("sample of invalid length".into()))?;
        if number.len() >= MASK_LEN {
            return Err(Error::General("packet number too long".into()));
        }
        let mut mask = self.mask(sample);
        mask[0] &= if first & LONG_HEADER != 0 { 0x0f } else { 0x1f };
        Ok(mask)
    }
}

fn xor(number: &mut [u8], mask: &[u8; MASK_LEN], len: usize) {
    number.iter_mut().zip(&mask[1..]).take(len).for_each(|(byte, mask)| *byte ^= mask);
}

impl HeaderProtectionKey for HeaderKey {
    fn encrypt_in_place(&self, sample: &[u8], first: &mut u8, packet_number: &mut [u8]) -> Result<(), Error> {
        let mask = self.mask_for(sample, *first, packet_number)?;
        xor(packet_number, &mask, number_len(*first));
        *first ^= mask[0];
        Ok(())
    }

    fn decrypt_in_place(&self, sample: &[u8], first: &mut u8, packet_number: &mut [u8]) -> Result<(), Error> {
        let mask = self.mask_for(sample, *first, packet_number)?;
        *first ^= mask[0];
        xor(packet_number, &mask, number_len(*first));
        Ok(())
    }

    fn sample_len(&self) -> usize {
        SAMPLE_LEN
    }
}

// The bytes of a nonce are the same to both: the arrays that go from one to the other have its length.
const _: () = assert!(NONCE_LEN == ::rustls::crypto::cipher::NONCE_LEN);
