package dev.sluice.job.sink;

import dev.sluice.job.kafka.KafkaAccess;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.policy.io.SluiceException;
import java.time.Duration;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Guard of a job's transactional ids: finds another job with the same prefix, whose transactions
 * the new job would fence.
 *
 * <p>The open transactions of a killed job look the same at first, but no new ones follow. A
 * running job with packets begins a transaction with another id after each checkpoint. A job
 * without packets, or with much rarer checkpoints than the new job, is not found.
 */
public final class TransactionalIdGuard implements AutoCloseable {
    /** Pattern of an id after the prefix: the sink, its subtask, and the checkpoint's number. */
    private static final String SINKS = "-(verdicts|dead-letters|statistics)-\\d+-\\d+";

    private static final Duration SHORTEST = Duration.ofSeconds(2);
    private static final Duration LONGEST = Duration.ofSeconds(15);
    private static final long LOOK_MILLIS = 100;

    private final KafkaAccess access;
    private final KafkaClients kafka;
    private final String prefix;
    private final Pattern ids;
    private final Set<String> first;

    /**
     * Lists the open transactions.
     *
     * @param prefix of the new job's transactional ids
     */
    public TransactionalIdGuard(KafkaClients kafka, String prefix) {
        this.kafka = kafka;
        this.prefix = prefix;
        ids = Pattern.compile(Pattern.quote(prefix) + SINKS);
        access = new KafkaAccess(kafka);
        try {
            first = open();
        } catch (SluiceException e) {
            close();
            throw e;
        }
    }

    /** Tells whether there are open transactions, so that another job may run. */
    public boolean mayRun() {
        return !first.isEmpty();
    }

    /**
     * Watches for the time of two checkpoints whether new transactions begin.
     *
     * @param checkpoints time between checkpoints
     * @throws SluiceException if one begins
     */
    public void requireAbsent(Duration checkpoints) throws InterruptedException {
        Duration wanted = checkpoints.multipliedBy(2).plus(SHORTEST);
        Duration time = wanted.compareTo(LONGEST) < 0 ? wanted : LONGEST;
        long until = System.nanoTime() + time.toNanos();
        while (System.nanoTime() - until < 0) {
            Set<String> now = open();
            now.removeAll(first);
            if (!now.isEmpty()) {
                throw new SluiceException(
                        "another job with --transactional-id-prefix %s runs on the Kafka at %s (it has begun transaction %s), and two with one prefix end each other's transactions; name another prefix, or stop that job"
                                .formatted(prefix, kafka, now.iterator().next()));
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }

    private Set<String> open() {
        return access.openTransactions().stream()
                .filter(id -> ids.matcher(id).matches())
                .collect(Collectors.toSet());
    }

    @Override
    public void close() {
        access.close();
    }
}
