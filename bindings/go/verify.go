// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"slices"
)

// Verification is one signature to verify.
type Verification struct {
	Public    crypto.PublicKey  // *rsa.PublicKey, *ecdsa.PublicKey or ed25519.PublicKey
	Digest    []byte            // of the message; of Ed25519 the message
	Signature []byte            // of ECDSA in ASN.1
	Opts      crypto.SignerOpts // what was signed with; ECDSA does not look at it
}

// VerifyBatch says of each signature whether it is valid, which is what Go's own code says. ECDSA on P-256 and P-384
// and Ed25519 run in lanes, in the calling goroutine alone.
func VerifyBatch(batch []Verification) []bool {
	valid := make([]bool, len(batch))
	waiting := map[*operation][]*job{}
	jobs := make([]*job, len(batch))
	for i := range batch {
		op, in := batch[i].laneInput()
		if in == nil {
			continue
		}
		jobs[i] = &job{in: in}
		waiting[op] = append(waiting[op], jobs[i])
	}
	for op, all := range waiting {
		for some := range slices.Chunk(all, op.form().lanes) {
			op.run(some)
		}
	}
	for i := range batch {
		// Lanes refuse some encodings of Ed25519's keys that Go takes. So Go's own code has the last word.
		valid[i] = jobs[i] != nil && jobs[i].ok || batch[i].own()
	}
	return valid
}

// laneInput is what octuple/flat.h wants; nil if lanes do not serve it.
func (v *Verification) laneInput() (*operation, []byte) {
	switch public := v.Public.(type) {
	case *ecdsa.PublicKey:
		return v.ecdsaInput(public)
	case ed25519.PublicKey:
		if len(public) == ed25519.PublicKeySize && len(v.Signature) == ed25519.SignatureSize &&
			isPureEd25519(v.Opts) && len(v.Digest) <= maxMessage && ed25519Verify.isOn() {
			return ed25519Verify, slices.Concat(public, v.Signature, v.Digest)
		}
	}
	return nil, nil
}

func (v *Verification) ecdsaInput(public *ecdsa.PublicKey) (*operation, []byte) {
	_, op := ecdsaOperations(public.Curve)
	if op == nil || !op.isOn() || len(v.Digest) == 0 || len(v.Digest) > op.form().more {
		return nil, nil
	}
	point, err := public.ECDH() // checks the point
	rs := decodeECDSA(v.Signature, (public.Curve.Params().BitSize+7)/8)
	if err != nil || rs == nil {
		return nil, nil
	}
	return op, slices.Concat(point.Bytes()[1:], rs, v.Digest)
}

// own asks Go's own code.
func (v *Verification) own() bool {
	switch public := v.Public.(type) {
	case *rsa.PublicKey:
		if pss, isPSS := v.Opts.(*rsa.PSSOptions); isPSS {
			return rsa.VerifyPSS(public, pss.Hash, v.Digest, v.Signature, pss) == nil
		}
		return v.Opts != nil && rsa.VerifyPKCS1v15(public, v.Opts.HashFunc(), v.Digest, v.Signature) == nil
	case *ecdsa.PublicKey:
		return ecdsa.VerifyASN1(public, v.Digest, v.Signature)
	case ed25519.PublicKey:
		opts, _ := v.Opts.(*ed25519.Options)
		if opts == nil && v.Opts != nil {
			opts = &ed25519.Options{Hash: v.Opts.HashFunc()}
		}
		return opts != nil && len(public) == ed25519.PublicKeySize &&
			ed25519.VerifyWithOptions(public, v.Digest, v.Signature, opts) == nil
	}
	return false
}
