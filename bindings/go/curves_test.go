// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"math/big"
	"testing"
)

var ecdsaKinds = []string{"p256", "p384"}

func TestECDSASignatures(t *testing.T) {
	for _, kind := range ecdsaKinds {
		own := keyKinds[kind]().(*ecdsa.PrivateKey)
		wrapped := wrap(t, own)
		for length := range 70 {
			digest := make([]byte, length)
			rand.Read(digest)
			signature, err := wrapped.Sign(rand.Reader, digest, crypto.SHA256)
			_, want := own.Sign(rand.Reader, digest, crypto.SHA256)
			sameError(t, err, want)
			if err == nil && !ecdsa.VerifyASN1(&own.PublicKey, digest, signature) {
				t.Fatalf("%s, digest of %d bytes: not valid", kind, length)
			}
		}
		digest := digestOf(crypto.SHA256, "message")
		first := must(wrapped.Sign(zeros{}, digest, crypto.SHA256))
		second := must(wrapped.Sign(zeros{}, digest, crypto.SHA256))
		if isWrapped(wrapped) && bytes.Equal(first, second) {
			t.Errorf("%s: two nonces are the same", kind)
		}
		want := must(own.Sign(nil, digest, crypto.SHA256))
		if !bytes.Equal(must(wrapped.Sign(nil, digest, crypto.SHA256)), want) {
			t.Errorf("%s: without randomness the signature is RFC 6979's", kind)
		}
	}
}

// Numbers with leading zeros and with their first bit set, of all lengths.
func TestECDSAEncodings(t *testing.T) {
	for _, size := range []int{32, 48} {
		for zeros := range size {
			for _, first := range []byte{1, 0x7f, 0x80, 0xff} {
				rs := bytes.Repeat([]byte{first}, 2*size)
				clear(rs[:zeros])
				clear(rs[size : 2*size-1-zeros])
				der := encodeECDSA(rs)
				if !bytes.Equal(decodeECDSA(der, size), rs) {
					t.Fatalf("%x does not come back from %x", rs, der)
				}
				for i := range der { // cut anywhere, and each length wrong
					if decodeECDSA(der[:i], size) != nil {
						t.Fatalf("%x is taken", der[:i])
					}
				}
				if decodeECDSA(append(der, 0), size) != nil || decodeECDSA(der, size-zeros-1) != nil && size-zeros-1 > 0 {
					t.Fatalf("%x is taken with more behind it, or as smaller numbers", der)
				}
			}
		}
	}
}

func TestOtherECDSAKeysStayGos(t *testing.T) {
	own := keyKinds["p256"]().(*ecdsa.PrivateKey)
	other := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	mixed := &ecdsa.PrivateKey{PublicKey: other.PublicKey, D: own.D}
	zero := &ecdsa.PrivateKey{PublicKey: own.PublicKey, D: new(big.Int)}
	for name, key := range map[string]*ecdsa.PrivateKey{
		"P-521":             must(ecdsa.GenerateKey(elliptic.P521(), rand.Reader)),
		"P-224":             must(ecdsa.GenerateKey(elliptic.P224(), rand.Reader)),
		"a foreign public":  mixed,
		"a private of zero": zero,
	} {
		if WrapKey(key) != crypto.PrivateKey(key) {
			t.Errorf("%s: is wrapped", name)
		}
	}
}

func TestEd25519SignaturesAreGos(t *testing.T) {
	own := keyKinds["ed25519"]().(ed25519.PrivateKey)
	wrapped := wrap(t, own)
	for _, length := range []int{0, 1, 111, 112, 163, 4096, 4097, 100_000} {
		message := make([]byte, length)
		rand.Read(message)
		for _, opts := range []crypto.SignerOpts{crypto.Hash(0), &ed25519.Options{}, &ed25519.Options{Context: "context"}} {
			want := must(own.Sign(nil, message, opts))
			if !bytes.Equal(must(wrapped.Sign(nil, message, opts)), want) {
				t.Errorf("%d bytes, %+v: another signature", length, opts)
			}
		}
		digest := digestOf(crypto.SHA512, string(message))
		opts := &ed25519.Options{Hash: crypto.SHA512}
		if !bytes.Equal(must(wrapped.Sign(nil, digest, opts)), must(own.Sign(nil, digest, opts))) {
			t.Errorf("%d bytes, prehashed: another signature", length)
		}
	}
	_, want := own.Sign(nil, nil, crypto.SHA256)
	_, err := wrapped.Sign(nil, nil, crypto.SHA256)
	sameError(t, err, want)
}

func TestOtherEd25519KeysStayGos(t *testing.T) {
	mixed := bytes.Clone(keyKinds["ed25519"]().(ed25519.PrivateKey))
	mixed[ed25519.SeedSize] ^= 1
	for _, key := range []ed25519.PrivateKey{mixed, nil, mixed[:63]} {
		if isWrapped(WrapKey(key)) {
			t.Errorf("a key of %d bytes is wrapped", len(key))
		}
	}
}
