package dev.sluice.job.kafka;

import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory;

/** Certificate by which brokers identify a client. */
final class ClientCertificate {

    private static final String ANONYMOUS = "ANONYMOUS";

    private ClientCertificate() {}

    /**
     * Returns the certificate's subject.
     *
     * @param values properties of Kafka's clients
     * @return {@code ANONYMOUS} if there is no certificate, or it cannot be read
     */
    static String subject(Map<String, String> values) {
        ConfigDef known = new ConfigDef();
        SslConfigs.addClientSslSupport(known);
        try (DefaultSslEngineFactory ssl = new DefaultSslEngineFactory()) {
            ssl.configure(new AbstractConfig(known, values, false).values());
            KeyStore store = ssl.keystore();
            for (String alias :
                    store == null ? List.<String>of() : Collections.list(store.aliases())) {
                if (store.isKeyEntry(alias)
                        && store.getCertificate(alias) instanceof X509Certificate certificate) {
                    return certificate.getSubjectX500Principal().getName();
                }
            }
            return ANONYMOUS;
        } catch (KeyStoreException | KafkaException e) {
            return ANONYMOUS; // the client with these values reports the fault
        }
    }
}
