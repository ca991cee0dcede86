// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.crypto.KeyAgreement;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Many threads at once, keys that come and go, and the collector. */
class ThreadsTest {
    private static final String[] KINDS = {"RSA-2048", "P-256", "P-384", "Ed25519"};

    private static String algorithm(String kind) {
        return kind.startsWith("RSA") ? "SHA256withRSA" : kind.startsWith("P-") ? "SHA256withECDSA" : "Ed25519";
    }

    private static void signOnce(String kind, KeyPair pair, int number) throws GeneralSecurityException {
        byte[] text = (kind + number).getBytes();
        byte[] value = Setup.sign(algorithm(kind), null, pair.getPrivate(), null, text);
        assertTrue(Setup.verify(algorithm(kind), Setup.name(kind.startsWith("RSA") ? "SunRsaSign" : "SunEC"),
                pair.getPublic(), null, text, value), kind);
    }

    private static void agreeOnce() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("X25519");
        KeyPair[] pairs = {generator.generateKeyPair(), generator.generateKeyPair()};
        byte[][] secrets = new byte[2][];
        for (int i = 0; i < 2; i++) {
            KeyAgreement agreement = KeyAgreement.getInstance("X25519");
            agreement.init(pairs[i].getPrivate());
            agreement.doPhase(pairs[1 - i].getPublic(), true);
            secrets[i] = agreement.generateSecret();
        }
        assertTrue(java.util.Arrays.equals(secrets[0], secrets[1]));
    }

    private static void all(ExecutorService executor, List<Callable<Void>> tasks) throws Exception {
        try {
            for (Future<Void> done : executor.invokeAll(tasks)) {
                done.get();
            }
        } catch (ExecutionException e) {
            throw new AssertionError(e.getCause());
        } finally {
            executor.shutdownNow();
        }
    }

    private static List<Callable<Void>> tasks(int count) {
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int number = i;
            tasks.add(() -> {
                String kind = KINDS[number % KINDS.length];
                for (int round = 0; round < 3; round++) {
                    signOnce(kind, Setup.key(kind), round);
                    agreeOnce();
                }
                return null;
            });
        }
        return tasks;
    }

    /** Each thread gets the result of its own operation, whoever runs it. */
    @Test
    void platformThreads() throws Exception {
        for (String kind : KINDS) {
            Setup.key(kind);
        }
        int scale = Setup.EXHAUSTIVE ? 20 : 2;
        all(Executors.newFixedThreadPool(64), tasks(64 * scale));
    }

    /** From JDK 21 on. */
    @Test
    void virtualThreads() throws Exception {
        ExecutorService executor = null;
        try {
            executor = (ExecutorService) Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        } catch (NoSuchMethodException e) {
            Assumptions.abort("this JDK has no virtual threads");
        }
        all(executor, tasks(Setup.EXHAUSTIVE ? 1000 : 100));
    }

    private static PrivateKey copy(PrivateKey key) throws GeneralSecurityException {
        return KeyFactory.getInstance(key.getAlgorithm().startsWith("Ed") ? "Ed25519" : key.getAlgorithm())
                .generatePrivate(new PKCS8EncodedKeySpec(key.getEncoded()));
    }

    /** Keys that only a call in progress still holds, while the collector runs all the time. */
    @Test
    void keysLiveAsLongAsTheirCalls() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        Thread collector = new Thread(() -> {
            while (!stop.get()) {
                System.gc();
            }
        });
        collector.start();
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            String kind = KINDS[i % KINDS.length];
            KeyPair pair = Setup.key(kind);
            tasks.add(() -> {
                for (int round = 0; round < (Setup.EXHAUSTIVE ? 200 : 10); round++) {
                    signOnce(kind, new KeyPair(pair.getPublic(), copy(pair.getPrivate())), round);
                }
                return null;
            });
        }
        try {
            all(Executors.newFixedThreadPool(8), tasks);
        } finally {
            stop.set(true);
            collector.join();
        }
    }

    /** C's memory is given back: nothing remembers keys that are gone. */
    @Test
    void keysAreFreed() throws Exception {
        Assumptions.assumeTrue(Setup.lanes(), "no lanes");
        PrivateKey key = Setup.key("RSA-2048").getPrivate();
        long before = LaneKey.freed();
        int keys = Setup.EXHAUSTIVE ? 2000 : 64;
        for (int i = 0; i < keys; i++) {
            assertNotNull(RsaKeys.of(copy(key)));
        }
        for (int i = 0; i < 500 && (LaneKey.freed() - before < keys - 1 || RsaKeys.known() > 8); i++) {
            System.gc();
            Thread.sleep(10);
            RsaKeys.of(key);
        }
        assertTrue(LaneKey.freed() - before >= keys - 1, () -> "freed: " + (LaneKey.freed() - before));
        assertTrue(RsaKeys.known() <= 8, () -> "known: " + RsaKeys.known());
    }

    /** A lane that fails is the JDK's to do again: here one whose key is for another operation. */
    @Test
    void failedLanes() {
        byte[] in = new byte[256];
        java.util.Arrays.fill(in, (byte) 0xff); // not below any modulus
        LaneKey key = RsaKeys.of(Setup.key("RSA-2048").getPrivate());
        Assumptions.assumeTrue(key != null, "no lanes");
        assertEquals(null, key.run(in));
        byte[] nothing = new byte[64 + 32]; // no private key is zero
        assertTrue(Curve.P256.sign.run(null, nothing, new byte[64]) != Lanes.OK);
        assertTrue(new Operation("none").run(null, nothing, new byte[64]) != Lanes.OK);
        assertTrue(Operation.RSA_PRIVATE.get(2048).run(null, in, in) != Lanes.OK);
        assertTrue(Operation.ED25519_SIGN.run(null, new byte[9000], new byte[64]) != Lanes.OK);
    }
}
