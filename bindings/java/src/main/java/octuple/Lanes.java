// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/** The native side: liboctuple.so.0 by way of a small library that is in the jar. */
final class Lanes {
    /** What became of an operation: done; its input is not valid, such as a signature; or it was not run. */
    static final int OK = 0;

    static final int INVALID = 1;
    static final int FAILED = 2;

    private static final String LIBRARY = "liboctuple-java.so";
    private static final boolean LOADED = loaded();

    private Lanes() {}

    /** Whether there is a library. Each operation has its own test, {@link Operation#isServed}. */
    static boolean areThere() {
        return LOADED;
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

    /**
     * The number of an operation by its name, and its sizes: lanes, then bytes of a key, of an input, of a message or
     * digest behind that at the most, and of a result (octuple/flat.h). Negative if the library has none of this name.
     */
    static native int find(String name, int[] sizes);

    static native boolean isOn(int op);

    /** A key in C's memory; 0 if these bytes, as octuple/flat.h has them, are none that lanes serve. */
    static native long newKey(int op, byte[] bytes);

    static native void freeKey(long key);

    /** Runs one operation with those of other platform threads, and returns {@link #OK} or what it was instead. */
    static native int runOne(int op, long key, byte[] in, byte[] out);

    /** Runs operations together whose inputs and results stand one after the other. */
    static native void runBatch(int op, long[] keys, byte[] in, int[] lengths, byte[] out, int[] status);
}
