// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors
//! The group X25519MLKEM768 for rustls, as a client needs it: ring has X25519 only.

use ml_kem::kem::{Decapsulate, DecapsulationKey};
use ml_kem::{EncodedSizeUser, KemCore, MlKem768, MlKem768Params};
use rand_core::OsRng;
use rustls::crypto::{ActiveKeyExchange, SharedSecret, SupportedKxGroup, ring};
use rustls::{Error, NamedGroup, PeerMisbehaved};

#[derive(Debug)]
pub struct Hybrid;

pub static HYBRID: Hybrid = Hybrid;

/// What a server answers with: a ciphertext of ML-KEM, and behind it a public key of X25519.
const CIPHERTEXT: usize = 1088;

struct Pair {
    kem: DecapsulationKey<MlKem768Params>,
    curve: Box<dyn ActiveKeyExchange>,
    public: Vec<u8>,
}

impl SupportedKxGroup for Hybrid {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        let (kem, encapsulation) = MlKem768::generate(&mut OsRng);
        let curve = ring::kx_group::X25519.start()?;
        let public = [&encapsulation.as_bytes()[..], curve.pub_key()].concat();
        Ok(Box::new(Pair { kem, curve, public }))
    }

    fn name(&self) -> NamedGroup {
        NamedGroup::X25519MLKEM768
    }
}

impl ActiveKeyExchange for Pair {
    fn complete(self: Box<Self>, peer: &[u8]) -> Result<SharedSecret, Error> {
        let wrong = || Error::from(PeerMisbehaved::InvalidKeyShare);
        let (ciphertext, point) = peer.split_at_checked(CIPHERTEXT).ok_or_else(wrong)?;
        let ciphertext = ciphertext.try_into().map_err(|_| wrong())?;
        let first = self.kem.decapsulate(&ciphertext).map_err(|()| wrong())?;
        let second = self.curve.complete(point)?;
        Ok(SharedSecret::from([&first[..], second.secret_bytes()].concat()))
    }

    fn pub_key(&self) -> &[u8] {
        &self.public
    }

    fn group(&self) -> NamedGroup {
        NamedGroup::X25519MLKEM768
    }
}
