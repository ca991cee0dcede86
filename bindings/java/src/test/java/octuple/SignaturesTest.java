// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.security.InvalidKeyException;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Every signature by ours is good to the JDK and the reverse, with each key, digest and padding. */
class SignaturesTest {
    private static final String[] RSA_DIGESTS = {"SHA1", "SHA224", "SHA256", "SHA384", "SHA512", "SHA512/224",
        "SHA512/256"};
    private static final String[] EC_DIGESTS = {"SHA1", "SHA224", "SHA256", "SHA384", "SHA512", "NONE"};
    private static final Random RANDOM = new Random(1);

    private static byte[] text(int length) {
        byte[] text = new byte[length];
        RANDOM.nextBytes(text);
        return text;
    }

    private static String[] rsaKinds() {
        return Setup.EXHAUSTIVE ? new String[] {"RSA-1024", "RSA-2048", "RSA-3072", "RSA-4096"}
                : new String[] {"RSA-1024", "RSA-2048"};
    }

    private static void both(String algorithm, String jdk, KeyPair pair, AlgorithmParameterSpec spec, byte[] text)
            throws Exception {
        String ours = Setup.name(jdk);
        for (String signer : new String[] {ours, jdk, null}) {
            byte[] value = Setup.sign(algorithm, signer, pair.getPrivate(), spec, text);
            for (String verifier : new String[] {ours, jdk}) {
                assertTrue(Setup.verify(algorithm, verifier, pair.getPublic(), spec, text, value),
                        () -> algorithm + " by " + signer + " to " + verifier);
                if (signer != ours) {
                    continue;
                }
                value[value.length / 2] ^= 1;
                byte[] broken = value.clone();
                assertFalse(Boolean.TRUE.equals(Setup.outcome(
                        () -> Setup.verify(algorithm, verifier, pair.getPublic(), spec, text, broken))));
                value[value.length / 2] ^= 1;
            }
        }
    }

    @Test
    void pkcs1IsTheJdks() throws Exception {
        for (String kind : rsaKinds()) {
            for (String digest : RSA_DIGESTS) {
                String algorithm = digest + "withRSA";
                both(algorithm, "SunRsaSign", Setup.key(kind), null, text(100));
                byte[] text = text(77);
                PrivateKey key = Setup.key(kind).getPrivate();
                assertArrayEquals(Setup.sign(algorithm, "SunRsaSign", key, null, text),
                        Setup.sign(algorithm, null, key, null, text), algorithm);
            }
            both("NONEwithRSA", "SunJCE", Setup.key(kind), null, text(36));
        }
    }

