// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.PublicKey;
import java.security.Security;
import java.security.Signature;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECGenParameterSpec;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What the tests share: the provider in front of all, keys, and whether lanes are to be found here. */
final class Setup {
    /** OCTUPLE_TEST_LANES says it, so that the binding cannot fail to find lanes unnoticed. */
    static final boolean LANES = "yes".equals(System.getenv("OCTUPLE_TEST_LANES"));

    static final boolean EXHAUSTIVE = "exhaustive".equals(System.getenv("OCT_TEST_DEPTH"));
    private static final Map<String, KeyPair> KEYS = new ConcurrentHashMap<>();

    static {
        Security.insertProviderAt(new OctupleProvider(), 1);
        if (System.getenv("OCTUPLE_TEST_LANES") != null) {
            assertEquals(LANES, Operation.RSA_PRIVATE.get(2048).isServed(), "lanes");
        }
    }

    private Setup() {}

    interface Action<T> {
        T run() throws Exception;
    }

    static boolean lanes() {
        return Operation.RSA_PRIVATE.get(2048).isServed();
    }

    /** Ours, or the JDK's where there are no lanes: then nothing can be asked of ours. */
    static String name(String jdk) {
        return Lanes.areThere() ? OctupleProvider.NAME : jdk;
    }

    /** "RSA-2048", "P-256", "Ed25519"; made by the JDK, once. */
    static KeyPair key(String kind) {
        return KEYS.computeIfAbsent(kind, Setup::newKey);
    }

    static KeyPair newKey(String kind) {
        try {
            if (kind.startsWith("RSA-")) {
                KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA", "SunRsaSign");
                generator.initialize(Integer.parseInt(kind.substring(4)));
                return generator.generateKeyPair();
            }
            if (kind.startsWith("P-")) {
                KeyPairGenerator generator = KeyPairGenerator.getInstance("EC", "SunEC");
                generator.initialize(new ECGenParameterSpec("secp" + kind.substring(2) + "r1"));
                return generator.generateKeyPair();
            }
            return KeyPairGenerator.getInstance(kind, "SunEC").generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    static byte[] sign(String algorithm, String provider, PrivateKey key, AlgorithmParameterSpec spec, byte[] text)
            throws GeneralSecurityException {
        Signature signature = provider == null ? Signature.getInstance(algorithm)
                : Signature.getInstance(algorithm, provider);
        if (spec != null) {
            signature.setParameter(spec);
        }
        signature.initSign(key);
        if (provider == null && spec == null && Lanes.areThere()) { // parameters choose a provider without a key
            checkServed(signature.getProvider(), key);
        }
        int half = text.length / 2;
        signature.update(text, 0, half);
        signature.update(text, half, text.length - half);
        return signature.sign();
    }

    static boolean verify(String algorithm, String provider, PublicKey key, AlgorithmParameterSpec spec, byte[] text,
            byte[] value) throws GeneralSecurityException {
        Signature signature = Signature.getInstance(algorithm, provider);
        if (spec != null) {
            signature.setParameter(spec);
        }
        signature.initVerify(key);
        signature.update(text);
        return signature.verify(value);
    }

    /** The JCA has chosen ours for a key that lanes serve. */
    private static void checkServed(Provider provider, PrivateKey key) {
        boolean served = RsaKeys.of(key) != null || EcdsaSignature.serves(key) || EddsaSignature.serves(key);
        assertEquals(served, provider.getName().equals(OctupleProvider.NAME), () -> key.getAlgorithm());
        assertTrue(!served || lanes());
    }

    /** What an action ends with: its value, or the class of what it throws. */
    static Object outcome(Action<?> action) {
        try {
            return action.run();
        } catch (Exception e) {
            return e.getClass();
        }
    }
}
