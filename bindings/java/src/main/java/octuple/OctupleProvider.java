// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.security.Key;
import java.security.PrivateKey;
import java.security.Provider;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The JCA provider "Octuple". In front of the JDK's own it serves the signatures and key agreements of TLS, in lanes
 * that threads share. Without the library it has no services, and without AVX2 these leave each key to the JDK's.
 */
public final class OctupleProvider extends Provider {
    public static final String NAME = "Octuple";

    private static final long serialVersionUID = 1;
    private static final Map<String, String> DIGESTS = Map.of("SHA1", "SHA-1", "SHA224", "SHA-224", "SHA256", "SHA-256",
            "SHA384", "SHA-384", "SHA512", "SHA-512", "SHA512/224", "SHA-512/224", "SHA512/256", "SHA-512/256");

    public OctupleProvider() {
        super(NAME, "0.2.0", "RSA, ECDSA, Ed25519, X25519 and ECDH, eight at a time in lanes");
        if (Lanes.areThere()) {
            putRsa();
            putEcdsa();
            putAgreements();
            for (String algorithm : new String[] {"EdDSA", "Ed25519"}) {
                put("Signature", algorithm, () -> new EddsaSignature(algorithm), EddsaSignature::serves);
            }
        }
    }

    private void putRsa() {
        Predicate<Object> serves = key -> key instanceof PrivateKey own && RsaKeys.of(own) != null;
        put("Signature", "RSASSA-PSS", PssSignature::new, serves);
        put("Signature", "NONEwithRSA", RsaSignature.Raw::new, serves);
        put("KeyPairGenerator", "RSA", RsaPairs::new, key -> true);
        DIGESTS.forEach((name, digest) -> {
            String algorithm = name + "withRSA";
            put("Signature", algorithm, () -> new RsaSignature.Pkcs1(algorithm, digest), serves);
        });
    }

    private void putEcdsa() {
        putEcdsa("NONEwithECDSA", null);
        for (String name : new String[] {"SHA1", "SHA224", "SHA256", "SHA384", "SHA512"}) {
            putEcdsa(name + "withECDSA", DIGESTS.get(name));
        }
    }

    private void putEcdsa(String algorithm, String digest) {
        String plain = algorithm + "inP1363Format";
        put("Signature", algorithm, () -> new EcdsaSignature(algorithm, digest, true), EcdsaSignature::serves);
        put("Signature", plain, () -> new EcdsaSignature(plain, digest, false), EcdsaSignature::serves);
    }

    private void putAgreements() {
        put("KeyAgreement", "ECDH", EcAgreement::new, EcAgreement::serves);
        put("KeyPairGenerator", "EC", EcPairs::new, key -> true);
        for (String algorithm : new String[] {"XDH", "X25519"}) {
            put("KeyAgreement", algorithm, () -> new XdhAgreement(algorithm), XdhAgreement::serves);
            put("KeyPairGenerator", algorithm, () -> new XdhPairs(algorithm), key -> true);
        }
    }

    private void put(String type, String algorithm, Supplier<Object> maker, Predicate<Object> serves) {
        putService(new LaneService(this, type, algorithm, maker, serves));
    }

    /** With keys that lanes do not serve the JCA goes on to the next provider. */
    private static final class LaneService extends Service {
        private final Supplier<Object> maker;
        private final Predicate<Object> serves;

        LaneService(Provider provider, String type, String algorithm, Supplier<Object> maker,
                Predicate<Object> serves) {
            super(provider, type, algorithm, maker.getClass().getName(), null, null);
            this.maker = maker;
            this.serves = serves;
        }

        @Override
        public Object newInstance(Object parameter) {
            return maker.get();
        }

        @Override
        public boolean supportsParameter(Object key) {
            try {
                return key instanceof Key && serves.test(key);
            } catch (RuntimeException e) {
                return false; // a key that does not let itself be asked is no matter of ours
            }
        }
    }
}
