// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/** A key in C's memory. It is cleared and freed when neither a Java key nor a call has it any more. */
final class LaneKey {
    private static final Cleaner CLEANER = Cleaner.create();

    private static final AtomicLong FREED = new AtomicLong();

    final int op;
    private final long address;

    private LaneKey(int op, long address, LongConsumer free) {
        this.op = op;
        this.address = address;
        CLEANER.register(this, () -> {
            free.accept(address);
            FREED.incrementAndGet();
        });
    }

    /** How many there were, for tests. */
    static long freed() {
        return FREED.get();
    }

    /** Null if the address is. */
    static LaneKey hold(int op, long address, LongConsumer free) {
        return address == 0 ? null : new LaneKey(op, address, free);
    }

    /** Whoever has it keeps this object reachable meanwhile. */
    long address() {
        return address;
    }

    /** The operation on `in`; null if it failed. */
    byte[] run(byte[] in, int outLength) {
        byte[] out = new byte[outLength];
        return Lanes.run(op, this, in, out) == Lanes.OK ? out : null;
    }
}
