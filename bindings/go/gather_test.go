// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"maps"
	"runtime"
	"slices"
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

// gathered are the operations at which goroutines meet.
func gathered() []*operation {
	all := slices.Collect(maps.Values(rsaPrivate))
	return append(all, p256Sign, p384Sign, ed25519Sign)
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
	for _, op := range gathered() {
		if op.meeting.open != nil {
			t.Errorf("%s: a batch was left open", op.name)
		}
	}
}

// The first and the eighth may both want a batch; one of them has it.
func TestOneGoroutineTakesABatch(t *testing.T) {
	const lanes = 8
	for size := 1; size <= lanes; size++ {
		var here rendezvous
		var opened *batch
		for i := 1; i <= size; i++ {
			mine, first, taken := here.join(&job{}, lanes)
			if first {
				opened = mine
			}
			if mine != opened || first != (i == 1) || taken != (i == lanes) {
				t.Errorf("job %d: first %v, taken %v", i, first, taken)
			}
		}
		if len(opened.jobs) != size || here.take(opened) == (size == lanes) {
			t.Errorf("%d jobs: %d in the batch, or taken twice or never", size, len(opened.jobs))
		}
		if next, first, taken := here.join(&job{}, lanes); next == opened || !first || taken || here.take(opened) {
			t.Errorf("%d jobs: the next goroutine joins a batch that runs", size)
		}
	}
}

// What lanes refuse or compute wrongly is Go's own to do.
func TestFailedLanesAreLeftToGo(t *testing.T) {
	needsLanes(t)
	rsaOwn, ecdsaOwn := keyKinds["rsa2048"]().(*rsa.PrivateKey), keyKinds["p256"]().(*ecdsa.PrivateKey)
	broken := map[string]crypto.Signer{
		"rsa2048": &rsaKey{rsaOwn, &laneKey{}, rsaPrivate[2048]},
		"p256":    &ecdsaKey{ecdsaOwn, make([]byte, 32), p256Sign},
		"ed25519": &ed25519Key{keyKinds["ed25519"]().(ed25519.PrivateKey), &laneKey{}},
	}
	for kind, key := range broken {
		if !verified(key, optionsOf(kind)) {
			t.Errorf("%s: a signature is not valid", kind)
		}
	}
	ciphertext := must(rsa.EncryptPKCS1v15(rand.Reader, &rsaOwn.PublicKey, []byte("text")))
	text, err := broken["rsa2048"].(crypto.Decrypter).Decrypt(rand.Reader, ciphertext, nil)
	if string(text) != "text" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

// A lane that is refused does no harm to its neighbours.
func TestNeighboursOfARefusedLane(t *testing.T) {
	needsLanes(t)
	own := keyKinds["rsa2048"]().(*rsa.PrivateKey)
	key := wrap(t, own).(*rsaKey)
	lanes := key.op.form().lanes
	for refused := range lanes {
		var jobs []*job
		for i := range lanes {
			in := bytes.Repeat([]byte{byte(i)}, own.Size())
			if i == refused {
				in = own.N.Bytes()
			}
			jobs = append(jobs, &job{key: key.lanes, in: in})
		}
		key.op.run(jobs)
		for i, j := range jobs {
			if j.ok != (i != refused) || j.ok && !bytes.Equal(rawPublic(own, j.out), j.in) {
				t.Errorf("lane %d is refused; lane %d: ok %v", refused, i, j.ok)
			}
		}
	}
}
