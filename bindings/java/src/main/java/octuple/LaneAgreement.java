// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.KeyAgreement;
import javax.crypto.KeyAgreementSpi;
import javax.crypto.SecretKey;
import javax.crypto.ShortBufferException;
import javax.crypto.spec.SecretKeySpec;

/** Key agreement in lanes, beside the JDK's own object, which hears of every key and says what is wrong. */
abstract class LaneAgreement extends KeyAgreementSpi {
    /** The one algorithm for which every JDK makes secret keys. */
    private static final String TLS = "TlsPremasterSecret";

    private final KeyAgreement jdk;
    private Key mine;
    private Key peer;
    private byte[] secret; // null: the JDK has it, or there is none

    LaneAgreement(String algorithm) {
        jdk = Jdk.keyAgreement(algorithm);
    }

    /** The shared secret; null if lanes do not serve these keys, or refuse them. */
    abstract byte[] derive(Key own, Key other);

    /** The secret of one lane from both keys, one after the other, which are cleared. */
    static byte[] derive(Operation op, byte[] keys) {
        byte[] shared = new byte[op.out];
        try {
            return op.run(null, keys, shared) == Lanes.OK ? shared : null;
        } finally {
            Bytes.clear(keys);
        }
    }

    private void start(Key key) {
        Bytes.clear(secret);
        secret = null;
        mine = key;
    }

    @Override
    protected void engineInit(Key key, SecureRandom random) throws InvalidKeyException {
        start(null);
        jdk.init(key, random);
        start(key);
    }

    @Override
    protected void engineInit(Key key, AlgorithmParameterSpec parameters, SecureRandom random)
            throws InvalidKeyException, InvalidAlgorithmParameterException {
        start(null);
        jdk.init(key, parameters, random);
        start(key);
    }

    @Override
    protected Key engineDoPhase(Key key, boolean last) throws InvalidKeyException {
        if (mine != null && secret == null && last) {
            secret = derive(mine, key);
        }
        if (secret == null || peer != null) {
            return jdk.doPhase(key, last);
        }
        peer = key;
        return null;
    }

    /** Gives the secret away. */
    private byte[] take() {
        byte[] taken = secret;
        secret = null;
        peer = null;
        return taken;
    }

    @Override
    protected byte[] engineGenerateSecret() {
        return secret == null ? jdk.generateSecret() : take();
    }

    @Override
    protected int engineGenerateSecret(byte[] shared, int offset) throws ShortBufferException {
        if (secret == null) {
            return jdk.generateSecret(shared, offset);
        }
        int length = secret.length;
        if (length > shared.length - offset) {
            throw new ShortBufferException("Need " + length + " bytes");
        }
        byte[] taken = take();
        System.arraycopy(taken, 0, shared, offset, length);
        Bytes.clear(taken);
        return length;
    }

    @Override
    protected SecretKey engineGenerateSecret(String algorithm) throws NoSuchAlgorithmException, InvalidKeyException {
        if (secret != null && algorithm.equals(TLS)) {
            byte[] taken = take();
            SecretKey key = new SecretKeySpec(taken, TLS);
            Bytes.clear(taken);
            return key;
        }
        if (secret != null) {
            jdk.doPhase(peer, true);
            Bytes.clear(take());
        }
        return jdk.generateSecret(algorithm);
    }
}
