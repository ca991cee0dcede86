/* SPDX-License-Identifier: Apache-2.0
 * Copyright The Octuple Authors */
/*
 * The policy of scheduling: how long operations wait for others, when a thread yields, when costs are measured again.
 * Each constant has its unit, its reason, and how its value was found. Where no measurement is recorded, the value is
 * by judgement. No result depends on these numbers, only time does.
 *
 * Those that nginx comes to were doubled and halved, one at a time: with RSA-2048 and P-256, with one connection and
 * with 64, in storms, and in the simulation of tests/shim/ages.c. Three would be noticed, and say so: COST_UNKNOWN,
 * AGES_EXCESS and AGES_TRIAL. Of the others nothing showed beyond noise: some 5 % in the CPU of a handshake and in the
 * lanes' fill, and a quarter in how many are served in a storm.
 *
 * tools/check-policy holds each constant to that form, and to its use. Sizes of arrays and limits of formats are no
 * policy and stay where they are used.
 */
#ifndef OCT_BASE_POLICY_H
#define OCT_BASE_POLICY_H

/* What vectors and the fallback cost. */

/* An estimate begins as the smallest of so many samples. Before that no vector is believed to cost too much.
 * Unit: samples.
 * Why: the first runs meet cold caches or a preempted thread, and what disturbs a measurement only ever adds to it.
 * Measured: by judgement. */
#define OCT_POLICY_COST_SURE 4

/* Where one of two ways has lost, one in so many goes it all the same: a chunk that uses a vector, an operation that
 * pauses in a program with fibres of its own.
 * Unit: chunks, or operations.
 * Why: nobody learns any more about a way that nobody goes, and the machine or the program may have changed.
 * Measured: by judgement; one that loses again costs one part in so many at most. */
#define OCT_POLICY_TRIAL 64

/* So many times the distance between trials with one job doubles while a vector goes on losing them.
 * Unit: doublings.
 * Why: on a CPU without AVX-512 a vector for one operation takes twice as long as the fallback. One trial in 64 lone
 * handshakes would be all of their 99th percentile.
 * Measured: by judgement. */
#define OCT_POLICY_TRIAL_DOUBLED 4

/* After so many chunks without a new cost of the fallback, one job is handed back.
 * Unit: chunks.
 * Why: where vectors always win, the fallback is not measured any more.
 * Measured: by judgement. */
#define OCT_POLICY_COST_REFRESH 256

/* A sample counts as at most so many times the estimate, and as at least that part of it.
 * Unit: factor.
 * Why: one outlier must not move the estimate far.
 * Measured: by judgement. */
#define OCT_POLICY_COST_OUTLIER 2

/* A larger sample moves the estimate up by this part of the difference.
 * Unit: divisor.
 * Why: with twice as many busy threads as cores, a mean would make a vector of milliseconds seem twice as dear as it
 * is. Measured: by judgement. */
#define OCT_POLICY_COST_RISE 32

/* A smaller sample moves the estimate down by this part of the difference.
 * Unit: divisor.
 * Why: a disturbance never makes a sample smaller, so lower samples are nearer to the truth.
 * Measured: by judgement. */
#define OCT_POLICY_COST_FALL 4

/* From so many jobs on a vector is used while the costs are not known.
 * Unit: jobs.
 * Why: vectors must run to be measured, and one job alone has a fallback that certainly serves.
 * Measured: with 1 a lone X25519 never came to the fallback any more, where it belongs. */
#define OCT_POLICY_COST_UNKNOWN 2

/* Threads that block, and meet. */

/* After a meeting, so many short fruitless yields are borne before the pauses begin.
 * Unit: yields.
 * Why: the kernel may give the CPU back at once although others are ready. A thread that then went on alone would be
 * the last to come for the rest of its time slice, and would expect nobody.
 * Measured: by judgement. */
#define OCT_POLICY_YIELD_CREDIT 4

/* After fruitless yields, the next comes after 1, 2, 4, .. and at most so many chances.
 * Unit: operations.
 * Why: a fruitless yield costs a system call, and a time slice where another process wants the CPU.
 * Measured: by judgement. */
#define OCT_POLICY_YIELD_PAUSE_MAX 64

/* A yield that takes less gave the CPU back before any other thread did something.
 * Unit: nanoseconds.
 * Why: longer than it takes to give a CPU back and forth, shorter than any operation.
 * Measured: by judgement. */
