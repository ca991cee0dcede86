// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.util.Arrays;

/** The DER of r and s (RFC 3279, 2.2.3). All lengths are below 128, for the numbers have at most 48 bytes. */
final class Der {
    private Der() {}

    /** r and s stand one after the other. */
    static byte[] encode(byte[] rs) {
        int half = rs.length / 2;
        int[] from = {first(rs, 0, half), first(rs, half, rs.length)};
        byte[] der = new byte[6 + rs.length + 2];
        int at = 2;
        for (int i = 0; i < 2; i++) {
            int length = (i + 1) * half - from[i];
            int sign = rs[from[i]] >>> 31; // a zero byte tells it from a negative number
            der[at] = 2;
            der[at + 1] = (byte) (length + sign);
            System.arraycopy(rs, from[i], der, at + 2 + sign, length);
            at += 2 + sign + length;
        }
        der[0] = 0x30;
        der[1] = (byte) (at - 2);
        return Arrays.copyOf(der, at);
    }

    /** Where a number begins without its leading zeros. */
    private static int first(byte[] bytes, int from, int to) {
        while (from < to - 1 && bytes[from] == 0) {
            from++;
        }
        return from;
    }

    /** r and s, of `size` bytes each; null if the DER is not what encode() makes of them. */
    static byte[] decode(byte[] der, int size) {
        byte[] rs = new byte[2 * size];
        int at = 2;
        for (int i = 0; i < 2; i++) {
            if (der.length < at + 2 || der[at + 1] < 1 || der.length < at + 2 + der[at + 1]) {
                return null;
            }
            int end = at + 2 + der[at + 1];
            int from = first(der, at + 2, end);
            if (end - from > size) {
                return null;
            }
            System.arraycopy(der, from, rs, (i + 1) * size - (end - from), end - from);
            at = end;
        }
        return Arrays.equals(encode(rs), der) ? rs : null;
    }
}
