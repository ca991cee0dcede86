// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple.bench;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;

/** Tomcat with its defaults and TLS by JSSE: `Tomcat FOLDER KEYS KIND=PORT...`, a port for each kind of key. */
public final class Tomcat {
    private Tomcat() {}

    /** Says "ok". */
    private static final class Ok extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().print("ok");
        }
    }

    private static Connector connector(Path keys, String kind, int port) {
        Connector connector = new Connector(Http11NioProtocol.class.getName());
        connector.setPort(port);
        connector.setSecure(true);
        connector.setScheme("https");
        connector.setProperty("address", "127.0.0.1");
        connector.setProperty("SSLEnabled", "true");
        connector.setProperty("useVirtualThreads", System.getProperty("octuple.virtual", "false"));
        connector.setProperty("sslImplementationName", "org.apache.tomcat.util.net.jsse.JSSEImplementation");
        SSLHostConfig host = new SSLHostConfig();
        SSLHostConfigCertificate certificate =
                new SSLHostConfigCertificate(host, SSLHostConfigCertificate.Type.UNDEFINED);
        certificate.setCertificateFile(keys.resolve(kind + ".crt").toString());
        certificate.setCertificateKeyFile(keys.resolve(kind + ".key").toString());
        host.addCertificate(certificate);
        connector.addSslHostConfig(host);
        return connector;
    }

    public static void main(String[] arguments) throws LifecycleException, ReflectiveOperationException {
        if (Boolean.getBoolean("octuple.corretto")) {
            Class.forName("com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider").getMethod("install")
                    .invoke(null);
        }
        org.apache.catalina.startup.Tomcat tomcat = new org.apache.catalina.startup.Tomcat();
        tomcat.setBaseDir(arguments[0]);
        for (int i = 2; i < arguments.length; i++) {
            String[] kind = arguments[i].split("=");
            tomcat.getService().addConnector(connector(Path.of(arguments[1]), kind[0], Integer.parseInt(kind[1])));
        }
        Context context = tomcat.addContext("", arguments[0]);
        org.apache.catalina.startup.Tomcat.addServlet(context, "ok", new Ok());
        context.addServletMappingDecoded("/", "ok");
        tomcat.start();
        tomcat.getServer().await();
    }
}