#define OCT_POLICY_YIELD_AT_ONCE 15000

/* Event loops under the shim. */

/* How long the oldest job of an operation may wait in a server that never sleeps; time in batches does not count.
 * Unit: nanoseconds.
 * Why: more handshakes are on their way, and clients of a saturated server wait anyhow.
 * Measured: on a saturated nginx. With a millisecond, many batches held two or three of TLS 1.3's operations. With
 * five all batches are full, and a handshake costs less. */
#define OCT_POLICY_BUSY_WAIT 5000000

/* After so long without a handshake that moves, all jobs run.
 * Unit: nanoseconds.
 * Why: where no handshake moves, none comes to an operation.
 * Measured: by judgement. */
#define OCT_POLICY_STILL_WAIT 1000000

/* After so many empty looks at epoll in a row, with a timeout of 0, all jobs run.
 * Unit: calls.
 * Why: a server that only ever looks never sleeps. One that takes one handshake in a round looks between them.
 * Measured: by judgement. */
#define OCT_POLICY_EMPTY_POLLS 3

/* A level-triggered server is notified of a connection again after so many rounds, or when it would sleep.
 * Unit: calls of epoll_wait.
 * Why: an event in each round would cost servers much that take one handshake in a round, as HAProxy does.
 * Measured: by judgement. */
#define OCT_POLICY_NOTIFY_ROUNDS 64

/* An event that a program does not follow is repeated at most so often before its handshake is run to its end.
 * Unit: events.
 * Why: a program that looks at its socket first finds nothing there, and would be woken for ever.
 * Measured: by judgement; a program may leave an event for a round or two. */
#define OCT_POLICY_NOTICES 8

/* After so many connections in a row whose events a program has not followed, nothing pauses on its thread any more.
 * Unit: connections.
 * Why: it reads its sockets in a way that made-up events do not reach.
 * Measured: by judgement. */
#define OCT_POLICY_UNHEARD 4

/* A server that calls a handshake as soon as it has accepted the connection finds no hello there so often, until it
 * waits for events again.
 * Unit: connections.
 * Why: they wait for each other. Where more clients come than are served, its loop would never end, and serve nobody.
 * Measured: mosquitto at four times its capacity. */
#define OCT_POLICY_PUT_OFF 16

/* A hello that has waited so long is thrown away if its client has left.
 * Unit: milliseconds.
 * Why: a server that keeps up answers each hello as it always has, also those of clients that half-close.
 * Measured: by judgement: a server that sleeps comes to a hello within a few. */
#define OCT_POLICY_HELLO_LATE 50

/* So many clients are a crowd. So many hellos in a row settle a question, and a loop takes in or turns away so many at
 * a time.
 * Unit: hellos, or connections.
 * Why: a storm is over, and not each hello is looked at, when so many in a row had not waited. A listening socket leads
 * to libssl once that has read so many of its hellos. Between two sleeps of a loop accept() refuses at most so many,
 * since it serves others too. It has no more while so many wait inside with their hello, where one that grows old costs
 * more.
 * Measured: by judgement: a storm is of hundreds, Redis calls accept() a thousand times in a turn, and HAProxy takes
 * thousands in. At eight times its capacity nginx has seven to refuse for each that it serves. */
#define OCT_POLICY_CROWD 64

/* Where it is enough to look now and then, one in so many is looked at. It divides 256.
 * Unit: hellos, or operations of the fallback outside of fibres.
 * Why: a look is a system call, or two readings of the clock. An estimate needs few samples, and the first hello that
 * has waited shows a storm.
 * Measured: a look at each hello takes half a part in a hundred of a handshake with P-256, and one in so many nothing
 * that shows. */
#define OCT_POLICY_SAMPLE 16

/* An end that comes so much later than the last bytes is one of a client that waits no longer.
 * Unit: milliseconds.
 * Why: who half-closes sends the end together with its last bytes, and waits for an answer.
 * Measured: by judgement; the kernel counts in steps of up to ten. */
#define OCT_POLICY_HELLO_END 20

/* What is known of how handshakes end, by the age of their hello, loses a quarter in this time.
 * Unit: milliseconds.
 * Why: a storm ends, and other clients have another patience.
 * Measured: by the simulation in tests/shim/ages.c. */
