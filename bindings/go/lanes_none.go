// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

//go:build !(cgo && linux && amd64)

package octuple

import "crypto/ed25519"

// Without cgo nothing is served, and nothing is wrapped.

type laneKey struct{}

func (op operation) isOn() bool { return false }

func (op operation) run([]*job) {}

func newRSAKey([]byte, int) *laneKey { return nil }

func generateRSA([]byte, int) bool { return false }

func newEd25519Key(ed25519.PrivateKey) *laneKey { return nil }