    @Test
    void pss() throws Exception {
        for (String kind : rsaKinds()) {
            for (String digest : new String[] {"SHA-1", "SHA-256", "SHA-384", "SHA-512"}) {
                for (int salt : new int[] {0, 20, 32}) {
                    both("RSASSA-PSS", "SunRsaSign", Setup.key(kind),
                            new PSSParameterSpec(digest, "MGF1", new MGF1ParameterSpec(digest), salt, 1), text(50));
                }
            }
            both("RSASSA-PSS", "SunRsaSign", Setup.key(kind),
                    new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA1, 20, 1), text(50));
        }
    }

    @Test
    void longestSalt() throws Exception {
        for (int salt : new int[] {222, 223}) {
            AlgorithmParameterSpec spec = new PSSParameterSpec("SHA-256", "MGF1", MGF1ParameterSpec.SHA256, salt, 1);
            PrivateKey key = Setup.key("RSA-2048").getPrivate();
            Object own = Setup.outcome(() -> Setup.sign("RSASSA-PSS", "SunRsaSign", key, spec, text(9)).length);
            assertEquals(own, Setup.outcome(
                    () -> Setup.sign("RSASSA-PSS", Setup.name("SunRsaSign"), key, spec, text(9)).length));
        }
    }

    @Test
    void ecdsa() throws Exception {
        for (String kind : new String[] {"P-256", "P-384", "P-521"}) {
            for (String digest : kind.equals("P-521") && !Setup.EXHAUSTIVE ? new String[] {"SHA512"} : EC_DIGESTS) {
                for (String form : new String[] {"", "inP1363Format"}) {
                    both(digest + "withECDSA" + form, "SunEC", Setup.key(kind), null, text(32));
                }
            }
        }
    }

    @Test
    void eddsa() throws Exception {
        for (int length : new int[] {0, 1, 130, 4096, 4097}) {
            byte[] text = text(length);
            for (String kind : new String[] {"Ed25519", "Ed448"}) {
                both("EdDSA", "SunEC", Setup.key(kind), null, text);
            }
            PrivateKey key = Setup.key("Ed25519").getPrivate();
            assertArrayEquals(Setup.sign("Ed25519", "SunEC", key, null, text),
                    Setup.sign("Ed25519", null, key, null, text));
        }
        both("Ed25519", "SunEC", Setup.key("Ed25519"), new java.security.spec.EdDSAParameterSpec(true), text(10));
        both("Ed25519", "SunEC", Setup.key("Ed25519"),
                new java.security.spec.EdDSAParameterSpec(false, new byte[] {1}), text(10));
    }

    /** A key of another provider, of which only the encoding can be had. */
    private record Foreign(PrivateKey own, boolean opaque) implements PrivateKey {
        private static final long serialVersionUID = 1;

        @Override
        public String getAlgorithm() {
            return own.getAlgorithm();
        }

        @Override
        public String getFormat() {
            return opaque ? null : own.getFormat();
        }

        @Override
        public byte[] getEncoded() {
            return opaque ? null : own.getEncoded();
        }
    }

    @Test
    void foreignKeys() throws Exception {
        KeyPair pair = Setup.key("RSA-2048");
        PrivateKey foreign = new Foreign(pair.getPrivate(), false);
        assertEquals(Setup.lanes(), RsaKeys.of(foreign) != null);
        if (Setup.lanes()) { // the JDK's own takes such a key only where it is asked for by name
            byte[] text = text(5);
            byte[] value = Setup.sign("SHA256withRSA", null, foreign, null, text);
            assertTrue(Setup.verify("SHA256withRSA", "SunRsaSign", pair.getPublic(), null, text, value));
        }
        PrivateKey opaque = new Foreign(pair.getPrivate(), true);
        assertEquals(InvalidKeyException.class,
                Setup.outcome(() -> Setup.sign("SHA256withRSA", null, opaque, null, text(5))));
    }

    /** A key that cannot even be asked harms nobody: the JDK says what is wrong with it. */
    private static final class Broken implements PrivateKey {
        private static final long serialVersionUID = 1;

        @Override
        public String getAlgorithm() {
            return "RSA";
        }

        @Override
        public String getFormat() {
            throw new IllegalStateException();
        }

        @Override
        public byte[] getEncoded() {
            throw new IllegalStateException();
        }
    }

    @Test
    void brokenKeys() {
        Object own = Setup.outcome(() -> Setup.sign("SHA256withRSA", "SunRsaSign", new Broken(), null, text(5)));
        for (String provider : new String[] {Setup.name("SunRsaSign"), null}) {
            Object ours = Setup.outcome(() -> Setup.sign("SHA256withRSA", provider, new Broken(), null, text(5)));
            assertTrue(ours.equals(own) || ours == InvalidKeyException.class, ours::toString);
        }
    }

    /** One object signs and verifies again and again, with several keys. */
    @Test
    void objectsAreUsedAgain() throws Exception {
        Signature signature = Signature.getInstance("SHA256withECDSA", Setup.name("SunEC"));
        for (String kind : new String[] {"P-256", "P-521", "P-384", "P-256"}) {
            KeyPair pair = Setup.key(kind);
            signature.initSign(pair.getPrivate());
            for (int i = 0; i < 3; i++) {
                byte[] text = text(40 + i);
                signature.update(text);
                byte[] value = signature.sign();
                assertTrue(Setup.verify("SHA256withECDSA", "SunEC", pair.getPublic(), null, text, value));
            }
            signature.update(text(9)); // forgotten by the next init
            signature.initVerify(pair.getPublic());
            byte[] text = text(50);
            byte[] value = Setup.sign("SHA256withECDSA", "SunEC", pair.getPrivate(), null, text);
            for (int i = 0; i < 2; i++) {
                signature.update(text);
                assertTrue(signature.verify(value));
            }
        }
    }

    /** What goes wrong goes wrong as with the JDK. */
    @Test
    void errors() throws Exception {
        for (String[] row : new String[][] {{"RSASSA-PSS", "SunRsaSign", "RSA-2048"},
            {"SHA256withRSA", "SunRsaSign", "RSA-2048"}, {"NONEwithRSA", "SunJCE", "RSA-2048"},
            {"SHA256withECDSA", "SunEC", "P-256"}, {"NONEwithECDSA", "SunEC", "P-384"},
            {"NONEwithECDSAinP1363Format", "SunEC", "P-256"}, {"Ed25519", "SunEC", "Ed25519"}}) {
            for (int mistake = 0; mistake < 9; mistake++) {
                int which = mistake;
                assertEquals(Setup.outcome(() -> err(row[0], row[1], row[2], which)),
                        Setup.outcome(() -> err(row[0], Setup.name(row[1]), row[2], which)),
                        () -> row[0] + ": mistake " + which);
            }
        }
    }

    private static Object err(String algorithm, String provider, String kind, int mistake) throws Exception {
        Signature signature = Signature.getInstance(algorithm, provider);
        KeyPair pair = Setup.key(kind);
        KeyPair other = Setup.key(kind.startsWith("RSA") ? "P-256" : "RSA-2048");
        switch (mistake) {
            case 0 -> signature.initSign(other.getPrivate());
            case 1 -> signature.initVerify(other.getPublic());
            case 2 -> signature.initSign(null);
            case 3 -> signature.setParameter(new java.security.spec.ECGenParameterSpec("secp256r1"));
            case 4 -> {
                signature.initSign(pair.getPrivate());
                return signature.sign().length > 0; // nothing to sign
            }
            case 5 -> {
                signature.initSign(pair.getPrivate());
                signature.update(new byte[600]);
                return signature.sign().length > 0;
            }
            case 6 -> {
                signature.initVerify(pair.getPublic());
                signature.update(new byte[32]);
                return signature.verify(new byte[7]);
            }
            case 7 -> {
                signature.initVerify(pair.getPublic());
                signature.update(new byte[32]);
                return signature.verify(new byte[kind.startsWith("RSA") ? 256 : kind.equals("P-384") ? 96 : 64]);
            }
            default -> signature.initSign(Setup.key("RSA-1024").getPrivate());
        }
        return signature.getParameters() == null;
    }

    /** Ours says what the JDK says where no parameters have been set. */
    @Test
    void pssNeedsParameters() throws Exception {
        Signature signature = Signature.getInstance("RSASSA-PSS", Setup.name("SunRsaSign"));
        signature.initSign(Setup.key("RSA-2048").getPrivate());
        assertEquals(SignatureException.class, Setup.outcome(() -> {
            signature.update((byte) 1);
            return null;
        }));
    }
}
