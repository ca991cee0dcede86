// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	_ "crypto/sha3"
	"io"
	"math/big"
	"slices"
	"testing"
)

var rsaKinds = []string{"rsa2048", "rsa3072", "rsa4096"}

var hashes = []crypto.Hash{
	crypto.SHA1, crypto.SHA224, crypto.SHA256, crypto.SHA384, crypto.SHA512, crypto.SHA512_224, crypto.SHA512_256,
	crypto.SHA3_224, crypto.SHA3_256, crypto.SHA3_384, crypto.SHA3_512,
}

func someHashes() []crypto.Hash {
	if testing.Short() {
		return []crypto.Hash{crypto.SHA1, crypto.SHA384, crypto.SHA3_256}
	}
	return hashes
}

func eachRSA(t *testing.T, test func(*testing.T, *rsa.PrivateKey, crypto.Signer)) {
	for _, kind := range rsaKinds {
		t.Run(kind, func(t *testing.T) {
			skipIfSlow(t, kind)
			own := keyKinds[kind]().(*rsa.PrivateKey)
			test(t, own, wrap(t, own))
		})
	}
}

func digestOf(hash crypto.Hash, message string) []byte {
	h := hash.New()
	io.WriteString(h, message)
	return h.Sum(nil)
}

// zeros is a reader whose salts can be compared.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

func TestPKCS1SignaturesAreGos(t *testing.T) {
	eachRSA(t, func(t *testing.T, own *rsa.PrivateKey, wrapped crypto.Signer) {
		for _, hash := range append([]crypto.Hash{crypto.MD5SHA1}, someHashes()...) {
			digest := make([]byte, hash.Size())
			rand.Read(digest)
			want := must(rsa.SignPKCS1v15(nil, own, hash, digest))
			if !bytes.Equal(must(wrapped.Sign(rand.Reader, digest, hash)), want) {
				t.Errorf("%v: another signature", hash)
			}
		}
		for _, length := range []int{0, 1, 64, own.Size() - 11} {
			message := make([]byte, length)
			want := must(rsa.SignPKCS1v15(nil, own, 0, message))
			if !bytes.Equal(must(wrapped.Sign(nil, message, crypto.Hash(0))), want) {
				t.Errorf("%d bytes that are no digest: another signature", length)
			}
		}
	})
}

func TestPSSSignaturesAreGos(t *testing.T) {
	eachRSA(t, func(t *testing.T, own *rsa.PrivateKey, wrapped crypto.Signer) {
		for _, hash := range someHashes() {
			digest := digestOf(hash, "message")
			longest := own.Size() - 2 - hash.Size()
			for _, salt := range []int{rsa.PSSSaltLengthAuto, rsa.PSSSaltLengthEqualsHash, 1, 20, longest} {
				opts := &rsa.PSSOptions{SaltLength: salt, Hash: hash}
				want := must(own.Sign(zeros{}, digest, opts))
				if !bytes.Equal(must(wrapped.Sign(zeros{}, digest, opts)), want) {
					t.Errorf("%v, salt %d: another signature of the same salt", hash, salt)
				}
				signature := must(wrapped.Sign(rand.Reader, digest, opts))
				if err := rsa.VerifyPSS(&own.PublicKey, hash, digest, signature, opts); err != nil {
					t.Errorf("%v, salt %d: %v", hash, salt, err)
				}
			}
		}
	})
}

func TestOAEPDecryptsGos(t *testing.T) {
	eachRSA(t, func(t *testing.T, own *rsa.PrivateKey, wrapped crypto.Signer) {
		for _, hash := range someHashes() {
			for _, mgf := range []crypto.Hash{0, crypto.SHA1, hash} {
				longest := own.Size() - 2 - 2*hash.Size()
				for _, length := range []int{0, 1, longest} {
					message := make([]byte, length)
					rand.Read(message)
					opts := &rsa.OAEPOptions{Hash: hash, MGFHash: mgf, Label: message[:length/2]}
					block := append(make([]byte, longest-length), 1)
					ciphertext := encryptOAEP(own, append(block, message...), opts)
					sameDecryption(t, own, wrapped, ciphertext, opts)
					found, err := wrapped.(crypto.Decrypter).Decrypt(rand.Reader, ciphertext, opts)
					if err != nil || !bytes.Equal(found, message) {
						t.Errorf("%v, %v, %d bytes: %v", hash, mgf, length, err)
					}
				}
			}
		}
	})
}