#define OCT_POLICY_AGES_FADE 1000

/* An age is known from so many handshakes on.
 * Unit: handshakes.
 * Why: some clients always leave.
 * Measured: by the simulation in tests/shim/ages.c. */
#define OCT_POLICY_AGES_ENOUGH 8

/* An age is bad when so many more have not ended well than at younger ones.
 * Unit: handshakes.
 * Why: clients that leave on purpose may come together by chance.
 * Measured: by the simulation in tests/shim/ages.c. With half of it patient clients are turned away, where three in ten
 * leave on purpose. */
#define OCT_POLICY_AGES_EXCESS 12

/* When no hello has been too old for so long, all ages are open again.
 * Unit: milliseconds.
 * Why: the storm has ended, and the next one may be of patient clients.
 * Measured: by the simulation in tests/shim/ages.c. */
#define OCT_POLICY_AGES_FORGET 5000

/* Of hellos that are too old, one is served for so many others that are.
 * Unit: handshakes.
 * Why: nobody would learn that clients have become more patient.
 * Measured: it costs about one part in so many. With twice of it up to four times as many clients that have become
 * patient were turned away, in a simulation like that of tests/shim/ages.c. */
#define OCT_POLICY_AGES_TRIAL 32

/* After so many turns in which none of them is served, they do not count any more.
 * Unit: calls of accept().
 * Why: a server may have its reasons to let them wait, and others come.
 * Measured: by judgement; a turn of a loop that has nothing to do takes a few microseconds. */
#define OCT_POLICY_GATE_HELD 256

/* Where a program feeds libssl through memory, a handshake pauses for operations that take longer than this.
 * Unit: nanoseconds.
 * Why: the program has to come back through its own loop, with a read that it would not have made.
 * Measured: a turn of asyncio takes about half of this. With a pause for X25519 too, handshakes cost more there.
 */
#define OCT_POLICY_MEMORY_WORTH 150000

/* A handshake call that may be paused begins so far below its caller. On small stacks it is less.
 * Unit: bytes.
 * Why: calls that come from a little deeper can resume it without copying live frames.
 * Measured: servers call from places within 2 KB of each other; Python's differ by some KB. */
#define OCT_POLICY_SLICE_GAP (32 * 1024)

/* A thread with less stack than that below the call is not served.
 * Unit: bytes.
 * Why: libssl and a program's callbacks need some 20 KB.
 * Measured: by judgement. */
#define OCT_POLICY_SLICE_ROOM (64 * 1024)

/* Calls that came from so much deeper move the place where the next ones begin.
 * Unit: bytes.
 * Why: beyond that, copying live frames in a rare case is better than a cold stack in every one.
 * Measured: by judgement. */
#define OCT_POLICY_SLICE_DEEPEST (256 * 1024)

/* Where a call goes on from another stack, so much of the thread's own is put aside.
 * Unit: bytes.
 * Why: nobody knows how much of it coroutines have left there that wait.
 * Measured: by judgement: the rest of a handshake and its callbacks take less. */
#define OCT_POLICY_SLICE_ASIDE (256 * 1024)

/* A pause that is not Octuple's waits so long for its descriptors before the fibre is resumed.
 * Unit: milliseconds.
 * Why: an engine or provider may give no descriptor that could be waited for.
 * Measured: by judgement. */
#define OCT_POLICY_FOREIGN_WAIT 1

/* An operation of a key that lives elsewhere goes to a helper thread if it takes longer.
 * Unit: nanoseconds.
 * Why: two switches of threads, two locks and a turn of the server's loop cost some part of this.
 * Measured: by judgement. */
#define OCT_POLICY_KEYS_WORTH 60000

/* Where devices have keys, a server gets at most so many made-up events by one call.
 * Unit: events.
 * Why: its other connections wait until it has gone on with all these handshakes, each of some 100 microseconds.
 * Measured: plain requests beside 64 handshakes with bench/keys. */
#define OCT_POLICY_KEYS_ROUND 8

/* At most so many helper threads, whatever the setting says.
 * Unit: threads.
 * Why: devices have fewer units than that, and each thread takes a stack.
 * Measured: by judgement. */
#define OCT_POLICY_KEYS_THREADS 64

