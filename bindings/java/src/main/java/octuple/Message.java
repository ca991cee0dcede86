// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/** A message that is needed whole. What exceeds the limit is cut off: it is too long then in any case. */
final class Message extends ByteArrayOutputStream {
    private final int limit;

    Message(int limit) {
        this.limit = limit;
    }

    void add(byte[] bytes, int offset, int length) {
        write(bytes, offset, Math.min(length, limit - count));
    }

    byte[] bytes() {
        return toByteArray();
    }

    void clear() {
        Arrays.fill(buf, (byte) 0);
        reset();
    }
}
