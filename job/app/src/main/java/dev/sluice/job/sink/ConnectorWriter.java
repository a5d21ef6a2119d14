package dev.sluice.job.sink;

import java.lang.reflect.Field;
import java.util.Optional;
import org.apache.flink.connector.kafka.sink.internal.ProducerPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Access to private fields of the connector's writer, by reflection.
 *
 * <p>The writer's class and its pool of producers are private to the connector's package and have
 * no setter, so that no subclass can replace the pool.
 */
final class ConnectorWriter {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectorWriter.class);

    /** Name of the pool's field, in the writer and in the naming context of its transactions. */
    private static final String POOL = "producerPool";

    private static final String NAMING = "namingContext";

    private ConnectorWriter() {}

    /**
     * Makes a writer reuse transactional ids.
     *
     * <p>A writer of another version of the connector, with other fields, stays unchanged; the log
     * describes what that costs.
     *
     * @param writer of the connector
     * @param key name of the writer for {@link TransactionPool#checkpointComplete}
     * @param name of the thread that prepares producers
     * @return the writer's new pool
     */
    static Optional<TransactionPool> reuseIds(Object writer, String key, String name) {
        try {
            Field own = field(writer, POOL);
            Object naming = field(writer, NAMING).get(writer);
            Field named = field(naming, POOL);
            TransactionPool producers =
                    new TransactionPool(
                            (ProducerPool) own.get(writer), key, name, System::nanoTime);
            own.set(writer, producers);
            named.set(naming, producers);
            return Optional.of(producers);
        } catch (ReflectiveOperationException | RuntimeException e) {
            LOG.warn(
                    "The Kafka connector has another version than Sluice expects: each checkpoint takes new transactional ids, and waits for the broker to begin a transaction",
                    e);
            return Optional.empty();
        }
    }

    private static Field field(Object of, String name) throws NoSuchFieldException {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }
}
