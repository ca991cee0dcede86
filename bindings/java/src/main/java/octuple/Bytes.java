// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.math.BigInteger;
import java.util.Arrays;

/** Numbers in byte strings of fixed length. */
final class Bytes {
    private Bytes() {}

    /** Null has nothing to clear. */
    static void clear(byte[] bytes) {
        if (bytes != null) {
            Arrays.fill(bytes, (byte) 0);
        }
    }

    /** Big-endian; false, with nothing written, if there is no number, or one that is negative or too large. */
    static boolean put(BigInteger number, byte[] into, int at, int size) {
        if (number == null || number.signum() < 0 || number.bitLength() > 8 * size) {
            return false;
        }
        byte[] bytes = number.toByteArray();
        int sign = bytes.length > size ? 1 : 0; // a zero byte that tells it from a negative number
        System.arraycopy(bytes, sign, into, at + size - (bytes.length - sign), bytes.length - sign);
        clear(bytes);
        return true;
    }

    static byte[] reversed(byte[] bytes) {
        byte[] out = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            out[i] = bytes[bytes.length - 1 - i];
        }
        return out;
    }
}