func TestPKCS1DecryptsGos(t *testing.T) {
	eachRSA(t, func(t *testing.T, own *rsa.PrivateKey, wrapped crypto.Signer) {
		for _, length := range []int{0, 1, 48, own.Size() - 11} {
			message := bytes.Repeat([]byte{7}, length)
			ciphertext := must(rsa.EncryptPKCS1v15(rand.Reader, &own.PublicKey, message))
			for _, opts := range []crypto.DecrypterOpts{
				nil, &rsa.PKCS1v15DecryptOptions{}, &rsa.PKCS1v15DecryptOptions{SessionKeyLen: length},
			} {
				found, err := wrapped.(crypto.Decrypter).Decrypt(rand.Reader, ciphertext, opts)
				if err != nil || !bytes.Equal(found, message) {
					t.Errorf("%d bytes, %+v: %v", length, opts, err)
				}
			}
			other := &rsa.PKCS1v15DecryptOptions{SessionKeyLen: 47}
			found, err := wrapped.(crypto.Decrypter).Decrypt(zeros{}, ciphertext, other)
			if err != nil || !bytes.Equal(found, make([]byte, 47)) {
				t.Errorf("a session key of another length is what the reader gave: %x, %v", found, err)
			}
		}
	})
}

// encodings are what a ciphertext may hold instead of good padding.
func encodings(size int) [][]byte {
	good := append([]byte{0, 2}, bytes.Repeat([]byte{1}, size-2)...)
	with := func(at int, value byte) []byte {
		changed := slices.Clone(good)
		changed[at] = value
		return changed
	}
	all := [][]byte{good, make([]byte, size), with(0, 1), with(1, 1)}
	for _, end := range []int{2, 3, 8, 9, 10, 11, size - 49, size - 48, size - 2, size - 1} {
		all = append(all, with(end, 0))
		first := with(end, 0)
		first[1] = 1
		all = append(all, first)
	}
	for range 20 { // OAEP: the masks make anything of it
		random := make([]byte, size)
		rand.Read(random[1:])
		all = append(all, random)
	}
	return all
}

func TestBadPaddingEndsAsGos(t *testing.T) {
	eachRSA(t, func(t *testing.T, own *rsa.PrivateKey, wrapped crypto.Signer) {
		for _, encoded := range encodings(own.Size()) {
			ciphertext := rawPublic(own, encoded)
			for _, opts := range []crypto.DecrypterOpts{
				nil, &rsa.PKCS1v15DecryptOptions{SessionKeyLen: 48}, &rsa.OAEPOptions{Hash: crypto.SHA256},
				&rsa.OAEPOptions{Hash: crypto.SHA1, Label: []byte("label")},
			} {
				sameDecryption(t, own, wrapped, ciphertext, opts)
			}
		}
	})
}

// encryptOAEP encrypts what follows the label's hash in the data block, good or not.
func encryptOAEP(own *rsa.PrivateKey, block []byte, opts *rsa.OAEPOptions) []byte {
	mgf := opts.MGFHash
	if mgf == 0 {
		mgf = opts.Hash
	}
	size := opts.Hash.Size()
	encoded := make([]byte, 1+size, own.Size())
	rand.Read(encoded[1:])
	encoded = append(append(encoded, digestOf(opts.Hash, string(opts.Label))...), block...)
	xorMGF1(encoded[1+size:], mgf, encoded[1:1+size])
	xorMGF1(encoded[1:1+size], mgf, encoded[1+size:])
	return rawPublic(own, encoded)
}

func rawPublic(own *rsa.PrivateKey, encoded []byte) []byte {
	number, e := new(big.Int).SetBytes(encoded), big.NewInt(int64(own.E))
	return number.Exp(number, e, own.N).FillBytes(make([]byte, own.Size()))
}

func TestBadOAEPEndsAsGos(t *testing.T) {
	own := keyKinds["rsa2048"]().(*rsa.PrivateKey)
	wrapped := wrap(t, own)
	opts := &rsa.OAEPOptions{Hash: crypto.SHA256, Label: []byte("label")}
	for _, at := range []int{0, 1, 100, 189, 190} { // of 191 bytes: zeros and a 1
		for _, value := range []byte{0, 1, 2, 255} {
			block := make([]byte, 191)
			block[190] = 1
			block[at] = value
			sameDecryption(t, own, wrapped, encryptOAEP(own, block, opts), opts)
		}
	}
	other := &rsa.OAEPOptions{Hash: crypto.SHA256, Label: []byte("another")}
	sameDecryption(t, own, wrapped, encryptOAEP(own, append(make([]byte, 190), 1), opts), other)
}

func sameDecryption(t *testing.T, own *rsa.PrivateKey, wrapped crypto.Signer, ciphertext []byte,
	opts crypto.DecrypterOpts) {
	t.Helper()
	want, wantErr := own.Decrypt(zeros{}, ciphertext, opts)
	found, err := wrapped.(crypto.Decrypter).Decrypt(zeros{}, ciphertext, opts)
	sameError(t, err, wantErr)
	if !bytes.Equal(found, want) {
		t.Errorf("%+v: %x, Go's own has %x", opts, found, want)
	}
}

