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
    private final int op;
    private final int size;
    private final ConcurrentLinkedQueue<byte[]> ready = new ConcurrentLinkedQueue<>();

    /** A pair takes so many bytes: the private key and then the public one. */
    PairPool(int op, int size) {
        this.op = op;
        this.size = size;
    }

    /** One pair, which nobody else has; null if lanes cannot make any. Who gets it clears it. */
    byte[] take() {
        byte[] pair = ready.poll();
        return pair != null ? pair : make();
    }

    private byte[] make() {
        byte[] pairs = new byte[Lanes.COUNT * size];
        if (!Lanes.serves(op) || !Lanes.keyPairs(op, pairs)) {
            return null;
        }
        for (int i = 1; i < Lanes.COUNT; i++) {
            ready.add(Arrays.copyOfRange(pairs, i * size, (i + 1) * size));
        }
        byte[] mine = Arrays.copyOf(pairs, size);
        Bytes.clear(pairs);
        return mine;
    }
}
