// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple

import (
	"crypto"
	"crypto/rsa"
	"io"
	"math/big"
	"slices"
)

// rsaKey is a wrapped RSA key. Lanes compute the raw operation; padding is here.
type rsaKey struct {
	own   *rsa.PrivateKey
	lanes *laneKey
	op    *operation
}

func wrapRSA(own *rsa.PrivateKey) crypto.Signer {
	if own == nil || own.N == nil || own.D == nil || slices.Contains(own.Primes, nil) {
		return nil
	}
	op, served := rsaPrivate[own.N.BitLen()]
	if !served || len(own.Primes) != 2 || !op.isOn() {
		return nil
	}
	numbers := rsaNumbers(own, op.form().key)
	if numbers == nil {
		return nil
	}
	defer clear(numbers)
	lanes := op.newKey(numbers)
	if lanes == nil {
		return nil
	}
	return &rsaKey{own, lanes, op}
}

// rsaNumbers is the key as octuple/flat.h wants it, of `size` bytes; nil if a number is missing or too large for its
// place.
func rsaNumbers(own *rsa.PrivateKey, size int) []byte {
	computed := &own.Precomputed
	if computed.Dp == nil { // a key that was put together by hand, and may be in use by others: complete a copy
		whole := rsa.PrivateKey{PublicKey: own.PublicKey, D: own.D, Primes: own.Primes}
		whole.Precompute()
		computed = &whole.Precomputed
	}
	numbers := make([]byte, 0, size)
	add := func(n *big.Int, size int) bool {
		if n == nil || n.Sign() <= 0 || n.BitLen() > 8*size {
			return false
		}
		from := len(numbers)
		numbers = numbers[:from+size]
		n.FillBytes(numbers[from:])
		return true
	}
	modulus := own.Size()
	half := modulus / 2
	if add(own.N, modulus) && add(own.Primes[0], half) && add(own.Primes[1], half) && add(computed.Dp, half) &&
		add(computed.Dq, half) && add(computed.Qinv, half) && add(big.NewInt(int64(own.E)), size-modulus-5*half) {
		return numbers
	}
	return nil
}

func (k *rsaKey) unwrap() crypto.PrivateKey { return k.own }

// Public returns the public key, as [rsa.PrivateKey.Public] does.
func (k *rsaKey) Public() crypto.PublicKey { return k.own.Public() }

// raw is in^d mod n, checked; nil if it failed.
func (k *rsaKey) raw(in []byte) []byte {
	j := job{key: k.lanes, in: in}
	k.op.gather(&j)
	return j.out
}

// Sign is [rsa.PrivateKey.Sign].
func (k *rsaKey) Sign(rand io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	if encoded := k.encode(rand, digest, opts); encoded != nil {
		if signature := k.raw(encoded); signature != nil {
			return signature, nil
		}
	}
	return k.own.Sign(rand, digest, opts)
}

// encode pads the digest; nil where Go's own code is to sign, or to say what is wrong.
func (k *rsaKey) encode(rand io.Reader, digest []byte, opts crypto.SignerOpts) []byte {
	pss, isPSS := opts.(*rsa.PSSOptions)
	switch {
	case opts == nil || isPSS && pss == nil:
		return nil
	case isPSS:
		return encodePSS(rand, k.own.Size(), digest, pss)
	default:
		return encodePKCS1(k.own.Size(), digest, opts.HashFunc())
	}
}

// Decrypt is [rsa.PrivateKey.Decrypt].
func (k *rsaKey) Decrypt(rand io.Reader, ciphertext []byte, opts crypto.DecrypterOpts) ([]byte, error) {
	decode := k.decoder(rand, opts)
	if decode != nil && len(ciphertext) == k.own.Size() {
		if encoded := k.raw(ciphertext); encoded != nil {
			return decode(encoded)
		}
	}
	return k.own.Decrypt(rand, ciphertext, opts)
}

// decoder removes the padding that the options speak of; nil where Go's own code is to decrypt.
func (k *rsaKey) decoder(rand io.Reader, opts crypto.DecrypterOpts) func([]byte) ([]byte, error) {
	switch opts := opts.(type) {
	case nil:
		return decodePKCS1
	case *rsa.PKCS1v15DecryptOptions:
		if opts.SessionKeyLen <= 0 {
			return decodePKCS1
		}
		if opts.SessionKeyLen > k.own.Size()-minPKCS1 {
			return nil
		}
		return func(encoded []byte) ([]byte, error) { return decodeSessionKey(rand, encoded, opts.SessionKeyLen) }
	case *rsa.OAEPOptions:
		mgf := opts.MGFHash
		if mgf == 0 {
			mgf = opts.Hash
		}
		if !opts.Hash.Available() || !mgf.Available() || k.own.Size() < 2*opts.Hash.Size()+2 {
			return nil
		}
		return func(encoded []byte) ([]byte, error) { return decodeOAEP(encoded, opts.Hash, mgf, opts.Label) }
	default:
		return nil
	}
}
