// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//! The safe types by themselves: what they refuse, and that they say so.

use octuple::{Aead, AeadKey, Error, HeaderKey};

const AEADS: [Aead; 3] = [Aead::Aes128Gcm, Aead::Aes256Gcm, Aead::ChaCha20Poly1305];

fn served() -> impl Iterator<Item = Aead> {
    AEADS.into_iter().filter(|aead| aead.is_on())
}

#[test]
fn the_library_knows_all_by_name() {
    assert_eq!(AEADS.map(Aead::key_len), [16, 32, 32]);
}

#[test]
fn keys_have_their_length() {
    for aead in served() {
        for len in [0, aead.key_len() - 1, aead.key_len() + 1] {
            assert_eq!(AeadKey::new(aead, &vec![1; len]).err(), Some(Error::LENGTH));
            assert_eq!(HeaderKey::new(aead, &vec![1; len]).err(), Some(Error::LENGTH));
        }
    }
}

#[test]
fn what_is_off_makes_no_keys() {
    for aead in AEADS {
        assert_eq!(aead.tier() == "none", !aead.is_on());
        let bytes = vec![1; aead.key_len()];
        let refused = (!aead.is_on()).then_some(Error::UNSUPPORTED);
        assert_eq!(AeadKey::new(aead, &bytes).err(), refused);
        assert_eq!(HeaderKey::new(aead, &bytes).err(), refused);
    }
}

#[test]
fn forgeries_are_zeroed() {
    for aead in served() {
        let key = AeadKey::new(aead, &vec![1; aead.key_len()]).unwrap();
        let mut text = *b"some text";
        let mut tag = key.seal_in_place(&[2; 12], b"aad", &mut text).unwrap();
        let sealed = text;
        key.open_in_place(&[2; 12], b"aad", &mut text, &tag).unwrap();
        assert_eq!(&text, b"some text");
        tag[15] ^= 1;
        text = sealed;
        assert_eq!(key.open_in_place(&[2; 12], b"aad", &mut text, &tag), Err(Error::AUTH));
        assert_eq!(text, [0; 9]);
    }
}

#[test]
fn errors_say_what_they_are() {
    for error in [Error::LENGTH, Error::UNSUPPORTED, Error::AUTH] {
        assert!(error.to_string().len() > 5, "{error}");
    }
    assert_ne!(Error::LENGTH.to_string(), Error::AUTH.to_string());
}

#[test]
fn threads_share_keys() {
    for aead in served() {
        let (key, header) =
            (AeadKey::new(aead, &vec![1; aead.key_len()]), HeaderKey::new(aead, &vec![1; aead.key_len()]));
        let (key, header) = (key.unwrap(), header.unwrap());
        let work = || (key.seal_in_place(&[3; 12], &[], &mut [4; 100]).unwrap(), header.mask(&[5; 16]));
        let expected = work();
        std::thread::scope(|scope| {
            let threads = [(); 4].map(|()| scope.spawn(|| (0..100).all(|_| work() == expected)));
            assert!(threads.into_iter().all(|thread| thread.join().unwrap()));
        });
    }
}
