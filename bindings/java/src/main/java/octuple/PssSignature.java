// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.security.InvalidAlgorithmParameterException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.InvalidKeyException;
import java.security.SignatureException;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;

/** EMSA-PSS (RFC 8017, 9.1) with one digest for the message and the mask. */
final class PssSignature extends RsaSignature {
    private static final SecureRandom RANDOM = new SecureRandom();

    private PSSParameterSpec parameters;
    private MessageDigest digest; // null: lanes do not serve the parameters
    private SecureRandom random = RANDOM;

    PssSignature() {
        super("RSASSA-PSS");
    }

    @Override
    protected void engineInitSign(PrivateKey key) throws InvalidKeyException {
        random = RANDOM;
        super.engineInitSign(key);
    }

    @Override
    protected void engineInitSign(PrivateKey key, SecureRandom own) throws InvalidKeyException {
        random = own == null ? RANDOM : own;
        super.engineInitSign(key, own);
    }

    @Override
    protected void engineSetParameter(AlgorithmParameterSpec spec) throws InvalidAlgorithmParameterException {
        super.engineSetParameter(spec);
        parameters = (PSSParameterSpec) spec; // or the JDK would have refused it
        digest = null;
        if (parameters.getMGFParameters() instanceof MGF1ParameterSpec mask
                && mask.getDigestAlgorithm().equalsIgnoreCase(parameters.getDigestAlgorithm())) {
            try {
                digest = MessageDigest.getInstance(parameters.getDigestAlgorithm());
            } catch (NoSuchAlgorithmException e) {
                digest = null;
            }
        }
    }

    @Override
    boolean servesParameters() {
        return digest != null && parameters.getSaltLength() <= size() - 2 - digest.getDigestLength();
    }

    @Override
    void absorb(byte[] bytes, int offset, int length) {
        digest.update(bytes, offset, length);
    }

    @Override
    void reset() {
        if (digest != null) {
            digest.reset();
        }
    }

    @Override
    byte[] signInLanes() throws SignatureException {
        return raise(encode(size(), digest.digest()));
    }

    /** 9.1.1 for a modulus of 8*size bits. */
    private byte[] encode(int size, byte[] hash) {
        byte[] salt = new byte[parameters.getSaltLength()];
        random.nextBytes(salt);
        digest.update(new byte[8]);
        digest.update(hash);
        byte[] h = digest.digest(salt);
        byte[] encoded = new byte[size]; // DB || H || 0xbc, where DB is zeros || 1 || salt
        int db = size - h.length - 1;
        encoded[db - salt.length - 1] = 1;
        System.arraycopy(salt, 0, encoded, db - salt.length, salt.length);
        mask(encoded, db, h);
        encoded[0] &= 0x7f;
        System.arraycopy(h, 0, encoded, db, h.length);
        encoded[size - 1] = (byte) 0xbc;
        return encoded;
    }

    /** Adds the mask of B.2.1 to the first `length` bytes. */
    private void mask(byte[] bytes, int length, byte[] seed) {
        byte[] counter = new byte[4];
        for (int at = 0; at < length; counter[3]++) {
            digest.update(seed);
            for (byte b : digest.digest(counter)) {
                if (at < length) {
                    bytes[at++] ^= b;
                }
            }
        }
    }
}
