package dev.sluice.job.kafka;

import dev.sluice.policy.io.SluiceException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigData;
import org.apache.kafka.common.config.provider.ConfigProvider;

/**
 * Config provider that gives a client of the connector the values of a {@link KafkaConfigFile} on
 * the client's machine. The job's graph holds only the file's path and the names of properties.
 */
public final class KafkaConfigProvider implements ConfigProvider {
    private static final String NAME = "sluice";
    private static final String FILE = "file";
    private static final String PREFIX = AbstractConfig.CONFIG_PROVIDERS_CONFIG + "." + NAME + ".";

    private Path file = Path.of("");

    /**
     * Adds a file's properties, as placeholders.
     *
     * @param config properties of clients, whose placeholders Kafka resolves
     */
    static void addTo(Properties config, Path file) {
        Set<String> names = KafkaConfigFile.read(file).names();
        names.forEach(name -> config.setProperty(name, "${" + NAME + ":" + name + "}"));
        config.setProperty(AbstractConfig.CONFIG_PROVIDERS_CONFIG, NAME);
        config.setProperty(PREFIX + "class", KafkaConfigProvider.class.getName());
        config.setProperty(PREFIX + "param." + FILE, file.toString());
    }

    @Override
    public void configure(Map<String, ?> configs) {
        file = Path.of(Objects.requireNonNull(configs.get(FILE)).toString());
    }

    @Override
    public ConfigData get(String path) {
        return new ConfigData(new HashMap<>(KafkaConfigFile.read(file).values()));
    }

    @Override
    public ConfigData get(String path, Set<String> names) {
        Map<String, String> values = new HashMap<>(KafkaConfigFile.read(file).values());
        for (String name : names) {
            if (!values.containsKey(name)) {
                throw new SluiceException(
                        "Kafka configuration %s lacks %s on this machine, unlike where the job was submitted; give it the same properties on all machines"
                                .formatted(file, name));
            }
        }
        values.keySet().retainAll(names);
        return new ConfigData(values);
    }

    @Override
    public void close() {
        // The file is open only while it is read.
    }
}
