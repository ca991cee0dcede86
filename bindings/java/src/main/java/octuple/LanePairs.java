// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.math.BigInteger;
import java.security.InvalidAlgorithmParameterException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyPairGeneratorSpi;
import java.security.ProviderException;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.InvalidKeySpecException;
import java.util.Arrays;

/** Key pairs from lanes, as objects of the JDK's own. What lanes do not make the JDK's generator does. */
abstract class LanePairs extends KeyPairGeneratorSpi {
    private final String algorithm;
    final KeyFactory factory;
    private KeyPairGenerator jdk; // null: lanes serve what was asked for

    LanePairs(String algorithm, String factory) {
        this.algorithm = algorithm;
        this.factory = Jdk.keyFactory(factory);
    }

    /** Whether lanes serve it; it is remembered if they do. */
    abstract boolean take(AlgorithmParameterSpec parameters);

    abstract boolean take(int bits);

    /** Null if there is no pair. */
    abstract KeyPair pair() throws InvalidKeySpecException;

    @Override
    public void initialize(int bits, SecureRandom random) {
        jdk = null;
        if (!take(bits)) {
            KeyPairGenerator own = Jdk.keyPairGenerator(algorithm);
            own.initialize(bits, random);
            jdk = own;
        }
    }

    @Override
    public void initialize(AlgorithmParameterSpec parameters, SecureRandom random)
            throws InvalidAlgorithmParameterException {
        jdk = null;
        if (!take(parameters)) {
            KeyPairGenerator own = Jdk.keyPairGenerator(algorithm);
            own.initialize(parameters, random);
            jdk = own;
        }
    }

    /** What was asked for; null for nothing: the JDK has a default. */
    abstract AlgorithmParameterSpec parameters();

    @Override
    public KeyPair generateKeyPair() {
        try {
            KeyPair pair = jdk == null ? pair() : null;
            if (pair != null) {
                return pair;
            }
            if (jdk == null) {
                jdk = Jdk.keyPairGenerator(algorithm);
                if (parameters() != null) {
                    jdk.initialize(parameters());
                }
            }
            return jdk.generateKeyPair();
        } catch (InvalidKeySpecException | InvalidAlgorithmParameterException e) {
            throw new ProviderException(e);
        }
    }

    static BigInteger number(byte[] bytes, int from, int to) {
        byte[] part = Arrays.copyOfRange(bytes, from, to);
        BigInteger number = new BigInteger(1, part);
        Bytes.clear(part);
        return number;
    }
}
