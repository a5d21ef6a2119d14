package dev.sluice.job.kafka;

import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.io.Reader;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.config.provider.DirectoryConfigProvider;
import org.apache.kafka.common.config.provider.EnvVarConfigProvider;
import org.apache.kafka.common.config.provider.FileConfigProvider;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.common.security.JaasContext;

/**
 * File of properties of Kafka's clients, in the form of Kafka's own commands, for clusters that
 * authenticate clients.
 *
 * <p>Values are read where a client is made, so that none leaves its machine. Messages name
 * properties and placeholders, never the value of a placeholder.
 */
public final class KafkaConfigFile {
    /** Principal of an unauthenticated client. */
    static final String ANONYMOUS = "User:ANONYMOUS";

    private static final String PROVIDERS = AbstractConfig.CONFIG_PROVIDERS_CONFIG;

    /** Property of the class of a config provider. */
    private static final String CLASS = PROVIDERS + ".%s.class";

    /** Kafka's own config providers, which need no declaration. */
    private static final Map<String, String> USUAL_PROVIDERS =
            Map.of(
                    "env", EnvVarConfigProvider.class.getName(),
                    "file", FileConfigProvider.class.getName(),
                    "directory", DirectoryConfigProvider.class.getName());

    /** Properties that Sluice sets itself, for its guarantees or by an option. */
    private static final Set<String> OURS =
            Set.of(
                    """
                    acks allow.auto.create.topics auto.offset.reset client.id.prefix
                    commit.offsets.on.checkpoint compression.type default.api.timeout.ms
                    delivery.timeout.ms enable.auto.commit enable.idempotence group.id
                    group.instance.id group.protocol isolation.level key.deserializer
                    key.serializer max.block.ms max.poll.records partition.discovery.interval.ms
                    partitioner.class register.consumer.metrics transaction.timeout.ms
                    transactional.id value.deserializer value.serializer
                    """
                            .split("\\s+"));

