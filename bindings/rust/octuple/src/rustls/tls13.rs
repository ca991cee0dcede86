// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//! Records of TLS 1.3 (RFC 8446, 5.2).

use ::rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, InboundPlainMessage, Iv, MessageDecrypter, MessageEncrypter, Nonce,
    OutboundOpaqueMessage, OutboundPlainMessage, PrefixedPayload, Tls13AeadAlgorithm, UnsupportedOperationError,
    make_tls13_aad,
};
use ::rustls::{ConnectionTrafficSecrets, ContentType, Error, ProtocolVersion};

use super::made;
use crate::{Aead, TAG_LEN};

impl Tls13AeadAlgorithm for Aead {
    fn encrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageEncrypter> {
        Box::new(Records { key: made(crate::AeadKey::new(*self, key.as_ref())), iv })
    }

    fn decrypter(&self, key: AeadKey, iv: Iv) -> Box<dyn MessageDecrypter> {
        Box::new(Records { key: made(crate::AeadKey::new(*self, key.as_ref())), iv })
    }

    fn key_len(&self) -> usize {
        (*self).key_len()
    }

    fn extract_keys(&self, key: AeadKey, iv: Iv) -> Result<ConnectionTrafficSecrets, UnsupportedOperationError> {
        Ok(match self {
            Aead::Aes128Gcm => ConnectionTrafficSecrets::Aes128Gcm { key, iv },
            Aead::Aes256Gcm => ConnectionTrafficSecrets::Aes256Gcm { key, iv },
            Aead::ChaCha20Poly1305 => ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv },
        })
    }
}

/// The records of one direction.
struct Records {
    key: crate::AeadKey,
    iv: Iv,
}

impl MessageEncrypter for Records {
    fn encrypt(&mut self, message: OutboundPlainMessage<'_>, seq: u64) -> Result<OutboundOpaqueMessage, Error> {
        let total = self.encrypted_payload_len(message.payload.len());
        let mut payload = PrefixedPayload::with_capacity(total);
        payload.extend_from_chunks(&message.payload);
        payload.extend_from_slice(&[message.typ.into()]);
        let nonce = Nonce::new(&self.iv, seq).0;
        let tag = self
            .key
            .seal_in_place(&nonce, &make_tls13_aad(total), payload.as_mut())
            .map_err(|_| Error::EncryptError)?;
        payload.extend_from_slice(&tag);
        // A record says that it is of TLS 1.2, whatever it is (RFC 8446, 5.1).
        Ok(OutboundOpaqueMessage::new(ContentType::ApplicationData, ProtocolVersion::TLSv1_2, payload))
    }

    fn encrypted_payload_len(&self, payload_len: usize) -> usize {
        payload_len + 1 + TAG_LEN
    }
}

impl MessageDecrypter for Records {
    fn decrypt<'a>(
        &mut self,
        mut message: InboundOpaqueMessage<'a>,
        seq: u64,
    ) -> Result<InboundPlainMessage<'a>, Error> {
        let payload = &mut message.payload;
        let aad = make_tls13_aad(payload.len());
        let (text, tag) = payload.split_last_chunk_mut().ok_or(Error::DecryptError)?;
        let nonce = Nonce::new(&self.iv, seq).0;
        self.key.open_in_place(&nonce, &aad, text, tag).map_err(|_| Error::DecryptError)?;
        let len = text.len();
        payload.truncate(len);
        message.into_tls13_unpadded_message()
    }
}
