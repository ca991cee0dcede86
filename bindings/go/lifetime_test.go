// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple

import (
	"crypto"
	"runtime"
	"sync"
	"testing"
	"time"
)

// Keys that only a call in progress still holds, while the garbage collector runs all the time.
func TestKeysLiveAsLongAsTheirCalls(t *testing.T) {
	stop := make(chan struct{})
	var collector, signers sync.WaitGroup
	collector.Add(1)
	go func() {
		defer collector.Done()
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	}()
	for _, kind := range []string{"rsa2048", "p256", "ed25519"} {
		own := keyKinds[kind]()
		for range 4 {
			signers.Add(1)
			go func() {
				defer signers.Done()
				for range 25 {
					if !verified(WrapKey(own).(crypto.Signer), optionsOf(kind)) {
						t.Errorf("%s: a signature is not valid", kind)
					}
				}
			}()
		}
	}
	signers.Wait()
	close(stop)
	collector.Wait()
}

// C's memory is given back: cleanups have run for all keys but those in use.
func TestKeysAreFreed(t *testing.T) {
	needsLanes(t)
	const keys = 64
	freed := make(chan struct{}, keys)
	own := keyKinds["ed25519"]()
	for range keys {
		wrapped := WrapKey(own).(*ed25519Key)
		runtime.AddCleanup(wrapped.lanes, func(freed chan struct{}) { freed <- struct{}{} }, freed)
	}
	deadline := time.After(30 * time.Second)
	for i := range keys {
		runtime.GC()
		select {
		case <-freed:
		case <-deadline:
			t.Fatalf("%d of %d keys were freed", i, keys)
		}
	}
}
