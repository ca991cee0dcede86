// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

// The paddings of RFC 8017, which crypto/rsa does not offer without its own private operation. What is decrypted is
// secret: time and addresses of decoding do not depend on it, until the verdict.

package octuple

import (
	"crypto"
	"crypto/rsa"
	"crypto/subtle"
	"encoding/binary"
	"io"
)

// digestInfo is the last byte of the hash's identifier in 2.16.840.1.101.3.4.2, where SHA-2 and SHA-3 are.
var digestInfo = map[crypto.Hash]byte{
	crypto.SHA256: 1, crypto.SHA384: 2, crypto.SHA512: 3, crypto.SHA224: 4, crypto.SHA512_224: 5, crypto.SHA512_256: 6,
	crypto.SHA3_224: 7, crypto.SHA3_256: 8, crypto.SHA3_384: 9, crypto.SHA3_512: 10,
}

// encodePKCS1 is EMSA-PKCS1-v1_5 (9.2); nil for what Go is to refuse, and for hashes of the past.
func encodePKCS1(size int, digest []byte, hash crypto.Hash) []byte {
	var prefix []byte
	if id, known := digestInfo[hash]; known && len(digest) == hash.Size() {
		n := byte(len(digest))
		prefix = []byte{0x30, n + 17, 0x30, 13, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, id, 5, 0, 4, n}
	} else if hash != 0 { // 0: signed as it is
		return nil
	}
	separator := size - len(prefix) - len(digest) - 1
	if separator < minPKCS1-1 {
		return nil
	}
	encoded := make([]byte, size)
	encoded[1] = 1
	for i := 2; i < separator; i++ {
		encoded[i] = 0xff
	}
	copy(encoded[separator+1:], prefix)
	copy(encoded[separator+1+len(prefix):], digest)
	return encoded
}

// encodePSS is EMSA-PSS-ENCODE (9.1.1) for a modulus of 8*size bits; nil for what Go is to refuse.
func encodePSS(rand io.Reader, size int, digest []byte, opts *rsa.PSSOptions) []byte {
	hash := opts.Hash
	if rand == nil || !hash.Available() || len(digest) != hash.Size() {
		return nil
	}
	longest := size - 2 - hash.Size()
	length := opts.SaltLength
	switch length {
	case rsa.PSSSaltLengthAuto:
		length = longest
	case rsa.PSSSaltLengthEqualsHash:
		length = hash.Size()
	}
	if length < 0 || length > longest {
		return nil
	}
	salt := make([]byte, length)
	if _, err := io.ReadFull(rand, salt); err != nil {
		return nil
	}
	h := hash.New()
	h.Write(make([]byte, 8))
	h.Write(digest)
	h.Write(salt)
	encoded := make([]byte, size) // DB || H || 0xbc, where DB is zeros || 1 || salt
	db, rest := encoded[:size-hash.Size()-1], encoded[size-hash.Size()-1:]
	h.Sum(rest[:0])
	rest[len(rest)-1] = 0xbc
	db[len(db)-length-1] = 1
	copy(db[len(db)-length:], salt)
	xorMGF1(db, hash, rest[:hash.Size()])
	db[0] &= 0x7f
	return encoded
}

// xorMGF1 adds the mask of B.2.1 to the bytes.
func xorMGF1(bytes []byte, hash crypto.Hash, seed []byte) {
	h := hash.New()
	var mask, number []byte
	for counter := uint32(0); len(bytes) > 0; counter++ {
		number = binary.BigEndian.AppendUint32(number[:0], counter)
		h.Reset()
		h.Write(seed)
		h.Write(number)
		mask = h.Sum(mask[:0])
		bytes = bytes[subtle.XORBytes(bytes, bytes, mask):]
	}
}

// decodeOAEP is EME-OAEP decoding (7.1.2).
func decodeOAEP(encoded []byte, hash, mgf crypto.Hash, label []byte) ([]byte, error) {
	h := hash.New()
	h.Write(label)
	seed, db := encoded[1:1+hash.Size()], encoded[1+hash.Size():]
	xorMGF1(seed, mgf, db)
	xorMGF1(db, mgf, seed)

	good := subtle.ConstantTimeByteEq(encoded[0], 0) & subtle.ConstantTimeCompare(db[:hash.Size()], h.Sum(nil))
	db = db[hash.Size():]
	looking, index := 1, 0 // for the 1 behind zeros
	for i, b := range db {
		one, zero := subtle.ConstantTimeByteEq(b, 1), subtle.ConstantTimeByteEq(b, 0)
		index = subtle.ConstantTimeSelect(looking&one, i, index)
		looking &^= one
		good &^= looking &^ zero
	}
	if good&^looking != 1 {
		return nil, rsa.ErrDecryption
	}
	return db[index+1:], nil
}

// minPKCS1 is how many bytes are not the message's: 0, 2, eight or more that are not zero, 0.
const minPKCS1 = 11

// scanPKCS1 says whether the padding is EME-PKCS1-v1_5's (7.2.2), and where the message begins; 0 if it is not.
func scanPKCS1(encoded []byte) (good, index int) {
	looking := 1 // for the 0
	for i, b := range encoded[2:] {
		zero := subtle.ConstantTimeByteEq(b, 0)
		index = subtle.ConstantTimeSelect(looking&zero, i+2+1, index)
		looking &^= zero
	}
	good = subtle.ConstantTimeByteEq(encoded[0], 0) & subtle.ConstantTimeByteEq(encoded[1], 2) &
		subtle.ConstantTimeLessOrEq(minPKCS1, index)
	return good, subtle.ConstantTimeSelect(good, index, 0)
}

func decodePKCS1(encoded []byte) ([]byte, error) {
	good, index := scanPKCS1(encoded)
	if good != 1 {
		return nil, rsa.ErrDecryption
	}
	return encoded[index:], nil
}

// decodeSessionKey returns random bytes if the padding or the length is wrong, which the caller cannot tell from a key
// (RFC 5246, 7.4.7.1).
func decodeSessionKey(rand io.Reader, encoded []byte, length int) ([]byte, error) {
	key := make([]byte, length)
	if _, err := io.ReadFull(rand, key); err != nil {
		return nil, err
	}
	good, index := scanPKCS1(encoded)
	good &= subtle.ConstantTimeEq(int32(len(encoded)-index), int32(length))
	subtle.ConstantTimeCopy(good, key, encoded[len(encoded)-length:])
	clear(encoded)
	return key, nil
}
