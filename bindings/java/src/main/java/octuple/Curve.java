// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.math.BigInteger;
import java.security.Key;
import java.security.AlgorithmParameters;
import java.security.interfaces.ECKey;
import java.security.interfaces.ECPrivateKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;

/** The NIST curves that lanes serve. */
enum Curve {
    P256("secp256r1", "p256"),
    P384("secp384r1", "p384");

    private static final Curve[] ALL = values();

    final String jdkName;
    final int size; // bytes of a number
    final Operation sign;
    final Operation verify;
    final Operation derive;
    final Operation keygen;
    final ECParameterSpec spec;

    Curve(String jdkName, String ourName) {
        this.jdkName = jdkName;
        sign = new Operation(ourName + "-sign");
        verify = new Operation(ourName + "-verify");
        derive = new Operation(ourName + "-derive");
        keygen = new Operation(ourName + "-keygen");
        spec = Jdk.own(() -> {
            AlgorithmParameters parameters = AlgorithmParameters.getInstance("EC", "SunEC");
            parameters.init(new ECGenParameterSpec(jdkName));
            return parameters.getParameterSpec(ECParameterSpec.class);
        });
        size = (spec.getCurve().getField().getFieldSize() + 7) / 8;
    }

    /** Null for every other curve, and for what is no key on a curve. */
    static Curve of(Key key) {
        return key instanceof ECKey ec && (key instanceof ECPrivateKey || key instanceof ECPublicKey)
                ? of(ec.getParams()) : null;
    }

    static Curve of(AlgorithmParameterSpec spec) {
        for (Curve curve : ALL) {
            if (spec instanceof ECGenParameterSpec named ? curve.jdkName.equals(named.getName())
                    : spec instanceof ECParameterSpec numbers && curve.is(numbers)) {
                return curve;
            }
        }
        return null;
    }

    private boolean is(ECParameterSpec other) {
        return other == spec || other.getOrder().equals(spec.getOrder()) && other.getCurve().equals(spec.getCurve())
                && other.getGenerator().equals(spec.getGenerator()) && other.getCofactor() == spec.getCofactor();
    }

    /** False, with nothing written, if the key hides its number, or it is not one of the curve's. */
    boolean put(ECPrivateKey key, byte[] into, int at) {
        BigInteger number = key.getS();
        return number != null && number.signum() > 0 && number.compareTo(spec.getOrder()) < 0
                && Bytes.put(number, into, at, size);
    }

    /** x, then y. */
    boolean put(ECPublicKey key, byte[] into, int at) {
        ECPoint point = key.getW();
        return Bytes.put(point.getAffineX(), into, at, size) && Bytes.put(point.getAffineY(), into, at + size, size);
    }
}
