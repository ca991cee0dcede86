// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.RSAKeyGenParameterSpec;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** RSA keys: their numbers, the JDK's use of them, what lanes do not make, and errors. */
class RsaPairsTest {
    private static KeyPairGenerator generator(String provider) throws Exception {
        return KeyPairGenerator.getInstance("RSA", provider);
    }

    private static KeyPair pair(AlgorithmParameterSpec parameters) throws Exception {
        KeyPairGenerator generator = generator(Setup.name("SunRsaSign"));
        generator.initialize(parameters);
        return generator.generateKeyPair();
    }

    private static void checkNumbers(KeyPair pair, int bits, BigInteger exponent) {
        RSAPrivateCrtKey key = (RSAPrivateCrtKey) pair.getPrivate();
        BigInteger p = key.getPrimeP();
        BigInteger q = key.getPrimeQ();
        BigInteger p1 = p.subtract(BigInteger.ONE);
        BigInteger q1 = q.subtract(BigInteger.ONE);
        assertEquals(bits, key.getModulus().bitLength());
        assertEquals(key.getModulus(), p.multiply(q));
        assertEquals(key.getModulus(), ((RSAPublicKey) pair.getPublic()).getModulus());
        assertEquals(exponent, key.getPublicExponent());
        assertEquals(exponent, ((RSAPublicKey) pair.getPublic()).getPublicExponent());
        assertTrue(p.isProbablePrime(60) && q.isProbablePrime(60));
        assertEquals(BigInteger.ONE, key.getPrivateExponent().multiply(exponent).mod(p1));
        assertEquals(BigInteger.ONE, key.getPrivateExponent().multiply(exponent).mod(q1));
        assertEquals(key.getPrivateExponent().mod(p1), key.getPrimeExponentP());
        assertEquals(key.getPrivateExponent().mod(q1), key.getPrimeExponentQ());
        assertEquals(BigInteger.ONE, key.getCrtCoefficient().multiply(q).mod(p));
    }

    private static boolean jdkUses(KeyPair pair) throws Exception {
        KeyFactory factory = KeyFactory.getInstance("RSA", "SunRsaSign");
        Signature signature = Signature.getInstance("SHA256withRSA", "SunRsaSign");
        signature.initSign(factory.generatePrivate(new PKCS8EncodedKeySpec(pair.getPrivate().getEncoded())));
        signature.update(new byte[100]);
        byte[] signed = signature.sign();
        signature.initVerify(pair.getPublic());
        signature.update(new byte[100]);
        return signature.verify(signed);
    }

    @Test
    void keysAreGood() throws Exception {
        Set<BigInteger> seen = new HashSet<>();
        for (int bits : new int[] {2048, 3072, 4096}) {
            if (Setup.lanes()) {
                assertTrue(Operation.RSA_KEYGEN.get(bits).isServed());
            }
            for (int i = 0; i < (Setup.lanes() && bits == 2048 ? 3 : 1); i++) {
                KeyPairGenerator generator = generator(Setup.name("SunRsaSign"));
                generator.initialize(bits);
                KeyPair pair = generator.generateKeyPair();
                checkNumbers(pair, bits, RSAKeyGenParameterSpec.F4);
                assertTrue(jdkUses(pair));
                assertTrue(seen.add(((RSAPublicKey) pair.getPublic()).getModulus()));
            }
        }
    }

    @Test
    void parameters() throws Exception {
        checkNumbers(pair(new RSAKeyGenParameterSpec(2048, RSAKeyGenParameterSpec.F4)), 2048,
                RSAKeyGenParameterSpec.F4);
        checkNumbers(pair(new RSAKeyGenParameterSpec(2048, RSAKeyGenParameterSpec.F0)), 2048,
                RSAKeyGenParameterSpec.F0);
        checkNumbers(pair(new RSAKeyGenParameterSpec(1032, RSAKeyGenParameterSpec.F4)), 1032,
                RSAKeyGenParameterSpec.F4);
    }

    @Test
    void defaultSize() throws Exception {
        int own = ((RSAPublicKey) generator("SunRsaSign").generateKeyPair().getPublic()).getModulus().bitLength();
        int ours = ((RSAPublicKey) generator(Setup.name("SunRsaSign")).generateKeyPair().getPublic()).getModulus()
                .bitLength();
        assertEquals(own, ours);
    }

    private static Object err(String provider, int mistake) throws Exception {
        KeyPairGenerator generator = generator(provider);
        switch (mistake) {
            case 0 -> generator.initialize(17);
            case 1 -> generator.initialize(new ECGenParameterSpec("secp256r1"));
            case 2 -> generator.initialize((AlgorithmParameterSpec) null);
            case 3 -> generator.initialize(new RSAKeyGenParameterSpec(2048, BigInteger.TWO));
            default -> generator.initialize(1 << 20);
        }
        return "done";
    }

    @Test
    void errors() {
        for (int mistake = 0; mistake < 5; mistake++) {
            int which = mistake;
            assertEquals(Setup.outcome(() -> err("SunRsaSign", which)),
                    Setup.outcome(() -> err(Setup.name("SunRsaSign"), which)), () -> "mistake " + which);
        }
    }
}
