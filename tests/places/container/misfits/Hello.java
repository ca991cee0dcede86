// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

import java.security.MessageDigest;
import javax.net.ssl.SSLContext;

/** A program with a TLS of its own, in a process with many threads. */
public class Hello {
    public static void main(String[] arguments) throws Exception {
        System.out.println(SSLContext.getDefault().getProtocol());
        System.out.println(MessageDigest.getInstance("SHA-256").digest(new byte[3])[0]);
        System.exit(6);
    }
}
