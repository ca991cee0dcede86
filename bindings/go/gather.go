// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple

import (
	"runtime"
	"sync"
)

// operation is a number of enum oct_op; lanes.go holds these against the C header.
type operation int

const (
	rsa2048Private operation = 0
	rsa3072Private operation = 1
	rsa4096Private operation = 2
	p256Sign       operation = 8
	p384Sign       operation = 11
	ed25519Sign    operation = 14
	ed25519Verify  operation = 15
	p256Verify     operation = 16
	p384Verify     operation = 17
	operations               = 18
)

const (
	maxLanes  = 8   // jobs of a batch
	maxResult = 512 // bytes: RSA-4096's
)

// job is one operation. Its owner blocks until it is done, and then alone has it again.
type job struct {
	key *laneKey // of RSA and Ed25519, else nil
	in  []byte   // what lanes.h says of the operation
	out []byte   // of the result's length; written only if ok
	ok  bool
}

// batch is what has gathered so far. Whoever takes it out of its rendezvous runs it.
type batch struct {
	jobs []*job
	done chan struct{} // closed when all jobs are done
}

// rendezvous is where goroutines with the same operation meet.
type rendezvous struct {
	mutex sync.Mutex
	open  *batch // what gathers; nil: the next goroutine is the first
}

var meeting [operations]rendezvous

// join adds the job to what gathers. The eighth takes the batch.
func (r *rendezvous) join(j *job) (mine *batch, first, taken bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.open == nil {
		r.open = &batch{jobs: make([]*job, 0, maxLanes), done: make(chan struct{})}
	}
	mine = r.open
	mine.jobs = append(mine.jobs, j)
	if len(mine.jobs) == maxLanes {
		r.open = nil
		taken = true
	}
	return mine, len(mine.jobs) == 1, taken
}

// take is false if the eighth has taken the batch.
func (r *rendezvous) take(mine *batch) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.open != mine {
		return false
	}
	r.open = nil
	return true
}

// meet runs the job together with those of other goroutines that are ready to run.
//
// The first goroutine leaves its job and yields once. What is ready to run reaches its own operation meanwhile, adds
// its job and blocks. When the first runs again it takes all; the eighth does so at once. One goroutine takes a batch,
// under the lock, and runs all of it. There is no timer: a goroutine that is alone pays for a yield that ends at once.
func (r *rendezvous) meet(j *job, run func([]*job)) {
	mine, first, taken := r.join(j)
	if first {
		runtime.Gosched()
		taken = r.take(mine)
	}
	if !taken {
		<-mine.done
		return
	}
	run(mine.jobs)
	close(mine.done)
}

// gather runs the job in lanes. One that is alone runs there too: a vector costs less than Go's own code does once.
func (op operation) gather(j *job) {
	meeting[op].meet(j, op.run)
}
