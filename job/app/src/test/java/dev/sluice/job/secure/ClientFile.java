package dev.sluice.job.secure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/** Files for {@code --kafka-config}. */
record ClientFile(Path folder, TestCertificates certificates) {
    Path tls(Properties more) throws IOException {
        Properties p = trusting("SSL");
        p.putAll(more);
        return write(p);
    }

    Path mutual(Path keys) throws IOException {
        Properties p = trusting("SSL");
        p.setProperty("ssl.keystore.location", keys.toString());
        p.setProperty("ssl.keystore.password", TestCertificates.PASSWORD);
        p.setProperty("ssl.key.password", TestCertificates.PASSWORD);
        return write(p);
    }

    Path plain(String user, String password) throws IOException {
        Properties p = trusting("SASL_SSL");
        p.setProperty("sasl.mechanism", "PLAIN");
        p.setProperty("sasl.jaas.config", login(SecuredBroker.PLAIN, user, password));
        return write(p);
    }

    Path scram(String user, String password) throws IOException {
        Properties p = new Properties();
        p.setProperty("security.protocol", "SASL_PLAINTEXT");
        p.setProperty("sasl.mechanism", "SCRAM-SHA-256");
        p.setProperty("sasl.jaas.config", login(SecuredBroker.SCRAM, user, password));
        return write(p);
    }

    Path oauth(String endpoint, String client, String secret) throws IOException {
        Properties p = trusting("SASL_SSL");
        p.setProperty("sasl.mechanism", "OAUTHBEARER");
        p.setProperty("sasl.oauthbearer.token.endpoint.url", endpoint);
        p.setProperty(
                "sasl.login.callback.handler.class",
                "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginCallbackHandler");
        p.setProperty(
                "sasl.jaas.config",
                "%s required clientId=\"%s\" clientSecret=\"%s\";"
                        .formatted(SecuredBroker.OAUTH, client, secret));
        return write(p);
    }

    private static String login(String module, String user, String password) {
        return "%s required username=\"%s\" password=\"%s\";".formatted(module, user, password);
    }

    private Properties trusting(String protocol) {
        Properties p = new Properties();
        p.setProperty("security.protocol", protocol);
        p.setProperty("ssl.truststore.location", certificates.trust().toString());
        p.setProperty("ssl.truststore.password", TestCertificates.PASSWORD);
        return p;
    }

    Path write(Properties properties) throws IOException {
        Path file = Files.createTempFile(folder, "client", ".properties");
        try (var out = Files.newBufferedWriter(file)) {
            properties.store(out, null);
        }
        return file;
    }
}
