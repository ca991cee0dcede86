// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.math.BigInteger;
import java.security.KeyPair;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.NamedParameterSpec;
import java.security.spec.XECPrivateKeySpec;
import java.security.spec.XECPublicKeySpec;
import java.util.Arrays;

/** Key pairs of X25519. */
final class XdhPairs extends LanePairs {
    private static final int SIZE = XdhAgreement.SIZE;
    private static final PairPool POOL = new PairPool(Operation.X25519_KEYGEN);

    XdhPairs(String algorithm) {
        super(algorithm, "XDH");
    }

    @Override
    boolean take(AlgorithmParameterSpec parameters) {
        return XdhAgreement.isX25519(parameters);
    }

    @Override
    boolean take(int bits) {
        return bits == 255;
    }

    @Override
    AlgorithmParameterSpec parameters() {
        return NamedParameterSpec.X25519;
    }

    @Override
    KeyPair pair() throws InvalidKeySpecException {
        byte[] pair = POOL.take();
        if (pair == null) {
            return null;
        }
        byte[] scalar = Arrays.copyOf(pair, SIZE);
        BigInteger u = new BigInteger(1, Bytes.reversed(Arrays.copyOfRange(pair, SIZE, 2 * SIZE)));
        try {
            return new KeyPair(factory.generatePublic(new XECPublicKeySpec(NamedParameterSpec.X25519, u)),
                    factory.generatePrivate(new XECPrivateKeySpec(NamedParameterSpec.X25519, scalar)));
        } finally {
            Bytes.clear(scalar);
            Bytes.clear(pair);
        }
    }
}