    private static final List<ConfigDef> CLIENTS =
            List.of(
                    AdminClientConfig.configDef(),
                    ConsumerConfig.configDef(),
                    ProducerConfig.configDef());

    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([^}:]*):[^}]*}");

    private final Path file;
    private final Map<String, String> written;

    private KafkaConfigFile(Path file, Map<String, String> written) {
        this.file = file;
        this.written = written;
    }

    /**
     * Reads a file.
     *
     * @throws SluiceException if it cannot be read, or sets a property that Sluice sets
     */
    public static KafkaConfigFile read(Path file) {
        Properties properties = new Properties();
        try (Reader text = TextFiles.open(file)) {
            properties.load(text);
        } catch (IOException e) {
            throw new SluiceException(
                    TextFiles.describe("Kafka configuration", file, e) + whereElse(), e);
        } catch (IllegalArgumentException e) { // half of a \\uXXXX
            throw new SluiceException(
                    "Kafka configuration %s is no file of properties: it has a \\u without four digits"
                            .formatted(file),
                    e);
        }
        Map<String, String> written = new TreeMap<>();
        properties.forEach(
                (name, value) ->
                        written.put(name.toString(), TextFiles.inUtf8(value.toString()).strip()));
        Set<String> ours = new TreeSet<>(written.keySet());
        ours.retainAll(OURS);
        if (!ours.isEmpty()) {
            throw new SluiceException(
                    "Kafka configuration %s sets properties that Sluice sets itself: %s; remove them"
                            .formatted(file, String.join(", ", ours)));
        }
        // --bootstrap names the brokers, so that one file serves several clusters.
        written.remove(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG);
        return new KafkaConfigFile(file, written);
    }

    /** Names the process of a Flink cluster whose machine lacks the file; empty in a client. */
    private static String whereElse() {
        String main = System.getProperty("sun.java.command", "").split("\\s", 2)[0];
        String role =
                main.endsWith("TaskManagerRunner")
                        ? "TaskManager"
                        : main.endsWith("ClusterEntrypoint") ? "JobManager" : "";
        return role.isEmpty()
                ? ""
                : " on %s, where a %s runs (process %d): each machine of the Flink cluster needs it there"
                        .formatted(host(), role, ProcessHandle.current().pid());
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "a machine that does not know its name";
        }
    }

    /** Returns the names of the properties, without config providers. */
    Set<String> names() {
        return written.keySet().stream()
                .filter(name -> !isOfProviders(name))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static boolean isOfProviders(String name) {
        return name.equals(PROVIDERS) || name.startsWith(PROVIDERS + ".");
    }

    /**
     * Returns the present values, with placeholders resolved by config providers.
     *
     * @throws SluiceException if a provider does not resolve a placeholder
     */
    Map<String, String> values() {
        Map<String, String> all = new TreeMap<>(written);
        for (String value : written.values()) {
            Matcher used = PLACEHOLDER.matcher(value);
            while (used.find()) {
                String name = used.group(1);
                String usual = USUAL_PROVIDERS.get(name);
                if (usual != null && all.putIfAbsent(CLASS.formatted(name), usual) == null) {
                    all.merge(PROVIDERS, name, (own, more) -> own + "," + more);
                }
            }
        }
        Map<String, String> values = new TreeMap<>();
        try {
            new AbstractConfig(new ConfigDef(), all, false)
                    .originals()
                    .forEach((name, value) -> values.put(name, String.valueOf(value)));
        } catch (ConfigException e) {
            throw new SluiceException(
                    "Kafka configuration %s: %s%s".formatted(file, e.getMessage(), whereElse()), e);
        }
        values.keySet().removeIf(KafkaConfigFile::isOfProviders);
        List<String> providers = List.of(all.getOrDefault(PROVIDERS, "").split("\\s*,\\s*"));
        for (String name : values.keySet()) {
            Matcher left = PLACEHOLDER.matcher(written.getOrDefault(name, ""));
            while (left.find()) {
                String type = CLASS.formatted(left.group(1));
                if (!providers.contains(left.group(1))) {
                    throw new SluiceException(
                            "Kafka configuration %s: %s has %s, and there is no config provider of that name; name it in %s, with its class in %s"
                                    .formatted(file, name, left.group(), PROVIDERS, type));
                }
                if (values.getOrDefault(name, "").contains(left.group())) {
                    throw new SluiceException(
                            "Kafka configuration %s: %s has %s, and there is no such value%s; set it"
                                    .formatted(file, name, left.group(), whereElse()));
                }
            }
        }
        return values;
    }

    /** Returns the properties that no client of Kafka knows. */
    List<String> unknown() {
        return names().stream()
                .filter(name -> CLIENTS.stream().noneMatch(c -> c.names().contains(name)))
                .toList();
    }

    /**
     * Fails with one line if Kafka would refuse values.
     *
     * @throws SluiceException naming each of them
     */
    public void requireValid() {
        Map<String, String> values = values();
        Set<String> faults = new LinkedHashSet<>();
        for (ConfigDef client : CLIENTS) {
            for (ConfigValue value : client.validate(values)) {
                if (values.containsKey(value.name())) {
                    value.errorMessages()
                            .forEach(m -> faults.add(asWritten(m, value.name(), values)));
                }
            }
        }
        String jaas = values.get(SaslConfigs.SASL_JAAS_CONFIG);
        if (jaas != null && !isJaas(jaas)) {
            faults.add(
                    SaslConfigs.SASL_JAAS_CONFIG
                            + " is not of the form: LOGIN_MODULE required name=\"value\" name=\"value\";");
        }
        if (!faults.isEmpty()) {
            throw new SluiceException(
                    "Kafka configuration %s: %s".formatted(file, String.join("; ", faults)));
        }
    }

    private String asWritten(String message, String name, Map<String, String> values) {
        String now = values.getOrDefault(name, "");
        String then = written.getOrDefault(name, "");
        return now.equals(then) ? message : message.replace(now, then);
    }

    /** Tells whether a JAAS entry is well formed; an error message would reveal a part of it. */
    private static boolean isJaas(String text) {
        try {
            var unused = options(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * Returns the principal as ACLs name it. The client knows the user of PLAIN or SCRAM, or the
     * subject of a certificate.
     */
    String principal() {
        Map<String, String> values = values();
        String protocol =
                values.getOrDefault(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, "PLAINTEXT");
        if (protocol.startsWith("SASL")) {
            String jaas = values.getOrDefault(SaslConfigs.SASL_JAAS_CONFIG, "");
            Object user = isJaas(jaas) ? options(jaas).get("username") : null;
            return user == null ? "the user of " + file : "User:" + user;
        }
        return protocol.equals("SSL") ? "User:" + ClientCertificate.subject(values) : ANONYMOUS;
    }

    private static Map<String, ?> options(String jaas) {
        return JaasContext.loadClientContext(
                        Map.of(SaslConfigs.SASL_JAAS_CONFIG, new Password(jaas)))
                .configurationEntries()
                .get(0)
                .getOptions();
    }

    /** Returns the file's name, for messages. */
    @Override
    public String toString() {
        return file.toString();
    }

    /** Returns the warnings before the first use, a line each. */
    public List<String> warnings() {
        List<String> unknown = unknown();
        String names = unknown.size() == 1 ? "its name" : "their names";
        return unknown.isEmpty()
                ? List.of()
                : List.of(
                        "Kafka configuration %s: Kafka's clients know no %s; check %s"
                                .formatted(file, String.join(", ", unknown), names));
    }
}
