// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

//go:build cgo && linux && amd64

package octuple

// #cgo LDFLAGS: -ldl
// #include <stdlib.h>
// #include "load.h"
import "C"

import (
	"runtime"
	"slices"
	"sync"
	"unsafe"
)

var loaded = sync.OnceValue(func() bool { return C.octuple_load() != 0 })

// lookUp asks the library for an operation; its number is negative if there is none.
func lookUp(name string) form {
	var sizes C.struct_oct_flat_form
	if !loaded() {
		return form{number: -1}
	}
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	number := C.octuple_find(text, &sizes)
	return form{int(number), int(sizes.lanes), int(sizes.key), int(sizes.more), int(sizes.out)}
}

// isOn says whether lanes serve the operation in this process.
func (op *operation) isOn() bool {
	number := op.form().number
	return number >= 0 && C.octuple_is_on(C.int(number)) != 0
}

// laneKey is a key in C's memory. It is cleared and freed when no wrapped key and no job has it any more.
type laneKey struct {
	c *C.struct_oct_flat_key
}

// newKey is nil if the bytes, in the order of octuple/flat.h, are no key or none that lanes serve.
func (op *operation) newKey(bytes []byte) *laneKey {
	c := C.octuple_key_new(C.int(op.form().number), address(bytes), C.size_t(len(bytes)))
	if c == nil {
		return nil
	}
	key := &laneKey{c}
	runtime.AddCleanup(key, func(c *C.struct_oct_flat_key) { C.octuple_key_free(c) }, c)
	return key
}

// flat is a batch as C sees it: in Go's memory, with no pointers to Go's memory. It is cleared after each use.
type flat struct {
	key   []*C.struct_oct_flat_key
	inLen []C.size_t
	in    []byte
	out   []byte
}

var flats = sync.Pool{New: func() any { return new(flat) }}

// run runs as many jobs as fit one batch in lanes, and says of each whether it is ok.
func (op *operation) run(jobs []*job) {
	f := flats.Get().(*flat)
	form := op.form()
	f.fill(jobs, form.out)
	done := C.octuple_run(C.int(form.number), C.unsigned(len(jobs)), &f.key[0], address(f.in), &f.inLen[0],
		address(f.out), C.size_t(len(f.out)))
	runtime.KeepAlive(jobs) // and with them the keys
	for i, j := range jobs {
		if j.ok = done.ok>>i&1 != 0; j.ok {
			j.out = slices.Clone(f.out[i*form.out : (i+1)*form.out])
		}
	}
	clear(f.key) // C may free them now, and the collector must not find them here
	clear(f.in)
	clear(f.out)
	flats.Put(f)
}

// fill copies what the lanes read, and makes room for what they write.
func (f *flat) fill(jobs []*job, out int) {
	total := 0
	for _, j := range jobs {
		total += len(j.in)
	}
	f.key, f.inLen = f.key[:0], f.inLen[:0]
	f.in = slices.Grow(f.in[:0], total+1) // so that there is an address even of nothing
	f.out = slices.Grow(f.out[:0], len(jobs)*out+1)[:len(jobs)*out]
	for _, j := range jobs {
		var key *C.struct_oct_flat_key
		if j.key != nil {
			key = j.key.c
		}
		f.key = append(f.key, key)
		f.inLen = append(f.inLen, C.size_t(len(j.in)))
		f.in = append(f.in, j.in...)
	}
}

func address(b []byte) *C.uint8_t {
	return (*C.uint8_t)(unsafe.SliceData(b))
}
