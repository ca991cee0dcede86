// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.security.AlgorithmParameters;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.InvalidParameterException;
import java.security.PrivateKey;
import java.security.ProviderException;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.SignatureException;
import java.security.SignatureSpi;
import java.security.spec.AlgorithmParameterSpec;

/**
 * A signature in lanes, beside the JDK's own object for the same algorithm. That one hears of every key and parameter,
 * so that what it refuses is refused as it does it. Where lanes do not serve, it gets the message too.
 */
abstract class LaneSignature extends SignatureSpi {
    final Signature jdk;
    private boolean signing;
    private boolean inLanes;
    private boolean begun; // the message, so that the parameters are what they were

    LaneSignature(String algorithm) {
        jdk = Jdk.signature(algorithm);
    }

    /** Whether lanes serve the key; it is remembered if they do. */
    abstract boolean takeToSign(PrivateKey key);

    abstract boolean takeToVerify(PublicKey key);

    /** Whether they do with these parameters, for which the JDK's object can be asked. */
    boolean servesParameters() {
        return true;
    }

    abstract void absorb(byte[] bytes, int offset, int length) throws SignatureException;

    /** Forgets the message. */
    abstract void reset();

    abstract byte[] signInLanes() throws SignatureException;

    abstract boolean verifyInLanes(byte[] signature) throws SignatureException;

    private boolean absorbs() {
        if (!begun) {
            begun = true;
            inLanes = inLanes && servesParameters();
        }
        return inLanes;
    }

    private void start(boolean toSign, boolean served) {
        reset();
        begun = false;
        signing = toSign;
        inLanes = served;
    }

    @Override
    protected void engineInitSign(PrivateKey key) throws InvalidKeyException {
        jdk.initSign(key);
        start(true, takeToSign(key));
    }

    @Override
    protected void engineInitSign(PrivateKey key, SecureRandom random) throws InvalidKeyException {
        jdk.initSign(key, random);
        start(true, takeToSign(key));
    }

    @Override
    protected void engineInitVerify(PublicKey key) throws InvalidKeyException {
        jdk.initVerify(key);
        start(false, takeToVerify(key));
    }

    @Override
    protected void engineUpdate(byte b) throws SignatureException {
        engineUpdate(new byte[] {b}, 0, 1);
    }

    @Override
    protected void engineUpdate(byte[] bytes, int offset, int length) throws SignatureException {
        if (absorbs()) {
            absorb(bytes, offset, length);
        } else {
            jdk.update(bytes, offset, length);
        }
    }

    @Override
    protected byte[] engineSign() throws SignatureException {
        try {
            return absorbs() && signing ? signInLanes() : jdk.sign();
        } finally {
            again();
        }
    }

    @Override
    protected boolean engineVerify(byte[] signature) throws SignatureException {
        try {
            return absorbs() && !signing ? verifyInLanes(signature) : jdk.verify(signature);
        } finally {
            again();
        }
    }

    /** The next message, with the same key. */
    private void again() {
        reset();
        begun = false;
    }

    @Override
    protected void engineSetParameter(AlgorithmParameterSpec parameters) throws InvalidAlgorithmParameterException {
        if (begun) {
            throw new ProviderException("Cannot set parameters during operations");
        }
        jdk.setParameter(parameters);
    }

    @Override
    protected AlgorithmParameters engineGetParameters() {
        return jdk.getParameters();
    }

    @Override
    @Deprecated
    protected void engineSetParameter(String name, Object value) {
        throw new InvalidParameterException("no parameter accepted");
    }

    @Override
    @Deprecated
    protected Object engineGetParameter(String name) {
        return null;
    }
}
