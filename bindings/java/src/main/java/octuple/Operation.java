// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** An operation of the library, known by its name. Its sizes are what the library tells: octuple/flat.h. */
final class Operation {
    static final Operation X25519_DERIVE = new Operation("x25519-derive");
    static final Operation X25519_KEYGEN = new Operation("x25519-keygen");
    static final Operation ED25519_SIGN = new Operation("ed25519-sign");
    static final Operation ED25519_VERIFY = new Operation("ed25519-verify");
    static final Operation RSA4096_PRIVATE = new Operation("rsa4096-private");

    /** By the bits of the modulus. */
    static final Map<Integer, Operation> RSA_PRIVATE = Map.of(2048, new Operation("rsa2048-private"),
            3072, new Operation("rsa3072-private"), 4096, RSA4096_PRIVATE);

    static final Map<Integer, Operation> RSA_KEYGEN = Map.of(2048, new Operation("rsa2048-keygen"),
            3072, new Operation("rsa3072-keygen"), 4096, new Operation("rsa4096-keygen"));

    /** How many are run together at the most. */
    final int lanes;

    /** Bytes: of a key, of a digest or message at the most, and of a result. */
    final int key;

    final int more;
    final int out;

    private final int number; // negative: the library has no such operation, or there is no library
    private final Meeting meeting;
    private byte on; // 0: not asked yet, 1: on, 2: off

    Operation(String name) {
        int[] sizes = new int[5];
        number = Lanes.areThere() ? Lanes.find(name, sizes) : -1;
        lanes = sizes[0];
        key = sizes[1];
        more = sizes[3];
        out = sizes[4];
        meeting = new Meeting(lanes, this::runTogether);
    }

    /** The first call takes milliseconds: the operation's known-answer test. */
    boolean isServed() {
        if (on == 0) {
            on = (byte) (number >= 0 && Lanes.isOn(number) ? 1 : 2); // threads that meet here find the same
        }
        return on == 1;
    }

    /** A key in C's memory; null if the bytes are none that lanes serve. */
    LaneKey newKey(byte[] bytes) {
        return LaneKey.hold(this, isServed() ? Lanes.newKey(number, bytes) : 0);
    }

    /** Runs one operation with those of other threads. The key is null for operations that have none in C. */
    int run(LaneKey own, byte[] in, byte[] result) {
        if (Meeting.isForThisThread()) {
            return meeting.run(own, in, result);
        }
        try {
            return Lanes.runOne(number, own == null ? 0 : own.address(), in, result);
        } finally {
            Reference.reachabilityFence(own);
        }
    }

    /** As many results as there are lanes, of operations without input; null if not all are good. */
    byte[] make() {
        byte[] all = new byte[lanes * out];
        int[] status = new int[lanes];
        Arrays.fill(status, Lanes.FAILED);
        Lanes.runBatch(number, new long[lanes], new byte[0], new int[lanes], all, status);
        for (int one : status) {
            if (one != Lanes.OK) {
                Bytes.clear(all);
                return null;
            }
        }
        return all;
    }

    private void runTogether(List<Meeting.Job> jobs) {
        int[] lengths = jobs.stream().mapToInt(job -> job.in.length).toArray();
        byte[] in = new byte[Arrays.stream(lengths).sum()];
        byte[] results = new byte[jobs.size() * out];
        long[] keys = new long[lengths.length];
        int[] status = new int[lengths.length];
        Arrays.fill(status, Lanes.FAILED);
        int at = 0;
        for (int i = 0; i < keys.length; i++) {
            Meeting.Job job = jobs.get(i);
            keys[i] = job.key == null ? 0 : job.key.address();
            System.arraycopy(job.in, 0, in, at, lengths[i]);
            at += lengths[i];
        }
        Lanes.runBatch(number, keys, in, lengths, results, status);
        Reference.reachabilityFence(jobs);
        for (int i = 0; i < keys.length; i++) {
            Meeting.Job job = jobs.get(i);
            if (status[i] == Lanes.OK) {
                System.arraycopy(results, i * out, job.out, 0, out);
            }
            job.status = status[i];
        }
        Bytes.clear(in);
        Bytes.clear(results);
    }
}
