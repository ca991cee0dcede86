// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPairGenerator;
import java.security.ProviderException;
import java.security.Signature;
import javax.crypto.KeyAgreement;

/** The JDK's own providers, which do what lanes do not, and say what is wrong. */
final class Jdk {
    private static final String RSA = "SunRsaSign";
    private static final String EC = "SunEC";

    private Jdk() {}

    /** What may fail only where the JDK lacks one of its own providers. */
    interface Maker<T> {
        T make() throws GeneralSecurityException;
    }

    static <T> T own(Maker<T> maker) {
        try {
            return maker.make();
        } catch (GeneralSecurityException e) {
            throw new ProviderException("the JDK's own provider is missing", e);
        }
    }

    static Signature signature(String algorithm) {
        String raw = "NONEwithRSA";
        String provider = algorithm.equals(raw) ? "SunJCE" : algorithm.contains("RSA") ? RSA : EC;
        return own(() -> Signature.getInstance(algorithm, provider));
    }

    static KeyAgreement keyAgreement(String algorithm) {
        return own(() -> KeyAgreement.getInstance(algorithm, EC));
    }

    static KeyPairGenerator keyPairGenerator(String algorithm) {
        return own(() -> KeyPairGenerator.getInstance(algorithm, algorithm.startsWith("RSA") ? RSA : EC));
    }

    static KeyFactory keyFactory(String algorithm) {
        return own(() -> KeyFactory.getInstance(algorithm, algorithm.startsWith("RSA") ? RSA : EC));
    }
}
