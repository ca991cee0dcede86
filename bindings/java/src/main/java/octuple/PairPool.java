// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Key pairs of one kind, made eight at a time ahead of need: that costs little more than one. The system's randomness
 * makes them, in the library.
 */
final class PairPool {
    private final Operation op;
    private final ConcurrentLinkedQueue<byte[]> ready = new ConcurrentLinkedQueue<>();

    PairPool(Operation op) {
        this.op = op;
    }

    /** A private key and then its public one, which nobody else has; null if lanes cannot make any. To be cleared. */
    byte[] take() {
        byte[] pair = ready.poll();
        return pair != null ? pair : make();
    }

    private byte[] make() {
        byte[] pairs = op.isServed() ? op.make() : null;
        if (pairs == null) {
            return null;
        }
        for (int i = 1; i < op.lanes; i++) {
            ready.add(Arrays.copyOfRange(pairs, i * op.out, (i + 1) * op.out));
        }
        byte[] mine = Arrays.copyOf(pairs, op.out);
        Bytes.clear(pairs);
        return mine;
    }
}
