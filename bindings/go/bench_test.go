// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple

import (
	"crypto"
	"crypto/rand"
	"slices"
	"testing"
)

var kinds = []string{"rsa2048", "rsa3072", "rsa4096", "p256", "p384", "ed25519"}

// eachSigner runs with each key as it is, and wrapped.
func eachSigner(b *testing.B, run func(b *testing.B, key crypto.Signer, opts crypto.SignerOpts)) {
	needsLanes(b)
	for _, kind := range kinds {
		own := keyKinds[kind]()
		b.Run(kind+"/own", func(b *testing.B) { run(b, own, optionsOf(kind)) })
		b.Run(kind+"/octuple", func(b *testing.B) { run(b, wrap(b, own), optionsOf(kind)) })
	}
}

// BenchmarkAlone has one goroutine: gathering must cost it nothing.
func BenchmarkAlone(b *testing.B) {
	eachSigner(b, func(b *testing.B, key crypto.Signer, opts crypto.SignerOpts) {
		digest := make([]byte, 32)
		for b.Loop() {
			must(key.Sign(rand.Reader, digest, opts))
		}
	})
}

// BenchmarkTogether has 64 goroutines for each processor.
func BenchmarkTogether(b *testing.B) {
	eachSigner(b, func(b *testing.B, key crypto.Signer, opts crypto.SignerOpts) {
		digest := make([]byte, 32)
		b.SetParallelism(64)
		b.RunParallel(func(more *testing.PB) {
			for more.Next() {
				must(key.Sign(rand.Reader, digest, opts))
			}
		})
	})
}

// BenchmarkGather is what a lone job pays to be found by others: all but the run.
func BenchmarkGather(b *testing.B) {
	var here rendezvous
	for b.Loop() {
		here.meet(&job{}, 8, func([]*job) {})
	}
}

// BenchmarkWrap is what GetCertificate pays for a key that it does not remember.
func BenchmarkWrap(b *testing.B) {
	needsLanes(b)
	for _, kind := range kinds {
		own := keyKinds[kind]()
		b.Run(kind, func(b *testing.B) {
			for b.Loop() {
				WrapKey(own)
			}
		})
	}
}

// BenchmarkVerify has eight signatures a batch.
func BenchmarkVerify(b *testing.B) {
	for _, kind := range []string{"p256", "p384", "ed25519"} {
		key, digest := keyKinds[kind](), make([]byte, 32)
		opts := optionsOf(kind)
		one := Verification{key.Public(), digest, must(key.Sign(rand.Reader, digest, opts)), opts}
		batch := slices.Repeat([]Verification{one}, 8)
		b.Run(kind+"/own", func(b *testing.B) {
			for b.Loop() {
				for i := range batch {
					batch[i].own()
				}
			}
		})
		b.Run(kind+"/octuple", func(b *testing.B) {
			for b.Loop() {
				VerifyBatch(batch)
			}
		})
	}
}
