package dev.sluice.job.kafka;

import dev.sluice.policy.io.SluiceException;
import java.util.Locale;
import java.util.Optional;
import org.apache.flink.util.ExceptionUtils;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.UnsupportedSaslMechanismException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.utils.SecurityUtils;
import org.jspecify.annotations.Nullable;

/**
 * Messages about clients that Kafka refuses: the broker, the failure, and the property to check.
 */
public final class KafkaRefusal {
    private KafkaRefusal() {}

    /**
     * Describes a failed authentication of a client or a broker.
     *
     * @return empty for another failure
     */
    static Optional<SluiceException> of(KafkaClients kafka, Throwable failure) {
        return ExceptionUtils.findThrowable(failure, AuthenticationException.class)
                .map(
                        refused ->
                                new KafkaRefusedException(
                                        "Kafka at %s: %s%s"
                                                .formatted(kafka, sentence(refused), kafka.in()),
                                        failure));
    }

    /** Names the failure and the property to check. */
    private static String sentence(AuthenticationException refused) {
        String said = innermost(refused);
        if (refused instanceof SslAuthenticationException) {
            return tls(said);
        }
        if (refused instanceof UnsupportedSaslMechanismException) {
            return "the broker does not take this SASL mechanism (%s); see sasl.mechanism"
                    .formatted(refused.getMessage());
        }
        if (refused instanceof SaslAuthenticationException) {
            return "the user is refused (%s); see user name, password and sasl.mechanism in sasl.jaas.config"
                    .formatted(refused.getMessage());
        }
        return "the client cannot prove who it is (%s); see sasl.mechanism and sasl.jaas.config"
                .formatted(said);
    }

    private static String tls(String said) {
        String lower = said.toLowerCase(Locale.ROOT);
        if (lower.contains("no name matching") || lower.contains("no subject alternative")) {
            return "the broker's certificate is for another name (%s); see --bootstrap and ssl.endpoint.identification.algorithm"
                    .formatted(said);
        }
        if (lower.contains("fatal alert") && lower.contains("certificate")
                || lower.contains("post-handshake")) {
            return "the broker takes no client without a certificate that it trusts (%s); see ssl.keystore.location"
                    .formatted(said);
        }
        if (lower.contains("path") || lower.contains("trust")) {
            return "the broker's certificate is not trusted (%s); see ssl.truststore.location"
                    .formatted(said);
        }
        return "there is no TLS connection (%s); see security.protocol, ssl.enabled.protocols and ssl.cipher.suites"
                .formatted(said);
    }

    /**
     * Describes a client that cannot be made.
     *
     * @return empty if the configuration is not the cause
     */
    static Optional<SluiceException> ofConfiguration(KafkaClients kafka, KafkaException failure) {
        Optional<SluiceException> refused = of(kafka, failure);
        if (refused.isPresent() || kafka.configFile() == null) {
            return refused;
        }
        if (failure instanceof ConfigException
                && String.valueOf(failure.getMessage()).contains("bootstrap.servers")) {
            return Optional.empty();
        }
        String said = innermost(failure);
        return Optional.of(
                new KafkaRefusedException(
                        "Kafka configuration %s: no client can be made of it: %s"
                                .formatted(kafka.configFile(), store(failure) + said + byJvm(said)),
                        failure));
    }

    /** Names the key or trust store that cannot be read, as the start of a message. */
    private static String store(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            String text = String.valueOf(t.getMessage());
            if (text.startsWith("Failed to load SSL")) {
                return text + " (see its location, type and password): ";
            }
        }
        return "";
    }

    /** Describes how to set a system property that Kafka requires. */
    private static String byJvm(String said) {
        return said.contains("org.apache.kafka.sasl.oauthbearer.allowed")
                ? " It is set by SLUICE_JAVA_OPTS=-DNAME=VALUE, for the processes of 'sluice cluster up', too"
                : "";
    }

    private static String innermost(Throwable failure) {
        String said = "";
        for (Throwable t = failure; t != null; t = t.getCause()) {
            said = t.getMessage() == null ? said : t.getMessage();
        }
        return said.lines().findFirst().orElse(failure.getClass().getSimpleName());
    }

    /** Describes an operation that the broker's authorizer denies to a client. */
    public static KafkaRefusedException denied(
            KafkaClients kafka,
            AclOperation operation,
            ResourcePattern resource,
            @Nullable Throwable cause) {
        String verb = SecurityUtils.operationName(operation);
        String type = resource.resourceType().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        boolean prefixed = resource.patternType() == PatternType.PREFIXED;
        String text =
                "%1$s may not %2$s %3$s %4$s%5$s at %6$s; its administrator allows it with: kafka-acls.sh --bootstrap-server %6$s --add --allow-principal '%1$s' --operation %2$s --%7$s '%4$s'%8$s"
                        .formatted(
                                kafka.principal(),
                                verb,
                                type,
                                resource.name(),
                                prefixed ? "*" : "",
                                kafka,
                                type.replace(' ', '-'),
                                prefixed ? " --resource-pattern-type prefixed" : "");
        return new KafkaRefusedException(text, cause);
    }

    /**
     * Describes a refused client where the cluster is not known.
     *
     * @return null for another failure
     */
    public static @Nullable String said(Throwable failure) {
        if (failure instanceof AuthenticationException refused) {
            return "Kafka: " + sentence(refused);
        }
        if (failure instanceof AuthorizationException) {
            return "Kafka denies this command a right: %s; docs/operations.md lists the rights of each role"
                    .formatted(failure.getMessage());
        }
        return null;
    }
}
