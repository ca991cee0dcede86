// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;

/** ECDSA with a digest, or none. Nonces come from key, digest and the system's randomness, in the library. */
final class EcdsaSignature extends LaneSignature {
    private final MessageDigest digest; // null: the message is one
    private final Message message = new Message(Curve.P256.sign.more + 1); // one byte more than lanes take
    private final boolean der;
    private ECPrivateKey privateKey;
    private ECPublicKey publicKey;
    private Curve curve;

    EcdsaSignature(String algorithm, String digestName, boolean der) {
        super(algorithm);
        this.der = der;
        digest = digestName == null ? null : Jdk.own(() -> MessageDigest.getInstance(digestName));
    }

    static boolean serves(Object key) {
        Curve served = key instanceof Key own ? Curve.of(own) : null;
        return served != null && (key instanceof PrivateKey ? served.sign : served.verify).isServed();
    }

    @Override
    boolean takeToSign(PrivateKey key) {
        curve = Curve.of(key);
        privateKey = curve != null && curve.sign.isServed() ? (ECPrivateKey) key : null;
        return privateKey != null;
    }

    @Override
    boolean takeToVerify(PublicKey key) {
        curve = Curve.of(key);
        publicKey = curve != null && curve.verify.isServed() ? (ECPublicKey) key : null;
        return publicKey != null;
    }

    @Override
    void absorb(byte[] bytes, int offset, int length) {
        if (digest == null) {
            message.add(bytes, offset, length);
        } else {
            digest.update(bytes, offset, length);
        }
    }

    @Override
    void reset() {
        message.clear();
        if (digest != null) {
            digest.reset();
        }
    }

    private byte[] hash() {
        return digest == null ? message.bytes() : digest.digest();
    }

    private boolean fits(byte[] hash) {
        return hash.length > 0 && hash.length <= curve.sign.more;
    }

    @Override
    byte[] signInLanes() throws SignatureException {
        byte[] hash = hash();
        byte[] in = new byte[curve.size + hash.length];
        byte[] rs = new byte[2 * curve.size];
        System.arraycopy(hash, 0, in, curve.size, hash.length);
        try {
            if (fits(hash) && curve.put(privateKey, in, 0) && curve.sign.run(null, in, rs) == Lanes.OK) {
                return der ? Der.encode(rs) : rs;
            }
        } finally {
            Bytes.clear(in);
        }
        return byJdk(own -> own.initSign(privateKey), hash).sign();
    }

    @Override
    boolean verifyInLanes(byte[] signature) throws SignatureException {
        byte[] hash = hash();
        byte[] rs = der ? Der.decode(signature, curve.size) : signature;
        if (rs != null && rs.length == 2 * curve.size && fits(hash) && inRange(rs)) {
            byte[] in = new byte[4 * curve.size + hash.length];
            System.arraycopy(rs, 0, in, 2 * curve.size, rs.length);
            System.arraycopy(hash, 0, in, 4 * curve.size, hash.length);
            int status = curve.put(publicKey, in, 0) ? curve.verify.run(null, in, new byte[0]) : -1;
            if (status == Lanes.OK || status == Lanes.INVALID) {
                return status == Lanes.OK;
            }
        }
        return byJdk(own -> own.initVerify(publicKey), hash).verify(signature);
    }

    /** Numbers out of range the JDK is to refuse in its own way. */
    private boolean inRange(byte[] rs) {
        for (int i = 0; i < 2; i++) {
            BigInteger number = new BigInteger(1, rs, i * curve.size, curve.size);
            if (number.signum() == 0 || number.compareTo(curve.spec.getOrder()) >= 0) {
                return false;
            }
        }
        return true;
    }

    private interface Start {
        void with(Signature own) throws GeneralSecurityException;
    }

    /** The JDK's own signature of a digest. */
    private Signature byJdk(Start start, byte[] hash) throws SignatureException {
        Signature own = Jdk.signature(der ? "NONEwithECDSA" : "NONEwithECDSAinP1363Format");
        try {
            start.with(own);
        } catch (GeneralSecurityException e) {
            throw new SignatureException("Could not use the key", e);
        }
        own.update(hash);
        return own;
    }
}
