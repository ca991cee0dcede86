// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"io"
	"slices"
)

// ecdsaKey is a wrapped ECDSA key.
type ecdsaKey struct {
	own     *ecdsa.PrivateKey
	private []byte
	op      *operation
}

// ecdsaOperations are signing and verification on the curve; nil where lanes do not serve it. No map: a curve of the
// caller's own need not be a key of one.
func ecdsaOperations(curve elliptic.Curve) (sign, verify *operation) {
	switch curve {
	case elliptic.P256():
		return p256Sign, p256Verify
	case elliptic.P384():
		return p384Sign, p384Verify
	}
	return nil, nil
}

func wrapECDSA(own *ecdsa.PrivateKey) crypto.Signer {
	if own == nil || own.Curve == nil || own.D == nil || own.X == nil || own.Y == nil {
		return nil
	}
	op, _ := ecdsaOperations(own.Curve)
	if op == nil || !op.isOn() {
		return nil
	}
	private, err := own.ECDH() // checks the number
	if err != nil {
		return nil
	}
	public, err := own.PublicKey.ECDH()
	if err != nil || !public.Equal(private.PublicKey()) {
		return nil // lanes know the private number only, and would sign for its own public key
	}
	return &ecdsaKey{own, private.Bytes(), op}
}

func (k *ecdsaKey) unwrap() crypto.PrivateKey { return k.own }

// Public returns the public key, as [ecdsa.PrivateKey.Public] does.
func (k *ecdsaKey) Public() crypto.PublicKey { return k.own.Public() }

// Sign is [ecdsa.PrivateKey.Sign]. Nonces come from key, digest and the system's randomness; `rand` is only asked
// whether it is nil, which is for signatures that are not random.
func (k *ecdsaKey) Sign(rand io.Reader, digest []byte, opts crypto.SignerOpts) ([]byte, error) {
	// Go's own code takes longer digests, and ignores what is too much.
	if rand != nil && len(digest) > 0 && len(digest) <= k.op.form().more {
		j := job{in: slices.Concat(k.private, digest)}
		k.op.gather(&j)
		clear(j.in)
		if j.ok {
			return encodeECDSA(j.out), nil
		}
	}
	return k.own.Sign(rand, digest, opts)
}

// encodeECDSA is the DER of r and s, which stand one after the other (RFC 3279, 2.2.3). All lengths are below 128.
func encodeECDSA(rs []byte) []byte {
	half := len(rs) / 2
	der := append(make([]byte, 0, len(rs)+8), 0x30, 0)
	for _, number := range [][]byte{rs[:half], rs[half:]} {
		for len(number) > 1 && number[0] == 0 {
			number = number[1:]
		}
		sign := number[0] >> 7 // 1: a zero byte tells it from a negative number
		der = append(der, 2, byte(len(number))+sign)
		der = append(der, make([]byte, sign)...)
		der = append(der, number...)
	}
	der[1] = byte(len(der) - 2)
	return der
}

// decodeECDSA is r and s, of `size` bytes each; nil if the DER is not what encodeECDSA makes of them.
func decodeECDSA(der []byte, size int) []byte {
	rs := make([]byte, 2*size)
	at := 2
	for _, number := range [][]byte{rs[:size], rs[size:]} {
		if len(der) < at+2 || len(der) < at+2+int(der[at+1]) {
			return nil
		}
		value := bytes.TrimLeft(der[at+2:at+2+int(der[at+1])], "\x00")
		if len(value) > size {
			return nil
		}
		copy(number[size-len(value):], value)
		at += 2 + int(der[at+1])
	}
	if !bytes.Equal(encodeECDSA(rs), der) {
		return nil
	}
	return rs
}