/* So much nicer than the server are helper threads.
 * Unit: steps of nice(2).
 * Why: a token that computes in software takes the processor from the server's one thread.
 * Measured: SoftHSM, 16 threads and a plain request beside them, with bench/keys: more takes too much of the rate.
 */
#define OCT_POLICY_KEYS_NICE 8

/* How long a device may take for an operation, unless a setting says otherwise.
 * Unit: milliseconds.
 * Why: longer than any device takes that works, shorter than clients and servers wait for a handshake.
 * Measured: by judgement. */
#define OCT_POLICY_KEYS_TIMEOUT 30000

/* A call that is run to its end is resumed at most so often. A thread looks as often, before it sleeps, for what the
 * callbacks of such calls have left.
 * Unit: calls.
 * Why: an operation that fails ends the handshake, so a call ends after one or two.
 * Measured: by judgement. */
#define OCT_POLICY_DRAIN_TURNS 64

/* A thread that touches a connection of another one looks so often whether that has run a paused call to its end.
 * Unit: looks.
 * Why: the other thread may wait for a lock that this one holds.
 * Measured: by judgement. */
#define OCT_POLICY_OWNER_LOOKS 1000

/* How long it sleeps between two looks.
 * Unit: nanoseconds.
 * Why: a batch takes some hundred microseconds.
 * Measured: by judgement. */
#define OCT_POLICY_OWNER_LOOK 100000

/* So often a thread tries the lock of a file descriptor's entry before it does without.
 * Unit: tries.
 * Why: the lock is held for a few instructions, unless its holder was lost in a fork.
 * Measured: by judgement. */
#define OCT_POLICY_LOCK_TRIES 100000

/* On AWS-LC, behind a handshake call that finds a key of lanes, so many are followed that find none yet.
 * Unit: calls.
 * Why: who is followed takes two more system calls, and a name may lead to another key.
 * Measured: by judgement. */
#define OCT_POLICY_KEY_CALLS 64

/* The provider. */

/* The child of a fork leaves so many operations to OpenSSL's own code, unless other handshakes are in flight; and any
 * process so many key pairs of a kind that it has not tested.
 * Unit: operations, or key pairs.
 * Why: databases and mail servers fork a process for each connection, and none makes up there for its first use. Known
 * answers and the table of multiples cost as much as several pools of pairs save.
 * Measured: by judgement; a handshake has two to four operations, and one key pair. */
#define OCT_POLICY_ASIDE 16

/* After so many children of a process that ended after one connection, its next children count no operations.
 * Unit: children.
 * Why: to make a file of counters is a fifth of what a connection to PostgreSQL costs, and nobody looks at a process
 * that is gone. Measured: by judgement; workers of a server that is just being tried out end early too. */
#define OCT_POLICY_BRIEF_CHILDREN 8

/* A child counts as one that ended after one connection if it lived for less than this, and had operations.
 * Unit: ns.
 * Why: workers serve until their server is stopped or set up anew.
 * Measured: by judgement; a connection to a database or a mail server may be shorter or longer. */
#define OCT_POLICY_BRIEF_LIFE 1000000000

/* After so many pauses in a row that met no other operation, a program with fibres of its own gets the next at once.
 * Unit: pauses.
 * Why: a pause costs three system calls and a turn of the program's loop, and a batch of one gains little.
 * Measured: by judgement; `openssl speed -async_jobs 1` was slower than stock while each operation paused. */
#define OCT_POLICY_LONELY_PAUSES 16

/* Longer messages use the fallback for Ed25519 and ML-DSA.
 * Unit: bytes.
 * Why: all lanes of a batch take as long as the longest message. What a server signs is shorter than 300 bytes, and a
 * client under TLS 1.2 signs all messages of the handshake, certificates included.
 * Measured: at this length a vector of eight still costs less than one operation of Ed25519's fallback, and far less
 * than those of ML-DSA's. */
#define OCT_POLICY_LONG_MESSAGE 4096

/* At this use a key is prepared for lanes: a private one of Ed25519, a public one of ML-DSA.
 * Unit: signatures, or verifications.
 * Why: many a key is used once only, and a prepared one of ML-DSA takes 20 or 36 KB.
 * Measured: to prepare a key costs about what a signature, or a lone verification with its bytes, does. */
#define OCT_POLICY_KEY_USES 2

#endif