// sameError compares texts: some of Go's errors are made anew each time.
func sameError(t *testing.T, found, want error) {
	t.Helper()
	if (found == nil) != (want == nil) || want != nil && found.Error() != want.Error() {
		t.Errorf("error %v, Go's own is %v", found, want)
	}
}

// failing is a reader without randomness.
type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestRSAErrorsAreGos(t *testing.T) {
	eachRSA(t, func(t *testing.T, own *rsa.PrivateKey, wrapped crypto.Signer) {
		digest := digestOf(crypto.SHA256, "")
		for name, c := range map[string]struct {
			rand   io.Reader
			digest []byte
			opts   crypto.SignerOpts
		}{
			"short digest":       {rand.Reader, digest[1:], crypto.SHA256},
			"short digest, PSS":  {rand.Reader, digest[1:], &rsa.PSSOptions{Hash: crypto.SHA256}},
			"too long":           {rand.Reader, make([]byte, own.Size()-10), crypto.Hash(0)},
			"negative salt":      {rand.Reader, digest, &rsa.PSSOptions{Hash: crypto.SHA256, SaltLength: -2}},
			"salt without room":  {rand.Reader, digest, &rsa.PSSOptions{Hash: crypto.SHA256, SaltLength: own.Size() - 33}},
			"failing randomness": {failing{}, digest, &rsa.PSSOptions{Hash: crypto.SHA256}},
		} {
			t.Run(name, func(t *testing.T) {
				_, want := own.Sign(c.rand, c.digest, c.opts)
				_, err := wrapped.Sign(c.rand, c.digest, c.opts)
				if want == nil {
					t.Fatal("Go's own does not refuse it")
				}
				sameError(t, err, want)
			})
		}
		for _, ciphertext := range [][]byte{
			nil, make([]byte, own.Size()-1), make([]byte, own.Size()+1), make([]byte, own.Size()),
			bytes.Repeat([]byte{0xff}, own.Size()), own.N.Bytes(),
		} {
			for _, opts := range []crypto.DecrypterOpts{
				nil, &rsa.PKCS1v15DecryptOptions{SessionKeyLen: own.Size() - 10}, &rsa.OAEPOptions{Hash: crypto.SHA256},
				&rsa.PKCS1v15DecryptOptions{SessionKeyLen: 48}, crypto.SHA256,
			} {
				sameDecryption(t, own, wrapped, ciphertext, opts)
			}
		}
		_, err := wrapped.(crypto.Decrypter).Decrypt(failing{}, make([]byte, own.Size()),
			&rsa.PKCS1v15DecryptOptions{SessionKeyLen: 48})
		sameError(t, err, io.ErrUnexpectedEOF)
	})
}

// Keys that lanes do not serve stay what they are.
func TestOtherRSAKeysStayGos(t *testing.T) {
	own := keyKinds["rsa2048"]().(*rsa.PrivateKey)
	wrong := *own
	wrong.Primes = []*big.Int{own.Primes[0], new(big.Int).Add(own.Primes[1], big.NewInt(2))}
	without, empty := *own, *own
	without.Primes = nil
	empty.Primes = make([]*big.Int, 2)
	bare := &rsa.PrivateKey{PublicKey: own.PublicKey, Primes: own.Primes}
	for name, key := range map[string]*rsa.PrivateKey{
		"1024 bits": must(rsa.GenerateKey(rand.Reader, 1024)), "primes of another key": &wrong, "no primes": &without,
		"empty primes": &empty, "no exponent": bare,
	} {
		if WrapKey(key) != crypto.PrivateKey(key) {
			t.Errorf("%s: is wrapped", name)
		}
	}
}

// A key that was put together by hand has no precomputed numbers.
func TestRSAKeyWithoutPrecomputedNumbers(t *testing.T) {
	own := keyKinds["rsa2048"]().(*rsa.PrivateKey)
	bare := &rsa.PrivateKey{PublicKey: own.PublicKey, D: own.D, Primes: own.Primes}
	digest := digestOf(crypto.SHA256, "message")
	signature := must(wrap(t, bare).Sign(rand.Reader, digest, crypto.SHA256))
	if bare.Precomputed.Dp != nil && lanesExpected() {
		t.Error("the caller's key has been changed")
	}
	if err := rsa.VerifyPKCS1v15(&own.PublicKey, crypto.SHA256, digest, signature); err != nil {
		t.Error(err)
	}
}
