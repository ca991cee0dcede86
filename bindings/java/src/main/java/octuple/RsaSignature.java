// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SignatureException;
import java.util.Arrays;
import java.util.Map;
import javax.crypto.Cipher;

/** RSA with a digest and a padding (RFC 8017). Lanes run the private operation; verification is the JDK's own. */
abstract class RsaSignature extends LaneSignature {
    private LaneKey lanes;
    private PrivateKey own;

    RsaSignature(String algorithm) {
        super(algorithm);
    }

    @Override
    boolean takeToSign(PrivateKey key) {
        own = key;
        lanes = RsaKeys.of(key);
        return lanes != null;
    }

    @Override
    boolean takeToVerify(PublicKey key) {
        return false;
    }

    @Override
    boolean verifyInLanes(byte[] signature) {
        throw new IllegalStateException();
    }

    /** The bytes of the modulus. */
    final int size() {
        return lanes.op.out;
    }

    /** The encoded message to the power of d, by the JDK if the lane failed. */
    final byte[] raise(byte[] encoded) throws SignatureException {
        byte[] signature = lanes.run(encoded);
        if (signature != null) {
            return signature;
        }
        try {
            Cipher cipher = Cipher.getInstance("RSA/ECB/NoPadding", "SunJCE");
            cipher.init(Cipher.ENCRYPT_MODE, own);
            return cipher.doFinal(encoded);
        } catch (GeneralSecurityException e) {
            throw new SignatureException("Could not sign data", e);
        }
    }

    /** EMSA-PKCS1-v1_5 (9.2). */
    static final class Pkcs1 extends RsaSignature {
        /** The last two bytes of the digests' identifiers in 2.16.840.1.101.3.4.2, where SHA-2 and SHA-3 are. */
        private static final Map<String, Integer> NIST = Map.of("SHA-256", 1, "SHA-384", 2, "SHA-512", 3,
                "SHA-224", 4, "SHA-512/224", 5, "SHA-512/256", 6);

        private final MessageDigest digest;
        private final byte[] prefix;

        Pkcs1(String algorithm, String digestName) {
            super(algorithm);
            digest = Jdk.own(() -> MessageDigest.getInstance(digestName));
            prefix = prefix(digestName, digest.getDigestLength());
        }

        private static byte[] prefix(String name, int length) {
            if (name.equals("SHA-1")) {
                return new byte[] {0x30, 33, 0x30, 9, 6, 5, 0x2b, 0x0e, 3, 2, 0x1a, 5, 0, 4, 20};
            }
            return new byte[] {0x30, (byte) (length + 17), 0x30, 13, 6, 9, 0x60, (byte) 0x86, 0x48, 1, 0x65, 3, 4, 2,
                NIST.get(name).byteValue(), 5, 0, 4, (byte) length};
        }

        @Override
        void absorb(byte[] bytes, int offset, int length) {
            digest.update(bytes, offset, length);
        }

        @Override
        void reset() {
            digest.reset();
        }

        @Override
        byte[] signInLanes() throws SignatureException {
            return raise(encode(size(), prefix, digest.digest()));
        }
    }

    /** EMSA-PKCS1-v1_5 of what somebody else has hashed and named. */
    static final class Raw extends RsaSignature {
        private final Message message = new Message(Operation.RSA4096_PRIVATE.out + 1); // more than any modulus has

        Raw() {
            super("NONEwithRSA");
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
            if (text.length > size() - 11) {
                jdk.update(text); // says so
                return jdk.sign();
            }
            return raise(encode(size(), new byte[0], text));
        }
    }

    private static byte[] encode(int size, byte[] prefix, byte[] text) {
        byte[] encoded = new byte[size];
        int at = size - text.length - prefix.length;
        Arrays.fill(encoded, 2, at - 1, (byte) 0xff);
        encoded[1] = 1;
        System.arraycopy(prefix, 0, encoded, at, prefix.length);
        System.arraycopy(text, 0, encoded, size - text.length, text.length);
        return encoded;
    }
}
