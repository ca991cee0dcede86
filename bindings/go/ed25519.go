// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple

import (
	"crypto"
	"crypto/ed25519"
	"io"
)

// maxMessage is the longest message that is copied into a batch. Longer ones are mostly hashing, and hold up others.
const maxMessage = 4096

// ed25519Key is a wrapped Ed25519 key.
type ed25519Key struct {
	own   ed25519.PrivateKey
	lanes *laneKey
}

func wrapEd25519(own ed25519.PrivateKey) crypto.Signer {
	if len(own) != ed25519.PrivateKeySize || !ed25519Sign.isOn() {
		return nil
	}
	seed := own.Seed()
	if !own.Equal(ed25519.NewKeyFromSeed(seed)) {
		return nil // lanes know the seed only, and would sign for its own public key
	}
	lanes := ed25519Sign.newKey(seed)
	clear(seed)
	if lanes == nil {
		return nil
	}
	return &ed25519Key{own, lanes}
}

func (k *ed25519Key) unwrap() crypto.PrivateKey { return k.own }

// Public returns the public key, as [ed25519.PrivateKey.Public] does.
func (k *ed25519Key) Public() crypto.PublicKey { return k.own.Public() }

// Sign is [ed25519.PrivateKey.Sign]. Prehashed messages and contexts are Go's own.
func (k *ed25519Key) Sign(rand io.Reader, message []byte, opts crypto.SignerOpts) ([]byte, error) {
	if isPureEd25519(opts) && len(message) <= maxMessage {
		j := job{key: k.lanes, in: message}
		ed25519Sign.gather(&j)
		if j.ok {
			return j.out, nil
		}
	}
	return k.own.Sign(rand, message, opts)
}

func isPureEd25519(opts crypto.SignerOpts) bool {
	own, _ := opts.(*ed25519.Options)
	return opts != nil && opts.HashFunc() == 0 && (own == nil || own.Context == "")
}
