// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"os"
	"strings"
	"sync"
	"testing"
)

// keyKinds makes one key of each kind that lanes serve, when a test first wants it.
var keyKinds = map[string]func() crypto.Signer{
	"rsa2048": rsaOfBits(2048), "rsa3072": rsaOfBits(3072), "rsa4096": rsaOfBits(4096),
	"p256": ecdsaOn(elliptic.P256()), "p384": ecdsaOn(elliptic.P384()),
	"ed25519": sync.OnceValue(func() crypto.Signer {
		_, key, err := ed25519.GenerateKey(rand.Reader)
		return must(key, err)
	}),
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func rsaOfBits(bits int) func() crypto.Signer {
	return sync.OnceValue(func() crypto.Signer { return must(rsa.GenerateKey(rand.Reader, bits)) })
}

func ecdsaOn(curve elliptic.Curve) func() crypto.Signer {
	return sync.OnceValue(func() crypto.Signer { return must(ecdsa.GenerateKey(curve, rand.Reader)) })
}

// lanesExpected is what tests/bindings says of this process, or that a test asks the library.
func lanesExpected() bool {
	if said := os.Getenv("OCTUPLE_TEST_LANES"); said != "" {
		return said == "yes"
	}
	return p256Sign.isOn()
}

func isWrapped(key crypto.PrivateKey) bool {
	_, wrapped := key.(interface{ unwrap() crypto.PrivateKey })
	return wrapped
}

// wrap fails the test if lanes are there and do not serve the key.
func wrap(t testing.TB, key crypto.PrivateKey) crypto.Signer {
	t.Helper()
	wrapped := WrapKey(key)
	if isWrapped(wrapped) != lanesExpected() {
		t.Fatalf("%T is wrapped: %v, lanes are expected: %v", key, isWrapped(wrapped), lanesExpected())
	}
	return wrapped.(crypto.Signer)
}

func needsLanes(t testing.TB) {
	t.Helper()
	if !lanesExpected() {
		t.Skip("no lanes in this process")
	}
}

// skipIfSlow leaves large RSA numbers out with -short, which is for the portable table.
func skipIfSlow(t testing.TB, name string) {
	t.Helper()
	if testing.Short() && (strings.Contains(name, "3072") || strings.Contains(name, "4096")) {
		t.Skip("-short")
	}
}

// A key that lacks something is left as it is: what crypto says of it comes at its first use.
func TestIncompleteKeys(t *testing.T) {
	whole := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	number := must(rsa.GenerateKey(rand.Reader, 2048))
	keys := []crypto.PrivateKey{
		&ecdsa.PrivateKey{},
		&ecdsa.PrivateKey{PublicKey: ecdsa.PublicKey{Curve: elliptic.P256()}},
		&ecdsa.PrivateKey{PublicKey: ecdsa.PublicKey{Curve: elliptic.P256()}, D: whole.D},
		&ecdsa.PrivateKey{PublicKey: ecdsa.PublicKey{Curve: elliptic.P256(), X: whole.X}, D: whole.D},
		&ecdsa.PrivateKey{PublicKey: whole.PublicKey},
		&rsa.PrivateKey{},
		&rsa.PrivateKey{PublicKey: number.PublicKey},
		&rsa.PrivateKey{PublicKey: number.PublicKey, D: number.D},
		&rsa.PrivateKey{PublicKey: rsa.PublicKey{N: number.N}, D: number.D, Primes: number.Primes},
		(*ecdsa.PrivateKey)(nil), (*rsa.PrivateKey)(nil), ed25519.PrivateKey(nil), ed25519.PrivateKey{1, 2}, nil,
	}
	for i, key := range keys {
		wrapped := WrapKey(key)
		if _, ok := wrapped.(interface{ unwrap() crypto.PrivateKey }); ok {
			t.Errorf("key %d was wrapped", i)
		}
	}
}
