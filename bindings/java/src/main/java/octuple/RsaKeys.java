// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.math.BigInteger;
import java.security.Key;
import java.security.PrivateKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.interfaces.RSAPrivateCrtKey;
import java.util.Arrays;

/** RSA private keys that lanes serve. */
final class RsaKeys {
    private static final WeakMemo<PrivateKey, LaneKey> KEYS = new WeakMemo<>(RsaKeys::make);

    private RsaKeys() {}

    /** Null if lanes do not serve the key: the JDK then does, or says what is wrong with it. */
    static LaneKey of(Key key) {
        return key instanceof PrivateKey own && !own.isDestroyed() ? KEYS.of(own) : null;
    }

    private static LaneKey make(PrivateKey own) {
        RSAPrivateCrtKey key = own instanceof RSAPrivateCrtKey known ? known : decode(own);
        if (key == null || key.getModulus() == null || key.getParams() != null) {
            return null; // parameters bind the key to some kinds of signatures
        }
        Operation op = Operation.RSA_PRIVATE.get(key.getModulus().bitLength());
        if (op == null || !op.isServed()) {
            return null;
        }
        byte[] numbers = numbers(key, op);
        try {
            return numbers == null ? null : op.newKey(numbers);
        } finally {
            Bytes.clear(numbers);
        }
    }

    /** Keys of other providers, by their encoding; null if they keep it to themselves. */
    private static RSAPrivateCrtKey decode(PrivateKey own) {
        if (!"RSA".equals(own.getAlgorithm()) || !"PKCS#8".equals(own.getFormat())) {
            return null;
        }
        byte[] encoded = own.getEncoded();
        try {
            return encoded == null ? null
                    : (RSAPrivateCrtKey) Jdk.keyFactory("RSA").generatePrivate(new PKCS8EncodedKeySpec(encoded));
        } catch (InvalidKeySpecException | ClassCastException e) {
            return null;
        } finally {
            Bytes.clear(encoded);
        }
    }

    /** As octuple/flat.h wants it; null if a number is missing or too large for its place. */
    private static byte[] numbers(RSAPrivateCrtKey key, Operation op) {
        int modulus = op.out;
        int half = modulus / 2;
        byte[] numbers = new byte[op.key];
        BigInteger[] parts = {key.getModulus(), key.getPrimeP(), key.getPrimeQ(), key.getPrimeExponentP(),
            key.getPrimeExponentQ(), key.getCrtCoefficient(), key.getPublicExponent()};
        int at = 0;
        for (int i = 0; i < parts.length; i++) {
            int size = i == 0 ? modulus : i < parts.length - 1 ? half : numbers.length - at;
            if (!Bytes.put(parts[i], numbers, at, size)) {
                Arrays.fill(numbers, (byte) 0);
                return null;
            }
            at += size;
        }
        return numbers;
    }

    /** How many keys are known, for tests. */
    static int known() {
        return KEYS.size();
    }
}
