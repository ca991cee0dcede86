// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.security.Key;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;

/** ECDH on P-256 and P-384. Other curves are the JDK's own. */
final class EcAgreement extends LaneAgreement {
    EcAgreement() {
        super("ECDH");
    }

    static boolean serves(Object key) {
        Curve curve = key instanceof Key own ? Curve.of(own) : null;
        return curve != null && curve.derive.isServed();
    }

    @Override
    byte[] derive(Key own, Key other) {
        Curve curve = Curve.of(own);
        if (!serves(own) || Curve.of(other) != curve || !(own instanceof ECPrivateKey mine)
                || !(other instanceof ECPublicKey peer)) {
            return null;
        }
        byte[] keys = new byte[3 * curve.size];
        return curve.put(mine, keys, 0) && curve.put(peer, keys, curve.size) ? derive(curve.derive, keys) : null;
    }
}
