// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.math.BigInteger;
import java.security.Key;
import java.security.interfaces.XECKey;
import java.security.interfaces.XECPrivateKey;
import java.security.interfaces.XECPublicKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.NamedParameterSpec;

/** X25519 (RFC 7748). X448 is the JDK's own. */
final class XdhAgreement extends LaneAgreement {
    static final int SIZE = Operation.X25519_DERIVE.out;

    XdhAgreement(String algorithm) {
        super(algorithm);
    }

    static boolean isX25519(AlgorithmParameterSpec spec) {
        return spec instanceof NamedParameterSpec named
                && NamedParameterSpec.X25519.getName().equalsIgnoreCase(named.getName());
    }

    static boolean serves(Object key) {
        return key instanceof XECKey own && isX25519(own.getParams()) && Operation.X25519_DERIVE.isServed();
    }

    @Override
    byte[] derive(Key own, Key other) {
        if (!serves(own) || !serves(other) || !(other instanceof XECPublicKey point)) {
            return null;
        }
        byte[] scalar = own instanceof XECPrivateKey key ? key.getScalar().orElse(null) : null;
        BigInteger u = point.getU();
        byte[] peer = new byte[SIZE];
        if (scalar == null || scalar.length != SIZE || !Bytes.put(u, peer, 0, SIZE)) {
            return null;
        }
        byte[] keys = new byte[2 * SIZE];
        System.arraycopy(scalar, 0, keys, 0, SIZE);
        System.arraycopy(Bytes.reversed(peer), 0, keys, SIZE, SIZE);
        Bytes.clear(scalar);
        return derive(Operation.X25519_DERIVE, keys);
    }
}
