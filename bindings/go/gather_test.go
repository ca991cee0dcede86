// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple

import (
	"crypto"
	"crypto/rand"
	"runtime"
	"sync"
	"testing"
)

// verified signs once and says whether the signature is good.
func verified(key crypto.Signer, opts crypto.SignerOpts) bool {
	digest := make([]byte, 32)
	rand.Read(digest)
	signature, err := key.Sign(rand.Reader, digest, opts)
	v := Verification{key.Public(), digest, signature, opts}
	return err == nil && v.own()
}

func optionsOf(kind string) crypto.SignerOpts {
	if kind == "ed25519" {
		return crypto.Hash(0)
	}
	return crypto.SHA256
}

// Each goroutine gets the result of its own job, whoever runs it.
func TestManyGoroutines(t *testing.T) {
	for _, processors := range []int{1, 2, 8} {
		before := runtime.GOMAXPROCS(processors)
		var group sync.WaitGroup
		for kind, own := range keyKinds {
			if testing.Short() && kind[:3] == "rsa" && kind != "rsa2048" {
				continue
			}
			key := wrap(t, own())
			for range 21 {
				group.Add(1)
				go func() {
					defer group.Done()
					for range 3 {
						if !verified(key, optionsOf(kind)) {
							t.Errorf("%s: a signature is not valid", kind)
						}
					}
				}()
			}
		}
		group.Wait()
		runtime.GOMAXPROCS(before)
	}
	for op := range meeting {
		if meeting[op].open != nil {
			t.Errorf("operation %d: a batch was left open", op)
		}
	}
}

// The first and the eighth may both want a batch; one of them has it.
func TestOneGoroutineTakesABatch(t *testing.T) {
	for size := 1; size <= maxLanes; size++ {
		var here rendezvous
		var opened *batch
		for i := 1; i <= size; i++ {
			mine, first, taken := here.join(&job{})
			if first {
				opened = mine
			}
			if mine != opened || first != (i == 1) || taken != (i == maxLanes) {
				t.Errorf("job %d: first %v, taken %v", i, first, taken)
			}
		}
		if len(opened.jobs) != size || here.take(opened) == (size == maxLanes) {
			t.Errorf("%d jobs: %d in the batch, or taken twice or never", size, len(opened.jobs))
		}
		if next, first, taken := here.join(&job{}); next == opened || !first || taken || here.take(opened) {
			t.Errorf("%d jobs: the next goroutine joins a batch that runs", size)
		}
	}
}
