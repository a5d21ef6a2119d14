package dev.sluice.job.sink;

import java.lang.reflect.Field;
import java.util.Optional;
import org.apache.flink.connector.kafka.sink.internal.ProducerPool;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connector's writer, whose private fields are set here and nowhere else. Its class and its
 * pool of producers are private to its package, without a setter, so that no subclass can replace
 * the pool.
 */
final class ConnectorWriter {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectorWriter.class);

    /** The connector's name for its pool, in the writer and in what names its transactions. */
    private static final String POOL = "producerPool";

    private static final String NAMING = "namingContext";

    private ConnectorWriter() {}

    /**
     * Has a writer use transactional ids again. A writer of another version of the connector, with
     * other fields, stays as it is, and the log says what that costs.
     *
     * @param writer of the connector
     * @param key by what {@link TransactionPool#checkpointComplete} names it
     * @param name of a thread that makes producers ready ahead; null: there is to be none
     * @return the pool that the writer has now
     */
    static Optional<TransactionPool> reuseIds(Object writer, String key, @Nullable String name) {
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
                    "The Kafka connector is not the one that Sluice was made for: each checkpoint takes new transactional ids, and waits for the broker to begin a transaction",
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
