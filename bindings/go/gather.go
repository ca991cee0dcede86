// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple

import (
	"runtime"
	"sync"
)

// operation is one of the library's, known by its name. Goroutines with the same operation meet at it.
type operation struct {
	name    string
	once    sync.Once
	asked   form
	meeting rendezvous
}

// form is what the library tells of an operation: octuple/flat.h.
type form struct {
	number int // negative: the library has no such operation, or there is no library
	lanes  int // jobs of a batch
	key    int // bytes of a key
	more   int // bytes of a digest or a message, at the most
	out    int // bytes of a result
}

var (
	p256Sign      = &operation{name: "p256-sign"}
	p256Verify    = &operation{name: "p256-verify"}
	p384Sign      = &operation{name: "p384-sign"}
	p384Verify    = &operation{name: "p384-verify"}
	ed25519Sign   = &operation{name: "ed25519-sign"}
	ed25519Verify = &operation{name: "ed25519-verify"}
	// By the bits of the modulus.
	rsaPrivate = map[int]*operation{
		2048: {name: "rsa2048-private"}, 3072: {name: "rsa3072-private"}, 4096: {name: "rsa4096-private"}}
	rsaKeygen = map[int]*operation{
		2048: {name: "rsa2048-keygen"}, 3072: {name: "rsa3072-keygen"}, 4096: {name: "rsa4096-keygen"}}
)

// form is asked for once.
func (op *operation) form() *form {
	op.once.Do(func() { op.asked = lookUp(op.name) })
	return &op.asked
}

// job is one operation. Its owner blocks until it is done, and then alone has it again.
type job struct {
	key *laneKey // of RSA and Ed25519, else nil
	in  []byte   // what octuple/flat.h says of the operation
	out []byte   // the result; nil until the job is ok
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

// join adds the job to what gathers. The one that makes it full takes the batch.
func (r *rendezvous) join(j *job, lanes int) (mine *batch, first, taken bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.open == nil {
		r.open = &batch{jobs: make([]*job, 0, lanes), done: make(chan struct{})}
	}
	mine = r.open
	mine.jobs = append(mine.jobs, j)
	if len(mine.jobs) == lanes {
		r.open = nil
		taken = true
	}
	return mine, len(mine.jobs) == 1, taken
}

// take is false if another goroutine has taken the batch, which was full.
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
func (r *rendezvous) meet(j *job, lanes int, run func([]*job)) {
	mine, first, taken := r.join(j, lanes)
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
func (op *operation) gather(j *job) {
	op.meeting.meet(j, op.form().lanes, op.run)
}
