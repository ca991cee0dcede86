// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple

import (
	"crypto/fips140"
	"crypto/rand"
	"crypto/rsa"
	"io"
	"math/big"
)

// rsaExponent is the one that lanes make keys for, and that of rsa.GenerateKey.
const rsaExponent = 65537

// GenerateRSAKey makes a key as [rsa.GenerateKey] does: of 2048, 3072 and 4096 bits in lanes if `random` is
// [rand.Reader], else by Go's own code. In lanes the random bytes are the kernel's, by getrandom.
func GenerateRSAKey(random io.Reader, bits int) (*rsa.PrivateKey, error) {
	op, served := rsaKeygen[bits]
	if served && random == rand.Reader && !fips140.Enabled() && op.isOn() {
		if key := generateInLanes(op, bits/8); key != nil {
			return key, nil
		}
	}
	return rsa.GenerateKey(random, bits)
}

// generateInLanes is nil if no key was made. Nobody gathers this operation: all lanes are full within one call.
func generateInLanes(op *operation, modulus int) *rsa.PrivateKey {
	var j job
	op.run([]*job{&j})
	if !j.ok {
		return nil
	}
	defer clear(j.out)
	number := func(from, bytes int) *big.Int { return new(big.Int).SetBytes(j.out[from : from+bytes]) }
	key := &rsa.PrivateKey{
		PublicKey: rsa.PublicKey{N: number(0, modulus), E: rsaExponent},
		D:         number(modulus, modulus),
		Primes:    []*big.Int{number(2*modulus, modulus/2), number(2*modulus+modulus/2, modulus/2)},
	}
	key.Precompute()
	return key
}
