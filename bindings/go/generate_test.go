// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"testing"
)

// Go's own checks find nothing wrong with a key, and it signs.
func TestGeneratedKeysAreGood(t *testing.T) {
	seen := map[string]bool{}
	for bits, op := range rsaKeygen {
		if testing.Short() && bits > 2048 {
			continue
		}
		key := must(GenerateRSAKey(rand.Reader, bits))
		if key.N.BitLen() != bits || key.E != 65537 || key.Validate() != nil {
			t.Errorf("%d bits: %v", key.N.BitLen(), key.Validate())
		}
		digest := sha256.Sum256([]byte("message"))
		signature := must(key.Sign(rand.Reader, digest[:], crypto.SHA256))
		if err := rsa.VerifyPKCS1v15(&key.PublicKey, crypto.SHA256, digest[:], signature); err != nil {
			t.Error(err)
		}
		if seen[key.N.String()] {
			t.Error("the same key twice")
		}
		seen[key.N.String()] = true
		if op.isOn() && generateInLanes(op, bits/8) == nil {
			t.Error("lanes are on and make no key")
		}
	}
}

// Other sizes, and the caller's own random bytes, are Go's.
func TestGenerationThatLanesDoNotServe(t *testing.T) {
	if key := must(GenerateRSAKey(rand.Reader, 2304)); key.N.BitLen() != 2304 {
		t.Errorf("%d bits", key.N.BitLen())
	}
	if _, err := GenerateRSAKey(rand.Reader, 16); err == nil {
		t.Error("a key of 16 bits")
	}
	if _, err := GenerateRSAKey(bytes.NewReader(nil), 2048); err == nil {
		t.Log("this Go does not ask the reader")
	}
}
