package dev.sluice.job.ruletopic;

import dev.sluice.job.kafka.Fencing;
import dev.sluice.job.kafka.KafkaClients;
import dev.sluice.policy.io.SluiceException;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Hold of a publisher on the rules topic: fences the other publishers, and finds out what became of
 * a transaction that failed. Not thread-safe.
 */
final class RuleTakeover {
    /**
     * Time after which Kafka aborts a transaction that a dead publisher left open; readers see
     * nothing behind it until then. All messages of a transaction must be sent within it.
     */
    private static final Duration TIMEOUT = Duration.ofSeconds(15);

    /** Time within which Kafka shows to readers what it has committed. */
    static final Duration SETTLING = Duration.ofSeconds(2);

    private final KafkaClients kafka;
    private final String id;
    private final String name;
    private final RuleTopic topic;
    private @Nullable KafkaProducer<byte[], byte[]> producer;

    /** Time that a broker may be away. */
    private Duration patience = Duration.ZERO;

    private Consumer<String> waits = text -> {};

    /**
     * A hold that is not taken so far.
     *
     * @param id transactional id of all publishers of the topic
     * @param name of the topic
     */
    RuleTakeover(KafkaClients kafka, String id, String name, RuleTopic topic) {
        this.kafka = kafka;
        this.id = id;
        this.name = name;
        this.topic = topic;
    }

    /** As {@link RulePublisher#waitForBroker}. */
    void waitForBroker(Duration longest, Consumer<String> told) {
        patience = longest;
        waits = told;
    }

    /** Takes the topic over from all publishers before. */
    void fenceOthers() {
        KafkaProducer<byte[], byte[]> opened = kafka.transactionalProducer(id, TIMEOUT);
        producer = opened;
        opened.initTransactions();
    }

    /** The producer that has fenced the others. */
    KafkaProducer<byte[], byte[]> producer() {
        KafkaProducer<byte[], byte[]> open = producer;
        if (open == null) {
            throw new IllegalStateException("take the topic over first");
        }
        return open;
    }

    /**
     * Tells whether a transaction failed since a broker is away that may be waited for. Kafka ends
     * one that was open for too long meanwhile, and then calls its publisher fenced.
     */
    boolean isAway(KafkaException e, long beganNanos) {
        if (patience.isZero()) {
            return false;
        }
        if (Fencing.isIn(e)) {
            return System.nanoTime() - beganNanos > TIMEOUT.toNanos();
        }
        return e instanceof RetriableException
                || e.getCause() instanceof RetriableException
                || Stream.of(e.getSuppressed()).anyMatch(RetriableException.class::isInstance);
    }

    /**
     * Waits for the broker, and takes the topic over again.
     *
     * @return whether the transaction is committed
     * @throws SluiceException if another publisher has published meanwhile, or the broker stays
     *     away
     */
    boolean backAsCommitted(RuleSending sending, KafkaException e) {
        closeAtOnce();
        waits.accept(
                "the Kafka broker at %s does not take what is published (%s); it is waited for, %d minutes at most"
                        .formatted(kafka, e.getMessage(), patience.toMinutes()));
        long until = System.nanoTime() + patience.toNanos();
        while (true) {
            try {
                boolean committed = takenOverAgain(sending, e);
                waits.accept("the Kafka broker takes what is published again");
                return committed;
            } catch (RulesNotPublishedException stale) {
                closeAtOnce();
                throw stale;
            } catch (KafkaException | SluiceException away) {
                closeAtOnce();
                if (Thread.currentThread().isInterrupted() || System.nanoTime() - until > 0) {
                    e.addSuppressed(away);
                    throw gaveUp(sending, e);
                }
            }
        }
    }

    private boolean takenOverAgain(RuleSending sending, KafkaException e) {
        topic.awaitSettled(SETTLING);
        committedOf(sending, topic.committedEnd(), e); // before others are disturbed for nothing
        fenceOthers();
        return committedOf(sending, topic.end(), e);
    }

    /**
     * Tells whether the transaction is committed in front of an offset, and nothing else behind it.
     *
     * @throws RulesNotPublishedException if another publisher has published meanwhile
     */
    private boolean committedOf(RuleSending sending, long upTo, KafkaException e) {
        long base = sending.base().end();
        boolean committed =
                sending.isCommitting() && topic.holds(sending.lastTransaction(), base, upTo);
        if (topic.changeBehind(committed ? sending.end() : base, upTo) != 0) {
            throw RulesNotPublishedException.nothing(
                    "the base is stale: another publisher has published to topic %s while its broker was away"
                            .formatted(name),
                    "run it again",
                    e);
        }
        return committed;
    }

    private SluiceException gaveUp(RuleSending sending, KafkaException e) {
        String away =
                "the Kafka broker at %s was away for %d minutes: %s"
                        .formatted(kafka, patience.toMinutes(), e.getMessage());
        return sending.isCommitting()
                ? RulesNotPublishedException.unknown(
                        "whether version %d was published to topic %s is not known: %s"
                                .formatted(sending.standing().version(), name, away),
                        e)
                : RulesNotPublishedException.nothing(
                        away, "run it again when the broker takes it", e);
    }

    /** Ends a transaction that failed; tells whether it was committed nevertheless. */
    boolean settledAsCommitted(RuleSending sending, KafkaException e) {
        if (sending.abort(e)) {
            return false;
        }
        closeAtOnce();
        RuleStanding meant = sending.standing();
        try {
            return topic.holds(sending.lastTransaction(), meant.end(), topic.end());
        } catch (KafkaException | SluiceException unknown) {
            e.addSuppressed(unknown);
            throw RulesNotPublishedException.unknown(
                    "whether version %d was published to topic %s is not known: %s"
                            .formatted(meant.version(), name, e.getMessage()),
                    e);
        }
    }

    private void closeAtOnce() {
        close(Duration.ZERO);
    }

    /** Closes the producer, which may take so long. */
    void close(Duration longest) {
        KafkaProducer<byte[], byte[]> open = producer;
        if (open != null) {
            open.close(longest);
            producer = null;
        }
    }

    /**
     * Closes the producer for good.
     *
     * @param doing work under way when Kafka refused it
     * @param stood content of the topic as it was known; null: unknown
     * @param end the offset behind the last message that was published
     */
    SluiceException lost(String doing, KafkaException e, @Nullable RuleStanding stood, long end) {
        closeAtOnce();
        if (Fencing.isIn(e) || stood != null && othersPublishedSince(stood, end, e)) {
            return RulesNotPublishedException.nothing(
                    ("the base is stale: another publisher took topic %s over while this one was at work,"
                                    + " or Kafka did not take all of it within %d s")
                            .formatted(name, TIMEOUT.toSeconds()),
                    "run it again",
                    e);
        }
        return RulesNotPublishedException.nothing(
                "topic %s at %s refused what this publisher sent while it %s: %s"
                        .formatted(name, kafka, doing, e.getMessage()),
                "run it again when the broker takes it",
                e);
    }

    /**
     * Tells whether the topic has versions of another publisher. Where the end of a transaction
     * meets a takeover the broker may call that an unexpected error, so that only the topic shows
     * it.
     */
    private boolean othersPublishedSince(RuleStanding stood, long end, KafkaException e) {
        if (e instanceof TimeoutException || e.getCause() instanceof TimeoutException) {
            return false; // nobody reaches the broker
        }
        try {
            return topic.awaitVersionAfter(stood, Math.max(stood.end(), end), SETTLING) != 0;
        } catch (KafkaException | SluiceException unknown) {
            e.addSuppressed(unknown);
            return false;
        }
    }
}
