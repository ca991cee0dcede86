// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/hex"
	"slices"
	"testing"
)

// allOptions are ways to sign with a key.
func allOptions(key crypto.Signer) []crypto.SignerOpts {
	switch key.(type) {
	case *rsa.PrivateKey:
		return []crypto.SignerOpts{crypto.SHA256, &rsa.PSSOptions{Hash: crypto.SHA512}}
	case ed25519.PrivateKey:
		return []crypto.SignerOpts{crypto.Hash(0), &ed25519.Options{Context: "c"}, &ed25519.Options{Hash: crypto.SHA512}}
	default:
		return []crypto.SignerOpts{crypto.SHA512}
	}
}

// good are nine signatures of each key and way, mixed: more than a batch.
func good(t *testing.T) []Verification {
	var all []Verification
	for range 9 {
		for _, key := range keyKinds {
			for _, opts := range allOptions(key()) {
				digest := make([]byte, 100)
				if opts.HashFunc() != 0 {
					digest = digest[:opts.HashFunc().Size()]
				}
				rand.Read(digest)
				all = append(all, Verification{key().Public(), digest, must(key().Sign(rand.Reader, digest, opts)), opts})
			}
		}
	}
	return all
}

func TestVerifyBatch(t *testing.T) {
	all := good(t)
	for size := range len(all) + 1 {
		if slices.Contains(VerifyBatch(all[:size]), false) {
			t.Fatalf("one of %d good signatures is not valid", size)
		}
	}
	for number, change := range []func(v *Verification){
		func(v *Verification) { v.Digest = slices.Clone(v.Digest); v.Digest[7] ^= 4 },
		func(v *Verification) { v.Signature = slices.Clone(v.Signature); v.Signature[len(v.Signature)-1] ^= 4 },
		func(v *Verification) { v.Signature = v.Signature[:len(v.Signature)-1] },
		func(v *Verification) { v.Signature = append(slices.Clone(v.Signature), 0) },
		func(v *Verification) { v.Signature = nil },
		func(v *Verification) { v.Public = "no key" },
		func(v *Verification) { v.Public = nil },
	} {
		mixed := slices.Clone(all)
		for i := range mixed[:len(mixed)/9] {
			change(&mixed[i])
		}
		for i, valid := range VerifyBatch(mixed) {
			if valid != (i >= len(mixed)/9) {
				t.Errorf("change %d: signature %d of %T is valid: %v", number, i, all[i].Public, valid)
			}
		}
	}
}

// Only ECDSA does without options.
func TestVerifyBatchWithoutOptions(t *testing.T) {
	for _, v := range good(t) {
		v.Opts = nil
		_, isECDSA := v.Public.(*ecdsa.PublicKey)
		if VerifyBatch([]Verification{v})[0] != isECDSA {
			t.Errorf("%T: valid: %v", v.Public, !isECDSA)
		}
	}
}

// Go takes an encoding of the key 1 (neutral element) with y = p + 1, which lanes refuse.
func TestEd25519KeysOfGosOwnKind(t *testing.T) {
	public := must(hex.DecodeString("eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"))
	signature := make([]byte, 64) // R = neutral, S = 0
	signature[0] = 1
	want := ed25519.Verify(public, []byte("message"), signature)
	if !want {
		t.Fatal("Go's own has changed")
	}
	found := VerifyBatch([]Verification{{ed25519.PublicKey(public), []byte("message"), signature, crypto.Hash(0)}})
	if found[0] != want {
		t.Error("lanes have the last word")
	}
}
