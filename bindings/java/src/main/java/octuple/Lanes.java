// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/** The native side: liboctuple.so.0 by way of a small library that is in the jar. */
final class Lanes {
    static final int COUNT = 8;
    static final int OK = 0;

    /** What oct_queue_run_now() says of a signature that is not valid, or a peer's key. */
    static final int INVALID = 5;

    /** Operations by their numbers in octuple/op.h. */
    static final int RSA2048_PRIVATE = 0;

    static final int RSA3072_PRIVATE = 1;
    static final int RSA4096_PRIVATE = 2;
    static final int X25519_DERIVE = 6;
    static final int X25519_KEYGEN = 7;
    static final int P256_SIGN = 8;
    static final int P256_KEYGEN = 9;
    static final int P256_DERIVE = 10;
    static final int P384_SIGN = 11;
    static final int P384_KEYGEN = 12;
    static final int P384_DERIVE = 13;
    static final int ED25519_SIGN = 14;
    static final int ED25519_VERIFY = 15;
    static final int P256_VERIFY = 16;
    static final int P384_VERIFY = 17;
    static final int OPERATIONS = 18;

    private static final String LIBRARY = "liboctuple-java.so";
    private static final boolean LOADED = loaded();
    private static final byte[] ON = new byte[OPERATIONS]; // 0: not asked yet, 1: on, 2: off

    private Lanes() {}

    /** Whether there is a library. Each operation has its own test, {@link #serves}. */
    static boolean areThere() {
        return LOADED;
    }

    /** The first call for an operation takes milliseconds: its known-answer test. */
    static boolean serves(int op) {
        if (!LOADED) {
            return false;
        }
        if (ON[op] == 0) {
            ON[op] = (byte) (isOn(op) ? 1 : 2); // threads that meet here come to the same answer
        }
        return ON[op] == 1;
    }

    /** Runs one operation with those of other threads. The key is null for operations that have none in C. */
    static int run(int op, LaneKey key, byte[] in, byte[] out) {
        if (Meeting.isForThisThread()) {
            return Meeting.run(op, key, in, out);
        }
        try {
            return runOne(op, key == null ? 0 : key.address(), in, out);
        } finally {
            Reference.reachabilityFence(key);
        }
    }

    private static boolean loaded() {
        if (!"Linux".equals(System.getProperty("os.name")) || !"amd64".equals(System.getProperty("os.arch"))) {
            return false;
        }
        try (InputStream library = Lanes.class.getResourceAsStream(LIBRARY)) {
            if (library == null) {
                return false;
            }
            Path copy = Files.createTempFile("octuple", ".so",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            try {
                Files.copy(library, copy, StandardCopyOption.REPLACE_EXISTING);
                System.load(copy.toString());
            } finally {
                Files.delete(copy);
            }
            return open();
        } catch (IOException | LinkageError | SecurityException e) {
            return false;
        }
    }

    private static native boolean open();

    private static native boolean isOn(int op);

    /** A key in C's memory; 0 if these numbers are none that lanes serve. They stand as lanes.c says. */
    static native long rsaKey(byte[] numbers, int modulus);

    static native long ed25519Key(byte[] seed);

    static native void rsaKeyFree(long key);

    static native void ed25519KeyFree(long key);

    /**
     * Runs one operation with those of other platform threads, and returns {@link #OK} or an error of octuple/status.h.
     *
     * <pre>
     * RSA, private     key; the number
     * Ed25519          key; the message
     * ECDSA            private key, digest
     * key agreement    private key, the peer's public key
     * verifications    public key, signature, then digest or message; nothing is written
     * </pre>
     */
    static native int runOne(int op, long key, byte[] in, byte[] out);

    /** Runs 1 to 8 operations together; the status of each is what {@link #runOne} returns. */
    static native void runBatch(int op, long[] keys, byte[][] in, byte[][] out, int[] status);

    /** Eight new key pairs, each the private key and then the public one; false if there are none. */
    static native boolean keyPairs(int op, byte[] out);
}
