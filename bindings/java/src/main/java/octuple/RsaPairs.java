// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.security.KeyPair;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.RSAKeyGenParameterSpec;
import java.security.spec.RSAPrivateCrtKeySpec;
import java.security.spec.RSAPublicKeySpec;

/** RSA keys, each from lanes that are full of its own candidates, so none is made ahead of need. */
final class RsaPairs extends LanePairs {
    private Operation op;
    private int bits;

    RsaPairs() {
        super("RSA", "RSA");
    }

    @Override
    boolean take(AlgorithmParameterSpec parameters) {
        return parameters instanceof RSAKeyGenParameterSpec rsa && rsa.getKeyParams() == null
                && RSAKeyGenParameterSpec.F4.equals(rsa.getPublicExponent()) && take(rsa.getKeysize());
    }

    @Override
    boolean take(int bits) {
        op = Operation.RSA_KEYGEN.get(bits);
        this.bits = bits;
        return op != null;
    }

    @Override
    AlgorithmParameterSpec parameters() {
        return op == null ? null : new RSAKeyGenParameterSpec(bits, RSAKeyGenParameterSpec.F4);
    }

    /** What lanes write: n and d, then p, q, dp, dq and qinv with half as many bytes each (octuple/flat.h). */
    @Override
    KeyPair pair() throws InvalidKeySpecException {
        byte[] key = op != null && op.isServed() ? op.make() : null;
        if (key == null) {
            return null;
        }
        int whole = bits / 8;
        int half = whole / 2;
        int p = 2 * whole;
        int q = p + half;
        int dp = q + half;
        int dq = dp + half;
        int inverse = dq + half;
        try {
            var modulus = number(key, 0, whole);
            var secret = new RSAPrivateCrtKeySpec(modulus, RSAKeyGenParameterSpec.F4, number(key, whole, p),
                    number(key, p, q), number(key, q, dp), number(key, dp, dq), number(key, dq, inverse),
                    number(key, inverse, inverse + half));
            return new KeyPair(factory.generatePublic(new RSAPublicKeySpec(modulus, RSAKeyGenParameterSpec.F4)),
                    factory.generatePrivate(secret));
        } finally {
            Bytes.clear(key);
        }
    }
}
