// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.security.KeyPair;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPrivateKeySpec;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.InvalidKeySpecException;
import java.util.EnumMap;
import java.util.Map;

/** Key pairs on P-256 and P-384. */
final class EcPairs extends LanePairs {
    private static final Map<Curve, PairPool> POOLS = new EnumMap<>(Curve.class);

    static {
        for (Curve curve : Curve.values()) {
            POOLS.put(curve, new PairPool(curve.keygen));
        }
    }

    private Curve curve;

    EcPairs() {
        super("EC", "EC");
    }

    @Override
    boolean take(AlgorithmParameterSpec parameters) {
        curve = Curve.of(parameters);
        return curve != null;
    }

    @Override
    boolean take(int bits) {
        curve = bits == 256 ? Curve.P256 : bits == 384 ? Curve.P384 : null;
        return curve != null;
    }

    @Override
    AlgorithmParameterSpec parameters() {
        return curve == null ? null : curve.spec;
    }

    @Override
    KeyPair pair() throws InvalidKeySpecException {
        byte[] pair = curve == null ? null : POOLS.get(curve).take();
        if (pair == null) {
            return null;
        }
        int size = curve.size;
        ECPoint point = new ECPoint(number(pair, size, 2 * size), number(pair, 2 * size, 3 * size));
        try {
            return new KeyPair(factory.generatePublic(new ECPublicKeySpec(point, curve.spec)),
                    factory.generatePrivate(new ECPrivateKeySpec(number(pair, 0, size), curve.spec)));
        } finally {
            Bytes.clear(pair);
        }
    }
}
