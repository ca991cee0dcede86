// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicLong;

/** A key in C's memory. It is cleared and freed when neither a Java key nor a call has it any more. */
final class LaneKey {
    private static final Cleaner CLEANER = Cleaner.create();

    private static final AtomicLong FREED = new AtomicLong();

    final Operation op;
    private final long address;

    private LaneKey(Operation op, long address) {
        this.op = op;
        this.address = address;
        CLEANER.register(this, () -> {
            Lanes.freeKey(address);
            FREED.incrementAndGet();
        });
    }

    /** How many there were, for tests. */
    static long freed() {
        return FREED.get();
    }

    /** Null if the address is. */
    static LaneKey hold(Operation op, long address) {
        return address == 0 ? null : new LaneKey(op, address);
    }

    /** Whoever has it keeps this object reachable meanwhile. */
    long address() {
        return address;
    }

    /** The operation on `in`; null if it failed. */
    byte[] run(byte[] in) {
        byte[] out = new byte[op.out];
        return op.run(this, in, out) == Lanes.OK ? out : null;
    }
}
