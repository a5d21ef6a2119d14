package dev.sluice.job.kafka;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.Map;
import org.apache.kafka.common.config.SslConfigs;
import org.jspecify.annotations.Nullable;

/** Certificate by which brokers identify a client. */
final class ClientCertificate {
    private static final String BEGIN = "-----BEGIN CERTIFICATE-----";
    private static final String ANONYMOUS = "ANONYMOUS";

    private ClientCertificate() {}

    /**
     * Returns the certificate's subject.
     *
     * @param values properties of Kafka's clients
     * @return {@code ANONYMOUS} if there is no certificate, or it cannot be read
     */
    static String subject(Map<String, String> values) {
        try {
            X509Certificate certificate = certificate(values);
            return certificate == null
                    ? ANONYMOUS
                    : certificate.getSubjectX500Principal().getName();
        } catch (GeneralSecurityException | IOException e) {
            return ANONYMOUS; // the client with these values reports the fault
        }
    }

    private static @Nullable X509Certificate certificate(Map<String, String> values)
            throws GeneralSecurityException, IOException {
        String location = values.get(SslConfigs.SSL_KEYSTORE_LOCATION_CONFIG);
        String type =
                values.getOrDefault(
                        SslConfigs.SSL_KEYSTORE_TYPE_CONFIG, SslConfigs.DEFAULT_SSL_KEYSTORE_TYPE);
        String pem = values.get(SslConfigs.SSL_KEYSTORE_CERTIFICATE_CHAIN_CONFIG);
        if (pem == null && location != null && type.equals("PEM")) {
            pem = Files.readString(Path.of(location));
        }
        if (pem != null) {
            byte[] first =
                    pem.substring(Math.max(0, pem.indexOf(BEGIN)))
                            .getBytes(StandardCharsets.US_ASCII);
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509")
                            .generateCertificate(new ByteArrayInputStream(first));
        }
        if (location == null) {
            return null;
        }
        KeyStore store = KeyStore.getInstance(type);
        String password = values.get(SslConfigs.SSL_KEYSTORE_PASSWORD_CONFIG);
        try (InputStream in = Files.newInputStream(Path.of(location))) {
            store.load(in, password == null ? null : password.toCharArray());
        }
        for (String alias : Collections.list(store.aliases())) {
            if (store.isKeyEntry(alias)) {
                return (X509Certificate) store.getCertificate(alias);
            }
        }
        return null;
    }
}
