// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"net"
	"testing"
	"time"
)

// certificateOf signs itself, with a wrapped key.
func certificateOf(t *testing.T, key crypto.Signer) tls.Certificate {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der := must(x509.CreateCertificate(rand.Reader, template, template, key.Public(), wrap(t, key)))
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func handshake(server *tls.Config, client *tls.Config) error {
	ours, theirs := net.Pipe()
	defer ours.Close()
	defer theirs.Close()
	served := make(chan error, 1)
	go func() { served <- tls.Server(ours, server).Handshake() }()
	return errors.Join(tls.Client(theirs, client).Handshake(), <-served)
}

func TestHandshakes(t *testing.T) {
	for kind, own := range keyKinds {
		t.Run(kind, func(t *testing.T) {
			certificate := WrapCertificate(certificateOf(t, own()))
			if isWrapped(certificate.PrivateKey) != lanesExpected() {
				t.Fatalf("is wrapped: %v", !lanesExpected())
			}
			roots := x509.NewCertPool()
			roots.AddCert(must(x509.ParseCertificate(certificate.Certificate[0])))
			suites := []uint16{tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}
			if kind[:3] == "rsa" {
				suites = append(suites, tls.TLS_RSA_WITH_AES_128_GCM_SHA256)
			}
			for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
				for _, suite := range suites {
					both := tls.Config{Certificates: []tls.Certificate{certificate}, RootCAs: roots, ServerName: "localhost",
						ClientAuth: tls.RequireAnyClientCert, MaxVersion: version, CipherSuites: []uint16{suite}}
					mismatch := version == tls.VersionTLS12 && (suite == suites[0]) != (kind[:3] == "rsa") &&
						(suite == suites[1]) == (kind[:3] == "rsa")
					if err := handshake(&both, &both); (err == nil) == mismatch {
						t.Errorf("%s, %s: %v", tls.VersionName(version), tls.CipherSuiteName(suite), err)
					}
				}
			}
		})
	}
}

func TestGetCertificate(t *testing.T) {
	failure := errors.New("none")
	for kind, own := range keyKinds {
		certificate := certificateOf(t, own())
		get := GetCertificate(func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			copied := certificate
			return &copied, nil
		})
		first, second := must(get(nil)), must(get(nil))
		if isWrapped(first.PrivateKey) != lanesExpected() || isWrapped(certificate.PrivateKey) {
			t.Errorf("%s: is wrapped: %v", kind, isWrapped(first.PrivateKey))
		}
		if lanesExpected() && first.PrivateKey != second.PrivateKey {
			t.Errorf("%s: is wrapped anew each time", kind)
		}
	}
	none := GetCertificate(func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return nil, failure })
	if certificate, err := none(nil); certificate != nil || err != failure {
		t.Errorf("%v, %v", certificate, err)
	}
	empty := GetCertificate(func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return nil, nil })
	if certificate, err := empty(nil); certificate != nil || err != nil {
		t.Errorf("%v, %v", certificate, err)
	}
}

func TestRememberedKeysAreBounded(t *testing.T) {
	keys := wrappedKeys{known: map[any]crypto.PrivateKey{}}
	for i := range 3 * maxKeys {
		keys.remember(i, nil)
	}
	if len(keys.known) > maxKeys {
		t.Errorf("%d keys are remembered", len(keys.known))
	}
}

func TestWrappingTwice(t *testing.T) {
	for kind, own := range keyKinds {
		once := wrap(t, own())
		if twice := WrapKey(once); isWrapped(once) && twice != crypto.PrivateKey(once) {
			t.Errorf("%s: is wrapped twice", kind)
		}
		if equal, ok := UnwrapKey(once).(interface{ Equal(crypto.PrivateKey) bool }); !ok || !equal.Equal(own()) {
			t.Errorf("%s: does not come back", kind)
		}
	}
	for _, other := range []crypto.PrivateKey{
		nil, "no key", 7, (*rsa.PrivateKey)(nil), (*ecdsa.PrivateKey)(nil), &rsa.PrivateKey{}, &ecdsa.PrivateKey{},
	} {
		if WrapKey(other) != other || UnwrapKey(other) != other {
			t.Errorf("%v is changed", other)
		}
	}
}
