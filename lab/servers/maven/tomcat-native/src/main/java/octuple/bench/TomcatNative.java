// SPDX-License-Identifier: Apache-2.0
// Copyright The Octuple Authors

package octuple.bench;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.AprLifecycleListener;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;

/** Tomcat with its defaults and TLS by OpenSSL: `TomcatNative FILE`, which has `folder` and `port`. */
public final class TomcatNative {
    private TomcatNative() {}

    /** Says "ok". */
    private static final class Ok extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            response.getWriter().print("ok");
        }
    }

    private static Connector connector(Path folder, int port) {
        Connector connector = new Connector(Http11NioProtocol.class.getName());
        connector.setPort(port);
        connector.setSecure(true);
        connector.setScheme("https");
        connector.setProperty("address", "127.0.0.1");
        connector.setProperty("acceptCount", "4096");
        connector.setProperty("SSLEnabled", "true");
        connector.setProperty("sslImplementationName", "org.apache.tomcat.util.net.openssl.OpenSSLImplementation");
        SSLHostConfig host = new SSLHostConfig();
        host.setProtocols("TLSv1.2+TLSv1.3");
        SSLHostConfigCertificate certificate =
                new SSLHostConfigCertificate(host, SSLHostConfigCertificate.Type.UNDEFINED);
        certificate.setCertificateFile(folder.resolve("both.pem").toString());
        certificate.setCertificateKeyFile(folder.resolve("both.pem").toString());
        host.addCertificate(certificate);
        connector.addSslHostConfig(host);
        return connector;
    }

    public static void main(String[] arguments) throws IOException, LifecycleException {
        Properties given = new Properties();
        try (Reader file = Files.newBufferedReader(Path.of(arguments[0]))) {
            given.load(file);
        }
        Path folder = Path.of(given.getProperty("folder"));
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(folder.toString());
        AprLifecycleListener openssl = new AprLifecycleListener();
        openssl.setSSLEngine("on");
        tomcat.getServer().addLifecycleListener(openssl);
        tomcat.getService().addConnector(connector(folder, Integer.parseInt(given.getProperty("port"))));
        Context context = tomcat.addContext("", folder.toString());
        Tomcat.addServlet(context, "ok", new Ok());
        context.addServletMappingDecoded("/", "ok");
        tomcat.start();
        if (!AprLifecycleListener.isAprAvailable()) {
            throw new IllegalStateException("Tomcat found no libtcnative");
        }
        tomcat.getServer().await();
    }
}
