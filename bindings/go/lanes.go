// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

//go:build cgo && linux && amd64

package octuple

// #cgo LDFLAGS: -ldl
// #include "lanes.h"
import "C"

import (
	"crypto/ed25519"
	"runtime"
	"slices"
	"sync"
	"unsafe"
)

// The numbers of gather.go are those of the C header: a difference makes a constant negative, which does not compile.
const (
	_ = -uint(rsa2048Private ^ C.OCT_OP_RSA2048_PRIVATE)
	_ = -uint(rsa3072Private ^ C.OCT_OP_RSA3072_PRIVATE)
	_ = -uint(rsa4096Private ^ C.OCT_OP_RSA4096_PRIVATE)
	_ = -uint(p256Sign ^ C.OCT_OP_P256_SIGN)
	_ = -uint(p384Sign ^ C.OCT_OP_P384_SIGN)
	_ = -uint(ed25519Sign ^ C.OCT_OP_ED25519_SIGN)
	_ = -uint(ed25519Verify ^ C.OCT_OP_ED25519_VERIFY)
	_ = -uint(p256Verify ^ C.OCT_OP_P256_VERIFY)
	_ = -uint(p384Verify ^ C.OCT_OP_P384_VERIFY)
	_ = -uint(rsa2048Keygen ^ C.OCT_OP_RSA2048_KEYGEN)
	_ = -uint(rsa3072Keygen ^ C.OCT_OP_RSA3072_KEYGEN)
	_ = -uint(rsa4096Keygen ^ C.OCT_OP_RSA4096_KEYGEN)
	_ = -uint(maxLanes ^ C.OCT_LANES)
)

var loaded = sync.OnceValue(func() bool { return C.octuple_load() != 0 })

// isOn says whether lanes serve the operation in this process.
func (op operation) isOn() bool {
	return loaded() && C.octuple_is_on(C.int(op)) != 0
}

// laneKey is a key in C's memory. It is cleared and freed when no wrapped key and no job has it any more.
type laneKey struct {
	c unsafe.Pointer
}

// hold is nil for no key.
func hold(c unsafe.Pointer, free func(unsafe.Pointer)) *laneKey {
	if c == nil {
		return nil
	}
	key := &laneKey{c}
	runtime.AddCleanup(key, free, c)
	return key
}

// newRSAKey is nil if the numbers are no key or none that lanes serve. `numbers` is as lanes.h wants it.
func newRSAKey(numbers []byte, modulus int) *laneKey {
	c := C.octuple_rsa_key((*C.uint8_t)(&numbers[0]), C.size_t(modulus))
	return hold(unsafe.Pointer(c), func(c unsafe.Pointer) { C.octuple_rsa_key_free((*C.struct_oct_rsa_key)(c)) })
}

// generateRSA fills `numbers` as lanes.h says, and reports whether it could.
func generateRSA(numbers []byte, modulus int) bool {
	return C.octuple_rsa_generate((*C.uint8_t)(&numbers[0]), C.size_t(modulus)) != 0
}

// newEd25519Key is nil also if the public half is not the seed's.
func newEd25519Key(private ed25519.PrivateKey) *laneKey {
	c := C.octuple_ed25519_key((*C.uint8_t)(&private[0]), (*C.uint8_t)(&private[ed25519.SeedSize]))
	return hold(unsafe.Pointer(c), func(c unsafe.Pointer) { C.octuple_ed25519_key_free((*C.struct_oct_ed25519_key)(c)) })
}

// flat is a batch as C sees it: in Go's memory, with no pointers to Go's memory. It is cleared after each use.
type flat struct {
	key   [maxLanes]unsafe.Pointer
	inLen [maxLanes]C.size_t
	in    []byte
	out   [maxLanes * maxResult]byte
}

var flats = sync.Pool{New: func() any { return new(flat) }}

// run runs 1 to 8 jobs in lanes, and says of each whether it is ok.
func (op operation) run(jobs []*job) {
	f := flats.Get().(*flat)
	outLen := len(jobs[0].out)
	lanes := f.fill(jobs)
	ok := C.octuple_run(C.int(op), lanes, &f.key[0], address(f.in), &f.inLen[0], address(f.out[:]), C.size_t(outLen))
	runtime.KeepAlive(jobs) // and with them the keys
	for i, j := range jobs {
		if j.ok = ok>>i&1 != 0; j.ok {
			copy(j.out, f.out[i*outLen:])
		}
	}
	clear(f.key[:]) // C may free them now, and the collector must not find them here
	clear(f.in)
	clear(f.out[:len(jobs)*outLen])
	flats.Put(f)
}

// fill copies what the lanes read, and returns how many there are.
func (f *flat) fill(jobs []*job) C.unsigned {
	total := 0
	for _, j := range jobs {
		total += len(j.in)
	}
	f.in = slices.Grow(f.in[:0], total+1) // so that there is an address even of nothing
	for i, j := range jobs {
		if j.key != nil {
			f.key[i] = j.key.c
		}
		f.in = append(f.in, j.in...)
		f.inLen[i] = C.size_t(len(j.in))
	}
	return C.unsigned(len(jobs))
}

func address(b []byte) *C.uint8_t {
	return (*C.uint8_t)(unsafe.SliceData(b))
}
