// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.ECPoint;
import java.security.spec.ECPrivateKeySpec;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.EdECPoint;
import java.security.spec.EdECPublicKeySpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.security.spec.RSAPrivateCrtKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.security.spec.XECPrivateKeySpec;
import java.security.spec.XECPublicKeySpec;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import javax.crypto.KeyAgreement;
import org.junit.jupiter.api.Test;

/** Wycheproof's cases by Octuple's objects, held against the files and against the JDK's own. */
class VectorsTest {
    private final Map<String, Integer> counts = new HashMap<>();

    private static PublicKey rsa(Vectors.Fields c) throws GeneralSecurityException {
        return KeyFactory.getInstance("RSA").generatePublic(new RSAPublicKeySpec(c.number("n"), c.number("e")));
    }

    private static PrivateKey rsaPrivate(Vectors.Fields c) throws GeneralSecurityException {
        return KeyFactory.getInstance("RSA").generatePrivate(new RSAPrivateCrtKeySpec(c.number("n"), c.number("e"),
                c.number("d"), c.number("p"), c.number("q"), c.number("dp"), c.number("dq"), c.number("qinv")));
    }

    private static PublicKey ec(Vectors.Fields c) throws GeneralSecurityException {
        byte[] point = c.bytes("point");
        int size = point.length / 2;
        ECPoint w = new ECPoint(new BigInteger(1, Arrays.copyOfRange(point, 1, 1 + size)),
                new BigInteger(1, Arrays.copyOfRange(point, 1 + size, point.length)));
        Curve curve = size == 32 ? Curve.P256 : Curve.P384;
        return KeyFactory.getInstance("EC").generatePublic(new ECPublicKeySpec(w, curve.spec));
    }

    private static PublicKey ed25519(Vectors.Fields c) throws GeneralSecurityException {
        byte[] y = Bytes.reversed(c.bytes("pk"));
        boolean odd = y[0] < 0;
        y[0] &= 0x7f;
        return KeyFactory.getInstance("Ed25519").generatePublic(
                new EdECPublicKeySpec(NamedParameterSpec.ED25519, new EdECPoint(odd, new BigInteger(1, y))));
    }

    private static String digest(Vectors.Fields c) {
        return c.text("sha").toUpperCase().replace("SHA-512-", "SHA-512/");
    }

    private static String compact(Vectors.Fields c) {
        return digest(c).replaceFirst("-", "");
    }

    private static PSSParameterSpec pss(Vectors.Fields c) {
        return new PSSParameterSpec(digest(c), "MGF1", new MGF1ParameterSpec(digest(c)),
                Integer.parseInt(c.text("salt")), 1);
    }

    private static void signature(Vectors.Fields c, String algorithm, String jdk, PublicKey key,
            PSSParameterSpec spec) {
        byte[] text = c.bytes("msg");
        byte[] value = c.bytes("sig");
        Object ours = Setup.outcome(() -> Setup.verify(algorithm, Setup.name(jdk), key, spec, text, value));
        if (c.text("result").equals("valid") && Setup.lanes()) {
            assertEquals(true, ours, () -> "case " + c.text("id")); // JDK 17 refuses some of them
        } else { // the JDK takes forms of DER that it should not, and ours leaves these to it
            assertEquals(Setup.outcome(() -> Setup.verify(algorithm, jdk, key, spec, text, value)), ours,
                    () -> "case " + c.text("id"));
        }
    }

    private static void rsaSign(Vectors.Fields c) throws GeneralSecurityException {
        byte[] value = Setup.sign(compact(c) + "withRSA", null, rsaPrivate(c), null, c.bytes("msg"));
        assertArrayEquals(c.bytes("sig"), value, () -> "case " + c.text("id"));
    }

    private static byte[] agree(String algorithm, String provider, PrivateKey mine, PublicKey peer)
            throws GeneralSecurityException {
        KeyAgreement agreement = KeyAgreement.getInstance(algorithm, provider);
        agreement.init(mine);
        agreement.doPhase(peer, true);
        return agreement.generateSecret();
    }

    private static Object hex(Setup.Action<byte[]> action) {
        return Setup.outcome(() -> java.util.HexFormat.of().formatHex(action.run()));
    }

    private static void agreement(Vectors.Fields c, String algorithm, PrivateKey mine, PublicKey peer) {
        Object ours = hex(() -> agree(algorithm, Setup.name("SunEC"), mine, peer));
        assertEquals(hex(() -> agree(algorithm, "SunEC", mine, peer)), ours, () -> "case " + c.text("id"));
        if (c.text("result").equals("valid")) {
            assertEquals(c.text("shared"), ours, () -> "case " + c.text("id"));
        }
    }

    private static void x25519(Vectors.Fields c) throws GeneralSecurityException {
        byte[] u = Bytes.reversed(c.bytes("peer"));
        u[0] &= 0x7f; // as RFC 7748 has it
        KeyFactory factory = KeyFactory.getInstance("X25519");
        NamedParameterSpec spec = NamedParameterSpec.X25519;
        agreement(c, "X25519", factory.generatePrivate(new XECPrivateKeySpec(spec, c.bytes("scalar"))),
                factory.generatePublic(new XECPublicKeySpec(spec, new BigInteger(1, u))));
    }

    /** Keys that the JDK does not decode are no matter of ours. */
    private static void ecdh(Vectors.Fields c, Curve curve) throws GeneralSecurityException {
        KeyFactory factory = KeyFactory.getInstance("EC");
        PrivateKey mine = factory.generatePrivate(new ECPrivateKeySpec(c.number("scalar"), curve.spec));
        PublicKey peer;
        try {
            peer = factory.generatePublic(new X509EncodedKeySpec(c.bytes("peer")));
        } catch (GeneralSecurityException e) {
            return;
        }
        agreement(c, "ECDH", mine, peer);
    }

    private boolean check(Vectors.Fields c, String kind, Path file) throws GeneralSecurityException {
        switch (kind) {
            case "rsa-pkcs1-verify" -> signature(c, compact(c) + "withRSA", "SunRsaSign", rsa(c), null);
            case "rsa-pss-verify" -> signature(c, "RSASSA-PSS", "SunRsaSign", rsa(c), pss(c));
            case "rsa-pkcs1-sign" -> rsaSign(c);
            case "ecdsa-verify" -> signature(c, compact(c) + "withECDSA", "SunEC", ec(c), null);
            case "ed25519-verify" -> signature(c, "Ed25519", "SunEC", ed25519(c), null);
            case "x25519-derive" -> x25519(c);
            case "ecdh-spki" -> ecdh(c, file.toString().contains("256") ? Curve.P256 : Curve.P384);
            default -> {
                return false;
            }
        }
        return true;
    }

    @Test
    void wycheproof() throws Exception {
        for (Path file : Vectors.files()) {
            Vectors vectors = Vectors.read(file);
            int number = 0;
            for (Vectors.Fields c : vectors.cases()) {
                boolean now = Setup.EXHAUSTIVE || number++ % 3 == 0;
                if (now && check(c, vectors.kind(), file)) {
                    counts.merge(vectors.kind(), 1, Integer::sum);
                }
            }
        }
        for (String kind : new String[] {"rsa-pkcs1-verify", "rsa-pss-verify", "rsa-pkcs1-sign", "ecdsa-verify",
            "ed25519-verify", "x25519-derive", "ecdh-spki"}) {
            assertTrue(counts.getOrDefault(kind, 0) >= (Setup.EXHAUSTIVE ? 90 : 30),
                    () -> kind + ": " + counts.get(kind));
        }
    }
}
