// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Handshakes of JSSE with itself, server and client with certificates. */
class TlsTest {
    private static final char[] PASSWORD = "password".toCharArray();

    private static SSLContext context(Path folder, String algorithm, String option, String value) throws Exception {
        Path file = folder.resolve(value + ".p12");
        String tool = Path.of(System.getProperty("java.home"), "bin/keytool").toString();
        Process made = new ProcessBuilder(tool, "-genkeypair", "-keystore", file.toString(), "-storetype", "PKCS12",
                "-storepass", new String(PASSWORD), "-dname", "CN=localhost", "-alias", "a", "-keyalg", algorithm,
                option, value).redirectErrorStream(true).start();
        String said = new String(made.getInputStream().readAllBytes());
        assertEquals(0, made.waitFor(), said);
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(new ByteArrayInputStream(Files.readAllBytes(file)), PASSWORD);
        KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
        keys.init(store, PASSWORD);
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("a", store.getCertificate("a"));
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }

    private static SSLEngine engine(SSLContext context, String protocol, boolean client) {
        SSLEngine engine = client ? context.createSSLEngine("localhost", 1) : context.createSSLEngine();
        engine.setUseClientMode(client);
        engine.setEnabledProtocols(new String[] {protocol});
        if (!client) {
            engine.setNeedClientAuth(true);
        }
        return engine;
    }

    private static void step(SSLEngine engine, ByteBuffer in, ByteBuffer out) throws Exception {
        ByteBuffer nothing = ByteBuffer.allocate(0);
        for (Runnable task = engine.getDelegatedTask(); task != null; task = engine.getDelegatedTask()) {
            task.run();
        }
        if (engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
            engine.wrap(nothing, out);
        } else if (in.position() > 0) {
            in.flip();
            engine.unwrap(in, ByteBuffer.allocate(40000));
            in.compact();
        }
    }

    private static boolean shaken(SSLEngine engine) {
        HandshakeStatus status = engine.getHandshakeStatus();
        return status == HandshakeStatus.NOT_HANDSHAKING || status == HandshakeStatus.FINISHED;
    }

    private static void handshake(SSLContext context, String protocol) throws Exception {
        SSLEngine client = engine(context, protocol, true);
        SSLEngine server = engine(context, protocol, false);
        ByteBuffer up = ByteBuffer.allocate(70000);
        ByteBuffer down = ByteBuffer.allocate(70000);
        client.beginHandshake();
        server.beginHandshake();
        for (int i = 0; i < 200 && !(shaken(client) && shaken(server) && up.position() + down.position() == 0); i++) {
            step(client, down, up);
            step(server, up, down);
        }
        assertTrue(shaken(client) && shaken(server));
        assertEquals(protocol, server.getSession().getProtocol());
        assertEquals("CN=localhost", server.getSession().getPeerPrincipal().getName());
    }

    @Test
    void handshakes(@TempDir Path folder) throws Exception {
        Setup.key("P-256"); // and the provider in front
        String[][] kinds = {{"RSA", "-keysize", "2048"}, {"EC", "-groupname", "secp256r1"},
            {"EdDSA", "-groupname", "Ed25519"}, {"EC", "-groupname", "secp384r1"}};
        for (String[] kind : Setup.EXHAUSTIVE ? kinds : Arrays.copyOf(kinds, 2)) {
            SSLContext context = context(folder, kind[0], kind[1], kind[2]);
            handshake(context, "TLSv1.3");
            handshake(context, "TLSv1.2");
        }
    }
}
