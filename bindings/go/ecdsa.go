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

// maxDigest is what lanes take. Go's own code takes more, and ignores what is too much.
const maxDigest = 64

// ecdsaKey is a wrapped ECDSA key.
type ecdsaKey struct {
	own     *ecdsa.PrivateKey
	private []byte
	op      operation
}

// ecdsaOperation is how lanes call signing, or with `verify` verification, on the curve, and the bytes of its numbers.
func ecdsaOperation(curve elliptic.Curve, verify bool) (op operation, size int, served bool) {
	switch {
	case curve == elliptic.P256() && verify:
		op, size = p256Verify, 32
	case curve == elliptic.P256():
		op, size = p256Sign, 32
	case curve == elliptic.P384() && verify:
		op, size = p384Verify, 48
	case curve == elliptic.P384():
		op, size = p384Sign, 48
	}
	return op, size, size > 0 && op.isOn()
}

func wrapECDSA(own *ecdsa.PrivateKey) crypto.Signer {
	if own == nil || own.Curve == nil || own.D == nil || own.X == nil || own.Y == nil {
		return nil
	}
	op, _, served := ecdsaOperation(own.Curve, false)
	if !served {
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
	if rand != nil && len(digest) > 0 && len(digest) <= maxDigest {
		j := job{in: slices.Concat(k.private, digest), out: make([]byte, 2*len(k.private))}
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
