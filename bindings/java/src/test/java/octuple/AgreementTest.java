// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.NamedParameterSpec;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import javax.crypto.KeyAgreement;
import javax.crypto.ShortBufferException;
import org.junit.jupiter.api.Test;

/** Key pairs and agreement: ours with the JDK's, and errors. */
class AgreementTest {
    private static KeyPair pair(String kind, String provider) throws Exception {
        boolean ec = kind.startsWith("secp");
        KeyPairGenerator generator = KeyPairGenerator.getInstance(ec ? "EC" : "XDH", provider);
        generator.initialize(ec ? new ECGenParameterSpec(kind) : new NamedParameterSpec(kind));
        return generator.generateKeyPair();
    }

    private static KeyAgreement agreement(String kind, String provider, KeyPair mine) throws Exception {
        KeyAgreement agreement = KeyAgreement.getInstance(kind.startsWith("secp") ? "ECDH" : "XDH", provider);
        agreement.init(mine.getPrivate());
        return agreement;
    }

    private static byte[] secret(String kind, String provider, KeyPair mine, KeyPair peer) throws Exception {
        KeyAgreement agreement = agreement(kind, provider, mine);
        agreement.doPhase(peer.getPublic(), true);
        return agreement.generateSecret();
    }

    @Test
    void bothSidesAgree() throws Exception {
        String ours = Setup.name("SunEC");
        for (String kind : new String[] {"X25519", "X448", "secp256r1", "secp384r1", "secp521r1"}) {
            for (int i = 0; i < 10; i++) {
                KeyPair mine = pair(kind, ours);
                KeyPair peer = pair(kind, i % 2 == 0 ? "SunEC" : ours);
                byte[] secret = secret(kind, ours, mine, peer);
                assertArrayEquals(secret(kind, "SunEC", peer, mine), secret, kind);
                assertArrayEquals(secret(kind, ours, peer, mine), secret, kind);
            }
        }
    }

    @Test
    void noPairComesTwice() throws Exception {
        for (String kind : new String[] {"X25519", "secp256r1", "secp384r1"}) {
            Set<String> seen = new HashSet<>();
            for (int i = 0; i < 50; i++) {
                KeyPair pair = pair(kind, Setup.name("SunEC"));
                assertTrue(seen.add(Arrays.toString(pair.getPublic().getEncoded())));
                assertEquals("PKCS#8", pair.getPrivate().getFormat());
            }
        }
    }

    @Test
    void defaults() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC", Setup.name("SunEC"));
        int bits = ((ECPublicKey) generator.generateKeyPair().getPublic()).getParams().getOrder().bitLength();
        int own = ((ECPublicKey) KeyPairGenerator.getInstance("EC", "SunEC").generateKeyPair().getPublic()).getParams()
                .getOrder().bitLength();
        assertEquals(own, bits);
        generator.initialize(256);
        assertEquals(256, ((ECPublicKey) generator.generateKeyPair().getPublic()).getParams().getOrder().bitLength());
        assertEquals("XDH", KeyPairGenerator.getInstance("XDH", Setup.name("SunEC")).generateKeyPair().getPublic()
                .getAlgorithm());
    }

    private static Object err(String kind, String provider, int mistake) throws Exception {
        KeyPair mine = pair(kind, "SunEC");
        KeyPair other = pair(kind.equals("secp256r1") ? "secp384r1" : "X448", "SunEC");
        KeyAgreement agreement = agreement(kind, provider, mine);
        switch (mistake) {
            case 0 -> agreement.doPhase(other.getPublic(), true);
            case 1 -> agreement.doPhase(mine.getPublic(), false);
            case 2 -> agreement.generateSecret();
            case 3 -> agreement.init(other.getPublic());
            case 4 -> agreement.doPhase(mine.getPrivate(), true);
            case 5 -> KeyPairGenerator.getInstance(kind.startsWith("secp") ? "EC" : "XDH", provider).initialize(17);
            case 6 -> KeyPairGenerator.getInstance(kind.startsWith("secp") ? "EC" : "XDH", provider)
                    .initialize(new ECGenParameterSpec("nothing"));
            case 7 -> {
                agreement.doPhase(mine.getPublic(), true);
                return agreement.generateSecret("AES").getAlgorithm();
            }
            case 8 -> {
                agreement.doPhase(mine.getPublic(), true);
                return agreement.generateSecret("TlsPremasterSecret").getEncoded().length;
            }
            case 9 -> {
                agreement.doPhase(mine.getPublic(), true);
                agreement.generateSecret();
                return agreement.generateSecret(); // not a second time
            }
            default -> {
                agreement.doPhase(mine.getPublic(), true);
                assertEquals(ShortBufferException.class, Setup.outcome(() -> agreement.generateSecret(new byte[9], 0)));
                return agreement.generateSecret(new byte[40], 8);
            }
        }
        return "done";
    }

    @Test
    void errors() {
        for (String kind : new String[] {"secp256r1", "X25519"}) {
            for (int mistake = 0; mistake < 11; mistake++) {
                int which = mistake;
                assertEquals(Setup.outcome(() -> err(kind, "SunEC", which)),
                        Setup.outcome(() -> err(kind, Setup.name("SunEC"), which)), () -> kind + ": mistake " + which);
            }
        }
    }
}
