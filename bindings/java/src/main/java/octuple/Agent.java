// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import java.security.Security;

/** `-javaagent:octuple.jar` puts the provider in front, in any program. */
public final class Agent {
    private Agent() {}

    public static void premain(String options) {
        Security.insertProviderAt(new OctupleProvider(), 1);
    }
}
