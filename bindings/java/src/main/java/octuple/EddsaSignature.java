// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.math.BigInteger;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SignatureException;
import java.security.interfaces.EdECPrivateKey;
import java.security.interfaces.EdECPublicKey;
import java.security.spec.EdDSAParameterSpec;
import java.security.spec.AlgorithmParameterSpec;
import java.security.InvalidAlgorithmParameterException;
import java.security.spec.NamedParameterSpec;

/** PureEdDSA on Ed25519 (RFC 8032). Contexts, prehashing and Ed448 are the JDK's own. */
final class EddsaSignature extends LaneSignature {
    /** The longest message that is copied into a batch. Longer ones are mostly hashing, and hold up others. */
    private static final int MAX_MESSAGE = 4096;

    private static final int KEY = Operation.ED25519_SIGN.key;
    private static final int SIGNATURE = Operation.ED25519_SIGN.out;
    private static final WeakMemo<PrivateKey, LaneKey> KEYS = new WeakMemo<>(EddsaSignature::make);

    private final Message message = new Message(Integer.MAX_VALUE);
    private boolean pure = true;
    private LaneKey privateKey;
    private byte[] publicKey;

    EddsaSignature(String algorithm) {
        super(algorithm);
    }

    static boolean serves(Object key) {
        return key instanceof PrivateKey own && keyOf(own) != null
                || key instanceof PublicKey other && Operation.ED25519_VERIFY.isServed() && pointOf(other) != null;
    }

    private static LaneKey keyOf(PrivateKey key) {
        return key instanceof EdECPrivateKey && !key.isDestroyed() ? KEYS.of(key) : null;
    }

    private static LaneKey make(PrivateKey own) {
        EdECPrivateKey key = (EdECPrivateKey) own;
        boolean served = isEd25519(key.getParams()) && Operation.ED25519_SIGN.isServed();
        byte[] seed = served ? key.getBytes().orElse(null) : null;
        try {
            return seed == null || seed.length != KEY ? null : Operation.ED25519_SIGN.newKey(seed);
        } finally {
            Bytes.clear(seed);
        }
    }

    private static boolean isEd25519(NamedParameterSpec spec) {
        return spec != null && NamedParameterSpec.ED25519.getName().equalsIgnoreCase(spec.getName());
    }

    /** The RFC's encoding; null for another curve, or for a number that has none. */
    private static byte[] pointOf(PublicKey key) {
        if (!(key instanceof EdECPublicKey point) || !isEd25519(point.getParams())) {
            return null;
        }
        BigInteger y = point.getPoint().getY();
        byte[] bytes = new byte[KEY];
        if (y.bitLength() > 255 || !Bytes.put(y, bytes, 0, KEY)) {
            return null;
        }
        bytes[0] |= point.getPoint().isXOdd() ? 0x80 : 0;
        return Bytes.reversed(bytes);
    }

    @Override
    boolean takeToSign(PrivateKey key) {
        privateKey = keyOf(key);
        return privateKey != null;
    }

    @Override
    boolean takeToVerify(PublicKey key) {
        publicKey = Operation.ED25519_VERIFY.isServed() ? pointOf(key) : null;
        return publicKey != null;
    }

    @Override
    protected void engineSetParameter(AlgorithmParameterSpec spec) throws InvalidAlgorithmParameterException {
        super.engineSetParameter(spec);
        pure = spec instanceof EdDSAParameterSpec own && !own.isPrehash() && own.getContext().isEmpty();
    }

    @Override
    boolean servesParameters() {
        return pure;
    }

    @Override
    void absorb(byte[] bytes, int offset, int length) {
        message.add(bytes, offset, length);
    }

    @Override
    void reset() {
        message.clear();
    }

    @Override
    byte[] signInLanes() throws SignatureException {
        byte[] text = message.bytes();
        byte[] signature = text.length > MAX_MESSAGE ? null : privateKey.run(text);
        if (signature == null) {
            jdk.update(text);
            signature = jdk.sign();
        }
        Bytes.clear(text);
        return signature;
    }

    @Override
    boolean verifyInLanes(byte[] signature) throws SignatureException {
        byte[] text = message.bytes();
        if (signature.length == SIGNATURE && text.length <= MAX_MESSAGE) {
            byte[] in = new byte[KEY + SIGNATURE + text.length];
            System.arraycopy(publicKey, 0, in, 0, KEY);
            System.arraycopy(signature, 0, in, KEY, SIGNATURE);
            System.arraycopy(text, 0, in, KEY + SIGNATURE, text.length);
            if (Operation.ED25519_VERIFY.run(null, in, new byte[0]) == Lanes.OK) {
                return true;
            }
        }
        jdk.update(text); // says what is wrong
        return jdk.verify(signature);
    }
}
