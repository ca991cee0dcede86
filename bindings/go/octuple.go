// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

// Package octuple runs private-key operations of Go servers eight at a time, in lanes of liboctuple.so.
//
// [WrapKey] makes a [crypto.Signer] of a key: RSA of 2048, 3072 and 4096 bits (also a [crypto.Decrypter]), ECDSA on
// P-256 and P-384, Ed25519. It behaves as the key itself does, and so do its errors. [WrapCertificate] and
// [GetCertificate] do that to certificates of crypto/tls.
//
// Goroutines that sign at the same time share a batch. The first yields once, takes what has gathered meanwhile, and
// calls C for all. There is no timer and no thread.
//
// Go's own code runs wherever lanes are not to be had: without cgo, liboctuple.so.0 or AVX2, in FIPS 140 mode, for
// keys and options that lanes do not serve, and for each result that failed its check. The library is looked up when a
// program first wraps a key. So building needs no Octuple, and one binary serves machines with and without it.
package octuple

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/fips140"
	"crypto/rsa"
	"crypto/tls"
	"sync"
)

// WrapKey returns the key as a [crypto.Signer] that signs in lanes, or the key itself if lanes do not serve it. A
// wrapped RSA key is a [crypto.Decrypter] too. The key must not change afterwards.
func WrapKey(key crypto.PrivateKey) crypto.PrivateKey {
	if fips140.Enabled() {
		return key
	}
	var wrapped crypto.Signer
	switch own := key.(type) {
	case *rsa.PrivateKey:
		wrapped = wrapRSA(own)
	case *ecdsa.PrivateKey:
		wrapped = wrapECDSA(own)
	case ed25519.PrivateKey:
		wrapped = wrapEd25519(own)
	}
	if wrapped == nil {
		return key
	}
	return wrapped
}

// UnwrapKey returns the key that WrapKey was given, to be stored or encoded. Other keys are returned as they are.
func UnwrapKey(key crypto.PrivateKey) crypto.PrivateKey {
	if wrapped, ok := key.(interface{ unwrap() crypto.PrivateKey }); ok {
		return wrapped.unwrap()
	}
	return key
}

// WrapCertificate returns the certificate with its private key wrapped by [WrapKey].
func WrapCertificate(certificate tls.Certificate) tls.Certificate {
	certificate.PrivateKey = WrapKey(certificate.PrivateKey)
	return certificate
}

// GetCertificate returns a [tls.Config.GetCertificate] that wraps what `next` returns, such as autocert's. It wraps
// each key once, and remembers the latest keys only.
func GetCertificate(
	next func(*tls.ClientHelloInfo) (*tls.Certificate, error),
) func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	keys := wrappedKeys{known: map[any]crypto.PrivateKey{}}
	return func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		certificate, err := next(hello)
		if err != nil || certificate == nil {
			return certificate, err
		}
		wrapped := *certificate // the caller's may be in use by others
		wrapped.PrivateKey = keys.wrap(certificate.PrivateKey)
		return &wrapped, nil
	}
}

// maxKeys bounds what GetCertificate remembers. A server with more certificates wraps some of them again and again,
// which costs less than lanes save.
const maxKeys = 1024

type wrappedKeys struct {
	mutex sync.RWMutex
	known map[any]crypto.PrivateKey
}

func (k *wrappedKeys) wrap(key crypto.PrivateKey) crypto.PrivateKey {
	var id any
	switch own := key.(type) {
	case *rsa.PrivateKey, *ecdsa.PrivateKey:
		id = own
	case ed25519.PrivateKey:
		id = string(own)
	default:
		return key
	}
	k.mutex.RLock()
	wrapped, found := k.known[id]
	k.mutex.RUnlock()
	if !found {
		wrapped = WrapKey(key)
		k.remember(id, wrapped)
	}
	return wrapped
}

func (k *wrappedKeys) remember(id any, wrapped crypto.PrivateKey) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if len(k.known) >= maxKeys {
		clear(k.known)
	}
	k.known[id] = wrapped
}
